// SPDX-License-Identifier: Apache-2.0
//! The files of a program: a folder becomes its initrd, and what it has written comes back into one.

pub mod initrd;
pub mod output;
