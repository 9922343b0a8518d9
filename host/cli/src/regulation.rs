// SPDX-License-Identifier: Apache-2.0
//! Reads what the kernel recorded of cores with budgets of memory traffic, from the memory of a machine at its end.

use takt_model::System;
use takt_record::Head;
use takt_trace::RegulationRow;

use crate::board::image_run::Booted;

/// The 64-bit words of `struct takt_record_regulation` (kernel/bandwidth/bandwidth.h).
const WORDS: usize = 8;

/// The rows of the cores that have a budget, in ascending order; none where the image has no such record.
pub fn rows(machine: &mut Booted, head: &Head, system: &System) -> Vec<RegulationRow> {
    let bytes = match system.regulation {
        Some(_) => machine.object("takt_record_regulation"),
        None => None,
    };
    let cores = bytes.unwrap_or_default().chunks_exact(WORDS * 8).zip(0..system.cores);
    cores.filter_map(|(bytes, core)| row(bytes, core, head, system)).collect()
}

fn row(bytes: &[u8], core: u32, head: &Head, system: &System) -> Option<RegulationRow> {
    let budget = system.memory_budget(core)?;
    let word = |index: usize| {
        let word = bytes[index * 8..][..8].try_into().expect("eight bytes");
        u64::from_le_bytes(word)
    };
    Some(RegulationRow {
        core,
        reads_budget: budget.reads.into(),
        writes_budget: budget.writes.into(),
        periods: word(0),
        throttled_periods: word(1),
        throttled_ns: head.nanos(word(2)),
        early: word(3),
        reads_max: word(4),
        writes_max: word(5),
        overdrawn_reads_max: word(6),
        overdrawn_writes_max: word(7),
    })
}
