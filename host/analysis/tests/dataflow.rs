// SPDX-License-Identifier: Apache-2.0
//! The bound of dataflow graphs: of a small one by hand, and what it grows with.

use std::path::Path;

use takt_analysis::{assign, dataflow::bound};
use takt_model::{Nanos, System, dataflow::DataflowBound};

/// Core 1 sends 64 bytes to core 2.
const TWO: &str = r#"
format = 1
object = [
    { name = "one", entry = "one", core = 1, wcet = "3us" },
    { name = "two", entry = "two", core = 2, wcet = "5us" },
]
edge = [ { from = "one.out", to = "two.in", size = "64B" } ]

[system]
name      = "two"
board     = "iota9"
sources   = ["fft.c"]
libraries = ["dataflow"]
"#;

fn system(text: &str) -> System {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join("examples/dataflow/fft/system.toml");
    System::from_bytes(&path, text.into(), &[root.join("boards")]).expect("a good description")
}

fn bound_of(system: &System) -> DataflowBound {
    let assignments = assign(system).unwrap();
    bound(system, &assignments, None).expect("it has a graph").expect("it has a bound")
}

#[test]
fn the_steps_of_two_objects_are_added() {
    let system = system(TWO);
    let it = bound_of(&system);
    let steps = system.board.dataflow_overheads.as_ref().unwrap().worker;
    // 1 to the engine, 16 until the packet leaves; its 18 words over a link; the short answer of 2 words back.
    let alone = 1 + 16 + (1 + 1 + 18 - 1) + (1 + 1 + 2 - 1);
    assert_eq!(it.communication_cycles, alone + steps.transfer);
    assert_eq!(it.computing_cycles, 3000 + 5000);
    let before = steps.begin + steps.activation + steps.room + steps.send;
    let behind = steps.message + steps.answer + steps.end;
    assert_eq!(it.invoking_cycles, before + behind);
    assert_eq!(it.path, ["one", "two"]);
    let sum = it.invoking_cycles + it.communication_cycles + it.computing_cycles;
    assert_eq!(it.total_cycles, sum + it.interference_cycles);
    // The kernel's timer and the handler that watches come meanwhile.
    assert!(it.interference_cycles > 0);
}

#[test]
fn an_object_that_takes_longer_never_makes_the_bound_shorter() {
    let text = include_str!("../../../examples/dataflow/jacobi/system.toml");
    let mut slower = system(&text.replace("jacobi.c", "fft.c"));
    let before = bound_of(&slower);
    assert_eq!(before.iterations, 100);
    for index in 0..slower.dataflow.as_ref().unwrap().objects.len() {
        let object = &mut slower.dataflow.as_mut().unwrap().objects[index];
        let wcet = std::mem::replace(&mut object.wcet, Nanos(500_000));
        assert!(bound_of(&slower).total_cycles >= before.total_cycles, "{index}");
        slower.dataflow.as_mut().unwrap().objects[index].wcet = wcet;
    }
}

/// Two workers send to two others at the same time, over links that they share.
#[test]
fn transfers_that_can_meet_delay_each_other() {
    let two = |order: &str| {
        format!(
            r#"
format = 1
object = [
    {{ name = "a", entry = "one", core = 3, wcet = "3us" }},
    {{ name = "b", entry = "one", core = 4, wcet = "3us" }},
    {{ name = "c", entry = "two", core = 5, wcet = "3us" }},
    {{ name = "d", entry = "two", core = 5, wcet = "3us" }},
]
edge = [ {{ from = "a.out", to = "c.in", size = "64B" }}, {{ from = "b.out", to = "d.in", size = "64B" }}{order} ]

[system]
name      = "four"
board     = "iota9"
sources   = ["fft.c"]
libraries = ["dataflow"]
"#
        )
    };
    let alone = bound_of(&system(TWO)).communication_cycles;
    let met = bound_of(&system(&two("")));
    // One more hop each way than between cores 1 and 2; then the other's packet of 18 words and its answer of 2.
    let first = alone + 2 + 18 + 2;
    assert_eq!(met.communication_cycles, first);
}

#[test]
fn a_board_without_overheads_gives_no_bound() {
    let mut system = system(TWO);
    system.board.dataflow_overheads = None;
    let assignments = assign(&system).unwrap();
    let error = bound(&system, &assignments, None).unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the board has no [dataflow_overheads]");
}

#[test]
fn a_graph_in_shared_memory_has_no_bound() {
    let system = system(&TWO.replace("iota9", "tile72"));
    assert_eq!((system.cores, system.tasks.len()), (3, 3));
    let assignments = assign(&system).unwrap();
    let error = bound(&system, &assignments, None).unwrap().unwrap_err();
    assert!(error.to_string().starts_with("transfers are copies in memory"), "{error}");
}
