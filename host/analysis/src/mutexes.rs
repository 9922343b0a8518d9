// SPDX-License-Identifier: Apache-2.0
//! What mutexes cost a task: sections of lower tasks that delay it, spins, and waits. The argument
//! stands in docs/design/analysis.md, "Mutexes".

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use takt_model::{MutexUse, Protocol, System, Task};

use crate::waits::sleeps;
use crate::{Named, Placement, Why, rights};

pub struct Mutexes<'a> {
    system: &'a System,
    placements: &'a [Placement],
    users: Vec<Users>,
    /// For each mutex those that a job may lock while it holds it, and those that may be locked within these, and so on.
    within: Vec<BTreeSet<usize>>,
    /// By mutex and core, and by core, priority and level: many tasks ask for the same.
    spins: Known<(usize, u32), u64>,
    sections: Known<(u32, u8, u8), Rc<Sections>>,
}

type Known<Key, Value> = RefCell<BTreeMap<Key, Result<Value, Why>>>;

/// The sections of lower tasks that delay a task once.
#[derive(Debug, Default)]
pub struct Sections(Vec<Section>);

/// A lower task holds a mutex, or spins for it and holds it.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    pub mutex: usize,
    pub task: usize,
    pub time: u64,
}

impl Sections {
    pub fn iter(&self) -> impl Iterator<Item = &Section> {
        self.0.iter()
    }
}

/// Those of one mutex.
#[derive(Default)]
struct Users {
    /// The two lowest, the lowest one first.
    lowest: Vec<u8>,
    /// The ceiling: the highest priority, or a written one above it.
    highest: Option<u8>,
    /// The highest of those for which it may have to be given back: its own users, and those of the mutexes that are held
    /// when it is locked.
    reaches: Option<u8>,
    /// Two of those that may sleep.
    sleepers: Vec<usize>,
    /// The longest hold of each core; who does not say.
    holds: BTreeMap<u32, Result<u64, usize>>,
}

/// How long a hold may take on a core, with the interrupts that come there, by core and hold.
pub type Stretch<'a> = &'a dyn Fn(u32, u64) -> u64;

impl<'a> Mutexes<'a> {
    pub fn new(system: &'a System, placements: &'a [Placement]) -> Self {
        let mut users: Vec<_> = system.mutexes.iter().map(|_| Users::default()).collect();
        for (index, task) in system.tasks.iter().enumerate() {
            for one in &task.mutexes {
                let hold = one.hold.map(|hold| hold.0);
                users[one.mutex].add(index, placements[index], hold, sleeps(task));
            }
        }
        for (users, mutex) in users.iter_mut().zip(&system.mutexes) {
            users.highest = mutex.ceiling.or(users.highest);
        }
        let within = within(system);
        lend_outwards(&mut users, &within);
        Mutexes {
            system,
            placements,
            users,
            within,
            spins: RefCell::default(),
            sections: RefCell::default(),
        }
    }

    /// For how many mutexes a job may have to wait: another user is equal or lower.
    pub fn waits(&self, task: usize) -> u64 {
        let priority = self.placements[task].priority;
        let may_wait = |mutex: usize| {
            let second = self.users[mutex].lowest.get(1);
            let may = matches!(self.protocol(mutex), Protocol::Inherit | Protocol::Plain);
            may && second.is_some_and(|it| *it >= priority)
        };
        let own = self.task(task).mutexes.iter().filter(|one| may_wait(one.mutex));
        own.map(|one| u64::from(one.times)).sum()
    }

    /// How long one job spins in all.
    pub fn spin(&self, task: usize, stretch: Stretch) -> Result<u64, Why> {
        let core = self.placements[task].core;
        self.task(task).mutexes.iter().try_fold(0, |sum: u64, one| {
            let spin = self.spin_for(one.mutex, core, stretch)?;
            Ok(sum.saturating_add(spin.saturating_mul(u64::from(one.times))))
        })
    }

    fn spin_for(&self, mutex: usize, core: u32, stretch: Stretch) -> Result<u64, Why> {
        if let Some(known) = self.spins.borrow().get(&(mutex, core)) {
            return known.clone();
        }
        let found = self.find_spin(mutex, core, stretch);
        self.spins.borrow_mut().insert((mutex, core), found.clone());
        found
    }

    /// One hold of each other core: FIFO, and each core has one task that holds or spins.
    fn find_spin(&self, mutex: usize, core: u32, stretch: Stretch) -> Result<u64, Why> {
        if self.protocol(mutex) != Protocol::Msrp {
            return Ok(0);
        }
        let mut others = self.users[mutex].holds.iter().filter(|(other, _)| **other != core);
        others.try_fold(0_u64, |sum, (other, hold)| {
            let hold = hold.map_err(|task| self.undeclared(mutex, task))?;
            Ok(sum.saturating_add(stretch(*other, hold)))
        })
    }

