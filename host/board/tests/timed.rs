// SPDX-License-Identifier: Apache-2.0
//! The timed machine: that it is exact, that its memory model is what it says.

#[path = "timed/addresses.rs"]
mod addresses;
#[path = "common/boards.rs"]
mod boards;
#[path = "timed/device_links.rs"]
mod device_links;
#[path = "timed/hogs.rs"]
mod hogs;
#[path = "timed/kinds.rs"]
mod kinds;
#[path = "timed/litmus.rs"]
mod litmus;
#[path = "timed/locks.rs"]
mod locks;
#[path = "timed/observer.rs"]
mod observer;
#[path = "timed/orders.rs"]
mod orders;
#[path = "timed/parts.rs"]
mod parts;
#[path = "timed/pinned.rs"]
mod pinned;
#[path = "timed/pmp.rs"]
mod pmp;
#[path = "timed/posts.rs"]
mod posts;
#[path = "common/program.rs"]
mod program;
#[path = "timed/rules.rs"]
mod rules;
#[path = "timed/scratchpads.rs"]
mod scratchpads;
#[path = "timed/snapshots.rs"]
mod snapshots;
#[path = "timed/stops.rs"]
mod stops;
#[path = "timed/subnets.rs"]
mod subnets;
#[path = "timed/ties.rs"]
mod ties;
#[path = "timed/uncached.rs"]
mod uncached;
#[path = "timed/waiting.rs"]
mod waiting;
