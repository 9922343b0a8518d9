// SPDX-License-Identifier: Apache-2.0
//! Turns a board's file into a [`Board`].

use std::collections::HashSet;
use std::path::Path;

use super::{
    file::{
        BoardFile, BoardTable, Duration, MeasuredTable, MemoryTable, OverheadsTable, ResidentTable,
        Spanned,
    },
    report::Report,
    values,
    words::Names,
};
use crate::{
    Board, Bytes, Code, Locking, Measured, Memory, MemoryLoad, Nanos, OverheadSource, Overheads,
    PlacedOverheads, Placement, Problem, Stamp, Word,
};

/// The largest number of cores that Polytakt can manage.
pub const MAX_CORES: u32 = 128;
const PAGE: Bytes = Bytes(4096);
/// RISC-V has physical addresses of 56 bits.
const LARGEST: Bytes = Bytes(1 << 56);

/// Reads a board. A value with a mistake is reported and replaced by an arbitrary one.
pub fn read(report: &mut Report, file: &BoardFile, path: &Path) -> Board {
    let table = &file.board;
    super::words::check_name(report, "board", &table.name);
    check_compatible(report, &table.compatible);
    let cores = values::number(report, "cores", &table.cores, 1..=MAX_CORES);
    let memory = memory(report, &file.memory, table, cores.unwrap_or_default());
    let board_cores = cores.unwrap_or(MAX_CORES);
    let overheads = overheads(report, &file.overheads, board_cores);
    let mut ranges = Vec::new();
    let workers = super::subnets::workers(report, file, cores.unwrap_or_default());
    let (scratchpads, registers) =
        super::addresses::read(report, file, cores, &memory, workers.as_ref(), &mut ranges);
    let subnets =
        super::subnets::read(report, file, cores.unwrap_or_default(), workers, &mut ranges);
    let rtu = super::rtu::read(report, file, cores.unwrap_or_default(), &mut ranges);
    super::addresses::check_overlap(report, ranges);
    let timing = super::timing::read(report, file, cores);
    if let (Some(rtu), Some(timing)) = (&rtu, &timing) {
        super::rtu::check_node(report, file, rtu, timing);
    }
    super::subnets::check_workers(
        report,
        file,
        cores.unwrap_or_default(),
        &subnets,
        &memory,
        &scratchpads,
    );
    Board {
        name: table.name.get().0.clone(),
        file: path.to_path_buf(),
        cores: cores.unwrap_or_default(),
        hart_ids: hart_ids(report, table, cores),
        cpu: optional(report, "cpu", table.cpu.as_ref()),
        compatible: table.compatible.get().clone(),
        load: load(report, table, &memory).unwrap_or_default(),
        memory,
        scratchpads,
        registers,
        subnets,
        rtu,
        placed: placed(report, &file.overheads),
        fewer_cores: fewer_cores(report, &file.overheads, &overheads, board_cores),
        resident: resident(report, &file.overheads.resident, &overheads, board_cores),
        resident_requests: resident(
            report,
            &file.overheads.resident_requests,
            &overheads,
            board_cores,
        ),
        resident_between: resident(
            report,
            &file.overheads.resident_between,
            &overheads,
            board_cores,
        ),
        overheads,
        dataflow_overheads: super::subnets::dataflow_overheads(report, file),
        timing,
    }
}

/// Checks the characters of `compatible`, which becomes a C string and a word in messages.
fn check_compatible(report: &mut Report, text: &Spanned<String>) {
    let fine = |c: char| c.is_ascii_alphanumeric() || ",._+-".contains(c);
    let word = text.get();
    if word.is_empty() || word.len() > 63 || !word.chars().all(fine) {
        let help = "write what the device tree's root says, such as \"riscv-virtio\"";
        let message = "`compatible` holds what no device tree has there";
        report.add(Problem::new(Code::BadText, message, help).at(text.span(), "this text"));
    }
}

/// Reads the hart IDs; by default they are the core numbers. The interrupt controllers have room
/// for 4095.
fn hart_ids(report: &mut Report, table: &BoardTable, cores: Option<u32>) -> Vec<u64> {
    let cores = cores.unwrap_or_default();
    let Some(list) = &table.hart_ids else { return (0..cores.into()).collect() };
    let mut ids = Vec::new();
    let mut seen = HashSet::new();
    for entry in list.get() {
        let Some(id) = values::number(report, "hart_ids", entry, 0..=4094) else { continue };
        if !seen.insert(id) {
            let message = format!("hart ID {id} is listed twice");
            let problem = Problem::new(Code::Repeated, message, "give each core an ID of its own");
            report.add(problem.at(entry.span(), "here again"));
        }
        ids.push(id.into());
    }
    if cores != 0 && list.get().len() != cores as usize {
        let message = format!("{} hart IDs for {cores} cores", list.get().len());
        let help = "list an ID for each core, or leave `hart_ids` out for 0, 1, 2, ...";
        let problem = Problem::new(Code::HartCount, message, help);
        report.add(problem.at(list.span(), "not as many").at(table.cores.span(), "cores"));
    }
    ids
}

