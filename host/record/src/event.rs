// SPDX-License-Identifier: Apache-2.0
//! The kinds of events. Each kind is declared in one row of the table below: its number in memory,
//! its name in C and in documents, the bit fields of its 32-bit value, and its meaning. The Rust
//! type, the names and comments in `kernel/record/record_schema.h` and the book's table are
//! generated from it.

use crate::enumeration::{Class, Ended, Handler, HealthAction, HealthError, Request};

/// One entry of a core's event ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The time of the event in ticks.
    pub time: u64,
    /// The ID of the task that the event is about; 0: none.
    pub task: u16,
    pub event: Event,
}

/// A kind of event, as a table shows it.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    pub number: u16,
    pub name: &'static str,
    pub about: &'static str,
    pub fields: &'static [Field],
}

/// A bit field of an event's value.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    pub name: &'static str,
    pub about: &'static str,
    /// Its type in the kernel's functions that record events.
    pub c_type: &'static str,
    pub begin: u32,
    pub end: u32,
}

/// Declares the events by rows of the form `number "name" Variant { field: type = its bits,
/// "meaning"; ... } "meaning"`.
macro_rules! events {
    ($($number:literal $name:literal $variant:ident
       $({ $($field:ident: $type:ty = $begin:literal .. $end:literal, $meaning:literal);* })?
       $about:literal)*) => {
        /// An event with its decoded value. The task that it is about is that of the [`Entry`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Event {
            $(#[doc = $about] $variant $({ $(#[doc = $meaning] $field: $type),* })?),*
        }

        /// The kinds in the order of their numbers, from 0.
        pub const KINDS: &[Kind] = &[$(Kind {
            number: $number,
            name: $name,
            about: $about,
            fields: &[$($(Field {
                name: stringify!($field),
                about: $meaning,
                c_type: <$type as BitField>::C_TYPE,
                begin: $begin,
                end: $end,
            }),*)?],
        }),*];

        impl Event {
            /// Decodes an event; None if there is no such kind, or if the kind has no such value.
            pub fn decode(kind: u16, value: u32) -> Option<Event> {
                Some(match kind {
                    $($number => Event::$variant $({
                        $($field: <$type as BitField>::from_bits(bits(value, $begin, $end))?),*
                    })?,)*
                    _ => return None,
                })
            }

            pub fn name(&self) -> &'static str {
                match self {
                    $(Event::$variant { .. } => $name),*
                }
            }
        }
    };
}

