// SPDX-License-Identifier: Apache-2.0
//! Reads what a board without shared memory has: workers, and the subnets that lead from core to
//! core.

use super::{
    addresses::{MappedRange, mapped_range},
    file::{Address, BoardFile, DirectorStepsTable, ScratchpadTable, Spanned},
    report::Report,
    topology,
    values::{self, some_cycles},
};
use crate::{
    BlockDma, Bytes, Code, DataflowOverheads, DirectorSteps, Memory, OverheadSource, Problem,
    Scoreboard, Scratchpad, Subnets, Word, WordRegisters, Workers,
    board::{
        BLOCK_DMA_BYTES, REGISTER_BYTES, SCOREBOARD_BYTES, SCOREBOARD_CORES, WORKER_CONTROL_BYTES,
    },
};

const PAGE: Bytes = Bytes(4096);
const WORD: Bytes = Bytes(4);
/// A link of the modelled interconnect remembers its last 64 cycles.
const PACKET_MAX: Bytes = Bytes(240);

/// Reads who is a worker. `cores`: those of the board; 0 means that the number could not be read.
pub fn workers(report: &mut Report, file: &BoardFile, cores: u32) -> Option<Workers> {
    let table = file.workers.as_ref()?;
    let list = topology::cores(report, &table.cores, cores, "name the board's last cores");
    let control = values::aligned_address(report, "control", &table.control, PAGE);
    let way = some_cycles(report, "way", &table.way);
    let first = *list.first()?;
    if first == 0 || list.iter().copied().ne(first..cores) {
        let message = "the workers are not the board's last cores";
        let last = cores.saturating_sub(1);
        let help = format!("list the cores from one after 0 up to {last}, in ascending order");
        let problem = Problem::new(Code::OutOfRange, message, help);
        report.add(problem.at(table.cores.span(), "not such cores"));
        return None;
    }
    Some(Workers { first, control: control?, way })
}

/// Reads the subnets, and adds them to the ranges that have addresses.
pub fn read(
    report: &mut Report,
    file: &BoardFile,
    cores: u32,
    workers: Option<Workers>,
    ranges: &mut Vec<MappedRange>,
) -> Subnets {
    if let (Some(table), Some(workers)) = (&file.workers, &workers) {
        let size = WORKER_CONTROL_BYTES * u64::from(cores);
        let own = mapped_range(report, "workers", workers.control, size, &table.control);
        ranges.extend(own.map(|range| range.of_cores((0..workers.first).collect())));
    }
    let scoreboard = file.scoreboard.as_ref().and_then(|table| {
        let way = some_cycles(report, "way", &table.way);
        if cores > SCOREBOARD_CORES {
            let message = format!("a scoreboard for {cores} cores");
            let help = format!("its entries have fields for at most {SCOREBOARD_CORES} cores");
            let problem = Problem::new(Code::OutOfRange, message, help);
            report.add(
                problem.at(table.base.span(), "its base").at(file.board.cores.span(), "cores"),
            );
        }
        let base = register_base(report, "scoreboard", &table.base, SCOREBOARD_BYTES, ranges)?;
        Some(Scoreboard { base, way })
    });
    let word_registers = file.word_registers.as_ref().and_then(|table| {
        let way = some_cycles(report, "way", &table.way);
        let count = values::number(report, "count", &table.count, 1..=4096)?;
        let size = u64::from(cores) * u64::from(count) * REGISTER_BYTES;
        let base = register_base(report, "word_registers", &table.base, size, ranges)?;
        Some(WordRegisters { base, count, way })
    });
    let block_dma = file.block_dma.as_ref().and_then(|table| {
        let way = some_cycles(report, "way", &table.way);
        let setup = some_cycles(report, "setup", &table.setup);
        let packet = values::aligned_size(report, "packet", &table.packet, WORD..=PACKET_MAX, WORD);
        let base = register_base(report, "block_dma", &table.base, BLOCK_DMA_BYTES, ranges)?;
        Some(BlockDma { base, way, setup, packet: packet? })
    });
    Subnets { workers, scoreboard, word_registers, block_dma }
}

