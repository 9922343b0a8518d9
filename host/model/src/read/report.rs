// SPDX-License-Identifier: Apache-2.0
//! Collects the mistakes of one file.

use std::{path::Path, sync::Arc};

use miette::NamedSource;

use crate::{Problem, Problems};

/// The number of mistakes that are shown, which is as many as a person reads at once.
const SHOWN: usize = 20;
/// The number of mistakes that are kept. Further ones are only counted, so that memory stays
/// bounded.
const KEPT: usize = 100;

pub struct Report {
    source: NamedSource<Arc<str>>,
    problems: Vec<Problem>,
    /// The mistakes of another file that this one names.
    others: Vec<Problem>,
    more: usize,
}

impl Report {
    pub fn new(path: &Path, text: &Arc<str>) -> Report {
        let source = NamedSource::new(path.display().to_string(), text.clone());
        Report { source, problems: Vec::new(), others: Vec::new(), more: 0 }
    }

    pub fn add(&mut self, problem: Problem) {
        self.add_costly(|| problem);
    }

    /// Adds a mistake whose message needs a search. The search is skipped if the mistake would not
    /// be kept.
    pub fn add_costly(&mut self, problem: impl FnOnce() -> Problem) {
        match self.problems.len() {
            KEPT => self.more += 1,
            _ => self.problems.push(problem().in_source(&self.source)),
        }
    }

    pub fn add_all(&mut self, problems: Problems) {
        self.more += problems.more();
        self.others.extend(problems.into_iter());
    }

    /// Whether further mistakes are only counted.
    pub fn is_full(&self) -> bool {
        self.problems.len() == KEPT
    }

    pub fn is_clean(&self) -> bool {
        self.problems.is_empty() && self.others.is_empty()
    }

    /// Returns what was read, or the mistakes if there are any.
    pub fn finish<T>(mut self, read: Option<T>) -> Result<T, Problems> {
        match read {
            Some(read) if self.is_clean() => return Ok(read),
            _ => self.problems.sort_by_key(Problem::offset),
        }
        self.problems.append(&mut self.others);
        self.more += self.problems.len().saturating_sub(SHOWN);
        self.problems.truncate(SHOWN);
        Err(Problems::new(self.source.name().to_string(), self.problems, self.more))
    }
}
