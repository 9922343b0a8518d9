// SPDX-License-Identifier: Apache-2.0
//! Several stores of a hart under way across its bridge, to the cycle, and in which order they are seen.

use super::program::{compile, in_both_orders, timed, timed_with};
use super::{device_links, scratchpads};
use takt_board::{
    devices::{Extra, Finish, map::AddressRange},
    engine::{End, Machine},
};
use takt_model::Board;

/// Three cores, each with a scratchpad and a window, on a bus on which 8 bytes take 22 cycles.
fn bridged(posts: u32, cores_per_node: u32) -> Board {
    let mut board = device_links::on_a_bus(true);
    board.scratchpads = vec![scratchpads::scratchpad("exchange", 1, 20, &[0, 1, 2])];
    let interconnect = &mut board.timing.as_mut().expect("timing").interconnect;
    (interconnect.posts, interconnect.cores_per_node) = (posts, cores_per_node);
    board
}

/// What hart 1 returned.
fn took(mut machine: Machine) -> u64 {
    match machine.run(machine.now + 10_000_000) {
        End::Finished(Finish::Fail(cycles)) => cycles.into(),
        end => panic!("the program ended with {end:?}"),
    }
}

fn stores(posts: u32, stores: u32, more: &[&str]) -> u64 {
    let board = bridged(posts, 1);
    let count = format!("-DSTORES={stores}");
    let program = compile("posts.c", &[&[count.as_str()], more].concat());
    let range = AddressRange { base: 0x4000_0000, size: 0x1000 };
    let device = Extra { range, node: 8, wires: vec![], device: Box::new(device_links::Zero) };
    took(timed_with(&board, 3, &program, vec![device]))
}

/// Two reads of the counter and the fence, beside the stores; the first one is under way a cycle behind its instruction's begin.
fn beside() -> u64 {
    2 * device_links::system(&bridged(1, 1))
}

/// One after the other, each behind the answer to the one before: a message there, the scratchpad, a message back.
#[test]
fn without_a_bridge_each_store_waits_for_the_one_before() {
    let trip = 201 + 20 + 201;
    assert_eq!(stores(1, 1, &[]), beside() + 1 + trip);
    assert_eq!(stores(1, 4, &[]), beside() + 4 * (1 + trip));
}

/// The bus takes them as fast as it can, and the fence ends a cycle behind the last one's arrival.
#[test]
fn across_a_bridge_the_bus_decides() {
    for count in [1, 2, 4, 8] {
        let bus = 201 + 22 * u64::from(count - 1) + 1;
        assert_eq!(stores(8, count, &[]), beside() + 1 + bus, "{count} stores");
        assert_eq!(
            stores(8, count, &["-DREGISTER"]),
            beside() + 1 + bus,
            "{count} stores, one to a register"
        );
    }
    // The third leaves when the first has arrived, the fourth when the second has.
    let bus = 201 + 1 + 201 + 22 + 1;
    assert_eq!(stores(2, 4, &[]), beside() + 1 + bus + 1);
}

/// Whatever the later store is, the fence keeps it behind, though requests of different harts may leave late.
#[test]
fn stores_behind_a_fence_are_seen_behind_it() {
    for flag in 0..3 {
        let program = compile("posts.c", &[&format!("-DFLAG={flag}")]);
        for seed in 0..20 {
            let mut machine = timed(&bridged(8, 2), 3, &program);
            machine.set_seed(seed, 200);
            let end = machine.run(50_000_000);
            assert_eq!(end, End::Finished(Finish::Pass), "flag {flag}, seed {seed}");
        }
    }
}

#[test]
fn both_orders_agree() {
    for (flag, cores) in [(0, 1), (0, 2), (1, 1), (1, 2), (2, 2)] {
        let program = compile("posts.c", &[&format!("-DFLAG={flag}")]);
        let mut machine = timed(&bridged(4, cores), 3, &program);
        machine.set_seed(7, 20);
        in_both_orders(&machine, 50_000_000);
    }
}
