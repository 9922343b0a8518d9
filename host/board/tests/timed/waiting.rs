// SPDX-License-Identifier: Apache-2.0
//! Harts that wait in loops: what is computed of their rounds is what executing them gives.

use super::program::{board, compile, functional, in_both_orders, timed};

#[test]
fn without_time() {
    let program = compile("waiting.c", &[]);
    in_both_orders(&functional(&board("tile72"), 21, &program).0, 50_000_000);
}

#[test]
fn with_time() {
    let program = compile("waiting.c", &[]);
    in_both_orders(&timed(&board("tile72"), 21, &program), 50_000_000);
}
