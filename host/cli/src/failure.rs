// SPDX-License-Identifier: Apache-2.0
//! Why a command ends without success: the message, the help and the exit status.

use std::fmt::Display;

use miette::{MietteDiagnostic, Report};
use takt_model::Problems;

/// The exit status of a failed command. A run may also end with the application's own status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The answer is no: a deadline can be missed, the application does not compile.
    No = 1,
    /// The input is wrong.
    Input = 2,
    /// A tool failed, or is missing.
    Tool = 3,
    /// The command was interrupted; the status is what a shell reports for Ctrl-C.
    Interrupted = 130,
}

#[derive(Debug)]
pub struct Failure {
    pub exit: Exit,
    pub report: Report,
    /// Text that is printed as it is: a compiler's output, or the end of a console.
    pub details: String,
    /// Whether the result has been printed as JSON already and includes this failure.
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

    /// A command line that could not be parsed: the first paragraph of clap's text becomes the
    /// message.
    pub fn command_line(error: &clap::Error) -> Self {
        let text = error.to_string();
        let (wrong, rest) = text.split_once("\n\n").unwrap_or((&text, ""));
        let wrong = wrong.split_whitespace().collect::<Vec<_>>().join(" ");
        let message = wrong.strip_prefix("error: ").unwrap_or(&wrong);
        let help = "takt --help lists the commands, takt COMMAND --help a command's options";
        Self::input(message, help).with_details(rest.trim_end())
    }

    /// A description that was refused.
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

    /// An operation on a file or a program of this host failed.
    pub fn io(what: impl Display, error: std::io::Error) -> Self {
        Self::tool(format!("cannot {what}: {error}"), "check that the place exists and may be used")
    }

    /// Turns the failure into one of the input, for a file that the command line names.
    pub fn of_input(self) -> Self {
        Self { exit: Exit::Input, ..self }
    }

    /// Adds what was being done when the failure occurred.
    pub fn said(mut self, when: impl Display) -> Self {
        self.details = format!("{when}.\n{}", self.details);
        self
    }

    /// Turns the failure into exit status 1 with this reason as its cause.
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
