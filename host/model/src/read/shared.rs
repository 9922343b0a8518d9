// SPDX-License-Identifier: Apache-2.0
//! Reads the objects that tasks share.

use std::{collections::HashMap, ops::Range};

use super::{
    file::{
        BarrierTable, BufferTable, DataQueueTable, FlagTable, MemoryPoolTable, MessageBufferTable,
        Name, PriorityDataQueueTable, ReaderWriterLockTable, SemaphoreTable, Spanned, SystemFile,
    },
    report::Report,
    task, values,
    words::Names,
};
use crate::{
    Barrier, Buffer, Bytes, Code, DataQueue, Flag, MemoryPool, MessageBuffer, Order,
    PriorityDataQueue, Problem, ReaderWriterLock, Semaphore, system::LOWEST_PRIORITY,
};

/// The default maximum of a semaphore, which is the least that uITRON allows.
const MAXIMUM: u32 = 255;

pub fn semaphores(
    report: &mut Report,
    file: &SystemFile,
    partitions: &Names,
    cores: u32,
) -> Vec<Semaphore> {
    let uses = uses_by_name(file);
    let mut semaphores = Vec::new();
    for table in &file.semaphore {
        let semaphore = semaphore(report, table, partitions, cores);
        if let Some(uses) = uses.get(table.name.get().0.as_str()) {
            check_uses(report, table, &semaphore, uses);
        }
        semaphores.push(semaphore);
    }
    semaphores
}

fn semaphore(
    report: &mut Report,
    table: &SemaphoreTable,
    partitions: &Names,
    cores: u32,
) -> Semaphore {
    let initial = table.initial.as_ref();
    let initial = initial.and_then(|i| values::number(report, "initial", i, 0..=u32::MAX));
    let maximum = table.maximum.as_ref();
    let maximum = maximum.and_then(|m| values::number(report, "maximum", m, 1..=u32::MAX));
    let (initial, maximum) = (initial.unwrap_or(0), maximum.unwrap_or(MAXIMUM));
    if let Some(value) = table.initial.as_ref().filter(|_| initial > maximum) {
        let message = format!("the semaphore `{}` starts above its maximum", table.name.get().0);
        let help = format!("raise `maximum`, which is {maximum}");
        let problem = Problem::new(Code::CountAboveMaximum, message, help);
        report.add(problem.at(value.span(), "starts here"));
    }
    let name = table.name.get().0.clone();
    let order = order(report, table.order.as_ref());
    let partition = table.partition.as_ref().and_then(|name| partitions.find(report, name));
    let core = home(report, table.core.as_ref(), cores);
    Semaphore { name, partition, initial, maximum, order, core }
}

fn home(report: &mut Report, value: Option<&Spanned<i64>>, cores: u32) -> Option<u32> {
    value.and_then(|core| task::core(report, "core", core, cores))
}

fn order(report: &mut Report, value: Option<&Spanned<String>>) -> Order {
    order_or(report, value, Order::Fifo)
}

pub fn order_or(report: &mut Report, value: Option<&Spanned<String>>, default: Order) -> Order {
    let orders = [("fifo", Order::Fifo), ("priority", Order::Priority)];
    value.and_then(|it| values::word(report, "order", it, &orders)).unwrap_or(default)
}

pub fn flags(report: &mut Report, tables: &[FlagTable], cores: u32) -> Vec<Flag> {
    let read = |table: &FlagTable| {
        let initial = table.initial.as_ref();
        let initial = initial.and_then(|i| values::number(report, "initial", i, 0..=u32::MAX));
        Flag {
            name: table.name.get().0.clone(),
            initial: initial.unwrap_or(0),
            clear: table.clear.as_ref().is_some_and(|it| *it.get()),
            shared: table.shared.as_ref().is_some_and(|it| *it.get()),
            order: order(report, table.order.as_ref()),
            core: home(report, table.core.as_ref(), cores),
        }
    };
    tables.iter().map(read).collect()
}

pub fn data_queues(report: &mut Report, tables: &[DataQueueTable], cores: u32) -> Vec<DataQueue> {
    let read = |table: &DataQueueTable| DataQueue {
        name: table.name.get().0.clone(),
        capacity: values::number(report, "capacity", &table.capacity, 0..=65536).unwrap_or(0),
        order: order(report, table.order.as_ref()),
        core: home(report, table.core.as_ref(), cores),
    };
    tables.iter().map(read).collect()
}

pub fn priority_data_queues(
    report: &mut Report,
    tables: &[PriorityDataQueueTable],
    cores: u32,
) -> Vec<PriorityDataQueue> {
    let lowest = u32::from(LOWEST_PRIORITY);
    let read = |table: &PriorityDataQueueTable| PriorityDataQueue {
        name: table.name.get().0.clone(),
        capacity: values::number(report, "capacity", &table.capacity, 1..=65536).unwrap_or(1),
        priorities: values::number(report, "priorities", &table.priorities, 1..=lowest)
            .unwrap_or(1),
        order: order(report, table.order.as_ref()),
        core: home(report, table.core.as_ref(), cores),
    };
    tables.iter().map(read).collect()
}

/// Reads the barriers. A barrier with more participants than tasks would never open.
pub fn barriers(report: &mut Report, file: &SystemFile, cores: u32) -> Vec<Barrier> {
    let tasks = file.task.len().max(1) as u32;
    let read = |table: &BarrierTable| Barrier {
        name: table.name.get().0.clone(),
        participants: values::number(report, "participants", &table.participants, 1..=tasks)
            .unwrap_or(1),
        core: home(report, table.core.as_ref(), cores),
    };
    file.barrier.iter().map(read).collect()
}

