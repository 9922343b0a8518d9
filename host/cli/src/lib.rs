// SPDX-License-Identifier: Apache-2.0
//! The parts of the command `takt`.

pub mod build;
pub mod commands;
pub mod failure;
pub mod home;
pub mod image;
pub mod interrupt;
pub mod output;
pub mod plan;
pub mod programs;
pub mod progress;
pub mod qemu;
pub mod symbols;
