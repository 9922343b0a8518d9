// SPDX-License-Identifier: Apache-2.0
//! Does every task of a described system meet its deadline?
//!
//! [`assign`] chooses the cores and priorities that the description leaves out, [`analyse`]
//! bounds the response time of each task on its core. A bound holds for every phasing of the
//! tasks, or for that of their offsets. What has no bound is [`Verdict::Unknown`] and says why: a deadline
//! is never called met over something that the description does not tell.
//!
//! `docs/design/analysis.md` has each term of the bounds with the argument for it.

mod analyse;
mod arrival;
mod assign;
mod breakdown;
mod budgets;
mod busy_window;
mod commands;
mod controls;
mod core;
mod core_task;
mod costs;
pub mod dataflow;
mod demand;
mod explain;
mod forking;
mod handlers;
mod interference;
mod interrupts;
pub mod io;
mod io_schedule;
mod json;
mod lines;
mod memory;
mod mutexes;
mod non_suspending;
mod nonpreemptive;
mod offsets;
mod priorities;
mod proof;
mod quantity;
mod reach;
mod remote;
mod request;
mod response;
mod result;
mod sections;
mod self_suspending;
mod semaphores;
mod served;
mod stages;
mod supply;
mod term;
mod traffic;
mod transfers;
mod verdict;
mod waits;

pub use analyse::{analyse, analyse_resident};
pub use assign::{AssignError, assign};
pub use breakdown::{Breakdown, LISTED, Part};
pub use explain::explain;
pub use interrupts::CONSOLE_PERIOD;
pub use io_schedule::{IoDocument, IoSchedule, IoTransaction, IoWindow, late_task, place};
pub use json::{CheckDocument, CheckedTask, StageDocument};
pub use lines::Lines;
pub use memory::Stalls;
pub use proof::{Doubt, load};
pub use result::{Analysis, Row, StageRow};
pub use sections::longest_section;
pub use takt_model::Assignment;
pub use term::Term;
pub use traffic::{Traffic, traffic};
pub use transfers::{RemoteActivation, Residency, unsuited};
pub use verdict::{Named, NoBound, Verdict};
