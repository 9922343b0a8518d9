// SPDX-License-Identifier: Apache-2.0
//! The classes of what a description makes: the one list of them on the host. A row says what the
//! parts of Polytakt ask of a class; a row that leaves one of these facts out does not compile.

use crate::{
    Bytes, Code, KernelPath, Protocol, System,
    read::file::{Name, Spanned, SystemFile},
};

/// What the calibration must have run where a system has objects of a class.
#[derive(Clone, Copy, Debug)]
pub enum CalibrationPath {
    /// Every calibration uses such objects.
    Common,
    /// The path is the same for all objects of the class.
    One(KernelPath),
    /// The paths depend on how the objects are described.
    Described(fn(&System) -> Vec<KernelPath>),
}

/// How many waits one call on an object may end, and how many waiting tasks one of its sections
/// looks at. The bounds of a core's sections and of a continuation depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WaitsServed {
    /// A call ends at most one wait.
    AtMostOne,
    /// A call may end many waits, one in each section.
    OnePerSection,
    /// A call may end many waits, and one section looks at every task that may wait.
    AllInOneSection,
}

/// The facts of one class.
#[derive(Debug)]
struct Row {
    class: Class,
    word: &'static str,
    plural: &'static str,
    noun: &'static str,
    unknown: Code,
    names: fn(&System) -> Vec<&str>,
    names_in_file: for<'f> fn(&'f SystemFile) -> Vec<&'f Spanned<Name>>,
    path: CalibrationPath,
    waits_served: fn(&System) -> WaitsServed,
    longest_copy: fn(&System) -> Bytes,
}

/// Declares the classes by rows of the form `Class: word plural.name "noun" { facts }`: the word is
/// the field of `SystemFile`, and the plural that of `System`.
macro_rules! classes {
    ($($class:ident: $word:ident $plural:ident $(.$name:ident)* $noun:literal {
        unknown: $unknown:ident,
        path: $path:expr,
        waits_served: $waits_served:expr,
        copied: $copied:expr,
    })*) => {
        /// A class of objects.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Class { $($class),* }

        impl Class {
            /// All classes in the order of the generated tables.
            pub const ALL: &[Class] = &[$(Class::$class),*];
        }

        /// The rows in the order of [`Class::ALL`].
        const ROWS: &[Row] = &[$(Row {
            class: Class::$class,
            word: stringify!($word),
            plural: stringify!($plural),
            noun: $noun,
            unknown: Code::$unknown,
            names: |system| system.$plural.iter().map(|it| it$(.$name)*.as_str()).collect(),
            names_in_file: |file| file.$word.iter().map(|table| &table.name).collect(),
            path: $path,
            waits_served: |system| {
                let each = system.$plural.iter().map($waits_served);
                each.max().unwrap_or(WaitsServed::AtMostOne)
            },
            longest_copy: |system| system.$plural.iter().map($copied).max().unwrap_or_default(),
        }),*];

        /// Every field of a system has a row, or is listed here because it holds no objects that
        /// the kernel knows by an ID. A field that is forgotten does not compile.
        const _: fn(System) = |System {
            name: _, board: _, cores: _, sources: _, include: _, defines: _, libraries: _, posix: _, openmp: _,
            dataflow: _, channels: _, run_for: _, kernel: _, partitions: _, regulation: _, frames: _, io: _, device_regions: _,
            $($plural: _),*
        }| ();
    };
}

use CalibrationPath::{Common, Described, One};
use WaitsServed::{AllInOneSection, AtMostOne, OnePerSection};

/// What a section copies of objects whose calls copy at most a word.
const WORD: Bytes = Bytes(0);

