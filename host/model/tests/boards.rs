// SPDX-License-Identifier: Apache-2.0
//! Tests that the boards of the repository agree with the figures that are published for their
//! chips.

use std::path::Path;

use takt_model::{
    Board, PageHomes, Timing,
    latency::{Latencies, Load},
    timing::{Homes, Shape},
};

fn board(name: &str) -> Board {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../boards");
    Board::read(&folder.join(format!("{name}.toml"))).unwrap()
}

fn read(name: &str) -> (Timing, Latencies) {
    let board = board(name);
    let timing = board.timing.unwrap();
    let latencies = timing.latencies(board.cores);
    (timing, latencies)
}

/// Asserts that the cycles are within this percentage of the published figure.
#[track_caller]
fn assert_near(cycles: u64, published: u64, percent: u64) {
    let error = cycles.abs_diff(published) * 100;
    assert!(error <= published * percent, "{cycles} is not {published} within {percent}%");
}

/// Published figures: L1 2, L2 11, a home's L2 45 at one hop and 65 at ten, memory 118 and 162.
#[test]
fn tile72_is_the_tile_gx36s_table() {
    let (timing, latencies) = read("tile72");
    assert_eq!(timing.interconnect.shape, Shape::Mesh { columns: 8, rows: 9 });
    assert_eq!((latencies.l1, latencies.l2), (2, Some(11)));
    let home = latencies.home.unwrap();
    assert_eq!((home.nearest.links, home.farthest.links), (0, 30));
    let hop = timing.interconnect.hop;
    assert_near(home.nearest.cycles + 2 * hop, 45, 3);
    assert_near(home.nearest.cycles + 20 * hop, 65, 3);
    let dram = latencies.dram;
    assert_eq!(dram.nearest.links, 0);
    assert_near(dram.nearest.cycles + 4 * hop, 118, 3);
    assert_near(dram.nearest.cycles + 40 * hop, 162, 5);
}

/// Published figures: L1 4, L2 10, L3 44, another core's line 109; memory 167 ns in the socket, 137
/// cycles of 2.13 GHz more across a link.
#[test]
fn xeon40_is_westmere_exs_table() {
    let (timing, latencies) = read("xeon40");
    assert_eq!(timing.homes().len(), 4);
    assert_eq!((latencies.l1, latencies.l2), (4, Some(10)));
    assert_near(latencies.home.unwrap().nearest.cycles, 44, 1);
    assert_near(latencies.core.unwrap().nearest.cycles, 109, 2);
    assert_near(latencies.dram.nearest.cycles, 2 * 167, 1);
    // The home of a page and its controller are in the same socket.
    assert_eq!(latencies.dram.farthest.links, 2);
    assert_near(latencies.dram.farthest.cycles - latencies.dram.nearest.cycles, 137, 2);
}

/// The load takes 3 cycles according to the core's manual; the other figures are assumptions that
/// the file names.
#[test]
fn p4080_has_its_cache_before_its_controllers() {
    let (timing, latencies) = read("p4080");
    assert_eq!((latencies.l1, latencies.l2), (3, Some(11)));
    let home = latencies.home.unwrap();
    assert_eq!((home.nearest, home.farthest), (home.nearest, Load { cycles: 45, links: 2 }));
    assert_eq!(latencies.core.unwrap().farthest.cycles, 64);
    assert_eq!(latencies.dram.farthest, Load { cycles: 160, links: 2 });
    assert_eq!(timing.coherence.homes, Homes::Nodes { interleave: 4096, nodes: vec![8, 9] });
}

#[test]
fn sg2042_is_what_its_file_says() {
    let (timing, latencies) = read("sg2042");
    assert_eq!(timing.interconnect.cores_per_node, 4);
    assert_eq!((latencies.l1, latencies.l2, latencies.cluster), (3, None, Some(14)));
    // A line changed by a neighbour comes from the neighbour through the cluster's cache, and one
    // changed in another cluster from that cluster's cache.
    let core = latencies.core.unwrap();
    assert_eq!((core.nearest, core.farthest.links), (Load { cycles: 22, links: 0 }, 12));
    assert_eq!(latencies.home.unwrap().nearest, Load { cycles: 60, links: 0 });
    assert_eq!(latencies.dram.nearest, Load { cycles: 245, links: 0 });
}

/// Several cores share a node, so another core can be as near as the home.
#[test]
fn another_core_is_somewhere_else() {
    assert_eq!(read("virt1").1.core, None);
    assert_eq!(read("virt").1.core.unwrap().nearest.links, 2);
    assert_eq!(read("sg2042").1.core.unwrap().nearest.links, 0);
}

#[test]
fn distances_follow_the_shape() {
    let mesh = Shape::Mesh { columns: 8, rows: 9 };
    assert_eq!([mesh.hops(0, 71), mesh.hops(9, 2), mesh.hops(5, 5)], [15, 2, 0]);
    let ring = Shape::Ring { nodes: 5 };
    assert_eq!([ring.hops(0, 4), ring.hops(4, 1), ring.hops(1, 3)], [1, 2, 2]);
    assert_eq!(Shape::Bus { nodes: 9 }.hops(3, 8), 1);
    assert_eq!(Shape::Full { nodes: 4 }.hops(2, 2), 0);
}

