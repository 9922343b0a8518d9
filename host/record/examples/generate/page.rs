// SPDX-License-Identifier: Apache-2.0
//! The book's page of events: each kind with its meaning and with the meaning of its value.

use takt_record::enumeration::Row;
use takt_record::event::{Field, KINDS, Kind};
use takt_record::{Class, Ended, Handler};

const HEAD: &str = "\
# Events of the record

What a core's ring holds, 16 bytes each: time, kind, task and value. [Tracing](tracing.md) says how the trace shows them. The *turn*
counts the changes of one object's queue, and of a semaphore's count: the order of what several cores did to it. The page is made from
the table in `host/record/src/event.rs` by `cargo run -p takt-record --example generate`.

| | event | what it says | its value |
|---|---|---|---|
";

pub fn page() -> String {
    let table = KINDS.iter().fold(HEAD.to_string(), |text, kind| text + &row(kind));
    let numbers = [
        values("takt_record_object", Class::ROWS),
        values("takt_record_handler", Handler::ROWS),
        values("takt_record_ended", Ended::ROWS),
    ];
    table + "\nNumbers in values:\n\n" + &numbers.concat()
}

fn row(kind: &Kind) -> String {
    let Kind { number, name, about, fields } = kind;
    let value: Vec<_> = fields.iter().map(field).collect();
    format!("| {number} | `{name}` | {about} | {} |\n", value.join("; "))
}

fn values(name: &str, rows: &[Row]) -> String {
    let value = |row: &Row| match row.about {
        "" => format!("{} `{}`", row.number, row.name),
        about => format!("{} `{}` ({about})", row.number, row.name),
    };
    let values: Vec<_> = rows.iter().map(value).collect();
    format!("- {name}: {}\n", values.join(", "))
}

fn field(field: &Field) -> String {
    let Field { name, about, begin, end, .. } = field;
    match (begin, end - 1) {
        (0, 31) => about.to_string(),
        (begin, last) if *begin == last => format!("bit {begin}, `{name}`: {about}"),
        (begin, last) => format!("bits {begin} to {last}, `{name}`: {about}"),
    }
}