classes! {
    Task: task tasks.name "task" {
        unknown: UnknownTask,
        path: Common,
        waits_served: |_| AtMostOne,
        copied: |_| WORD,
    }
    Semaphore: semaphore semaphores.name "semaphore" {
        unknown: UnknownSemaphore,
        path: Common,
        waits_served: |_| AtMostOne,
        copied: |_| WORD,
    }
    Mutex: mutex mutexes.name "mutex" {
        unknown: UnknownMutex,
        path: Described(paths_of_mutexes),
        waits_served: |_| AtMostOne,
        copied: |_| WORD,
    }
    Flag: flag flags.name "flag" {
        unknown: UnknownKey,
        path: One(KernelPath::Flag),
        waits_served: |it| if it.shared { AllInOneSection } else { AtMostOne },
        copied: |_| WORD,
    }
    DataQueue: data_queue data_queues.name "data queue" {
        unknown: UnknownKey,
        path: One(KernelPath::DataQueue),
        waits_served: |_| AtMostOne,
        copied: |_| WORD,
    }
    PriorityDataQueue: priority_data_queue priority_data_queues.name "priority data queue" {
        unknown: UnknownKey,
        path: One(KernelPath::PriorityDataQueue),
        waits_served: |_| AtMostOne,
        copied: |_| WORD,
    }
    Barrier: barrier barriers.name "barrier" {
        unknown: UnknownKey,
        path: One(KernelPath::Barrier),
        waits_served: |_| OnePerSection,
        copied: |_| WORD,
    }
    ReaderWriterLock: reader_writer_lock reader_writer_locks.name "reader-writer lock" {
        unknown: UnknownKey,
        path: One(KernelPath::ReaderWriterLock),
        waits_served: |_| OnePerSection,
        copied: |_| WORD,
    }
    SpinLock: spin_lock spin_locks "spin lock" {
        unknown: UnknownSpinLock,
        path: One(KernelPath::SpinLock),
        waits_served: |_| AtMostOne,
        copied: |_| WORD,
    }
    MessageBuffer: message_buffer message_buffers.name "message buffer" {
        unknown: UnknownKey,
        path: One(KernelPath::MessageBuffer),
        waits_served: |_| OnePerSection,
        copied: |it| it.message,
    }
    MemoryPool: memory_pool memory_pools.name "memory pool" {
        unknown: UnknownKey,
        path: One(KernelPath::MemoryPool),
        waits_served: |_| AtMostOne,
        copied: |_| WORD,
    }
    Buffer: buffer buffers.name "buffer" {
        unknown: UnknownKey,
        path: One(KernelPath::Buffer),
        waits_served: |_| AtMostOne,
        copied: |_| WORD, // the state is copied with interrupts enabled
    }
    SamplingPort: sampling_port sampling_ports.buffer.name "sampling port" {
        unknown: UnknownKey,
        path: One(KernelPath::Buffer),
        waits_served: |_| AtMostOne,
        copied: |_| WORD, // the message is copied with interrupts enabled
    }
    QueuingPort: queuing_port queuing_ports.name "queuing port" {
        unknown: UnknownKey,
        path: One(KernelPath::MessageBuffer),
        waits_served: |_| AtMostOne, // those of its message buffer stand there
        copied: |_| WORD,
    }
    Cyclic: cyclic cyclics.name "cyclic handler" {
        unknown: UnknownHandler,
        path: One(KernelPath::Cyclic),
        waits_served: |_| AtMostOne,
        copied: |_| WORD,
    }
    Alarm: alarm alarms.name "alarm" {
        unknown: UnknownHandler,
        path: One(KernelPath::Alarm),
        waits_served: |_| AtMostOne,
        copied: |_| WORD,
    }
    Interrupt: interrupt interrupts.name "interrupt" {
        unknown: UnknownHandler,
        path: Common,
        waits_served: |_| AtMostOne,
        copied: |_| WORD,
    }
}

impl Class {
    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The class that has this word in the description; a word may name none.
    pub fn of(word: &str) -> Option<Class> {
        ROWS.iter().find(|row| row.word == word).map(|row| row.class)
    }

    /// The name of its table in the description, from which the kernel's names are made.
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// The word for several of its objects.
    pub fn plural(self) -> &'static str {
        self.row().plural
    }

    /// The name in messages.
    pub fn noun(self) -> &'static str {
        self.row().noun
    }

    /// The names of a system's objects; an object's ID is its place, from 1.
    pub fn names(self, system: &System) -> Vec<&str> {
        (self.row().names)(system)
    }

    /// The names of the objects where the file introduces them.
    pub(crate) fn names_in_file(self, file: &SystemFile) -> Vec<&Spanned<Name>> {
        (self.row().names_in_file)(file)
    }

    /// The mistake of a name that no object has. [`Code::UnknownKey`] where no key of the
    /// description refers to objects of the class.
    pub(crate) fn unknown(self) -> Code {
        self.row().unknown
    }

    /// What the calibration must have run for the system's objects; nothing if it has none.
    pub fn paths(self, system: &System) -> Vec<KernelPath> {
        match self.row().path {
            Common => Vec::new(),
            One(_) if self.names(system).is_empty() => Vec::new(),
            One(path) => vec![path],
            Described(paths) => paths(system),
        }
    }

    /// How many waits one call on any of the system's objects may end.
    pub fn waits_served(self, system: &System) -> WaitsServed {
        (self.row().waits_served)(system)
    }

    /// The longest copy that one section makes for any of the system's objects.
    pub fn longest_copy(self, system: &System) -> Bytes {
        (self.row().longest_copy)(system)
    }
}

/// The paths of mutexes, which differ by the protocol, and by whether tasks nest them.
fn paths_of_mutexes(system: &System) -> Vec<KernelPath> {
    let msrp = system.mutexes.iter().filter(|mutex| mutex.protocol == Protocol::Msrp).count();
    let mut uses = system.tasks.iter().flat_map(|task| &task.mutexes);
    let taken = [
        (KernelPath::Mutex, msrp < system.mutexes.len()),
        (KernelPath::MsrpMutex, msrp > 0),
        (KernelPath::NestedMutex, uses.any(|one| !one.inside.is_empty())),
    ];
    taken.into_iter().filter(|(_, taken)| *taken).map(|(path, _)| path).collect()
}
