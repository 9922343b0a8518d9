// SPDX-License-Identifier: Apache-2.0
//! The interpreter: encodings, programs, floats, privileged rules.

#[path = "../common/flat.rs"]
mod flat;

mod encodings;
mod floats;
mod integers;
mod programs;
mod rules;
