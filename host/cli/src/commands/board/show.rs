// SPDX-License-Identifier: Apache-2.0
//! Renders a board as a page of text.

use std::fmt::Write;
use std::path::PathBuf;

use takt_model::latency::{Latencies, Load};
use takt_model::timing::{Atomics, Cache, Cluster, Drain, Homes, Kind, Shape};
use takt_model::worst::Worst;
use takt_model::{
    Board, Bytes, Hertz, Overheads, Register, RegisterKind, Rtu, Scratchpad, Timing, Word,
};

pub struct Shown {
    pub board: Board,
    /// The absolute path of the board's file.
    pub file: PathBuf,
    pub comment: String,
}

impl Shown {
    pub fn text(&self) -> String {
        let board = &self.board;
        let mut text = format!("{}: {}\n\n", board.name, self.comment);
        let mut line = |key: &str, value: String| {
            let _ = writeln!(text, "{key:<14}{value}");
        };
        line("file", self.file.display().to_string());
        line("cores", cores(board));
        for memory in &board.memory {
            let kept = if memory.cached { "" } else { ", not cached" };
            line("memory", format!("{} {} at {:#x}{kept}", memory.name, memory.size, memory.base));
        }
        for pad in &board.scratchpads {
            line("scratchpad", scratchpad(pad));
        }
        for Register { name, base, count, kind, posted } in &board.registers {
            let kind = register_kind(*kind);
            let stores = if *posted { "" } else { ", stores are waited for" };
            let words = plural(*count, "word");
            line("register", format!("{name} {words} at {base:#x}, {kind}{stores}"));
        }
        if let Some(rtu) = &board.rtu {
            line("RTU", self::rtu(rtu));
        }
        line("image", format!("at {:#x}", board.load));
        line("overheads", overheads(&board.overheads));
        for fewer in &board.fewer_cores {
            let cores = fewer.measured.as_ref().map_or(0, |it| it.cores);
            line("", format!("with {}: {}", plural(cores, "core"), overheads(fewer)));
        }
        let Some(timing) = &board.timing else {
            line("timing", "none: QEMU alone can run this board".into());
            return text;
        };
        parts(timing).into_iter().for_each(|(key, value)| line(key, value));
        text += &loads_table(timing, board.cores);
        text += &worst_table(board, timing.frequency);
        for kind in &timing.kinds {
            text += &kind_text(timing, kind, board.cores);
        }
        text
    }
}

fn cores(board: &Board) -> String {
    let ids = &board.hart_ids;
    let in_order = ids.iter().zip(0..).all(|(id, place)| *id == place);
    let list = match (in_order, ids.as_slice()) {
        (true, [_]) => "hart 0".to_string(),
        (true, _) => format!("harts 0 to {}", ids.len() - 1),
        (false, _) => {
            format!("harts {}", ids.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))
        }
    };
    format!("{}, {list}", board.cores)
}

fn scratchpad(pad: &Scratchpad) -> String {
    let Scratchpad { name, base, size, latency, cores, window } = pad;
    let cores = plural(cores.len() as u32, "core");
    let window = window.map_or("none other reaches it".to_string(), |window| {
        format!("for all at {:#x} + core x {}", window.base, window.stride)
    });
    format!("{name} {size} at {base:#x} in {cores}, {}; {window}", plural(*latency as u32, "cycle"))
}

fn rtu(rtu: &Rtu) -> String {
    let Rtu { base, node, clock, tasks, semaphores, queues, messages } = rtu;
    format!(
        "at {base:#x}, node {node}, a clock of {}; {tasks} tasks, {semaphores} semaphores, {queues} queues of {messages}",
        plural(*clock as u32, "cycle")
    )
}

pub fn register_kind(kind: RegisterKind) -> &'static str {
    match kind {
        RegisterKind::Word => "word",
        RegisterKind::TestAndSet => "test_and_set",
    }
}

