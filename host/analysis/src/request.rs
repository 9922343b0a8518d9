// SPDX-License-Identifier: Apache-2.0
//! Request bound functions: the work that jobs and interrupts bring into a busy window, at most.

use std::rc::Rc;

use crate::arrival::{ArrivalCurve, Periodic};
use crate::demand::Demand;
use crate::quantity::{Time, Utilisation, Work};
use crate::term::Term;

/// A busy window of some length, in which the job under analysis arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// From the window's beginning to the completion of the job.
    pub length: Time,
    /// From the window's beginning to the arrival of the job.
    pub arrival: Time,
}

/// The work that something requests in a busy window. It grows with the window's length.
pub trait RequestBound {
    fn work(&self, window: Window) -> Work;

    /// A line that lies nowhere above the function: the work at length zero, and the utilisation.
    fn line_below(&self, arrival: Time) -> (Work, Utilisation);

    /// Adds the terms of [`RequestBound::work`], by name.
    fn add_terms(&self, window: Window, demand: &mut Demand);

    /// How many terms one evaluation computes.
    fn cost(&self) -> usize {
        1
    }
}

/// Work that is there from the window's beginning.
impl RequestBound for Demand {
    fn work(&self, _: Window) -> Work {
        self.total()
    }

    fn line_below(&self, _: Time) -> (Work, Utilisation) {
        (self.total(), Utilisation::default())
    }

    fn add_terms(&self, _: Window, demand: &mut Demand) {
        demand.extend(self);
    }
}

/// The jobs of a task.
#[derive(Clone, Debug)]
pub struct Jobs<Curve = Periodic> {
    pub arrivals: Curve,
    pub counted: Counted,
    /// What one job demands, with the kernel's work for it.
    pub job: Rc<Demand>,
}

/// Which jobs of a task delay the job under analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// The jobs that are released before the request is completed, as it is preempted by them.
    UntilCompletion,
    /// The jobs that are released no later than the request arrives, as equals are served first in, first out.
    UntilArrival,
}

impl<Curve: ArrivalCurve> RequestBound for Jobs<Curve> {
    fn work(&self, window: Window) -> Work {
        self.job.total() * self.jobs(window)
    }

    fn line_below(&self, arrival: Time) -> (Work, Utilisation) {
        let total = self.job.total();
        match self.counted {
            Counted::UntilCompletion => (Work::ZERO, self.arrivals.utilisation(total)),
            Counted::UntilArrival => (total * self.arrivals.up_to(arrival), Utilisation::default()),
        }
    }

    fn add_terms(&self, window: Window, demand: &mut Demand) {
        demand.extend(&self.job.times(self.jobs(window)));
    }
}

impl Jobs {
    /// The same jobs, with another jitter.
    pub fn with_jitter(self, jitter: Time) -> Self {
        Jobs { arrivals: Periodic { jitter, ..self.arrivals }, ..self }
    }

    /// The same jobs, as far as they are released no later than the job under analysis arrives.
    pub fn until_arrival(self) -> Self {
        Jobs { counted: Counted::UntilArrival, ..self }
    }
}

impl<Curve: ArrivalCurve> Jobs<Curve> {
    fn jobs(&self, window: Window) -> u64 {
        match self.counted {
            Counted::UntilCompletion => self.arrivals.before(window.length),
            Counted::UntilArrival => self.arrivals.up_to(window.arrival),
        }
    }
}

/// Interrupts of one kind, which run before all tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InterruptLoad {
    pub arrivals: Periodic,
    /// What one of them needs, with all that the kernel does for it.
    pub work: Work,
}

/// All interrupts of a core.
#[derive(Debug, Default)]
pub struct Interrupts {
    named: Vec<(Term, InterruptLoad)>,
    /// One for all of the same arrivals, so that a window of many tasks is evaluated fast.
    merged: Vec<InterruptLoad>,
}

impl Interrupts {
    pub fn new(named: Vec<(Term, InterruptLoad)>) -> Self {
        let merged = merge(named.iter().map(|(_, interrupt)| *interrupt).collect());
        Interrupts { named, merged }
    }

    pub fn is_empty(&self) -> bool {
        self.merged.is_empty()
    }
}

impl RequestBound for Interrupts {
    fn work(&self, window: Window) -> Work {
        self.merged.iter().map(|it| it.work * it.arrivals.before(window.length)).sum()
    }

    fn line_below(&self, _: Time) -> (Work, Utilisation) {
        let each = self.merged.iter().map(|it| it.arrivals.utilisation(it.work));
        (Work::ZERO, each.fold(Utilisation::default(), |sum, one| sum + one))
    }

    fn add_terms(&self, window: Window, demand: &mut Demand) {
        for (term, it) in &self.named {
            demand.add(term.clone(), it.work * it.arrivals.before(window.length));
        }
    }

    fn cost(&self) -> usize {
        self.merged.len()
    }
}

/// Interrupts that need no work fall away.
fn merge(mut interrupts: Vec<InterruptLoad>) -> Vec<InterruptLoad> {
    interrupts.retain(|it| it.work > Work::ZERO);
    interrupts.sort_by_key(|it| it.arrivals);
    interrupts.dedup_by(|next, kept| {
        let same = next.arrivals == kept.arrivals;
        if same {
            kept.work += next.work;
        }
        same
    });
    interrupts
}