// The *turn* of an event counts the changes of one object's queue, and of a semaphore's count, in 8
// bits. It gives the order of the changes that several cores recorded.
events! {
    0 "none" Unwritten "an entry never written"
    1 "release" Release { nominal: u32 = 0..32, "low half of the nominal release in ns" } "a job is ready"
    2 "dispatch" Dispatch "the task runs from here; none: the core idles"
    3 "preempt" Preempt "the task is ready but another runs"
    4 "wait" Wait {
        class: Class = 24..32, "takt_record_object";
        turn: u8 = 16..24, "in which it joined the queue";
        id: u16 = 0..16, "of the object"
    } "the task waits"
    5 "wake" Wake {
        turn: u8 = 16..24, "in which it left the object's queue";
        result: u8 = 0..8, "of the wait, without its sign"
    } "the task is ready again"
    6 "complete" Complete { response: u32 = 0..32, "response in ns, at most 2^32 - 1" } "the job is done"
    7 "miss" Miss "the job ended after its deadline"
    8 "loss" Loss "a release found the queue full"
    9 "hold_back" HoldBack { early: u32 = 0..32, "by how many ns, at most 2^32 - 1" }
        "a sporadic activation came too early"
    10 "timer" Timer "timer interrupt"
    11 "ipi" Ipi "inter-processor interrupt"
    12 "resume" Resume { routine: u32 = 0..32, "ID of the interrupt whose service routine goes on, 0: none" }
        "the interrupt is over, and the interrupted task (0: the idle loop) goes on"
    13 "post" Post { request: Request = 0..32, "1 to start, 2 to wake" } "another core is requested to start the task or to wake it"
    14 "lock_wait" LockWait { ticks: u32 = 0..32, "ticks, at least 1; 0: it still waits" } "the core waits for a lock of the kernel"
    15 "suspend" Suspend "the task is suspended, whatever its state"
    16 "unsuspend" Unsuspend "the task is no longer suspended"
    17 "priority" Priority {
        turn: u8 = 16..24, "if it moved: in which it joined the queue again; it left in the turn before";
        first: bool = 9..10, "whether it is now the first of its priority";
        moved: bool = 8..9, "whether it moved in an object's queue";
        priority: u8 = 0..8, "the new priority"
    } "the task's priority, or its place among tasks of its priority, has changed"
    18 "terminate" Terminate {
        turn: u8 = 16..24, "in which it left the object's queue";
        ended: Ended = 0..8, "takt_record_ended"
    } "the task's job was ended before it completed"
    19 "handler" Handler {
        kind: Handler = 24..32, "takt_record_handler";
        id: u32 = 0..24, "of the handler, or of the task that it belongs to"
    } "a handler of the application begins"
    20 "handler_end" HandlerEnd {
        kind: Handler = 24..32, "takt_record_handler";
        id: u32 = 0..24, "of the handler, or of the task that it belongs to"
    } "a handler of the application has returned"
    21 "overrun" Overrun { ended: bool = 0..1, "whether the job is ended because of it" }
        "the job has executed longer than its budget"
    22 "deadline" Deadline "the deadline has passed, the job has not ended, and its handler is called"
    23 "mutex_lock" MutexLock { id: u32 = 0..32, "ID of the mutex" } "the task has locked a mutex"
    24 "mutex_unlock" MutexUnlock { id: u32 = 0..32, "ID of the mutex" } "the task has unlocked a mutex"
    25 "dispatch_disable" DispatchDisable "the task has disabled dispatch: it runs on, whatever becomes ready"
    26 "dispatch_enable" DispatchEnable "the task has enabled dispatch"
    27 "take" Take {
        class: Class = 24..32, "takt_record_object";
        turn: u8 = 16..24, "of the change";
        id: u16 = 0..16, "of the object"
    } "the task (0: a handler) has taken from an object without waiting"
    28 "give" Give {
        class: Class = 24..32, "takt_record_object";
        turn: u8 = 16..24, "of the change";
        id: u16 = 0..16, "of the object"
    } "the task (0: a handler) has given to an object for which no task waited"
    29 "queue" Queue "an activation of the task is queued until its job ends"
    30 "unqueue" Unqueue { count: u32 = 0..32, "the number of activations" } "activations of the task have left its queue"
    31 "interrupt" Interrupt { id: u32 = 0..32, "ID of the interrupt" }
        "the service routine of a device's interrupt begins"
    32 "interrupt_end" InterruptEnd { id: u32 = 0..32, "ID of the interrupt" }
        "the service routine of a device's interrupt has returned"
    33 "migrate" Migrate { to: u32 = 0..32, "number of the other core" } "the task departs for another core"
    34 "arrive" Arrive "the task has arrived at this core, in the state in which it left the other"
    35 "throttle" Throttle { written: bool = 0..1, "whether the budget of lines written is spent, and not that of lines read" }
        "the core has used up a budget of memory traffic while the task ran, and idles from here unless the task has disabled dispatch"
    36 "replenish" Replenish "a regulation period begins, and the core runs tasks again"
    37 "window" Window { partition: u32 = 0..32, "1 + index of the partition whose window opens, 0: none is open" }
        "the core runs the tasks of another partition from here on"
    38 "health" Health {
        error: HealthError = 8..16, "0 memory_violation, 1 stack_overflow, 2 illegal_request, 3 application_error";
        action: HealthAction = 0..8, "0 restart_task, 1 stop_task, 2 restart_warm, 3 restart_cold, 4 stop_partition, 5 shutdown"
    } "the health monitor has seen an error of a partition's task, and acts"
    39 "restart" Restart { cold: bool = 0..1, "whether its variables have their initial values again" }
        "the partition of the task has been stopped and starts again: none of its tasks has a job, and its objects are as at first"
}

