// SPDX-License-Identifier: Apache-2.0
//! Work, by what needs it.

use crate::quantity::Work;
use crate::term::Term;

/// A list of named pieces of work. What has no work is not in it, and a name may be in it several times.
#[derive(Clone, Debug, Default)]
pub struct Demand {
    terms: Vec<(Term, Work)>,
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
        if work > Work::ZERO {
            self.total += work;
            self.terms.push((term, work));
        }
    }

    /// The work of all terms.
    pub fn total(&self) -> Work {
        self.total
    }

    pub fn terms(&self) -> impl ExactSizeIterator<Item = (&Term, Work)> {
        self.terms.iter().map(|(term, work)| (term, *work))
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
        self.terms.reserve(job.terms.len());
        job.terms().for_each(|(term, work)| self.add(term.clone(), work * jobs));
    }
}
