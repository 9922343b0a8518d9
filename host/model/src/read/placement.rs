// SPDX-License-Identifier: Apache-2.0
//! Refuses what the description names and the kernel's placement lacks.

use std::ops::Range;

use super::{
    file::{Spanned, SystemFile},
    report::Report,
};
use crate::{Board, Code, MissingService, Placement, Problem, placement::Limits};

/// Whether a placement has a part of the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Support {
    Yes,
    /// Not yet: nothing of the placement rules it out.
    Later,
    No,
    /// Not before the analysis of the placement knows it.
    Bounds,
}

use Support::{Bounds, Later, No, Yes};

/// What asks for a part.
#[derive(Clone, Copy, Debug)]
enum Kind {
    /// A table of objects.
    Class,
    Key,
}

/// A part of the kernel that some placements lack.
struct Part {
    /// One of it, and several.
    one: &'static str,
    several: &'static str,
    kind: Kind,
    /// Under `semi`, `central` and `rtu`; `distributed` has every part.
    has: [Support; 3],
    /// The words of a file that ask for it.
    words: fn(&SystemFile) -> Vec<Range<usize>>,
}

impl Part {
    fn has(&self, placement: Placement) -> Support {
        let [semi, central, rtu] = self.has;
        match placement {
            Placement::Distributed => Yes,
            Placement::Semi => semi,
            Placement::Central => central,
            Placement::Rtu => rtu,
        }
    }
}

/// The names of all tables of a class.
macro_rules! class {
    ($field:ident) => {
        |file| file.$field.iter().map(|table| table.name.span()).collect()
    };
}

/// The values of a key of all tasks.
macro_rules! task {
    ($key:ident) => {
        |file| file.task.iter().filter_map(|table| Some(table.$key.as_ref()?.span())).collect()
    };
}

/// The value of a key of the table `[kernel]`.
macro_rules! kernel {
    ($key:ident) => {
        |file| file.kernel.$key.iter().map(Spanned::span).collect()
    };
}

macro_rules! parts {
    ($($kind:ident $one:literal $several:literal $semi:ident $central:ident $rtu:ident $words:expr;)*) => {
        const PARTS: &[Part] = &[$(Part {
            one: $one,
            several: $several,
            kind: Kind::$kind,
            has: [$semi, $central, $rtu],
            words: $words,
        }),*];
    };
}

#[rustfmt::skip]
parts! {
    // kind                          several                 semi   central rtu    words
    Class "a mutex"                  "mutexes"               No     No      No     class!(mutex);
    Class "a flag"                   "flags"                 No     No      No     class!(flag);
    Class "a data queue"             "data queues"           No     No      No     class!(data_queue);
    Class "a barrier"                "barriers"              No     No      No     class!(barrier);
    Class "a reader-writer lock"     "reader-writer locks"   No     No      No     class!(reader_writer_lock);
    Class "a spin lock"              "spin locks"            No     No      No     class!(spin_lock);
    Class "a message buffer"         "message buffers"       No     No      No     class!(message_buffer);
    Class "a memory pool"            "memory pools"          No     No      No     class!(memory_pool);
    Class "a buffer"                 "buffers"               No     No      No     class!(buffer);
    Class "a sampling port"          "sampling ports"        No     No      No     class!(sampling_port);
    Class "a queuing port"           "queuing ports"         No     No      No     class!(queuing_port);
    Class "a cyclic handler"         "cyclic handlers"       Later  Later   Later  class!(cyclic);
    Class "an alarm"                 "alarms"                Later  Later   Later  class!(alarm);
    Class "an interrupt of a device" "interrupts of devices" Later  Later   Later  class!(interrupt);
    Class "a partition"              "partitions"            Later  Later   Later  class!(partition);

    Key   "`separation`"             "sporadic tasks"        Later  Later   Later  task!(separation);
    Key   "`deadline_handler`"       "deadline handlers"     Bounds Bounds  Bounds task!(deadline_handler);
    Key   "`budget`"                 "budgets"               Bounds Bounds  Bounds task!(budget);
    Key   "`hold`"                   "holds with a bound"    Bounds Bounds  Bounds holds;
    Key   "`cpu_lock`"               "CPU locks"             Later  Later   Later  task!(cpu_lock);
    Key   "`dispatch_disable`"       "disabled dispatch"     Later  Later   Later  task!(dispatch_disable);
    Key   "`cores`"                  "tasks that migrate"    No     No      No     task!(cores);
    Key   "this action"              "all actions"           Later  Later   Later  actions;

    Key   "`start_hook`"             "hooks"                 Later  Later   Later  kernel!(start_hook);
    Key   "`shutdown_hook`"          "hooks"                 Later  Later   Later  kernel!(shutdown_hook);
    Key   "`granularity`"            "locks of objects"      No     No      No     kernel!(granularity);
    Key   "`spinlock`"               "locks of objects"      No     No      No     kernel!(spinlock);
    Key   "`backoff`"                "locks of objects"      No     No      No     kernel!(backoff);
    Key   "`idle_pull`"              "idle pulling"          No     No      No     kernel!(idle_pull);
    Key   "[regulation]"             "memory regulation"     Later  Later   Later  |file| file.regulation.iter().map(|table| table.period.span()).collect();
    Key   "the library `posix`"      "it"                    No     No      No     |file| library(file, "posix");
    Key   "the library `openmp`"     "it"                    No     No      No     |file| library(file, "openmp");
    Key   "the library `dataflow`"   "it"                    No     No      No     |file| library(file, "dataflow");
}

