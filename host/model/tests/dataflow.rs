// SPDX-License-Identifier: Apache-2.0
//! Tests what is derived from a dataflow graph: the paper's Table 4 of Cannon's product, the ten
//! types, and buffers that do not overlap.

use std::path::Path;

use takt_model::{Dataflow, EdgeKind, Runtime, System, dataflow::MESSAGES_BYTES};

fn system(text: &str) -> System {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join("examples/dataflow/cannon/system.toml");
    System::from_bytes(&path, text.into(), &[root.join("boards")]).expect("a good description")
}

fn cannon() -> System {
    system(include_str!("../../../examples/dataflow/cannon/system.toml"))
}

/// One line an object, as Table 4 of the paper has columns.
fn table(graph: &Dataflow) -> String {
    let mut text = String::new();
    for object in &graph.objects {
        text += &format!(
            "{} on {}: T{}, mask_in {:08x}, mask_out {:08x}, receives {:?}, sends {:?}\n",
            object.name,
            object.core,
            object.kind,
            object.mask_in,
            object.mask_out,
            object.receives,
            object.sends
        );
        for transfer in object.gathers.iter().chain(&object.transfers) {
            let edge = &graph.edges[transfer.edge];
            text += &format!(
                "    {} -> {}: {} bytes from {:x} to {:x}, cores {:?}\n",
                edge.from,
                edge.to,
                transfer.length,
                transfer.source,
                transfer.destination,
                transfer.cores
            );
        }
    }
    text
}

#[test]
fn cannons_table_is_derived() {
    let system = cannon();
    let graph = system.dataflow.as_ref().unwrap();
    insta::assert_snapshot!("cannon", table(graph));
    assert_eq!(graph.images(), [[1, 2, 3, 4, 5, 6, 7, 8]]);
    assert_eq!((system.cores, system.tasks.len(), graph.task), (1, 1, 0));
    assert_eq!(system.cyclics[0].name, "dataflow_watch");
    let regions: Vec<_> = system.device_regions.iter().map(|it| (it.base, it.size.0)).collect();
    let words = 9 * 32 * 8;
    let expected = [
        (0x7000_0000, 16 << 20),
        (0x6000_0000, 0x50),
        (0x6000_1000, words),
        (0x6000_2000, 0x30),
        (0x6000_3000, 0x90),
    ];
    assert_eq!(regions, expected);
}

/// Two buffers of a core are one and the same, as those of an edge within the core, or apart; and
/// no buffer lies below the lowest or above the scratchpad.
#[test]
fn buffers_are_apart() {
    let system = cannon();
    let graph = system.dataflow.as_ref().unwrap();
    for core in 0..9 {
        let size = if core == 0 { 16 << 20 } else { 1 << 20 };
        let ports = graph.pool(core).flat_map(|(_, object)| &object.ports);
        let mut buffers: Vec<_> =
            ports.map(|it| (it.offset, it.offset + it.size.0, &it.name)).collect();
        buffers.sort();
        assert!(buffers.iter().all(|it| it.1 <= size));
        assert_eq!(buffers[0].0, graph.lowest_buffer[core as usize]);
        for pair in buffers.windows(2) {
            let same = (pair[0].2 == "after" && pair[1].2 == "before") && pair[0].0 == pair[1].0;
            assert!(same || pair[0].1 <= pair[1].0, "core {core}: {pair:?}");
        }
    }
}

/// A graph whose objects have each combination of edges from and to the own core and others.
const ALL_TYPES: &str = include_str!("../../../tests/dataflow/types.toml");

#[test]
fn each_type_is_derived() {
    let text = ALL_TYPES.replace("types.c", "cannon.c");
    let system = system(&text);
    let graph = system.dataflow.as_ref().unwrap();
    for kind in 0..10 {
        let name = format!("t{kind}");
        let object = graph.objects.iter().find(|it| it.name == name).unwrap();
        assert_eq!(object.kind, kind, "{name}");
    }
    assert!(graph.edges.iter().any(|edge| edge.kind == EdgeKind::Gather));
}

/// What each execution of a graph with iterations waits for.
#[test]
fn iterations_wait_for_what_the_one_before_has_sent() {
    let text = include_str!("../../../examples/dataflow/jacobi/system.toml");
    let system = system(&text.replace("jacobi.c", "cannon.c"));
    let graph = system.dataflow.as_ref().unwrap();
    assert_eq!(
        (graph.iterations, graph.objects[graph.until.unwrap()].name.as_str()),
        (100, "choose")
    );
    let firings = graph.firings(3);
    let name = |index: usize| {
        let firing = &firings[index];
        (graph.objects[firing.object].name.as_str(), firing.iteration)
    };
    let of = |name_of: &str, iteration| {
        let found = (0..firings.len()).find(|it| name(*it) == (name_of, iteration));
        &firings[found.unwrap_or_else(|| panic!("{name_of} in {iteration}"))]
    };
    let producers = |name_of, iteration| {
        of(name_of, iteration).producers.iter().map(|it| name(*it)).collect::<Vec<_>>()
    };
    // The first iteration waits for the matrix and for the token, whose message comes behind it.
    assert_eq!(producers("turn[3]", 0), [("initial tokens of core 0", 0)]);
    assert_eq!(producers("turn[3]", 2), [("choose", 1)]);
    assert_eq!(producers("surplus tokens of core 4", 0), [("choose", 2)]);
    assert_eq!(producers("choose", 1).len(), 8);
    // A worker overwrites its part when it has been fetched.
    let room = of("room for turn[3]", 2);
    assert_eq!(room.consumers.iter().map(|it| name(*it)).collect::<Vec<_>>(), [("choose", 1)]);
    assert_eq!(room.decision.map(name), Some(("choose", 1)));
    assert_eq!(of("surplus tokens of core 4", 0).decision.map(name), Some(("choose", 2)));
    assert_eq!(of("choose", 2).decision, None);
    // At the limit nobody decides.
    let all = graph.firings(100);
    let last = all.iter().find(|it| graph.objects[it.object].name == "surplus tokens of core 4");
    assert_eq!(last.unwrap().decision, None);
}

/// With the paper's former system words are blocks, and the messages are above all buffers.
#[test]
fn rtos1_has_no_words_and_room_for_messages() {
    let text = include_str!("../../../tests/dataflow/words.toml").replace("words.c", "cannon.c");
    let system = system(&text.replace("[dataflow]", "[dataflow]\nruntime = \"rtos1\""));
    let graph = system.dataflow.as_ref().unwrap();
    assert_eq!(graph.runtime, Runtime::Rtos1);
    let kind = |from: &str| graph.edges.iter().find(|edge| edge.from == from).unwrap().kind;
    assert_eq!(kind("early.number"), EdgeKind::Block);
    assert_eq!(kind("work.product"), EdgeKind::Block);
    assert_eq!(kind("pass.small"), EdgeKind::Gather);
    assert_eq!(kind("sum.bias"), EdgeKind::Broadcast);
    for core in 0..9 {
        let size: u64 = if core == 0 { 16 << 20 } else { 1 << 20 };
        assert_eq!(graph.messages_of(core), size - MESSAGES_BYTES);
        for port in graph.pool(core).flat_map(|(_, object)| &object.ports) {
            assert!(port.offset + port.size.0 <= size - MESSAGES_BYTES, "{}", port.name);
        }
    }
}
