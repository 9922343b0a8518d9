// SPDX-License-Identifier: Apache-2.0
//! What each core may touch after time 0, by symbols of the image: so that the boot can load it into the core's own cache, and
//! the host can count it. `docs/design/residency.md`.

use takt_model::{Assignment, System};
use takt_record::schema::{EVENT, HEADER, INTERRUPT, LIMIT, Struct, TASK, ring_offset};

pub use crate::caches::cache_of;
use crate::caches::possible;
use crate::{Stack, owners, stacks, tasks_of};

/// The cores that may write a piece of memory after time 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// The core that touches it alone.
    Own,
    /// Any core, or none of them.
    Any,
    /// Each object in it by the core that it belongs to.
    Divided,
}

/// A piece of memory that a core may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The symbol at its begin, and bytes from there on.
    pub start: (String, u64),
    pub end: (String, u64),
    pub writer: Writer,
    /// The offset of its pages behind the image, if its addresses are no linear ones: a stack.
    pub stack: Option<u64>,
}

/// What the core touches, without what it only looks at of other cores' own parts, and without the page tables.
pub fn pieces(system: &System, assignments: &[Assignment], core: u32) -> Vec<Piece> {
    pieces_with_stacks(system, assignments, &stacks(system, assignments), core)
}

/// The same, with the stacks of the whole system.
fn pieces_with_stacks(
    system: &System,
    assignments: &[Assignment],
    stacks: &[Stack],
    core: u32,
) -> Vec<Piece> {
    let whole = |start: &str, end: &str, writer| {
        let [start, end] = [start, end].map(|name| (name.to_string(), 0));
        Piece { start, end, writer, stack: None }
    };
    let next = end_of_own_part(system, core);
    let mut pieces = vec![
        whole("takt_text_start", "takt_rodata_end", Writer::Any),
        whole("takt_objects_end", "takt_bss_start", Writer::Any),
        whole("takt_data_start", "takt_objects_end", Writer::Divided),
        whole(&format!("takt_core{core}_start"), &next, Writer::Own),
    ];
    pieces.extend(shared(system, assignments, core));
    let mut offset = 0;
    for stack in stacks {
        let task = stack.task;
        let wanders = task.is_some_and(|task| !task.cores.is_empty());
        if stack.core == core || task.is_some_and(|task| task.cores.contains(&core)) {
            let [start, end] =
                ["limit", "top"].map(|end| format!("takt_stack_{}_{end}", stack.name));
            let writer = if wanders { Writer::Any } else { Writer::Own };
            pieces.push(Piece { stack: Some(offset), ..whole(&start, &end, writer) });
        }
        offset += stack.size;
    }
    pieces
}

/// The symbol at which a core's own part of `.bss` has ended.
pub fn end_of_own_part(system: &System, core: u32) -> String {
    match core + 1 == system.cores {
        true => "takt_shared_start".to_string(),
        false => format!("takt_core{}_start", core + 1),
    }
}

/// What all cores share. Of the record, the figures of this core, of its tasks, interrupts and measured assumptions are
/// written by this core alone, and the header by the console's core; what others write is left out.
fn shared(system: &System, assignments: &[Assignment], core: u32) -> Vec<Piece> {
    let record = RecordLayout::new(system);
    let within = |start: u64, end: u64, writer| {
        let [start, end] = [start, end].map(|offset| ("takt_record".to_string(), offset));
        Piece { start, end, writer, stack: None }
    };
    let mut pieces = vec![
        Piece { start: ("takt_shared_start".into(), 0), ..within(0, 0, Writer::Any) },
        Piece { end: ("takt_page_tables".into(), 0), ..within(record.size, 0, Writer::Any) },
    ];
    if core == system.kernel.console_core {
        pieces.push(within(0, record.tasks, Writer::Own));
    }
    for (index, _) in tasks_of(system, assignments, core) {
        let wanders = !system.tasks[index].cores.is_empty();
        let start = record.tasks + index as u64 * size_of(&TASK);
        let writer = if wanders { Writer::Any } else { Writer::Own };
        pieces.push(within(start, start + size_of(&TASK), writer));
    }
    let of_core = |at: u64, index: usize, line: &Struct| {
        let start = at + index as u64 * size_of(line);
        within(start, start + size_of(line), Writer::Own)
    };
    let interrupts = system.interrupts.iter().enumerate().filter(|(_, it)| it.core == core);
    pieces.extend(interrupts.map(|(index, _)| of_core(record.interrupts, index, &INTERRUPT)));
    let limits = system.limits().into_iter().enumerate();
    let limits = limits.filter(|(_, it)| it.what.core(system, assignments) == core);
    pieces.extend(limits.map(|(index, _)| of_core(record.limits, index, &LIMIT)));
    let start = record.cores + u64::from(core) * record.stride;
    pieces.push(within(start, start + record.stride, Writer::Own));
    pieces
}

