// SPDX-License-Identifier: Apache-2.0
//! Tests that the generated files of the repository are up to date.

use std::path::Path;

#[path = "../examples/generate/page.rs"]
mod page;

fn check(path: &str, made: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert!(
        std::fs::read_to_string(root.join(path)).unwrap() == made,
        "run `cargo run -p takt-record --example generate` and commit {path}"
    );
}

#[test]
fn the_kernels_header_is_the_records_schema() {
    check("kernel/record/record_schema.h", &takt_record::c_header());
}

#[test]
fn the_kernels_functions_record_each_kind() {
    check("kernel/record/event.h", &takt_record::c_events());
}

#[test]
fn the_books_page_of_events_has_every_kind() {
    check("docs/src/events.md", &page::page());
}
