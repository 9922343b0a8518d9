// SPDX-License-Identifier: Apache-2.0
//! Reads what a board has at addresses besides its memory: scratchpads and registers. Checks that
//! no two ranges of a board overlap.

use std::{collections::HashMap, fmt, ops::Range};

use super::{
    file::{Address, BoardFile, RegisterTable, ScratchpadTable, Spanned},
    report::Report,
    topology,
    values::{self, some_cycles},
    words::Names,
};
use crate::{
    Bytes, Code, Memory, Problem, Register, RegisterKind, Scratchpad, ScratchpadWindow, Workers,
    board::{DEVICES, REGISTER_BYTES},
};

const PAGE: Bytes = Bytes(4096);
const LARGEST: Bytes = Bytes(1 << 40);
/// At most one scratchpad table for each core.
const SCRATCHPADS_MAX: usize = 128;

/// A range of addresses that some cores can access, and its place in the file.
pub struct MappedRange {
    name: String,
    /// The core whose scratchpad this window shows; None for all other ranges.
    window_of: Option<u32>,
    is_memory: bool,
    /// Whether the range is a device of the modelled machine, which the file does not mention.
    is_device: bool,
    addresses: Range<u64>,
    /// The cores that can access the range; None: all cores and devices.
    cores: Option<Vec<u32>>,
    span: Range<usize>,
}

pub fn read(
    report: &mut Report,
    file: &BoardFile,
    cores: Option<u32>,
    memory: &[Memory],
    workers: Option<&Workers>,
    ranges: &mut Vec<MappedRange>,
) -> (Vec<Scratchpad>, Vec<Register>) {
    check_count(report, &file.scratchpad);
    Names::read(report, "scratchpad", Code::UnknownKey, file.scratchpad.iter().map(|t| &t.name));
    Names::read(report, "register", Code::UnknownKey, file.register.iter().map(|t| &t.name));
    // Refused names have been reported and are not in this map.
    let spans: HashMap<&str, Range<usize>> =
        file.memory.iter().map(|table| (table.name.get().0.as_str(), table.base.span())).collect();
    for Memory { name, base, size, cores, .. } in memory {
        ranges.extend(spans.get(name.as_str()).map(|span| MappedRange {
            name: name.clone(),
            window_of: None,
            is_memory: true,
            is_device: false,
            addresses: *base..base + size.0,
            cores: cores.clone(),
            span: span.clone(),
        }));
    }
    let mut scratchpads = Vec::new();
    for table in file.scratchpad.iter().take(SCRATCHPADS_MAX) {
        scratchpads.extend(scratchpad(report, table, cores.unwrap_or_default(), ranges));
    }
    let mut registers = Vec::new();
    for table in &file.register {
        registers.extend(register(report, table, ranges));
    }
    if file.core.is_some() {
        ranges.extend(DEVICES.iter().map(|(name, base, size)| MappedRange {
            name: name.to_string(),
            window_of: None,
            is_memory: false,
            is_device: true,
            addresses: *base..base + size,
            cores: workers.map(|workers| (0..workers.first).collect()),
            span: 0..0,
        }));
    }
    (scratchpads, registers)
}

fn scratchpad(
    report: &mut Report,
    table: &ScratchpadTable,
    cores: u32,
    ranges: &mut Vec<MappedRange>,
) -> Option<Scratchpad> {
    let base = values::aligned_address(report, "base", &table.base, PAGE);
    let size = values::aligned_size(report, "size", &table.size, PAGE..=LARGEST, PAGE);
    let latency = some_cycles(report, "latency", &table.latency);
    let list = cores_of(report, table, cores);
    let window = window(report, table, size);
    let (base, size) = (base?, size?);
    let name = table.name.get().0.clone();
    let own = mapped_range(report, &name, base, size.0, &table.base)?;
    ranges.push(MappedRange { cores: Some(list.clone()), ..own });
    let window = window?;
    if let (Some(window), Some(at)) = (&window, &table.window) {
        for core in &list {
            let base = window.base.saturating_add(window.stride.0 * u64::from(*core));
            let range = mapped_range(report, &name, base, size.0, at)?;
            ranges.push(MappedRange { window_of: Some(*core), ..range });
        }
    }
    Some(Scratchpad { name, base, size, latency, cores: list, window })
}

/// Checks the number of tables, because each may have a window for each core.
fn check_count(report: &mut Report, tables: &[ScratchpadTable]) {
    if let Some(table) = tables.get(SCRATCHPADS_MAX) {
        let message = format!("more than {SCRATCHPADS_MAX} scratchpads");
        let help = "cores that are alike can share a table: see `cores`";
        let problem = Problem::new(Code::OutOfRange, message, help);
        report.add(problem.at(table.name.span(), "the first one too many"));
    }
}

/// The cores that have the scratchpad; by default all.
fn cores_of(report: &mut Report, table: &ScratchpadTable, cores: u32) -> Vec<u32> {
    let Some(list) = &table.cores else { return (0..cores).collect() };
    topology::cores(report, list, cores, "name a core, such as 0, or leave `cores` out for all")
}

