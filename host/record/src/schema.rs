// SPDX-License-Identifier: Apache-2.0
//! The schema of the record: what a kernel leaves in memory for the host to read.
//!
//! This table is the only definition. [`c_header`](crate::c_header) prints it as `kernel/record_schema.h`
//! (a test holds the file equal), and this crate decodes memory by it.
//!
//! In memory the record is one block: the header, then one `task` a task in the order of their
//! IDs from `tasks_offset`, one `interrupt` an interrupt, one `limit` a measured assumption, then from `cores_offset`
//! one block of `core_stride` bytes a core: a `core`, followed by [`REFUSALS`] of `refusal` and its ring of
//! `event_capacity` events. Little endian, every field aligned
//! to its size, so that C adds no padding of its own. It is read only when the machine has stopped; `now` alone may be read before.

/// Written first; spells `TAKTREC` and a zero byte in memory.
pub const MAGIC: u64 = u64::from_le_bytes(*b"TAKTREC\0");
/// Raised with every change of this table.
pub const VERSION: u32 = 9;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    U16,
    U32,
    U64,
    Bytes(usize),
    /// So many of 32 bits.
    Words(usize),
}

impl Kind {
    pub const fn size(self) -> usize {
        match self {
            Kind::U16 => 2,
            Kind::U32 => 4,
            Kind::U64 => 8,
            Kind::Bytes(size) => size,
            Kind::Words(count) => count * 4,
        }
    }

    pub const fn alignment(self) -> usize {
        match self {
            Kind::Bytes(_) => 1,
            Kind::Words(_) => 4,
            _ => self.size(),
        }
    }
}

pub struct Field {
    pub name: &'static str,
    pub kind: Kind,
    pub about: &'static str,
}

pub struct Struct {
    pub name: &'static str,
    pub about: &'static str,
    pub fields: &'static [Field],
}

impl Struct {
    /// Bytes of one such structure in memory.
    pub fn size(&self) -> usize {
        self.fields.iter().map(|field| field.kind.size()).sum()
    }
}

const fn field(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { name, kind, about }
}

pub const HEADER: Struct = Struct {
    name: "header",
    about: "What the record is, and how the run ended.",
    fields: &[
        field("magic", Kind::U64, "TAKT_RECORD_MAGIC"),
        field("version", Kind::U32, "TAKT_RECORD_VERSION"),
        field("header_size", Kind::U32, "bytes of this structure"),
        field("build_id", Kind::Bytes(20), "the image's GNU build ID (SHA-1)"),
        field("outcome", Kind::U32, "takt_record_outcome"),
        field("code", Kind::U32, "of the shutdown: what the run's exit status becomes"),
        field("core_count", Kind::U32, ""),
        field("task_count", Kind::U32, ""),
        field("task_size", Kind::U32, "bytes of one takt_record_task"),
        field("event_size", Kind::U32, "bytes of one takt_record_event"),
        field("event_capacity", Kind::U32, "events in each core's ring"),
        field("tasks_offset", Kind::U32, "from the record's start, as are all offsets"),
        field("cores_offset", Kind::U32, ""),
        field("core_stride", Kind::U32, "bytes from one core's block to the next"),
        field("interrupt_count", Kind::U32, ""),
        field("total_size", Kind::U64, "bytes of the whole record"),
        field("clock_hz", Kind::U64, "ticks a second of every time in ticks"),
        field("epoch", Kind::U64, "ticks: time 0 of the system"),
        field("now", Kind::U64, "ticks: a sign of life, written by the console core"),
        field("end", Kind::U64, "ticks at which the machine stopped"),
        field("message", Kind::Bytes(160), "of a panic, zero-terminated"),
        field("interrupt_size", Kind::U32, "bytes of one takt_record_interrupt"),
        field("interrupts_offset", Kind::U32, ""),
        field("limit_count", Kind::U32, "assumptions that are measured"),
        field("limit_size", Kind::U32, "bytes of one takt_record_limit"),
        field("limits_offset", Kind::U32, ""),
        field("refusal_size", Kind::U32, "bytes of one takt_record_refusal"),
    ],
};