fn memory(
    report: &mut Report,
    tables: &[MemoryTable],
    board: &BoardTable,
    cores: u32,
) -> Vec<Memory> {
    let names = tables.iter().map(|table| &table.name);
    Names::read(report, "memory region", Code::UnknownKey, names);
    if tables.is_empty() {
        let problem = Problem::new(Code::EmptyList, "the board has no memory", "add a [[memory]]");
        report.add(problem.at(board.name.span(), "this board"));
    }
    let mut read: Vec<(Memory, &MemoryTable)> = Vec::new();
    for table in tables {
        read.extend(region(report, table, cores).map(|memory| (memory, table)));
    }
    check_overlap(report, &mut read.iter().collect::<Vec<_>>());
    read.into_iter().map(|(memory, _)| memory).collect()
}

fn region(report: &mut Report, table: &MemoryTable, cores: u32) -> Option<Memory> {
    let base = values::aligned_address(report, "base", &table.base, PAGE);
    let size = values::aligned_size(report, "size", &table.size, PAGE..=LARGEST, PAGE);
    let (base, size) = (base?, size?);
    if base.checked_add(size.0).is_none() {
        let message = "the memory region ends beyond the last address";
        let problem = Problem::new(Code::MemoryTooHigh, message, "lower its base or its size");
        report.add(problem.at(table.base.span(), "base").at(table.size.span(), "size"));
        return None;
    }
    let cached = table.cached.as_ref().is_none_or(|cached| *cached.get());
    let help = "name a core, such as 0, or leave `cores` out for all";
    let list = table.cores.as_ref();
    let cores = list.map(|list| super::topology::cores(report, list, cores, help));
    Some(Memory { name: table.name.get().0.clone(), base, size, cached, cores })
}

/// Checks regions sorted by their bases: only neighbours need to be compared.
fn check_overlap(report: &mut Report, regions: &mut [&(Memory, &MemoryTable)]) {
    regions.sort_by_key(|(memory, _)| memory.base);
    for pair in regions.windows(2) {
        let [(low, low_table), (high, high_table)] = pair else { continue };
        if low.base + low.size.0 > high.base {
            let message = format!("memory regions `{}` and `{}` overlap", low.name, high.name);
            let help = format!("`{}` ends at {:#x}", low.name, low.base + low.size.0);
            let problem = Problem::new(Code::MemoryOverlap, message, help);
            report.add(
                problem
                    .at(high_table.base.span(), "begins inside the other")
                    .at(low_table.size.span(), "reaches into it"),
            );
        }
    }
}

fn load(report: &mut Report, table: &BoardTable, memory: &[Memory]) -> Option<u64> {
    let load = values::aligned_address(report, "load", &table.load, PAGE)?;
    let inside = |region: &&Memory| load >= region.base && load - region.base < region.size.0;
    // If the regions were refused, they have to be corrected first.
    let around = memory.iter().find(inside);
    if let Some(region) = around.filter(|region| !region.cached) {
        let message =
            format!("the image would be loaded into `{}`, which no cache keeps", region.name);
        let help = "nothing is executed there: choose a region without cached = false";
        let problem = Problem::new(Code::LoadOutside, message, help);
        report.add(problem.at(table.load.span(), "in memory that is not cached"));
    }
    if !memory.is_empty() && around.is_none() {
        let text = |m: &Memory| format!("{:#x} to {:#x}", m.base, m.base + (m.size.0 - 1));
        let regions: Vec<String> = memory.iter().take(8).map(text).collect();
        let help = format!("the board's memory is {}", regions.join(", "));
        let message = "the image would be loaded outside of the memory";
        let problem = Problem::new(Code::LoadOutside, message, help);
        report.add(problem.at(table.load.span(), "in no [[memory]]"));
    }
    Some(load)
}

