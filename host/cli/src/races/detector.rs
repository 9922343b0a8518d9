// SPDX-License-Identifier: Apache-2.0
//! Compares the accesses of the application with those of other cores.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use takt_board::engine::observe::{Access, Kind, Location};

use super::clock::{Clock, Known, Step, acquires, releases};

/// Bytes of the memory of which accesses are kept together.
const WORD: u64 = 8;

/// One of the two accesses of a race.
#[derive(Clone, Copy, Debug)]
pub struct Side {
    pub pc: u64,
    pub writes: bool,
    pub core: usize,
}

/// Accesses of two cores to the same bytes, at least one of which writes, with nothing that orders them.
#[derive(Clone, Debug)]
pub struct Race {
    pub earlier: Side,
    pub later: Side,
    /// The virtual address of the first one.
    pub address: u64,
    pub count: u64,
}

impl Side {
    pub fn word(&self) -> &'static str {
        if self.writes { "a store" } else { "a load" }
    }
}

/// An access that is not known to come before all later ones.
struct Seen {
    step: Step,
    side: Side,
    /// A bit for each byte of the word.
    bytes: u8,
}

/// What is kept of a word of memory.
#[derive(Default)]
struct Word {
    known: Option<Known>,
    seen: Vec<Seen>,
}

/// What a core did last, as far as it decides what an access beside it is.
#[derive(Clone, Copy, Default)]
enum Last {
    #[default]
    Other,
    /// A fence that orders all earlier accesses before later stores: a store right behind it is an atomic one.
    Fence,
    /// A load of the application, which has not been compared: a fence right behind it makes it an atomic one.
    Load(Access),
}

pub struct Detector {
    clocks: Vec<Clock>,
    last: Vec<Last>,
    /// Where the application's code lies, ascending.
    application: Vec<Range<u64>>,
    words: HashMap<u64, Word>,
    /// By the places of both accesses.
    races: BTreeMap<(u64, u64, bool), Race>,
    /// Accesses that were compared.
    pub compared: u64,
}

impl Detector {
    pub fn new(cores: usize, application: Vec<Range<u64>>) -> Detector {
        let clocks = (0..cores).map(|core| Clock::new(core, cores)).collect();
        Detector {
            clocks,
            last: vec![Last::default(); cores],
            application,
            words: HashMap::new(),
            races: BTreeMap::new(),
            compared: 0,
        }
    }

    /// Compares what is left at the end of the run.
    pub fn end(&mut self) {
        for core in 0..self.last.len() {
            if let Last::Load(load) = std::mem::take(&mut self.last[core]) {
                self.compare(&load);
            }
        }
    }

    pub fn races(&self) -> impl Iterator<Item = &Race> {
        self.races.values()
    }

    pub fn take(&mut self, access: &Access) {
        let core = access.initiator as usize;
        if core >= self.clocks.len()
            || matches!(access.kind, Kind::Fetch | Kind::Walk | Kind::WalkUpdate)
        {
            return;
        }
        let last = std::mem::take(&mut self.last[core]);
        if let Kind::Fence { predecessor, successor } = access.kind {
            if let (Last::Load(load), false) = (last, acquires(predecessor, successor)) {
                self.compare(&load);
            }
            self.clocks[core].fence(predecessor, successor);
            if releases(predecessor, successor) {
                self.last[core] = Last::Fence;
            }
            return;
        }
        if let Last::Load(load) = last {
            self.compare(&load);
        }
        let Location::Memory(at) = access.location else { return };
        match access.kind {
            Kind::Load => {
                self.read(at, access);
                if self.is_application(access.pc) {
                    self.last[core] = Last::Load(*access);
                }
            }
            Kind::Store => {
                if self.is_application(access.pc) && !matches!(last, Last::Fence) {
                    self.compare(access);
                }
                self.store(at, access);
            }
            Kind::LoadReserved => self.read(at, access),
            Kind::StoreConditional { done: true } | Kind::Atomic { .. } => self.modify(at, access),
            _ => {}
        }
    }

    fn is_application(&self, pc: u64) -> bool {
        let after = self.application.partition_point(|range| range.start <= pc);
        after > 0 && self.application[after - 1].contains(&pc)
    }

    /// A load may read what any store has made known.
    fn read(&mut self, at: u64, access: &Access) {
        let clock = &mut self.clocks[access.initiator as usize];
        for word in at / WORD..=(at + u64::from(access.bytes.max(1)) - 1) / WORD {
            if let Some(known) = self.words.get(&word).and_then(|it| it.known.as_ref()) {
                clock.read(known, access.acquire);
            }
        }
    }

    /// An atomic operation, or the store of one in two parts. It is no part of a race.
    fn modify(&mut self, at: u64, access: &Access) {
        self.read(at, access);
        let known = self.clocks[access.initiator as usize].store(access.release);
        let word = self.words.entry(at / WORD).or_default();
        word.known = match known {
            Some(known) => Some(known.with(word.known.as_ref())),
            None => word.known.take(),
        };
    }

    fn store(&mut self, at: u64, access: &Access) {
        let known = self.clocks[access.initiator as usize].store(false);
        for word in at / WORD..=(at + u64::from(access.bytes.max(1)) - 1) / WORD {
            self.words.entry(word).or_default().known = known.clone();
        }
    }

