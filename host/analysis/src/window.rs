// SPDX-License-Identifier: Apache-2.0
//! Windows of time that fill up with work: how long until all of it is done?
//!
//! All arithmetic saturates: `u64::MAX` stands for "never", and is past every deadline.

use crate::breakdown::Term;

/// A task as one that takes time from the window of another.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Index of the task.
    pub task: usize,
    pub period: u64,
    pub jitter: u64,
    /// Its execution a job.
    pub execution: u64,
    /// How long a job spins for mutexes; part of the cost.
    pub spin: u64,
    /// Its execution a job, and what the kernel does for that job.
    pub cost: u64,
    /// The semaphore that it holds, if only that time counts.
    pub semaphore: Option<usize>,
    pub counting: Counting,
}

/// Which of a source's jobs take time from a window of length w, in which the job under analysis
/// becomes ready at x.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// All that are released before the window's end: ceil((w + jitter) / period).
    UntilDone,
    /// Those that are released up to x: floor((x + jitter) / period) + 1.
    UntilReady,
    /// A known number of them.
    Jobs(u64),
}

impl Source {
    pub fn jobs(&self, length: u64, ready: u64) -> u64 {
        match self.counting {
            Counting::UntilDone => length.saturating_add(self.jitter).div_ceil(self.period),
            Counting::UntilReady => {
                (ready.saturating_add(self.jitter) / self.period).saturating_add(1)
            }
            Counting::Jobs(count) => count,
        }
    }

    /// What its execution is to the response of the task `own`.
    pub fn term(&self, own: usize) -> Term {
        match self.semaphore {
            Some(semaphore) => Term::SemaphoreHeld { semaphore, task: self.task },
            None if self.task == own => Term::Execution,
            None => Term::Task { task: self.task },
        }
    }

    pub fn work(&self, length: u64, ready: u64) -> u64 {
        self.jobs(length, ready).saturating_mul(self.cost)
    }
}

/// Work that comes again and again, whatever the priorities: the kernel's interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream {
    pub period: u64,
    pub jitter: u64,
    pub cost: u64,
}

impl Stream {
    pub fn work(&self, length: u64) -> u64 {
        length.saturating_add(self.jitter).div_ceil(self.period).saturating_mul(self.cost)
    }
}

/// All that has to be done before a job is.
#[derive(Clone, Debug)]
pub struct Window<'a> {
    /// Work that does not depend on the window's length.
    pub constant: u64,
    pub sources: Vec<Source>,
    pub interrupts: &'a [Stream],
}

/// Where the search for a window's length ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    Found(u64),
    /// Longer than the limit; at least this long.
    Beyond(u64),
    /// The effort was used up.
    GivenUp,
}

/// How many terms may still be computed. It bounds the time of the analysis for any description.
#[derive(Debug)]
pub struct Effort(pub u64);

impl Effort {
    /// False when nothing is left.
    pub fn spend(&mut self, terms: usize) -> bool {
        let left = self.0.checked_sub(terms as u64);
        self.0 = left.unwrap_or(0);
        left.is_some()
    }
}

impl Window<'_> {
    /// Work that arrives in the first `length` of the window.
    pub fn work(&self, length: u64, ready: u64) -> u64 {
        let sources = self.sources.iter().map(|source| source.work(length, ready));
        let interrupts = self.interrupts.iter().map(|stream| stream.work(length));
        sources.chain(interrupts).fold(self.constant, u64::saturating_add)
    }

    /// The least length, not above `limit`, in which all work is done: a fixed point of `work`,
    /// approached from below. `from` is known to be no longer than that.
    pub fn length(&self, ready: u64, from: u64, limit: u64, effort: &mut Effort) -> Length {
        let terms = self.sources.len() + self.interrupts.len() + 1;
        let mut length = from.max(self.least(ready)).max(1);
        loop {
            if length == u64::MAX {
                return Length::Beyond(self.work(limit, ready).max(limit.saturating_add(1)));
            }
            if length > limit {
                return Length::Beyond(length);
            }
            if !effort.spend(terms) {
                return Length::GivenUp;
            }
            match self.work(length, ready) {
                next if next <= length => return Length::Found(length),
                next => length = next,
            }
        }
    }

    /// No window is shorter: ceil(z / t) c >= z c / t, so work(w) >= fixed + w utilisation. It
    /// saves the many small steps near full utilisation. The utilisation is in 2^-64, rounded down.
    fn least(&self, ready: u64) -> u64 {
        const ONE: u128 = 1 << 64;
        let (mut fixed, mut utilisation) = (self.constant, 0_u128);
        let mut add = |cost: u64, period: u64| {
            utilisation = utilisation.saturating_add((u128::from(cost) << 64) / u128::from(period));
        };
        for source in &self.sources {
            match source.counting {
                Counting::UntilDone => add(source.cost, source.period),
                _ => fixed = fixed.saturating_add(source.work(0, ready)),
            }
        }
        self.interrupts.iter().for_each(|stream| add(stream.cost, stream.period));
        match ONE.checked_sub(utilisation) {
            None | Some(0) if fixed > 0 => u64::MAX,
            None | Some(0) => 0,
            Some(rest) => ((u128::from(fixed) << 64) / rest).try_into().unwrap_or(u64::MAX),
        }
    }
}