fn overheads(report: &mut Report, table: &OverheadsTable, cores: u32) -> Overheads {
    let source = values::word(report, "source", &table.source, OverheadSource::WORDS);
    let stamp = table.stamp.as_ref().and_then(|it| stamp(report, it, source));
    let measured = table.measured.as_ref().and_then(|it| measured(report, it, source, cores));
    let mut time = |key: &str, value: &Spanned<Duration>| -> Nanos {
        values::duration(report, key, value).unwrap_or_default()
    };
    Overheads {
        source: source.unwrap_or(OverheadSource::Assumed),
        stamp,
        measured,
        timer_interrupt: time("timer_interrupt", &table.timer_interrupt),
        ipi: time("ipi", &table.ipi),
        release: time("release", &table.release),
        dispatch: time("dispatch", &table.dispatch),
        preemption: time("preemption", &table.preemption),
        kernel_section: time("kernel_section", &table.kernel_section),
        device_interrupt: table.device_interrupt.as_ref().map(|it| time("device_interrupt", it)),
    }
}

/// Reads the tables `[[overheads.fewer]]`. Source and stamp are those of `[overheads]`.
fn fewer_cores(
    report: &mut Report,
    table: &OverheadsTable,
    of_all: &Overheads,
    cores: u32,
) -> Vec<Overheads> {
    let mut all: Vec<Overheads> = Vec::new();
    for fewer in &table.fewer {
        let source = Some(of_all.source);
        let Some(measured) = measured(report, &fewer.measured, source, cores) else { continue };
        let same =
            |it: &Overheads| it.measured.as_ref().is_some_and(|it| it.cores == measured.cores);
        if all.iter().any(same) {
            let message =
                format!("two tables `[[overheads.fewer]]` have cores = {}", measured.cores);
            let help = "leave one of them out, or let takt calibrate write them";
            let problem = Problem::new(Code::Repeated, message, help);
            report.add(problem.at(fewer.measured.span(), "these conditions"));
        }
        let mut time = |key: &str, value: &Spanned<Duration>| -> Nanos {
            values::duration(report, key, value).unwrap_or_default()
        };
        all.push(Overheads {
            source: of_all.source,
            stamp: of_all.stamp.clone(),
            measured: Some(measured),
            timer_interrupt: time("timer_interrupt", &fewer.timer_interrupt),
            ipi: time("ipi", &fewer.ipi),
            release: time("release", &fewer.release),
            dispatch: time("dispatch", &fewer.dispatch),
            preemption: time("preemption", &fewer.preemption),
            kernel_section: time("kernel_section", &fewer.kernel_section),
            device_interrupt: fewer
                .device_interrupt
                .as_ref()
                .map(|it| time("device_interrupt", it)),
        });
    }
    all
}

/// Reads the tables `[[overheads.placement]]`.
fn placed(report: &mut Report, table: &OverheadsTable) -> Vec<PlacedOverheads> {
    let mut all: Vec<PlacedOverheads> = Vec::new();
    for one in &table.placement {
        let Some(placement) = values::word(report, "name", &one.name, Placement::WORDS) else {
            continue;
        };
        if placement == Placement::Distributed || all.iter().any(|it| it.placement == placement) {
            let message =
                format!("a table `[[overheads.placement]]` of \"{}\" too many", one.name.get());
            let help = "leave it out: each placement but \"distributed\" has one";
            report.add(Problem::new(Code::Repeated, message, help).at(one.name.span(), "this one"));
            continue;
        }
        let stamp =
            one.stamp.as_ref().and_then(|it| stamp(report, it, Some(OverheadSource::Measured)));
        let mut time = |key: &str, value: &Spanned<Duration>| -> Nanos {
            values::duration(report, key, value).unwrap_or_default()
        };
        let overheads = Overheads {
            source: OverheadSource::Measured,
            stamp,
            measured: None,
            timer_interrupt: time("timer_interrupt", &one.timer_interrupt),
            ipi: time("ipi", &one.ipi),
            release: time("release", &one.release),
            dispatch: time("dispatch", &one.dispatch),
            preemption: time("preemption", &one.preemption),
            kernel_section: time("kernel_section", &one.kernel_section),
            device_interrupt: None,
        };
        let command = one.command.as_ref().map_or(Nanos(0), |it| time("command", it));
        all.push(PlacedOverheads { placement, overheads, command, trip: time("trip", &one.trip) });
    }
    all
}

/// Reads one of the tables of resident cores. Source and stamp are those of `[overheads]`. Where no other core interrupts such a
/// core, the table has no `ipi`: where the analysis asks for the longer of two interrupts, it finds the timer's.
fn resident(
    report: &mut Report,
    resident: &Option<ResidentTable>,
    of_all: &Overheads,
    cores: u32,
) -> Option<Overheads> {
    let resident = resident.as_ref()?;
    let measured = measured(report, &resident.measured, Some(of_all.source), cores)?;
    let mut time = |key: &str, value: &Spanned<Duration>| -> Nanos {
        values::duration(report, key, value).unwrap_or_default()
    };
    let timer_interrupt = time("timer_interrupt", &resident.timer_interrupt);
    Some(Overheads {
        source: of_all.source,
        stamp: of_all.stamp.clone(),
        measured: Some(measured),
        timer_interrupt,
        ipi: resident.ipi.as_ref().map_or(timer_interrupt, |ipi| time("ipi", ipi)),
        release: time("release", &resident.release),
        dispatch: time("dispatch", &resident.dispatch),
        preemption: time("preemption", &resident.preemption),
        kernel_section: time("kernel_section", &resident.kernel_section),
        device_interrupt: Some(time("device_interrupt", &resident.device_interrupt)),
    })
}

