// SPDX-License-Identifier: Apache-2.0
//! Translation, misaligned accesses, cache blocks, fences.

use super::*;
use takt_board::isa::{Access, CacheBlock, Walk, WalkStep, is_canonical};

const V: u64 = 1;
const R: u64 = 2;
const W: u64 = 4;
const X: u64 = 8;
const U: u64 = 16;
const A: u64 = 64;
const D: u64 = 128;
const ALL: u64 = V | R | W | X | A | D;

const ROOT: u64 = RAM + 0x10000;
const MIDDLE: u64 = RAM + 0x11000;
const LAST: u64 = RAM + 0x12000;
/// Virtual addresses: of the code (RAM), and of a data page.
const CODE: u64 = 0x4000_0000;
const DATA: u64 = CODE + 0x5000;
const DATA_PHYSICAL: u64 = RAM + 0x5000;

fn entry(physical: u64, flags: u64) -> u64 {
    physical >> 12 << 10 | flags
}

/// Translation is on; the data page has the flags given.
fn paged(privilege: Privilege, mstatus: u64, data: u64) -> Bench {
    let mut bench = Bench::new();
    let user = if privilege == User { U } else { 0 };
    bench.port.place_double(ROOT + 8, entry(MIDDLE, V));
    bench.port.place_double(MIDDLE, entry(LAST, V));
    bench.port.place_double(LAST, entry(RAM, ALL | user));
    bench.port.place_double(LAST + 5 * 8, entry(DATA_PHYSICAL, data));
    bench.port.place_double(DATA_PHYSICAL, 0x1122_3344_5566_7788);
    bench.write(csr::SATP, 8 << 60 | 0xabcd << 44 | ROOT >> 12);
    bench.write(csr::MSTATUS, mstatus);
    (bench.hart.privilege, bench.code, bench.hart.x[11]) = (privilege, CODE, DATA);
    bench
}

fn load_fault(address: u64) -> Outcome {
    ToMachine(13, address)
}

fn store_fault(address: u64) -> Outcome {
    ToMachine(15, address)
}

#[test]
fn rule_48_a_translated_load() {
    let mut bench = paged(Supervisor, 0, V | R | A);
    assert_eq!(bench.step(LD), Done);
    assert_eq!(bench.hart.x[10], 0x1122_3344_5566_7788);
    let translation = bench.hart.translation(Access::Load);
    assert_eq!((translation.asid, translation.root, translation.sv39), (0xabcd, ROOT, true));
    // M-mode is not translated.
    let mut bench = paged(Machine, 0, V | R | A);
    bench.code = RAM;
    assert_eq!(bench.step(LD), ToMachine(5, DATA));
}

#[test]
fn rule_49_read_write_execute() {
    let fetch = |flags| {
        let mut bench = paged(Supervisor, 0, flags);
        bench.code = DATA;
        bench.port.place_word(DATA_PHYSICAL, NOP);
        bench.step(NOP)
    };
    assert_eq!(paged(Supervisor, 0, V | X | A).step(LD), load_fault(DATA));
    assert_eq!(paged(Supervisor, 0, V | R | A).step(SD), store_fault(DATA));
    assert_eq!(paged(Supervisor, 0, V | R | W | A | D).step(SD), Done);
    assert_eq!(fetch(V | R | W | A | D), ToMachine(12, DATA));
    assert_eq!(fetch(V | X | A), Done);
}

#[test]
fn rule_50_user_pages() {
    assert_eq!(paged(User, 0, V | R | A).step(LD), load_fault(DATA));
    assert_eq!(paged(User, 0, V | R | A | U).step(LD), Done);
    assert_eq!(paged(Supervisor, 0, V | R | A | U).step(LD), load_fault(DATA));
    assert_eq!(paged(Supervisor, SUM, V | R | A | U).step(LD), Done);
    // SUM lets S-mode load and store there, never execute.
    let mut bench = paged(Supervisor, SUM, V | R | X | A | U);
    bench.code = DATA;
    assert_eq!(bench.step(NOP), ToMachine(12, DATA));
}

