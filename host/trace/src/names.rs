// SPDX-License-Identifier: Apache-2.0
//! The names in the description of what the record identifies by numbers, in the order of their
//! IDs.

use takt_model::System;
use takt_record::Class;

/// The word of the description for a class of the record.
pub fn word(class: Class) -> &'static str {
    match class {
        Class::Read | Class::Write => "reader_writer_lock",
        class => class.name(),
    }
}

/// The names of the objects of a class.
pub fn of_objects(system: &System, class: Class) -> Vec<&str> {
    takt_model::names_of(system, word(class))
}
