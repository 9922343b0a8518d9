// SPDX-License-Identifier: Apache-2.0
//! Register accesses whose messages take the interconnect's links, to the cycle.

use super::program::{board, compile, in_both_orders, timed, timed_with};
use takt_board::{
    devices::{
        BadState, Device, Extra, ExtraDevice, Finish, Kind, Refused, Request, Tick,
        map::AddressRange,
    },
    engine::{End, Machine},
};
use takt_model::{Board, timing::Shape};

/// A register of the ACLINT, at node 0.
const MTIME: &str = "-DAT=0x200bff8";
/// Where the tests put a device of their own.
const OTHER: &str = "-DAT=0x40000000";

/// Nine nodes with a core each on a bus on which 4 bytes take 11 cycles.
pub fn on_a_bus(links: bool) -> Board {
    let mut board = board("tile72");
    let timing = board.timing.as_mut().expect("timing");
    let net = &mut timing.interconnect;
    net.shape = Shape::Bus { nodes: 9 };
    (net.cores_per_node, net.local, net.hop, net.width, net.beat) = (1, 4, 176, 4, 11);
    timing.dram.nodes = vec![0];
    timing.coherence.homes =
        takt_model::timing::Homes::Nodes { interleave: 1 << 30, nodes: vec![0] };
    (timing.device, timing.device_links) = (11, links);
    board
}

/// What hart 1 returned.
fn returned(mut machine: Machine) -> u64 {
    match machine.run(machine.now + 10_000_000) {
        End::Finished(Finish::Fail(cycles)) => cycles.into(),
        end => panic!("the program ended with {end:?}"),
    }
}

pub fn system(board: &Board) -> u64 {
    board.timing.as_ref().expect("timing").core.system
}

#[derive(Clone)]
pub struct Zero;

impl Device for Zero {
    fn access(&mut self, _: Tick, request: Request) -> Result<u64, Refused> {
        if request.kind == Kind::Read || request.bytes == 8 { Ok(0) } else { Err(Refused) }
    }
}

impl ExtraDevice for Zero {
    fn boxed_clone(&self) -> Box<dyn ExtraDevice> {
        Box::new(self.clone())
    }

    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _: &[u8]) -> Result<(), BadState> {
        Ok(())
    }
}

fn with_a_device(board: &Board, harts: u32, node: u32, options: &[&str]) -> Machine {
    let range = AddressRange { base: 0x4000_0000, size: 0x1000 };
    let device = Extra { range, node, wires: vec![], device: Box::new(Zero) };
    timed_with(board, harts, &compile("trips.c", options), vec![device])
}

/// A message takes 4 + 176 + 22 - 1 cycles, and 4 + 2 - 1 within the node.
#[test]
fn an_access_takes_two_messages_and_the_register() {
    let board = on_a_bus(true);
    let system = system(&board);
    // A cycle until it leaves, and the load's own.
    let load = |message: u64| system + 1 + message + 11 + message + 1;
    assert_eq!(returned(timed(&board, 2, &compile("trips.c", &[MTIME]))), load(201));
    assert_eq!(returned(with_a_device(&board, 2, 8, &[OTHER])), load(201));
    assert_eq!(returned(with_a_device(&board, 2, 1, &[OTHER])), load(5));
    // Behind the store's own cycle the fence waits for its arrival, and then takes its own time.
    let store = with_a_device(&board, 2, 8, &[OTHER, "-DSTORE"]);
    assert_eq!(returned(store), system + 1 + 201 + 11 + 201 + system);
}

/// On a board without `links` the access leaves at once, and nothing is in its way.
#[test]
fn without_links_it_takes_an_idle_network() {
    let board = on_a_bus(false);
    let load = system(&board) + 201 + 11 + 201 + 1;
    assert_eq!(returned(timed(&board, 2, &compile("trips.c", &[MTIME]))), load);
    assert_eq!(returned(with_a_device(&board, 2, 8, &[OTHER])), load);
}

/// A message takes the bus for 200 cycles. The bus carries two for each load of eight harts; without links the loads take
/// no turns on it.
#[test]
fn accesses_wait_for_each_other() {
    let took = |links| {
        let mut board = on_a_bus(links);
        board.timing.as_mut().expect("timing").interconnect.beat = 100;
        let mut machine = with_a_device(&board, 9, 0, &[OTHER, "-DROUNDS=200"]);
        let began = machine.now;
        assert!(matches!(machine.run(began + 10_000_000), End::Finished(_)));
        machine.now - began
    };
    let (with, without) = (took(true), took(false));
    assert!(with >= 200 * 8 * 2 * 200, "{with}");
    assert!(without < with / 2, "{without}");
}

#[test]
fn both_orders_agree() {
    for node in [0, 3, 8] {
        for program in ["mix.c", "interrupts.c"] {
            let mut machine = timed(&on_a_bus(true), 8, &compile(program, &["-DROUNDS=2"]));
            machine.set_seed(node.into(), 3);
            in_both_orders(&machine, 10_000_000);
        }
        let machine = with_a_device(&on_a_bus(true), 9, node, &[OTHER, "-DROUNDS=20"]);
        let end = |order| {
            let mut machine = machine.clone();
            machine.order = order;
            returned(machine)
        };
        use takt_board::engine::Order::{Ahead, Strict};
        assert_eq!(end(Ahead), end(Strict), "device at node {node}");
    }
}

/// The figures of the memo on placements: a read from the RTU's place, and the arrival of a store in another node's exchange.
#[test]
fn sara_is_as_far_across_its_bus_as_it_says() {
    for (name, read, store) in [("sara", 413, 201 + 1), ("sara_soc", 6 + 2 + 6, 6 + 1)] {
        let board = board(name);
        let system = system(&board);
        let rtu = with_a_device(&board, 2, 8, &[OTHER]);
        assert_eq!(returned(rtu), system + 1 + read + 1, "{name}");
        let exchange = timed(&board, 2, &compile("trips.c", &["-DAT=0x71000000", "-DSTORE"]));
        assert_eq!(returned(exchange), system + 1 + store + system, "{name}");
    }
}