/// The bits of a word from `begin` to before `end`.
fn bits(word: u32, begin: u32, end: u32) -> u32 {
    word << (32 - end) >> (32 - end + begin)
}

/// A type that a bit field may have.
trait BitField: Sized {
    const C_TYPE: &'static str;
    /// Converts the bits of a field into its value; None if no kernel writes them.
    fn from_bits(bits: u32) -> Option<Self>;
}

impl BitField for u32 {
    const C_TYPE: &'static str = "uint32_t";

    fn from_bits(bits: u32) -> Option<u32> {
        Some(bits)
    }
}

impl BitField for u16 {
    const C_TYPE: &'static str = "uint32_t";

    fn from_bits(bits: u32) -> Option<u16> {
        u16::try_from(bits).ok()
    }
}

impl BitField for u8 {
    const C_TYPE: &'static str = "uint8_t";

    fn from_bits(bits: u32) -> Option<u8> {
        u8::try_from(bits).ok()
    }
}

impl BitField for bool {
    const C_TYPE: &'static str = "bool";

    fn from_bits(bits: u32) -> Option<bool> {
        Some(bits != 0)
    }
}

impl BitField for Class {
    const C_TYPE: &'static str = "enum takt_record_object";

    fn from_bits(bits: u32) -> Option<Class> {
        Class::of(bits)
    }
}

impl BitField for Ended {
    const C_TYPE: &'static str = "enum takt_record_ended";

    fn from_bits(bits: u32) -> Option<Ended> {
        Ended::of(bits)
    }
}

impl BitField for Handler {
    const C_TYPE: &'static str = "enum takt_record_handler";

    fn from_bits(bits: u32) -> Option<Handler> {
        Handler::of(bits)
    }
}

impl BitField for HealthError {
    const C_TYPE: &'static str = "uint32_t";

    fn from_bits(bits: u32) -> Option<HealthError> {
        HealthError::of(bits)
    }
}

impl BitField for HealthAction {
    const C_TYPE: &'static str = "uint32_t";

    fn from_bits(bits: u32) -> Option<HealthAction> {
        HealthAction::of(bits)
    }
}

impl BitField for Request {
    const C_TYPE: &'static str = "uint32_t";

    fn from_bits(bits: u32) -> Option<Request> {
        Request::of(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_place_and_a_name_of_its_own() {
        for (number, kind) in KINDS.iter().enumerate() {
            assert_eq!(usize::from(kind.number), number, "{}", kind.name);
            let named = KINDS.iter().filter(|other| other.name == kind.name);
            assert_eq!(named.count(), 1, "{}", kind.name);
        }
    }

    /// The fields stand in the order of the shifts in C, from the highest bits to the lowest,
    /// without overlaps.
    #[test]
    fn fields_stand_from_the_highest_bits_to_the_lowest() {
        for kind in KINDS {
            let mut above = 32;
            for field in kind.fields {
                let name = format!("{}.{}", kind.name, field.name);
                assert!(field.begin < field.end && field.end <= above, "{name}");
                above = field.begin;
            }
        }
    }

    #[test]
    fn a_value_is_taken_apart() {
        let wait = Event::Wait { class: Class::Mutex, turn: 0xfe, id: 0x1234 };
        assert_eq!(Event::decode(4, 0x06fe_1234), Some(wait));
        let priority = Event::Priority { turn: 7, first: true, moved: false, priority: 255 };
        assert_eq!(Event::decode(17, 7 << 16 | 1 << 9 | 255), Some(priority));
        let whole = Event::Complete { response: u32::MAX };
        assert_eq!(Event::decode(6, u32::MAX), Some(whole));
        assert_eq!((whole.name(), wait.name()), ("complete", "wait"));
    }

    #[test]
    fn what_no_kernel_writes_is_no_event() {
        assert_eq!(Event::decode(KINDS.len() as u16, 0), None);
        assert_eq!(Event::decode(4, 12 << 24), None, "a class");
        assert_eq!(Event::decode(13, 4), None, "a request");
        assert_eq!(Event::decode(18, 3), None, "what a task did");
    }
}