pub const TASK: Struct = Struct {
    name: "task",
    about: "Figures of one task, written by its core only. Times in nanoseconds.",
    fields: &[
        field("jobs", Kind::U64, "completed"),
        field("misses", Kind::U64, "jobs that ended, or stood at the end, past their deadline"),
        field("losses", Kind::U64, "releases of a periodic task that found its queue full"),
        field("refused", Kind::U64, "activations answered with TAKT_E_QOVR"),
        field("held_back", Kind::U64, "activations of a sporadic task that came too early"),
        field("undeclared_waits", Kind::U64, "waits that the description does not name"),
        field("response_min", Kind::U64, "from nominal release to completion"),
        field("response_max", Kind::U64, ""),
        field("response_sum", Kind::U64, "divided by jobs: the mean"),
        field(
            "execution_max",
            Kind::U64,
            "longest execution of a job that has ended, or stands at the end; preemptions and spins for mutexes excluded",
        ),
        field("execution_sum", Kind::U64, ""),
        field("overruns", Kind::U64, "jobs that executed longer than their budget"),
        field("stopped", Kind::U64, "jobs that were ended for that"),
        field("stack_used", Kind::U64, "bytes, deepest seen at the end of the run"),
        field("held_back_max", Kind::U64, "ns: the longest that one of held_back waited"),
        field(
            "release",
            Kind::U64,
            "ns: nominal release of the last job; all ones: there was none",
        ),
        field("until", Kind::U64, "ns: when the job's wait ends at the latest; 0: never"),
        field("execution", Kind::U64, "ns: of the job that is not finished"),
        field(
            "state",
            Kind::U32,
            "takt_record_state at the end; not after a panic, as all from here",
        ),
        field(
            "wait",
            Kind::U32,
            "what the job waits for, as the value of a wait event, without turn",
        ),
        field("holder", Kind::U32, "ID of a task that holds that; 0: nobody, or not known"),
        field("places", Kind::Words(PLACES), "see TAKT_RECORD_PLACES"),
    ],
};

pub const INTERRUPT: Struct = Struct {
    name: "interrupt",
    about: "Figures of one interrupt of a device, written by the core that it is delivered to.",
    fields: &[
        field("count", Kind::U64, "calls of its service routine"),
        field(
            "distance_min",
            Kind::U64,
            "ns from the begin of one call to that of the next; 0: no two",
        ),
        field("execution_max", Kind::U64, "ns: longest call, without what interrupted it"),
    ],
};

pub const LIMIT: Struct = Struct {
    name: "limit",
    about: "A measured assumption of the description, in the configurator's order; written by the core of whom it is assumed.",
    fields: &[field(
        "worst",
        Kind::U64,
        "ticks, ns or a count: the greatest, of a separation the least; 0: none yet",
    )],
};

/// Refusals that a core's block has room for.
pub const REFUSALS: usize = 8;

pub const REFUSAL: Struct = Struct {
    name: "refusal",
    about: "Calls of one service that were refused to one task with one error; behind the core's figures, TAKT_RECORD_REFUSALS of them.",
    fields: &[
        field("count", Kind::U64, "0: an entry never written"),
        field("task", Kind::U32, "ID of the task, 0: a handler or hook"),
        field("error", Kind::U32, "the error without its sign"),
        field("function", Kind::U64, "where the kernel has the next field: what it compares"),
        field("service", Kind::Bytes(40), "the service's C function, zero-terminated"),
    ],
};

pub const CORE: Struct = Struct {
    name: "core",
    about: "Figures of one core, written by that core only.",
    fields: &[
        field("hart", Kind::U64, "number of the hart that is this core"),
        field("events", Kind::U64, "written since the start; the ring holds the last ones"),
        field("events_dropped", Kind::U64, "overwritten in the ring"),
        field("console_dropped", Kind::U64, "bytes that found the console's ring full"),
        field("idle", Kind::U64, "ticks spent without a task to run"),
        field("interrupts", Kind::U64, "interrupts taken"),
        field("refusals_dropped", Kind::U64, "refused calls that found no free entry"),
    ],
};

pub const EVENT: Struct = Struct {
    name: "event",
    about: "One entry of a core's ring.",
    fields: &[
        field("time", Kind::U64, "ticks"),
        field("kind", Kind::U16, "takt_record_event_kind"),
        field("task", Kind::U16, "ID of the task, 0: none"),
        field("value", Kind::U32, "see the kind"),
    ],
};

pub const STRUCTS: &[&Struct] = &[&HEADER, &TASK, &INTERRUPT, &LIMIT, &CORE, &REFUSAL, &EVENT];

pub const OUTCOMES: &[(&str, &str)] = &[
    ("running", "has not ended"),
    ("shutdown", "takt_system_shutdown was called, or the run's time was over"),
    ("panic", "the kernel stopped itself; see the message"),
];

/// Places in the code of a job that is not finished: of the instruction that is next, then of the calls that led there,
/// from the inside. Each is an offset from takt_text_start, of a call that of its last byte; 0 ends the list.
pub const PLACES: usize = 7;

/// What a task's job does when the machine ends.
pub const STATES: &[(&str, &str)] = &[
    ("unknown", "the machine ended with a panic"),
    ("dormant", "there is no job"),
    ("held_back", "the job begins when the separation is over"),
    ("ready", "another task runs, or the wake-up or activation is on its way"),
    ("running", ""),
    ("waiting", ""),
    ("suspended", "another task has suspended it, and it waits for nothing else"),
    ("spinning", "for a mutex of several cores"),
    ("ending", "it called takt_system_shutdown"),
];

