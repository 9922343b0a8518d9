// SPDX-License-Identifier: Apache-2.0
//! Request bound functions: the work that jobs and interrupts bring into a busy window, at most.

use std::rc::Rc;

use crate::arrival::{ArrivalCurve, Periodic, Start};
use crate::demand::Demand;
use crate::lines::Lines;
use crate::quantity::{Time, Utilisation, Work};
use crate::term::Term;

/// A busy window of some length, in which the job under analysis arrives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Window {
    pub start: Start,
    /// From the window's beginning to the completion of the job.
    pub length: Time,
    /// From the window's beginning to the arrival of the job.
    pub arrival: Time,
}

/// The work that something requests in a busy window. It grows with the window's length.
pub trait RequestBound {
    fn work(&self, window: Window) -> Work;

    /// A line that lies nowhere above the function for this start and arrival: the work at length zero, and the utilisation.
    fn line_below(&self, window: Window) -> (Work, Utilisation);

    /// The lines that jobs move in the window.
    fn lines(&self, _: Window) -> Lines {
        Lines::default()
    }

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

    fn line_below(&self, _: Window) -> (Work, Utilisation) {
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
    /// The lines that one job moves.
    pub lines: Lines,
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

    fn line_below(&self, window: Window) -> (Work, Utilisation) {
        let total = self.job.total();
        match self.counted {
            Counted::UntilCompletion => {
                (Work::ZERO, self.arrivals.utilisation(window.start, total))
            }
            Counted::UntilArrival => (total * self.jobs(window), Utilisation::default()),
        }
    }

    fn lines(&self, window: Window) -> Lines {
        match self.lines {
            Lines { reads: 0, writes: 0 } => self.lines,
            lines => lines * self.jobs(window),
        }
    }

    fn add_terms(&self, window: Window, demand: &mut Demand) {
        demand.extend_times(&self.job, self.jobs(window));
    }
}

impl Jobs {
    /// Returns these jobs with another jitter.
    pub fn with_jitter(self, jitter: Time) -> Self {
        Jobs { arrivals: Periodic { jitter, ..self.arrivals }, ..self }
    }

    /// Returns these jobs without the known times of their releases.
    pub fn at_any_time(self) -> Self {
        Jobs { arrivals: self.arrivals.at_any_time(), ..self }
    }