#[test]
fn rule_51_mxr_makes_executable_readable() {
    assert_eq!(paged(Supervisor, MXR, V | X | A).step(LD), Done);
    assert_eq!(paged(Supervisor, MXR, V | X | A | U).step(LD), load_fault(DATA));
    assert_eq!(paged(User, MXR, V | X | A | U).step(LD), Done);
}

#[test]
fn rule_52_mprv_lends_loads_and_stores_the_mode_in_mpp() {
    // M-mode code runs untranslated, its load is one of S-mode or U-mode.
    for (mpp, flags, fine) in
        [(MPP_S, V | R | A, true), (0, V | R | A, false), (0, V | R | A | U, true)]
    {
        let mut bench = paged(Machine, 0, flags);
        (bench.code, bench.hart.mstatus) = (RAM, MPRV | mpp);
        assert_eq!(bench.step(LD), if fine { Done } else { load_fault(DATA) });
    }
    let mut bench = paged(Machine, 0, V | R | A);
    (bench.code, bench.hart.mstatus) = (RAM, MPRV | MPP_M);
    assert_eq!(bench.step(LD), ToMachine(5, DATA));
}

#[test]
fn rule_53_accessed_and_dirty_are_set_by_the_machine() {
    let leaf = |bench: &Bench| bench.port.double(LAST + 5 * 8) & (A | D);
    let mut bench = paged(Supervisor, 0, V | R | W);
    assert_eq!(bench.step(LD), Done);
    assert_eq!(leaf(&bench), A);
    assert_eq!(bench.step(SD), Done);
    assert_eq!(leaf(&bench), A | D);
    // A refused access marks nothing.
    let mut bench = paged(Supervisor, 0, V | R);
    assert_eq!(bench.step(SD), store_fault(DATA));
    assert_eq!(leaf(&bench), 0);
    // A cached mapping without D sends a store to the walk.
    let translation = bench.hart.translation(Access::Store);
    let mut walk = Walk::begin(translation, 0, Access::Load);
    let WalkStep::Leaf(mapping) = walk.step(V | R | W | A) else { panic!() };
    assert!(mapping.permits(translation, Access::Load));
    assert!(!mapping.permits(translation, Access::Store));
}

#[test]
fn rule_54_an_entry_that_changed_meanwhile_is_read_again() {
    let bench = paged(Supervisor, 0, 0);
    let mut walk = Walk::begin(bench.hart.translation(Access::Store), CODE, Access::Store);
    let old = V | R | W;
    let address = walk.address();
    assert_eq!(walk.step(old), WalkStep::Update { address, old, new: old | A | D });
    assert_eq!(walk.updated(false), WalkStep::Next);
    assert_eq!(walk.address(), address);
    assert_eq!(walk.step(0), WalkStep::Fault);
}

#[test]
fn rule_55_superpages() {
    let translation = paged(Supervisor, 0, 0).hart.translation(Access::Load);
    let address = 0x12_3456_7890 & ((1 << 38) - 1);
    for (steps, bytes) in [(0, 1 << 30), (1, 1 << 21), (2, 1 << 12)] {
        let walked = |physical| {
            let mut walk = Walk::begin(translation, address, Access::Load);
            for level in 0..steps {
                assert_eq!(walk.address() & 0xfff, (address >> (30 - 9 * level) & 511) * 8);
                assert_eq!(walk.step(entry(MIDDLE, V)), WalkStep::Next);
            }
            walk.step(entry(physical, V | R | A))
        };
        let WalkStep::Leaf(mapping) = walked(3 << 40) else { panic!() };
        assert_eq!(
            (mapping.bytes(), mapping.physical(address)),
            (bytes, (3 << 40) | (address % bytes))
        );
        assert!(mapping.contains(address) && !mapping.contains(address ^ bytes));
        // Its physical address must be aligned to its size.
        if steps < 2 {
            assert_eq!(walked(bytes / 2), WalkStep::Fault);
        }
    }
}

