// SPDX-License-Identifier: Apache-2.0
//! What a response consists of, for explanations: named terms that add up to it.

use takt_model::Nanos;

use crate::quantity::{Time, Work};
use crate::response::Witness;
use crate::term::Term;

/// How many parts are listed by name, so that a table of thousands of tasks stays small.
pub const LISTED: usize = 32;

/// The busy window that gave the bound, part by part.
///
/// The response is the sum of all parts less `lead` and `unfinished`. For a task that breaks without a
/// bound, it is the window at which the analysis stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breakdown {
    /// The largest first, none of them 0, at most [`LISTED`] and one for the rest.
    pub parts: Vec<Part>,
    /// The part of the window that lies before the job is ready.
    pub lead: Nanos,
    /// Work that comes up to the window's end, but is not done by then: 0 where there is a bound.
    pub unfinished: Nanos,
    /// The number of the system's cores, and the longest that one job executes and waits for memory beside all of them, as long
    /// as they keep their budgets of memory traffic. None: the task's core has no budget.
    pub beside: Option<(u32, Nanos)>,
    /// The sum of the parts that are interrupts, handlers of the application, releases, dispatches and preemptions.
    pub kernel: Nanos,
}

/// One part of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub term: Term,
    pub time: Nanos,
}

impl Breakdown {
    /// The breakdown of a response of the task with this index.
    pub(crate) fn new(task: usize, jitter: Time, Witness { demand, window }: Witness) -> Breakdown {
        let demand = demand.with(Term::Jitter, jitter.as_work());
        let unfinished = demand.total() - (window.length + jitter).as_work();
        let mut parts = demand.into_terms();
        for (term, _) in parts.iter_mut().filter(|(term, _)| *term == Term::Task { task }) {
            *term = Term::Execution;
        }
        let kernel = parts.iter().filter(|(term, _)| term.is_kernel()).map(|(_, work)| *work);
        Breakdown {
            kernel: kernel.sum::<Work>().nanos(),
            parts: sorted(parts),
            lead: window.arrival.nanos(),
            unfinished: unfinished.nanos(),
            beside: None,
        }
    }

    /// The breakdown of a response that consists of several, one after the other, which have no jitter of their own. Other cores
    /// pass forks on for some of the time.
    pub(crate) fn joined<'a>(
        windows: impl Iterator<Item = &'a Breakdown>,
        jitter: Time,
        passed_on: Time,
    ) -> Breakdown {
        let mut all = Breakdown { kernel: passed_on.nanos(), ..Breakdown::default() };
        let mut parts =
            vec![(Term::Jitter, jitter.as_work()), (Term::ForkJoin, passed_on.as_work())];
        let sum = |sum: &mut Nanos, more: Nanos| *sum = (Time::from(*sum) + more.into()).nanos();
        for window in windows {
            parts.extend(window.parts.iter().map(|part| (part.term.clone(), part.time.into())));
            sum(&mut all.lead, window.lead);
            sum(&mut all.unfinished, window.unfinished);
            sum(&mut all.kernel, window.kernel);
        }
        parts.retain(|(_, work)| *work > Work::ZERO);
        Breakdown { parts: sorted(parts), ..all }
    }

    /// The other task that takes most of the time, as it executes or holds what the task needs.
    pub(crate) fn culprit(&self) -> Option<usize> {
        self.parts.iter().find_map(|part| match part.term {
            Term::Task { task }
            | Term::SemaphoreHeld { task, .. }
            | Term::MutexHeld { task, .. }
            | Term::NonPreemptive { task } => Some(task),
            _ => None,
        })
    }

    /// The response that the parts add up to.
    pub fn response(&self) -> Nanos {
        let sum: Time = self.parts.iter().map(|part| Time::from(part.time)).sum();
        (sum - self.lead.into() - self.unfinished.into()).nanos()
    }
}

/// Returns one part for each term, the largest first.
fn sorted(mut parts: Vec<(Term, Work)>) -> Vec<Part> {
    parts.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    parts.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    parts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let rest = parts.split_off(parts.len().min(LISTED));
    let rest: Work = rest.into_iter().map(|(_, work)| work).sum();
    if rest > Work::ZERO {
        parts.push((Term::Others, rest));
    }
    parts.into_iter().map(|(term, work)| Part { term, time: work.nanos() }).collect()
}
