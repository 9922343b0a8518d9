// SPDX-License-Identifier: Apache-2.0
//! Runs the random programs, and asks the model about them.

use super::{
    encode::addi,
    figures,
    generate::{self, Program, length},
    layout::{HANDLER, Layout, MARKS, TOHOST},
    program::{board, compile, functional},
};
use fastrand::Rng;
use std::{collections::HashMap, io::Write, path::Path, process::Command};
use takt_board::{
    devices::{Finish, Htif},
    engine::{End, Machine, Order},
    isa::Privilege,
    memory::Ram,
};
use takt_model::{Board, Timing, timing::Kind};

const PROGRAMS: u64 = 1000;
const MOST: usize = 60_000;

/// A machine whose one hart stands at the program's first instruction, with nothing in its caches.
fn machine(board: &Board, elf: &Path, layout: &Layout, program: &Program) -> Machine {
    let mut machine = functional(board, 1, elf).0;
    open_memory(&mut machine);
    let ram = &mut machine.world.fabric.ram;
    let mut write = |address: u64, word: u32| {
        let halves = [word as u16, (word >> 16) as u16];
        for (at, half) in halves.iter().enumerate().take(length(word) as usize / 2) {
            let offset = ram.offset(layout.physical(address + 2 * at as u64), 2).expect("RAM");
            ram.slice_mut(offset, 2).copy_from_slice(&half.to_le_bytes());
        }
    };
    program.words.iter().for_each(|(address, word)| write(*address, *word));
    write_words(ram, HANDLER, &generate::handler());
    let tohost = layout.physical(layout.data() + TOHOST);
    machine.world.io.htif = Some(Htif { tohost, ..Htif::default() });
    let unit = &mut machine.units[0];
    unit.core.code.clear();
    unit.hart.x[..32].copy_from_slice(&program.registers);
    unit.hart.pc = program.entry;
    unit.hart.mtvec = HANDLER;
    unit.hart.mcounteren = 7;
    unit.hart.menvcfg = 0xf0;
    unit.hart.mstatus |= 0x6000;
    if layout.translated {
        unit.hart.privilege = Privilege::Supervisor;
        unit.hart.satp = 8 << 60 | layout.root() >> 12;
    }
    machine
}

fn write_words(ram: &mut Ram, address: u64, words: &[u32]) {
    for (at, word) in words.iter().enumerate() {
        let offset = ram.offset(address + 4 * at as u64, 4).expect("RAM");
        ram.slice_mut(offset, 4).copy_from_slice(&word.to_le_bytes());
    }
}

/// A PMP entry opens all of memory to S-mode.
fn open_memory(machine: &mut Machine) {
    let write = |csr: u32| csr << 20 | 5 << 15 | 0x1073;
    let words = [addi(5, 0, -1), write(0x3b0), addi(5, 0, 0x1f), write(0x3a0)];
    write_words(&mut machine.world.fabric.ram, HANDLER, &words);
    machine.units[0].hart.pc = HANDLER;
    assert_eq!(machine.run(machine.now + 4), End::Until, "four instructions");
}

/// Core 0 is of a kind with these figures of its own, on a board of others.
fn as_a_kind(timing: &Timing, number: u64) -> Timing {
    let Timing { core, l1i, l1d, l2, tlb, .. } = timing.clone();
    let kind = Kind { name: "own".to_string(), cores: vec![0], core, l1i, l1d, l2, tlb };
    let Timing { core, l1i, l1d, l2, tlb, .. } = figures::random(&mut Rng::with_seed(!number));
    Timing { core, l1i, l1d, l2, tlb, kinds: vec![kind], ..timing.clone() }
}

/// What the program executes: address, word, effective address, and whether addresses are virtual.
fn trace(mut machine: Machine, words: &HashMap<u64, u32>) -> Vec<u64> {
    let mut trace = Vec::new();
    while trace.len() < 4 * MOST {
        let hart = &machine.units[0].hart;
        let translated = hart.privilege != Privilege::Machine && hart.satp != 0;
        let word = *words.get(&hart.pc).unwrap_or_else(|| panic!("{:#x} is code", hart.pc));
        trace.extend([hart.pc, word.into(), effective(word, &hart.x), translated.into()]);
        match machine.run(machine.now + 1) {
            End::Until => {}
            End::Finished(Finish::Pass) => return trace,
            end => panic!("the program ends well: {end:?}"),
        }
    }
    panic!("the program is longer than {MOST} instructions");
}

