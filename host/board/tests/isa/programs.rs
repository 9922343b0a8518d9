// SPDX-License-Identifier: Apache-2.0
//! Small programs as words.

use crate::flat::{FlatPort, RAM};
use takt_board::isa::{Hart, Pause};

fn started(program: &[u32]) -> (Hart, FlatPort) {
    let mut port = FlatPort::new(1 << 20);
    for (at, &word) in program.iter().enumerate() {
        port.place_word(RAM + 4 * at as u64, word);
    }
    let mut hart = Hart::new(0);
    hart.pc = RAM;
    (hart, port)
}

/// Sums 1 to 1000: li a0,0; li a1,1000; loop: add a0,a0,a1; addi a1,a1,-1; bnez a1,loop; wfi
const SUM: [u32; 6] =
    [0x0000_0513, 0x3e80_0593, 0x00b5_0533, 0xfff5_8593, 0xfe05_9ce3, 0x1050_0073];

#[test]
fn a_loop_ends_with_its_sum() {
    let (mut hart, mut port) = started(&SUM);
    assert_eq!(port.run(&mut hart, 1_000_000), Pause::Idle);
    assert_eq!(hart.x[10], 500_500);
    assert_eq!(hart.instret, 3003);
    assert_eq!(hart.pc, RAM + 24);
}

#[test]
fn waits_change_nothing() {
    let (mut hart, mut port) = started(&SUM);
    port.hesitate = Some(fastrand::Rng::with_seed(1));
    assert_eq!(port.run(&mut hart, 1_000_000), Pause::Idle);
    assert_eq!((hart.x[10], hart.instret), (500_500, 3003));
}

#[test]
fn a_handler_that_cannot_be_fetched_still_pauses() {
    let (mut hart, mut port) = started(&[0]);
    assert_eq!(port.run(&mut hart, 1000), Pause::Paused);
    assert_eq!((hart.mcause, hart.mepc, hart.instret), (1, 0, 0));
}
