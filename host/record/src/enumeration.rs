// SPDX-License-Identifier: Apache-2.0
//! The record's enumerations. Each value is declared in one row, from which the Rust value, its
//! number in memory, its names in C and in documents, and its meaning are generated.

/// One value as a table shows it.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub number: u32,
    pub name: &'static str,
    /// The meaning of the value; may be empty.
    pub about: &'static str,
}

/// Declares an enumeration by rows of the form `number Variant "name" "meaning"`.
macro_rules! enumeration {
    ($(#[$doc:meta])* $type:ident { $($number:literal $variant:ident $name:literal $about:literal)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $type { $($variant = $number),* }

        impl $type {
            pub const ALL: &[$type] = &[$($type::$variant),*];
            pub const ROWS: &[Row] = &[$(Row { number: $number, name: $name, about: $about }),*];

            /// The value that has this number in memory.
            pub fn of(number: u32) -> Option<$type> {
                match number {
                    $($number => Some($type::$variant),)*
                    _ => None,
                }
            }

            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $name),*
                }
            }
        }
    };
}

enumeration! {
    /// How the run ended.
    Outcome {
        0 Running "running" "has not ended"
        1 Shutdown "shutdown" "takt_system_shutdown was called, or the run's time was over"
        2 Panic "panic" "the kernel stopped itself; see the message"
    }
}

enumeration! {
    /// What a task's job does when the machine ends.
    State {
        0 Unknown "unknown" "the machine ended with a panic"
        1 Dormant "dormant" "there is no job"
        2 HeldBack "held_back" "the job begins when the separation is over"
        3 Ready "ready" "another task runs, or the wake-up or activation is on its way"
        4 Running "running" ""
        5 Waiting "waiting" ""
        6 Suspended "suspended" "another task has suspended it, and it waits for nothing else"
        7 Spinning "spinning" "for a mutex of several cores"
        8 Ending "ending" "it called takt_system_shutdown"
    }
}

enumeration! {
    /// The classes of objects that tasks wait for.
    Class {
        0 None "none" "a sleep or a delay"
        1 Semaphore "semaphore" ""
        2 Flag "flag" ""
        3 DataQueue "data_queue" ""
        4 MessageBuffer "message_buffer" ""
        5 MemoryPool "memory_pool" ""
        6 Mutex "mutex" ""
        7 PriorityDataQueue "priority_data_queue" ""
        8 Barrier "barrier" ""
        9 Read "read" "a reader-writer lock, to read"
        10 Write "write" "a reader-writer lock, to write"
        11 SpinLock "spin_lock" "nobody waits, but a core spins"
    }
}

enumeration! {
    /// The kinds of the application's handlers.
    Handler {
        0 Cyclic "cyclic" ""
        1 Alarm "alarm" ""
        2 Overrun "overrun" "the ID is the task's"
        3 Deadline "deadline" "the ID is the task's"
    }
}

enumeration! {
    /// The action by which a task's job was ended.
    Ended {
        0 Awake "awake" "it did not wait"
        1 Waiting "waiting" "it waited, and left the queue by that"
        2 Woken "woken" "it waited, and its wake-up was on the way: that is dropped"
    }
}

enumeration! {
    /// What another core requests for a task; the kernel's `enum task_request`.
    Request {
        1 Start "start" "to begin a job"
        2 Wake "wake" "to end its wait"
    }
}

enumeration! {
    /// What the health monitor saw; the kernel's `enum takt_partition_error`.
    HealthError {
        0 MemoryViolation "memory_violation" "an access to memory that the partition does not have"
        1 StackOverflow "stack_overflow" "an access to the guard page below the task's stack"
        2 IllegalRequest "illegal_request" "an illegal instruction or an unknown call"
        3 ApplicationError "application_error" "a call of takt_panic, or an assertion that fails"
    }
}

enumeration! {
    /// What the health monitor did; the kernel's `enum takt_reaction`.
    HealthAction {
        0 RestartTask "restart_task" "the job is ended"
        1 StopTask "stop_task" "and the task has no further ones"
        2 RestartWarm "restart_warm" "the tasks of the partition begin anew, with its variables as they are"
        3 RestartCold "restart_cold" "and with their initial values"
        4 StopPartition "stop_partition" "all tasks of the partition are stopped"
        5 Shutdown "shutdown" "the run is ended"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_gives_the_value_that_has_it() {
        for (class, row) in Class::ALL.iter().zip(Class::ROWS) {
            assert_eq!((*class as u32, class.name()), (row.number, row.name));
            assert_eq!(Class::of(row.number), Some(*class));
        }
        assert_eq!(Class::of(12), None);
        assert_eq!((Request::of(0), Request::of(2)), (None, Some(Request::Wake)));
    }
}
