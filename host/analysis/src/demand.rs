// SPDX-License-Identifier: Apache-2.0
//! Work, by what needs it.

use crate::quantity::Work;
use crate::term::Term;

/// Work by what needs it. Terms that name nothing are added up in a place of their own each, so that the demand of a window of
/// many tasks is a short list.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    /// The terms that name something. None of them is without work, and one may come several times.
    named: Vec<(Term, Work)>,
    /// The work of each term of [`Term::UNNAMED`].
    unnamed: [Work; Term::UNNAMED.len()],
    total: Work,
}

/// Work of a window that nobody explains.
impl From<Work> for Demand {
    fn from(work: Work) -> Self {
        Demand::default().with(Term::Others, work)
    }
}

impl Demand {
    /// The same demand with one more piece of work.
    pub fn with(mut self, term: Term, work: Work) -> Self {
        self.add(term, work);
        self
    }

    pub fn add(&mut self, term: Term, work: Work) {
        if work == Work::ZERO {
            return;
        }
        self.total += work;
        match term.unnamed() {
            Some(place) => self.unnamed[place] += work,
            None => self.named.push((term, work)),
        }
    }

    /// Returns the same demand, with room for the names of so many others.
    pub fn with_room_for(&self, others: usize) -> Demand {
        let mut named = Vec::with_capacity(self.named.len() + others + Term::UNNAMED.len());
        named.extend_from_slice(&self.named);
        Demand { named, ..*self }
    }

    /// The work of all terms.
    pub fn total(&self) -> Work {
        self.total
    }

    /// The terms that have work. One that names something may come several times.
    pub fn into_terms(self) -> Vec<(Term, Work)> {
        let unnamed = Term::UNNAMED.iter().cloned().zip(self.unnamed);
        let mut terms = self.named;
        terms.extend(unnamed.filter(|(_, work)| *work > Work::ZERO));
        terms
    }

    /// The demand of several jobs, each of which has this demand.
    pub fn times(&self, jobs: u64) -> Demand {
        let mut demand = Demand::default();
        demand.extend_times(self, jobs);
        demand
    }

    pub fn extend(&mut self, other: &Demand) {
        self.extend_times(other, 1);
    }

    /// Adds the demand of several jobs.
    pub fn extend_times(&mut self, job: &Demand, jobs: u64) {
        if jobs == 0 {
            return;
        }
        self.named.extend(job.named.iter().map(|(term, work)| (term.clone(), *work * jobs)));
        for (sum, work) in self.unnamed.iter_mut().zip(job.unnamed) {
            *sum += work * jobs;
        }
        self.total += job.total * jobs;
    }
}
