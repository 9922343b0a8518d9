// SPDX-License-Identifier: Apache-2.0
//! Tests that the generated files of the repository are up to date.

use std::path::Path;

#[path = "../examples/diagnostics-page/page.rs"]
mod page;

fn committed(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(path)).unwrap()
}

#[test]
fn the_schemas_are_those_of_the_types() {
    let schemas =
        [("system", takt_model::schema::system()), ("board", takt_model::schema::board())];
    for (name, schema) in schemas {
        assert!(
            committed(&format!("docs/schema/{name}.schema.json")) == format!("{schema:#}\n"),
            "run `cargo run -p takt-model --example schemas` and commit the schemas"
        );
    }
}

#[test]
fn the_books_page_of_diagnostics_has_every_code() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert!(
        committed("docs/src/diagnostics.md") == page::page(&root).unwrap(),
        "run `cargo run -p takt-model --example diagnostics-page` and commit the page"
    );
}
