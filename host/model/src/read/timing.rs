// SPDX-License-Identifier: Apache-2.0
//! Turns the tables of a board's file that give times into a [`Timing`].

use std::ops::RangeInclusive;

use super::{
    cache::{self, CacheAt},
    cluster,
    file::{BoardFile, BoardTable, Size, Spanned},
    kind,
    report::Report,
    timing_file::{CoherenceTable, CoreTable, DevicesTable, DramTable, TlbTable},
    topology,
    values::{self, cycles, some_cycles},
};
use crate::{
    Bytes, Code, Hertz, Problem, Timing,
    timing::{Atomics, Coherence, Core, Drain, Dram, Homes, Tlb},
};

const LINE: Bytes = Bytes(64);
const PAGE: Bytes = Bytes(4096);
/// The lengths of queues for which a file gives none.
const WRITE_BACKS: u32 = 32;
const QUEUE: u32 = 64;
/// Cycles.
const OVERFLOW_SKID: u64 = 1000;
const BLOCK: RangeInclusive<Bytes> = LINE..=Bytes(1 << 40);

/// Reads the timing; None also if the file has none. Mistakes are reported.
pub fn read(report: &mut Report, file: &BoardFile, cores: Option<u32>) -> Option<Timing> {
    if !is_complete(report, file) {
        return None;
    }
    let alike = alike(report, file, cores);
    let kinds = kind::read(report, file, cores.unwrap_or_default(), alike.as_ref());
    let timing = Timing { kinds, ..alike? };
    if let Some(cores) = cores.filter(|_| !file.kind.is_empty()) {
        kind::check_clusters(report, file, &timing, cores);
    }
    Some(timing)
}

/// Reads the timing of the board's own tables, as if all cores were of one kind.
fn alike(report: &mut Report, file: &BoardFile, cores: Option<u32>) -> Option<Timing> {
    let (frequency, timebase) = clocks(report, &file.board)?;
    let core = core(report, file.core.as_ref()?);
    let tlb = tlb(report, file.tlb.as_ref()?);
    let interconnect = topology::interconnect(report, file.interconnect.as_ref()?);
    topology::check_room(report, file, cores, interconnect.as_ref());
    let nodes = interconnect.as_ref().map(|interconnect| interconnect.shape.nodes());
    let coherence = coherence(report, file, file.coherence.as_ref()?, nodes);
    let dram = dram(report, file.dram.as_ref()?, nodes);
    let l1i = cache::read_fetch(report, file.l1i.as_ref()?);
    let l1d = cache::read(report, CacheAt::L1, file.l1d.as_ref()?);
    let l2 = file.l2.as_ref().map(|table| cache::read(report, CacheAt::L2, table));
    if let (Some(table), Some(Some(l2)), Some(l1d)) = (&file.l2, &l2, &l1d) {
        cache::check_inclusion(report, table, l2, file.l1d.as_ref()?, l1d);
    }
    let clusters = file.cluster.as_ref().map(|table| {
        let places = cluster::Places { cores, interconnect: interconnect.as_ref() };
        let inner = [("[l1d]", l1d.as_ref()), ("[l2]", l2.as_ref().and_then(Option::as_ref))];
        // If the board has kinds of cores, the inclusion is checked for each kind instead.
        let inner = inner.map(|(name, cache)| (name, cache.filter(|_| file.kind.is_empty())));
        cluster::read(report, file, table, places, inner)
    });
    let devices_at = file.devices.as_ref()?;
    let (device, interrupt) = devices(report, devices_at);
    topology::check_posts(report, file.interconnect.as_ref()?, devices_at.links);
    Some(Timing {
        frequency: frequency?.0,
        timebase: timebase?.0,
        core,
        l1i: l1i?,
        l1d: l1d?,
        l2: l2.flatten(),
        cluster: match clusters {
            None => None,
            Some(cluster) => Some(cluster?),
        },
        tlb,
        kinds: vec![],
        coherence: coherence?,
        interconnect: interconnect?,
        dram: dram?,
        device,
        interrupt,
        device_links: devices_at.links,
    })
}

/// Whether the file has all tables of a timing. A file with only some of them is reported.
fn is_complete(report: &mut Report, file: &BoardFile) -> bool {
    let parts = [
        ("frequency", file.board.frequency.is_some()),
        ("timebase", file.board.timebase.is_some()),
        ("[core]", file.core.is_some()),
        ("[l1i]", file.l1i.is_some()),
        ("[l1d]", file.l1d.is_some()),
        ("[tlb]", file.tlb.is_some()),
        ("[coherence]", file.coherence.is_some()),
        ("[interconnect]", file.interconnect.is_some()),
        ("[dram]", file.dram.is_some()),
        ("[devices]", file.devices.is_some()),
    ];
    let missing: Vec<_> = parts.iter().filter(|(_, there)| !there).map(|(name, _)| *name).collect();
    let may = file.l2.is_some() || file.cluster.is_some() || !file.kind.is_empty();
    let some = missing.len() < parts.len() || may;
    if some && !missing.is_empty() {
        let message = format!("the board's timing lacks {}", missing.join(", "));
        let help =
            "add what is missing, or take the timing away: then QEMU alone can run the board";
        let problem = Problem::new(Code::IncompleteTiming, message, help);
        report.add(problem.at(file.board.name.span(), "this board has a timing, but in part"));
    }
    missing.is_empty()
}

