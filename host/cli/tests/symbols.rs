// SPDX-License-Identifier: Apache-2.0
//! Tests that the assembler file of `takt symbols` agrees with nm.

use std::path::Path;
use std::process::Command;

use takt_cli::image::Function;
use takt_cli::symbols;

const PROGRAM: &str = r#"
    .section .text, "ax"
    .globl takt_text_start
takt_text_start:
    nop
    .globl second
    .type second, @function
second:
    nop
.Lhidden:
    nop
label_of_the_assembler:
    ret
    .type alias, @function
alias:
    .globl with_a_name_that_is_far_too_long_to_stand_whole_in_one_line_of_a_backtrace
    .type with_a_name_that_is_far_too_long_to_stand_whole_in_one_line_of_a_backtrace, @function
with_a_name_that_is_far_too_long_to_stand_whole_in_one_line_of_a_backtrace:
    ret
    .data
variable:
    .word 1
"#;

fn gcc(arguments: &[&str], directory: &Path) {
    let status = Command::new("riscv64-unknown-elf-gcc")
        .args(["-march=rv64g", "-mabi=lp64d", "-nostdlib", "-Wl,-Ttext=0x80400000", "-Wl,-e0"])
        .args(arguments)
        .current_dir(directory)
        .status();
    assert!(status.unwrap().success(), "gcc {arguments:?}");
}

#[test]
fn the_table_lists_functions_and_labels_by_address() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    std::fs::write(path("program.S"), PROGRAM).unwrap();
    gcc(&["program.S", "-o", "program.elf"], directory.path());
    let text = symbols::of_elf(&std::fs::read(path("program.elf")).unwrap()).unwrap();
    insta::assert_snapshot!(text);

    // The second link must accept the table and must not move a function.
    std::fs::write(path("symbols.S"), &text).unwrap();
    gcc(&["program.S", "symbols.S", "-o", "final.elf"], directory.path());
    let again = symbols::of_elf(&std::fs::read(path("final.elf")).unwrap()).unwrap();
    assert_eq!(again, text);
}

#[test]
fn the_empty_table_assembles() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("symbols.S"), symbols::assembler(&[], 0)).unwrap();
    gcc(&["-c", "symbols.S", "-o", "symbols.o"], directory.path());
    assert!(symbols::assembler(&[], 0).contains("takt_symbol_count:\n    .word 0\n"));
}

#[test]
fn a_name_cannot_leave_its_quotes() {
    let function = Function { address: 4, name: "a\"\n\\b".to_string() };
    assert!(symbols::assembler(&[function], 0).contains(".asciz \"a???b\"\n"));
}

#[test]
fn what_is_no_image_is_refused() {
    assert!(symbols::of_elf(b"no elf").is_err());
    let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    assert!(symbols::of_elf(&own).unwrap_err().contains("not for RV64"));
}
