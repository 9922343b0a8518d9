// SPDX-License-Identifier: Apache-2.0
//! The addresses of an image at which something of the kernel's work begins or ends: its marks
//! (`arch/riscv64/arch.h`), labels of its assembler, functions of the calibration, and instructions.

use std::collections::HashMap;
use std::ops::Range;

use object::{Object, ObjectSection, SectionKind};

use super::system::Program;
use crate::image::{Image, parse_elf};

/// What is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// `trap_entry`: its first instruction.
    Trap,
    /// `sleep_end`: an interrupt that does not trap.
    Woken,
    /// From here on it is what a timer interrupt or an IPI came for.
    Timers,
    Inbox,
    /// The end of a timer's function, of the answer to a request, of a part of that to an overrun.
    Part,
    /// The timer whose function has begun is the console's: its part is no release.
    Console,
    /// `raise`: a device is told to interrupt. `on_device`, its service routine; behind its call;
    /// the interrupt's end begins.
    Raise,
    Routine,
    Returned,
    Tail,
    /// `context_resume`: another context is restored than was saved.
    Load,
    /// `sret`, which enables interrupts; the `ret` of `context_resume`, which does not.
    Exit,
    Return,
    /// `job_main`, and the first instruction of an entry.
    Job,
    Entry,
    /// A job completes, or a wait begins: the running task has no more to do.
    Leave,
    /// The kernel looks which task should run; `context_switch`, when it switches.
    Dispatch,
    Switch,
    /// A job is asked for; a core is interrupted, whose block is in this register.
    Request,
    Interrupt(usize),
    /// Writes to `sstatus` that clear or set SIE; by a register's bits where there is one.
    Disable,
    Enable(Option<usize>),
    /// `wfi`.
    Wait,
    /// `exercised`: the program has run a path of the kernel, whose number is in `a0`.
    Exercised,
}

/// The kernel's marks, by name. All are in the calibration's image.
const MARKS: [(&str, Place); 11] = [
    ("timer_answer", Place::Timers),
    ("inbox_answer", Place::Inbox),
    ("timer_expired", Place::Part),
    ("post_answered", Place::Part),
    ("overrun_answered", Place::Part),
    ("console_wakes", Place::Console),
    ("kernel_interrupt_leave", Place::Tail),
    ("job_complete", Place::Leave),
    ("wait_begin", Place::Leave),
    ("dispatch", Place::Dispatch),
    ("job_request", Place::Request),
];
/// The mark that says in which register the core is.
const INTERRUPT: &str = "arch_interrupt_core";
/// As CMake and the linker leave it (`arch/riscv64/arch.h`).
const SECTION: &str = ".debug_takt_marks";

/// Functions and labels that stay what they are: in assembler or called there, the start of a context, or the
/// calibration's own.
const NAMES: [(&str, Place); 7] = [
    ("trap_entry", Place::Trap),
    ("sleep_end", Place::Woken),
    ("context_resume", Place::Load),
    ("job_main", Place::Job),
    ("context_switch", Place::Switch),
    ("raise", Place::Raise),
    ("on_device", Place::Routine),
];

/// By address, in the order in which they are passed.
pub struct Places {
    pub at: HashMap<u64, Vec<Place>>,
}

impl Places {
    /// Those of one of the calibration's programs.
    pub fn read(image: &Image, program: Program) -> Result<Places, String> {
        let bytes = std::fs::read(&image.path).map_err(|error| error.to_string())?;
        let elf = parse_elf(&bytes)?;
        let section = elf.section_by_name(SECTION).ok_or("the image has no marks")?;
        let mut all = places_of(&marks(section.data().map_err(|error| error.to_string())?)?)?;
        let load = range(image, "context_resume")?;
        let entries = program.entries().into_iter().map(|name| (name, Place::Entry));
        let exercised = (program == Program::Paths).then_some(("exercised", Place::Exercised));
        for (name, place) in NAMES.into_iter().chain(entries).chain(exercised) {
            all.push((range(image, name)?.start, place));
        }
        for section in elf.sections().filter(|section| section.kind() == SectionKind::Text) {
            let code = section.data().map_err(|error| error.to_string())?;
            instructions(section.address(), code, |address, word| {
                all.extend(of_instruction(word).map(|place| (address, place)));
                let returns = load.contains(&address) && matches!(word, 0x8082 | 0x0000_8067);
                all.extend(returns.then_some((address, Place::Return)));
            });
        }
        let mut at: HashMap<u64, Vec<Place>> = HashMap::new();
        for (address, place) in all {
            at.entry(address).or_default().push(place);
        }
        Ok(Places { at })
    }
}

