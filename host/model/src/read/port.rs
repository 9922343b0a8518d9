// SPDX-License-Identifier: Apache-2.0
//! Reads the ports between partitions, and turns each queuing port into a message buffer.

use super::{
    file::{Name, QueuingPortTable, SamplingPortTable, Spanned, SystemFile},
    report::Report,
    shared::{self, LONGEST_MESSAGE},
    values,
    words::Names,
};
use crate::{
    Buffer, Bytes, Code, MessageBuffer, Order, Problem, QueuingPort, SamplingPort, System,
};

/// The most messages of the longest size that a queuing port has room for.
const MOST_MESSAGES: u32 = 1024;
/// What each message takes in a message buffer beside its bytes.
const HEADER: u64 = 8;
/// The greatest number of objects of a class, because IDs have 16 bits.
const MAX_OBJECTS: usize = 65535;

pub fn sampling(
    report: &mut Report,
    tables: &[SamplingPortTable],
    tasks: &Names,
) -> Vec<SamplingPort> {
    let mut ports = Vec::new();
    for table in tables {
        let range = Bytes(1)..=Bytes(1 << 20);
        let words = ["sampling port", "destination"];
        for destination in table.destinations.get() {
            check_ends(report, &table.source, destination);
        }
        let buffer = Buffer {
            name: table.name.get().0.clone(),
            size: values::size(report, "message", &table.message, range).unwrap_or_default(),
            writer: tasks.find(report, &table.source).unwrap_or_default(),
            readers: shared::readers(report, &table.destinations, tasks, words),
        };
        let refresh = values::positive(report, "refresh", &table.refresh).unwrap_or_default();
        ports.push(SamplingPort { buffer, refresh });
    }
    ports
}

/// Adds the queuing ports, and their message buffers after the system's own.
pub fn queuing(report: &mut Report, file: &SystemFile, tasks: &Names, system: &mut System) {
    check_buffers(report, file);
    for table in &file.queuing_port {
        let message_buffer = system.message_buffers.len();
        system.message_buffers.push(message_buffer_of(report, table));
        check_ends(report, &table.source, &table.destination);
        system.queuing_ports.push(QueuingPort {
            name: table.name.get().0.clone(),
            message_buffer,
            source: tasks.find(report, &table.source).unwrap_or_default(),
            destination: tasks.find(report, &table.destination).unwrap_or_default(),
        });
    }
}

fn message_buffer_of(report: &mut Report, table: &QueuingPortTable) -> MessageBuffer {
    let message = values::size(report, "message", &table.message, Bytes(1)..=LONGEST_MESSAGE);
    let message = message.unwrap_or(Bytes(1));
    let messages = values::number(report, "messages", &table.messages, 1..=MOST_MESSAGES);
    let each = message.0.next_multiple_of(8) + HEADER;
    MessageBuffer {
        name: format!("{}{}", table.name.get().0, QueuingPort::SUFFIX),
        size: Bytes(u64::from(messages.unwrap_or(1)) * each),
        message,
        order: Order::Fifo,
        core: None,
    }
}

/// Checks that the ports' message buffers have names of their own, and that there are not too many.
fn check_buffers(report: &mut Report, file: &SystemFile) {
    let of_port = |name: &str| {
        let stem = name.strip_suffix(QueuingPort::SUFFIX);
        stem.is_some_and(|stem| file.queuing_port.iter().any(|it| it.name.get().0 == stem))
    };
    for table in file.message_buffer.iter().filter(|it| of_port(&it.name.get().0)) {
        let name = &table.name;
        let message = format!("`{}` is the message buffer of a queuing port", name.get().0);
        let problem = Problem::new(Code::ReservedName, message, "choose another name");
        report.add(problem.at(name.span(), "belongs to the port"));
    }
    let most = MAX_OBJECTS.saturating_sub(file.message_buffer.len());
    if let Some(table) = file.queuing_port.get(most) {
        let message = "too many message buffers: a queuing port has one";
        let problem = Problem::new(Code::TooMany, message, "a system has IDs of 16 bits");
        report.add(problem.at(table.name.span(), "the first one too many"));
    }
}

/// A port connects tasks; none is both ends.
fn check_ends(report: &mut Report, source: &Spanned<Name>, destination: &Spanned<Name>) {
    if source.get().0 == destination.get().0 {
        report.add(shared::repeated("task", destination.span(), source.span()));
    }
}
