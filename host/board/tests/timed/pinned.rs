// SPDX-License-Identifier: Apache-2.0
//! The cycles of one small program on several boards, written down: debug and release, this host and
//! another, this version and the one before it must agree. Who changes a rule of
//! docs/design/cycles.md or a board's figures changes them, and says why.

use super::program::{board, compile, finish, timed};

/// Board, harts, and the cycle in which `pinned.S` ended.
const CYCLES: [(&str, u32, u64); 7] = [
    ("virt", 1, 7289),
    ("virt", 4, 9264),
    ("tile72", 9, 25307),
    ("xeon40", 12, 82467),
    ("p4080", 8, 22717),
    ("sg2042", 6, 17015),
    ("biglittle8", 8, 11409),
];

#[test]
fn a_programs_cycles_are_these() {
    let program = compile("pinned.S", &[]);
    let cycles = CYCLES.map(|(name, harts, _)| {
        let mut machine = timed(&board(name), harts, &program);
        let begin = machine.now;
        (name, harts, finish(&mut machine, 10_000_000) - begin)
    });
    assert_eq!(cycles, CYCLES);
}