fn overheads(overheads: &Overheads) -> String {
    let Overheads { timer_interrupt, ipi, release, dispatch, preemption, kernel_section, .. } =
        overheads;
    format!(
        "{}: timer interrupt {timer_interrupt}, ipi {ipi}, release {release}, dispatch {dispatch}, \
         preemption {preemption}, kernel section {kernel_section}",
        overheads.source.word()
    )
}

/// Describes how the cores of a kind differ, and how long their loads take.
fn kind_text(timing: &Timing, kind: &Kind, cores: u32) -> String {
    let mut text = format!("\n{:<14}{}\n", "kind", kind.name);
    let timing = timing.of_kind(Some(kind));
    let own = [("cores", numbers(&kind.cores))].into_iter().chain(own_parts(&timing));
    own.for_each(|(key, value)| text += &format!("{key:<14}{value}\n"));
    text + &loads_table(&timing, cores)
}

fn loads_table(timing: &Timing, cores: u32) -> String {
    let loads = loads(&timing.latencies(cores)).into_iter();
    let rows = loads.map(|(place, load)| cells(&place, load, timing.frequency));
    let columns = ["a load on an idle machine", "cycles", "time", "links", ""];
    format!("\n{}\n", takt_trace::table(&columns, rows))
}

/// The bounds of one transaction with one active core and with all.
fn worst_table(board: &Board, frequency: u64) -> String {
    let rows = worst(board).into_iter().flat_map(|(cores, worst)| {
        let active = plural(cores, "active core");
        bounds(&worst).map(|(what, cycles)| {
            let time = format!("{}us", nanos(cycles, frequency).div_ceil(1000));
            vec![what.to_string(), active.clone(), cycles.to_string(), time]
        })
    });
    let columns = ["a miss takes at most", "", "cycles", "time"];
    format!("\n{}\n", takt_trace::table(&columns, rows))
}

/// The bounds of a transaction for each number of active cores that the table shows.
pub fn worst(board: &Board) -> Vec<(u32, Worst)> {
    let mut cores = vec![1, board.cores];
    cores.dedup();
    cores.into_iter().filter_map(|cores| Some((cores, board.worst(cores, 1)?))).collect()
}

