// SPDX-License-Identifier: Apache-2.0
//! What the tests share: systems made by hand, and a machine that runs them.

#![allow(dead_code)] // no test uses all of it

pub mod build;
pub mod patterns;
pub mod sets;
pub mod simulator;

use takt_analysis::{Analysis, Term, Verdict};

/// Checks that the parts of each response add up to it, and that no work is left at the end of a bound.
#[track_caller]
pub fn parts_add_up(analysis: &Analysis) {
    for row in &analysis.rows {
        let Some(breakdown) = &row.breakdown else { continue };
        assert!(breakdown.parts.iter().all(|part| part.time.0 > 0), "{row:?}");
        assert!(breakdown.parts.iter().any(|part| part.term == Term::Execution), "{row:?}");
        match (&row.verdict, row.bound()) {
            (_, Some(bound)) => {
                assert_eq!((breakdown.response(), breakdown.unfinished.0), (bound, 0), "{row:?}");
            }
            (Verdict::Breaks { by, .. }, None) => {
                let late = row.deadline.unwrap().0 + by.0;
                assert!(breakdown.response().0 >= late - 1, "{late}: {row:?}");
            }
            _ => {}
        }
    }
}
