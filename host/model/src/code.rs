// SPDX-License-Identifier: Apache-2.0
//! The codes of all mistakes that a description can have. People look them up and programs
//! distinguish mistakes by them. `tests/diagnostics` has a file that provokes each code.

use std::fmt;

macro_rules! codes {
    ($($variant:ident $name:literal $about:literal)*) => {
        /// Kind of a mistake.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $(#[doc = $about] $variant,)* }

        /// Every code.
        pub const CODES: &[Code] = &[$(Code::$variant),*];

        impl Code {
            /// The last word of the code.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// What the code means, in a line.
            pub fn about(self) -> &'static str {
                match self { $(Code::$variant => $about,)* }
            }
        }
    };
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "takt::model::{}", self.name())
    }
}

codes! {
    // Mistakes of the file.
    Unreadable "unreadable" "A file of the description cannot be opened or read."
    NotAFile "not_a_file" "What should be a file is a directory or a device."
    TooLarge "too_large" "A file is longer than any description needs to be."
    NotUtf8 "not_utf8" "A file is not UTF-8 text."
    ControlCharacter "control_character" "A file holds a character that no text has."
    LineTooLong "line_too_long" "A line is longer than a person can read."
    Syntax "syntax" "A file is not TOML."
    DuplicateKey "duplicate_key" "A key or table stands twice."

    // Mistakes of the form: which keys there are, and which kind of value each takes.
    Format "format" "The description is written for another version of Polytakt."
    UnknownKey "unknown_key" "A key that a description does not have."
    MissingKey "missing_key" "A key that must be there is not."
    WrongType "wrong_type" "A value is of the wrong kind, such as a number for a text."

    // Mistakes of single values.
    MissingUnit "missing_unit" "A duration, size or rate does not say its unit."
    BadQuantity "bad_quantity" "A text is no duration, size, rate or address."
    OutOfRange "out_of_range" "A number, duration, size or rate is outside its range."
    UnknownWord "unknown_word" "A value is none of the words that may stand there."
    NotPowerOfTwo "not_power_of_two" "A size must be a power of two."
    Misaligned "misaligned" "A size or address is not a multiple of what it must be."
    NotIdentifier "not_identifier" "A name or entry is not a C identifier."
    BadCharacter "bad_character" "A value holds a character that would not reach the compiler."
    ReservedName "reserved_name" "A name or entry belongs to C or to Polytakt."
    BadText "bad_text" "A text holds characters that cannot stand there."
    BadMask "bad_mask" "A mask of address bits tells nothing apart, or bytes of one line."

    // Mistakes of lists and references.
    NoTask "no_task" "A system without a task."
    EmptyList "empty_list" "A list needs at least one element."
    TooMany "too_many" "There are more objects of a class than the kernel can number."
    DuplicateName "duplicate_name" "Two objects of a class have one name."
    Repeated "repeated" "Something is listed twice."
    UnknownTask "unknown_task" "A task is named that the system does not have."
    UnknownPartition "unknown_partition" "A partition is named that the system does not have."
    UnknownSemaphore "unknown_semaphore" "A semaphore is named that the system does not have."
    UnknownMutex "unknown_mutex" "A mutex is named that the system does not have."
    UnknownSpinLock "unknown_spin_lock" "A spin lock is named that the system does not have."
    UnknownHandler "unknown_handler" "A cyclic handler, alarm or interrupt is named that the system does not have."
    UnknownObject "unknown_object" "An edge names an object that the graph does not have."
    UnknownPort "unknown_port" "An edge names no port, an input that has an edge, or a port that is input and output."
    AmbiguousUse "ambiguous_use" "An entry of `uses` or `controls` names no object, or two."
    NotUnderPlacement "not_under_placement" "The description asks for what its placement of the kernel lacks."
    UnknownBoard "unknown_board" "No board has this name."
    ExtendsTooDeep "extends_too_deep" "Boards extend each other in a circle, or too many in a row."
    SourceKind "source_kind" "A source is neither C, C++ nor assembler, or C++ where there is none."
    EntryMissing "entry_missing" "No source of the application defines a function that the description names."
    EntryTwice "entry_twice" "Two sources of the application define a function that the description names."
    MissingFile "missing_file" "A source file or include directory is not there."
    MissingCore "missing_core" "A core is used that the system or the board lacks."
    MissingNode "missing_node" "A node is named that the board's interconnect lacks."

    // Mistakes in the relations between values.
    InterruptOrigin "interrupt_origin" "An interrupt names a device or a source, one of the two."
    TwoActivations "two_activations" "A task is both periodic and sporadic."
    WrongActivation "wrong_activation" "A key does not fit how the task is activated."
    MissingWcet "missing_wcet" "A periodic or sporadic task does not say its execution time."
    DeadlineTooLong "deadline_too_long" "A deadline is longer than the period or separation."
    OffsetTooLong "offset_too_long" "An offset is not shorter than the period."
    NestedUse "nested_use" "`inside` names what no job may hold when it locks the mutex, or closes a circle of mutexes."
    StagesTooLong "stages_too_long" "The stages of a task that forks execute longer than its `wcet`."
    HoldTooLong "hold_too_long" "A semaphore is held longer than the job executes."
    HeldFromEmpty "held_from_empty" "A semaphore that tasks hold starts with a count of 0."
    CeilingTooLow "ceiling_too_low" "A mutex's ceiling is below the priority of a user."
    SplitMutex "split_mutex" "A mutex for tasks of one core has users on two."
    BoundTask "bound_task" "A task that must stay on its core may run on others."
    OtherPartition "other_partition" "A task of a partition uses what does not belong to that partition."
    NoWindow "no_window" "A task could never run: its core is divided into windows, and none of them belongs to its partition."
    NotInPartition "not_in_partition" "A task of a partition has a key that only tasks without a partition may have."
    MixedUse "mixed_use" "A semaphore is held by one task and waited for by another."
    CountAboveMaximum "count_above_maximum" "A semaphore starts above its maximum."
    DataflowEdge "dataflow_edge" "An edge's kind and size do not fit its objects."
    NoEdge "no_edge" "An object of a graph has no edge."
    CrossedMessages "crossed_messages" "A core sends its messages to another in an order in which that one does not take them."
    DeadlockedGraph "deadlocked_graph" "Objects of a graph wait for each other for ever."
    ScratchpadFull "scratchpad_full" "A core's buffers do not fit its scratchpad."
    MemoryOverlap "memory_overlap" "Two memory regions of a board overlap."
    AddressOverlap "address_overlap" "Two parts of a board lie at one address of a core."
    MemoryTooHigh "memory_too_high" "A memory region ends beyond the last address."
    LoadOutside "load_outside" "A board's load address is outside its memory, or in memory that no cache keeps."

    // Mistakes of a board's timing.
    IncompleteTiming "incomplete_timing" "A board says a part of its timing only."
    MismatchedKey "mismatched_key" "A key does not fit the word that another key has."
    HartCount "hart_count" "There are not as many hart IDs as cores."
    TimebaseTooFast "timebase_too_fast" "The timebase is faster than the clock."
    CacheShape "cache_shape" "A cache's size, ways and index do not fit one another."
    CacheTooSmall "cache_too_small" "A cache is smaller than the one that it includes."
    SplitCluster "split_cluster" "A cluster's cores are not all there, or not all at one node."
    TooFewNodes "too_few_nodes" "The interconnect has no place for all cores."
    RowOrder "row_order" "An open row costs more than a closed bank, or this more than a conflict."
    RefreshTooLong "refresh_too_long" "A refresh is not over when the next one begins."
}
