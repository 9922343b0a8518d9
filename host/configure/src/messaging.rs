// SPDX-License-Identifier: Apache-2.0
//! Writes what the library `messaging` knows of the description: `takt/messaging_system.h`, the IDs of
//! the channels, and `messaging.c`, their table, their receivers' variables and, on boards without an
//! exchange, their places.

use takt_model::{Assignment, Channel, System};

use crate::banner;
use crate::c_text::section;

/// Whether the places of some channel lie in an exchange.
pub fn uses_exchange(system: &System) -> bool {
    system.channels.iter().any(|channel| channel.offset.is_some())
}

pub fn header(system: &System) -> String {
    let mut text = banner(system, "The IDs of the channels");
    text += "#ifndef INCLUDE_TAKT_MESSAGING_SYSTEM_H\n#define INCLUDE_TAKT_MESSAGING_SYSTEM_H\n\nenum {\n";
    for (index, channel) in system.channels.iter().enumerate() {
        text += &format!("    TAKT_CHANNEL_{} = {},\n", channel.name, index + 1);
    }
    text + &format!("    TAKT_CHANNELS = {},\n}};\n\n#endif\n", system.channels.len())
}

pub fn source(system: &System, assignments: &[Assignment]) -> String {
    let mut text = banner(system, "The channels");
    text += "#include \"channel.h\"\n\n#include <takt/system_ids.h>\n\n";
    let mut table = String::new();
    for channel in &system.channels {
        text += &variables(system, assignments, channel);
        table += &row(channel);
    }
    text + &format!(
        "\n/* By ID. */\nconst struct channel takt_channels[] = {{\n{table}}};\n\
         const uint32_t takt_channel_count = {};\n",
        system.channels.len()
    )
}

/// The receiver's variables are in its core's own memory, unless it migrates.
fn variables(system: &System, assignments: &[Assignment], channel: &Channel) -> String {
    let (name, receiver) = (&channel.name, channel.receiver);
    let place = match system.tasks[receiver].cores.is_empty() {
        true => format!(" {}", section(assignments[receiver].core, "control.messaging")),
        false => String::new(),
    };
    let mut text = format!("static struct channel_reader reader_{name}{place};\n");
    if channel.offset.is_none() {
        let size = channel.stride() * u64::from(channel.places());
        text += &format!("static uint8_t places_{name}[{size}] __attribute__((aligned(64)));\n");
    }
    text
}

fn row(channel: &Channel) -> String {
    let (name, queue) = (&channel.name, channel.first_queue + 1);
    let memory = match channel.offset {
        Some(offset) => format!("takt_device_{} + {offset:#x}", Channel::REGION),
        None => format!("places_{name}"),
    };
    format!(
        "    {{.full = {queue}, .free = {}, .receiver = {}, .places = {}, .priorities = {},\n     \
         .size = {}, .stride = {}, .raises = {}, .memory = {memory}, .reader = &reader_{name}}}, /* {name} */\n",
        queue + 1,
        channel.receiver + 1,
        channel.places(),
        channel.priorities,
        channel.size.0,
        channel.stride(),
        channel.raises,
    )
}