/// Pages of 4 KiB are distributed over four homes, blocks of 8 KiB over two controllers: homes 0
/// and 1 have lines only at the first controller, homes 2 and 3 only at the second.
#[test]
fn homes_and_controllers_that_go_together_are_found() {
    let (mut timing, _) = read("xeon40");
    timing.dram.nodes = vec![0, 2];
    timing.dram.interleave = 8192;
    assert_eq!(timing.latencies(40).dram.farthest.links, 4);
    timing.dram.nodes = vec![0];
    assert_eq!(timing.latencies(10).dram.nearest.links, 0);
    timing.dram.nodes = vec![0, 1, 2, 3];
    timing.coherence.homes = Homes::Hash;
    assert_eq!(timing.latencies(40).dram.farthest.links, 4);
    timing.coherence.homes = Homes::Page;
    timing.dram.interleave = 4096;
    assert_eq!(timing.latencies(40).dram.farthest.links, 2);
}

/// Checks where a core's own pages can be at home at the core.
#[test]
fn page_homes_are_those_of_the_cores_nodes() {
    let homes = |name, cores| board(name).page_homes(cores);
    let places = (0..72).collect::<Vec<u64>>();
    let tile72 = PageHomes { from: 0xa000_0000, block: 65536, turn: 72, places };
    assert_eq!(homes("tile72_page", 72), Some(tile72));
    let xeon = PageHomes { from: 0, block: 4096, turn: 4, places: [[0; 10], [1; 10]].concat() };
    assert_eq!(homes("xeon40", 20), Some(xeon));
    // tile72 hashes lines, and the homes of p4080 are nodes without cores.
    assert_eq!((homes("tile72", 4), homes("p4080", 4)), (None, None));

    let mut listed = board("xeon40");
    let mut in_turn = |interleave, nodes: &[u32]| {
        let timing = listed.timing.as_mut().unwrap();
        timing.coherence.homes = Homes::Nodes { interleave, nodes: nodes.to_vec() };
        listed.page_homes(11)
    };
    let places = [[2; 10].as_slice(), &[0]].concat();
    let first = PageHomes { from: 0, block: 8192, turn: 4, places };
    assert_eq!(in_turn(8192, &[1, 3, 0, 1]), Some(first));
    assert_eq!((in_turn(8192, &[0, 3]), in_turn(2048, &[0, 1])), (None, None));
    listed.timing = None;
    assert_eq!(listed.page_homes(1), None);
}

/// tile72_page differs from tile72 in nothing else.
#[test]
fn tile72_page_is_tile72_with_pages() {
    let (plain, mut paged) = (board("tile72"), board("tile72_page"));
    paged.timing.as_mut().unwrap().coherence.homes = Homes::Hash;
    assert_eq!((&plain.timing, &plain.memory), (&paged.timing, &paged.memory));
}

/// A bus carries 4 bytes in 11 cycles, so a request takes 4 + 176 + 22 - 1 cycles and a line 4 + 176 + 198 - 1; within a
/// node they take 5 and 21.
#[test]
fn sara_is_a_slow_bus_between_nodes_with_memory() {
    let (timing, latencies) = read("sara");
    assert_eq!((latencies.l1, latencies.l2), (1, Some(9)));
    let (request, line) = (201, 377);
    assert_eq!(timing.interconnect.message(8, 1), request);
    assert_eq!(timing.interconnect.message(72, 1), line);
    let memory = 9 + 4 + timing.dram.row_closed + timing.dram.burst;
    let (near, far) = (memory + 2 * (5 + 21), memory + 5 + 21 + request + line);
    assert_eq!(latencies.dram.nearest, Load { cycles: near, links: 0 });
    assert_eq!(latencies.dram.farthest, Load { cycles: far, links: 2 });
}

/// Cores' own pages are at home with them, from the second turn of the nodes on.
#[test]
fn each_node_of_sara_is_the_home_of_its_memory() {
    let places = (0..8).collect::<Vec<u64>>();
    let pages = PageHomes { from: 0, block: 32 << 20, turn: 8, places };
    assert_eq!(board("sara").page_homes(8), Some(pages));
}

/// sara_soc differs from sara in its bus and how far devices are.
#[test]
fn sara_soc_is_sara_with_another_bus() {
    let (sara, mut soc) = (board("sara"), board("sara_soc"));
    let (slow, fast) = (sara.timing.as_ref().unwrap(), soc.timing.as_mut().unwrap());
    assert_eq!((fast.interconnect.message(8, 1), fast.interconnect.message(72, 1)), (6, 14));
    fast.interconnect = slow.interconnect.clone();
    fast.device = slow.device;
    assert_eq!((&sara.timing, &sara.memory), (&soc.timing, &soc.memory));
    assert_eq!(sara.scratchpads, soc.scratchpads);
}
