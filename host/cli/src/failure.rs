// SPDX-License-Identifier: Apache-2.0
//! Why a command ends without success: what to say, and the exit status.

use std::fmt::Display;

use miette::{MietteDiagnostic, Report};
use takt_model::Problems;

/// What the exit status tells a script. 0 is good; a run also passes on the application's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The answer is no: a deadline can be missed, the application does not compile.
    No = 1,
    /// The input is wrong.
    Input = 2,
    /// A tool failed, or is missing.
    Tool = 3,
    /// Interrupted; what a shell reports for Ctrl-C.
    Interrupted = 130,
}

#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    pub report: Report,
    /// Printed as it is: a compiler's output, the end of a console.
    pub details: String,
    /// The result was printed as JSON already, and says what this failure says.
    pub has_document: bool,
}

impl Failure {
    fn new(exit: Exit, message: impl Display, help: impl Display) -> Self {
        let diagnostic = MietteDiagnostic::new(message.to_string()).with_help(help.to_string());
        Self { exit, report: Report::new(diagnostic), details: String::new(), has_document: false }
    }

    pub fn no(message: impl Display, help: impl Display) -> Self {
        Self::new(Exit::No, message, help)
    }

    pub fn input(message: impl Display, help: impl Display) -> Self {
        Self::new(Exit::Input, message, help)
    }

    pub fn tool(message: impl Display, help: impl Display) -> Self {
        Self::new(Exit::Tool, message, help)
    }

    pub fn interrupted() -> Self {
        Self::new(Exit::Interrupted, "interrupted", "the machine was ended; there is no result")
    }

    /// A command line that is not understood: the first paragraph of what is printed says what is wrong.
    pub fn command_line(error: &clap::Error) -> Self {
        let text = error.to_string();
        let (wrong, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
        let wrong = wrong.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = wrong.strip_prefix("error: ").unwrap_or(&wrong);
        let help = "takt --help lists the commands, takt COMMAND --help a command's options";
        Self::input(message, help).with_details(rest.trim_end())
    }

    /// A description that is refused.
    pub fn problems(problems: Problems) -> Self {
        Self {
            exit: Exit::Input,
            report: problems.into(),
            details: String::new(),
            has_document: false,
        }
    }

    pub fn killed() -> Self {
        let help = "there is no result; gdb's detach lets a machine run on";
        Self::new(Exit::Interrupted, "gdb ended the machine", help)
    }

    /// A file or program of this machine did not do what it should.
    pub fn io(what: impl Display, error: std::io::Error) -> Self {
        Self::tool(format!("cannot {what}: {error}"), "check that the place exists and may be used")
    }

    /// The same, of what the command line names.
    pub fn of_input(self) -> Self {
        Self { exit: Exit::Input, ..self }
    }

    /// With what was being done.
    pub fn said(mut self, when: impl Display) -> Self {
        self.details = format!("{when}.\n{}", self.details);
        self
    }

    /// The answer is no, for this reason, and what failed came of it.
    pub fn because(mut self, why: impl Display) -> Self {
        self.exit = Exit::No;
        self.details = format!("{why}{}", self.details);
        self
    }

    pub fn with_details(mut self, details: impl Into<String>) -> Self {
        self.details = details.into();
        self
    }
}
