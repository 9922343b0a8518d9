// SPDX-License-Identifier: Apache-2.0
//! Writes the book's page of diagnostic codes, after a change of the codes or their texts.

use std::path::Path;

#[path = "diagnostics-page/page.rs"]
mod page;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::write(root.join("docs/src/diagnostics.md"), page::page(&root)?)
}