/// The holds of semaphores; those of other objects are refused with their objects.
fn holds(file: &SystemFile) -> Vec<Range<usize>> {
    let uses = file.task.iter().flat_map(|table| &table.uses);
    let holds = uses.filter(|it| it.get().semaphore.is_some());
    holds.filter_map(|it| Some(it.get().hold.as_ref()?.span())).collect()
}

/// The actions on tasks that are services of `distributed` alone.
fn actions(file: &SystemFile) -> Vec<Range<usize>> {
    let controls = file.task.iter().flat_map(|table| &table.controls);
    let actions = controls.filter_map(|it| it.get().action.as_ref());
    actions.filter(|action| action.get() != "set_priority").map(Spanned::span).collect()
}

fn library(file: &SystemFile, name: &str) -> Vec<Range<usize>> {
    file.system.libraries.iter().filter(|it| it.get() == name).map(Spanned::span).collect()
}

/// The greatest count of a semaphore of the RTU, whose commands have 31 bits for it.
const UNIT_COUNT: i64 = (1 << 31) - 1;

/// Reports all that the placement lacks, at the words that ask for it.
pub fn check(report: &mut Report, file: &SystemFile, placement: Placement, board: &Board) {
    let Some(word) = &file.kernel.placement else { return };
    if placement == Placement::Distributed {
        return;
    }
    for part in PARTS.iter().filter(|part| part.has(placement) != Yes) {
        for span in (part.words)(file) {
            report.add(lacking(part, part.has(placement), span, word));
        }
    }
    let mut limits = placement.limits();
    if placement == Placement::Rtu && !board.name.is_empty() {
        match &board.rtu {
            Some(rtu) => limits = limits.of_unit(rtu),
            None => report.add(no_rtu(file, board, word)),
        }
    }
    check_counts(report, file, limits, word);
    if placement == Placement::Rtu {
        check_maxima(report, file, word);
    }
    for table in file.task.iter().filter(|table| table.deadline.is_some() && table.calls.is_none())
    {
        let message = format!(
            "task `{}` has a deadline, and nothing says how often it calls",
            table.name.get().0
        );
        let help = "give it `calls`, the most commands that a job gives to core 0 or the RTU";
        let problem = Problem::new(Code::MissingKey, message, help);
        report.add(problem.at(table.name.span(), "needs `calls`").at(word.span(), "the placement"));
    }
}

fn lacking(part: &Part, has: Support, span: Range<usize>, word: &Spanned<String>) -> Problem {
    let label = if has == No { "not there" } else { "not there yet" };
    let rest = match (has, part.kind) {
        (Bounds, _) => "no bound of the others contains it yet",
        (_, Kind::Class) => "all placements have semaphores and priority data queues",
        (_, Kind::Key) => "leave this out under the others",
    };
    let help = format!("\"distributed\" has {}; {rest}", part.several);
    let message = format!("{} under placement \"{}\"", part.one, word.get());
    let problem = Problem::new(Code::NotUnderPlacement, message, help);
    problem.at(span, label).at(word.span(), "the placement")
}

