// SPDX-License-Identifier: Apache-2.0
//! What mutexes cost a task: blocking by critical sections of lower tasks, spins, and waits. The argument
//! stands in docs/design/analysis.md, "Mutexes" and "Nested holds".

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use takt_model::{Assignment, MutexUse, Protocol, System, Task};

use crate::demand::Demand;
use crate::nonpreemptive;
use crate::quantity::{Time, Work};
use crate::stages::{Expansion, Part};
use crate::term::Term;
use crate::verdict::{Named, NoBound};

/// The mutexes of a system, and what has been computed of them.
pub struct Mutexes<'a> {
    system: &'a System,
    assignments: &'a [Assignment],
    parts: &'a [Option<Part>],
    users: Vec<MutexUsers>,
    /// For each mutex those that a job may lock while it holds it, and those that may be locked within these, and so on.
    within: Vec<BTreeSet<usize>>,
    /// By mutex and core: many tasks ask for the same.
    spins: Memo<(usize, u32), Work>,
    /// By core, priority and level.
    blocking: Memo<(u32, u8, u8), Rc<Demand>>,
}

type Memo<Key, Value> = RefCell<BTreeMap<Key, Result<Value, NoBound>>>;

/// A critical section: a lower task holds a mutex, or spins for it and holds it.
#[derive(Clone, Copy, Debug)]
struct Section {
    mutex: usize,
    task: usize,
    work: Work,
}

/// The users of one mutex.
#[derive(Default)]
struct MutexUsers {
    /// The two lowest priorities, the lowest one first.
    lowest: Vec<u8>,
    /// The ceiling: the highest priority of a user, or a declared one above it.
    ceiling: Option<u8>,
    /// The highest ceiling of the mutex itself and of all mutexes that may be held when it is locked: up to this priority
    /// tasks may wait for its holder.
    reaches: Option<u8>,
    /// Two of the users that may sleep.
    sleepers: Vec<usize>,
    /// For each core the longest hold; or a user that does not declare its hold.
    holds: BTreeMap<u32, Result<Work, usize>>,
}

/// How long a hold on a core takes with the interrupts that come there, by core and hold.
pub type HoldTime<'a> = &'a dyn Fn(u32, Work) -> Time;

impl<'a> Mutexes<'a> {
    pub fn new(expansion: &'a Expansion) -> Self {
        let Expansion { system, assignments, parts, .. } = expansion;
        let mut users: Vec<_> = system.mutexes.iter().map(|_| MutexUsers::default()).collect();
        for (index, task) in system.tasks.iter().enumerate() {
            for one in &task.mutexes {
                let hold = one.hold.map(Work::from);
                users[one.mutex].add(index, assignments[index], hold, task.may_suspend());
            }
        }
        for (users, mutex) in users.iter_mut().zip(&system.mutexes) {
            users.ceiling = mutex.ceiling.or(users.ceiling);
        }
        let within = within(system);
        reach_outwards(&mut users, &within);
        Mutexes {
            system,
            assignments,
            parts,
            users,
            within,
            spins: RefCell::default(),
            blocking: RefCell::default(),
        }
    }

    /// How many requests of a job may have to wait: another user of the mutex is equal or lower.
    pub fn waits(&self, task: usize) -> u64 {
        let priority = self.assignments[task].priority;
        let may_wait = |mutex: usize| {
            let second = self.users[mutex].lowest.get(1);
            let may = matches!(self.protocol(mutex), Protocol::Inherit | Protocol::Plain);
            may && second.is_some_and(|it| *it >= priority)
        };
        let own = self.task(task).mutexes.iter().filter(|one| may_wait(one.mutex));
        own.map(|one| u64::from(one.times)).sum()
    }

    /// How long one job spins in all.
    pub fn job_spin(&self, task: usize, hold_time: HoldTime) -> Result<Work, NoBound> {
        let core = self.assignments[task].core;
        let spins = self
            .task(task)
            .mutexes
            .iter()
            .map(|one| Ok(self.spin_for(one.mutex, core, hold_time)? * u64::from(one.times)));
        spins.sum()
    }

    fn spin_for(&self, mutex: usize, core: u32, hold_time: HoldTime) -> Result<Work, NoBound> {
        if let Some(known) = self.spins.borrow().get(&(mutex, core)) {
            return known.clone();
        }
        let found = self.find_spin(mutex, core, hold_time);
        self.spins.borrow_mut().insert((mutex, core), found.clone());
        found
    }

