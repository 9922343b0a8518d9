// SPDX-License-Identifier: Apache-2.0
//! The table of functions that a panic's backtrace reads, as an assembler file: the build links
//! the image once without it, and again with what `takt symbols` read from the first.

use std::fmt::Write;

use crate::image::{self, Function};

/// What the table's offsets count from.
const BASE: &str = "takt_text_start";
/// Longer names are cut, so that a backtrace's line stays a line.
const LONGEST_NAME: usize = 63;

/// The assembler file for an ELF file's functions.
pub fn of_elf(bytes: &[u8]) -> Result<String, String> {
    let elf = image::parse_elf(bytes)?;
    let base = image::symbol(&elf, BASE)?;
    let mut functions = image::functions(&elf);
    // What lies in front of the text or 4 GiB behind it cannot be said in a table of words.
    functions.retain(|function| {
        function.address.checked_sub(base).is_some_and(|offset| u32::try_from(offset).is_ok())
    });
    Ok(assembler(&functions, base))
}

/// The assembler file for these functions; with none the table is empty.
pub fn assembler(functions: &[Function], base: u64) -> String {
    let (mut table, mut names, mut length) = (String::new(), String::new(), 0);
    for Function { address, name } in functions {
        let name = shortened(name);
        let _ = writeln!(table, "    .word {:#x}, {length}", address - base);
        let _ = writeln!(names, "    .asciz \"{name}\"");
        length += name.len() + 1;
    }
    format!(
        "/* SPDX-License-Identifier: Apache-2.0 */\n\
         /* Made by takt symbols: by address, offset from {BASE} and place of the name. */\n\
         \x20   .section .symbols, \"a\", @progbits\n\
         \x20   .balign 4\n\
         \x20   .globl takt_symbols, takt_symbol_count, takt_symbol_names\n\
         takt_symbols:\n{table}\
         takt_symbol_count:\n    .word {}\n\
         takt_symbol_names:\n{names}",
        functions.len()
    )
}

/// The name as it can stand between quotes: C names as they are, anything else replaced.
fn shortened(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.$".contains(c) { c } else { '?' };
    name.chars().take(LONGEST_NAME).map(plain).collect()
}
