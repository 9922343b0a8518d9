// SPDX-License-Identifier: Apache-2.0
//! Each thing that cannot be is told. What passes all checks is run by `tests/hostile/snapshots.rs`.

use crate::devices::{Finish, Platform, PlatformSetup, Transfer, route::Routes};
use crate::engine::{
    BadSnapshot, Machine, Mode,
    event::{
        Act, AtCluster, Class, Direct, Message, Operation, Purpose, Register, Remote, Request,
        Want, What, Work,
    },
    machine::Doing,
    queue::Key,
    world::Transaction,
};
use crate::memory::{
    Ram,
    core::{Miss, Reservation, Store, WaitFor, Way},
    tags::State,
};
use std::path::Path;

const BASE: u64 = 0x8000_0000;
const LINE: u64 = BASE / 64;
const NOWHERE: u64 = LINE + (1 << 30);
const UNCACHED: u64 = BASE + (1 << 20);
/// In the machine's array.
const BESIDE: u64 = UNCACHED - BASE;

fn machine(board: &str, harts: u64) -> Machine {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../boards/{board}.toml"));
    let board = takt_model::Board::read(&path).expect("a board");
    let timing = board.timing.expect("it has timing");
    let hart_ids: Vec<u64> = (0..harts).collect();
    let (frequency, timebase) = (timing.frequency, timing.timebase);
    let setup =
        PlatformSetup { hart_ids: hart_ids.clone(), frequency, timebase, ..Default::default() };
    let platform = Platform::new(&setup).expect("a platform");
    let routes = Routes::new(platform.windows()).expect("a map");
    // Caches keep the first region only.
    let mut ram = Ram::of(&[BASE..BASE + (1 << 20), UNCACHED..UNCACHED + 4096], 0);
    ram.keep_from_caches(UNCACHED);
    let mut machine = Machine::new(&timing, ram, vec![0; 64], platform, routes, vec![], &hart_ids);
    machine.mode = Mode::Timed;
    machine.now = 1000;
    machine.units.iter_mut().for_each(|unit| unit.clock = 2000);
    machine
}

fn share(core: u32, line: u64) -> Request {
    Request { core, line, want: Want::Share(Purpose::Data) }
}

fn transaction(request: Request, pending: u32) -> Transaction {
    let (grant, exclusive, from_memory) = (State::Shared, false, false);
    Transaction { request, pending, arrived: 0, grant, exclusive, from_memory }
}

fn push(machine: &mut Machine, what: What) {
    machine.world.queue.push_next(1500, what.class(), 0, what);
}

fn request(machine: &mut Machine, core: u32, line: u64, want: Want) {
    push(machine, What::Home(Request { core, line, want }));
}

fn message(machine: &mut Machine, hart: u32, message: Message) {
    push(machine, What::Deliver { hart, message });
}

fn atomic(offset: u64, bytes: u8) -> Want {
    Want::Operation(Operation::Atomic { amo: crate::isa::Amo::Add, offset, bytes, operand: 1 })
}

fn direct(machine: &mut Machine, initiator: u32, offset: u64, bytes: u8) {
    let work = Work::Access { bytes, act: Act::Write(1), buffered: true };
    push(machine, What::Direct(Direct { initiator, offset, work }));
    push(machine, What::DirectArrives(Direct { initiator, offset, work }));
}

fn buffer(machine: &mut Machine, offset: u64, way: Way) {
    let store = Store { offset, bytes: 8, line: (BASE + offset) / 64, value: 0, way };
    machine.units[0].core.stores.entries.push(store);
}

