// SPDX-License-Identifier: Apache-2.0
//! The description's names of what the record has numbers of, in the order of their IDs.

use takt_model::System;
use takt_record::Class;

/// Objects of a class.
pub fn of_objects(system: &System, class: Class) -> Vec<&str> {
    fn names<'a, T>(all: &'a [T], name: impl Fn(&'a T) -> &'a String) -> Vec<&'a str> {
        all.iter().map(|it| name(it).as_str()).collect()
    }
    match class {
        Class::None => Vec::new(),
        Class::Semaphore => names(&system.semaphores, |it| &it.name),
        Class::Flag => names(&system.flags, |it| &it.name),
        Class::DataQueue => names(&system.data_queues, |it| &it.name),
        Class::MessageBuffer => names(&system.message_buffers, |it| &it.name),
        Class::MemoryPool => names(&system.memory_pools, |it| &it.name),
        Class::Mutex => names(&system.mutexes, |it| &it.name),
        Class::PriorityDataQueue => names(&system.priority_data_queues, |it| &it.name),
        Class::Barrier => names(&system.barriers, |it| &it.name),
        Class::Read | Class::Write => names(&system.reader_writer_locks, |it| &it.name),
        Class::SpinLock => names(&system.spin_locks, |name| name),
    }
}
