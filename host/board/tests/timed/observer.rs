// SPDX-License-Identifier: Apache-2.0
//! Who observes a run sees each access, the same in both orders, and changes nothing.

use super::boards::random_board;
use super::program::{board, compile, fingerprint, finish, functional, symbol, timed};
use std::{ops::Range, path::Path, sync::mpsc};
use takt_board::{
    devices::map,
    engine::{
        Machine, Mode, Order,
        observe::{Access, Kind, Location},
    },
    isa::Amo,
};
use takt_model::{Board, Bytes, Scratchpad};

/// Runs to the good end; all accesses, by time and initiator.
fn observed(machine: &mut Machine) -> Vec<Access> {
    let (sender, receiver) = mpsc::channel();
    machine.observe(Some(Box::new(move |access: &Access| {
        sender.send(*access).expect("the test listens");
    })));
    finish(machine, 50_000_000);
    machine.observe(None);
    let mut accesses: Vec<Access> = receiver.iter().collect();
    accesses.sort_by_key(|access| (access.time, access.initiator));
    accesses
}

/// In both orders, which must tell the same; and the run is the one that nobody observed.
fn observed_in_both_orders(start: &Machine) -> Vec<Access> {
    let mut alone = start.clone();
    finish(&mut alone, 50_000_000);
    let each = [Order::Ahead, Order::Strict].map(|order| {
        let mut machine = start.clone();
        machine.order = order;
        let accesses = observed(&mut machine);
        assert_eq!(fingerprint(&machine), fingerprint(&alone), "{order:?}, observed and not");
        accesses
    });
    let [ahead, strict] = each;
    if let Some(at) = (0..ahead.len()).find(|at| ahead.get(*at) != strict.get(*at)) {
        panic!("access {at}: ahead {:x?}, strict {:x?}", ahead[at], strict.get(at));
    }
    assert_eq!(ahead.len(), strict.len());
    ahead
}

fn with_scratchpad() -> Board {
    let mut board = board("tile72");
    board.scratchpads = vec![Scratchpad {
        name: "own".to_string(),
        base: 0x7000_0000,
        size: Bytes(4096),
        latency: 2,
        cores: vec![0, 1],
        window: None,
    }];
    board
}

/// Without the time, as lines that a person can compare.
fn lines(accesses: &[Access], code: Range<u64>, data: u64) -> Vec<String> {
    let mine = accesses.iter().filter(|it| it.initiator == 0 && code.contains(&it.pc));
    let line = |it: &Access| {
        let place = match it.location {
            Location::Memory(at) if code.contains(&at) => format!("code+{}", at - code.start),
            Location::Memory(at) => format!("data+{}", at - data),
            Location::Scratchpad { core, offset } => format!("scratchpad {core}+{offset}"),
            Location::Device(at) => format!("device {at:x}"),
            Location::Nowhere => "nowhere".to_string(),
        };
        let order = match (it.acquire, it.release) {
            (false, false) => "",
            (true, false) => " aq",
            (false, true) => " rl",
            (true, true) => " aqrl",
        };
        let (pc, kind, bytes, value) = (it.pc - code.start, it.kind, it.bytes, it.value);
        format!("{pc}: {kind:?}{order} {bytes} at {place}: {value:x}")
    };
    mine.map(line).collect()
}

#[test]
fn each_access_of_a_program_is_told_once() {
    let amo = |amo, operand| format!("{:?}", Kind::Atomic { amo, operand });
    let (add, swap) = (amo(Amo::Add, 0x55), amo(Amo::Swap, 0));
    let expected = [
        "0: Fetch 64 at code+0: 0".to_string(),
        "16: Store 8 at data+0: 55".to_string(),
        "20: Load 4 at data+4: 0".to_string(),
        "24: LoadReserved aq 8 at data+0: 55".to_string(),
        "28: StoreConditional { done: true } rl 8 at data+0: 55".to_string(),
        "32: StoreConditional { done: false } 8 at data+0: 55".to_string(),
        format!("36: {add} aqrl 4 at data+0: 55"),
        "40: Fence { predecessor: 3, successor: 1 } 0 at nowhere: 0".to_string(),
        "44: FenceInstructions 0 at nowhere: 0".to_string(),
        "48: Store 2 at data+62: 55".to_string(),
        "48: Store 2 at data+64: 0".to_string(),
        "52: Load 4 at data+60: 550000".to_string(),
        "52: Load 4 at data+64: 0".to_string(),
        "60: Load 1 at device 10000005: 60".to_string(),
        "64: Fetch 64 at code+64: 0".to_string(),
        "64: Store 1 at device 10000007: 55".to_string(),
        "72: Store 2 at scratchpad 0+8: 55".to_string(),
        format!("76: {swap} 8 at scratchpad 0+0: 0"),
        "88: CacheBlock 64 at data+0: 0".to_string(),
        "128: Fetch 64 at code+128: 0".to_string(),
        "190: Fetch 64 at code+192: 0".to_string(),
        "190: Load 8 at data+1024: 0".to_string(),
        "194: Fetch 62 at code+194: 0".to_string(),
        "96: Fetch 32 at code+96: 0".to_string(),
    ];
    let program = compile("observed.S", &["-march=rv64gc_zicbom"]);
    let code = symbol(&program, "main")..symbol(&program, "main_end");
    let data = symbol(&program, "data");
    let check = |accesses: &[Access], mode| {
        assert_eq!(lines(accesses, code.clone(), data), expected, "{mode:?}");
    };
    for atomics in [takt_model::timing::Atomics::L1, takt_model::timing::Atomics::Home] {
        let mut board = with_scratchpad();
        board.timing.as_mut().expect("timing").core.atomics = atomics;
        let accesses = observed_in_both_orders(&timed(&board, 2, &program));
        check(&accesses, Mode::Timed);
        // Hart 1 went another way, and was told of too.
        assert!(accesses.iter().any(|access| access.initiator == 1));
    }
    for mode in [Mode::Functional, Mode::Warming] {
        let (mut machine, _) = functional(&with_scratchpad(), 2, &program);
        machine.mode = mode;
        check(&observed(&mut machine), mode);
    }
}