/// Each address of the section with its text.
fn marks(mut section: &[u8]) -> Result<Vec<(u64, String)>, String> {
    let broken = || format!("the section {SECTION} is broken");
    let mut marks = Vec::new();
    while !section.is_empty() {
        let (address, rest) = section.split_first_chunk().ok_or_else(broken)?;
        let end = rest.iter().position(|byte| *byte == 0).ok_or_else(broken)?;
        let text = String::from_utf8(rest[..end].to_vec()).map_err(|_| broken())?;
        section = &rest[end + 1..];
        // The linker has dropped the code of some.
        let address = u64::from_le_bytes(*address);
        marks.extend((address != 0).then_some((address, text)));
    }
    Ok(marks)
}

/// What the marks stand for; an error where one is unknown or missing.
fn places_of(marks: &[(u64, String)]) -> Result<Vec<(u64, Place)>, String> {
    let place = |text: &str| match text.split_once(' ') {
        Some((INTERRUPT, name)) => register(name).map(Place::Interrupt),
        _ => MARKS.iter().find(|(name, _)| *name == text).map(|(_, place)| *place),
    };
    let known = |(address, text): &(u64, String)| {
        let place = place(text).ok_or_else(|| format!("the image has an unknown mark: {text}"))?;
        Ok((*address, place))
    };
    let has = |name: &str| marks.iter().any(|(_, text)| text.split(' ').next() == Some(name));
    match MARKS.iter().map(|(name, _)| *name).chain([INTERRUPT]).find(|name| !has(name)) {
        Some(name) => Err(format!("the image has no mark {name}")),
        None => marks.iter().map(known).collect(),
    }
}

/// The number of a register, by the name that the compiler writes.
fn register(name: &str) -> Option<usize> {
    const FIRST: [&str; 10] = ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1"];
    let numbered = |prefix: &str| name.strip_prefix(prefix)?.parse::<usize>().ok();
    let known = FIRST.iter().position(|first| *first == name);
    known
        .or(numbered("a").filter(|n| *n < 8).map(|n| n + 10))
        .or(numbered("s").filter(|n| (2..12).contains(n)).map(|n| n + 16))
        .or(numbered("t").filter(|n| (3..7).contains(n)).map(|n| n + 25))
}

/// A function's addresses, up to the next one.
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

fn of_instruction(word: u32) -> Option<Place> {
    match word {
        0x1020_0073 => return Some(Place::Exit),
        0x1050_0073 => return Some(Place::Wait),
        _ => {}
    }
    let (operation, source) = (word >> 12 & 7, word >> 15 & 31);
    match (word & 0x7f == 0x73 && word >> 20 == SSTATUS, operation) {
        (true, 7) if source & SIE != 0 => Some(Place::Disable),
        (true, 6) if source & SIE != 0 => Some(Place::Enable(None)),
        (true, 2) if source != 0 => Some(Place::Enable(Some(source as usize))),
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

    fn read(marks: &[(u64, &str)]) -> Result<Vec<(u64, Place)>, String> {
        places_of(&super::marks(&section(marks))?)
    }

    #[test]
    fn each_copy_of_a_mark_is_a_place_and_dropped_code_is_none() {
        let copies = [(0, "dispatch"), (99, "dispatch")];
        let places = read(&[&all()[..], &copies].concat()).unwrap();
        let of =
            |place| places.iter().filter(|it| it.1 == place).map(|it| it.0).collect::<Vec<_>>();
        assert_eq!(of(Place::Dispatch), [10, 99]);
        assert_eq!(of(Place::Interrupt(18)), [12]);
    }

    /// Else a part of the kernel's work would not be seen, and nobody would know.
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
