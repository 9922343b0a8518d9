// SPDX-License-Identifier: Apache-2.0
//! Finds the addresses of an image at which a part of the kernel's work begins or ends: the
//! kernel's marks (`arch/riscv64/arch.h`), labels of its assembler, functions of the calibration
//! programs, and certain instructions.

use std::collections::HashMap;
use std::ops::Range;

use object::{Object, ObjectSection, SectionKind};

use crate::image::{Image, parse_elf};

/// What the instruction at an address begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProbePoint {
    /// The first instruction of `trap_entry`.
    Trap,
    /// The label `sleep_end`: an interrupt has ended WFI without a trap.
    Woken,
    /// The kernel begins to answer the timer interrupt.
    Timers,
    /// The kernel begins to answer the requests in its inbox, for which an IPI came.
    Inbox,
    /// The end of one answer: a timer's function, a request's answer, or a part of the answer to an
    /// overrun.
    Part,
    /// The timer whose function has begun is the console's, so this answer is not a release.
    Console,
    /// The function `raise`: the program makes the device interrupt.
    Raise,
    /// The function `on_device`: the device's service routine begins.
    Routine,
    /// The instruction behind the call of the service routine.
    Returned,
    /// The end of an interrupt begins: the kernel has answered everything.
    Tail,
    /// The labels `context_resume` and `context_return`: the kernel restores another context than the
    /// one it saved.
    Load,
    /// The instruction `sret`, which enables interrupts.
    Exit,
    /// The `ret` of `context_return`, which leaves interrupts disabled.
    Return,
    /// The function `job_main`.
    Job,
    /// The first instruction of a task's entry.
    Entry,
    /// A job completes or a wait begins: the running task has nothing more to do.
    Leave,
    /// The function `dispatch`: the kernel determines which task should run.
    Dispatch,
    /// The function `context_switch`: the kernel switches tasks.
    Switch,
    /// A task requests a job.
    Request,
    /// The kernel interrupts the core whose block this register points to.
    Interrupt(usize),
    /// A write to `sstatus` that clears SIE.
    Disable,
    /// A write to `sstatus` that sets SIE; if a register is named, only where its value has that bit.
    Enable(Option<usize>),
    /// The instruction `wfi`.
    Wait,
    /// A node begins to give a command, and has its answer.
    Given,
    Answered,
    /// The server has answered a command of the core whose block this register points to.
    Served(usize),
    /// The function `exercised`: the program has run a path of the kernel, whose number is in `a0`.
    Exercised,
}

/// The kernel's marks by name. The image of the calibration contains all of them.
const MARKS: [(&str, ProbePoint); 11] = [
    ("timer_answer", ProbePoint::Timers),
    ("inbox_answer", ProbePoint::Inbox),
    ("timer_expired", ProbePoint::Part),
    ("post_answered", ProbePoint::Part),
    ("overrun_answered", ProbePoint::Part),
    ("console_wakes", ProbePoint::Console),
    ("kernel_interrupt_leave", ProbePoint::Tail),
    ("job_complete", ProbePoint::Leave),
    ("wait_begin", ProbePoint::Leave),
    ("dispatch", ProbePoint::Dispatch),
    ("job_request", ProbePoint::Request),
];
/// The marks of the other placements, and those that an image of them has: some of the others are missing there.
const PLACED: [(&str, ProbePoint); 2] =
    [("command_given", ProbePoint::Given), ("command_answered", ProbePoint::Answered)];
const SERVED: &str = "command_served";
const NEEDED: [&str; 8] = [
    "timer_answer",
    "inbox_answer",
    "timer_expired",
    "kernel_interrupt_leave",
    "job_complete",
    "dispatch",
    "command_given",
    "command_answered",
];

/// The mark at which a core is interrupted; its text also names the register that points to the
/// core's block.
const INTERRUPT: &str = "arch_interrupt_core";
/// The section in which CMake and the linker leave the marks (`arch/riscv64/arch.h`).
const SECTION: &str = ".debug_takt_marks";

/// Functions and labels whose symbols the compiler cannot remove: they are written or called in
/// assembler, start a context, or belong to the calibration programs.
const NAMES: [(&str, ProbePoint); 8] = [
    ("trap_entry", ProbePoint::Trap),
    ("sleep_end", ProbePoint::Woken),
    ("context_resume", ProbePoint::Load),
    ("context_return", ProbePoint::Load),
    ("job_main", ProbePoint::Job),
    ("context_switch", ProbePoint::Switch),
    ("raise", ProbePoint::Raise),
    ("on_device", ProbePoint::Routine),
];

/// For each address its probe points, in the order in which the kernel passes them.
pub struct ProbePoints {
    pub at: HashMap<u64, Vec<ProbePoint>>,
    /// Whether the kernel has another placement than "distributed".
    pub placed: bool,
}

