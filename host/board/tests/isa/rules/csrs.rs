// SPDX-License-Identifier: Apache-2.0
//! What CSRs there are and what they keep.

use super::*;

#[test]
fn rule_17_unknown_csrs_are_illegal() {
    // Among them those that firmware probes: pmpcfg1, pmpcfg4, pmpaddr16, mseccfg, mstateen0, mtopi,
    // tselect, hstatus, vsstatus, vstart, seed, mnstatus, mhpmcounter3h.
    for csr in
        [0x3a1, 0x3a4, 0x3c0, 0x747, 0x30c, 0xfb0, 0x7a0, 0x600, 0x200, 0x008, 0x015, 0x744, 0xb83]
    {
        for word in [csrrs(1, csr, 0), csrrw(0, csr, 1)] {
            assert_eq!(Bench::new().step(word), illegal(word), "{csr:#x}");
        }
    }
}

#[test]
fn rule_18_privilege_of_csrs() {
    for (csr, lowest) in
        [(csr::MSTATUS, Machine), (csr::SSTATUS, Supervisor), (csr::SATP, Supervisor)]
    {
        for privilege in [User, Supervisor, Machine] {
            let word = csrrs(1, csr, 0);
            let expected = if privilege >= lowest { Done } else { illegal(word) };
            assert_eq!(Bench::within(privilege, 0).step(word), expected);
        }
    }
}

#[test]
fn rule_19_read_only_csrs() {
    for csr in [0xf11, 0xf12, 0xf13, 0xf14, 0xf15, 0xc00, csr::SCOUNTOVF] {
        // Setting nothing (x0) is no write; setting with a register that holds 0 is one.
        for (word, fine) in [
            (csrrs(1, csr, 0), true),
            (csrrc(1, csr, 0), true),
            (csrrs(1, csr, 6), false),
            (csrrw(1, csr, 0), false),
            (csrrs(1, csr, 1) | 4 << 12, false), // csrrsi with 1
        ] {
            let expected = if fine { Done } else { illegal(word) };
            assert_eq!(Bench::new().step(word), expected, "{csr:#x}");
        }
    }
    let mut bench = Bench::new();
    bench.hart.id = 77;
    assert_eq!(bench.read(0xf14), 77);
    assert_eq!(bench.read(0xf11), 0);
}

#[test]
fn rule_20_mstatus_keeps_what_it_has() {
    let mut bench = Bench::new();
    let fields = SIE | MIE | SPIE | MPIE | SPP | MPP_M | FS | MPRV | SUM | MXR | TVM | TW | TSR;
    let constant = 2 << 32 | 2 << 34;
    assert_eq!(bench.kept(csr::MSTATUS, !MIE), fields & !MIE | constant | 1 << 63);
    // MPP has no value 2.
    assert_eq!(bench.kept(csr::MSTATUS, 2 << 11), MPP_M | constant);
    assert_eq!(bench.kept(csr::MSTATUS, MPP_S), MPP_S | constant);
    assert_eq!(bench.kept(csr::MSTATUS, 2 << 11), MPP_S | constant);
}

#[test]
fn rule_21_sstatus_is_a_window() {
    let mut bench = Bench::new();
    bench.write(csr::MSTATUS, MPP_M | TVM | MPIE);
    let window = SIE | SPIE | SPP | FS | SUM | MXR;
    assert_eq!(bench.kept(csr::SSTATUS, u64::MAX), window | 2 << 32 | 1 << 63);
    assert_eq!(bench.hart.mstatus, window | MPP_M | TVM | MPIE);
    assert_eq!(bench.kept(csr::SSTATUS, 0), 2 << 32);
    assert_eq!(bench.hart.mstatus, MPP_M | TVM | MPIE);
}

#[test]
fn rule_22_misa_is_constant() {
    let mut bench = Bench::new();
    let value = bench.kept(csr::MISA, 0);
    assert_eq!(value >> 62, 2);
    let letters: String =
        (0..26).filter(|bit| value >> bit & 1 != 0).map(|bit| (b'A' + bit) as char).collect();
    assert_eq!(letters, "ACDFIMSU");
}

#[test]
fn rule_23_vectors_have_two_modes() {
    for csr in [csr::MTVEC, csr::STVEC] {
        let mut bench = Bench::new();
        assert_eq!(bench.kept(csr, 0xffff_ffff_8000_0001), 0xffff_ffff_8000_0001);
        assert_eq!(bench.kept(csr, RAM | 2), 0xffff_ffff_8000_0001);
        assert_eq!(bench.kept(csr, RAM | 3), 0xffff_ffff_8000_0001);
        assert_eq!(bench.kept(csr, RAM), RAM);
    }
}

#[test]
fn rule_24_exception_pcs_are_even() {
    let mut bench = Bench::new();
    assert_eq!(bench.kept(csr::MEPC, u64::MAX), u64::MAX - 1);
    assert_eq!(bench.kept(csr::SEPC, u64::MAX), u64::MAX - 1);
}

#[test]
fn rule_25_satp_knows_bare_and_sv39() {
    let mut bench = Bench::new();
    let all = (1 << 60) - 1;
    assert_eq!(bench.kept(csr::SATP, 8 << 60 | all), 8 << 60 | all);
    for mode in [1, 7, 9, 10, 15] {
        assert_eq!(bench.kept(csr::SATP, mode << 60 | 5), 8 << 60 | all);
    }
    assert_eq!(bench.kept(csr::SATP, 0), 0);
}

#[test]
fn rule_26_what_can_be_delegated() {
    let mut bench = Bench::new();
    assert_eq!(bench.kept(csr::MEDELEG, u64::MAX), 0xb3ff);
    assert_eq!(bench.kept(csr::MIDELEG, u64::MAX), 0x2222);
    assert_eq!(bench.kept(csr::MIE, u64::MAX), 0x2aaa);
}

#[test]
fn rule_27_sie_and_sip_are_windows() {
    let mut bench = Bench::new();
    bench.write(csr::MIDELEG, 0x0022);
    bench.write(csr::MIE, 0x0aaa);
    assert_eq!(bench.read(csr::SIE), 0x0022);
    bench.write(csr::SIE, 0);
    assert_eq!(bench.hart.mie, 0x0a88);
    bench.write(csr::MIP, 0x2222);
    assert_eq!(bench.read(csr::SIP), 0x0022);
    // S-mode clears its software interrupt, not its timer's.
    bench.write(csr::SIP, 0);
    assert_eq!(bench.read(csr::MIP), 0x2220);
}

#[test]
fn rule_28_environment_configuration() {
    let mut bench = Bench::new();
    // FIOM, CBIE, CBCFE, STCE; no CBZE, no PBMTE.
    assert_eq!(bench.kept(csr::MENVCFG, u64::MAX), 1 << 63 | 0x71);
    assert_eq!(bench.kept(csr::SENVCFG, u64::MAX), 0x71);
    // CBIE has no value 2.
    assert_eq!(bench.kept(csr::SENVCFG, 0x10), 0x10);
    assert_eq!(bench.kept(csr::SENVCFG, 0x20), 0x10);
}

#[test]
fn rule_29_floats_registers() {
    let mut bench = Bench::within(Machine, FS);
    assert_eq!(bench.kept(0x003, u64::MAX), 0xff);
    assert_eq!((bench.read(0x001), bench.read(0x002)), (0x1f, 7));
    bench.write(0x001, 0);
    bench.write(0x002, 2);
    assert_eq!(bench.read(0x003), 0x40);
}
