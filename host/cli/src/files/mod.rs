// SPDX-License-Identifier: Apache-2.0
//! The files of an application: a folder of the host becomes the initrd, and the files that the
//! application has written are copied back into one.

pub mod initrd;
pub mod output;