#[test]
fn rule_56_reserved_entries_fault() {
    let translation = paged(Supervisor, 0, 0).hart.translation(Access::Load);
    let step = |value| Walk::begin(translation, 0, Access::Load).step(value);
    assert_eq!(step(R | W | A), WalkStep::Fault, "not valid");
    assert_eq!(step(V | W | A | D), WalkStep::Fault, "W without R");
    assert_eq!(step(V | W | X | A | D), WalkStep::Fault, "W without R");
    for bit in 54..64 {
        assert_eq!(step(V | R | A | 1 << bit), WalkStep::Fault, "bit {bit}");
        assert_eq!(step(V | 1 << bit), WalkStep::Fault, "bit {bit} of a pointer");
    }
    for flag in [U, A, D] {
        assert_eq!(step(V | flag), WalkStep::Fault, "a pointer has no {flag:#x}");
    }
    // The two bits for software mean nothing.
    assert!(matches!(step(V | R | A | 3 << 8), WalkStep::Leaf(_)));
    let mut walk = Walk::begin(translation, 0, Access::Load);
    assert_eq!((walk.step(V), walk.step(V)), (WalkStep::Next, WalkStep::Next));
    assert_eq!(walk.step(V), WalkStep::Fault, "a pointer in the last level");
}

#[test]
fn rule_57_addresses_are_canonical() {
    for address in [1 << 38, 1 << 39, u64::MAX << 39, 1 << 63, CODE | 1 << 40] {
        assert!(!is_canonical(address));
        let mut bench = paged(Supervisor, 0, V | R | A);
        bench.hart.x[11] = address;
        assert_eq!(bench.step(LD), load_fault(address), "{address:#x}");
        bench.code = address & !0x3f;
        assert_eq!(bench.step_in(Supervisor, NOP), ToMachine(12, address & !0x3f));
    }
    assert!(is_canonical((1 << 38) - 1) && is_canonical(u64::MAX << 38));
}

#[test]
fn rule_58_which_page_fault() {
    let none = |word| paged(Supervisor, 0, 0).step(word);
    assert_eq!(none(LD), load_fault(DATA));
    assert_eq!(none(LR), load_fault(DATA));
    assert_eq!(none(SD), store_fault(DATA));
    assert_eq!(none(SC), store_fault(DATA));
    assert_eq!(none(AMOADD), store_fault(DATA));
    assert_eq!(paged(Supervisor, 0, V | R | A).step(AMOADD), store_fault(DATA));
}

#[test]
fn rule_59_the_part_that_faults_is_in_mtval() {
    // Across the end of the data page, behind which nothing is mapped.
    let mut bench = paged(Supervisor, 0, V | R | W | A | D);
    bench.hart.x[11] = DATA + 0xffc;
    assert_eq!(bench.step(LD), load_fault(DATA + 0x1000));
    let before = bench.port.double(DATA_PHYSICAL + 0xff8);
    bench.hart.x[10] = 1;
    assert_eq!(bench.step_in(Supervisor, SD), store_fault(DATA + 0x1000));
    assert_eq!(bench.port.double(DATA_PHYSICAL + 0xff8), before, "half a store is none");
    let mut bench = paged(Supervisor, 0, V | X | A);
    bench.port.place(DATA_PHYSICAL + 0xffe, &[0x13, 0]);
    bench.code = DATA + 0xffe;
    assert_eq!(bench.step(NOP), ToMachine(12, DATA + 0x1000));
    assert_eq!(bench.hart.mepc, DATA + 0xffe);
}

#[test]
fn rule_60_misaligned_accesses() {
    let mut bench = Bench::new();
    for offset in 0..8 {
        bench.hart.x[11] = DATA_PHYSICAL + 0xff8 + offset;
        bench.hart.x[10] = 0x0102_0304_0506_0708;
        assert_eq!(bench.step(SD), Done);
        bench.hart.x[10] = 0;
        assert_eq!(bench.step(LD), Done);
        assert_eq!(bench.hart.x[10], 0x0102_0304_0506_0708);
    }
    let at = bench.hart.x[11];
    assert_eq!(bench.step(LR), ToMachine(4, at));
    assert_eq!(bench.step(SC), ToMachine(6, at));
    assert_eq!(bench.step(AMOADD), ToMachine(6, at));
}

