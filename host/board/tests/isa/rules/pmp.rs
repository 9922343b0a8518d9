// SPDX-License-Identifier: Apache-2.0
//! Physical memory protection.

use super::*;
use takt_board::isa::{Access, pmp_permits};

const READ: u64 = 1;
const WRITE: u64 = 2;
const EXECUTE: u64 = 4;
const TOR: u64 = 1 << 3;
const NA4: u64 = 2 << 3;
const NAPOT: u64 = 3 << 3;
const LOCK: u64 = 0x80;

/// A hart whose first entries are `(configuration, pmpaddr)`.
fn protected(entries: &[(u64, u64)]) -> Bench {
    let mut bench = Bench::new();
    bench.write(csr::PMPCFG0 + 2, 0);
    for (number, &(_, address)) in (0..).zip(entries) {
        bench.write(csr::PMPADDR0 + number, address);
    }
    let configuration = entries.iter().rev().fold(0, |all, &(byte, _)| all << 8 | byte);
    bench.write(csr::PMPCFG0, configuration);
    bench
}

fn permits(bench: &Bench, address: u64, bytes: u64, access: Access, privilege: Privilege) -> bool {
    pmp_permits(&bench.hart, address, bytes, access, privilege)
}

#[test]
fn rule_64_without_an_entry_only_m_passes() {
    let bench = protected(&[]);
    assert!(permits(&bench, RAM, 8, Access::Load, Machine));
    assert!(!permits(&bench, RAM, 8, Access::Load, Supervisor));
    assert!(!permits(&bench, RAM, 8, Access::Fetch, User));
    let mut bench = protected(&[]);
    bench.hart.privilege = Supervisor;
    assert_eq!(bench.step(NOP), ToMachine(1, RAM));
}

#[test]
fn rule_65_kinds_of_entries() {
    let reads = |bench: &Bench, address| permits(bench, address, 1, Access::Load, User);
    let bench = protected(&[(NA4 | READ, RAM >> 2)]);
    assert!(reads(&bench, RAM) && reads(&bench, RAM + 3));
    assert!(!reads(&bench, RAM + 4) && !reads(&bench, RAM - 1));
    // Ones below the address give the size: none 8 bytes, nine 4 KiB.
    let bench = protected(&[(NAPOT | READ, RAM >> 2)]);
    assert!(reads(&bench, RAM + 7) && !reads(&bench, RAM + 8) && !reads(&bench, RAM - 1));
    let bench = protected(&[(NAPOT | READ, RAM >> 2 | 0x1ff)]);
    assert!(reads(&bench, RAM + 4095) && !reads(&bench, RAM + 4096) && !reads(&bench, RAM - 1));
    let bench = protected(&[(NAPOT | READ, u64::MAX)]);
    assert!(reads(&bench, 0) && reads(&bench, (1 << 56) - 1));
    let bench = protected(&[(TOR | READ, RAM >> 2)]);
    assert!(reads(&bench, 0) && reads(&bench, RAM - 1) && !reads(&bench, RAM));
    let bench = protected(&[(0, RAM >> 2), (TOR | READ, (RAM + 64) >> 2)]);
    assert!(reads(&bench, RAM) && reads(&bench, RAM + 63));
    assert!(!reads(&bench, RAM - 1) && !reads(&bench, RAM + 64));
    // From behind its end: nothing.
    let bench = protected(&[(0, RAM >> 2), (TOR | READ, RAM >> 2)]);
    assert!(!reads(&bench, RAM) && !reads(&bench, RAM - 1));
}

#[test]
fn rule_66_permissions() {
    for byte in 0..8 {
        let bench = protected(&[(NAPOT | byte, u64::MAX)]);
        let has = |access| permits(&bench, RAM, 4, access, Supervisor);
        // Writing without reading is reserved and becomes neither.
        let write = byte & (READ | WRITE) == READ | WRITE;
        assert_eq!(has(Access::Load), byte & READ != 0);
        assert_eq!(has(Access::Store), write);
        assert_eq!(has(Access::Fetch), byte & EXECUTE != 0);
        assert_eq!(has(Access::CacheBlock), byte & READ != 0);
        assert!(permits(&bench, RAM, 4, Access::Store, Machine));
    }
}

