// SPDX-License-Identifier: Apache-2.0
//! What `takt check` prints of a dataflow graph: everything that is derived from the edges, as Table 4
//! of the paper (`docs/design/dataflow.md`), and the memory of each core.

use takt_analysis::dataflow::bound;
use takt_model::{
    Assignment, Bytes, Dataflow, Object, System,
    dataflow::{DataflowBound, SHARED_SPACE},
};

/// The table, a line a core, and how long the graph takes at most; empty without a graph.
pub fn text(system: &System, assignments: &[Assignment]) -> String {
    let Some(graph) = &system.dataflow else { return String::new() };
    let columns =
        ["object", "core", "type", "successors", "mask_out", "mask_in", "ready_inter", "sends"];
    let row = |(index, object): (usize, &Object)| {
        let successors = successors(graph, index);
        let sent: u64 = object.transfers.iter().map(|it| it.length * it.cores.len() as u64).sum();
        let sent = sent + object.words_out.iter().map(|it| it.bytes).sum::<u64>();
        vec![
            object.name.clone(),
            object.core.to_string(),
            format!("T{}", object.kind),
            successors.to_string(),
            format!("{:#010x}", object.mask_out),
            format!("{:#010x}", object.mask_in),
            format!("{:#06x}", object.fields(&object.receives)),
            Bytes(sent).to_string(),
        ]
    };
    let mut text = takt_trace::table(&columns, graph.objects.iter().enumerate().map(row)) + "\n";
    let cores = [graph.control].into_iter().chain(graph.workers.iter().copied());
    for core in cores {
        text += &memory(system, graph, core);
    }
    match bound(system, assignments, None) {
        Some(Ok(bound)) => text + &predicted(&bound),
        Some(Err(why)) => text + &format!("not predicted: {why}\n"),
        None => text,
    }
}

fn predicted(bound: &DataflowBound) -> String {
    let DataflowBound { total_cycles, computing_cycles, communication_cycles, .. } = bound;
    let iterations = match bound.iterations {
        1 => String::new(),
        count => format!(" for {count} iterations"),
    };
    format!(
        "predicted: at most {total_cycles} cycles{iterations}: computing {computing_cycles}, communication \
         {communication_cycles}, invoking {}, the control core's other work {}\npredicted critical path: {}\n",
        bound.invoking_cycles,
        bound.interference_cycles,
        takt_trace::dataflow::listed(&bound.path)
    )
}

/// The number of objects that have an edge from this one.
fn successors(graph: &Dataflow, index: usize) -> usize {
    let links = graph.edges.iter().flat_map(|edge| &edge.links);
    let mut found: Vec<_> = links.filter(|link| link.0 == index).map(|link| link.1).collect();
    found.sort_unstable();
    found.dedup();
    found.len()
}

fn memory(system: &System, graph: &Dataflow, core: u32) -> String {
    let objects = graph.pool(core).count();
    if graph.shares_memory {
        let buffers = Bytes(SHARED_SPACE - graph.lowest_buffer[core as usize]);
        return format!("core {core}: {objects} objects; buffers take {buffers}\n");
    }
    let pads = &system.board.scratchpads;
    let size = pads.iter().find(|pad| pad.cores.contains(&core)).map_or(0, |pad| pad.size.0);
    let buffers = Bytes(size - graph.lowest_buffer[core as usize]);
    let (size, stack) = (Bytes(size), graph.stack);
    match core == graph.control {
        true => format!(
            "core {core}: {objects} objects; of the scratchpad's {size} buffers take {buffers}\n"
        ),
        false => format!(
            "core {core}: {objects} objects; of the scratchpad's {size} buffers take {buffers}, the stack {stack}\n"
        ),
    }
}
