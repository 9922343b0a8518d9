// SPDX-License-Identifier: Apache-2.0
//! Turns each `[[channel]]` into two priority data queues, one of messages and one of free places, and
//! finds room for its places where the board's nodes have memory of their own.

use std::ops::Range;

use super::{
    file::{ChannelTable, SystemFile},
    report::Report,
    task::ClassNames,
    values,
    words::Names,
};
use crate::{
    Bytes, Channel, Class, Code, DeviceRegion, Library, Order, PriorityDataQueue, Problem,
    Protocol, System, Word, placement::KERNEL_EXCHANGE, system::LOWEST_PRIORITY,
};

/// In whose exchange the places of a channel lie.
#[derive(Clone, Copy)]
enum Place {
    Receiver,
    /// That of core 0.
    System,
}

const PLACES: &[(&str, Place)] = &[("receiver", Place::Receiver), ("system", Place::System)];

/// The most messages and the longest one: the library packs a place's number and a size into 31 bits.
const MOST_MESSAGES: u32 = 1023;
const LONGEST: Bytes = Bytes(1 << 20);
/// The greatest number of objects of a class, because IDs have 16 bits.
const MAX_OBJECTS: usize = 65535;

/// Adds the channels, and their queues after the system's own.
pub fn read_all(report: &mut Report, file: &SystemFile, names: &ClassNames, system: &mut System) {
    let word = Library::Messaging.word();
    let library = file.system.libraries.iter().find(|it| it.get() == word);
    match (file.channel.first(), library) {
        (None, None) => return,
        (Some(_), Some(_)) => {}
        (Some(table), None) => {
            let message = "the description has a channel and not the library";
            let help = "add \"messaging\" to the libraries: libraries = [\"messaging\"]";
            let problem = Problem::new(Code::MismatchedKey, message, help);
            return report.add(problem.at(table.name.span(), "of the library `messaging`"));
        }
        (None, Some(library)) => {
            let message = "the library `messaging` needs a channel";
            let help = "add a [[channel]] with its name, receiver, messages, size and priorities";
            let problem = Problem::new(Code::MismatchedKey, message, help);
            return report.add(problem.at(library.span(), "without channels"));
        }
    }
    let channels = file.channel.iter().map(|it| &it.name);
    Names::read(report, "channel", Code::UnknownKey, channels);
    check_queues(report, file);
    let mut ends = vec![KERNEL_EXCHANGE.0; system.board.cores as usize];
    for table in &file.channel {
        add(report, table, names, &mut ends, system);
    }
    if let Some((_, window)) = system.board.exchange() {
        let size = Bytes(window.stride.0 * u64::from(system.board.cores));
        let region = DeviceRegion { name: Channel::REGION.into(), base: window.base, size };
        system.device_regions.push(region);
    }
}

/// Checks that the channels' queues have names of their own, and that there are not too many.
fn check_queues(report: &mut Report, file: &SystemFile) {
    let queues = || file.priority_data_queue.iter().map(|it| &it.name);
    let of_channel = |name: &str| {
        let stem = name.strip_suffix("_full").or_else(|| name.strip_suffix("_free"));
        stem.is_some_and(|stem| file.channel.iter().any(|it| it.name.get().0 == stem))
    };
    for name in queues().filter(|it| of_channel(&it.get().0)) {
        let message = format!("`{}` is a queue of a channel", name.get().0);
        let problem = Problem::new(Code::ReservedName, message, "choose another name");
        report.add(problem.at(name.span(), "belongs to the channel"));
    }
    let most = MAX_OBJECTS.saturating_sub(queues().count()) / 2;
    if let Some(table) = file.channel.get(most) {
        let message = "too many priority data queues: a channel has two";
        let problem = Problem::new(Code::TooMany, message, "a system has IDs of 16 bits");
        report.add(problem.at(table.name.span(), "the first one too many"));
    }
}

