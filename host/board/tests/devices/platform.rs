// SPDX-License-Identifier: Apache-2.0
//! The platform as a whole: addresses, set-up, snapshots, extra devices.

use takt_board::devices::map::AddressRange;
use takt_board::devices::{
    BadState, Device, Edge, Extra, ExtraDevice, Finish, Htif, HtifCall, Kind, Platform,
    PlatformSetup, Refused, Request, SetupError, Tick, Transfer, WireEnd,
};

use crate::common::{platform, read, refused, setup, wires, write};

const FINISHER: u64 = 0x10_0000;

#[test]
fn the_finisher_ends_once() {
    for (value, bytes, finish) in [
        (0x5555, 4, Some(Finish::Pass)),
        (0x5555, 2, Some(Finish::Pass)),
        (0x002a_3333, 4, Some(Finish::Fail(42))),
        (0x7777, 4, Some(Finish::Reset)),
        (0x1234, 4, None),
    ] {
        let mut p = platform(1);
        write(&mut p, 0, FINISHER + 4, 4, 0x5555); // not its register
        assert_eq!(p.finish(), None);
        write(&mut p, 0, FINISHER, bytes, value);
        assert_eq!(p.finish(), finish);
        write(&mut p, 0, FINISHER, 4, 0x0001_3333);
        assert_eq!(p.finish(), finish.or(Some(Finish::Fail(1))), "the first word counts");
    }
}

#[test]
fn empty_virtio_slots_say_so() {
    let mut p = platform(1);
    for slot in 0..8 {
        let base = 0x1000_1000 + 0x1000 * slot;
        assert_eq!(read(&mut p, 0, base, 4), 0x7472_6976);
        assert_eq!(read(&mut p, 0, base + 8, 4), 0, "device ID");
        write(&mut p, 0, base + 0x70, 4, 1);
        assert_eq!(read(&mut p, 0, base + 0x70, 4), 0);
    }
}

#[test]
fn nothing_answers_between_the_devices() {
    let mut p = platform(1);
    for at in [0, 0x1000, 0x10_1000, 0x201_0000, 0xc60_0000, 0x1000_9000, 0x8000_0000, u64::MAX] {
        assert!(refused(&mut p, at, 1, Kind::Read), "{at:#x}");
    }
    assert!(refused(&mut p, FINISHER, 3, Kind::Read));
    assert!(refused(&mut p, FINISHER, 16, Kind::Read));
    assert!(refused(&mut p, FINISHER, 0, Kind::Read));
    let beyond = Request { initiator: 0, offset: u64::MAX - 3, bytes: 4, kind: Kind::Read };
    assert_eq!(p.access_device(0, 1, beyond), Err(Refused));
    assert_eq!(p.access_device(0, 99, Request { offset: 0, ..beyond }), Err(Refused));
}

#[test]
fn set_ups_that_cannot_be_are_refused() {
    let fails = |setup: PlatformSetup| Platform::new(&setup).unwrap_err();
    assert_eq!(fails(PlatformSetup { hart_ids: vec![], ..setup(1) }), SetupError::Harts(0));
    assert_eq!(fails(setup(129)), SetupError::Harts(129));
    let harts = |hart_ids| fails(PlatformSetup { hart_ids, ..setup(1) });
    assert_eq!(harts(vec![3, 1, 3]), SetupError::SameHart(3));
    assert_eq!(harts(vec![0, 4095]), SetupError::HartsApart(0, 4095));
    assert_eq!(harts(vec![u64::MAX]), SetupError::HartNumber(u64::MAX));
    let rate = |timebase| fails(PlatformSetup { timebase, ..setup(1) });
    assert!(matches!(rate(0), SetupError::Timebase { .. }));
    assert!(matches!(rate(1_000_000_001), SetupError::Timebase { .. }));
    assert!(Platform::new(&PlatformSetup { hart_ids: vec![0, 4094], ..setup(1) }).is_ok());
}

#[test]
fn snapshots_go_on_as_the_original() {
    let input = takt_board::devices::Input { at: 40, bytes: b"hello".to_vec() };
    let mut p = Platform::new(&PlatformSetup { input: vec![input], ..setup(3) }).unwrap();
    write(&mut p, 10, 0x1000_0001, 1, 3);
    write(&mut p, 11, 0x1000_0000, 1, b'o'.into());
    write(&mut p, 12, 0x200_4000 + 16, 8, 7);
    write(&mut p, 13, 0xc00_0000 + 40, 4, 5);
    write(&mut p, 14, 0xc00_2000 + 4 * 0x80, 4, 1 << 10);
    write(&mut p, 15, 0x200_0004, 4, 1);
    let saved = serde_json::to_string(&p).unwrap();
    let others: [Platform; 2] = [p.clone(), serde_json::from_str(&saved).unwrap()];
    let rest = |mut p: Platform| {
        let mut seen = vec![wires(&mut p)];
        while let Some(next) = p.next_event() {
            p.advance(next);
            seen.push(wires(&mut p));
        }
        (seen, read(&mut p, 900, 0x1000_0000, 1), std::mem::take(p.console()))
    };
    let expected = rest(p);
    assert_eq!(expected.0, [vec![(1, 3, true), (2, 11, true)], vec![], vec![(2, 7, true)]]);
    assert_eq!((expected.1, expected.2.as_slice()), (u64::from(b'h'), b"o".as_slice()));
    for other in others {
        assert_eq!(rest(other), expected);
    }
}

