// SPDX-License-Identifier: Apache-2.0
//! Writes `kernel/record_schema.h` anew, after a change of the record's schema.

fn main() -> std::io::Result<()> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernel/record_schema.h");
    std::fs::write(path, takt_record::c_header())
}
