// SPDX-License-Identifier: Apache-2.0
//! Spinlocks of all kinds: no count is lost, everybody gets through, and both orders agree.

use super::program::{board, compile, in_both_orders, timed};

fn locks(name: &str, harts: u32) {
    let program = compile("locks.c", &[]);
    let cycles = in_both_orders(&timed(&board(name), harts, &program), 50_000_000);
    println!("{name}, {harts} harts: {cycles} cycles");
}

#[test]
fn on_one_hart() {
    locks("virt", 1);
}

#[test]
fn on_four_harts() {
    locks("virt", 4);
}

#[test]
fn on_a_shared_cache() {
    locks("p4080", 8);
}

#[test]
fn on_sockets() {
    locks("xeon40", 40);
}

#[test]
fn on_clusters() {
    locks("sg2042", 64);
}

#[test]
fn on_a_mesh() {
    locks("tile72", 72);
}