/// Reads what the steps of directors take.
pub fn dataflow_overheads(report: &mut Report, file: &BoardFile) -> Option<DataflowOverheads> {
    let table = file.dataflow_overheads.as_ref()?;
    let source = values::word(report, "source", &table.source, OverheadSource::WORDS);
    Some(DataflowOverheads {
        source: source.unwrap_or(OverheadSource::Assumed),
        control: director_steps(report, &table.control),
        worker: director_steps(report, &table.worker),
    })
}

fn director_steps(report: &mut Report, table: &DirectorStepsTable) -> DirectorSteps {
    let mut cycles = |key, value| values::cycles(report, key, value);
    DirectorSteps {
        begin: cycles("begin", &table.begin),
        activation: cycles("activation", &table.activation),
        message: cycles("message", &table.message),
        transfer: cycles("transfer", &table.transfer),
        answer: cycles("answer", &table.answer),
        room: cycles("room", &table.room),
        answered: cycles("answered", &table.answered),
        send: cycles("send", &table.send),
        end: cycles("end", &table.end),
        decision: cycles("decision", &table.decision),
    }
}

/// Reads the address of a subnet's registers, which all cores reach.
fn register_base(
    report: &mut Report,
    name: &str,
    base: &Spanned<Address>,
    size: u64,
    ranges: &mut Vec<MappedRange>,
) -> Option<u64> {
    let address = values::aligned_address(report, "base", base, PAGE)?;
    ranges.push(mapped_range(report, name, address, size, base)?);
    Some(address)
}

/// Checks that each kernel's core accesses all memory, and each worker none but a scratchpad that
/// no other core can access.
pub fn check_workers(
    report: &mut Report,
    file: &BoardFile,
    cores: u32,
    subnets: &Subnets,
    memory: &[Memory],
    scratchpads: &[Scratchpad],
) {
    if file.workers.is_some() && subnets.workers.is_none() {
        return; // Its mistake has been reported.
    }
    let first = subnets.workers.as_ref().map_or(cores, |workers| workers.first);
    for table in &file.memory {
        let Some(region) = memory.iter().find(|it| it.name == table.name.get().0) else { continue };
        let sees = |core: &u32| region.cores.as_ref().is_none_or(|list| list.contains(core));
        let label = table.cores.as_ref().map_or(table.name.span(), Spanned::span);
        if let Some(core) = (0..first).find(|core| !sees(core)) {
            let name = &region.name;
            let message = format!("core {core} runs the kernel and does not see `{name}`");
            let help = "list all cores that are not in [workers], or leave `cores` out";
            let problem = Problem::new(Code::MissingCore, message, help);
            report.add(problem.at(label.clone(), "not that core"));
        }
        if (first..cores).any(|core| sees(&core)) {
            let message = format!("workers see the memory `{}`", region.name);
            let help = format!("give it `cores` below {first}: workers have scratchpads only");
            let problem = Problem::new(Code::MismatchedKey, message, help);
            report.add(problem.at(label, "seen by workers"));
        }
    }
    let (Some(workers), Some(table)) = (&subnets.workers, &file.workers) else { return };
    let has = |core: &u32| scratchpads.iter().any(|pad| pad.cores.contains(core));
    if let Some(core) = (workers.first..cores).find(|core| !has(core)) {
        let message = format!("worker {core} has no scratchpad");
        let help = "add a [[scratchpad]] with this core: its program is there";
        let problem = Problem::new(Code::MismatchedKey, message, help);
        report.add(problem.at(table.cores.span(), "one of these"));
    }
    let windows =
        file.scratchpad.iter().filter_map(|table: &ScratchpadTable| table.window.as_ref());
    for window in windows {
        let message = "a window to scratchpads on a board with workers";
        let help = "leave `window` out: workers share no memory";
        let problem = Problem::new(Code::MismatchedKey, message, help);
        report.add(problem.at(window.span(), "this window"));
    }
}
