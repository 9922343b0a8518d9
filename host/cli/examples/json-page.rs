// SPDX-License-Identifier: Apache-2.0
//! Writes what is generated from the types of the JSON documents: their schemas in `docs/schema`,
//! and the book's page.

use std::path::Path;

#[path = "json-page/page.rs"]
mod page;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    page::files().into_iter().try_for_each(|(path, text)| std::fs::write(root.join(path), text))
}
