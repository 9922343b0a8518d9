// SPDX-License-Identifier: Apache-2.0
//! Reports what the build has found out about the functions that a description names, at the words
//! that name them.

use std::path::Path;

use super::{
    file::{Spanned, SystemFile},
    report::Report,
    words,
};
use crate::{
    Bytes, Code, Problem,
    system::{EntryFault, is_cxx},
};

/// Reports each fault at the words that name the function. `functions` are those that may have been
/// meant.
pub fn check(report: &mut Report, file: &SystemFile, faults: &[EntryFault], functions: &[String]) {
    let sources = file.system.sources.iter().flat_map(|it| it.get());
    let has_cxx = sources.into_iter().any(|it| is_cxx(Path::new(it.get())));
    for value in all(file) {
        let own = faults.iter().filter(|fault| fault.entry() == value.get());
        own.for_each(|fault| report.add(problem(fault, value, functions, has_cxx)));
    }
}

/// All words of the file that name a function of the application.
fn all(file: &SystemFile) -> impl Iterator<Item = &Spanned<String>> {
    let kernel = &file.kernel;
    let graph = file.dataflow.as_ref().map(Spanned::get);
    let tasks = file.task.iter().flat_map(|task| {
        let handlers = [&task.overrun_handler, &task.deadline_handler];
        let handlers = handlers.into_iter().flatten().map(|handler| &handler.get().function);
        [&task.entry].into_iter().chain(handlers)
    });
    (tasks.chain(file.interrupt.iter().map(|it| &it.entry)))
        .chain(file.cyclic.iter().map(|it| &it.function))
        .chain(file.alarm.iter().map(|it| &it.function))
        .chain(kernel.start_hook.iter().chain(&kernel.shutdown_hook))
        .chain(file.object.iter().map(|it| &it.entry))
        .chain(graph.into_iter().flat_map(|it| it.sequential.iter().chain(&it.check)))
}

fn problem(
    fault: &EntryFault,
    value: &Spanned<String>,
    functions: &[String],
    has_cxx: bool,
) -> Problem {
    let entry = fault.entry();
    let linkage =
        if has_cxx { ", in C++ after #include <takt/takt.h> or with extern \"C\"" } else { "" };
    let define =
        format!("define `void {entry}(intptr_t argument)` in a source, not `static`{linkage}");
    let (code, message, help, label) = match fault {
        EntryFault::Undefined(_) => {
            let help = words::nearest(entry, functions.iter().map(String::as_str))
                .map_or(define, |near| format!("did you mean `{near}`?"));
            (Code::EntryMissing, "no source defines the function", help, "not defined")
        }
        EntryFault::Static(..) => {
            let help = "leave out its `static`".to_string();
            (Code::EntryMissing, "no other file sees the function", help, "it is `static`")
        }
        EntryFault::Data(..) => {
            (Code::EntryMissing, "a variable, not a function, is called", define, "a variable")
        }
        EntryFault::Twice(..) => {
            let help = "leave one of them, or make the other `static`".to_string();
            (Code::EntryTwice, "two sources define the function", help, "defined twice")
        }
        EntryFault::TooLarge(_, left) => {
            let help = format!(
                "stack and buffers leave {} for code, variables and constants of all objects of a core: make these or \
                 the edges' data smaller, or move objects to other cores",
                Bytes(*left)
            );
            let message = "no scratchpad has room for the image of the workers that execute";
            (Code::ScratchpadFull, message, help, "in an image that is too large")
        }
    };
    let place = match fault {
        EntryFault::Undefined(_) | EntryFault::TooLarge(..) => String::new(),
        EntryFault::Static(_, file) | EntryFault::Data(_, file) => format!(", in {file}"),
        EntryFault::Twice(_, one, other) => format!(", in {one} and {other}"),
    };
    let problem = Problem::new(code, format!("{message} `{entry}`"), help);
    problem.at(value.span(), format!("{label}{place}"))
}
