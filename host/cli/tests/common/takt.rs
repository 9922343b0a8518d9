// SPDX-License-Identifier: Apache-2.0
//! Runs the command takt as a user does.

use std::path::Path;
use std::process::{Command, Output};

/// The command takt with these arguments; the caller may change it before running it.
pub fn takt(arguments: &[&str], directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_takt"));
    command.args(arguments).current_dir(directory).env_remove("TAKT_HOME");
    command
}

/// What a command printed, and its exit status.
pub struct Ended {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

pub fn ended(mut command: Command) -> Ended {
    let Output { status, stdout, stderr } = command.output().expect("takt runs");
    Ended {
        code: status.code().expect("takt is not killed"),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

impl Ended {
    /// Fails the test unless the exit status is `code` and stderr holds `text`.
    #[track_caller]
    pub fn fails_with(&self, code: i32, text: &str) {
        let all = format!("stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        assert_eq!(self.code, code, "{all}");
        // miette breaks lines, so the comparison ignores blanks and the bar before a continued
        // line.
        let words = |text: &str| text.replace('│', " ");
        let plain = |text: &str| words(text).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(plain(&self.stderr).contains(&plain(text)), "{text:?} is not in\n{all}");
    }
}