    fn compare(&mut self, access: &Access) {
        let Location::Memory(at) = access.location else { return };
        self.compared += 1;
        let end = at + u64::from(access.bytes.max(1));
        for word in at / WORD..=(end - 1) / WORD {
            let first = at.max(word * WORD) - word * WORD;
            let behind = end.min((word + 1) * WORD) - word * WORD;
            let bytes = (((1u16 << behind) - 1) & !((1u16 << first) - 1)) as u8;
            self.compare_word(word, bytes, access);
        }
    }

    fn compare_word(&mut self, number: u64, bytes: u8, access: &Access) {
        let clock = &self.clocks[access.initiator as usize];
        let side = Side {
            pc: access.pc,
            writes: access.kind == Kind::Store,
            core: access.initiator as usize,
        };
        let word = self.words.entry(number).or_default();
        for other in &word.seen {
            let conflicts = other.bytes & bytes != 0 && (other.side.writes || side.writes);
            if conflicts && !clock.is_behind(other.step) {
                let key = (other.side.pc, side.pc, side.writes);
                let race = self.races.entry(key).or_insert_with(|| Race {
                    earlier: other.side,
                    later: side,
                    address: access.address,
                    count: 0,
                });
                race.count += 1;
            }
        }
        // What comes after this access comes after those before it, too.
        word.seen.retain(|other| {
            let covered = other.bytes & !bytes == 0 && (side.writes || !other.side.writes);
            !(covered && clock.is_behind(other.step))
        });
        word.seen.push(Seen { step: clock.step(), side, bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: Range<u64> = 0x1000..0x2000;

    fn access(core: u32, kind: Kind, at: u64) -> Access {
        Access {
            time: 0,
            initiator: core,
            pc: CODE.start + u64::from(core),
            address: at,
            bytes: 4,
            kind,
            location: Location::Memory(at),
            acquire: false,
            release: false,
            value: 0,
        }
    }

    const DATA: u64 = 64;
    const FLAG: u64 = 128;
    const STORES_AFTER: Kind = Kind::Fence { predecessor: 3, successor: 1 };
    const LOADS_BEFORE: Kind = Kind::Fence { predecessor: 2, successor: 3 };

    fn races(accesses: &[Access]) -> usize {
        let mut detector = Detector::new(3, vec![CODE]);
        accesses.iter().for_each(|access| detector.take(access));
        detector.end();
        detector.races().count()
    }

    #[test]
    fn a_message_is_ordered_by_two_fences_and_by_no_fewer() {
        let all = [
            access(0, Kind::Store, DATA),
            access(0, STORES_AFTER, 0),
            Access { pc: 0, ..access(0, Kind::Store, FLAG) },
            Access { pc: 0, ..access(1, Kind::Load, FLAG) },
            access(1, LOADS_BEFORE, 0),
            access(1, Kind::Load, DATA),
        ];
        assert_eq!(races(&all), 0);
        for without in [1, 4] {
            let mut fewer = all.to_vec();
            fewer.remove(without);
            assert_eq!(races(&fewer), 1, "without {:?}", all[without].kind);
        }
    }

    #[test]
    fn an_access_beside_its_fence_is_atomic() {
        let stores = |core| [access(core, STORES_AFTER, 0), access(core, Kind::Store, FLAG)];
        let loads = |core| [access(core, Kind::Load, FLAG), access(core, LOADS_BEFORE, 0)];
        assert_eq!(races(&[stores(0), stores(1), loads(2)].concat()), 0);
        assert_eq!(races(&[stores(0)[1], stores(1)[0], stores(1)[1]]), 0, "the other one is plain");
        assert_eq!(races(&[stores(0)[1], loads(1)[0], access(1, STORES_AFTER, 0)]), 1);
        assert_eq!(races(&[access(0, LOADS_BEFORE, 0), stores(0)[1], stores(1)[1]]), 1);
    }

    #[test]
    fn order_passes_on_through_a_third_core() {
        let amo = Kind::Atomic { amo: takt_board::isa::Amo::Add, operand: 1 };
        let both = |core| Access { acquire: true, release: true, ..access(core, amo, FLAG) };
        let accesses =
            [access(0, Kind::Store, DATA), both(0), both(1), both(2), access(2, Kind::Store, DATA)];
        assert_eq!(races(&accesses), 0);
        assert_eq!(races(&[accesses[0], accesses[1], accesses[2], accesses[4]]), 1);
        // An addition without order in between keeps what the first has made known.
        let relaxed = access(1, amo, FLAG);
        assert_eq!(races(&[accesses[0], accesses[1], relaxed, accesses[3], accesses[4]]), 0);
    }

    #[test]
    fn neighbours_in_a_word_are_no_race_and_loads_are_none() {
        let load = access(0, Kind::Load, DATA);
        assert_eq!(races(&[load, access(1, Kind::Load, DATA)]), 0);
        assert_eq!(races(&[access(0, Kind::Store, DATA), access(1, Kind::Store, DATA + 4)]), 0);
        assert_eq!(races(&[load, access(1, Kind::Store, DATA)]), 1);
        let other = Access { pc: 1, ..access(1, Kind::Store, DATA) };
        assert_eq!(races(&[load, other]), 0, "not the application's");
    }
}
