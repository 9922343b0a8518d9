// SPDX-License-Identifier: Apache-2.0
//! Decodes a record. The bytes come from a machine's memory and may be anything, so every count,
//! size and offset is checked before it is used.

use crate::enumeration::{Class, Outcome, State};
use crate::event::{Entry, Event, KINDS};
use crate::layout::Layout;
use crate::record::{
    CoreFigures, Head, InterruptFigures, Record, Refusal, Standing, Taken, TaskFigures,
};
use crate::schema::{
    CORE, EVENT, HEADER, INTERRUPT, LIMIT, MAGIC, REFUSAL, REFUSALS, TASK, VERSION, ring_offset,
};

/// The greatest length of a record in bytes: 128 cores with the largest rings and 65,535 tasks need
/// less.
const LONGEST: u64 = 1 << 30;

/// The reason why bytes are not a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("there is no record: it does not begin with its magic number")]
    Magic,
    #[error("the record has version {0}, this takt reads version {VERSION}; build the image again")]
    Version(u64),
    #[error("the record is damaged: {field} is {value}, it must be {must}")]
    Field { field: &'static str, value: u64, must: String },
    #[error("the record is cut short: it needs {needed} bytes, there are {available}")]
    Short { needed: u64, available: usize },
}

impl Head {
    /// Decodes the header at the start of `bytes`; every field is checked.
    pub fn decode(bytes: &[u8]) -> Result<Head, DecodeError> {
        let fields = header(bytes)?;
        expect(&fields, "task_size", TASK.size() as u64)?;
        expect(&fields, "interrupt_size", INTERRUPT.size() as u64)?;
        expect(&fields, "limit_size", LIMIT.size() as u64)?;
        expect(&fields, "refusal_size", REFUSAL.size() as u64)?;
        expect(&fields, "event_size", EVENT.size() as u64)?;
        // A boot that stops early does not know its clock, and then the record contains no times
        // either.
        let least_clock = u64::from(fields.number("epoch") != 0);
        range(&fields, "clock_hz", least_clock, u64::MAX)?;
        range(&fields, "total_size", HEADER.size() as u64, LONGEST)?;
        let outcome = Outcome::of(range(&fields, "outcome", 0, 2)? as u32);
        Ok(Head {
            build_id: fields.bytes("build_id").try_into().expect("the schema says 20 bytes"),
            outcome: outcome.expect("in this range"),
            code: fields.number("code") as u32,
            total_size: fields.number("total_size"),
            clock_hz: fields.number("clock_hz"),
            epoch: fields.number("epoch"),
            now: fields.number("now"),
            end: fields.number("end"),
            message: text(fields.bytes("message")),
        })
    }
}

impl Record {
    /// Decodes everything except the events and what is derived from them.
    pub(crate) fn figures(bytes: &[u8]) -> Result<Record, DecodeError> {
        let head = Head::decode(bytes)?;
        let total = usize::try_from(head.total_size).ok().and_then(|size| bytes.get(..size));
        let bytes =
            total.ok_or(DecodeError::Short { needed: head.total_size, available: bytes.len() })?;
        let fields = header(bytes)?;
        Ok(Record {
            head,
            tasks: tasks(&fields, bytes)?,
            interrupts: interrupts(&fields, bytes)?,
            limits: limits(&fields, bytes)?,
            cores: cores(&fields, bytes)?,
            events: Taken::default(),
        })
    }
}

/// The header's fields, after the check that it is a header of this version.
fn header(bytes: &[u8]) -> Result<Layout<'_>, DecodeError> {
    if bytes.get(..8) != Some(MAGIC.to_le_bytes().as_slice()) {
        return Err(DecodeError::Magic);
    }
    let short = DecodeError::Short { needed: HEADER.size() as u64, available: bytes.len() };
    let fields = Layout::new(&HEADER, bytes).ok_or(short)?;
    match fields.number("version") {
        version if version == u64::from(VERSION) => {}
        other => return Err(DecodeError::Version(other)),
    }
    expect(&fields, "header_size", HEADER.size() as u64)?;
    Ok(fields)
}