    /// One hold of each other core, as the queue is FIFO, and each core has one task that holds or spins.
    fn find_spin(&self, mutex: usize, core: u32, hold_time: HoldTime) -> Result<Work, NoBound> {
        if self.protocol(mutex) != Protocol::Msrp {
            return Ok(Work::ZERO);
        }
        let others = self.users[mutex].holds.iter().filter(|(other, _)| **other != core);
        let holds = others.map(|(other, hold)| {
            let hold = hold.map_err(|task| self.undeclared(mutex, task))?;
            match hold_time(*other, hold) {
                Time::UNBOUNDED => Err(self.unbounded(mutex, *other)),
                time => Ok(time.as_work()),
            }
        });
        holds.sum()
    }

    /// Why a hold on another core has no bound: nothing bounds the interrupts there.
    fn unbounded(&self, mutex: usize, core: u32) -> NoBound {
        let is_user = |task: &usize| {
            self.assignments[*task].core == core
                && self.task(*task).mutexes.iter().any(|one| one.mutex == mutex)
        };
        let user = (0..self.system.tasks.len()).find(is_user);
        user.map_or(NoBound::TooManySteps, |task| NoBound::DependsOn { task: self.named(task) })
    }

    /// The section with interrupts or dispatch disabled of a task below `priority` that blocks those at it, once. Where a spin
    /// has no bound, because a hold is not declared, [`Mutexes::blocking`] says so.
    pub fn nonpreemptive(
        &self,
        core: u32,
        priority: u8,
        hold_time: HoldTime,
    ) -> Option<(usize, Work)> {
        let spin = |task: usize| self.job_spin(task, hold_time).unwrap_or(Work::ZERO);
        nonpreemptive::blocking(self.system, self.assignments, core, priority, spin)
    }

    /// The critical sections of tasks below `task` that block it, once. `level` is the lowest priority of the tasks
    /// that must run for it, `resume` what the core's kernel needs to let a task that waited go on.
    pub fn blocking(
        &self,
        task: usize,
        level: u8,
        resume: Work,
        hold_time: HoldTime,
    ) -> Result<Rc<Demand>, NoBound> {
        if self.users.is_empty() {
            return Ok(Rc::default());
        }
        self.check_own(task)?;
        let place = self.assignments[task];
        let key = (place.core, place.priority, level);
        if let Some(known) = self.blocking.borrow().get(&key) {
            return known.clone();
        }
        let found = self.find_blocking(place, level, resume, hold_time).map(Rc::new);
        self.blocking.borrow_mut().insert(key, found.clone());
        found
    }

    /// Returns the blocking by lower tasks. One of them at most is in a section with a ceiling or with the core for itself;
    /// each of them may have stopped with a mutex that inherits priorities.
    fn find_blocking(
        &self,
        place: Assignment,
        level: u8,
        resume: Work,
        hold_time: HoldTime,
    ) -> Result<Demand, NoBound> {
        let (mut once, mut blocking) = (None, Demand::default());
        for (lower, other) in self.assignments.iter().enumerate() {
            if other.core != place.core || other.priority <= place.priority {
                continue;
            }
            let nested = self.nested(lower, level, place.core, resume, hold_time)?;
            let mut inherited = None;
            for one in &self.task(lower).mutexes {
                let hold =
                    || one.hold.map(Work::from).ok_or_else(|| self.undeclared(one.mutex, lower));
                let section =
                    |work| Section { mutex: one.mutex, task: self.described(lower), work };
                let handed = |work: Work| section(work + resume);
                let reaches = self.users[one.mutex].reaches.is_some_and(|it| it <= level);
                match self.protocol(one.mutex) {
                    Protocol::Msrp => {
                        let spin = self.spin_for(one.mutex, place.core, hold_time)?;
                        keep_longest(&mut once, section(spin + hold()?));
                    }
                    // Its holder delays only tasks that wait for it, and these have no bound.
                    Protocol::Plain => {}
                    _ if !reaches => {}
                    _ if self.task(lower).may_suspend() => {
                        return Err(self.sleeps(one.mutex, lower));
                    }
                    Protocol::Ceiling => keep_longest(&mut once, section(hold()?)),
                    Protocol::Inherit => keep_longest(&mut inherited, handed(hold()?)),
                }
            }
            match nested {
                Some((Protocol::Inherit, section)) => keep_longest(&mut inherited, section),
                Some((_, section)) => keep_longest(&mut once, section),
                None => {}
            }
            inherited.iter().for_each(|section| blocking.add(section.term(), section.work));
        }
        once.iter().for_each(|section: &Section| blocking.add(section.term(), section.work));
        Ok(blocking)
    }

