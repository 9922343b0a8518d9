// SPDX-License-Identifier: Apache-2.0
//! Pieces of C that several tables need.

/// The text of a C string literal; each byte that is not printable ASCII becomes an octal escape.
pub fn c_text(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'"' | b'\\' => format!("\\{}", byte as char),
        b' '..=b'~' => (byte as char).to_string(),
        _ => format!("\\{byte:03o}"),
    };
    text.bytes().map(escape).collect()
}

/// C has no literal for the lowest integer, so it becomes an expression.
pub fn c_integer(value: i64) -> String {
    if value == i64::MIN { "INT64_MIN".into() } else { format!("{value}") }
}

/// The attribute that places a variable in zeroed memory of one core: `.bss.core3.control` and the
/// like, see `linker.rs`.
pub fn section(core: u32, part: &str) -> String {
    format!("__attribute__((section(\".bss.core{core}.{part}\")))")
}