fn tasks(fields: &Layout, bytes: &[u8]) -> Result<Vec<TaskFigures>, DecodeError> {
    let stride = TASK.size();
    let count = fields.number("task_count") as usize;
    let block = block(fields, "tasks_offset", count * stride, bytes)?;
    block.chunks_exact(stride).map(task).collect()
}

fn interrupts(fields: &Layout, bytes: &[u8]) -> Result<Vec<InterruptFigures>, DecodeError> {
    let stride = INTERRUPT.size();
    let count = fields.number("interrupt_count") as usize;
    let block = block(fields, "interrupts_offset", count * stride, bytes)?;
    Ok(block.chunks_exact(stride).map(interrupt).collect())
}

fn limits(fields: &Layout, bytes: &[u8]) -> Result<Vec<u64>, DecodeError> {
    let stride = LIMIT.size();
    let count = fields.number("limit_count") as usize;
    let block = block(fields, "limits_offset", count * stride, bytes)?;
    let worst = |bytes| Layout::new(&LIMIT, bytes).map_or(0, |limit| limit.number("worst"));
    Ok(block.chunks_exact(stride).map(worst).collect())
}

fn cores(fields: &Layout, bytes: &[u8]) -> Result<Vec<CoreFigures>, DecodeError> {
    let (blocks, _) = core_blocks(fields, bytes)?;
    Ok(blocks.into_iter().map(core).collect())
}

/// The rings of a record, whose machine may still be running.
pub fn rings(bytes: &[u8]) -> Result<Vec<RingBytes<'_>>, DecodeError> {
    let (blocks, capacity) = core_blocks(&header(bytes)?, bytes)?;
    let ring = |block| {
        let fields = Layout::new(&CORE, block).expect("the stride was checked");
        RingBytes::new(block, fields.number("events"), capacity as u64)
    };
    Ok(blocks.into_iter().map(ring).collect())
}

/// The figures and the ring of each core. The number of events of a ring has been checked.
fn core_blocks<'a>(
    fields: &Layout,
    bytes: &'a [u8],
) -> Result<(Vec<&'a [u8]>, usize), DecodeError> {
    let count = range(fields, "core_count", 1, 128)? as usize;
    let capacity = fields.number("event_capacity") as usize;
    if capacity != 0 && !capacity.is_power_of_two() {
        return Err(wrong(fields, "event_capacity", "0 or a power of two"));
    }
    let least = (ring_offset() + capacity * EVENT.size()) as u64;
    let stride = range(fields, "core_stride", least, LONGEST)? as usize;
    let block = block(fields, "cores_offset", count * stride, bytes)?;
    Ok((block.chunks_exact(stride).collect(), capacity))
}

/// The `length` bytes at the offset that the header's `field` gives.
fn block<'a>(
    fields: &Layout,
    field: &'static str,
    length: usize,
    bytes: &'a [u8],
) -> Result<&'a [u8], DecodeError> {
    let offset = fields.number(field);
    if offset < HEADER.size() as u64 || offset % 8 != 0 {
        return Err(wrong(fields, field, "behind the header and a multiple of 8"));
    }
    let found = bytes.get(offset as usize..).and_then(|rest| rest.get(..length));
    found.ok_or(DecodeError::Short { needed: offset + length as u64, available: bytes.len() })
}

fn task(bytes: &[u8]) -> Result<TaskFigures, DecodeError> {
    let fields = Layout::new(&TASK, bytes).expect("the chunk has the structure's size");
    Ok(TaskFigures {
        jobs: fields.number("jobs"),
        misses: fields.number("misses"),
        losses: fields.number("losses"),
        refused: fields.number("refused"),
        held_back: fields.number("held_back"),
        held_back_max: fields.number("held_back_max"),
        undeclared_waits: fields.number("undeclared_waits"),
        response_min: fields.number("response_min"),
        response_max: fields.number("response_max"),
        response_sum: fields.number("response_sum"),
        execution_max: fields.number("execution_max"),
        execution_surely: fields.number("execution_surely"),
        execution_sum: fields.number("execution_sum"),
        overruns: fields.number("overruns"),
        stopped: fields.number("stopped"),
        stack_used: fields.number("stack_used"),
        end: standing(&fields)?,
    })
}

