// SPDX-License-Identifier: Apache-2.0
//! What the kernel of a core waits for where the core's own cache keeps all that the core touches: lines that other cores use,
//! too. `docs/design/residency.md` has the argument.

use takt_model::timing::Drain;
use takt_model::worst::Worst;
use takt_model::{System, Timing};

use crate::budgets;
use crate::quantity::Work;

/// What the image of a system tells beside the description: the caches of all cores that have bounds keep all that these cores
/// touch, no core asks anything of another but by `activations`, and perhaps tasks write to the console, or ask something of
/// others of their core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Residency {
    pub writes_to_console: bool,
    pub requests: bool,
    /// Whether the caches of *all* cores keep all that these touch, and those of the homes, too: nothing is asked of the memory.
    pub within_caches: bool,
    /// The calls by which tasks activate tasks of other cores; none unless `within_caches`.
    pub activations: Vec<RemoteActivation>,
}

/// The calls by which a task activates a task of another core. The numbers are the tasks' places in the description.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteActivation {
    pub caller: usize,
    pub task: usize,
    /// How often a job calls, at most.
    pub times: u64,
}

impl Residency {
    /// Whether tasks activate tasks of other cores.
    pub fn asks_others(&self) -> bool {
        !self.activations.is_empty()
    }

    /// The bounds of what a core may have under way; None if the board has no timing.
    pub fn worst(&self, system: &System) -> Option<Worst> {
        let operations = self.asks_others();
        let within = self.within_caches.then_some(system.cores);
        let within = within.map(|cores| system.board.worst_within_caches(cores, operations));
        within.flatten().or_else(|| system.board.worst(system.cores, 0))
    }
}

/// The longest wait for accesses that somebody below a task has under way, once in each window.
#[derive(Clone, Copy, Debug, Default)]
pub struct Transfers {
    /// The wait of a task below which other tasks run on the core.
    pub of_lower_tasks: Work,
    /// The wait of a task below which there is the idle loop alone.
    pub of_idle_loop: Work,
}

/// The waits that a section of the kernel adds when a task writes a piece to its ring, which the console's core reads: for the
/// count of what has been sent, and for three lines of 128 bytes.
const OF_PIECE: u64 = 4;
/// An instruction that waits for the store buffer may then wait for the two lines of its access.
const OF_INSTRUCTION: u64 = 2;

impl Transfers {
    pub fn new(system: &System, residency: &Residency, core: u32) -> Transfers {
        let worst = residency.worst(system).zip(system.board.timing.as_ref());
        let Some((Worst { any, next, message, .. }, timing)) = worst else {
            return Transfers::default();
        };
        let is_consoles = core == system.kernel.console_core;
        let pieces = residency.writes_to_console && !is_consoles;
        let more = if pieces { OF_PIECE } else { OF_INSTRUCTION };
        let register = message.saturating_mul(2).saturating_add(timing.device);
        let idle = any.saturating_add(register);
        let lower = any.saturating_add(next.saturating_mul(more));
        let is_heard = residency.writes_to_console && is_consoles;
        Transfers {
            of_lower_tasks: work(timing, lower.max(idle)),
            of_idle_loop: if is_heard { work(timing, idle) } else { Work::ZERO },
        }
    }
}

pub fn work(timing: &Timing, cycles: u64) -> Work {
    let nanos = (u128::from(cycles) * 1_000_000_000).div_ceil(u128::from(timing.frequency.max(1)));
    Work::new(u64::try_from(nanos).unwrap_or(u64::MAX))
}

/// Why nothing is known of the system beside neighbours, whatever its image: the description has what the figures of a
/// resident core do not cover. None: the image decides.
pub fn unsuited(system: &System) -> Option<String> {
    let Some(timing) = &system.board.timing else { return Some("the board has no timing".into()) };
    if system.board.resident.is_none() {
        return Some("the board has no table [overheads.resident]".into());
    }
    let stops = system.tasks.iter().find(|task| {
        budgets::longest_execution(system, task, Work::ZERO) != task.wcet.map(Work::from)
    });
    let forks = system.openmp.as_ref().is_some_and(|openmp| !openmp.teams.is_empty());
    let obstacles = [
        (timing.core.drain != Drain::Any, "stores leave the board's cores in order"),
        (timing.device_links, "registers of devices share the interconnect's links"),
        (stops.is_some(), "a bound rests on a budget"),
        (forks, "a task forks"),
    ];
    obstacles.into_iter().find(|(is_there, _)| *is_there).map(|(_, why)| why.to_string())
}
