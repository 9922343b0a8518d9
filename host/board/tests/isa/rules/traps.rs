// SPDX-License-Identifier: Apache-2.0
//! Traps and returns.

use super::*;

#[test]
fn rule_01_delegation_never_lowers_privilege() {
    let mut bench = Bench::new();
    bench.write(csr::MEDELEG, 1 << 3);
    assert_eq!(bench.step(EBREAK), ToMachine(3, 0));
}

#[test]
fn rule_02_delegated_exception_goes_to_s() {
    for (privilege, spp) in [(User, 0), (Supervisor, SPP)] {
        for sie in [0, SIE] {
            let mut bench = Bench::within(privilege, sie | MIE);
            bench.write(csr::MEDELEG, 1 << 3);
            assert_eq!(bench.step(EBREAK), ToSupervisor(3, 0));
            assert_eq!((bench.hart.privilege, bench.hart.sepc), (Supervisor, RAM));
            let stacked = if sie != 0 { SPIE } else { 0 };
            assert_eq!(bench.hart.mstatus, MIE | spp | stacked);
            assert_eq!((bench.hart.mcause, bench.hart.mepc), (0, 0));
        }
    }
}

#[test]
fn rule_03_other_exceptions_go_to_m() {
    for (privilege, mpp) in [(User, 0), (Supervisor, MPP_S), (Machine, MPP_M)] {
        for mie in [0, MIE] {
            let mut bench = Bench::within(privilege, mie | SIE);
            assert_eq!(bench.step(EBREAK), ToMachine(3, 0));
            assert_eq!((bench.hart.privilege, bench.hart.mepc), (Machine, RAM));
            let stacked = if mie != 0 { MPIE } else { 0 };
            assert_eq!(bench.hart.mstatus, SIE | mpp | stacked);
        }
    }
}

#[test]
fn rule_04_only_interrupts_are_vectored() {
    let mut bench = Bench::new();
    bench.write(csr::MTVEC, M_VECTOR | 1);
    bench.step(EBREAK);
    assert_eq!(bench.hart.pc, M_VECTOR);
    bench.write(csr::MIE, 1 << 7);
    bench.hart.set_pending(7, true);
    bench.hart.privilege = User;
    assert_eq!(bench.step(NOP), ToMachine(1 << 63 | 7, 0));
    // A nop of the handler has been executed as well.
    assert_eq!(bench.hart.pc, M_VECTOR + 4 * 7 + 4);
    let mut bench = Bench::within(User, 0);
    bench.write(csr::STVEC, S_VECTOR | 1);
    bench.write(csr::MIDELEG, 1 << 9);
    bench.write(csr::MIE, 1 << 9);
    bench.hart.set_pending(9, true);
    assert_eq!(bench.step(NOP), ToSupervisor(1 << 63 | 9, 0));
    assert_eq!(bench.hart.pc, S_VECTOR + 4 * 9 + 4);
}

#[test]
fn rule_05_mret_unstacks() {
    for (mpp, privilege) in [(0, User), (MPP_S, Supervisor), (MPP_M, Machine)] {
        for mpie in [0, MPIE] {
            let mut bench = Bench::within(Machine, mpp | mpie | SPIE);
            bench.write(csr::MEPC, RAM + 0x40);
            assert_eq!(bench.step(MRET), Done);
            assert_eq!((bench.hart.pc, bench.hart.privilege), (RAM + 0x40, privilege));
            let mie = if mpie != 0 { MIE } else { 0 };
            assert_eq!(bench.hart.mstatus, MPIE | mie | SPIE);
        }
    }
}

#[test]
fn rule_06_sret_unstacks() {
    for (from, spp, privilege) in
        [(Supervisor, 0, User), (Supervisor, SPP, Supervisor), (Machine, SPP, Supervisor)]
    {
        for spie in [0, SPIE] {
            let mut bench = Bench::within(from, spp | spie | MPP_M);
            bench.write(csr::SEPC, RAM + 0x40);
            assert_eq!(bench.step(SRET), Done);
            assert_eq!((bench.hart.pc, bench.hart.privilege), (RAM + 0x40, privilege));
            let sie = if spie != 0 { SIE } else { 0 };
            assert_eq!(bench.hart.mstatus, SPIE | sie | MPP_M);
        }
    }
}

#[test]
fn rule_07_returns_below_m_clear_mprv() {
    let after = |word, mstatus| {
        let mut bench = Bench::within(Machine, mstatus | MPRV);
        assert_eq!(bench.step(word), Done);
        bench.hart.mstatus & MPRV != 0
    };
    assert!(after(MRET, MPP_M));
    assert!(!after(MRET, MPP_S));
    assert!(!after(MRET, 0));
    assert!(!after(SRET, SPP | MPP_M));
}

#[test]
fn rule_08_who_may_return() {
    assert_eq!(Bench::within(Supervisor, 0).step(MRET), illegal(MRET));
    assert_eq!(Bench::within(User, 0).step(MRET), illegal(MRET));
    assert_eq!(Bench::within(User, 0).step(SRET), illegal(SRET));
    assert_eq!(Bench::within(Supervisor, TSR).step(SRET), illegal(SRET));
    assert_eq!(Bench::within(Supervisor, 0).step(SRET), Done);
    assert_eq!(Bench::within(Machine, TSR).step(SRET), Done);
}