#[test]
fn rule_67_the_first_entry_decides() {
    let bench = protected(&[(NAPOT, RAM >> 2 | 0x1ff), (NAPOT | READ | WRITE, u64::MAX)]);
    assert!(!permits(&bench, RAM, 8, Access::Load, User));
    assert!(permits(&bench, RAM + 4096, 8, Access::Load, User));
    let bench = protected(&[(NAPOT | READ | WRITE, u64::MAX), (NAPOT, RAM >> 2 | 0x1ff)]);
    assert!(permits(&bench, RAM, 8, Access::Load, User));
}

#[test]
fn rule_68_half_a_match_is_a_refusal() {
    // Entry 0 holds the access's lower half, entry 1 everything.
    let all = NAPOT | READ | WRITE;
    let bench = protected(&[(NA4 | READ | WRITE, RAM >> 2), (all, u64::MAX)]);
    assert!(permits(&bench, RAM, 4, Access::Load, User));
    assert!(!permits(&bench, RAM, 8, Access::Load, User));
    assert!(!permits(&bench, RAM - 4, 8, Access::Load, User));
    assert!(permits(&bench, RAM + 4, 8, Access::Load, User));
    // In M-mode too, once a locked entry makes it look.
    let bench = protected(&[(NA4 | READ | LOCK, RAM >> 2)]);
    assert!(permits(&bench, RAM, 4, Access::Load, Machine));
    assert!(!permits(&bench, RAM, 8, Access::Load, Machine));
}

#[test]
fn rule_69_locked_entries_bind_m_and_stay() {
    let mut bench =
        protected(&[(0, RAM >> 2), (TOR | READ | EXECUTE | LOCK, (RAM + 4096) >> 2), (0, 7)]);
    assert!(permits(&bench, RAM, 8, Access::Load, Machine));
    assert!(!permits(&bench, RAM, 8, Access::Store, Machine));
    assert!(permits(&bench, RAM + 4096, 8, Access::Store, Machine));
    let configuration = bench.read(csr::PMPCFG0);
    assert_eq!(bench.kept(csr::PMPCFG0, 0x1f), configuration | 0x1f, "others can be written");
    assert_eq!(bench.kept(csr::PMPADDR0 + 1, 9), (RAM + 4096) >> 2);
    assert_eq!(bench.kept(csr::PMPADDR0, 9), RAM >> 2, "the base of a locked range");
    assert_eq!(bench.kept(csr::PMPADDR0 + 2, 9), 9);
}

#[test]
fn rule_70_registers_of_pmp() {
    let mut bench = protected(&[]);
    assert_eq!(bench.kept(csr::PMPADDR0 + 15, u64::MAX), (1 << 54) - 1);
    // Bits 5 and 6 of a configuration are none; W without R is not kept.
    assert_eq!(bench.kept(csr::PMPCFG0 + 2, 0x7a_60), 0x18_00);
    for csr in [0x3a1, 0x3a3] {
        let word = csrrs(1, csr, 0);
        assert_eq!(bench.step(word), illegal(word));
    }
}

#[test]
fn rule_71_refusals_are_access_faults() {
    let denied = RAM + 0x8000;
    let mut bench = protected(&[(NAPOT, denied >> 2 | 0x1ff), (NAPOT | 7, u64::MAX)]);
    (bench.hart.privilege, bench.hart.x[11]) = (User, denied);
    assert_eq!(bench.step(LD), ToMachine(5, denied));
    assert_eq!(bench.step_in(User, SD), ToMachine(7, denied));
    assert_eq!(bench.step_in(User, AMOADD), ToMachine(7, denied));
    assert_eq!(bench.step_in(User, LR), ToMachine(5, denied));
    // MPRV: with the mode in MPP.
    bench.hart.mstatus = MPRV;
    assert_eq!(bench.step_in(Machine, LD), ToMachine(5, denied));
    bench.hart.mstatus = 0;
    assert_eq!(bench.step_in(Machine, LD), Done);
}

#[test]
fn rule_72_page_tables_are_protected_too() {
    let table = RAM + 0x10000;
    let mut bench = protected(&[(NAPOT, table >> 2 | 0x1ff), (NAPOT | 7, u64::MAX)]);
    bench.write(csr::SATP, 8 << 60 | table >> 12);
    let address = 0x1234;
    bench.hart.x[11] = address;
    bench.hart.mstatus = MPRV | MPP_S;
    assert_eq!(bench.step(LD), ToMachine(5, address));
    bench.hart.mstatus = MPRV | MPP_S;
    assert_eq!(bench.step(SD), ToMachine(7, address));
    (bench.hart.privilege, bench.code) = (Supervisor, 0x1000);
    assert_eq!(bench.step(NOP), ToMachine(1, 0x1000));
}
