// SPDX-License-Identifier: Apache-2.0
//! The record's schema as the kernel reads it: a C header.

use crate::schema::{
    ENDED, EVENT_KINDS, HANDLERS, Kind, MAGIC, OBJECTS, OUTCOMES, PLACES, REFUSALS, STATES,
    STRUCTS, Struct, VERSION,
};

/// The text of `kernel/record_schema.h`.
pub fn c_header() -> String {
    let mut text = String::from(OPENING);
    text += &format!("#define TAKT_RECORD_MAGIC UINT64_C({MAGIC:#018x})\n");
    text += &format!("#define TAKT_RECORD_VERSION {VERSION}u\n");
    text += &format!("#define TAKT_RECORD_REFUSALS {REFUSALS}u\n");
    text += "/* Of a job that is not finished: the next instruction, then the calls that led there, from the inside:\n \
             * offsets from takt_text_start, of a call that of its last byte; ended by 0. */\n";
    text += &format!("#define TAKT_RECORD_PLACES {PLACES}u\n");
    text += &enumeration("record_outcome", "TAKT_RECORD_", OUTCOMES);
    text += &enumeration("record_state", "TAKT_STATE_", STATES);
    text += &enumeration("record_object", "TAKT_OBJECT_", OBJECTS);
    text += &enumeration("record_handler", "TAKT_HANDLER_", HANDLERS);
    text += &enumeration("record_ended", "TAKT_ENDED_", ENDED);
    text += &enumeration("record_event_kind", "TAKT_EVENT_", EVENT_KINDS);
    STRUCTS.iter().for_each(|structure| text += &declaration(structure));
    text + "\n#endif\n"
}

const OPENING: &str = "\
/* SPDX-License-Identifier: Apache-2.0 */
/* The record: what the kernel leaves in memory for the host to read.
 *
 * Made from host/record/src/schema.rs by `cargo run -p takt-record --example record-header`: change
 * the table there, not this file. No structure has padding, the byte order is little endian. */
#ifndef TAKT_RECORD_SCHEMA_H
#define TAKT_RECORD_SCHEMA_H

/* clang-format off */
#include <stdint.h>

";

fn enumeration(name: &str, prefix: &str, values: &[(&str, &str)]) -> String {
    let line = |(number, (value, about)): (usize, &(&str, &str))| {
        let comment = if about.is_empty() { String::new() } else { format!(" /* {about} */") };
        format!("    {prefix}{} = {number},{comment}\n", value.to_uppercase())
    };
    let lines: String = values.iter().enumerate().map(line).collect();
    format!("\nenum takt_{name} {{\n{lines}}};\n")
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
    let comment = if about.is_empty() { String::new() } else { format!(" /* {about} */") };
    match kind {
        Kind::U16 => format!("    uint16_t {name};{comment}\n"),
        Kind::U32 => format!("    uint32_t {name};{comment}\n"),
        Kind::U64 => format!("    uint64_t {name};{comment}\n"),
        Kind::Bytes(size) => format!("    uint8_t {name}[{size}];{comment}\n"),
        Kind::Words(count) => format!("    uint32_t {name}[{count}];{comment}\n"),
    }
}