    /// Returns these jobs, of which only those count that are released no later than the job under analysis arrives.
    pub fn until_arrival(self) -> Self {
        Jobs { counted: Counted::UntilArrival, ..self }
    }
}

impl<Curve: ArrivalCurve> Jobs<Curve> {
    fn jobs(&self, window: Window) -> u64 {
        match self.counted {
            Counted::UntilCompletion => self.arrivals.before(window.start, window.length),
            Counted::UntilArrival => self.arrivals.up_to(window.start, window.arrival),
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

/// Releases that come exactly at known times. Those of one time are made in one interrupt of the timer.
#[derive(Debug, Default)]
pub struct TimedReleases {
    tasks: Vec<Periodic>,
    /// The times of one hyperperiod at which releases come, in order, each once; with each the number of releases before it.
    times: Vec<(Time, u64)>,
    hyperperiod: Time,
    /// The number of releases in a hyperperiod.
    count: u64,
    /// The work of the kernel for one release, without that of the interrupt.
    release: Work,
    timer_interrupt: Work,
}

impl TimedReleases {
    /// The tasks' releases have latest times, no jitter, and periods of which the hyperperiod is a multiple. `release` is the
    /// work of the kernel for one of them, without that of the interrupt.
    pub fn new(
        tasks: Vec<Periodic>,
        hyperperiod: Time,
        release: Work,
        timer_interrupt: Work,
    ) -> Self {
        if release + timer_interrupt == Work::ZERO {
            return TimedReleases::default();
        }
        let mut all: Vec<Time> = tasks.iter().flat_map(|it| it.times(hyperperiod)).collect();
        all.sort_unstable();
        let count = all.len() as u64;
        let mut times: Vec<_> = all.into_iter().zip(0..).collect();
        times.dedup_by_key(|(time, _)| *time);
        TimedReleases { tasks, times, hyperperiod, count, release, timer_interrupt }
    }

    fn work(&self, window: Window) -> Work {
        let (releases, interrupts) = match window.start {
            Start::Anywhere => {
                let each = self.tasks.iter().map(|it| it.before(window.start, window.length));
                let releases = each.sum();
                (releases, releases)
            }
            Start::At(start) => {
                let (releases, times) = self.before(start + window.length);
                let (earlier_releases, earlier_times) = self.before(start);
                (releases - earlier_releases, times - earlier_times)
            }
        };
        self.release * releases + self.timer_interrupt * interrupts
    }

    /// How many releases, in all hyperperiods, are before this time, and at how many times.
    fn before(&self, end: Time) -> (u64, u64) {
        if self.times.is_empty() {
            return (0, 0);
        }
        let whole = end.whole_periods(self.hyperperiod);
        let rest = end - self.hyperperiod * whole;
        let times = self.times.partition_point(|(time, _)| *time < rest);
        let releases = self.times.get(times).map_or(self.count, |(_, before)| *before);
        let all = |count: u64, more: u64| whole.saturating_mul(count).saturating_add(more);
        (all(self.count, releases), all(self.times.len() as u64, times as u64))
    }
}

/// All interrupts of a core.
#[derive(Debug, Default)]
pub struct Interrupts {
    releases: TimedReleases,
    /// One for all of the same term and arrivals.
    named: Vec<(Term, InterruptLoad)>,
    /// One for all of the same arrivals, so that a window of many tasks is evaluated fast.
    merged: Vec<InterruptLoad>,
}

impl Interrupts {
    pub fn new(releases: TimedReleases, mut named: Vec<(Term, InterruptLoad)>) -> Self {
        named.sort_by(|(a, one), (b, two)| (one.arrivals, a).cmp(&(two.arrivals, b)));
        let named = merge(named, |(a, one), (b, two)| a == b && one.arrivals == two.arrivals);
        let merged = merge(named.clone(), |(_, one), (_, two)| one.arrivals == two.arrivals);
        let merged = merged.into_iter().map(|(_, interrupt)| interrupt).collect();
        Interrupts { releases, named, merged }
    }

    pub fn is_empty(&self) -> bool {
        self.merged.is_empty() && self.releases.tasks.is_empty()
    }
}

impl RequestBound for Interrupts {
    fn work(&self, window: Window) -> Work {
        let Window { start, length, .. } = window;
        let each = self.merged.iter().map(|it| it.work * it.arrivals.before(start, length));
        self.releases.work(window) + each.sum()
    }

    fn line_below(&self, window: Window) -> (Work, Utilisation) {
        let each = self.merged.iter().map(|it| it.arrivals.utilisation(window.start, it.work));
        (Work::ZERO, each.fold(Utilisation::default(), |sum, one| sum + one))
    }

    fn add_terms(&self, window: Window, demand: &mut Demand) {
        demand.add(Term::Releases, self.releases.work(window));
        for (term, it) in &self.named {
            demand.add(term.clone(), it.work * it.arrivals.before(window.start, window.length));
        }
    }

    fn cost(&self) -> usize {
        self.merged.len() + self.releases.tasks.len()
    }
}

/// Adds up the work of interrupts that are alike and stand side by side. Interrupts that need no work fall away.
fn merge(
    mut interrupts: Vec<(Term, InterruptLoad)>,
    alike: impl Fn(&(Term, InterruptLoad), &(Term, InterruptLoad)) -> bool,
) -> Vec<(Term, InterruptLoad)> {
    interrupts.retain(|(_, it)| it.work > Work::ZERO);
    interrupts.dedup_by(|next, kept| {
        let same = alike(next, kept);
        if same {
            kept.1.work += next.1.work;
        }
        same
    });
    interrupts
}
