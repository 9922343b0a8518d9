// SPDX-License-Identifier: Apache-2.0
//! Shows the progress of long work on stderr, if stderr is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use takt_model::Nanos;

#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Progress of work whose length is unknown.
    pub fn spinner(what: impl Into<String>) -> Progress {
        let bar = ProgressBar::new_spinner().with_message(what.into());
        bar.enable_steady_tick(Duration::from_millis(100));
        Progress { bar }
    }

    /// Progress of a run: in milliseconds of machine time, if its end is known.
    pub fn run(run_for: Option<Nanos>) -> Progress {
        let Some(Nanos(nanos)) = run_for else {
            return Progress::spinner("booting");
        };
        let style = ProgressStyle::with_template("{spinner} {bar:40} {msg} {elapsed}");
        let bar = ProgressBar::new(nanos / 1_000_000).with_message("booting");
        bar.set_style(style.expect("the template is right"));
        bar.enable_steady_tick(Duration::from_millis(100));
        Progress { bar }
    }

    /// Progress of this number of runs.
    pub fn runs(count: u64) -> Progress {
        Progress::counted(count, "seeds")
    }

    /// Progress of this number of generated systems.
    pub fn systems(count: u64) -> Progress {
        Progress::counted(count, "systems")
    }

    fn counted(count: u64, what: &str) -> Progress {
        let template = format!("{{spinner}} {{bar:40}} {{pos}}/{{len}} {what} {{elapsed}}");
        let style = ProgressStyle::with_template(&template);
        let bar = ProgressBar::new(count);
        bar.set_style(style.expect("the template is right"));
        bar.enable_steady_tick(Duration::from_millis(100));
        Progress { bar }
    }

    /// Counts one more run or system as done.
    pub fn one_more(&self) {
        self.bar.inc(1);
    }

    /// Progress that is not shown.
    pub fn hidden() -> Progress {
        Progress { bar: ProgressBar::hidden() }
    }

    /// Shows the machine time that a run has reached, in nanoseconds since the epoch.
    pub fn at(&self, nanos: u64, booted: bool) {
        if booted {
            self.bar.set_position(nanos / 1_000_000);
            self.bar.set_message(format!("{:.1}s of machine time", nanos as f64 / 1e9));
        }
    }

    /// Calls a function that writes to the terminal while the progress bar is hidden.
    pub fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    pub fn done(&self) {
        self.bar.finish_and_clear();
    }
}