/// Reads a window. `Some(None)`: there is none. `None`: the window has a mistake, which was
/// reported.
fn window(
    report: &mut Report,
    table: &ScratchpadTable,
    size: Option<Bytes>,
) -> Option<Option<ScratchpadWindow>> {
    let Some(base) = &table.window else {
        if let Some(stride) = &table.stride {
            let help = "add window = ..., or leave `stride` out";
            let problem = Problem::new(Code::MismatchedKey, "`stride` needs `window`", help);
            report.add(problem.at(stride.span(), "from one core's window to the next"));
            return None;
        }
        return Some(None);
    };
    let base_address = values::aligned_address(report, "window", base, PAGE);
    let stride = match &table.stride {
        Some(stride) => values::aligned_size(report, "stride", stride, PAGE..=LARGEST, PAGE),
        None => size,
    };
    let (base_address, stride, size) = (base_address?, stride?, size?);
    if stride < size {
        let message = format!("a stride of {stride} for scratchpads of {size}");
        let help = format!("choose at least {size}, or leave `stride` out");
        let problem = Problem::new(Code::AddressOverlap, message, help);
        let place = table.stride.as_ref().map_or(base.span(), Spanned::span);
        report.add(problem.at(place, "one core's window runs into the next"));
        return None;
    }
    Some(Some(ScratchpadWindow { base: base_address, stride }))
}

fn register(
    report: &mut Report,
    table: &RegisterTable,
    ranges: &mut Vec<MappedRange>,
) -> Option<Register> {
    let kinds = [("word", RegisterKind::Word), ("test_and_set", RegisterKind::TestAndSet)];
    let kind = values::word(report, "kind", &table.kind, &kinds);
    let base = values::aligned_address(report, "base", &table.base, Bytes(REGISTER_BYTES));
    let count = match &table.count {
        Some(count) => values::number(report, "count", count, 1..=4096),
        None => Some(1),
    };
    let (kind, base, count) = (kind?, base?, count?);
    let name = table.name.get().0.clone();
    ranges.push(mapped_range(report, &name, base, u64::from(count) * REGISTER_BYTES, &table.base)?);
    let posted = table.posted.as_ref().is_none_or(|posted| *posted.get());
    Some(Register { name, base, count, kind, posted })
}

/// Creates a range that all cores can access.
pub fn mapped_range(
    report: &mut Report,
    name: &str,
    base: u64,
    size: u64,
    at: &Spanned<Address>,
) -> Option<MappedRange> {
    let Some(end) = base.checked_add(size) else {
        let message = format!("`{name}` or a window of it ends beyond the last address");
        let problem = Problem::new(Code::MemoryTooHigh, message, "put it at a lower address");
        report.add(problem.at(at.span(), "from here"));
        return None;
    };
    let (name, span) = (name.into(), at.span());
    let (window_of, is_memory, is_device) = (None, false, false);
    Some(MappedRange {
        name,
        window_of,
        is_memory,
        is_device,
        addresses: base..end,
        cores: None,
        span,
    })
}

/// Finds overlaps by going through the addresses in ascending order. The number of reported
/// overlaps is bounded.
pub fn check_overlap(report: &mut Report, mut ranges: Vec<MappedRange>) {
    ranges.sort_by_key(|range| (range.addresses.start, range.span.start));
    let mut reaching: Vec<&MappedRange> = Vec::new();
    for range in &ranges {
        reaching.retain(|before| before.addresses.end > range.addresses.start);
        for before in reaching.iter().filter(|before| before.meets(range)) {
            let (first, second) = if before.span.start < range.span.start {
                (*before, range)
            } else {
                (range, *before)
            };
            report.add(match (first.is_device, second.is_device) {
                (true, _) => on_device(second, first),
                (_, true) => on_device(first, second),
                _ => overlap(first, second),
            });
        }
        if report.is_full() {
            return;
        }
        reaching.push(range);
    }
}

fn on_device(range: &MappedRange, device: &MappedRange) -> Problem {
    let (name, Range { start, end }) = (&device.name, &device.addresses);
    let message = format!("{range} and the {name} of the modelled machine overlap");
    let help = format!("{start:#x} to {:#x} belong to it: choose other addresses", end - 1);
    let label = format!("reaches over the {name}");
    Problem::new(Code::AddressOverlap, message, help).at(range.span.clone(), label)
}

fn overlap(first: &MappedRange, second: &MappedRange) -> Problem {
    let message = format!("{first} and {second} overlap for a core");
    let Range { start, end } = &first.addresses;
    let help = format!("{first} is at {start:#x} to {:#x}", end - 1);
    Problem::new(Code::AddressOverlap, message, help)
        .at(second.span.clone(), "lies where the other does")
        .at(first.span.clone(), "the other")
}

impl fmt::Display for MappedRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.window_of {
            None => write!(f, "`{}`", self.name),
            Some(core) => write!(f, "core {core}'s window of `{}`", self.name),
        }
    }
}

impl MappedRange {
    /// Returns this range as one that only these cores can access.
    pub fn of_cores(self, cores: Vec<u32>) -> MappedRange {
        MappedRange { cores: Some(cores), ..self }
    }

    /// Whether a core sees both ranges, whose addresses overlap. Overlaps of memory regions are
    /// reported elsewhere.
    fn meets(&self, other: &MappedRange) -> bool {
        let both = match (&self.cores, &other.cores) {
            (Some(one), Some(two)) => one.iter().any(|core| two.contains(core)),
            _ => true,
        };
        both && !(self.is_memory && other.is_memory) && !(self.is_device && other.is_device)
    }
}
