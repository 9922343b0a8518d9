// SPDX-License-Identifier: Apache-2.0
//! The kernel's header is what this crate makes today.

#[test]
fn the_kernels_header_is_the_records_schema() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../kernel/record_schema.h");
    assert!(
        std::fs::read_to_string(path).unwrap() == takt_record::c_header(),
        "run `cargo run -p takt-record --example record-header` and commit the header"
    );
}
