// SPDX-License-Identifier: Apache-2.0
//! Programs of `tests/programs` on the bare machine: compiled by the real compiler, in M-mode.

use std::path::{Path, PathBuf};
use std::process::Command;
use takt_board::{
    Setup, Started,
    boot::Firmware,
    devices::{Extra, Finish},
    engine::{End, Machine, Order},
    isa::CounterEvent,
    start,
};
use takt_model::Board;

pub fn board(name: &str) -> Board {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../boards/{name}.toml"));
    Board::read(&path).unwrap_or_else(|_| panic!("{} is readable", path.display()))
}

/// Compiles a program with the start code; `options` are the compiler's, such as `-DROUNDS=3`.
pub fn compile(name: &str, options: &[&str]) -> PathBuf {
    linked(name, options, "link.ld", "start.S")
}

/// Compiles a program for the scratchpads of workers.
pub fn compile_worker(name: &str, options: &[&str]) -> PathBuf {
    linked(name, &[options, &["-DWORKER"]].concat(), "worker.ld", "worker.S")
}

fn linked(name: &str, options: &[&str], script: &str, start: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let output = PathBuf::from(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("/tmp"));
    let elf = output.join(format!("{name}{}.elf", options.concat()).replace(['/', ' '], "_"));
    let scratch = elf.with_extension(format!("{:?}", std::thread::current().id()));
    let status = Command::new("riscv64-unknown-elf-gcc")
        .args(["-march=rv64gc", "-mabi=lp64d", "-mcmodel=medany", "-O2", "-std=gnu17", "-Wall"])
        .args(["-ffreestanding", "-nostdlib", "-static", "-Wl,--build-id=none"])
        .args(options)
        .arg(format!("-Wl,-T,{}", folder.join(script).display()))
        .arg(folder.join(start))
        .arg(folder.join(name))
        .arg("-o")
        .arg(&scratch)
        .status()
        .expect("the cross compiler is installed");
    assert!(status.success(), "{name} compiles");
    std::fs::rename(&scratch, &elf).expect("the program is in its place");
    elf
}

/// A machine at the program's first instruction, timed from the start.
pub fn timed(board: &Board, harts: u32, program: &Path) -> Machine {
    timed_with(board, harts, program, vec![])
}

/// The same, with more devices.
pub fn timed_with(board: &Board, harts: u32, program: &Path, devices: Vec<Extra>) -> Machine {
    let (mut machine, entry) = functional_with(board, harts, program, devices);
    machine.set_stops(vec![entry]);
    assert!(matches!(machine.run(1_000_000), End::Stop { .. }), "the ROM jumps to the entry");
    machine.set_stops(Vec::new());
    machine.begin_timing(|_| 0);
    machine
}

pub fn functional(board: &Board, harts: u32, program: &Path) -> (Machine, u64) {
    functional_with(board, harts, program, vec![])
}

fn functional_with(
    board: &Board,
    harts: u32,
    program: &Path,
    devices: Vec<Extra>,
) -> (Machine, u64) {
    let setup = Setup {
        board,
        harts,
        program,
        firmware: Firmware::None,
        initrd: None,
        arguments: "",
        input: vec![],
        devices,
    };
    let Started { mut machine, symbols, entry, .. } = start(setup).expect("the machine starts");
    let symbol = symbols.iter().find(|symbol| symbol.name == "harts").expect("start.S");
    let offset = machine.world.fabric.ram.offset(symbol.address, 8).expect("it is in RAM");
    machine.world.fabric.ram.slice_mut(offset, 8).copy_from_slice(&u64::from(harts).to_le_bytes());
    (machine, entry)
}

