// SPDX-License-Identifier: Apache-2.0
//! Interrupts and timers.

use super::*;

const INTERRUPT: u64 = 1 << 63;

/// A bench where everything is enabled by `mie`.
fn ready(privilege: Privilege, mstatus: u64, delegated: u64) -> Bench {
    let mut bench = Bench::within(privilege, mstatus);
    bench.hart.mie = 0x2aaa;
    bench.hart.mideleg = delegated;
    bench
}

#[test]
fn rule_30_which_bits_of_mip_are_software() {
    let mut bench = Bench::new();
    assert_eq!(bench.kept(csr::MIP, u64::MAX), 0x2222);
    assert_eq!(bench.kept(csr::MIP, 0), 0);
    for bit in [3, 7, 9, 11] {
        bench.hart.set_pending(bit, true);
        assert_eq!(bench.kept(csr::MIP, 0), 1 << bit);
        bench.hart.set_pending(bit, false);
        assert_eq!(bench.read(csr::MIP), 0);
    }
}

#[test]
fn rule_31_seip_is_wire_or_software() {
    let mut bench = Bench::new();
    bench.hart.set_pending(9, true);
    bench.hart.x[6] = 1 << 1;
    // Setting another bit must not make the wire's level software's.
    assert_eq!(bench.step(csrrs(7, csr::MIP, 6)), Done);
    assert_eq!(bench.hart.x[7], 1 << 9);
    bench.hart.set_pending(9, false);
    assert_eq!(bench.read(csr::MIP), 1 << 1);
    bench.write(csr::MIP, 1 << 9);
    bench.hart.set_pending(9, true);
    bench.hart.set_pending(9, false);
    assert_eq!(bench.read(csr::MIP), 1 << 9);
}

#[test]
fn rule_32_sswi_is_an_edge() {
    let mut bench = Bench::new();
    bench.hart.set_pending(1, true);
    bench.hart.set_pending(1, false);
    bench.write(csr::MIDELEG, 2);
    assert_eq!(bench.read(csr::SIP), 2);
    bench.write(csr::SIP, 0);
    assert_eq!(bench.read(csr::SIP), 0);
}

#[test]
fn rule_33_priority_of_interrupts() {
    let mut bench = ready(Machine, MIE, 0);
    bench.hart.mstatus = 0;
    for bit in [1, 5, 9, 3, 7, 11, 13] {
        bench.hart.set_pending(bit, true);
    }
    for bit in [11, 3, 7, 9, 1, 5, 13] {
        (bench.hart.privilege, bench.hart.mstatus) = (Machine, MIE);
        assert_eq!(bench.step(NOP), ToMachine(INTERRUPT | bit, 0));
        bench.hart.mie &= !(1 << bit);
    }
    bench.hart.mstatus = MIE;
    assert_eq!(bench.step(NOP), Done);
}

#[test]
fn rule_34_when_interrupts_are_taken() {
    let timer = |privilege, mstatus| {
        let mut bench = ready(privilege, mstatus, 0);
        bench.hart.set_pending(7, true);
        bench.step(NOP) == ToMachine(INTERRUPT | 7, 0)
    };
    assert!(timer(Machine, MIE) && !timer(Machine, 0));
    assert!(timer(Supervisor, 0) && timer(User, 0));
    let software = |privilege, mstatus| {
        let mut bench = ready(privilege, mstatus, 2);
        bench.hart.set_pending(1, true);
        bench.step(NOP) == ToSupervisor(INTERRUPT | 1, 0)
    };
    assert!(!software(Machine, MIE | SIE));
    assert!(software(Supervisor, SIE) && !software(Supervisor, MIE));
    assert!(software(User, 0));
    // Not without its own enable.
    let mut bench = ready(User, 0, 2);
    bench.hart.mie = 0;
    bench.hart.set_pending(1, true);
    assert_eq!(bench.step(NOP), Done);
}

#[test]
fn rule_35_interrupts_for_m_come_first() {
    let mut bench = ready(User, 0, 1 << 9);
    bench.hart.set_pending(9, true);
    bench.hart.set_pending(7, true);
    assert_eq!(bench.step(NOP), ToMachine(INTERRUPT | 7, 0));
}

#[test]
fn rule_36_an_enabled_interrupt_comes_at_once() {
    // The instruction that enables it is complete, the next one is not begun.
    let enabling = |bench: &mut Bench, word| {
        bench.port.place_word(RAM, word);
        bench.port.place_word(RAM + 4, 0);
        bench.hart.set_pending(7, true);
        bench.hart.pc = RAM;
        bench.port.run(&mut bench.hart, 2);
        assert_eq!((bench.hart.mcause, bench.hart.mepc), (INTERRUPT | 7, RAM + 4), "{word:#x}");
    };
    let mut bench = ready(Machine, 0, 0);
    bench.hart.x[6] = MIE;
    enabling(&mut bench, csrrs(0, csr::MSTATUS, 6));
    let mut bench = ready(Machine, MIE, 0);
    (bench.hart.mie, bench.hart.x[6]) = (0, 1 << 7);
    enabling(&mut bench, csrrs(0, csr::MIE, 6));
    let mut bench = ready(Machine, MPIE | MPP_M, 0);
    bench.hart.mepc = RAM + 4;
    enabling(&mut bench, MRET);
    let mut bench = ready(Machine, SPP, 0);
    bench.hart.sepc = RAM + 4;
    enabling(&mut bench, SRET);

    let mut bench = ready(Supervisor, SIE, 2);
    bench.hart.x[6] = 2;
    bench.port.place_word(RAM, csrrs(0, csr::SIP, 6));
    bench.hart.pc = RAM;
    bench.port.run(&mut bench.hart, 2);
    assert_eq!((bench.hart.scause, bench.hart.sepc), (INTERRUPT | 1, RAM + 4));
}