/// Reads a stamp: `TIMING-KERNEL`, each with 16 hexadecimal digits.
fn stamp(
    report: &mut Report,
    text: &Spanned<String>,
    source: Option<OverheadSource>,
) -> Option<Stamp> {
    let digits =
        |part: &str| part.len() == 16 && part.chars().all(|c| matches!(c, '0'..='9' | 'a'..='f'));
    let stamp =
        text.get().split_once('-').filter(|(timing, kernel)| digits(timing) && digits(kernel));
    let message = match (&stamp, source) {
        (None, _) => "`stamp` is none that takt calibrate writes",
        (_, Some(OverheadSource::Assumed | OverheadSource::Published)) => {
            "only measured overheads have a `stamp`"
        }
        _ => "",
    };
    if !message.is_empty() {
        let help = "leave it out, or let takt calibrate write the table";
        report.add(Problem::new(Code::BadText, message, help).at(text.span(), "this text"));
    }
    let (timing, kernel) = stamp?;
    Some(Stamp { timing: timing.to_string(), kernel: kernel.to_string() })
}

/// Reads the conditions of measured overheads.
fn measured(
    report: &mut Report,
    it: &Spanned<MeasuredTable>,
    source: Option<OverheadSource>,
    board_cores: u32,
) -> Option<Measured> {
    if !matches!(source, None | Some(OverheadSource::Measured)) {
        let help = "leave the table out, or let takt calibrate write it";
        let message = "only overheads that were measured have conditions";
        let problem = Problem::new(Code::MismatchedKey, message, help);
        report.add(problem.at(it.span(), "of overheads that were not measured"));
    }
    let table = it.get();
    let granularity = values::word(report, "granularity", &table.granularity, Word::WORDS);
    let spinlock = values::word(report, "spinlock", &table.spinlock, Word::WORDS);
    let cores = match &table.cores {
        Some(cores) => values::number(report, "cores", cores, 1..=MAX_CORES),
        None => Some(board_cores),
    };
    let cores_per_lock = values::number(report, "cores_per_lock", &table.cores_per_lock, 1..=128);
    let timers = values::number(report, "timers_per_core", &table.timers_per_core, 0..=65535);
    let sources = values::number(report, "interrupt_sources", &table.interrupt_sources, 0..=1023);
    Some(Measured {
        locking: Locking {
            granularity: granularity?,
            spinlock: spinlock?,
            backoff: optional(report, "backoff", table.backoff.as_ref()),
        },
        own_task: optional(report, "own_task", table.own_task.as_ref()),
        homing: optional(report, "homing", table.homing.as_ref()),
        cores: cores?,
        cores_per_lock: cores_per_lock?,
        timers_per_core: timers?,
        interrupt_sources: sources?,
        load: load_words(report, &table.load),
        paths: table.paths.as_ref().map(|list| words(report, "paths", list)),
    })
}

fn optional<T: Word + Default>(
    report: &mut Report,
    key: &str,
    word: Option<&Spanned<String>>,
) -> T {
    word.and_then(|word| values::word(report, key, word, T::WORDS)).unwrap_or_default()
}

/// Reads a list of words, none of which may occur twice.
fn words<T: Word>(report: &mut Report, key: &str, list: &Spanned<Vec<Spanned<String>>>) -> Vec<T> {
    let mut found = Vec::new();
    for word in list.get() {
        let Some(value) = values::word(report, key, word, T::WORDS) else { continue };
        if found.contains(&value) {
            let message = format!("`{key}` has \"{}\" twice", word.get());
            let problem = Problem::new(Code::Repeated, message, "name each of them once");
            report.add(problem.at(word.span(), "here again"));
        }
        found.push(value);
    }
    found
}

fn load_words(report: &mut Report, list: &Spanned<Vec<Spanned<String>>>) -> Vec<MemoryLoad> {
    let loads = words(report, "load", list);
    if list.get().is_empty() {
        let help = "name what the cores did, or \"alone\" where they slept";
        let problem = Problem::new(Code::EmptyList, "`load` is empty", help);
        report.add(problem.at(list.span(), "nothing"));
    }
    loads
}
