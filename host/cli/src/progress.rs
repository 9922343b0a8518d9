// SPDX-License-Identifier: Apache-2.0
//! Progress of long work on stderr, drawn only where that is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use takt_model::Nanos;

#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Work of unknown length.
    pub fn spinner(what: impl Into<String>) -> Progress {
        let bar = ProgressBar::new_spinner().with_message(what.into());
        bar.enable_steady_tick(Duration::from_millis(100));
        Progress { bar }
    }

    /// A run, counted in milliseconds of machine time where its end is known.
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

    /// So many runs.
    pub fn runs(count: u64) -> Progress {
        Progress::counted(count, "seeds")
    }

    /// So many generated systems.
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

    /// One more of them is done.
    pub fn one_more(&self) {
        self.bar.inc(1);
    }

    /// Nothing is drawn.
    pub fn hidden() -> Progress {
        Progress { bar: ProgressBar::hidden() }
    }

    /// A run stands at `nanos` of machine time.
    pub fn at(&self, nanos: u64, booted: bool) {
        if booted {
            self.bar.set_position(nanos / 1_000_000);
            self.bar.set_message(format!("{:.1}s of machine time", nanos as f64 / 1e9));
        }
    }

    /// Writes to the terminal while the progress is out of the way.
    pub fn aside(&self, write: impl FnOnce()) {
        self.bar.suspend(write);
    }

    pub fn done(&self) {
        self.bar.finish_and_clear();
    }
}
