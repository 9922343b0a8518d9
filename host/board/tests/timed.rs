// SPDX-License-Identifier: Apache-2.0
//! The timed machine: that it is exact, that its memory model is what it says.

#[path = "timed/locks.rs"]
mod locks;
#[path = "common/program.rs"]
mod program;
