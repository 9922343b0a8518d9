// SPDX-License-Identifier: Apache-2.0
//! Does every task of a described system meet its deadline?
//!
//! [`assign`] chooses the cores and priorities that the description leaves out, [`analyse`]
//! bounds the response time of each task on its core. A bound holds for every phasing of the
//! tasks; offsets are not used. What has no bound is [`Verdict::Unknown`] and says why: a deadline
//! is never called met over something that the description does not tell.
//!
//! `docs/design/analysis.md` has each term of the bounds with the argument for it.

mod analyse;
mod assign;
mod breakdown;
mod core;
mod explain;
mod gather;
mod handlers;
mod json;
mod mutexes;
mod priorities;
mod proof;
mod respond;
mod result;
mod rights;
pub mod sections;
mod verdict;
mod waiting;
mod waits;
mod window;

pub use analyse::analyse;
pub use assign::{AssignError, assign};
pub use breakdown::{Breakdown, LISTED, Part, Term};
pub use core::CONSOLE_PERIOD;
pub use explain::explain;
pub use json::{CheckDocument, CheckedTask};
pub use proof::{Doubt, load};
pub use result::{Analysis, Row};
pub use takt_model::Placement;
pub use verdict::{Named, Verdict, Why};
