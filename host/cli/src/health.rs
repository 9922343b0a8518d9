// SPDX-License-Identifier: Apache-2.0
//! Reads what the health monitor recorded of partitions, from the memory of a machine at its end.

use takt_model::{Health, Partition, Reaction, System, Word};
use takt_record::{Head, HealthError};
use takt_trace::{HealthRow, RestartRow};

use crate::board::image_run::Booted;

/// The 64-bit words of `struct takt_record_health` (kernel/partition/partition.h): a count and a time for each error.
const WORDS: usize = 2 * HealthError::ALL.len();

/// The rows of the tasks of which errors were seen, in the order of the description.
pub fn rows(machine: &mut Booted, head: &Head, system: &System) -> Vec<HealthRow> {
    let words = words(machine, "takt_record_health", system);
    let mut rows = Vec::new();
    for (task, words) in system.tasks.iter().zip(words.chunks_exact(WORDS)) {
        let Some(partition) = task.partition else { continue };
        let partition = &system.partitions[partition];
        let (counts, latest) = words.split_at(WORDS / 2);
        for (error, (count, latest)) in HealthError::ALL.iter().zip(counts.iter().zip(latest)) {
            if *count > 0 {
                rows.push(HealthRow {
                    partition: partition.name.clone(),
                    task: task.name.clone(),
                    error: error.name().to_string(),
                    action: action(&partition.health, *error).word().to_string(),
                    count: *count,
                    latest_ns: head.since_epoch(*latest),
                });
            }
        }
    }
    rows
}

/// The 64-bit words of `struct takt_record_partition` (kernel/partition/partition.h).
const RESTART_WORDS: usize = 5;

/// The rows of the partitions that were restarted or stopped, in the order of the description.
pub fn restarts(machine: &mut Booted, head: &Head, system: &System) -> Vec<RestartRow> {
    let words = words(machine, "takt_record_partitions", system);
    let row = |(partition, words): (&Partition, &[u64])| {
        let &[cold, warm, stopped, latest, longest] = words else { return None };
        (cold + warm + stopped > 0).then(|| RestartRow {
            partition: partition.name.clone(),
            cold,
            warm,
            stopped,
            latest_ns: head.since_epoch(latest),
            longest_ns: head.nanos(longest),
        })
    };
    system.partitions.iter().zip(words.chunks_exact(RESTART_WORDS)).filter_map(row).collect()
}

/// The 64-bit words of a block that the kernel has where there are partitions.
fn words(machine: &mut Booted, symbol: &str, system: &System) -> Vec<u64> {
    let bytes = match system.partitions.is_empty() {
        false => machine.object(symbol).unwrap_or_default(),
        true => return Vec::new(),
    };
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    bytes.chunks_exact(8).map(word).collect()
}

fn action(health: &Health, error: HealthError) -> Reaction {
    match error {
        HealthError::MemoryViolation => health.memory_violation,
        HealthError::StackOverflow => health.stack_overflow,
        HealthError::IllegalRequest => health.illegal_request,
        HealthError::ApplicationError => health.application_error,
    }
}