/// Runs one instruction in M-mode with SSI enabled; answers cause and pc of the trap behind it.
fn behind(word: u32, mut bench: Bench) -> (u64, u64) {
    bench.hart.mie = 2;
    bench.hart.x[6] = 2;
    bench.port.place_word(RAM, word);
    bench.port.place_word(RAM + 4, 0);
    bench.hart.pc = RAM;
    bench.port.run(&mut bench.hart, 2);
    (bench.hart.mcause, bench.hart.mepc)
}

#[test]
fn rule_73_an_interrupt_that_mip_makes_pending_comes_at_once() {
    let taken = (INTERRUPT | 1, RAM + 4);
    assert_eq!(behind(csrrs(0, csr::MIP, 6), ready(Machine, MIE, 0)), taken);
    // Delegated it is not M's: the next instruction is executed, and is illegal.
    assert_eq!(behind(csrrs(0, csr::MIP, 6), ready(Machine, MIE, 2)), (2, RAM + 4));
}

#[test]
fn rule_74_an_interrupt_that_mideleg_gives_back_comes_at_once() {
    let pending = || {
        let mut bench = ready(Machine, MIE, 2);
        bench.hart.set_pending(1, true);
        bench
    };
    assert_eq!(behind(csrrc(0, csr::MIDELEG, 6), pending()), (INTERRUPT | 1, RAM + 4));
    assert_eq!(behind(csrrs(0, csr::MIDELEG, 6), pending()), (2, RAM + 4));
}

#[test]
fn rule_37_wfi_ends_for_any_enabled_interrupt() {
    let mut bench = Bench::within(Machine, 0);
    bench.port.place_word(RAM + 4, NOP);
    bench.hart.mie = 1 << 7;
    assert!(!bench.hart.wakes());
    bench.hart.set_pending(3, true);
    assert!(!bench.hart.wakes());
    bench.hart.set_pending(7, true);
    assert!(bench.hart.wakes());
    // Disabled by mstatus: goes on behind the WFI, without a trap.
    bench.port.place_word(RAM, WFI);
    bench.hart.pc = RAM;
    bench.port.run(&mut bench.hart, 2);
    assert_eq!((bench.hart.pc, bench.hart.mcause), (RAM + 8, 0));
}

#[test]
fn rule_38_stimecmp() {
    let mut bench = Bench::new();
    bench.port.time = 100;
    bench.write(csr::STIMECMP, 50);
    assert_eq!((bench.read(csr::MIP), bench.hart.next_timer()), (0, None));
    bench.write(csr::MENVCFG, STCE);
    assert_eq!((bench.read(csr::MIP), bench.hart.next_timer()), (1 << 5, None));
    bench.write(csr::STIMECMP, 101);
    assert_eq!((bench.read(csr::MIP), bench.hart.next_timer()), (0, Some(101)));
    bench.hart.timer_due(100);
    assert_eq!(bench.read(csr::MIP), 0);
    bench.hart.timer_due(101);
    assert_eq!((bench.read(csr::MIP), bench.hart.next_timer()), (1 << 5, None));
    // STIP is the comparison's alone.
    assert_eq!(bench.kept(csr::MIP, 0), 1 << 5);
    bench.write(csr::STIMECMP, u64::MAX);
    assert_eq!(bench.kept(csr::MIP, 1 << 5), 0);
    bench.write(csr::MENVCFG, 0);
    assert_eq!(bench.kept(csr::MIP, 1 << 5), 1 << 5);
}

#[test]
fn rule_39_who_may_use_stimecmp() {
    let word = csrrs(1, csr::STIMECMP, 0);
    for (stce, tm) in [(0, 0), (STCE, 0), (0, 2), (STCE, 2)] {
        for privilege in [User, Supervisor, Machine] {
            let mut bench = Bench::new();
            bench.write(csr::MENVCFG, stce);
            bench.write(csr::MCOUNTEREN, tm);
            bench.hart.privilege = privilege;
            let fine = privilege == Machine || (privilege == Supervisor && stce != 0 && tm != 0);
            assert_eq!(bench.step(word), if fine { Done } else { illegal(word) });
        }
    }
}

#[test]
fn rule_40_a_begun_instruction_is_completed_before_an_interrupt() {
    let mut bench = ready(Machine, MIE, 0);
    bench.port.place_word(RAM, LD);
    bench.hart.x[11] = RAM + 0x3000;
    bench.port.place_double(RAM + 0x3000, 42);
    (bench.hart.pc, bench.hart.waiting) = (RAM, true);
    bench.hart.set_pending(7, true);
    bench.port.run(&mut bench.hart, 1);
    assert_eq!((bench.hart.x[10], bench.hart.pc), (42, RAM + 4));
    bench.port.run(&mut bench.hart, 1);
    assert_eq!((bench.hart.mcause, bench.hart.mepc), (INTERRUPT | 7, RAM + 4));
    // The same in one go: the interrupt comes right behind.
    let mut bench = ready(Machine, MIE, 0);
    bench.port.place_word(RAM, NOP);
    (bench.hart.pc, bench.hart.waiting) = (RAM, true);
    bench.hart.set_pending(7, true);
    bench.port.run(&mut bench.hart, 2);
    assert_eq!((bench.hart.mcause, bench.hart.mepc), (INTERRUPT | 7, RAM + 4));
}
