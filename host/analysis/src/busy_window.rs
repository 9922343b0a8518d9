// SPDX-License-Identifier: Apache-2.0
//! Busy windows: how long until a core has done all the work that comes in the meantime?

use std::ops::Add;

use crate::demand::Demand;
use crate::lines::Lines;
use crate::memory::{Memory, Throttling};
use crate::quantity::{Time, Utilisation, Work};
use crate::request::{Interrupts, RequestBound, Window};
use crate::supply::SupplyBound;
use crate::term::Term;

/// All that has to be done before the job under analysis is completed.
#[derive(Clone)]
pub struct BusyWindow<'a> {
    /// Blocking, and what else does not depend on the window's length.
    pub fixed: Demand,
    pub requests: Vec<&'a dyn RequestBound>,
    pub interrupts: &'a Interrupts,
    pub supply: &'a dyn SupplyBound,
    /// What memory traffic adds, on a core with a budget of it.
    pub memory: Option<(&'a Memory, Throttling)>,
}

/// The result of the search for a window's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Found(Time),
    /// The window is longer than the limit; at least this long.
    Beyond(Time),
    /// The iterations are used up.
    GivenUp,
}

/// How many terms may still be computed. It bounds the time of the analysis for any description.
#[derive(Debug)]
pub struct IterationBudget(pub u64);

impl IterationBudget {
    /// False when nothing is left.
    pub fn spend(&mut self, terms: usize) -> bool {
        let left = self.0.checked_sub(terms as u64);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

/// A limit that only a window without an end exceeds.
pub const NO_LIMIT: Time = Time::new(u64::MAX - 1);

impl BusyWindow<'_> {
    /// The least length, not above `limit`, in which all work is done: a fixed point of supply and demand, approached from
    /// below. The window is known to be no shorter than it is.
    pub fn length(&self, window: Window, limit: Time, budget: &mut IterationBudget) -> Length {
        let time_for = |length| self.supply.time_for(self.work(Window { length, ..window }));
        let terms = self.all().map(RequestBound::cost).sum::<usize>() + 1;
        let mut known = window.length;
        // Often the length that is known is the length. Only where it is not, the line below saves steps.
        if (Time::new(1)..=limit).contains(&known) && budget.spend(terms) {
            match time_for(known) {
                next if next <= known => return Length::Found(known),
                next => known = next,
            }
        }
        let mut length = known.max(self.least(window)).max(Time::new(1));
        loop {
            if length == Time::UNBOUNDED {
                return Length::Beyond(time_for(limit).max(limit + Time::new(1)));
            }
            if length > limit {
                return Length::Beyond(length);
            }
            if !budget.spend(terms) {
                return Length::GivenUp;
            }
            match time_for(length) {
                next if next <= length => return Length::Found(length),
                next => length = next,
            }
        }
    }

    /// All work of a window, by name, and the time in which the core does none of it.
    pub fn demand(&self, window: Window) -> Demand {
        let mut demand = self.fixed.with_room_for(self.requests.len());
        self.all().for_each(|request| request.add_terms(window, &mut demand));
        let (wait, idle) = self.stall(window);
        let mut demand = demand.with(Term::Memory, wait).with(Term::Throttled, idle);
        let closed = self.supply.time_for(demand.total()) - demand.total().as_time();
        demand.add(Term::ClosedWindows, closed.as_work());
        demand
    }

    fn work(&self, window: Window) -> Work {
        let (wait, idle) = self.stall(window);
        self.fixed.total() + self.all().map(|request| request.work(window)).sum() + wait + idle
    }

    /// The wait for memory, and for the next period of the budget: both depend on all lines of the window together.
    fn stall(&self, window: Window) -> (Work, Work) {
        let Some((memory, throttling)) = self.memory else { return (Work::ZERO, Work::ZERO) };
        let lines = self.requests.iter().map(|request| request.lines(window));
        memory.stall(lines.fold(Lines::default(), Lines::add), window.length, throttling)
    }

    /// No window is shorter: work(w) >= fixed + w utilisation. It saves the many small steps near full utilisation.
    fn least(&self, window: Window) -> Time {
        let mut line = (self.fixed.total(), Utilisation::default());
        for (fixed, utilisation) in self.all().map(|request| request.line_below(window)) {
            line = (line.0 + fixed, line.1 + utilisation);
        }
        line.1.earliest_completion(line.0)
    }

    fn all(&self) -> impl Iterator<Item = &dyn RequestBound> {
        let interrupts: &dyn RequestBound = self.interrupts;
        self.requests.iter().copied().chain([interrupts])
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::arrival::{ArrivalCurve, Periodic, Start};
    use crate::request::{Counted, Jobs};
    use crate::supply::WholeCore;

    fn jobs(period: u64, jitter: u64, work: u64) -> Jobs {
        let (period, jitter) = (Time::new(period), Time::new(jitter));
        let arrivals = Periodic { period, jitter, latest: None };
        let job = Rc::new(Demand::from(Work::new(work)));
        Jobs { arrivals, counted: Counted::UntilCompletion, job, lines: Lines::default() }
    }

    /// The response to one request beside `fixed` work.
    fn response(fixed: u64, request: &dyn RequestBound, supply: &dyn SupplyBound) -> Length {
        let fixed = Demand::from(Work::new(fixed));
        let interrupts = Interrupts::default();
        let window = BusyWindow {
            fixed,
            requests: vec![request],
            interrupts: &interrupts,
            supply,
            memory: None,
        };
        window.length(Window::default(), Time::new(1000), &mut IterationBudget(1000))
    }

    /// The strands of a fork/join task on one core: each stage comes with the jitter of those before it, and all of them
    /// together are no more than the task's jobs.
    struct Stages {
        each: Vec<Jobs>,
        together: Jobs,
    }

    impl RequestBound for Stages {
        fn work(&self, window: Window) -> Work {
            let each: Work = self.each.iter().map(|stage| stage.work(window)).sum();
            each.min(self.together.work(window))
        }

        fn line_below(&self, window: Window) -> (Work, Utilisation) {
            self.together.line_below(window)
        }

        fn add_terms(&self, window: Window, demand: &mut Demand) {
            demand.extend(&Demand::from(self.work(window)));
        }
    }

    /// Two stages of 2 and 3 a period of 20, the second with a jitter of 12; the task has a response time of 19, so a jitter of
    /// 14 as a whole. In a window of 9 each stage counts: 2 and twice 3, which is less than two jobs. A window of 7 to 8 has 2
    /// and 3 by stages, and two jobs as a whole.
    #[test]
    fn a_request_bound_may_be_the_least_of_several() {
        let stages =
            Stages { each: vec![jobs(20, 0, 2), jobs(20, 12, 3)], together: jobs(20, 14, 5) };
        let work = |length| {
            stages.work(Window { length: Time::new(length), ..Window::default() }).as_time()
        };
        assert_eq!([6, 7, 8, 9].map(work), [5, 5, 5, 8].map(Time::new));
        assert_eq!(stages.together.arrivals.before(Start::Anywhere, Time::new(7)), 2);
        assert_eq!(response(3, &stages, &WholeCore), Length::Found(Time::new(8)));
        assert_eq!(response(4, &stages, &WholeCore), Length::Found(Time::new(12)));
    }
}