#[test]
fn tohost_is_understood() {
    let htif = Htif { tohost: 0x8000_1000, ..Htif::default() };
    assert_eq!(htif.written(1), HtifCall::Exit(0));
    assert_eq!(htif.written(2 * 1337 + 1), HtifCall::Exit(1337));
    assert_eq!(htif.written(0x0101_0000_0000_0041), HtifCall::Print(b'A'));
    assert_eq!(htif.written(0x8000_2000), HtifCall::System(0x8000_2000));
    assert_eq!(htif.written(0x0100_0000_0000_0000), HtifCall::Read);
    assert_eq!(htif.written(0), HtifCall::Nothing);
    for unknown in [0x0001_0000_0000_0001, 0x0102_0000_0000_0000, 0x0200_0000_0000_0000] {
        assert_eq!(htif.written(unknown), HtifCall::Unknown, "{unknown:#x}");
    }
    let watched = |at, bytes| htif.watches(at, bytes);
    assert!(watched(0x8000_1000, 8) && watched(0x8000_1004, 4) && watched(0x8000_1007, 1));
    assert!(watched(0x8000_0ffc, 8) && watched(0x8000_0fff, 2));
    assert!(!watched(0x8000_0fff, 1) && !watched(0x8000_1008, 8) && !watched(u64::MAX, 8));
}

/// Counts accesses; its wire is high from 3 on; asks for one transfer.
#[derive(Clone, Default)]
struct Counter {
    count: u8,
    reported: bool,
    asked: bool,
}

impl Device for Counter {
    fn access(&mut self, _now: Tick, request: Request) -> Result<u64, Refused> {
        self.count += 1;
        Ok(u64::from(self.count) | u64::from(request.initiator) << 8)
    }

    fn edges(&mut self, out: &mut Vec<Edge>) {
        if self.count >= 3 && !self.reported {
            self.reported = true;
            out.push(Edge { wire: 0, level: true });
            out.push(Edge { wire: 1, level: true }); // a wire that leads nowhere
        }
    }

    fn next_event(&self) -> Option<Tick> {
        Some(77)
    }

    fn transfer(&mut self) -> Option<Transfer> {
        (!std::mem::replace(&mut self.asked, true))
            .then_some(Transfer::Read { address: 64, bytes: 64 })
    }
}

impl ExtraDevice for Counter {
    fn boxed_clone(&self) -> Box<dyn ExtraDevice> {
        Box::new(self.clone())
    }

    fn save(&self) -> Vec<u8> {
        vec![self.count]
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), BadState> {
        let &[count] = state else { return Err(BadState) };
        self.count = count;
        Ok(())
    }
}

fn counter() -> Extra {
    let range = AddressRange { base: 0x4000_0000, size: 0x100 };
    Extra { range, node: 0, wires: vec![WireEnd::Source(20)], device: Box::new(Counter::default()) }
}

#[test]
fn an_extra_device_is_at_its_place_with_its_wire_and_port() {
    let mut p = platform(1);
    p.add(counter()).unwrap();
    write(&mut p, 0, 0xc00_0000 + 80, 4, 1);
    write(&mut p, 0, 0xc00_2080, 4, 1 << 20);
    assert_eq!(p.access(0, 5, 0x4000_0000, 8, Kind::Read), Ok(0x501));
    assert_eq!(p.next_event(), Some(77));
    let (device, _) = p.next_transfer().unwrap();
    assert_eq!(p.initiator(device), 1 + device);
    assert!(p.next_transfer().is_none());

    let mut copy = p.clone();
    let mut restored: Platform = serde_json::from_str(&serde_json::to_string(&p).unwrap()).unwrap();
    restored.add(counter()).unwrap();
    for p in [&mut p, &mut copy, &mut restored] {
        assert_eq!(read(p, 0, 0x4000_0000, 1), 2);
        assert_eq!(wires(p), []);
        assert_eq!(read(p, 0, 0x4000_0000, 1), 3);
        assert_eq!(wires(p), [(0, 9, true)]);
    }
    assert_eq!(restored.windows(), p.windows());
}