/// The address of a load or store.
fn effective(word: u32, x: &[u64; 64]) -> u64 {
    let from = |register: u32, offset: i64| x[register as usize].wrapping_add(offset as u64);
    let rs1 = word >> 15 & 31;
    let short = |shift: u32| i64::from((word >> 10 & 7) << 3) | i64::from(word >> 5 & 3) << shift;
    match word & 127 {
        _ if word & 3 == 0 => {
            let words = word >> 13 & 3 == 2;
            let low = i64::from(word >> 6 & 1) << 2 | i64::from(word >> 5 & 1) << 6;
            let offset = if words { i64::from((word >> 10 & 7) << 3) | low } else { short(6) };
            from(8 + (word >> 7 & 7), offset)
        }
        _ if word & 3 != 3 => 0,
        0x03 | 0x07 => from(rs1, i64::from(word as i32 >> 20)),
        0x23 | 0x27 => from(rs1, i64::from((word as i32 >> 25 << 5) | (word >> 7 & 31) as i32)),
        0x2f | 0x0f | 0x73 => from(rs1, 0),
        _ => 0,
    }
}

/// Runs the program timed; answers the cycles at its marks.
fn marks(mut machine: Machine, layout: &Layout) -> Vec<u64> {
    machine.begin_timing(|_| 0);
    let end = machine.run(machine.now + 50_000_000);
    assert_eq!(end, End::Finished(Finish::Pass), "the timed program ends");
    let first = layout.data() + MARKS;
    let count = (machine.units[0].hart.x[30] - first) / 8;
    let read = |mark: u64| {
        let ram = &machine.world.fabric.ram;
        let address = layout.physical(first + 8 * mark);
        ram.read::<8>(ram.offset(address, 8).expect("RAM"))
    };
    (0..count).map(read).collect()
}

#[test]
fn with_the_model() {
    let elf = compile("probe.c", &[]);
    let path = elf.with_file_name("model.jsonl");
    let mut file = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
    let only = std::env::var("PROGRAM").ok().and_then(|number| number.parse::<u64>().ok());
    let mut board = board("virt");
    for number in 0..PROGRAMS {
        if only.is_some_and(|only| only != number) {
            continue;
        }
        let mut rng = Rng::with_seed(number);
        let timing = figures::random(&mut rng);
        board.timing =
            Some(if number % 4 == 1 { as_a_kind(&timing, number) } else { timing.clone() });
        let layout = Layout::new(&mut rng);
        let program = generate::program(&mut rng, &layout);
        let mut machine = machine(&board, &elf, &layout, &program);
        let tables = layout.tables(&mut rng, &mut machine.world.fabric.ram);
        let mut words: HashMap<u64, u32> = program.words.iter().copied().collect();
        let handler = generate::handler().into_iter().enumerate();
        words.extend(handler.map(|(at, word)| (HANDLER + 4 * at as u64, word)));
        machine.order = if number % 4 == 0 { Order::Strict } else { Order::Ahead };
        let told = serde_json::json!({
            "number": number,
            "timing": figures::told(&timing),
            "memory": tables,
            "root": layout.root(),
            "start": machine.units[0].clock.max(machine.now),
            "code": words.iter().flat_map(|(at, word)| [*at, u64::from(*word)]).collect::<Vec<_>>(),
            "trace": trace(machine.clone(), &words),
            "marks": marks(machine, &layout),
        });
        writeln!(file, "{told}").expect("the file takes it");
    }
    drop(file);
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/timing/model.py");
    let output = Command::new("python3").arg(model).arg(&path).output().expect("python3 runs");
    println!("{}", String::from_utf8_lossy(&output.stdout));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the model does not agree\n{errors}");
}