fn add(
    report: &mut Report,
    table: &ChannelTable,
    names: &ClassNames,
    ends: &mut [u64],
    system: &mut System,
) {
    let lowest = u32::from(LOWEST_PRIORITY);
    let receiver = names[Class::Task].find(report, &table.receiver);
    let messages = values::number(report, "messages", &table.messages, 1..=MOST_MESSAGES);
    let size = values::size(report, "size", &table.size, Bytes(1)..=LONGEST);
    let priorities = values::number(report, "priorities", &table.priorities, 1..=lowest);
    let place = match &table.place {
        Some(word) => values::word(report, "place", word, PLACES),
        None => Some(Place::Receiver),
    };
    let (Some(receiver), Some(messages), Some(size), Some(priorities), Some(place)) =
        (receiver, messages, size, priorities, place)
    else {
        return;
    };
    if system.tasks[receiver].partition.is_some() {
        let message = "the receiver of a channel belongs to a partition";
        let help = "the library is not in partitions: let a task without one receive";
        let problem = Problem::new(Code::OtherPartition, message, help);
        return report.add(problem.at(table.receiver.span(), "of a partition"));
    }
    let raises = table.raises.as_ref().filter(|it| *it.get());
    if let Some(raises) = raises {
        check_raise(report, table, raises.span(), receiver, system);
    }
    let first_queue = system.priority_data_queues.len();
    let name = &table.name.get().0;
    let mut channel = Channel {
        name: name.clone(),
        receiver,
        messages,
        size,
        priorities,
        raises: raises.is_some(),
        first_queue,
        offset: None,
    };
    channel.offset = offset(report, table, &channel, place, ends, system);
    let core = system.tasks[receiver].core;
    let queue = |part: &str, priorities: u32| PriorityDataQueue {
        name: format!("{name}_{part}"),
        capacity: channel.places(),
        priorities,
        order: Order::Fifo,
        core,
    };
    system.priority_data_queues.extend([queue("full", priorities), queue("free", 1)]);
    system.channels.push(channel);
}

/// Checks that the messages of a channel may raise its receiver: no other channel does, no bound is
/// claimed that does not know it, and no ceiling lies below the messages' priorities.
fn check_raise(
    report: &mut Report,
    table: &ChannelTable,
    at: Range<usize>,
    receiver: usize,
    system: &System,
) {
    if let Some(other) = system.raised_by(receiver) {
        let message = "two channels raise one receiver";
        let help = format!("channel `{}` does: let other tasks receive from the rest", other.name);
        let problem = Problem::new(Code::MismatchedKey, message, help);
        report.add(problem.at(at.clone(), "the second one").at(table.receiver.span(), "raised"));
    }
    if let Some(task) = system.tasks.iter().find(|it| it.deadline.is_some()) {
        let message = "a channel raises its receiver, and a task has a deadline";
        let help = format!(
            "no bound knows for how long a receiver is raised: leave out `raises`, or the `deadline` of `{}`",
            task.name
        );
        let problem = Problem::new(Code::MismatchedKey, message, help);
        report.add(problem.at(at.clone(), "not in the analysis"));
    }
    let used = system.tasks[receiver].mutexes.iter().map(|it| &system.mutexes[it.mutex]);
    let ceilings = used.filter(|it| it.protocol == Protocol::Ceiling);
    if let Some(mutex) = ceilings.into_iter().find(|it| it.ceiling != Some(1)) {
        let message = "messages may raise the receiver above the ceiling of a mutex that it uses";
        let help =
            format!("write protocol = \"inherit\" of mutex `{}`, or its ceiling = 1", mutex.name);
        let problem = Problem::new(Code::CeilingTooLow, message, help);
        report.add(problem.at(at, "raises it").at(table.receiver.span(), "the receiver"));
    }
}

/// Takes room for a channel's places behind those of the channels before it in the same exchange.
/// None: the board has no exchange, or a mistake was reported.
fn offset(
    report: &mut Report,
    table: &ChannelTable,
    channel: &Channel,
    place: Place,
    ends: &mut [u64],
    system: &System,
) -> Option<u64> {
    let (pad, window) = system.board.exchange()?;
    let core = match place {
        Place::System => 0,
        Place::Receiver => match system.tasks[channel.receiver].core {
            Some(core) => core,
            None => {
                let message = "the messages lie at a receiver whose core is not known";
                let help = "say `core` of the task, or place = \"system\"";
                let problem = Problem::new(Code::MismatchedKey, message, help);
                report.add(problem.at(table.receiver.span(), "has no `core`"));
                return None;
            }
        },
    };
    let end = ends.get_mut(core as usize)?; // else the core was reported
    let start = *end;
    *end += channel.stride() * u64::from(channel.places());
    if *end > pad.size.0 {
        let (board, needs) = (&system.board.name, Bytes(*end - start));
        let left = Bytes(pad.size.0.saturating_sub(start));
        let message = format!("the channel does not fit the exchange of core {core}");
        let help = format!(
            "it needs {needs} for {} messages and the one that is read; of the {} that the board `{board}` has, \
             {left} are left behind the kernel's {KERNEL_EXCHANGE} and the channels before",
            channel.messages, pad.size
        );
        let problem = Problem::new(Code::ScratchpadFull, message, help);
        report.add(problem.at(table.name.span(), "too large"));
        return None;
    }
    Some(window.stride.0 * u64::from(core) + start)
}
