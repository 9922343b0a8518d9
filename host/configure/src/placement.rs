// SPDX-License-Identifier: Apache-2.0
//! Writes what the placement needs: where nodes and server talk, and the server's storage (`kernel/central/server.h`, `kernel/central/exchange.h`).

use takt_model::{Assumption, Placement, Scratchpad, ScratchpadWindow, System};

/// Whether core 0 serves the others.
fn has_server(system: &System) -> bool {
    matches!(system.kernel.placement, Placement::Central | Placement::Semi)
}

/// The part of the board's memories through which nodes and server talk: scratchpads with a window,
/// one for each core. None where the board has none, or the placement needs none.
pub fn exchange(system: &System) -> Option<(&Scratchpad, ScratchpadWindow)> {
    system.board.exchange().filter(|_| has_server(system))
}

/// Where the kernel finds the exchange; a size of 0: there is none.
pub fn exchange_choice(system: &System) -> String {
    match exchange(system) {
        Some((pad, window)) => format!(
            "#define EXCHANGE_BASE {:#x}\n#define EXCHANGE_WINDOW {:#x}\n\
             #define EXCHANGE_STRIDE {:#x}\n#define EXCHANGE_SIZE {:#x}\n#define EXCHANGE_CORES {}\n",
            pad.base, window.base, window.stride.0, pad.size.0, system.board.cores
        ),
        None if has_server(system) => "#define EXCHANGE_SIZE 0\n".to_owned(),
        None => String::new(),
    }
}

/// Where the kernel finds the RTU, and what its commands' times follow from: cycles in a clock, rows of tasks and of a
/// queue's places that a search looks through, and the cycles of the way there on idle links.
pub fn rtu_choice(system: &System) -> String {
    let rtu = system.board.rtu.as_ref().filter(|_| system.kernel.placement == Placement::Rtu);
    let Some(rtu) = rtu else { return String::new() };
    let network = system.board.timing.as_ref().map(|timing| &timing.interconnect);
    let way = network.map_or(0, |network| network.message(8, network.shape.hops(0, rtu.node)));
    format!(
        "#define RTU_BASE {:#x}\n#define RTU_CLOCK {}\n#define RTU_TASK_ROWS {}\n\
         #define RTU_PLACE_ROWS {}\n#define RTU_WAY {way}\n",
        rtu.base,
        rtu.clock,
        rtu.tasks / 8,
        rtu.messages / 8
    )
}

/// The timers that the placement adds to a core's: those of all tasks to the server's, and the one
/// that enables the RTU at time 0.
pub fn timers(system: &System, core: u32) -> usize {
    match system.kernel.placement {
        Placement::Central | Placement::Semi if core == 0 => system.tasks.len(),
        Placement::Rtu if core == 0 => 1,
        _ => 0,
    }
}

/// The storage of the server, in memory that is not of a node alone, and the lines by which nodes
/// and server talk where the board has no exchange.
pub fn source(system: &System) -> String {
    let mut text = call_limits(system);
    if !has_server(system) {
        return text;
    }
    let cores = system.cores;
    text += &format!(
        "/* The server's: tasks, nodes, and who waits. */\n\
         #include \"central/exchange.h\"\n#include \"central/server.h\"\n\
         struct central_task takt_central_tasks[{}];\n\
         struct central_node takt_central_nodes[{cores}];\n\
         struct levels takt_central_semaphore_waiters[{}];\n\
         struct levels takt_central_queue_waiters[{}];\n",
        system.tasks.len(),
        system.semaphores.len().max(1),
        system.priority_data_queues.len().max(1)
    );
    if exchange(system).is_none() {
        text += &format!(
            "struct exchange_decision takt_exchange_decisions[{cores}];\n\
             struct exchange_command takt_exchange_commands[{cores}];\n"
        );
    }
    text + "\n"
}

/// The limits of the commands of a job, by task, if any is declared.
fn call_limits(system: &System) -> String {
    let limits = system.limits();
    let limit = |task| system.limit(&limits, Assumption::Calls { task });
    let all: Vec<_> = (0..system.tasks.len()).map(limit).collect();
    if all.iter().all(|limit| *limit == 0) {
        return String::new();
    }
    let all: String = all.iter().map(|limit| format!("{limit}, ")).collect();
    format!(
        "/* The limits of calls, by task. */\nconst uint16_t takt_call_limits[] = {{{all}}};\n\n"
    )
}
