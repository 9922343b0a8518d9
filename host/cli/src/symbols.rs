// SPDX-License-Identifier: Apache-2.0
//! Writes the table of functions that a panic's backtrace reads, as an assembler file. A build
//! links the image once without the table, and again with the table that `takt symbols` makes from
//! the first link.

use std::fmt::Write;

use crate::image::{self, Function};

/// The symbol relative to which the table gives addresses.
const BASE: &str = "takt_text_start";
/// The longest name in the table; longer ones are cut, so that a backtrace has one line for each
/// function.
const LONGEST_NAME: usize = 63;

/// The assembler file for an ELF file's functions.
pub fn of_elf(bytes: &[u8]) -> Result<String, String> {
    let elf = image::parse_elf(bytes)?;
    let base = image::symbol(&elf, BASE)?;
    let mut functions = image::functions(&elf);
    // The table has 32-bit offsets, so a function before the start of the text or 4 GiB behind it
    // cannot be listed.
    functions.retain(|function| {
        function.address.checked_sub(base).is_some_and(|offset| u32::try_from(offset).is_ok())
    });
    Ok(assembler(&functions, base))
}

/// The assembler file for these functions; without functions the table is empty.
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

/// The name as it can stand in quotation marks: the characters of C identifiers stay, any other is
/// replaced.
fn shortened(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.$".contains(c) { c } else { '?' };
    name.chars().take(LONGEST_NAME).map(plain).collect()
}
