// SPDX-License-Identifier: Apache-2.0
//! ACLINT: MSWI, MTIMER and SSWI.

use takt_board::devices::{Kind, Platform, PlatformSetup};

use crate::common::{platform, read, refused, setup, wires, write};

const MSWI: u64 = 0x200_0000;
const MTIMER: u64 = 0x200_4000;
const MTIME: u64 = 0x200_bff8;
const SSWI: u64 = 0x2f0_0000;

#[test]
fn msip_is_bit_0_and_a_level() {
    let mut p = platform(128);
    write(&mut p, 0, MSWI + 4 * 127, 4, 0xffff_ffff);
    assert_eq!(read(&mut p, 0, MSWI + 4 * 127, 4), 1);
    assert_eq!(wires(&mut p), [(127, 3, true)]);
    write(&mut p, 0, MSWI + 4 * 127, 4, 1);
    assert_eq!(wires(&mut p), []);
    write(&mut p, 0, MSWI + 4 * 127, 4, 0xffff_fffe);
    assert_eq!(wires(&mut p), [(127, 3, false)]);
}

#[test]
fn registers_of_absent_harts_read_zero_and_other_widths_are_refused() {
    let mut p = platform(2);
    for at in [MSWI + 8, MSWI + 0x3ffc, SSWI + 8] {
        write(&mut p, 0, at, 4, 1);
        assert_eq!(read(&mut p, 0, at, 4), 0);
    }
    assert_eq!(wires(&mut p), []);
    assert!(refused(&mut p, MSWI, 8, Kind::Read));
    assert!(refused(&mut p, MSWI, 1, Kind::Read));
    assert!(refused(&mut p, MSWI + 2, 4, Kind::Read));
    assert!(refused(&mut p, SSWI, 8, Kind::Write(1)));
    assert!(refused(&mut p, MTIMER, 2, Kind::Read));
}

#[test]
fn setssip_sets_once_a_write() {
    let mut p = platform(4);
    write(&mut p, 0, SSWI + 8, 4, 1);
    write(&mut p, 0, SSWI + 8, 4, 1);
    write(&mut p, 0, SSWI + 4, 4, 2); // bit 0 is clear
    write(&mut p, 0, SSWI + 4, 4, 0);
    assert_eq!(wires(&mut p), [(2, 1, true), (2, 1, true)]);
    assert_eq!(read(&mut p, 0, SSWI + 8, 4), 0);
}

#[test]
fn a_timer_rises_at_its_tick_and_not_before() {
    let mut p = platform(2);
    // 1 GHz and 10 MHz: mtime is 50 from tick 5000.
    write(&mut p, 0, MTIMER + 8, 8, 50);
    assert_eq!(p.next_event(), Some(5000));
    p.advance(4999);
    assert_eq!(wires(&mut p), []);
    assert_eq!(read(&mut p, 4999, MTIME, 8), 49);
    p.advance(5000);
    assert_eq!(wires(&mut p), [(1, 7, true)]);
    assert_eq!(p.next_event(), None);
    write(&mut p, 5000, MTIMER + 8, 8, 51);
    assert_eq!(wires(&mut p), [(1, 7, false)]);
    assert_eq!(p.next_event(), Some(5100));
}

#[test]
fn time_of_a_rate_that_does_not_divide_the_clock_is_exact() {
    let rates = PlatformSetup { frequency: 1_200_000_007, timebase: 32_768, ..setup(1) };
    let mut p = Platform::new(&rates).unwrap();
    for time in [1, 2, 3, 1000, 32_768, 1 << 40] {
        write(&mut p, 0, MTIMER, 8, time);
        let tick = p.next_event().unwrap();
        assert_eq!((p.time(tick - 1), p.time(tick)), (time - 1, time));
        p.advance(tick - 1);
        assert_eq!(wires(&mut p), []);
        p.advance(tick);
        assert_eq!(wires(&mut p), [(0, 7, true)]);
        write(&mut p, 0, MTIMER, 8, u64::MAX);
        assert_eq!(wires(&mut p), [(0, 7, false)]);
    }
}

#[test]
fn a_comparison_beyond_the_clocks_end_never_comes() {
    let mut p = platform(1);
    write(&mut p, 0, MTIMER, 8, u64::MAX - 1);
    assert_eq!(p.next_event(), None);
    p.advance(u64::MAX);
    assert_eq!(wires(&mut p), []);
}

#[test]
fn timer_registers_can_be_reached_by_halves() {
    let mut p = platform(1);
    write(&mut p, 0, MTIMER, 4, 0x9abc_def0);
    write(&mut p, 0, MTIMER + 4, 4, 0x1234_5678);
    assert_eq!(read(&mut p, 0, MTIMER, 8), 0x1234_5678_9abc_def0);
    assert_eq!(read(&mut p, 0, MTIMER + 4, 4), 0x1234_5678);
    assert_eq!(read(&mut p, 0, MTIMER, 4), 0x9abc_def0);
    let tick = 100 << 33;
    assert_eq!(read(&mut p, tick, MTIME, 4), 0);
    assert_eq!(read(&mut p, tick, MTIME + 4, 4), 2);
    assert!(refused(&mut p, MTIME, 8, Kind::Write(0)));
    assert!(refused(&mut p, MTIME + 4, 4, Kind::Write(0)));
}

#[test]
fn the_wires_of_equal_moments_come_in_the_order_of_harts() {
    let mut p = platform(3);
    for hart in [2, 0, 1] {
        write(&mut p, 0, MTIMER + 8 * hart, 8, 1);
    }
    write(&mut p, 0, MSWI + 4, 4, 1);
    p.advance(100);
    assert_eq!(wires(&mut p), [(1, 3, true), (0, 7, true), (1, 7, true), (2, 7, true)]);
}

/// OpenSBI counts the registers of MSWI and MTIMER from the lowest hart number.
#[test]
fn harts_with_gaps_in_their_numbers_keep_their_registers() {
    let mut p = Platform::new(&PlatformSetup { hart_ids: vec![4, 9, 6], ..setup(1) }).unwrap();
    write(&mut p, 0, MSWI + 4 * 5, 4, 1);
    write(&mut p, 0, MSWI + 4, 4, 1); // hart 5 is not there
    write(&mut p, 0, MTIMER + 8 * 2, 8, 0);
    write(&mut p, 0, SSWI + 4 * 2, 4, 1);
    assert_eq!(wires(&mut p), [(1, 3, true), (2, 7, true), (2, 1, true)]);
}
