// SPDX-License-Identifier: Apache-2.0
//! What is wrong with a description, and what to do about it.

use std::{fmt, ops::Range, sync::Arc};

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use crate::Code;

/// One mistake: where it is, what it is, and what to do.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Problem {
    pub code: Code,
    pub message: String,
    pub help: String,
    /// The file, if its text can be shown.
    source_text: Option<NamedSource<Arc<str>>>,
    labels: Vec<LabeledSpan>,
}

impl Problem {
    pub(crate) fn new(code: Code, message: impl Into<String>, help: impl Into<String>) -> Problem {
        let (message, help) = (message.into(), help.into());
        Problem { code, message, help, source_text: None, labels: Vec::new() }
    }

    /// Points at a word; the first word pointed at is where the mistake is.
    pub(crate) fn at(mut self, span: Range<usize>, label: impl Into<String>) -> Problem {
        let (label, place) = (Some(label.into()), (span.start, span.len()));
        self.labels.push(match self.labels.is_empty() {
            true => LabeledSpan::new_primary_with_span(label, place),
            false => LabeledSpan::new_with_span(label, place),
        });
        self
    }

    pub(crate) fn in_source(mut self, source: &NamedSource<Arc<str>>) -> Problem {
        self.source_text = Some(source.clone());
        self
    }

    /// Byte offset of the mistake in its file.
    pub fn offset(&self) -> Option<usize> {
        self.labels.first().map(LabeledSpan::offset)
    }
}

impl Diagnostic for Problem {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(self.code))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source_text.as_ref().map(|source| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        Some(Box::new(self.labels.iter().cloned()))
    }
}

/// All that is wrong with a description; never empty. Printed by miette it shows each mistake in
/// its file.
#[derive(Clone, Debug)]
pub struct Problems {
    /// Name of the file that was to be read.
    file: String,
    problems: Vec<Problem>,
    /// Mistakes beyond those that are kept.
    more: usize,
}

impl Problems {
    pub(crate) fn new(file: String, problems: Vec<Problem>, more: usize) -> Problems {
        assert!(!problems.is_empty(), "a description is refused for a reason");
        Problems { file, problems, more }
    }

    pub(crate) fn more(&self) -> usize {
        self.more
    }

    pub(crate) fn into_iter(self) -> impl Iterator<Item = Problem> {
        self.problems.into_iter()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter()
    }
}

impl std::error::Error for Problems {}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.problems.len() + self.more {
            1 => write!(f, "{}: {}", self.file, self.problems[0].message),
            count if self.more == 0 => write!(f, "{}: {count} mistakes", self.file),
            count => {
                write!(f, "{}: {count} mistakes, the first {}", self.file, self.problems.len())
            }
        }
    }
}

impl Diagnostic for Problems {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(self.problems.iter().map(|problem| problem as &dyn Diagnostic)))
    }
}