impl ProbePoints {
    /// Finds the probe points in the image of one of the calibration's programs, whose tasks have these entries.
    /// `exercises`: the program says which paths it has run.
    pub fn read(image: &Image, entries: &[&str], exercises: bool) -> Result<ProbePoints, String> {
        let exercised = exercises.then_some("exercised");
        ProbePoints::find(image, entries, exercised, true)
    }

    /// Finds the probe points in the image of any system. What it does not have, it does not do.
    pub fn read_some(image: &Image, entries: &[&str]) -> Result<ProbePoints, String> {
        ProbePoints::find(image, entries, None, false)
    }

    /// Finds the probe points in the image of the program of another placement than "distributed".
    pub fn read_placed(image: &Image, entries: &[&str]) -> Result<ProbePoints, String> {
        let bytes = std::fs::read(&image.path).map_err(|error| error.to_string())?;
        let section =
            parse_elf(&bytes)?.section_by_name(SECTION).map(|it| it.data().map(<[u8]>::to_vec));
        let data = section.ok_or("the image has no marks")?.map_err(|error| error.to_string())?;
        let marks = marks(&data)?;
        match NEEDED.iter().find(|name| !marks.iter().any(|(_, text)| text == *name)) {
            Some(name) => Err(format!("the image has no mark {name}")),
            None => ProbePoints::find(image, entries, None, false),
        }
    }

    fn find(
        image: &Image,
        entries: &[&str],
        exercised: Option<&str>,
        all_of_them: bool,
    ) -> Result<ProbePoints, String> {
        let bytes = std::fs::read(&image.path).map_err(|error| error.to_string())?;
        let elf = parse_elf(&bytes)?;
        let section = elf.section_by_name(SECTION).ok_or("the image has no marks")?;
        let marks = marks(section.data().map_err(|error| error.to_string())?)?;
        let mut all = points_of(&marks, all_of_them)?;
        let load = range(image, "context_return");
        let load = if all_of_them { load? } else { load.unwrap_or_default() };
        let entries = entries.iter().map(|name| (*name, ProbePoint::Entry));
        let exercised = exercised.map(|name| (name, ProbePoint::Exercised));
        for (name, point) in NAMES.into_iter().chain(entries).chain(exercised) {
            match range(image, name) {
                Ok(found) => all.push((found.start, point)),
                Err(why) if all_of_them => return Err(why),
                Err(_) => {}
            }
        }
        for section in elf.sections().filter(|section| section.kind() == SectionKind::Text) {
            let code = section.data().map_err(|error| error.to_string())?;
            instructions(section.address(), code, |address, word| {
                all.extend(of_instruction(word).map(|point| (address, point)));
                let returns = load.contains(&address) && matches!(word, 0x8082 | 0x0000_8067);
                all.extend(returns.then_some((address, ProbePoint::Return)));
            });
        }
        let mut at: HashMap<u64, Vec<ProbePoint>> = HashMap::new();
        for (address, point) in all {
            at.entry(address).or_default().push(point);
        }
        let placed = at.values().flatten().any(|point| *point == ProbePoint::Given);
        Ok(ProbePoints { at, placed })
    }
}

/// Decodes the section of marks: each address with its text.
fn marks(mut section: &[u8]) -> Result<Vec<(u64, String)>, String> {
    let broken = || format!("the section {SECTION} is broken");
    let mut marks = Vec::new();
    while !section.is_empty() {
        let (address, rest) = section.split_first_chunk().ok_or_else(broken)?;
        let end = rest.iter().position(|byte| *byte == 0).ok_or_else(broken)?;
        let text = String::from_utf8(rest[..end].to_vec()).map_err(|_| broken())?;
        section = &rest[end + 1..];
        // An address is 0 where the linker has dropped the code.
        let address = u64::from_le_bytes(*address);
        marks.extend((address != 0).then_some((address, text)));
    }
    Ok(marks)
}

/// The probe points of the marks; an error if a mark is unknown or, where there must be all of them, missing.
fn points_of(marks: &[(u64, String)], all_of_them: bool) -> Result<Vec<(u64, ProbePoint)>, String> {
    let point = |text: &str| match text.split_once(' ') {
        Some((INTERRUPT, name)) => register(name).map(ProbePoint::Interrupt),
        Some((SERVED, name)) => register(name).map(ProbePoint::Served),
        _ => MARKS.iter().chain(&PLACED).find(|(name, _)| *name == text).map(|(_, point)| *point),
    };
    let known = |(address, text): &(u64, String)| {
        let point = point(text).ok_or_else(|| format!("the image has an unknown mark: {text}"))?;
        Ok((*address, point))
    };
    let has = |name: &str| marks.iter().any(|(_, text)| text.split(' ').next() == Some(name));
    match MARKS.iter().map(|(name, _)| *name).chain([INTERRUPT]).find(|name| !has(name)) {
        Some(name) if all_of_them => Err(format!("the image has no mark {name}")),
        _ => marks.iter().map(known).collect(),
    }
}