/// Reads the clock and the timebase.
fn clocks(report: &mut Report, board: &BoardTable) -> Option<(Option<Hertz>, Option<Hertz>)> {
    let (fast, slow) = (board.frequency.as_ref()?, board.timebase.as_ref()?);
    let limits = Hertz(1_000_000)..=Hertz(100_000_000_000);
    let frequency = values::rate(report, "frequency", fast, limits);
    let limits = Hertz(1_000)..=Hertz(100_000_000_000);
    let timebase = values::rate(report, "timebase", slow, limits);
    if let (Some(frequency), Some(timebase)) = (frequency, timebase) {
        if timebase > frequency {
            let message = format!("the timebase of {timebase} is faster than the clock");
            let help = format!("`time` is made from the clock; choose at most {frequency}");
            let problem = Problem::new(Code::TimebaseTooFast, message, help);
            report.add(problem.at(slow.span(), "timebase").at(fast.span(), "clock"));
        }
    }
    Some((frequency, timebase))
}

pub fn core(report: &mut Report, table: &CoreTable) -> Core {
    let drains = [("fifo", Drain::Fifo), ("any", Drain::Any)];
    let store_buffer =
        values::number(report, "store_buffer", &table.store_buffer, 0..=64).unwrap_or_default();
    let prefetch = values::number(report, "prefetch", &table.prefetch, 0..=8).unwrap_or_default();
    Core {
        multiply: some_cycles(report, "multiply", &table.multiply),
        divide: some_cycles(report, "divide", &table.divide),
        float_add: some_cycles(report, "float_add", &table.float_add),
        float_multiply: some_cycles(report, "float_multiply", &table.float_multiply),
        float_fused: some_cycles(report, "float_fused", &table.float_fused),
        float_divide: some_cycles(report, "float_divide", &table.float_divide),
        float_root: some_cycles(report, "float_root", &table.float_root),
        float_move: some_cycles(report, "float_move", &table.float_move),
        system: some_cycles(report, "system", &table.system),
        load_use: cycles(report, "load_use", &table.load_use),
        taken_branch: cycles(report, "taken_branch", &table.taken_branch),
        trap: cycles(report, "trap", &table.trap),
        wake: cycles(report, "wake", &table.wake),
        overflow_skid: length(report, "overflow_skid", table.overflow_skid.as_ref(), 0..=100_000)
            .map_or(OVERFLOW_SKID, u64::from),
        store_buffer,
        drain: values::word(report, "drain", &table.drain, &drains).unwrap_or(Drain::Fifo),
        // The reservation must last for a constrained loop between LR and SC, which has up to 16
        // instructions.
        reservation: values::number(report, "reservation", &table.reservation, 16..=10_000)
            .unwrap_or_default()
            .into(),
        prefetch,
        mshrs: length(report, "mshrs", table.mshrs.as_ref(), store_buffer + 1..=256)
            .unwrap_or(store_buffer + 1 + 4 * prefetch),
        atomics: atomics(report, table).unwrap_or(Atomics::L1),
    }
}

/// Reads a number; None if the file leaves it to the default.
fn length(
    report: &mut Report,
    key: &str,
    value: Option<&Spanned<i64>>,
    limits: RangeInclusive<u32>,
) -> Option<u32> {
    values::number(report, key, value?, limits)
}

fn atomics(report: &mut Report, table: &CoreTable) -> Option<Atomics> {
    let places = [("l1", Atomics::L1), ("home", Atomics::Home)];
    values::word(report, "atomics", &table.atomics, &places)
}

pub fn tlb(report: &mut Report, table: &TlbTable) -> Tlb {
    Tlb {
        entries: values::number(report, "entries", &table.entries, 4..=256).unwrap_or_default(),
        level: cycles(report, "level", &table.level),
    }
}

fn devices(report: &mut Report, table: &DevicesTable) -> (u64, u64) {
    let register = cycles(report, "register", &table.register);
    (register, cycles(report, "interrupt", &table.interrupt))
}

/// Reads a size that must be a power of two.
fn block(report: &mut Report, key: &str, value: &Spanned<Size>) -> Option<u64> {
    let size = values::size(report, key, value, BLOCK)?;
    values::power_of_two(report, key, size.0, value.span())
}