pub fn reader_writer_locks(
    report: &mut Report,
    tables: &[ReaderWriterLockTable],
    cores: u32,
) -> Vec<ReaderWriterLock> {
    let read = |table: &ReaderWriterLockTable| ReaderWriterLock {
        name: table.name.get().0.clone(),
        order: order(report, table.order.as_ref()),
        core: home(report, table.core.as_ref(), cores),
    };
    tables.iter().map(read).collect()
}

/// The longest message, because it is copied with interrupts disabled.
pub const LONGEST_MESSAGE: Bytes = Bytes(4096);

pub fn message_buffers(
    report: &mut Report,
    tables: &[MessageBufferTable],
    cores: u32,
) -> Vec<MessageBuffer> {
    let read = |table: &MessageBufferTable| {
        let (ring, message) = (Bytes(0)..=Bytes(1 << 20), Bytes(1)..=LONGEST_MESSAGE);
        let size = values::aligned_size(report, "size", &table.size, ring, Bytes(8));
        MessageBuffer {
            name: table.name.get().0.clone(),
            size: size.unwrap_or_default(),
            message: values::size(report, "message", &table.message, message).unwrap_or_default(),
            order: order(report, table.order.as_ref()),
            core: home(report, table.core.as_ref(), cores),
        }
    };
    tables.iter().map(read).collect()
}

pub fn memory_pools(
    report: &mut Report,
    tables: &[MemoryPoolTable],
    cores: u32,
) -> Vec<MemoryPool> {
    let read = |table: &MemoryPoolTable| {
        let range = Bytes(1)..=Bytes(1 << 20);
        MemoryPool {
            name: table.name.get().0.clone(),
            blocks: values::number(report, "blocks", &table.blocks, 1..=65536).unwrap_or(1),
            size: values::size(report, "size", &table.size, range).unwrap_or_default(),
            order: order(report, table.order.as_ref()),
            core: home(report, table.core.as_ref(), cores),
        }
    };
    tables.iter().map(read).collect()
}

/// A place where a task names a semaphore, and whether it does so with a hold.
struct Named<'f> {
    semaphore: &'f Spanned<Name>,
    holds: bool,
}

fn uses_by_name(file: &SystemFile) -> HashMap<&str, Vec<Named<'_>>> {
    let mut uses: HashMap<&str, Vec<Named>> = HashMap::new();
    for table in file.task.iter().flat_map(|task| &task.uses) {
        let (table, holds) = (table.get(), table.get().hold.is_some());
        if let Some(semaphore) = &table.semaphore {
            uses.entry(&semaphore.get().0).or_default().push(Named { semaphore, holds });
        }
    }
    uses
}

/// Checks that a semaphore serves either mutual exclusion or signals. A task that waits for a
/// signal takes a count that it does not give back, so no declared hold would bound how long the
/// others wait.
fn check_uses(report: &mut Report, table: &SemaphoreTable, semaphore: &Semaphore, uses: &[Named]) {
    let Some(held) = uses.iter().find(|it| it.holds) else { return };
    let name = &semaphore.name;
    if let Some(waited) = uses.iter().find(|it| !it.holds) {
        let message = format!("the semaphore `{name}` is both held and waited for");
        let help = "give the other use a `hold`, or use two semaphores";
        let problem = Problem::new(Code::MixedUse, message, help)
            .at(waited.semaphore.span(), "waits for a signal: no `hold`")
            .at(held.semaphore.span(), "holds it");
        report.add(problem);
    }
    if semaphore.initial == 0 {
        let message = format!("tasks hold the semaphore `{name}`, but it starts with a count of 0");
        let help = "add initial = 1; or leave out `hold`, if the tasks wait for a signal";
        let place = table.initial.as_ref().map_or(table.name.span(), Spanned::span);
        let problem = Problem::new(Code::HeldFromEmpty, message, help);
        report.add(problem.at(place, "starts at 0").at(held.semaphore.span(), "held here"));
    }
}

pub fn buffers(report: &mut Report, tables: &[BufferTable], tasks: &Names) -> Vec<Buffer> {
    let mut buffers = Vec::new();
    for table in tables {
        let range = Bytes(1)..=Bytes(1 << 20);
        buffers.push(Buffer {
            name: table.name.get().0.clone(),
            size: values::size(report, "size", &table.size, range).unwrap_or_default(),
            writer: tasks.find(report, &table.writer).unwrap_or_default(),
            readers: readers(report, &table.readers, tasks, ["buffer", "reader"]),
        });
    }
    buffers
}

/// The tasks of a list, each once; `words`: what they read, and what they are called.
pub fn readers(
    report: &mut Report,
    list: &Spanned<Vec<Spanned<Name>>>,
    tasks: &Names,
    [what, reader]: [&str; 2],
) -> Vec<usize> {
    if list.get().is_empty() {
        let message = format!("nobody reads the {what}");
        let problem = Problem::new(Code::EmptyList, message, format!("name its {reader}s"));
        report.add(problem.at(list.span(), "no task"));
    }
    let mut first: HashMap<usize, Range<usize>> = HashMap::new();
    let mut readers = Vec::new();
    for name in list.get() {
        let Some(task) = tasks.find(report, name) else { continue };
        match first.insert(task, name.span()) {
            Some(earlier) => report.add(repeated(reader, name.span(), earlier)),
            None => readers.push(task),
        }
    }
    readers
}

pub fn repeated(what: &str, span: Range<usize>, first: Range<usize>) -> Problem {
    let message = format!("the {what} is listed twice");
    Problem::new(Code::Repeated, message, "keep one of the two")
        .at(span, "here again")
        .at(first, "first here")
}