#[test]
fn rule_09_who_may_wait() {
    assert_eq!(Bench::within(User, 0).step(WFI), illegal(WFI));
    assert_eq!(Bench::within(Supervisor, TW).step(WFI), illegal(WFI));
    assert_eq!(Bench::within(Supervisor, 0).step(WFI), Done);
    assert_eq!(Bench::within(Machine, TW).step(WFI), Done);
}

#[test]
fn rule_10_tvm_guards_translation() {
    let read = csrrs(1, csr::SATP, 0);
    let write = csrrw(0, csr::SATP, 0);
    for word in [read, write, SFENCE] {
        assert_eq!(Bench::within(Supervisor, TVM).step(word), illegal(word));
        assert_eq!(Bench::within(User, 0).step(word), illegal(word));
        assert_eq!(Bench::within(Supervisor, 0).step(word), Done);
        assert_eq!(Bench::within(Machine, TVM).step(word), Done);
    }
}

#[test]
fn rule_11_calls_and_breakpoints() {
    assert_eq!(Bench::within(User, 0).step(ECALL), ToMachine(8, 0));
    assert_eq!(Bench::within(Supervisor, 0).step(ECALL), ToMachine(9, 0));
    assert_eq!(Bench::within(Machine, 0).step(ECALL), ToMachine(11, 0));
    assert_eq!(Bench::within(Machine, 0).step(EBREAK), ToMachine(3, 0));
    assert_eq!(Bench::within(Machine, 0).step(0x9002), ToMachine(3, 0));
}

#[test]
fn rule_12_mtval_holds_the_illegal_instruction() {
    assert_eq!(Bench::new().step(0xffff_ffff), illegal(0xffff_ffff));
    // 16 bits: no more of them.
    assert_eq!(Bench::new().step(0x1234_0000), illegal(0));
    assert_eq!(Bench::new().step(0x1234_8002), illegal(0x8002));
}

#[test]
fn rule_13_floats_need_fs() {
    // fadd.d, fld, fsd, flw, fsw, csrr fcsr; c.fld, c.fsd, c.fldsp, c.fsdsp with scattered offsets
    for word in [
        0x0231_70d3,
        0xff45_b507,
        0xfea5_ba27,
        0x7ff5_a507,
        0x80a5_a027,
        0x0030_2573,
        0x0000_2de8,
        0x0000_bc74,
        0x0000_3a9a,
        0x0000_bdb6,
    ] {
        assert_eq!(Bench::new().step(word), illegal(word), "{word:#x}");
        let mut bench = Bench::within(Machine, 1 << 13);
        (bench.hart.x[10], bench.hart.x[11], bench.hart.x[2]) =
            (RAM + 4096, RAM + 4096, RAM + 4096);
        for register in 8..16 {
            bench.hart.x[register] = RAM + 4096;
        }
        assert_eq!(bench.step(word), Done, "{word:#x}");
    }
}

#[test]
fn rule_14_fs_becomes_dirty() {
    let run = |word, fflags| {
        let mut bench = Bench::within(Machine, 1 << 13);
        bench.hart.fflags = fflags;
        bench.hart.f[2] = 0x7ff0_0000_0000_0001;
        bench.hart.x[11] = RAM + 4096;
        assert_eq!(bench.step(word), Done);
        let value = bench.read(csr::MSTATUS);
        assert_eq!(value >> 63, u64::from(value & FS == FS), "SD says that FS is dirty");
        bench.hart.mstatus & FS
    };
    const CLEAN: u64 = 1 << 13;
    assert_eq!(run(0x0231_70d3, 31), FS); // fadd.d
    assert_eq!(run(0x0005_b507, 0), FS); // fld
    assert_eq!(run(0x00a5_b027, 0), CLEAN); // fsd
    assert_eq!(run(0xe201_0553, 0), CLEAN); // fmv.x.d
    assert_eq!(run(0xa231_2553, 0), FS); // feq.d that raises a flag
    assert_eq!(run(0xa231_2553, 16), CLEAN); // ... that was raised
    assert_eq!(run(csrrw(0, 0x003, 0), 0), FS);
    assert_eq!(run(csrrs(1, 0x003, 0), 0), CLEAN);
}

#[test]
fn rule_15_reserved_rounding_modes_are_illegal() {
    let dynamic = 0x0231_70d3; // fadd.d
    for frm in 0..8 {
        let mut bench = Bench::within(Machine, FS);
        bench.hart.frm = frm;
        let expected = if frm < 5 { Done } else { illegal(dynamic) };
        assert_eq!(bench.step(dynamic), expected);
        // The instruction's own mode, and operations without one, do not look at frm.
        assert_eq!(bench.step(0x0231_00d3), Done);
        assert_eq!(bench.step(0x2231_00d3), Done);
    }
}

#[test]
fn rule_16_traps_do_not_retire() {
    let mut bench = Bench::new();
    let before = bench.hart.instret;
    bench.step(ECALL);
    bench.step(EBREAK);
    bench.step(0);
    assert_eq!(bench.hart.instret, before);
    bench.step(NOP);
    assert_eq!(bench.hart.instret, before + 1);
}
