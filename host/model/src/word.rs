// SPDX-License-Identifier: Apache-2.0
//! Values that a description gives by words. The words of each type are defined in one place.

use crate::{
    Backoff, Cpu, EdgeKind, Granularity, Homing, Library, MemoryLoad, OverheadSource, OwnTask,
    Phase, Reaction, Runtime, Spinlock,
};

pub trait Word: Copy + PartialEq + 'static {
    /// Every value, with the word for it.
    const WORDS: &'static [(&'static str, Self)];

    /// The word for this value.
    fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, value)| *value == self).map_or("", |(word, _)| word)
    }
}

/// Declares an enumeration with the word for each value behind it.
macro_rules! words {
    ($(#[$about:meta])* pub enum $type:ident { $($(#[$doc:meta])* $value:ident $word:literal,)* }) => {
        $(#[$about])*
        pub enum $type { $($(#[$doc])* $value),* }

        impl $crate::Word for $type {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$value)),*];
        }
    };
}

pub(crate) use words;

impl Word for Cpu {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("rv64gc", Self::Rv64gc),
        ("rv64gc_zba_zbb", Self::Rv64gcZbaZbb),
        ("rv64gc_zba_zbb_zbs", Self::Rv64gcZbaZbbZbs),
    ];
}

impl Word for OverheadSource {
    const WORDS: &'static [(&'static str, Self)] =
        &[("assumed", Self::Assumed), ("measured", Self::Measured), ("published", Self::Published)];
}

impl Word for MemoryLoad {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("alone", Self::Alone),
        ("writers", Self::Writers),
        ("one_bank", Self::OneBank),
        ("readers", Self::Readers),
        ("mix", Self::Mix),
    ];
}

impl Word for Reaction {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("restart_task", Self::RestartTask),
        ("stop_task", Self::StopTask),
        ("restart_warm", Self::RestartWarm),
        ("restart_cold", Self::RestartCold),
        ("stop_partition", Self::StopPartition),
        ("shutdown", Self::Shutdown),
    ];
}

impl Word for Granularity {
    const WORDS: &'static [(&'static str, Self)] =
        &[("giant", Self::Giant), ("core", Self::Core), ("object", Self::Object)];
}

impl Word for Spinlock {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("tas", Self::Tas),
        ("ttas", Self::Ttas),
        ("ticket", Self::Ticket),
        ("mcs", Self::Mcs),
        ("k42", Self::K42),
        ("relay", Self::Relay),
    ];
}

impl Word for Backoff {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("none", Self::None),
        ("proportional", Self::Proportional),
        ("exponential", Self::Exponential),
    ];
}

impl Word for OwnTask {
    const WORDS: &'static [(&'static str, Self)] =
        &[("generic", Self::Generic), ("fast", Self::Fast), ("register", Self::Register)];
}

impl Word for Library {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("dataflow", Self::Dataflow),
        ("itron", Self::Itron),
        ("messaging", Self::Messaging),
        ("openmp", Self::Openmp),
        ("posix", Self::Posix),
    ];
}

impl Word for Homing {
    const WORDS: &'static [(&'static str, Self)] = &[("none", Self::None), ("page", Self::Page)];
}

impl Word for Phase {
    const WORDS: &'static [(&'static str, Phase)] =
        &[("before", Phase::Before), ("body", Phase::Body), ("after", Phase::After)];
}

impl Word for Runtime {
    const WORDS: &'static [(&'static str, Self)] = &[("iota", Self::Iota), ("rtos1", Self::Rtos1)];
}

impl Word for EdgeKind {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("block", Self::Block),
        ("broadcast", Self::Broadcast),
        ("gather", Self::Gather),
        ("word", Self::Word),
    ];
}