fn no_rtu(file: &SystemFile, board: &Board, word: &Spanned<String>) -> Problem {
    let message = format!("the board `{}` has no RTU", board.name);
    let help = "take a board with [rtu], or another placement";
    let problem = Problem::new(Code::NotUnderPlacement, message, help);
    problem.at(word.span(), "needs one").at(file.system.board.span(), "the board")
}

/// Reports objects and places that are more than there can be.
fn check_counts(report: &mut Report, file: &SystemFile, limits: Limits, word: &Spanned<String>) {
    let tasks = file.task.iter().map(|table| &table.name);
    let semaphores = file.semaphore.iter().map(|table| &table.name);
    let queues = file.priority_data_queue.iter().map(|table| &table.name);
    let in_channels = file.channel.iter().flat_map(|table| [&table.name; 2]);
    let queues = queues.chain(in_channels);
    let all_queues = match file.channel.is_empty() {
        true => "priority data queues",
        false => "priority data queues, two of them for each channel,",
    };
    let one_too_many = [
        (limits.tasks, "tasks", tasks.map(Spanned::span).nth(limits.tasks)),
        (limits.semaphores, "semaphores", semaphores.map(Spanned::span).nth(limits.semaphores)),
        (limits.queues, all_queues, queues.map(Spanned::span).nth(limits.queues)),
    ];
    for (most, class, span) in one_too_many {
        if let Some(span) = span {
            report.add(too_many(most, class, span, "the first one too many", word));
        }
    }
    let capacities = file.priority_data_queue.iter().map(|table| &table.capacity);
    let fits = |capacity: i64| usize::try_from(capacity).is_ok_and(|it| it <= limits.messages);
    for capacity in capacities.filter(|it| *it.get() > 0 && !fits(*it.get())) {
        let class = "words in a priority data queue";
        report.add(too_many(limits.messages, class, capacity.span(), "more than that", word));
    }
    // A channel has a place more than messages, for the one that is read.
    let messages = file.channel.iter().map(|table| &table.messages);
    for messages in messages.filter(|it| *it.get() > 0 && !fits(it.get().saturating_add(1))) {
        let (most, class) = (limits.messages - 1, "messages in a channel");
        report.add(too_many(most, class, messages.span(), "more than that", word));
    }
}

/// Reports counts of semaphores that the unit has no bits for.
fn check_maxima(report: &mut Report, file: &SystemFile, word: &Spanned<String>) {
    let maxima = file.semaphore.iter().filter_map(|table| table.maximum.as_ref());
    for maximum in maxima.filter(|it| (UNIT_COUNT + 1..=i64::from(u32::MAX)).contains(it.get())) {
        let message =
            format!("`maximum` is at most {UNIT_COUNT} under placement \"{}\"", word.get());
        let help = format!("write at most {UNIT_COUNT}, or placement = \"distributed\"");
        let problem = Problem::new(Code::NotUnderPlacement, message, help);
        report.add(problem.at(maximum.span(), "more than that").at(word.span(), "the placement"));
    }
}

fn too_many(
    most: usize,
    class: &str,
    span: Range<usize>,
    label: &str,
    word: &Spanned<String>,
) -> Problem {
    let message = format!("more than {most} {class} under placement \"{}\"", word.get());
    let help = "use fewer, or placement = \"distributed\"";
    let problem = Problem::new(Code::NotUnderPlacement, message, help);
    problem.at(span, label).at(word.span(), "the placement")
}

/// Reports services that sources call, and that the kernel does not have.
pub fn check_services(report: &mut Report, file: &SystemFile, missing: &[MissingService]) {
    let Some(word) = &file.kernel.placement else { return };
    for MissingService { service, sources } in missing {
        let (sources, verb) = match &sources[..] {
            [one] => (one.clone(), "calls"),
            several => (several.join(" and "), "call"),
        };
        let placement = word.get();
        let message =
            format!("{sources} {verb} {service}, which placement \"{placement}\" does not have");
        let help = "take the call out, or choose placement = \"distributed\"";
        let problem = Problem::new(Code::NotUnderPlacement, message, help);
        report.add(problem.at(word.span(), "the placement"));
    }
}
