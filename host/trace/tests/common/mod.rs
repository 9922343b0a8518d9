// SPDX-License-Identifier: Apache-2.0
#![allow(unused_imports)] // each test file uses some of it

#[path = "../../../record/tests/common/mod.rs"]
mod bytes;
pub mod system;

pub use bytes::*;