/// Runs a program to its good end; answers the cycle in which it ended.
pub fn finish(machine: &mut Machine, budget: u64) -> u64 {
    let end = machine.run(machine.now + budget);
    if end != End::Finished(Finish::Pass) {
        for unit in machine.units.iter().take(8) {
            eprintln!(
                "hart {} {:?} at {:#x}, clock {}, waits {:?}, misses {}, stores {}",
                unit.hart.id,
                unit.state,
                unit.hart.pc,
                unit.clock,
                unit.core.waits,
                unit.core.misses.len(),
                unit.core.stores.entries.len(),
            );
        }
        panic!("the program ended with {end:?} at {}", machine.now);
    }
    machine.now
}

/// What cores count of themselves.
pub const EVENTS: [CounterEvent; 7] = [
    CounterEvent::L1dMiss,
    CounterEvent::L1iMiss,
    CounterEvent::L2Miss,
    CounterEvent::LlcMiss,
    CounterEvent::MemoryRead,
    CounterEvent::MemoryWrite,
    CounterEvent::TlbMiss,
];

/// All that a run leaves in the harts and in memory, in one number.
pub fn fingerprint(machine: &Machine) -> u64 {
    let mut sum = 0u64;
    let mut add = |value: u64| sum = (sum ^ value).wrapping_mul(0x100_0000_01b3).rotate_left(17);
    for (index, unit) in machine.units.iter().enumerate() {
        unit.hart.x[..32].iter().for_each(|x| add(*x));
        add(unit.hart.pc);
        add(unit.hart.instret);
        add(unit.clock);
        EVENTS.iter().for_each(|event| add(machine.count(index, *event)));
    }
    for page in machine.world.fabric.ram.touched_pages() {
        let words = machine.world.fabric.ram.slice(page, 4096).chunks_exact(8);
        words.for_each(|word| add(u64::from_le_bytes(word.try_into().expect("eight bytes"))));
    }
    add(machine.now);
    add(machine.world.coherence.transactions_done());
    sum
}

/// Runs a program in both orders, which must agree in everything; answers its last cycle.
pub fn in_both_orders(machine: &Machine, budget: u64) -> u64 {
    let run = |order| {
        let mut machine = machine.clone();
        machine.order = order;
        let end = finish(&mut machine, budget);
        (end, fingerprint(&machine))
    };
    let ahead = run(Order::Ahead);
    let strict = run(Order::Strict);
    if ahead != strict {
        tell_difference(machine, strict.0.max(ahead.0) - machine.now);
    }
    assert_eq!(ahead, strict, "ahead of strict");
    ahead.0
}

/// Where two orders that do not agree part: looks at growing moments, each from the start.
pub fn tell_difference(machine: &Machine, budget: u64) {
    let at = |order, until| {
        let mut machine = machine.clone();
        machine.order = order;
        machine.run(until);
        machine
    };
    let (mut low, mut high) = (machine.now, machine.now + budget);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let same =
            fingerprint(&at(Order::Ahead, middle)) == fingerprint(&at(Order::Strict, middle));
        *(if same { &mut low } else { &mut high }) = middle;
    }
    let (ahead, strict) = (at(Order::Ahead, high), at(Order::Strict, high));
    eprintln!("the orders part before {high}: ahead, strict");
    for (a, s) in ahead.units.iter().zip(&strict.units) {
        for unit in [a, s] {
            eprintln!(
                "hart {} pc {:#x} clock {} instret {} {:?} waits {:?} misses {} stores {} x {:x?}",
                unit.hart.id,
                unit.hart.pc,
                unit.clock,
                unit.hart.instret,
                unit.state,
                unit.core.waits,
                unit.core.misses.len(),
                unit.core.stores.entries.len(),
                &unit.hart.x[10..18],
            );
        }
    }
}

/// The address of a program's symbol.
pub fn symbol(program: &Path, name: &str) -> u64 {
    use object::{Object, ObjectSymbol};
    let bytes = std::fs::read(program).expect("the program");
    let file = object::File::parse(&*bytes).expect("an ELF file");
    file.symbols().find(|symbol| symbol.name() == Ok(name)).expect("the symbol").address()
}
