// SPDX-License-Identifier: Apache-2.0
//! The classes of what a description makes: the one list of them on the host.

use crate::{KernelPath, System};

/// What every class has.
#[derive(Debug)]
pub struct Class {
    /// The name of its table in the description, from which the kernel's names are made.
    pub word: &'static str,
    /// The word for several of them.
    pub plural: &'static str,
    /// The names of a system's objects; an object's ID is its place, from 1.
    pub names: fn(&System) -> Vec<&str>,
    /// What the calibration must have run where a system has such objects; none where it depends on
    /// more than that.
    pub path: Option<KernelPath>,
}

macro_rules! path {
    () => {
        None
    };
    ($path:ident) => {
        Some(KernelPath::$path)
    };
}

macro_rules! classes {
    ($($word:literal $plural:literal $field:ident $(.$name:ident)? $(, $path:ident)?;)*) => {
        /// In the order of the generated tables.
        pub const CLASSES: &[Class] = &[$(Class {
            word: $word,
            plural: $plural,
            names: |system| system.$field.iter().map(|it| it$(.$name)?.as_str()).collect(),
            path: path!($($path)?),
        }),*];
    };
}

classes! {
    "task" "tasks" tasks.name;
    "semaphore" "semaphores" semaphores.name;
    "mutex" "mutexes" mutexes.name;
    "flag" "flags" flags.name, Flag;
    "data_queue" "data_queues" data_queues.name, DataQueue;
    "priority_data_queue" "priority_data_queues" priority_data_queues.name, PriorityDataQueue;
    "barrier" "barriers" barriers.name, Barrier;
    "reader_writer_lock" "reader_writer_locks" reader_writer_locks.name, ReaderWriterLock;
    "spin_lock" "spin_locks" spin_locks, SpinLock;
    "message_buffer" "message_buffers" message_buffers.name, MessageBuffer;
    "memory_pool" "memory_pools" memory_pools.name, MemoryPool;
    "buffer" "buffers" buffers.name, Buffer;
    "cyclic" "cyclics" cyclics.name, Cyclic;
    "alarm" "alarms" alarms.name, Alarm;
    "interrupt" "interrupts" interrupts.name;
}

/// The names of a class's objects, by its word; none of a word that names no class.
pub fn names_of<'a>(system: &'a System, word: &str) -> Vec<&'a str> {
    let class = CLASSES.iter().find(|class| class.word == word);
    class.map_or_else(Vec::new, |class| (class.names)(system))
}
