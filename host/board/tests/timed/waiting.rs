// SPDX-License-Identifier: Apache-2.0
//! Harts that wait in loops: what is computed of their rounds is what executing them gives.

use super::program::{board, compile, fingerprint, functional, in_both_orders, timed};
use takt_board::engine::{End, Order};

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

/// The same moment and the same harts, in both orders, and however the run is cut.
#[test]
fn who_spins_for_ever_is_told() {
    let program = compile("stuck.c", &[]);
    for (name, harts) in [("tile72", 4), ("tile72", 1), ("virt", 2), ("p4080", 8)] {
        let start = timed(&board(name), harts, &program);
        let ends = [Order::Ahead, Order::Strict].map(|order| {
            let mut machine = start.clone();
            machine.order = order;
            assert_eq!(machine.run(machine.now + 50_000_000), End::Spinning, "{name} {order:?}");
            (machine.now, fingerprint(&machine))
        });
        assert_eq!(ends[0], ends[1], "{name}");
        let mut cut = start.clone();
        let mut random = fastrand::Rng::with_seed(1);
        while cut.now < ends[0].0 {
            let end = cut.run((cut.now + random.u64(1..30_000)).min(ends[0].0));
            let expected = if cut.now < ends[0].0 { End::Until } else { End::Spinning };
            assert_eq!(end, expected, "{name} at {}", cut.now);
        }
        assert_eq!((cut.now, fingerprint(&cut)), ends[0], "{name}");
        let work = 140_000;
        let (done, told) = (cut.units[0].hart.instret, cut.now - start.now);
        assert!(done > work && told < 800_000, "{name}: after {done} instructions, {told} cycles");
    }
}