/// Classes of objects that tasks wait for.
pub const OBJECTS: &[(&str, &str)] = &[
    ("none", "a sleep or a delay"),
    ("semaphore", ""),
    ("flag", ""),
    ("data_queue", ""),
    ("message_buffer", ""),
    ("memory_pool", ""),
    ("mutex", ""),
    ("priority_data_queue", ""),
    ("barrier", ""),
    ("read", "a reader-writer lock, to read"),
    ("write", "a reader-writer lock, to write"),
    ("spin_lock", "nobody waits, but a core spins"),
];

/// Kinds of the application's handlers.
pub const HANDLERS: &[(&str, &str)] = &[
    ("cyclic", ""),
    ("alarm", ""),
    ("overrun", "the ID is the task's"),
    ("deadline", "the ID is the task's"),
];

/// What a task did whose job was ended.
pub const ENDED: &[(&str, &str)] = &[
    ("awake", "it did not wait"),
    ("waiting", "it waited, and left the queue by that"),
    ("woken", "it waited, and its wake-up was on the way: that is dropped"),
];

/// The *turn* in an event's value counts the changes of one object's queue, and of a semaphore's
/// count, in 8 bits: the order of what several cores wrote of it.
pub const EVENT_KINDS: &[(&str, &str)] = &[
    ("none", "an entry never written"),
    ("release", "a job is ready; value: low half of the nominal release in ns"),
    ("dispatch", "the task runs from here"),
    ("preempt", "the task is ready but another runs"),
    (
        "wait",
        "the task waits; value: class of the object << 24 | turn << 16 | its ID; class 0: none",
    ),
    (
        "wake",
        "the task is ready again; value: turn in which it was unlinked << 16 | minus its result",
    ),
    ("complete", "the job is done; value: response in ns, at most 2^32 - 1"),
    ("miss", "the job ended after its deadline"),
    ("loss", "a release found the queue full"),
    ("hold_back", "a sporadic activation came too early; value: by how many ns, at most 2^32 - 1"),
    ("timer", "timer interrupt"),
    ("ipi", "inter-processor interrupt"),
    (
        "resume",
        "the interrupt is over, and what it interrupted goes on; task: who, 0: idle; value: in the \
         service routine of which interrupt, 0: none",
    ),
    ("post", "another core is asked to start the task (value 1) or to wake it (2)"),
    ("lock_wait", "waits for a lock of the kernel; value: ticks, at least 1; 0: still waits"),
    ("suspend", "the task is suspended, whatever it does"),
    ("unsuspend", "it is so no longer"),
    (
        "priority",
        "the task's present priority or place has changed; value: the priority; also turn << 16 | 1 << 8: it moved in an object's queue; 1 << 9: it is now the first of its equals",
    ),
    (
        "terminate",
        "somebody ended the task's job; value: turn of unlinking << 16 | takt_record_ended",
    ),
    ("handler", "a handler of the application begins; value: its kind << 24 | its ID"),
    ("handler_end", "it has returned; value: as above"),
    ("overrun", "the job has executed longer than its budget; value: 1 if it is ended for that"),
    ("deadline", "the deadline has passed, the job has not ended, and its handler is called"),
    ("mutex_lock", "the task holds a mutex; value: its ID"),
    ("mutex_unlock", "it does so no longer; value: its ID"),
    ("dispatch_disable", "the task runs on whatever becomes ready"),
    ("dispatch_enable", "it does so no longer"),
    ("take", "the task, 0: a handler, took of an object without a wait; value: as of wait"),
    ("give", "it gave an object what nobody waited for; value: as of wait"),
    ("queue", "an activation of the task waits for the end of its job"),
    ("unqueue", "activations wait no longer; value: how many"),
    ("interrupt", "the service routine of a device's interrupt begins; value: the interrupt's ID"),
    ("interrupt_end", "it is over"),
    ("migrate", "the task leaves for another core; value: which"),
    ("arrive", "it has come to this one, and is what it was"),
];

/// Where a core's ring begins in its block: behind its figures and refusals.
pub fn ring_offset() -> usize {
    CORE.size() + REFUSALS * REFUSAL.size()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_structure_needs_padding() {
        for structure in STRUCTS {
            let mut offset = 0;
            for field in structure.fields {
                let at = format!("{}.{} at {offset}", structure.name, field.name);
                assert_eq!(offset % field.kind.alignment(), 0, "{at}");
                offset += field.kind.size();
            }
            let alignment = structure.fields.iter().map(|field| field.kind.alignment()).max();
            assert_eq!(structure.size() % alignment.unwrap(), 0, "end of {}", structure.name);
        }
    }

    #[test]
    fn the_magic_spells_its_name_in_memory() {
        assert_eq!(&MAGIC.to_le_bytes(), b"TAKTREC\0");
    }
}
