// SPDX-License-Identifier: Apache-2.0
//! The parts of the command `takt`.

mod analysed_system;
pub mod board;
pub mod boards;
pub mod build;
pub mod calibrate;
pub mod calls;
pub mod checking;
pub mod commands;
pub mod console;
pub mod document;
pub mod entries;
pub mod failure;
mod files;
pub mod firmware;
mod frames;
mod graph_table;
mod health;
pub mod home;
pub mod image;
pub mod interference;
pub mod interrupt;
mod io_table;
mod missing_services;
mod outcome;
pub mod output;
pub mod profile;
pub mod programs;
pub mod progress;
pub mod prove;
pub mod qemu;
mod regulation;
pub mod residency;
mod services;
pub mod source_locator;
pub mod symbols;
pub mod tracer;
