// SPDX-License-Identifier: Apache-2.0
//! Writes the files that are generated from the record's tables: `kernel/record/record_schema.h`,
//! `kernel/record/event.h` and the book's page of events.

use std::path::Path;

#[path = "generate/page.rs"]
mod page;

fn main() -> std::io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::write(root.join("kernel/record/record_schema.h"), takt_record::c_header())?;
    std::fs::write(root.join("kernel/record/event.h"), takt_record::c_events())?;
    std::fs::write(root.join("docs/src/events.md"), page::page())
}