/// The number of a register from the name that the compiler writes.
fn register(name: &str) -> Option<usize> {
    const FIRST: [&str; 10] = ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1"];
    let numbered = |prefix: &str| name.strip_prefix(prefix)?.parse::<usize>().ok();
    let known = FIRST.iter().position(|first| *first == name);
    known
        .or(numbered("a").filter(|n| *n < 8).map(|n| n + 10))
        .or(numbered("s").filter(|n| (2..12).contains(n)).map(|n| n + 16))
        .or(numbered("t").filter(|n| (3..7).contains(n)).map(|n| n + 25))
}

/// The addresses of a function, up to the next function.
fn range(image: &Image, name: &str) -> Result<Range<u64>, String> {
    let functions = &image.functions;
    let index = functions.iter().position(|function| function.name == name);
    let index = index.ok_or_else(|| format!("the image has no function {name}"))?;
    let end = functions.get(index + 1).map_or(u64::MAX, |next| next.address);
    Ok(functions[index].address..end)
}

fn instructions(base: u64, code: &[u8], mut see: impl FnMut(u64, u32)) {
    let mut offset = 0;
    while offset + 2 <= code.len() {
        let half = |at: usize| u32::from(u16::from_le_bytes([code[at], code[at + 1]]));
        let long = half(offset) & 3 == 3 && offset + 4 <= code.len();
        let word = half(offset) | if long { half(offset + 2) << 16 } else { 0 };
        see(base + offset as u64, word);
        offset += if long { 4 } else { 2 };
    }
}

const SSTATUS: u32 = 0x100;
const SIE: u32 = 2;

fn of_instruction(word: u32) -> Option<ProbePoint> {
    match word {
        0x1020_0073 => return Some(ProbePoint::Exit),
        0x1050_0073 => return Some(ProbePoint::Wait),
        _ => {}
    }
    let (operation, source) = (word >> 12 & 7, word >> 15 & 31);
    match (word & 0x7f == 0x73 && word >> 20 == SSTATUS, operation) {
        (true, 7) if source & SIE != 0 => Some(ProbePoint::Disable),
        (true, 6) if source & SIE != 0 => Some(ProbePoint::Enable(None)),
        (true, 2) if source != 0 => Some(ProbePoint::Enable(Some(source as usize))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section(marks: &[(u64, &str)]) -> Vec<u8> {
        let entry = |(address, text): &(u64, &str)| {
            [&address.to_le_bytes()[..], text.as_bytes(), &[0]].concat()
        };
        marks.iter().flat_map(entry).collect()
    }

    fn all() -> Vec<(u64, &'static str)> {
        let names = MARKS.iter().map(|(name, _)| *name).chain(["arch_interrupt_core s2"]);
        names.zip(1..).map(|(name, address)| (address, name)).collect()
    }

    fn read(marks: &[(u64, &str)]) -> Result<Vec<(u64, ProbePoint)>, String> {
        points_of(&super::marks(&section(marks))?, true)
    }

    #[test]
    fn each_copy_of_a_mark_is_a_place_and_dropped_code_is_none() {
        let copies = [(0, "dispatch"), (99, "dispatch")];
        let points = read(&[&all()[..], &copies].concat()).unwrap();
        let of =
            |point| points.iter().filter(|it| it.1 == point).map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(of(ProbePoint::Dispatch), [10, 99]);
        assert_eq!(of(ProbePoint::Interrupt(18)), [12]);
    }

    /// Without this error a part of the kernel's work would silently not be measured.
    #[test]
    fn a_mark_that_is_missing_or_unknown_is_an_error() {
        for missing in 0..all().len() {
            let mut marks = all();
            let (_, text) = marks.remove(missing);
            let name = text.split(' ').next().unwrap();
            assert_eq!(read(&marks).unwrap_err(), format!("the image has no mark {name}"));
        }
        for unknown in ["dispatched", "arch_interrupt_core x9"] {
            let error = read(&[&all()[..], &[(7, unknown)]].concat()).unwrap_err();
            assert_eq!(error, format!("the image has an unknown mark: {unknown}"));
        }
        let whole = section(&all());
        assert!(super::marks(&whole[..whole.len() - 1]).is_err());
        assert!(super::marks(&[&whole[..], &[1]].concat()).is_err());
    }

    #[test]
    fn registers_have_their_numbers() {
        let names = ["zero", "ra", "t2", "s0", "s1", "a0", "a7", "s2", "s11", "t3", "t6"];
        let numbers = names.map(|name| register(name).unwrap());
        assert_eq!(numbers, [0, 1, 7, 8, 9, 10, 17, 18, 27, 28, 31]);
        assert_eq!(["a8", "s12", "t7", "x5", "a", ""].map(register), [None; 6]);
    }
}