fn bounds(worst: &Worst) -> [(&'static str, u64); 3] {
    [
        ("for a line that no other asks for", worst.own_line),
        ("for a line that all ask for", worst.shared_line),
        ("with the wait for its core's write-backs", worst.any),
    ]
}

fn parts(timing: &Timing) -> Vec<(&'static str, String)> {
    let Timing { frequency, timebase, coherence, interconnect, dram, .. } = timing;
    let clock = format!("{}; time counts at {}", Hertz(*frequency), Hertz(*timebase));
    let mut parts = vec![("clock", clock)];
    parts.extend(own_parts(timing));
    parts.push(("homes", homes(timing)));
    parts.extend(timing.cluster.as_ref().map(|it| ("cluster cache", cluster(it))));
    if let Some(part) = &coherence.cache {
        let all = Bytes(part.size * timing.homes().len() as u64);
        parts.push(("shared cache", format!("{}, at each home: {all} in all", cache(part))));
    }
    let network = format!(
        "{}; {} a node; {} bytes {} on a link",
        shape(&interconnect.shape),
        plural(interconnect.cores_per_node, "core"),
        interconnect.width,
        if interconnect.beat == 1 {
            "a cycle".into()
        } else {
            format!("in {} cycles", interconnect.beat)
        }
    );
    let network = match interconnect.posts {
        1 => network,
        posts => format!("{network}; {posts} stores of a core on their way across it"),
    };
    let memory = format!(
        "{} at {}, {} in turn; {} banks each, rows of {}",
        plural(dram.nodes.len() as u32, "controller"),
        nodes(&dram.nodes),
        Bytes(dram.interleave),
        1 << dram.banks.len(),
        Bytes(dram.row)
    );
    let queues = format!(
        "{} at a controller; {} on their way for each core, cluster or device",
        dram.queue,
        plural(coherence.write_backs, "write-back")
    );
    parts.extend([("interconnect", network), ("DRAM", memory), ("queues", queues)]);
    parts
}

/// The parts that each core has of its own, except those of its kind.
fn own_parts(timing: &Timing) -> Vec<(&'static str, String)> {
    let core = &timing.core;
    let drain = match core.drain {
        Drain::Fifo => "oldest first",
        Drain::Any => "in any order",
    };
    let atomics = match core.atomics {
        Atomics::L1 => "in the L1",
        Atomics::Home => "at the line's home",
    };
    let buffer = match core.store_buffer {
        0 => "none, each store waits".to_string(),
        entries => format!("{entries} entries, emptied {drain}"),
    };
    vec![
        ("store buffer", buffer),
        ("atomics", atomics.to_string()),
        (
            "prefetcher",
            match core.prefetch {
                0 => "none".to_string(),
                lines => format!("{} ahead", plural(lines, "line")),
            },
        ),
        ("MSHRs", core.mshrs.to_string()),
        ("L1 I", cache(&timing.l1i)),
        ("L1 D", cache(&timing.l1d)),
        ("L2", timing.l2.as_ref().map_or("none".to_string(), cache)),
        ("TLBs", format!("{} entries each", timing.tlb.entries)),
    ]
}

fn plural(count: u32, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn nodes(list: &[u32]) -> String {
    format!("node{} {}", if list.len() == 1 { "" } else { "s" }, numbers(list))
}

fn numbers(list: &[u32]) -> String {
    list.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

fn cache(cache: &Cache) -> String {
    format!("{}, {}", Bytes(cache.size), plural(cache.ways, "way"))
}

fn cluster(cluster: &Cluster) -> String {
    format!("{}, for each {}", cache(&cluster.cache), plural(cluster.cores, "core"))
}

fn homes(timing: &Timing) -> String {
    match &timing.coherence.homes {
        Homes::Hash => "lines hashed over all nodes".into(),
        Homes::Page => "pages over all nodes in turn".into(),
        Homes::Split { pages_from, interleave } => {
            let block = Bytes(*interleave);
            format!("lines hashed over all nodes; from {pages_from:#x} on {block} in turn")
        }
        Homes::Nodes { interleave, nodes: list } => {
            format!("{} in turn over {}", Bytes(*interleave), nodes(list))
        }
    }
}

pub fn shape(shape: &Shape) -> String {
    match shape {
        Shape::Mesh { columns, rows } => format!("mesh of {columns} x {rows}"),
        Shape::Ring { nodes } => format!("ring of {nodes}"),
        Shape::Bus { nodes } => format!("bus of {nodes}"),
        Shape::Full { nodes } => format!("links between all {nodes}"),
    }
}

/// The loads, named by the place where a load can find its line.
pub fn loads(latencies: &Latencies) -> Vec<(String, Load)> {
    let inside = |cycles| Load { cycles, links: 0 };
    let mut loads = vec![("L1".to_string(), inside(latencies.l1))];
    loads.extend(latencies.l2.map(|cycles| ("L2".to_string(), inside(cycles))));
    loads.extend(latencies.cluster.map(|cycles| ("cluster cache".to_string(), inside(cycles))));
    let far = [
        ("shared cache", latencies.home),
        ("another core's change", latencies.core),
        ("DRAM, bank closed", Some(latencies.dram)),
    ];
    for (place, span) in far {
        let Some(span) = span else { continue };
        loads.push((format!("{place}, nearest"), span.nearest));
        loads.push((format!("{place}, farthest"), span.farthest));
    }
    loads
}

fn cells(place: &str, load: Load, frequency: u64) -> Vec<String> {
    let cycles = load.cycles.to_string();
    let time = format!("{}ns", nanos(load.cycles, frequency));
    vec![place.to_string(), cycles, time, load.links.to_string(), String::new()]
}

/// Converts cycles to nanoseconds, rounded to the nearest.
fn nanos(cycles: u64, frequency: u64) -> u64 {
    let (cycles, frequency) = (u128::from(cycles), u128::from(frequency));
    let nanos = (cycles * 1_000_000_000 + frequency / 2) / frequency;
    u64::try_from(nanos).unwrap_or(u64::MAX)
}
