// SPDX-License-Identifier: Apache-2.0
//! Writes the part of `system.c` with the functions that the kernel calls at times: cyclic
//! handlers, then alarms.

use takt_model::{Assumption, System};

use crate::c_text::{c_integer, section};
use crate::entry_symbol;

/// A line of the table, and the core in whose memory its block lies.
pub struct TimeEvent {
    class: &'static str,
    name: String,
    config: String,
    core: u32,
}

pub fn of_core(system: &System, core: u32) -> impl Iterator<Item = TimeEvent> {
    all(system).filter(move |it| it.core == core)
}

pub fn source(system: &System) -> String {
    let mut text = String::from("/* Cyclic handlers, then alarms, by ID. */\n");
    for it in all(system) {
        text += &format!(
            "static struct time_event {}_{} {};\n",
            it.class,
            it.name,
            section(it.core, &format!("control.{}_{}", it.class, it.name))
        );
    }
    text += "const struct takt_time_event_config takt_time_event_configs[] = {\n";
    all(system).for_each(|it| text += &format!("    {{{}}},\n", it.config));
    text += "};\nstruct time_event *const takt_time_events[] = {\n";
    all(system).for_each(|it| text += &format!("    &{}_{},\n", it.class, it.name));
    text + "};\n\n"
}

fn all(system: &System) -> impl Iterator<Item = TimeEvent> {
    let limits = system.limits();
    let cyclics = system.cyclics.iter().enumerate().map(move |(index, it)| TimeEvent {
        class: "cyclic",
        name: it.name.clone(),
        config: format!(
            "\"{}\", .function = {}, .argument = (intptr_t){}, .core = {}, .start = {},\n     \
             .period = {period}, .offset = {}, .separation = {period}, .limit = {}",
            it.name,
            entry_symbol(&it.function),
            c_integer(it.argument),
            it.core,
            it.start,
            it.offset.0,
            system.limit(&limits, Assumption::Cyclic(index)),
            period = it.period.0
        ),
        core: it.core,
    });
    let limits = system.limits();
    let alarms = system.alarms.iter().enumerate().map(move |(index, it)| TimeEvent {
        class: "alarm",
        name: it.name.clone(),
        config: format!(
            "\"{}\", .function = {}, .argument = (intptr_t){}, .core = {}, .separation = {}, .limit = {}",
            it.name,
            entry_symbol(&it.function),
            c_integer(it.argument),
            it.core,
            it.separation.map_or(0, |separation| separation.0),
            system.limit(&limits, Assumption::Alarm(index))
        ),
        core: it.core,
    });
    cyclics.chain(alarms)
}
