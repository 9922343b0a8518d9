// SPDX-License-Identifier: Apache-2.0
//! Writes a C function for each kind of event, by which the kernel records it.

use crate::event::{Field, KINDS, Kind};

/// The text of `kernel/record/event.h`.
pub fn c_events() -> String {
    // An entry that was never written is recorded by nobody.
    let functions: Vec<_> = KINDS.iter().skip(1).map(function).collect();
    format!("{OPENING}{}\n#endif\n", functions.join("\n"))
}

const OPENING: &str = "\
/* SPDX-License-Identifier: Apache-2.0 */
/* A function for each kind of event, which adds it to the core's ring and returns its entry: null
 * if there is no ring, which costs nothing. `task`: the ID of the task that the event is about, or
 * TAKT_ID_NONE. Interrupts are disabled.
 *
 * Made from the table in host/record/src/event.rs by `cargo run -p takt-record --example generate`:
 * change that, not this file. */
#ifndef KERNEL_EVENT_H
#define KERNEL_EVENT_H

#include \"record/record.h\"

/* clang-format off */

";

fn function(kind: &Kind) -> String {
    let parameters: String =
        kind.fields.iter().map(|field| format!(", {} {}", field.c_type, field.name)).collect();
    let abouts: Vec<_> =
        kind.fields.iter().map(|field| format!("`{}`: {}", field.name, field.about)).collect();
    let mut meaning = kind.about.to_string();
    meaning[..1].make_ascii_uppercase();
    let about = match abouts.as_slice() {
        [] => meaning,
        abouts => format!("{meaning}. {}", abouts.join("; ")),
    };
    format!(
        "/* {about}. */\n\
         static inline struct takt_record_event *event_{}(struct core *core, takt_id task{parameters}) {{\n    \
             return record_event(core, TAKT_EVENT_{}, task, {});\n\
         }}\n",
        kind.name,
        kind.name.to_uppercase(),
        value(kind.fields)
    )
}

/// The event's value as an expression of its fields.
fn value(fields: &[Field]) -> String {
    let part = |field: &Field| match (field.begin, field.c_type) {
        (0, "uint32_t") => field.name.to_string(),
        (0, _) => format!("(uint32_t){}", field.name),
        (shift, _) => format!("(uint32_t){} << {shift}", field.name),
    };
    let parts: Vec<_> = fields.iter().map(part).collect();
    if parts.is_empty() { "0".to_string() } else { parts.join(" | ") }
}
