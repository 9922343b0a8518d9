// SPDX-License-Identifier: Apache-2.0
//! Who looks at a run from outside: a debugger with stops and watches, an observer of all accesses, the trial by which
//! the machine finds that it only spins. None of them changes a run; while there is one, the accesses that it looks at
//! are left out of the host's fast tables.

pub mod observe;
pub mod watch;

use observe::{Access, Observed, Observer};
use watch::{Hit, Watch};

/// A snapshot has none of it.
#[derive(Clone, Default)]
pub struct Probes {
    /// Addresses before whose instructions the machine stops, as the harts' pc has them.
    pub(super) stops: Vec<u64>,
    /// The hart that stops after its next instruction.
    pub(super) step: Option<u32>,
    /// Bytes at accesses to which the machine stops.
    pub(super) watches: Vec<Watch>,
    /// What the latest instruction touched of what is watched.
    pub(super) hit: Option<Hit>,
    observer: Observed,
    pub(super) trial: Trial,
}

/// Whether what harts do is only looked at: an instruction that would be felt outside of its core waits instead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trial {
    #[default]
    Off,
    On,
    /// Some instruction would have been felt.
    Failed,
}

impl Probes {
    /// Nobody looks but the machine itself, in a trial.
    pub fn for_trial() -> Probes {
        Probes { trial: Trial::On, ..Probes::default() }
    }

    pub fn set_observer(&mut self, observer: Option<Box<dyn Observer>>) {
        self.observer = Observed::new(observer);
    }

    #[inline(always)]
    pub fn observed(&self) -> bool {
        self.observer.is_some()
    }

    #[inline(never)]
    pub fn report_access(&mut self, access: Access) {
        self.observer.report(&access);
    }

    pub fn in_trial(&self) -> bool {
        self.trial != Trial::Off
    }

    /// Whether the fast tables may hold bytes of RAM: nobody looks at accesses to them.
    pub fn permits_fast(&self, offset: u64, bytes: u64) -> bool {
        !self.observed()
            && !self.in_trial()
            && !self.watches.iter().any(|watch| watch.overlaps(offset, bytes))
    }

    /// Whether nobody looks at instructions or accesses, so that some need not be executed.
    pub fn are_absent(&self) -> bool {
        self.stops.is_empty() && self.watches.is_empty() && self.step.is_none() && !self.observed()
    }
}