    /// The section of a lower task whose holds nest: all of them one after the other, with each spin for an `msrp` mutex among
    /// them and a hand-over for each wait. None where nothing nests that tasks at or above the level may wait for.
    fn nested(
        &self,
        lower: usize,
        level: u8,
        core: u32,
        resume: Work,
        hold_time: HoldTime,
    ) -> Result<Option<(Protocol, Section)>, NoBound> {
        let own = &self.task(lower).mutexes;
        let outer: BTreeSet<_> = own.iter().flat_map(|one| &one.inside).copied().collect();
        let nests = |one: &&MutexUse| outer.contains(&one.mutex) || !one.inside.is_empty();
        let reaches = |mutex: &usize| self.users[*mutex].reaches.is_some_and(|it| it <= level);
        let Some(first) = outer.iter().find(|mutex| reaches(mutex)) else { return Ok(None) };
        self.check_plain(own.iter().filter(nests).map(|one| one.mutex))?;
        let mut work = resume;
        for one in own.iter().filter(nests) {
            let hold = one.hold.map(Work::from).ok_or_else(|| self.undeclared(one.mutex, lower))?;
            let spin = self.spin_for(one.mutex, core, hold_time)?;
            work += (hold + spin + resume) * u64::from(one.times);
        }
        let inherits = outer.iter().any(|mutex| self.protocol(*mutex) == Protocol::Inherit);
        let protocol = if inherits { Protocol::Inherit } else { Protocol::Ceiling };
        Ok(Some((protocol, Section { mutex: *first, task: self.described(lower), work })))
    }

    /// Refuses a bound where the task may need a mutex without a protocol that other tasks lock, or one with which
    /// another task sleeps.
    fn check_own(&self, task: usize) -> Result<(), NoBound> {
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
    fn check_plain(&self, mut mutexes: impl Iterator<Item = usize>) -> Result<(), NoBound> {
        let is_shared = |mutex: usize| self.users[mutex].lowest.len() > 1;
        let is_plain = |mutex: usize| self.protocol(mutex) == Protocol::Plain;
        match mutexes.find(|mutex| is_plain(*mutex) && is_shared(*mutex)) {
            Some(mutex) => Err(NoBound::PlainMutex { mutex: Named::mutex(self.system, mutex) }),
            None => Ok(()),
        }
    }

    fn sleeps(&self, mutex: usize, task: usize) -> NoBound {
        let (mutex, task) = (Named::mutex(self.system, mutex), self.named(task));
        NoBound::MutexHolderSleeps { mutex, task }
    }

    fn undeclared(&self, mutex: usize, task: usize) -> NoBound {
        let (mutex, task) = (Named::mutex(self.system, mutex), self.named(task));
        NoBound::UndeclaredHold { mutex, task }
    }

    fn protocol(&self, mutex: usize) -> Protocol {
        self.system.mutexes[mutex].protocol
    }

    /// The index of the task in the description.
    fn described(&self, task: usize) -> usize {
        self.parts[task].map_or(task, |part| part.thread)
    }

    fn named(&self, task: usize) -> Named {
        Named::task(self.system, self.described(task))
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

/// Raises what a mutex reaches: the holder of an inner mutex inherits the priority of a task that waits for the outer one, too.
fn reach_outwards(users: &mut [MutexUsers], within: &[BTreeSet<usize>]) {
    for (outer, inner) in within.iter().enumerate() {
        let ceiling = users[outer].ceiling;
        for mutex in inner {
            let reaches = &mut users[*mutex].reaches;
            *reaches = [*reaches, ceiling].into_iter().flatten().min();
        }
    }
}

impl Section {
    fn term(&self) -> Term {
        Term::MutexHeld { mutex: self.mutex, task: self.task }
    }
}

fn keep_longest(longest: &mut Option<Section>, other: Section) {
    if longest.is_none_or(|it| it.work < other.work) {
        *longest = Some(other);
    }
}

impl MutexUsers {
    fn add(&mut self, task: usize, place: Assignment, hold: Option<Work>, sleeps: bool) {
        self.lowest.push(place.priority);
        self.lowest.sort_by_key(|priority| std::cmp::Reverse(*priority));
        self.lowest.truncate(2);
        self.ceiling = Some(self.ceiling.map_or(place.priority, |it| it.min(place.priority)));
        if sleeps && self.sleepers.len() < 2 {
            self.sleepers.push(task);
        }
        let entry = self.holds.entry(place.core).or_insert(Ok(Work::ZERO));
        *entry = match (*entry, hold) {
            (Ok(longest), Some(hold)) => Ok(longest.max(hold)),
            (Ok(_), None) => Err(task),
            (undeclared, _) => undeclared,
        };
    }
}
