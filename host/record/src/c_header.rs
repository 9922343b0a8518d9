// SPDX-License-Identifier: Apache-2.0
//! Writes the record's schema as a C header for the kernel.

use crate::enumeration::{Class, Ended, Handler, Outcome, Row, State};
use crate::event::{self, KINDS};
use crate::schema::{Kind, MAGIC, PLACES, REFUSALS, STRUCTS, Struct, VERSION};

/// The text of `kernel/record/record_schema.h`.
pub fn c_header() -> String {
    let mut text = String::from(OPENING);
    text += &format!("#define TAKT_RECORD_MAGIC UINT64_C({MAGIC:#018x})\n");
    text += &format!("#define TAKT_RECORD_VERSION {VERSION}u\n");
    text += &format!("#define TAKT_RECORD_REFUSALS {REFUSALS}u\n");
    text += "/* The places of a job that is not finished: the next instruction, then the calls that led there, from the inside:\n \
             * offsets from takt_text_start, of a call that of its last byte; ended by 0. */\n";
    text += &format!("#define TAKT_RECORD_PLACES {PLACES}u\n");
    text += &enumeration("record_outcome", "TAKT_RECORD_", Outcome::ROWS);
    text += &enumeration("record_state", "TAKT_STATE_", State::ROWS);
    text += &enumeration("record_object", "TAKT_OBJECT_", Class::ROWS);
    text += &classes();
    text += &enumeration("record_handler", "TAKT_HANDLER_", Handler::ROWS);
    text += &enumeration("record_ended", "TAKT_ENDED_", Ended::ROWS);
    text += &event_kinds();
    STRUCTS.iter().for_each(|structure| text += &declaration(structure));
    text + "\n#endif\n"
}

const OPENING: &str = "\
/* SPDX-License-Identifier: Apache-2.0 */
/* The record: what the kernel leaves in memory for the host to read.
 *
 * Made from the tables in host/record/src by `cargo run -p takt-record --example generate`: change
 * these, not this file. No structure has padding, the byte order is little endian. */
#ifndef TAKT_RECORD_SCHEMA_H
#define TAKT_RECORD_SCHEMA_H

/* clang-format off */
#include <stdint.h>

";

fn enumeration(name: &str, prefix: &str, rows: &[Row]) -> String {
    let line = |row: &Row| value(prefix, row.name, row.number, row.about);
    declared(name, rows.iter().map(line))
}

/// A macro that applies another one to each class, so that a list of the kernel's that leaves one
/// out does not compile.
fn classes() -> String {
    let rows = Class::ROWS.iter().filter(|row| row.number != Class::None as u32);
    let each: String = rows.map(|row| format!(" use({})", row.name.to_uppercase())).collect();
    format!(
        "/* Applies a macro to the name of each class. */\n#define TAKT_OBJECT_CLASSES(use){each}\n"
    )
}

fn event_kinds() -> String {
    let line = |kind: &event::Kind| {
        let about = match layout(kind) {
            Some(layout) => format!("{}; value: {layout}", kind.about),
            None => kind.about.to_string(),
        };
        value("TAKT_EVENT_", kind.name, kind.number.into(), &about)
    };
    declared("record_event_kind", KINDS.iter().map(line))
}

/// The layout of an event's value; None if the event has no value.
fn layout(kind: &event::Kind) -> Option<String> {
    let place = |field: &event::Field| match field.begin {
        0 => field.name.to_string(),
        shift => format!("{} << {shift}", field.name),
    };
    match kind.fields {
        [] => None,
        [whole] => Some(whole.about.to_string()),
        fields => {
            let places: Vec<_> = fields.iter().map(place).collect();
            let about = |field: &event::Field| format!("{}: {}", field.name, field.about);
            let abouts: Vec<_> = fields.iter().map(about).collect();
            Some(format!("{}; {}", places.join(" | "), abouts.join("; ")))
        }
    }
}

fn declared(name: &str, lines: impl Iterator<Item = String>) -> String {
    format!("\nenum takt_{name} {{\n{}}};\n", lines.collect::<String>())
}

fn value(prefix: &str, name: &str, number: u32, about: &str) -> String {
    format!("    {prefix}{} = {number},{}\n", name.to_uppercase(), comment(about))
}

fn comment(about: &str) -> String {
    if about.is_empty() { String::new() } else { format!(" /* {about} */") }
}

fn declaration(structure: &Struct) -> String {
    let Struct { name, about, .. } = structure;
    let fields: String = structure.fields.iter().map(|f| member(f.name, f.kind, f.about)).collect();
    let size = structure.size();
    format!(
        "\n/* {about} */\nstruct takt_record_{name} {{\n{fields}}};\n\
         _Static_assert(sizeof(struct takt_record_{name}) == {size}, \"padding in the record\");\n"
    )
}

fn member(name: &str, kind: Kind, about: &str) -> String {
    let comment = comment(about);
    match kind {
        Kind::U16 => format!("    uint16_t {name};{comment}\n"),
        Kind::U32 => format!("    uint32_t {name};{comment}\n"),
        Kind::U64 => format!("    uint64_t {name};{comment}\n"),
        Kind::Bytes(size) => format!("    uint8_t {name}[{size}];{comment}\n"),
        Kind::Words(count) => format!("    uint32_t {name}[{count}];{comment}\n"),
    }
}