    /// The section with interrupts or dispatch disabled of a task below `priority` that delays those at it, once. Where a spin
    /// has no bound, because a hold is not declared, `blocking` says so.
    pub fn kept_waiting(&self, core: u32, priority: u8, stretch: Stretch) -> Option<(usize, u64)> {
        let spins = |task: usize| self.spin(task, stretch).unwrap_or(0);
        rights::blocking(self.system, self.placements, core, priority, spins)
    }

    /// How long sections of tasks below `task` delay it, once. `level`: the lowest priority of those
    /// that must run for it. `resume`: the kernel's cost, on the core, of letting a task that waited go on.
    pub fn blocking(
        &self,
        task: usize,
        level: u8,
        resume: u64,
        stretch: Stretch,
    ) -> Result<Rc<Sections>, Why> {
        if self.users.is_empty() {
            return Ok(Rc::default());
        }
        self.check_own(task)?;
        let place = self.placements[task];
        let key = (place.core, place.priority, level);
        if let Some(known) = self.sections.borrow().get(&key) {
            return known.clone();
        }
        let found = self.find_blocking(place, level, resume, stretch).map(Rc::new);
        self.sections.borrow_mut().insert(key, found.clone());
        found
    }

    /// Of all lower tasks together one holds a ceiling or keeps the core; each one of them may have
    /// stopped with a mutex that lends.
    fn find_blocking(
        &self,
        place: Placement,
        level: u8,
        resume: u64,
        stretch: Stretch,
    ) -> Result<Sections, Why> {
        let (mut once, mut each) = (None, Vec::new());
        for (lower, other) in self.placements.iter().enumerate() {
            if other.core != place.core || other.priority <= place.priority {
                continue;
            }
            let nested = self.nested(lower, level, place.core, resume, stretch)?;
            let mut lent = None;
            for one in &self.task(lower).mutexes {
                let hold =
                    || one.hold.map(|it| it.0).ok_or_else(|| self.undeclared(one.mutex, lower));
                let section = |time| Section { mutex: one.mutex, task: lower, time };
                let handed = |time: u64| section(time.saturating_add(resume));
                let reaches = self.users[one.mutex].reaches.is_some_and(|it| it <= level);
                match self.protocol(one.mutex) {
                    Protocol::Msrp => {
                        let spin = self.spin_for(one.mutex, place.core, stretch)?;
                        keep_longest(&mut once, section(spin.saturating_add(hold()?)));
                    }
                    // Its holder delays who waits for it, who has no bound, and nobody else.
                    Protocol::Plain => {}
                    _ if !reaches => {}
                    _ if sleeps(self.task(lower)) => return Err(self.sleeps(one.mutex, lower)),
                    Protocol::Ceiling => keep_longest(&mut once, section(hold()?)),
                    Protocol::Inherit => keep_longest(&mut lent, handed(hold()?)),
                }
            }
            match nested {
                Some((Protocol::Inherit, section)) => keep_longest(&mut lent, section),
                Some((_, section)) => keep_longest(&mut once, section),
                None => {}
            }
            each.extend(lent);
        }
        each.extend(once);
        Ok(Sections(each))
    }

    /// The section of a lower task whose holds nest: all of them one after the other, with each spin for an `msrp` mutex among
    /// them and a hand-over for each wait. None where nothing nests that may have to be given back.
    fn nested(
        &self,
        lower: usize,
        level: u8,
        core: u32,
        resume: u64,
        stretch: Stretch,
    ) -> Result<Option<(Protocol, Section)>, Why> {
        let own = &self.task(lower).mutexes;
        let outer: BTreeSet<_> = own.iter().flat_map(|one| &one.inside).copied().collect();
        let nests = |one: &&MutexUse| outer.contains(&one.mutex) || !one.inside.is_empty();
        let reaches = |mutex: &usize| self.users[*mutex].reaches.is_some_and(|it| it <= level);
        let Some(first) = outer.iter().find(|mutex| reaches(mutex)) else { return Ok(None) };
        self.check_plain(own.iter().filter(nests).map(|one| one.mutex))?;
        let mut time = resume;
        for one in own.iter().filter(nests) {
            let hold = one.hold.map(|it| it.0).ok_or_else(|| self.undeclared(one.mutex, lower))?;
            let spin = self.spin_for(one.mutex, core, stretch)?;
            let each =
                [hold, spin, resume].iter().fold(0, |sum: u64, one| sum.saturating_add(*one));
            time = time.saturating_add(each.saturating_mul(u64::from(one.times)));
        }
        let lends = outer.iter().any(|mutex| self.protocol(*mutex) == Protocol::Inherit);
        let protocol = if lends { Protocol::Inherit } else { Protocol::Ceiling };
        Ok(Some((protocol, Section { mutex: *first, task: lower, time })))
    }

