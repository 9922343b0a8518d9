// SPDX-License-Identifier: Apache-2.0
//! PMP forbids to execute a part of a line: code that begins in the rest of it does not get there.

use super::program::{board, compile, finish, functional, in_both_orders, timed};

#[test]
fn code_does_not_run_into_a_forbidden_part_of_its_line() {
    let program = compile("pmp.S", &[]);
    let (mut untimed, _) = functional(&board("virt"), 1, &program);
    finish(&mut untimed, 1_000_000);
    for name in ["virt", "tile72", "p4080"] {
        in_both_orders(&timed(&board(name), 1, &program), 1_000_000);
    }
}
