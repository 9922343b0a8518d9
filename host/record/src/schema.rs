// SPDX-License-Identifier: Apache-2.0
//! The schema of the record: what a kernel leaves in memory for the host to read.
//!
//! These tables, those of [`crate::enumeration`] and [`crate::event`] are the only definition. [`c_header`](crate::c_header)
//! prints them as `kernel/record/record_schema.h` (a test holds the file equal), and this crate decodes memory by them.
//!
//! In memory the record is one block: the header, then one `task` a task in the order of their
//! IDs from `tasks_offset`, one `interrupt` an interrupt, one `limit` a measured assumption, then from `cores_offset`
//! one block of `core_stride` bytes a core: a `core`, followed by [`REFUSALS`] of `refusal` and its ring of
//! `event_capacity` events. Little endian, every field aligned
//! to its size, so that C adds no padding of its own. It is read only when the machine has stopped; `now` alone may be read before.

/// The first field that is written; spells `TAKTREC` and a zero byte in memory.
pub const MAGIC: u64 = u64::from_le_bytes(*b"TAKTREC\0");
/// The version of the record, raised with every change of its contents.
pub const VERSION: u32 = 13;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    U16,
    U32,
    U64,
    Bytes(usize),
    /// An array of this many 32-bit words.
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
    /// The size of one such structure in memory, in bytes.
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
            "execution_surely",
            Kind::U64,
            "the longest execution without what may be the kernel's: ways into interrupts and out of them; 0 where no task has a deadline",
        ),
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
    about: "Figures of one interrupt of a device, written by the core that it is delivered to: a line of its cache.",
    fields: &[
        field("count", Kind::U64, "calls of its service routine"),
        field(
            "distance_min",
            Kind::U64,
            "ns from the begin of one call to that of the next; 0: no two",
        ),
        field("execution_max", Kind::U64, "ns: longest call, without what interrupted it"),
        field(
            "execution_surely",
            Kind::U64,
            "ns: the longest without what may be the kernel's: ways into interrupts and out of them",
        ),
        field("unused", Kind::Words(8), ""),
    ],
};

pub const LIMIT: Struct = Struct {
    name: "limit",
    about: "A measured assumption of the description, in the configurator's order; written by the core of whom it is assumed: a line of its cache.",
    fields: &[
        field(
            "worst",
            Kind::U64,
            "ticks, ns or a count: the greatest, of a separation the least; 0: none yet",
        ),
        field("unused", Kind::Words(14), ""),
    ],
};

/// The number of refusals for which a core's block has room.
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

/// The number of places in the code of an unfinished job: the address of its next instruction, then
/// those of the calls that led there, the innermost first. Each is an offset from takt_text_start;
/// for a call it is that of the call's last byte. 0 ends the list.
pub const PLACES: usize = 7;

/// The offset of a core's ring in its block, behind its figures and refusals.
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
