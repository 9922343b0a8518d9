// SPDX-License-Identifier: Apache-2.0
//! What the tests share: systems made by hand, and a machine that runs them.

#![allow(dead_code)] // no test uses all of it

pub mod build;
pub mod patterns;
pub mod sets;
pub mod simulator;