#[test]
fn rule_61_cache_blocks_need_leave() {
    const INVAL: u32 = 0x0005_a00f;
    const CLEAN: u32 = 0x0015_a00f;
    const FLUSH: u32 = 0x0025_a00f;
    let done = |privilege, menvcfg, senvcfg, word| {
        let mut bench = Bench::new();
        bench.write(csr::MENVCFG, menvcfg);
        bench.write(csr::SENVCFG, senvcfg);
        (bench.hart.privilege, bench.hart.x[11]) = (privilege, RAM + 64);
        let outcome = bench.step(word);
        assert!(outcome == Done || outcome == illegal(word));
        bench.port.blocks.pop().map(|(block, _)| block)
    };
    let (flush, invalidate) = (Some(CacheBlock::Flush), Some(CacheBlock::Invalidate));
    assert_eq!(done(Machine, 0, 0, INVAL), invalidate);
    assert_eq!(done(Machine, 0, 0, CLEAN), Some(CacheBlock::Clean));
    assert_eq!(done(Supervisor, 0, 0x70, INVAL), None);
    assert_eq!(done(Supervisor, 0x10, 0, INVAL), flush);
    assert_eq!(done(Supervisor, 0x30, 0, INVAL), invalidate);
    assert_eq!(done(User, 0x30, 0, INVAL), None);
    assert_eq!(done(User, 0x30, 0x10, INVAL), flush);
    assert_eq!(done(User, 0x10, 0x30, INVAL), flush);
    assert_eq!(done(User, 0x30, 0x30, INVAL), invalidate);
    assert_eq!(done(Supervisor, 0x30, 0x40, FLUSH), None);
    assert_eq!(done(Supervisor, 0x40, 0, FLUSH), flush);
    assert_eq!(done(User, 0x40, 0, CLEAN), None);
    assert_eq!(done(User, 0x40, 0x40, CLEAN), Some(CacheBlock::Clean));
    // With the right to read the page; without, it faults as a store.
    let mut bench = paged(Machine, 0, V | R | A);
    (bench.code, bench.hart.mstatus) = (RAM, MPRV | MPP_S);
    assert_eq!(bench.step(FLUSH), Done);
    bench.port.place_double(LAST + 5 * 8, entry(DATA_PHYSICAL, V | X | A));
    assert_eq!(bench.step(FLUSH), store_fault(DATA));
}

#[test]
fn rule_62_fiom_orders_memory_with_devices() {
    let fence = 0x0840_000f; // fence i, o
    for (privilege, menvcfg, senvcfg, sets) in [
        (Machine, 1, 1, (8, 4)),
        (Supervisor, 0, 1, (8, 4)),
        (Supervisor, 1, 0, (10, 5)),
        (User, 0, 1, (10, 5)),
        (User, 1, 0, (10, 5)),
    ] {
        let mut bench = Bench::new();
        bench.write(csr::MENVCFG, menvcfg);
        bench.write(csr::SENVCFG, senvcfg);
        bench.hart.privilege = privilege;
        assert_eq!(bench.step(fence), Done);
        assert_eq!(bench.port.fences.pop(), Some(sets));
    }
}

#[test]
fn rule_63_sfence_operands() {
    let mut bench = Bench::new();
    (bench.hart.x[11], bench.hart.x[12]) = (CODE, 0x1_0007);
    for (rs1, rs2, expected) in
        [(0, 0, (None, None)), (11, 0, (Some(CODE), None)), (11, 12, (Some(CODE), Some(7)))]
    {
        assert_eq!(bench.step(SFENCE | rs1 << 15 | rs2 << 20), Done);
        assert_eq!(bench.port.flushes.pop(), Some(expected));
    }
}
