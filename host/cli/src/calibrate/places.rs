// SPDX-License-Identifier: Apache-2.0
//! The addresses of an image at which something of the kernel's work begins or ends.

use std::collections::HashMap;

use object::read::elf::ElfFile;
use object::{LittleEndian, Object, ObjectSection, SectionKind, elf::FileHeader64};

use crate::image::{Image, parse_elf};

/// What is at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// `trap_entry`: its first instruction.
    Trap,
    /// `sleep_end`: an interrupt that does not trap.
    Woken,
    /// `timers_expire`, `inbox_answer`: from here on it is what the interrupt came for.
    Timers,
    Inbox,
    /// A timer's function, or what answers a request.
    Part,
    /// `console_wakes`: a timer's function that is no release.
    Console,
    /// Behind the call of one of these.
    Parted,
    /// `raise`: a device is told to interrupt. `on_device`, its service routine; behind its call;
    /// `kernel_interrupt_leave`.
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
    /// `job_complete`, `wait_begin`: the running task has no more to do.
    Leave,
    /// `dispatch`, and `context_switch` when it switches.
    Dispatch,
    Switch,
    /// `job_request`, `arch_interrupt_core`: another core is asked for something.
    Request,
    Interrupt,
    /// Writes to `sstatus` that clear or set SIE; by a register's bits where there is one.
    Disable,
    Enable(Option<usize>),
    /// `wfi`.
    Wait,
}

/// By name. All are in every image.
const NAMES: [(&str, Place); 20] = [
    ("trap_entry", Place::Trap),
    ("sleep_end", Place::Woken),
    ("timers_expire", Place::Timers),
    ("inbox_answer", Place::Inbox),
    ("periodic_release", Place::Part),
    ("late_release", Place::Part),
    ("wait_expired", Place::Part),
    ("job_begin", Place::Part),
    ("wait_end_here", Place::Part),
    ("console_wakes", Place::Console),
    ("context_resume", Place::Load),
    ("job_main", Place::Job),
    ("job_complete", Place::Leave),
    ("wait_begin", Place::Leave),
    ("dispatch", Place::Dispatch),
    ("context_switch", Place::Switch),
    ("job_request", Place::Request),
    ("raise", Place::Raise),
    ("on_device", Place::Routine),
    ("kernel_interrupt_leave", Place::Tail),
];
const INTERRUPT: &str = "arch_interrupt_core";

pub struct Places {
    pub at: HashMap<u64, Place>,
    /// Where `timers_expire` and `inbox_answer` lie: calls from there are parts of an interrupt.
    pub callers: Vec<std::ops::Range<u64>>,
}

impl Places {
    /// `entries`: names of the tasks' functions.
    pub fn read(image: &Image, entries: &[&str]) -> Result<Places, String> {
        let bytes = std::fs::read(&image.path).map_err(|error| error.to_string())?;
        let elf = parse_elf(&bytes)?;
        let mut at = HashMap::new();
        for section in elf.sections().filter(|section| section.kind() == SectionKind::Text) {
            let code = section.data().map_err(|error| error.to_string())?;
            instructions(section.address(), code, |address, word| {
                at.extend(of_instruction(word).map(|place| (address, place)));
            });
        }
        let load = range(image, "context_resume")?;
        returns(&elf, &load, &mut at);
        let more = entries.iter().map(|name| (*name, Place::Entry));
        for (name, place) in NAMES.into_iter().chain([(INTERRUPT, Place::Interrupt)]).chain(more) {
            at.insert(range(image, name)?.start, place);
        }
        let callers = vec![range(image, "timers_expire")?, range(image, "inbox_answer")?];
        Ok(Places { at, callers })
    }
}

/// A function's addresses, up to the next one.
fn range(image: &Image, name: &str) -> Result<std::ops::Range<u64>, String> {
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

/// The `ret` of the code that restores a context.
fn returns(
    elf: &ElfFile<FileHeader64<LittleEndian>>,
    load: &std::ops::Range<u64>,
    at: &mut HashMap<u64, Place>,
) {
    for section in elf.sections().filter(|section| section.kind() == SectionKind::Text) {
        instructions(section.address(), section.data().unwrap_or_default(), |address, word| {
            if load.contains(&address) && matches!(word, 0x8082 | 0x0000_8067) {
                at.insert(address, Place::Return);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In assembler or called there, the start of a context, or the calibration's own.
    const OTHERS: [&str; 7] = [
        "trap_entry",
        "sleep_end",
        "context_resume",
        "context_switch",
        "job_main",
        "raise",
        "on_device",
    ];

    /// What the compiler made a part of one caller and not of another would be missed in silence.
    #[test]
    fn the_kernel_keeps_its_places_apart() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let files = [
            "kernel/core.h",
            "kernel/task.h",
            "kernel/timer.h",
            "kernel/core.c",
            "kernel/job.c",
            "arch/riscv64/arch.h",
        ];
        let text = files.map(|file| std::fs::read_to_string(root.join(file)).unwrap()).concat();
        let declared: Vec<_> = text.lines().filter(|line| line.starts_with("PLACE ")).collect();
        let names = NAMES.iter().map(|(name, _)| *name).chain([INTERRUPT]);
        for name in names.filter(|name| !OTHERS.contains(name)) {
            let call = format!("{name}(");
            let kept = |line: &&str| line.split([' ', '*']).any(|word| word.starts_with(&call));
            assert!(declared.iter().any(kept), "{name} is not declared with PLACE");
        }
    }
}
