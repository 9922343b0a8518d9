// SPDX-License-Identifier: Apache-2.0
//! Counters.

use super::*;

const OF: u64 = 1 << 63;
/// `mhpmevent` selecting L1 data misses; the flat machine's count of misses.
const MISSES: u64 = 3;

#[test]
fn rule_41_counter_enables() {
    for counter in [0, 1, 2, 3, 31] {
        let word = csrrs(1, 0xc00 + counter, 0);
        for (m, s, privilege, fine) in [
            (false, true, Supervisor, false),
            (true, false, Supervisor, true),
            (true, false, User, false),
            (false, true, User, false),
            (true, true, User, true),
            (false, false, Machine, true),
        ] {
            let mut bench = Bench::new();
            bench.write(csr::MCOUNTEREN, u64::from(m) << counter);
            bench.write(csr::SCOUNTEREN, u64::from(s) << counter);
            bench.hart.privilege = privilege;
            assert_eq!(bench.step(word), if fine { Done } else { illegal(word) }, "{counter}");
        }
    }
}

#[test]
fn rule_42_written_counters_go_on_from_there() {
    let mut bench = Bench::new();
    bench.write(csr::MINSTRET, 1000);
    // The read is the instruction after the write.
    assert_eq!(bench.read(csr::MINSTRET), 1000);
    assert_eq!(bench.read(csr::MINSTRET), 1001);
    bench.step(ECALL);
    assert_eq!(bench.read(csr::MINSTRET), 1002);
    bench.write(csr::MCYCLE, 5000);
    let cycles = bench.read(csr::MCYCLE);
    bench.step(NOP);
    assert_eq!(bench.read(csr::MCYCLE), cycles + 2);
}

#[test]
fn rule_43_inhibited_counters_stand() {
    let mut bench = Bench::new();
    assert_eq!(bench.kept(csr::MCOUNTINHIBIT, u64::MAX), 0xffff_fffd);
    let before = (bench.read(csr::MCYCLE), bench.read(csr::MINSTRET));
    bench.step(NOP);
    assert_eq!((bench.read(csr::MCYCLE), bench.read(csr::MINSTRET)), before);
    bench.write(csr::MCOUNTINHIBIT, 1);
    let before = (bench.read(csr::MCYCLE), bench.read(csr::MINSTRET));
    bench.step(NOP);
    let after = (bench.read(csr::MCYCLE), bench.read(csr::MINSTRET));
    assert_eq!(after, (before.0, before.1 + 3));
}

#[test]
fn rule_44_programmable_counters() {
    let mut bench = Bench::new();
    // Firmware probes them with no event chosen: they keep what is written.
    assert_eq!(bench.kept(csr::MHPMCOUNTER3, u64::MAX), u64::MAX);
    bench.write(csr::MHPMCOUNTER3, 7);
    bench.port.misses = 100;
    assert_eq!(bench.read(csr::MHPMCOUNTER3), 7);
    bench.write(csr::MHPMEVENT3, MISSES);
    bench.port.misses = 110;
    assert_eq!(bench.read(csr::MHPMCOUNTER3), 17);
    assert_eq!(bench.kept(csr::MHPMEVENT3, u64::MAX), 0xf << 60 | 0xff);
    bench.write(csr::MHPMEVENT3 + 28, 2);
    let before = bench.read(csr::MHPMCOUNTER3 + 28);
    assert_eq!(bench.read(csr::MHPMCOUNTER3 + 28), before + 1, "instructions");
}

#[test]
fn rule_45_overflow_is_an_interrupt_once() {
    let mut bench = Bench::new();
    bench.write(csr::MHPMEVENT3, MISSES);
    bench.write(csr::MHPMCOUNTER3, u64::MAX - 9);
    assert_eq!(bench.port.overflows[MISSES as usize], bench.port.misses + 10);
    bench.port.misses += 9;
    bench.hart.settle_counters(&bench.port);
    assert_eq!((bench.read(csr::MIP), bench.read(csr::SCOUNTOVF)), (0, 0));
    bench.port.misses += 1;
    bench.hart.settle_counters(&bench.port);
    assert_eq!((bench.read(csr::MIP), bench.read(csr::SCOUNTOVF)), (1 << 13, 1 << 3));
    assert_eq!(bench.read(csr::MHPMEVENT3), OF | MISSES);
    // While OF is set no further overflow is told.
    bench.write(csr::MIP, 0);
    bench.write(csr::MHPMCOUNTER3, u64::MAX);
    bench.port.misses += 1;
    bench.hart.settle_counters(&bench.port);
    assert_eq!(bench.read(csr::MIP), 0);
    bench.write(csr::MHPMEVENT3, MISSES);
    bench.write(csr::MHPMCOUNTER3, u64::MAX);
    bench.port.misses += 1;
    bench.hart.settle_counters(&bench.port);
    assert_eq!(bench.read(csr::MIP), 1 << 13);
}

#[test]
fn rule_46_s_mode_sees_the_overflows_of_its_counters() {
    let mut bench = Bench::new();
    bench.write(csr::MHPMEVENT3, OF | MISSES);
    bench.write(csr::MHPMEVENT3 + 1, OF | MISSES);
    bench.write(csr::MCOUNTEREN, 1 << 4);
    assert_eq!(bench.read(csr::SCOUNTOVF), 3 << 3);
    bench.hart.privilege = Supervisor;
    assert_eq!(bench.step(csrrs(5, csr::SCOUNTOVF, 0)), Done);
    assert_eq!(bench.hart.x[5], 1 << 4);
}

#[test]
fn rule_47_counters_skip_privilege_modes() {
    for (bit, skipped) in [(62, Machine), (61, Supervisor), (60, User)] {
        let mut bench = Bench::new();
        bench.write(csr::MHPMEVENT3, 1 << bit | MISSES);
        bench.write(csr::MHPMCOUNTER3, 0);
        let mut expected = 0;
        for (mpp, privilege) in [(0, User), (MPP_S, Supervisor), (MPP_M, Machine)] {
            // Through a real return and a real trap, which start and stop the counter.
            bench.write(csr::MSTATUS, mpp);
            bench.write(csr::MEPC, RAM);
            bench.step(MRET);
            assert_eq!(bench.hart.privilege, privilege);
            bench.port.misses += 10;
            bench.step(ECALL);
            expected += if privilege == skipped { 0 } else { 10 };
            assert_eq!(
                bench.read(csr::MHPMCOUNTER3),
                expected,
                "{privilege:?} without {skipped:?}"
            );
        }
    }
}