fn coherence(
    report: &mut Report,
    file: &BoardFile,
    table: &CoherenceTable,
    limit: Option<u32>,
) -> Option<Coherence> {
    let homes = homes(report, table, limit);
    let cache = table.cache.as_ref().map(|cache| cache::read(report, CacheAt::Home, cache));
    let directory = some_cycles(report, "directory", &table.directory);
    let service = some_cycles(report, "service", &table.service);
    let snoop = cycles(report, "snoop", &table.snoop);
    let atomic = table.atomic.as_ref().map(|value| some_cycles(report, "atomic", value));
    let cores = file.core.iter().chain(file.kind.iter().filter_map(|kind| kind.core.as_ref()));
    for core in cores.filter(|core| core.atomics.get() == "home" && atomic.is_none()) {
        let message = "atomics at the home need `atomic`";
        let help = "add atomic = ... to [coherence]: the cycles of one at its home";
        let problem = Problem::new(Code::MismatchedKey, message, help);
        report.add(problem.at(core.atomics.span(), "[coherence] does not say what they take"));
    }
    Some(Coherence {
        homes: homes?,
        directory,
        service,
        atomic: atomic.unwrap_or_default(),
        snoop,
        write_backs: length(report, "write_backs", table.write_backs.as_ref(), 1..=1024)
            .unwrap_or(WRITE_BACKS),
        cache: match cache {
            None => None,
            Some(cache) => Some(cache?),
        },
    })
}

fn homes(report: &mut Report, table: &CoherenceTable, limit: Option<u32>) -> Option<Homes> {
    let words = ["hash", "page", "split", "nodes"].map(|word| (word, word));
    let word = &table.homes;
    let kind = values::word(report, "homes", word, &words)?;
    let in_turn = kind == "nodes" || kind == "split";
    let interleave =
        topology::fitting(report, word, "interleave", table.interleave.as_ref(), in_turn);
    let interleave = interleave.and_then(|value| block(report, "interleave", value));
    let list = topology::fitting(report, word, "nodes", table.nodes.as_ref(), kind == "nodes");
    let from = table.pages_from.as_ref();
    let from = topology::fitting(report, word, "pages_from", from, kind == "split");
    match kind {
        "hash" => Some(Homes::Hash),
        "page" => Some(Homes::Page),
        "split" => {
            let pages_from = values::aligned_address(report, "pages_from", from?, PAGE)?;
            Some(Homes::Split { pages_from, interleave: interleave? })
        }
        _ => {
            let nodes = topology::nodes(report, list?, limit);
            Some(Homes::Nodes { interleave: interleave?, nodes: nodes? })
        }
    }
}

fn dram(report: &mut Report, table: &DramTable, limit: Option<u32>) -> Option<Dram> {
    let nodes = topology::nodes(report, &table.nodes, limit);
    let interleave = block(report, "interleave", &table.interleave);
    let row = block(report, "row", &table.row);
    let banks = cache::masks(report, "banks", table.banks.get());
    if table.banks.get().len() > 16 {
        let message = "`banks` has more than 16 masks";
        let problem = Problem::new(Code::OutOfRange, message, "65536 banks are enough");
        report.add(problem.at(table.banks.span(), format!("{} masks", table.banks.get().len())));
    }
    let dram = Dram {
        nodes: nodes.unwrap_or_default(),
        interleave: interleave.unwrap_or_default(),
        banks: banks.unwrap_or_default(),
        row: row.unwrap_or_default(),
        row_hit: cycles(report, "row_hit", &table.row_hit),
        row_closed: cycles(report, "row_closed", &table.row_closed),
        row_conflict: cycles(report, "row_conflict", &table.row_conflict),
        burst: some_cycles(report, "burst", &table.burst),
        refresh: cycles(report, "refresh", &table.refresh),
        refresh_time: cycles(report, "refresh_time", &table.refresh_time),
        queue: length(report, "queue", table.queue.as_ref(), 1..=1024).unwrap_or(QUEUE),
    };
    check_rows(report, table, &dram);
    check_refresh(report, table, &dram);
    Some(dram)
}

fn check_rows(report: &mut Report, table: &DramTable, dram: &Dram) {
    let (hit, closed, conflict) = (dram.row_hit, dram.row_closed, dram.row_conflict);
    // A value that is out of range has been reported already.
    let reported = |table: &Spanned<i64>, value| u64::try_from(*table.get()) != Ok(value);
    let wrong = match () {
        () if hit > closed && !reported(&table.row_closed, closed) => {
            ("row_hit", &table.row_hit, "row_closed", &table.row_closed)
        }
        () if closed > conflict && !reported(&table.row_conflict, conflict) => {
            ("row_closed", &table.row_closed, "row_conflict", &table.row_conflict)
        }
        () => return,
    };
    let (small, small_at, large, large_at) = wrong;
    let message = format!("`{small}` is longer than `{large}`");
    let help = "a conflict closes a row, then opens one, then reads: row_hit <= row_closed <= row_conflict";
    let problem = Problem::new(Code::RowOrder, message, help);
    report.add(problem.at(small_at.span(), "longer").at(large_at.span(), "than this"));
}

fn check_refresh(report: &mut Report, table: &DramTable, dram: &Dram) {
    if dram.refresh != 0 && dram.refresh_time >= dram.refresh {
        let message = "the refresh is not over when the next one begins";
        let help = "choose a refresh_time below refresh, or refresh = 0 for none";
        let problem = Problem::new(Code::RefreshTooLong, message, help);
        let place = table.refresh_time.span();
        report
            .add(problem.at(place, "busy for so long").at(table.refresh.span(), "every so often"));
    }
}
