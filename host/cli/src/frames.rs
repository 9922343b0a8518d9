// SPDX-License-Identifier: Apache-2.0
//! Reads what the kernel recorded of cores that are divided into windows, from the memory of a machine at its end.

use takt_analysis::Analysis;
use takt_model::System;
use takt_record::Head;
use takt_trace::FrameRow;

use crate::board::image_run::Booted;

/// The 64-bit words of `struct takt_record_frame` (kernel/partition/frame.h).
const WORDS: usize = 2;

/// The rows of the cores with a frame, in ascending order, each with its bound.
pub fn rows(
    machine: &mut Booted,
    head: &Head,
    system: &System,
    analysis: &Analysis,
) -> Vec<FrameRow> {
    let bytes = match system.frames.is_empty() {
        false => machine.object("takt_record_frames").unwrap_or_default(),
        true => return Vec::new(),
    };
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
    let words: Vec<u64> = bytes.chunks_exact(8).map(word).collect();
    let row = |frame: &takt_model::Frame| {
        let words = words.get(frame.core as usize * WORDS..)?;
        Some(FrameRow {
            core: frame.core,
            frame_ns: frame.length.0,
            windows: frame.windows.len(),
            changes: *words.first()?,
            late_ns: head.nanos(*words.get(1)?),
            bound_ns: analysis.late_windows.get(&frame.core).copied().flatten().map(|it| it.0),
        })
    };
    system.frames.iter().filter_map(row).collect()
}