type Forgery = (&'static str, fn(&mut Machine));

const FORGERIES: &[Forgery] = &[
    ("now: a moment later", |m| m.now = 1 << 48),
    ("now: time began later", |m| m.timed_from = 1001),
    ("the harts: not one for each", |m| drop(m.units.pop())),
    ("hart 1: its number is another", |m| m.units[1].hart.id = 7),
    ("hart 1: x0 is not zero", |m| m.units[1].hart.x[0] = 1),
    ("hart 0: fcsr has bits", |m| m.units[0].hart.frm = 8),
    ("hart 0: an interrupt that is not there", |m| m.units[0].hart.mie = 1 << 40),
    ("hart 0: its clock: a moment later", |m| m.units[0].clock = 1 << 48),
    ("hart 0: it began later than it is", |m| m.units[0].began = 2001),
    ("hart 0: it waits for nothing", |m| m.units[0].state = Doing::Waiting),
    ("hart 0: it waits for nothing, or runs", |m| m.units[0].core.waits = Some(WaitFor::Answer)),
    ("hart 1: its core is another's", |m| m.units[1].core.index = 0),
    ("hart 0: it has an L2, or has none", |m| m.units[0].core.l2 = None),
    ("hart 0: the L1 D: a line that is not in RAM", |m| {
        m.units[0].core.l1d.insert(NOWHERE, State::Modified);
    }),
    ("hart 0: the L1 D: a line that is not in RAM", |m| {
        m.units[0].core.l1d.insert(LINE - 1, State::Shared);
    }),
    ("hart 0: the L1 D: its sets are not this board's", |m| {
        m.units[0].core.l1d = m.units[0].core.l2.clone().expect("an L2");
    }),
    ("hart 0: the TLB for fetches: it has not this board's number", |m| {
        m.units[0].core.itlb = crate::memory::tlb::Tlb::new(3);
    }),
    ("hart 0: the TLB for loads and stores: a page that Sv39", |m| {
        let mapping = crate::isa::Mapping { vpn: 0, ppn: 0, level: 3, flags: 0 };
        m.units[0].core.dtlb.insert(0, 0, mapping);
    }),
    ("hart 0: the store buffer: bytes outside", |m| {
        let store = Store { offset: 60, bytes: 8, line: LINE, value: 0, way: Way::Cached };
        m.units[0].core.stores.entries.push(store);
    }),
    ("hart 0: the store buffer: a line that is not", |m| {
        let store = Store { offset: 0, bytes: 8, line: NOWHERE, value: 0, way: Way::Cached };
        m.units[0].core.stores.entries.push(store);
    }),
    ("hart 0: the store buffer: a store that goes another way", |m| {
        buffer(m, 0, Way::Sent);
    }),
    ("hart 0: the store buffer: a store that goes another way", |m| buffer(m, 0, Way::Memory)),
    ("hart 0: the store buffer: a store that goes another way", |m| {
        buffer(m, BESIDE, Way::Cached);
    }),
    ("hart 0: what it waits for: a line", |m| {
        m.units[0].core.waits = Some(WaitFor::Line(NOWHERE));
        m.units[0].state = Doing::Waiting;
    }),
    ("hart 0: the reservation: a line", |m| {
        m.units[0].core.reservation = Some(Reservation { line: NOWHERE, until: 0 });
    }),
    ("hart 0: the reservation: a moment", |m| {
        m.units[0].core.reservation = Some(Reservation { line: LINE, until: u64::MAX });
    }),
    ("hart 0: the misses: a line", |m| {
        m.units[0].core.misses.push(Miss { line: NOWHERE, write: false, ahead: false, since: 0 });
    }),
    ("the timing is not this board's", |m| m.world.timing.device += 1),
    ("the seed's jitter is longer", |m| m.world.jitter = u64::MAX),
    ("the ROM: too long", |m| m.world.rom = vec![0; 1 << 17]),
    ("the end: a moment later", |m| m.world.finish = Some((Finish::Pass, u64::MAX))),
    ("the devices: a moment later", |m| m.world.device_now = u64::MAX),
    ("the homes: not one for each node", |m| drop(m.world.homes.pop())),
    ("the homes: a moment later", |m| m.world.homes[0].free = u64::MAX),
    ("the homes: the cache: a line", |m| {
        m.world.homes[0].cache.as_mut().expect("p4080").insert(NOWHERE, State::Modified);
    }),
    ("the homes: a cache, or none", |m| m.world.homes[0].cache = None),
    ("recalls that are held: not one for each", |m| drop(m.world.held.pop())),
    ("recalls that are held: another message", |m| m.world.held[0].push(Message::Posted)),
    ("requests that wait: they want another line", |m| {
        m.world.waiting.entry(LINE).or_default().push_back(share(0, LINE + 1));
    }),
    ("requests that wait: a line", |m| {
        m.world.waiting.entry(NOWHERE).or_default().push_back(share(0, NOWHERE));
    }),
    ("lines on their way home: not one for each", |m| drop(m.world.write_backs.pop())),
    ("lines on their way home: a moment", |m| m.world.write_backs[0].push((LINE, u64::MAX))),
    ("requests that wait for write-backs: not as many requests wait", |m| m.world.stalled = 3),
    ("transactions: not all that it waits for", |m| {
        m.world.transactions.add(transaction(share(0, LINE), 1));
    }),
    ("transactions: not all that it waits for", |m| {
        m.world.transactions.add(transaction(share(0, LINE), 0));
    }),
    ("transactions: not all that it waits for", |m| {
        let transaction = m.world.transactions.add(transaction(share(0, LINE), 1));
        push(m, What::Perform { transaction });
    }),
    ("transactions: a hart that is not there", |m| {
        let transaction = m.world.transactions.add(transaction(share(2, LINE), 1));
        push(m, What::Data { transaction });
    }),
    ("transactions: it is not there and goes on", |m| push(m, What::Data { transaction: 3 })),
    ("transactions: it is over and goes on", |m| {
        let transaction = m.world.transactions.add(transaction(share(0, LINE), 1));
        m.world.transactions.end(transaction);
        push(m, What::Read { transaction });
    }),
    ("transactions: it is not there and goes on", |m| {
        let (line, to) = (LINE, State::Invalid);
        let recall = Message::Recall { line, to, transaction: 0, data: true, waited: false };
        m.world.held[1].push(recall);
    }),
    ("the events: an event in another's order", |m| {
        let key = Key::new(1500, Class::Data, 0, 1);
        m.world.queue.push(key, What::DeviceTime);
    }),
    ("the events: an event before now", |m| {
        m.world.queue.push_next(999, Class::Device, 0, What::DeviceTime);
    }),
    ("the events: a moment later", |m| {
        m.world.queue.push_next(1 << 48, Class::Free, 0, What::Free { line: LINE });
    }),
    ("the events: a line", |m| push(m, What::Free { line: NOWHERE })),
    ("the events: a line", |m| push(m, What::Write { initiator: 0, line: NOWHERE })),
    ("the events: an initiator", |m| push(m, What::Write { initiator: 99, line: LINE })),
    ("the events: a hart", |m| push(m, What::WriteBack { core: 2, line: LINE, dirty: true })),
    ("the events: a hart", |m| message(m, 2, Message::Posted)),
    ("the events: an interrupt", |m| message(m, 0, Message::Wire { bit: 64, level: true })),
    ("the events: a hart", |m| request(m, 2, LINE, Want::Own { holds: false })),
    ("the events: a transfer of a device", |m| {
        request(m, 1, LINE, Want::Operation(Operation::Dma));
    }),
    ("the events: an atomic operation on no word", |m| request(m, 0, LINE, atomic(0, 2))),
    ("the events: bytes outside of their line", |m| request(m, 0, LINE, atomic(64, 8))),
    ("the events: a hart", |m| {
        let kind = crate::devices::Kind::Read;
        push(m, What::Device(Register { core: 2, address: 0, bytes: 4, kind }));
    }),
    ("the events: a scratchpad that is not there", |m| {
        let (offset, bytes, act) = (0, 8, Act::Read);
        push(m, What::Remote(Remote { from: 0, core: 1, offset, bytes, act, latency: 1 }));
    }),
    ("the events: an access beside the caches", |m| direct(m, 0, 8, 8)),
    ("the events: a line", |m| direct(m, 0, BESIDE + 4096, 8)),
    ("the events: a line", |m| direct(m, 0, u64::MAX - 7, 8)),
    ("the events: a hart", |m| direct(m, 2, BESIDE, 8)),
    ("the events: an access of no word", |m| direct(m, 0, BESIDE, 3)),
    ("the events: bytes outside of their line", |m| direct(m, 0, BESIDE + 60, 8)),
    ("the events: a transfer of a hart", |m| {
        let (initiator, offset, work) = (1, BESIDE, Work::Transfer);
        push(m, What::Direct(Direct { initiator, offset, work }));
    }),
    ("the events: an initiator", |m| {
        let (initiator, offset, work) = (99, BESIDE, Work::Transfer);
        push(m, What::DirectArrives(Direct { initiator, offset, work }));
    }),
    ("the events: an initiator", |m| push(m, What::Transferred { initiator: 99 })),
    ("the events: a hart", |m| {
        let message = Message::Stored { line: UNCACHED / 64 };
        push(m, What::DirectAnswer { hart: 2, line: UNCACHED / 64, message });
    }),
    ("the events: a line", |m| {
        let message = Message::Stored { line: UNCACHED / 64 };
        push(m, What::DirectAnswer { hart: 0, line: NOWHERE, message });
    }),
    ("the events: a line", |m| {
        let message = Message::Stored { line: NOWHERE };
        push(m, What::DirectAnswer { hart: 0, line: UNCACHED / 64, message });
    }),
    ("the events: the memory answers with something else", |m| {
        let (hart, line, message) = (0, UNCACHED / 64, Message::Posted);
        push(m, What::DirectAnswer { hart, line, message });
    }),
    ("the events: a line", |m| message(m, 0, Message::Stored { line: NOWHERE })),
    ("time: a hart is behind it", |m| (m.units[0].clock, m.units[0].began) = (999, 999)),
    ("time: something reaches a hart before", |m| {
        m.units[0].began = 1501;
        message(m, 0, Message::Posted);
    }),
    ("time: it has not begun, and something", |m| {
        m.mode = Mode::Functional;
        push(m, What::Free { line: LINE });
    }),
    ("transfers: a device that is not there", |m| {
        m.world.transfers.insert(1, Transfer::Read { address: BASE, bytes: 8 });
    }),
    ("transfers: it leads nowhere", |m| {
        m.world.transfers.insert(8, Transfer::Read { address: 0, bytes: 8 });
    }),
    ("directory: a hart that is not there", |m| m.world.directory.entry(LINE).set_owner(Some(2))),
    ("directory: a line is shared by a hart", |m| m.world.directory.entry(LINE).sharers = 4),
    ("directory: a moment later", |m| m.world.directory.entry(LINE).settled = u64::MAX),
    ("the clusters: not as many", |m| {
        let figures = takt_model::timing::Cluster {
            cores: 4,
            link: 1,
            service: 1,
            snoop: 1,
            cache: takt_model::timing::Cache { size: 4096, ways: 2, hit: 1, index: vec![] },
        };
        m.world.clusters.push(crate::memory::cluster::Cluster::new(&figures));
    }),
    ("the events: a cluster that is not there", |m| {
        push(m, What::Cluster(0, AtCluster::Request(share(0, LINE))));
    }),
];

#[test]
fn what_cannot_be_is_told() {
    let own = machine("p4080", 2);
    assert!(own.restore(&own.save()).is_ok());
    // What can be, with no access to uncached memory wrong.
    let mut good = machine("p4080", 2);
    direct(&mut good, 1, BESIDE + 56, 8);
    buffer(&mut good, BESIDE, Way::Sent);
    assert!(own.restore(&good.save()).is_ok());
    for (number, (words, forge)) in FORGERIES.iter().enumerate() {
        let mut forged = machine("p4080", 2);
        forge(&mut forged);
        match own.restore(&forged.save_for(own.kind())).err() {
            Some(BadSnapshot::Impossible(told)) if told.starts_with(words) => {}
            other => panic!("{number}: {words}: {other:?}"),
        }
    }
}

/// Parts of another board's machine are of other sizes.
#[test]
fn another_boards_parts_are_told() {
    let own = machine("p4080", 2);
    type Graft = (&'static str, fn(&mut Machine, Machine));
    let parts: [Graft; 4] = [
        ("the interconnect: it is not", |m, other| m.world.network = other.world.network),
        ("the memory controllers: they are not", |m, other| m.world.dram = other.world.dram),
        ("the devices: their addresses are not", |m, other| {
            m.world.platform = other.world.platform
        }),
        ("hart 0: the L1 I: its sets are not", |m, mut other| {
            std::mem::swap(&mut m.units[0].core.code, &mut other.units[0].core.code);
        }),
    ];
    for (words, put) in parts {
        let mut forged = own.clone();
        put(&mut forged, machine("tile72", 3));
        let told = own.restore(&forged.save_for(own.kind())).err();
        let right = matches!(&told, Some(BadSnapshot::Impossible(it)) if it.starts_with(words));
        assert!(right, "{words}: {told:?}");
    }
}

/// A core's parts are of the sizes of its kind: none of them fits a core of another.
#[test]
fn another_kinds_parts_are_told() {
    let own = machine("biglittle8", 8);
    assert!(own.restore(&own.save()).is_ok());
    type Graft = (&'static str, fn(&mut Machine));
    let parts: [Graft; 6] = [
        ("hart 0: the L1 I: its sets are not", |m| {
            m.units[0].core.code = m.units[4].core.code.clone();
        }),
        ("hart 5: the TLB for fetches: it has not", |m| {
            m.units[5].core.itlb = m.units[3].core.itlb.clone();
        }),
        ("hart 3: the TLB for loads and stores: it has not", |m| {
            m.units[3].core.dtlb = m.units[4].core.dtlb.clone();
        }),
        ("hart 4: the L1 D: its sets are not", |m| {
            m.units[4].core.l1d = m.units[0].core.l1d.clone();
        }),
        ("hart 7: the L2: its sets are not", |m| m.units[7].core.l2 = m.units[0].core.l2.clone()),
        ("the timing is not this board's", |m| m.world.timing.kinds[0].core.divide += 1),
    ];
    for (words, put) in parts {
        let mut forged = machine("biglittle8", 8);
        put(&mut forged);
        match own.restore(&forged.save_for(own.kind())).err() {
            Some(BadSnapshot::Impossible(told)) if told.starts_with(words) => {}
            bad => panic!("{words}: {bad:?}"),
        }
    }
}
