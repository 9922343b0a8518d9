// SPDX-License-Identifier: Apache-2.0
//! The names in the description of what the record identifies by numbers, in the order of their
//! IDs.

use takt_model::System;
use takt_record::Class;

/// The word of the description for a class of the record.
pub fn word(class: Class) -> &'static str {
    match class {
        Class::Read | Class::Write => takt_model::Class::ReaderWriterLock.word(),
        class => class.name(),
    }
}

/// The names of the objects of a class.
pub fn of_objects(system: &System, class: Class) -> Vec<&str> {
    takt_model::Class::of(word(class)).map_or_else(Vec::new, |class| class.names(system))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_of_the_record_is_one_of_the_description() {
        for class in Class::ALL.iter().filter(|class| **class != Class::None) {
            assert!(takt_model::Class::of(word(*class)).is_some(), "{class:?}");
        }
    }
}
