// SPDX-License-Identifier: Apache-2.0
//! The UART, alone and behind the PLIC.

use takt_board::devices::{Input, Kind, Platform, PlatformSetup};

use crate::common::{platform, read, refused, setup, wires, write};

const UART: u64 = 0x1000_0000;
const DATA: u64 = UART;
const IER: u64 = UART + 1;
const IIR: u64 = UART + 2;
const LCR: u64 = UART + 3;
const LSR: u64 = UART + 5;
const SCRATCH: u64 = UART + 7;
const PLIC: u64 = 0xc00_0000;
const CLAIM: u64 = PLIC + 0x20_1004;
const SEIP: u32 = 9;

/// The UART's source interrupts hart 0 in S-mode.
fn with_interrupt(input: Vec<Input>) -> Platform {
    let mut p = Platform::new(&PlatformSetup { input, ..setup(1) }).unwrap();
    write(&mut p, 0, PLIC + 4 * 10, 4, 1);
    write(&mut p, 0, PLIC + 0x2080, 4, 1 << 10);
    p
}

#[test]
fn bytes_come_out_as_they_were_written() {
    let mut p = platform(1);
    for byte in *b"takt\n\xff" {
        assert_eq!(read(&mut p, 0, LSR, 1) & 0x60, 0x60);
        write(&mut p, 0, DATA, 1, byte.into());
    }
    assert_eq!(std::mem::take(p.console()), b"takt\n\xff");
    assert!(p.console().is_empty());
}

#[test]
fn registers_hold_what_was_written() {
    let mut p = platform(1);
    write(&mut p, 0, SCRATCH, 1, 0xa5);
    assert_eq!(read(&mut p, 0, SCRATCH, 1), 0xa5);
    write(&mut p, 0, LCR, 1, 0x83);
    write(&mut p, 0, DATA, 1, 0x12);
    write(&mut p, 0, IER, 1, 0x34);
    assert_eq!((read(&mut p, 0, DATA, 1), read(&mut p, 0, IER, 1)), (0x12, 0x34));
    write(&mut p, 0, LCR, 1, 3);
    assert_eq!(read(&mut p, 0, IER, 1), 0);
    assert!(p.console().is_empty(), "the divisor is no byte to send");
    assert_eq!(read(&mut p, 0, UART + 8, 1), 0);
    assert!(refused(&mut p, UART, 4, Kind::Read));
    assert!(refused(&mut p, UART + 0x100, 1, Kind::Read));
}

#[test]
fn an_empty_transmitter_interrupts_until_it_is_read_from_iir() {
    let mut p = with_interrupt(Vec::new());
    write(&mut p, 0, IER, 1, 2);
    assert_eq!(wires(&mut p), [(0, SEIP, true)]);
    assert_eq!(read(&mut p, 0, CLAIM, 4), 10);
    assert_eq!(read(&mut p, 0, IIR, 1), 0xc2);
    assert_eq!(read(&mut p, 0, IIR, 1), 0xc1);
    write(&mut p, 0, CLAIM, 4, 10);
    assert_eq!(wires(&mut p), [(0, SEIP, false)]);
    write(&mut p, 0, DATA, 1, b'x'.into()); // sent at once: empty again
    assert_eq!(wires(&mut p), [(0, SEIP, true)]);
    assert_eq!(read(&mut p, 0, CLAIM, 4), 10);
    write(&mut p, 0, IER, 1, 0);
    write(&mut p, 0, CLAIM, 4, 10);
    assert_eq!(wires(&mut p), [(0, SEIP, false)]);
}

#[test]
fn input_arrives_at_its_tick() {
    let input = |at, bytes: &[u8]| Input { at, bytes: bytes.to_vec() };
    let mut p = with_interrupt(vec![input(900, b"c"), input(500, b"ab")]);
    write(&mut p, 0, IER, 1, 1);
    assert_eq!(p.next_event(), Some(500));
    p.advance(499);
    assert_eq!((wires(&mut p), read(&mut p, 499, LSR, 1) & 1), (vec![], 0));
    p.advance(500);
    assert_eq!(wires(&mut p), [(0, SEIP, true)]);
    assert_eq!(p.next_event(), Some(900));
    assert_eq!(read(&mut p, 510, CLAIM, 4), 10);
    assert_eq!(wires(&mut p), [(0, SEIP, false)]);
    assert_eq!(read(&mut p, 510, IIR, 1), 0xc4);
    assert_eq!(read(&mut p, 510, IIR, 1), 0xc4, "reading IIR takes no data away");
    assert_eq!(read(&mut p, 510, DATA, 1), u64::from(b'a'));
    write(&mut p, 510, CLAIM, 4, 10);
    assert_eq!(wires(&mut p), [(0, SEIP, true)], "a byte is left: the line is still high");
    assert_eq!(read(&mut p, 510, CLAIM, 4), 10);
    assert_eq!(read(&mut p, 510, DATA, 1), u64::from(b'b'));
    write(&mut p, 510, CLAIM, 4, 10);
    assert_eq!(wires(&mut p), [(0, SEIP, false)]);
    // An access finds what is due without `advance`.
    assert_eq!(read(&mut p, 900, DATA, 1), u64::from(b'c'));
    assert_eq!(p.next_event(), None);
}

#[test]
fn received_data_goes_before_the_transmitter() {
    let mut p = with_interrupt(vec![Input { at: 0, bytes: b"a".to_vec() }]);
    write(&mut p, 0, IER, 1, 3);
    assert_eq!(read(&mut p, 0, IIR, 1), 0xc4);
    assert_eq!(read(&mut p, 0, DATA, 1), u64::from(b'a'));
    assert_eq!(read(&mut p, 0, IIR, 1), 0xc2, "the transmitter's was not lost");
    assert_eq!(read(&mut p, 0, IIR, 1), 0xc1);
}

#[test]
fn more_input_than_the_fifo_holds_waits_for_its_reader() {
    let bytes: Vec<u8> = (0..=255).collect();
    let mut p = with_interrupt(vec![Input { at: 7, bytes: bytes.clone() }]);
    p.advance(7);
    assert_eq!(p.next_event(), None, "waiting for a reader is no event");
    let mut seen = Vec::new();
    while read(&mut p, 8, LSR, 1) & 1 != 0 {
        seen.push(read(&mut p, 8, DATA, 1) as u8);
    }
    assert_eq!(seen, bytes);
}