fn size_of(it: &Struct) -> u64 {
    it.size() as u64
}

/// The offsets of the record's parts, as `kernel/record/record.c` computes them.
pub(crate) struct RecordLayout {
    pub tasks: u64,
    pub interrupts: u64,
    pub limits: u64,
    pub cores: u64,
    pub stride: u64,
    pub size: u64,
}

impl RecordLayout {
    pub fn new(system: &System) -> RecordLayout {
        let aligned = |size: u64| size.div_ceil(64) * 64;
        let tasks = aligned(size_of(&HEADER));
        let interrupts = aligned(tasks + system.tasks.len() as u64 * size_of(&TASK));
        let limits = aligned(interrupts + system.interrupts.len() as u64 * size_of(&INTERRUPT));
        let cores = aligned(limits + system.limits().len() as u64 * size_of(&LIMIT));
        let stride =
            aligned(ring_offset() as u64 + u64::from(system.kernel.events) * size_of(&EVENT));
        RecordLayout {
            tasks,
            interrupts,
            limits,
            cores,
            stride,
            size: cores + u64::from(system.cores) * stride,
        }
    }
}

/// The tables by which each core loads its footprint before time 0; empty where no core's cache may hold it.
pub(crate) fn source(system: &System, assignments: &[Assignment]) -> String {
    if !possible(system) {
        return String::new();
    }
    let mut text = String::from(
        "/* What each core touches after time 0, by who writes it: docs/design/residency.md. */\n\
         extern uint8_t takt_rodata_end[], takt_data_start[], takt_bss_start[], takt_shared_start[],\n    \
         takt_objects_end[];\n",
    );
    text += &(0..system.cores)
        .map(|core| format!("extern uint8_t takt_core{core}_start[];\n"))
        .collect::<String>();
    let mut table = String::new();
    let stacks = stacks(system, assignments);
    for core in 0..system.cores {
        let Ok(cache) = cache_of(system, core) else {
            table += "    {0, 0},\n";
            continue;
        };
        let size = cache.size;
        text += &format!("static const struct takt_piece core{core}_pieces[] = {{\n");
        for piece in pieces_with_stacks(system, assignments, &stacks, core) {
            let place = |(symbol, offset): &(String, u64)| match offset {
                0 => symbol.clone(),
                _ => format!("{symbol} + {offset}"),
            };
            if piece.writer == Writer::Divided {
                for (start, end) in owners::pieces(system, assignments, core) {
                    text += &format!("    {{{start}, {end}, true}},\n");
                }
                continue;
            }
            let own = if piece.writer == Writer::Own { "true" } else { "false" };
            text += &format!("    {{{}, {}, {own}}},\n", place(&piece.start), place(&piece.end));
        }
        text += "    {0, 0, false},\n};\n";
        table += &format!("    {{core{core}_pieces, {size}}},\n");
    }
    text + &format!("const struct takt_footprint takt_footprints[] = {{\n{table}}};\n\n")
}