    /// Refuses a bound where the task may need a mutex without a protocol that others lock, or one with which
    /// another task sleeps.
    fn check_own(&self, task: usize) -> Result<(), Why> {
        let own = self.task(task).mutexes.iter().map(|one| one.mutex);
        let needed: BTreeSet<_> =
            own.flat_map(|mutex| self.within[mutex].iter().copied()).collect();
        self.check_plain(needed.iter().copied())?;
        for mutex in needed.into_iter().filter(|mutex| self.protocol(*mutex) != Protocol::Msrp) {
            let mut sleepers = self.users[mutex].sleepers.iter();
            if let Some(other) = sleepers.find(|other| **other != task) {
                return Err(self.sleeps(mutex, *other));
            }
        }
        Ok(())
    }

    /// Refuses a bound where one of the mutexes has no protocol and several users: nothing bounds a wait for it.
    fn check_plain(&self, mut mutexes: impl Iterator<Item = usize>) -> Result<(), Why> {
        let is_shared = |mutex: usize| self.users[mutex].lowest.len() > 1;
        let is_plain = |mutex: usize| self.protocol(mutex) == Protocol::Plain;
        match mutexes.find(|mutex| is_plain(*mutex) && is_shared(*mutex)) {
            Some(mutex) => Err(Why::PlainMutex { mutex: Named::mutex(self.system, mutex) }),
            None => Ok(()),
        }
    }

    fn sleeps(&self, mutex: usize, task: usize) -> Why {
        let (mutex, task) = (Named::mutex(self.system, mutex), Named::task(self.system, task));
        Why::MutexHolderSleeps { mutex, task }
    }

    fn undeclared(&self, mutex: usize, task: usize) -> Why {
        let (mutex, task) = (Named::mutex(self.system, mutex), Named::task(self.system, task));
        Why::UndeclaredHold { mutex, task }
    }

    fn protocol(&self, mutex: usize) -> Protocol {
        self.system.mutexes[mutex].protocol
    }

    fn task(&self, index: usize) -> &Task {
        &self.system.tasks[index]
    }
}

/// For each mutex itself and those that may be locked within it, directly or not.
fn within(system: &System) -> Vec<BTreeSet<usize>> {
    let mut within: Vec<BTreeSet<usize>> =
        (0..system.mutexes.len()).map(|mutex| BTreeSet::from([mutex])).collect();
    let uses = || system.tasks.iter().flat_map(|task| &task.mutexes);
    let pairs: BTreeSet<_> =
        uses().flat_map(|one| one.inside.iter().map(|outer| (*outer, one.mutex))).collect();
    for _ in 0..system.mutexes.len() {
        let mut grown = false;
        for (outer, inner) in &pairs {
            let more: Vec<_> = within[*inner].difference(&within[*outer]).copied().collect();
            grown |= !more.is_empty();
            within[*outer].extend(more);
        }
        if !grown {
            break;
        }
    }
    within
}

/// Raises what a mutex can lend: a task that waits for the outer mutex lends its priority to the holder of an
/// inner one, too.
fn lend_outwards(users: &mut [Users], within: &[BTreeSet<usize>]) {
    for (outer, inner) in within.iter().enumerate() {
        let highest = users[outer].highest;
        for mutex in inner {
            let reaches = &mut users[*mutex].reaches;
            *reaches = [*reaches, highest].into_iter().flatten().min();
        }
    }
}

fn keep_longest(longest: &mut Option<Section>, other: Section) {
    if longest.is_none_or(|it| it.time < other.time) {
        *longest = Some(other);
    }
}

impl Users {
    fn add(&mut self, task: usize, place: Placement, hold: Option<u64>, sleeps: bool) {
        self.lowest.push(place.priority);
        self.lowest.sort_by_key(|priority| std::cmp::Reverse(*priority));
        self.lowest.truncate(2);
        self.highest = Some(self.highest.map_or(place.priority, |it| it.min(place.priority)));
        if sleeps && self.sleepers.len() < 2 {
            self.sleepers.push(task);
        }
        let entry = self.holds.entry(place.core).or_insert(Ok(0));
        *entry = match (*entry, hold) {
            (Ok(longest), Some(hold)) => Ok(longest.max(hold)),
            (Ok(_), None) => Err(task),
            (undeclared, _) => undeclared,
        };
    }
}
