// SPDX-License-Identifier: Apache-2.0
//! The mistakes of a description, each with its remedy.

use std::{fmt, ops::Range, sync::Arc};

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use crate::Code;

/// One mistake: its place, its meaning, and the remedy.
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
        let (message, help) = (printable(message.into()), printable(help.into()));
        Problem { code, message, help, source_text: None, labels: Vec::new() }
    }

    /// Adds a label at a word. The first word that is labelled is the place of the mistake.
    pub(crate) fn at(mut self, span: Range<usize>, label: impl Into<String>) -> Problem {
        let (label, place) = (Some(printable(label.into())), (span.start, span.len()));
        self.labels.push(match self.labels.is_empty() {
            true => LabeledSpan::new_primary_with_span(label, place),
            false => LabeledSpan::new_with_span(label, place),
        });
        self
    }

    pub(crate) fn in_source(mut self, source: &NamedSource<Arc<str>>) -> Problem {
        self.tell_far_places(source.inner());
        self.source_text = Some(source.clone());
        self
    }

    /// Replaces labels far from the first one by their line numbers, because showing them would
    /// show all lines in between.
    fn tell_far_places(&mut self, text: &str) {
        const FAR: usize = 12;
        let before = |label: &LabeledSpan| &text.as_bytes()[..label.offset().min(text.len())];
        let line =
            |label: &LabeledSpan| before(label).iter().filter(|byte| **byte == b'\n').count() + 1;
        let Some(first) = self.labels.first().map(line) else { return };
        let (near, far): (Vec<_>, Vec<_>) =
            self.labels.drain(..).partition(|label| line(label).abs_diff(first) <= FAR);
        self.labels = near;
        for label in far {
            self.help +=
                &format!(" (line {}: {})", line(&label), label.label().unwrap_or_default());
        }
    }

    /// The offset of the mistake in its file, in bytes.
    pub fn offset(&self) -> Option<usize> {
        self.labels.first().map(LabeledSpan::offset)
    }
}

/// Replaces control characters, which a word of the file can contain in escaped form and which must
/// not reach the terminal.
fn printable(text: String) -> String {
    match text.contains(char::is_control) {
        true => text.chars().flat_map(escape_control).collect(),
        false => text,
    }
}

fn escape_control(c: char) -> impl Iterator<Item = char> {
    let (plain, escaped) = match c.is_control() {
        true => (None, Some(c.escape_default())),
        false => (Some(c), None),
    };
    plain.into_iter().chain(escaped.into_iter().flatten())
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

/// All mistakes of a description; never empty. miette prints each at its place in the file.
#[derive(Clone, Debug)]
pub struct Problems {
    /// The name of the file that was read.
    file: String,
    problems: Vec<Problem>,
    /// The number of mistakes beyond those that are kept.
    more: usize,
}

impl Problems {
    pub(crate) fn new(file: String, problems: Vec<Problem>, more: usize) -> Problems {
        assert!(!problems.is_empty(), "a description is refused for a reason");
        Problems { file, problems, more }
    }

    /// The mistake, if there is exactly one.
    fn only(&self) -> Option<&Problem> {
        self.problems.first().filter(|_| self.problems.len() + self.more == 1)
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
        match (self.only(), self.problems.len()) {
            (Some(problem), _) => problem.fmt(f),
            (None, shown) if self.more == 0 => write!(f, "{}: {shown} mistakes", self.file),
            (None, shown) => {
                write!(f, "{}: {} mistakes, here {shown}", self.file, shown + self.more)
            }
        }
    }
}

impl Diagnostic for Problems {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.only()?.code()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.only()?.help()
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.only()?.source_code()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.only()?.labels()
    }

    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        if self.only().is_some() {
            return None;
        }
        Some(Box::new(self.problems.iter().map(|problem| problem as &dyn Diagnostic)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_control_character_is_printed() {
        let problem = Problem::new(Code::UnknownTask, "no `\u{1b}[31m`", "a\0b").at(0..1, "é\n");
        assert_eq!(problem.message, "no `\\u{1b}[31m`");
        assert_eq!(problem.help, "a\\u{0}b");
        assert_eq!(problem.labels[0].label(), Some("é\\n"));
    }
}