fn standing(fields: &Layout) -> Result<Standing, DecodeError> {
    let state = State::of(fields.number("state") as u32);
    let wait = fields.number("wait") as u32;
    let class = Class::of(wait >> 24).ok_or_else(|| wrong(fields, "wait", "of a known class"))?;
    let known = |name, unknown: u64| Some(fields.number(name)).filter(|value| *value != unknown);
    let words = fields.bytes("places").chunks_exact(4);
    let places = words.map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")));
    Ok(Standing {
        state: state.ok_or_else(|| wrong(fields, "state", "a known state"))?,
        release: known("release", u64::MAX),
        until: known("until", 0),
        execution: fields.number("execution"),
        wait: (class, wait as u16),
        since: None,
        holder: fields.number("holder") as u32,
        places: places.take_while(|place| *place != 0).collect(),
    })
}

fn interrupt(bytes: &[u8]) -> InterruptFigures {
    let fields = Layout::new(&INTERRUPT, bytes).expect("the chunk has the structure's size");
    InterruptFigures {
        count: fields.number("count"),
        distance_min: fields.number("distance_min"),
        execution_max: fields.number("execution_max"),
        execution_surely: fields.number("execution_surely"),
    }
}

fn core(bytes: &[u8]) -> CoreFigures {
    let fields = Layout::new(&CORE, bytes).expect("the stride was checked");
    CoreFigures {
        hart: fields.number("hart"),
        events_dropped: fields.number("events_dropped"),
        console_dropped: fields.number("console_dropped"),
        idle: fields.number("idle"),
        interrupts: fields.number("interrupts"),
        refusals_dropped: fields.number("refusals_dropped"),
        refusals: refusals(&bytes[CORE.size()..ring_offset()]),
    }
}

/// The entries of the table of refusals that have been written.
fn refusals(bytes: &[u8]) -> Vec<Refusal> {
    let refusal = |bytes| {
        let fields = Layout::new(&REFUSAL, bytes)?;
        Some(Refusal {
            count: fields.number("count"),
            task: fields.number("task") as u32,
            error: fields.number("error") as u32,
            service: text(fields.bytes("service")),
        })
    };
    let entries = bytes.chunks_exact(REFUSAL.size()).take(REFUSALS).filter_map(refusal);
    entries.filter(|entry| entry.count > 0).collect()
}

/// Decodes the entry of a ring at the start of `bytes`.
pub fn entry(bytes: &[u8]) -> Result<Entry, DecodeError> {
    let fields = Layout::new(&EVENT, bytes).expect("the ring's length was checked");
    let (number, value) = (fields.number("kind") as u16, fields.number("value") as u32);
    let event =
        Event::decode(number, value).ok_or_else(|| match KINDS.get(usize::from(number)) {
            None => wrong(&fields, "kind", "a known kind of event"),
            Some(kind) => wrong(&fields, "value", &format!("one that {} has", kind.name)),
        })?;
    Ok(Entry { time: fields.number("time"), task: fields.number("task") as u16, event })
}

fn expect(fields: &Layout, field: &'static str, must: u64) -> Result<u64, DecodeError> {
    range(fields, field, must, must)
}

fn range(fields: &Layout, field: &'static str, low: u64, high: u64) -> Result<u64, DecodeError> {
    let value = fields.number(field);
    if (low..=high).contains(&value) {
        return Ok(value);
    }
    let must = if low == high { low.to_string() } else { format!("{low} to {high}") };
    Err(DecodeError::Field { field, value, must })
}

fn wrong(fields: &Layout, field: &'static str, must: &str) -> DecodeError {
    DecodeError::Field { field, value: fields.number(field), must: must.to_string() }
}

/// Decodes zero-terminated text.
fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// One core's ring in memory.
pub struct RingBytes<'a> {
    pub written: u64,
    pub capacity: u64,
    bytes: &'a [u8],
}

impl<'a> RingBytes<'a> {
    /// The ring in the block of a core. `bytes` is the block from the core's figures on, whose
    /// length the decoder has checked.
    fn new(bytes: &'a [u8], written: u64, capacity: u64) -> Self {
        RingBytes { written, capacity, bytes: &bytes[ring_offset()..] }
    }

    pub fn entry(&self, index: u64) -> Result<Entry, DecodeError> {
        entry(&self.bytes[(index % self.capacity) as usize * EVENT.size()..])
    }
}
