// SPDX-License-Identifier: Apache-2.0
//! Reads the frames: how cores divide their time between partitions.

use std::ops::RangeInclusive;

use super::{
    file::{Duration, FrameTable, Spanned, SystemFile, TaskTable, WindowTable},
    report::Report,
    shared,
    task::{self, ClassNames},
    values,
};
use crate::{Code, Frame, Nanos, PeriodicWindow, Problem, System, TimeWindow};

/// In a shorter frame the kernel would do little but open windows; a longer one bounds no response.
const LENGTHS: RangeInclusive<Nanos> = Nanos(100_000)..=Nanos(10_000_000_000);
/// A shorter window would leave its tasks little beside the kernel.
const SHORTEST: Nanos = Nanos(20_000);

/// Reads the frames, and the windows of those that the I/O schedule completes.
pub fn read_all(
    report: &mut Report,
    file: &SystemFile,
    names: &ClassNames,
    cores: u32,
) -> (Vec<Frame>, Vec<PeriodicWindow>) {
    let mut frames: Vec<(Frame, &FrameTable)> = Vec::new();
    let mut periodic = Vec::new();
    for table in &file.frame {
        let Some((frame, windows)) = read(report, table, names, cores) else { continue };
        periodic.extend(windows);
        if let Some((_, first)) = frames.iter().find(|(other, _)| other.core == frame.core) {
            report.add(shared::repeated("core", table.core.span(), first.core.span()));
        }
        frames.push((frame, table));
    }
    if !file.frame.is_empty() {
        for task in &file.task {
            check_task(report, file, names, task, &frames, &periodic);
        }
    }
    let mut frames: Vec<_> = frames.into_iter().map(|(frame, _)| frame).collect();
    frames.sort_by_key(|frame| frame.core);
    (frames, periodic)
}

fn read(
    report: &mut Report,
    table: &FrameTable,
    names: &ClassNames,
    cores: u32,
) -> Option<(Frame, Vec<PeriodicWindow>)> {
    let core = task::core(report, "core", &table.core, cores);
    let length = length(report, &table.length);
    let windows = table.windows.get();
    if windows.is_empty() {
        let problem = Problem::new(Code::EmptyList, "`windows` is empty", "add a window");
        report.add(problem.at(table.windows.span(), "no window"));
    }
    if let Some(window) = windows.get(Frame::MOST_WINDOWS) {
        let message = format!("the frame has more than {} windows", Frame::MOST_WINDOWS);
        let problem = Problem::new(Code::TooMany, message, "shorten the frame");
        report.add(problem.at(window.partition.span(), "the first one too many"));
    }
    if windows.iter().any(|it| it.offset.is_none() || it.period.is_some()) {
        let read = windows.iter().map(|it| periodic(report, it, names, core?, length?, table));
        let read: Vec<_> = read.collect();
        let periodic = read.into_iter().collect::<Option<Vec<_>>>()?;
        check_count(report, table, length?, &periodic);
        return Some((Frame { core: core?, length: length?, windows: Vec::new() }, periodic));
    }
    let read: Vec<_> = windows.iter().map(|it| (window(report, it, names), it)).collect();
    check_order(report, table, length, &read);
    let windows = read.into_iter().map(|(window, _)| window).collect::<Option<_>>()?;
    Some((Frame { core: core?, length: length?, windows }, Vec::new()))
}

/// Reads a window of a frame that the I/O schedule completes.
fn periodic(
    report: &mut Report,
    table: &WindowTable,
    names: &ClassNames,
    core: u32,
    length: Nanos,
    frame: &FrameTable,
) -> Option<PeriodicWindow> {
    let partition = names.partitions.find(report, &table.partition);
    let duration = duration(report, table);
    let period = match &table.period {
        None => length,
        Some(value) => values::positive(report, "period", value)?,
    };
    let place = table.period.as_ref().unwrap_or(&frame.length);
    if length.0 % period.0 != 0 {
        let message = format!("the frame's length of {length} is no multiple of {period}");
        let help = "let each window open a whole number of times in the frame";
        let problem = Problem::new(Code::OutOfRange, message, help);
        report.add(problem.at(place.span(), "the period").at(frame.length.span(), "the frame"));
        return None;
    }
    if duration? > period {
        let message = format!("the window is open longer than its period of {period}");
        let problem = Problem::new(Code::OutOfRange, message, "shorten the window");
        let problem = problem.at(table.duration.span(), "the window");
        report.add(problem.at(place.span(), "its period"));
        return None;
    }
    let offset = match &table.offset {
        None => None,
        Some(value) => Some(first_offset(report, value, period, place)?),
    };
    Some(PeriodicWindow { core, partition: partition?, period, duration: duration?, offset })
}

/// Reads an offset, which is below the period.
pub fn first_offset(
    report: &mut Report,
    value: &Spanned<Duration>,
    period: Nanos,
    place: &Spanned<Duration>,
) -> Option<Nanos> {
    let offset = values::duration(report, "offset", value)?;
    if offset >= period {
        let message = format!("the offset is not below the period of {period}");
        let problem = Problem::new(Code::OffsetTooLong, message, "subtract whole periods from it");
        report.add(problem.at(value.span(), "the offset").at(place.span(), "the period"));
        return None;
    }
    Some(offset)
}

fn check_count(report: &mut Report, table: &FrameTable, length: Nanos, windows: &[PeriodicWindow]) {
    // One of them may lie across the end of the frame, which makes it two.
    let count: u64 = windows.iter().map(|it| length.0 / it.period.0).sum::<u64>() + 1;
    if count > Frame::MOST_WINDOWS as u64 {
        let message =
            format!("the frame may have {count} windows, more than {}", Frame::MOST_WINDOWS);
        let problem = Problem::new(Code::TooMany, message, "shorten the frame");
        report.add(problem.at(table.length.span(), "the frame"));
    }
}

