// SPDX-License-Identifier: Apache-2.0
//! Durations and sizes: a type for each unit, so that they cannot mix.

/// A duration in nanoseconds, at most [`Nanos::MAX`] (about 292 years).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Nanos(pub u64);

impl Nanos {
    /// The kernel's times are signed 64-bit nanoseconds.
    pub const MAX: Nanos = Nanos(i64::MAX as u64);
}

/// A size in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);