fn of_kind(accesses: &[Access], kinds: &[Kind]) -> Vec<Access> {
    accesses.iter().filter(|access| kinds.contains(&access.kind)).copied().collect()
}

#[test]
fn walks_are_told_where_the_tlb_has_nothing() {
    let program = compile("walks.c", &[]);
    let entry = symbol(&program, "table") + 16;
    let accesses = observed_in_both_orders(&timed(&board("tile72"), 1, &program));
    let walks = of_kind(&accesses, &[Kind::Walk, Kind::WalkUpdate]);
    let told: Vec<_> = walks.iter().map(|it| (it.kind, it.address, it.value & 0xff)).collect();
    assert_eq!(
        told,
        [
            (Kind::Walk, entry, 0x07),
            (Kind::WalkUpdate, entry, 0x47),
            (Kind::Walk, entry, 0x47),
            (Kind::WalkUpdate, entry, 0xc7),
        ]
    );
    let fences = of_kind(&accesses, &[Kind::FenceTranslation]);
    assert_eq!(fences.len(), 1);
    let word = symbol(&program, "word");
    let loads = accesses.iter().filter(|it| it.address == word).map(|it| it.kind);
    assert_eq!(loads.collect::<Vec<_>>(), [Kind::Load, Kind::Load, Kind::Store]);
}

#[test]
fn transfers_are_told_with_their_device() {
    let base = format!("-DDMA_BASE={:#x}", map::DMA.base);
    let machine = timed(&board("p4080"), 3, &compile("dma.c", &[&base]));
    let accesses = observed_in_both_orders(&machine);
    let reads = of_kind(&accesses, &[Kind::DmaRead]);
    let writes = of_kind(&accesses, &[Kind::DmaWrite]);
    let bytes = |list: &[Access]| list.iter().map(|access| access.bytes).sum::<u32>();
    // The last transfer, to where nothing is, was read only.
    assert_eq!((bytes(&reads[..reads.len() - 1]), bytes(&writes)), (1000, 1000));
    assert!(writes.iter().all(|access| access.initiator >= 3 && access.pc == 0));
}

/// Nothing of what the host knew before is left out.
#[test]
fn an_observer_that_comes_later_sees_the_rest() {
    let start = timed(&board("tile72"), 4, &compile("mix.c", &[]));
    let whole = observed(&mut start.clone());
    let mut later = start.clone();
    later.run(start.now + 5000);
    let from = later.now;
    let data = |list: &[Access]| -> Vec<Access> {
        let of_data = |it: &&Access| matches!(it.kind, Kind::Load | Kind::Store);
        list.iter().filter(of_data).filter(|it| it.time >= from).copied().collect()
    };
    let rest = data(&observed(&mut later));
    assert!(rest.len() > 1000 && rest == data(&whole), "{} of them", rest.len());
}

fn check_all(board: &Board, harts: u32, program: &Path, seed: u64) -> usize {
    let mut machine = timed(board, harts, program);
    machine.set_seed(seed, seed % 5);
    observed_in_both_orders(&machine).len()
}

#[test]
fn both_orders_tell_the_same_of_machines_of_all_figures() {
    let mix = compile("mix.c", &[]);
    let scratchmix = compile("scratchmix.c", &[]);
    let locks = compile("locks.c", &["-DROUNDS=1"]);
    let mut count = 0;
    for seed in 0..24 {
        let mut random = fastrand::Rng::with_seed(seed);
        let harts = random.u32(2..9);
        let mut board = random_board(&mut random, harts);
        count += check_all(&board, harts, &mix, seed);
        if seed % 8 == 0 {
            count += check_all(&board, harts, &locks, seed);
        }
        let window = takt_model::ScratchpadWindow { base: 0x7100_0000, stride: Bytes(0x1_0000) };
        board.scratchpads = with_scratchpad().scratchpads;
        board.scratchpads[0].cores = (0..harts).collect();
        board.scratchpads[0].window = Some(window);
        count += check_all(&board, harts, &scratchmix, seed);
    }
    println!("{count} accesses");
    assert!(count > 100_000);
}