fn length(report: &mut Report, value: &Spanned<Duration>) -> Option<Nanos> {
    let length = values::positive(report, "length", value)?;
    if !LENGTHS.contains(&length) {
        let message = format!("a frame of {length} is out of range");
        let help = format!("choose {} to {}", LENGTHS.start(), LENGTHS.end());
        report.add(Problem::new(Code::OutOfRange, message, help).at(value.span(), "the frame"));
        return None;
    }
    Some(length)
}

fn window(report: &mut Report, table: &WindowTable, names: &ClassNames) -> Option<TimeWindow> {
    let partition = names.partitions.find(report, &table.partition);
    let offset = table.offset.as_ref().and_then(|it| values::duration(report, "offset", it));
    let duration = duration(report, table)?;
    Some(TimeWindow { partition: partition?, offset: offset?, duration })
}

fn duration(report: &mut Report, table: &WindowTable) -> Option<Nanos> {
    let duration = values::positive(report, "duration", &table.duration)?;
    if duration < SHORTEST {
        let message = format!("a window of {duration} is too short");
        let help = format!("choose at least {SHORTEST}");
        let problem = Problem::new(Code::OutOfRange, message, help);
        report.add(problem.at(table.duration.span(), "the window"));
        return None;
    }
    Some(duration)
}

/// Checks that each window closes before the next one opens, and the last one within the frame.
fn check_order(
    report: &mut Report,
    table: &FrameTable,
    length: Option<Nanos>,
    windows: &[(Option<TimeWindow>, &WindowTable)],
) {
    for pair in windows.windows(2) {
        let [(Some(window), first), (Some(next), then)] = pair else { continue };
        if next.offset < window.end() {
            let message = format!(
                "the window opens before the one in front of it closes at {}",
                window.end()
            );
            let help = "write the windows in the order of time, none overlapping another";
            let problem = Problem::new(Code::OutOfRange, message, help);
            let place = then.offset.as_ref().map_or(then.duration.span(), Spanned::span);
            let problem = problem.at(place, "it opens here");
            report.add(problem.at(first.duration.span(), "the one in front of it"));
        }
    }
    let Some(((Some(last), at), length)) = windows.last().zip(length) else { return };
    if last.end() > length {
        let message = format!("the last window closes at {}, after the frame's end", last.end());
        let problem = Problem::new(Code::OutOfRange, message, "shorten it, or lengthen the frame");
        let problem = problem.at(at.duration.span(), "the last window");
        report.add(problem.at(table.length.span(), "the frame"));
    }
}

/// Checks that the task can run: beside frames it names its core, and if that has one, a window of
/// its partition is there.
fn check_task(
    report: &mut Report,
    file: &SystemFile,
    names: &ClassNames,
    task: &TaskTable,
    frames: &[(Frame, &FrameTable)],
    periodic: &[PeriodicWindow],
) {
    let name = &task.name.get().0;
    let Some(core) = &task.core else {
        let message = format!("beside a [[frame]] the task `{name}` needs a core");
        let problem = Problem::new(Code::MissingKey, message, "add core = ...");
        report.add(problem.at(task.name.span(), "`core` is missing"));
        return;
    };
    let others = task.cores.iter().flat_map(|list| list.get());
    for core in others.chain([core]) {
        let of_core = |(frame, _): &&(Frame, &FrameTable)| i64::from(frame.core) == *core.get();
        let Some((frame, table)) = frames.iter().find(of_core) else { continue };
        let partition = task.partition.as_ref();
        let index = partition.and_then(|it| names.partitions.index(it));
        if partition.is_some() && index.is_none() {
            continue; // reported where the task is read
        }
        let is_own = |window: &TimeWindow| Some(window.partition) == index;
        let is_periodic =
            |it: &PeriodicWindow| it.core == frame.core && Some(it.partition) == index;
        if frame.windows.iter().any(is_own) || periodic.iter().any(is_periodic) {
            continue;
        }
        let (message, help) = match index {
            None => (
                format!(
                    "core {} is divided into windows, and the task `{name}` is of no partition",
                    frame.core
                ),
                "let the task belong to a partition, or give it another core".to_owned(),
            ),
            Some(index) => {
                let partition = &file.partition[index].name.get().0;
                (
                    format!("core {} has no window of the partition `{partition}`", frame.core),
                    format!("add a window with partition = \"{partition}\" to the core's frame"),
                )
            }
        };
        let problem = Problem::new(Code::NoWindow, message, help);
        let problem = problem.at(core.span(), "it would never run here");
        report.add(problem.at(table.core.span(), "the core's frame"));
    }
}

/// Checks that no task that a library makes is on a core with a frame: it belongs to no partition.
pub fn check_libraries(report: &mut Report, file: &SystemFile, system: &System) {
    for task in system.tasks.iter().skip(file.task.len()) {
        let of_task = |table: &&FrameTable| task.core.map(i64::from) == Some(*table.core.get());
        if let Some(table) = file.frame.iter().find(of_task) {
            let message = format!(
                "core {} is divided into windows, and the task `{}` that a library makes is of no partition",
                table.core.get(),
                task.name
            );
            let help = "give the library's tasks other cores, or leave the frame out";
            let problem = Problem::new(Code::NoWindow, message, help);
            report.add(problem.at(table.core.span(), "the core's frame"));
        }
    }
}
