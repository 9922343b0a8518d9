// SPDX-License-Identifier: Apache-2.0
//! Whether bounds are proved or computed only: what the overheads were measured on and under which conditions,
//! against what the system is. `docs/design/analysis.md`, "Proved and computed", has the definition.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::{
    Action, Activation, Assignment, Class, KernelPath, Measured, MemoryLoad, OverheadSource,
    Overheads, Placement, Stamp, System, Target, Task, Word,
};

use crate::reach::{active_cores, may_interrupt};
use crate::transfers::Residency;

/// A reason why bounds are computed and not proved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema, thiserror::Error)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Doubt {
    /// The overheads are assumed.
    #[error("the overheads are assumed, nobody has measured them")]
    Assumed,
    /// The overheads are published figures.
    #[error("the overheads are published figures, which nobody has measured with this kernel")]
    Published,
    /// The overheads have no stamp.
    #[error(
        "the overheads have no stamp that says on which board and with which kernel they were measured"
    )]
    NoStamp,
    /// Nobody has compared the stamp with board and kernel.
    #[error("nobody has compared the overheads' stamp with the board and the kernel")]
    StampNotCompared,
    /// The overheads were measured on another board or with another kernel.
    #[error("the overheads were measured with {}", foreign(*.other_board, *.other_kernel))]
    ForeignStamp { other_board: bool, other_kernel: bool },
    /// The overheads do not say under which conditions they were measured.
    #[error("the overheads do not say under which conditions they were measured")]
    NoConditions,
    /// The overheads do not say which paths of the kernel were measured.
    #[error("the overheads do not say which paths of the kernel were measured")]
    NoPaths,
    /// The system takes a path of the kernel that did not run when the overheads were measured.
    #[error("the overheads were measured without {path}, which the system uses")]
    NotExercised { path: &'static str },
    /// The image is compiled by another compiler, or with other options, than the one that was measured.
    #[error("the overheads were measured with a kernel that was built without {option}")]
    OtherBuild { option: &'static str },
    /// A key of the kernel had another word when the overheads were measured.
    #[error(
        "the overheads were measured with {key} = \"{measured}\", and the system has \"{system}\""
    )]
    OtherKernel { key: &'static str, measured: &'static str, system: &'static str },
    /// A core of the system has more of something than was measured.
    #[error(
        "the overheads were measured with {key} = {measured}, and the system may have {system} (core {core})"
    )]
    Exceeds { key: &'static str, core: u32, measured: u32, system: u32 },
    /// The kernel of another placement than "distributed" does not check what the description says but for `calls`.
    #[error(
        "the kernel of placement \"{placement}\" does not check the description, but for `calls`: no job may wait without `suspends`, \
         longer or more often than that, or longer with interrupts disabled, and no task may change others that it does not `controls`, or wake \
         one that does not wait"
    )]
    Unchecked { placement: &'static str },
    /// A job that its budget stops may wait: what its budget grows by before the window of a lower task is charged there
    /// to nobody.
    #[error(
        "task {task} may wait, and a budget stops it: by how much its budget has grown before is not counted"
    )]
    StoppedWaiter { task: String },
    /// Tasks fork: what their threads ask of the kernel is not declared, and the cost of forks and joins not measured.
    #[error(
        "the threads of what forks ({tasks}) are taken to call nothing but OpenMP's forks, joins, barriers and declared \
         critical sections, whose costs are composed of the kernel's times"
    )]
    Forks { tasks: String },
    /// Nothing bounds what other cores' accesses to memory cost, as the cores' own caches are not known to keep all that these
    /// touch.
    #[error(
        "{cores} cores run the application's code, and nothing bounds how long one's accesses to memory delay \
         the kernel on another: {why}"
    )]
    Neighbours { cores: u32, why: String },
}

fn foreign(other_board: bool, other_kernel: bool) -> &'static str {
    match (other_board, other_kernel) {
        (true, true) => "another board and another kernel",
        (true, false) => "another board, or another timing of this one",
        _ => "another kernel",
    }
}

impl Doubt {
    /// Whether measuring the board again, with what there is, ends it.
    pub fn is_cured_by_calibration(&self) -> bool {
        !matches!(
            self,
            Doubt::NotExercised { .. }
                | Doubt::OtherBuild { .. }
                | Doubt::OtherKernel { .. }
                | Doubt::Exceeds { .. }
                | Doubt::Unchecked { .. }
                | Doubt::StoppedWaiter { .. }
                | Doubt::Forks { .. }
                | Doubt::Neighbours { .. }
        )
    }
}

/// All doubts. Of a stamp that is to be compared the doubt is that nobody has compared it.
/// `residency`: other cores cannot delay the kernel by their accesses to memory, and use no lock of this one.
pub fn doubts(
    system: &System,
    assignments: &[Assignment],
    residency: Option<&Residency>,
) -> Vec<Doubt> {
    let resident = residency.is_some();
    let overheads = &system.board.overheads;
    let active = active_cores(system, assignments);
    let mut doubts = Vec::new();
    let placement = system.kernel.placement;
    if placement != Placement::Distributed {
        doubts.push(match (system.board.placed(placement), &overheads.stamp) {
            (None, _) => Doubt::NoConditions,
            (_, None) => Doubt::NoStamp,
            _ => Doubt::StampNotCompared,
        });
        doubts.push(Doubt::Unchecked { placement: placement.word() });
        if active.len() > 1 {
            let why =
                "all of them use the bus, and nobody looks at the caches of such a kernel".into();
            doubts.push(Doubt::Neighbours { cores: active.len() as u32, why });
        }
        return doubts;
    }
    match overheads.source {
        OverheadSource::Assumed => doubts.push(Doubt::Assumed),
        OverheadSource::Published => doubts.push(Doubt::Published),
        OverheadSource::Measured => {
            let stamped = overheads.stamp.is_some();
            doubts.push(if stamped { Doubt::StampNotCompared } else { Doubt::NoStamp });
            match &overheads.measured {
                None => doubts.push(Doubt::NoConditions),
                Some(measured) => {
                    doubts.extend(not_exercised(system, residency, measured));
                    doubts.extend(other_kernel(system, measured));
                    let exceeded = exceeded(system, assignments, measured, &active);
                    let counts = |doubt: &Doubt| {
                        !matches!(doubt, Doubt::Exceeds { key: "cores_per_lock", .. })
                    };
                    doubts.extend(exceeded.into_iter().filter(|doubt| !resident || counts(doubt)));
                }
            }
        }
    }
    doubts.extend(stopped_waiters(system, assignments));
    let teams = system.openmp.iter().flat_map(|openmp| &openmp.teams);
    let tasks: Vec<_> = teams.map(|team| system.tasks[team[0].task].name.as_str()).collect();
    if !tasks.is_empty() {
        doubts.push(Doubt::Forks { tasks: tasks.join(", ") });
    }
    if active.len() > 1 && !resident {
        let keep_budgets = active.iter().all(|core| system.memory_budget(*core).is_some());
        let why = match keep_budgets {
            true => {
                "budgets bound what each asks of the memory, and nobody has looked for lines that several of them use"
            }
            false => "nobody has looked at the image",
        };
        let why = why.into();
        doubts.push(Doubt::Neighbours { cores: active.len() as u32, why });
    }
    doubts
}

/// The doubt about a stamp, if any; `now` is the stamp of the board and the kernel as they are.
pub fn of_stamp(overheads: &Overheads, now: Option<&Stamp>) -> Option<Doubt> {
    let (Some(stamp), Some(now)) = (&overheads.stamp, now) else { return Some(Doubt::NoStamp) };
    let (other_board, other_kernel) = (stamp.timing != now.timing, stamp.kernel != now.kernel);
    (other_board || other_kernel).then_some(Doubt::ForeignStamp { other_board, other_kernel })
}

/// The tasks above others of their core that may wait in the middle of a job, and whose bound rests on a budget that stops
/// them.
fn stopped_waiters(system: &System, assignments: &[Assignment]) -> Vec<Doubt> {
    let waits =
        |task: &Task| task.suspends.is_some() || !task.uses.is_empty() || !task.mutexes.is_empty();
    let stops = |task: &Task| {
        task.budget
            .as_ref()
            .is_some_and(|it| it.stops && task.wcet.is_none_or(|wcet| wcet > it.time))
    };
    let above = |index: usize| {
        assignments.iter().enumerate().any(|(other, place)| {
            other != index
                && place.core == assignments[index].core
                && place.priority >= assignments[index].priority
        })
    };
    let tasks = system.tasks.iter().enumerate();
    let waiters = tasks.filter(|(index, task)| waits(task) && stops(task) && above(*index));
    waiters.map(|(_, task)| Doubt::StoppedWaiter { task: task.name.clone() }).collect()
}

fn not_exercised(
    system: &System,
    residency: Option<&Residency>,
    measured: &Measured,
) -> Vec<Doubt> {
    let Some(paths) = &measured.paths else { return vec![Doubt::NoPaths] };
    let requests = residency.filter(|it| it.requests).map(|_| KernelPath::LocalRequests);
    let between = residency.filter(|it| it.asks_others());
    let between = between.map(|_| KernelPath::RemoteActivations);
    let taken = taken_paths(system).into_iter().chain(requests).chain(between);
    let missing = taken.filter(|path| !paths.contains(path));
    missing.map(|path| Doubt::NotExercised { path: path.word() }).collect()
}

/// The paths of the kernel that a system may take. What its tasks compute is not declared: any may use floating point.
fn taken_paths(system: &System) -> BTreeSet<KernelPath> {
    use KernelPath as Path;
    let any_task = |uses: &dyn Fn(&Task) -> bool| system.tasks.iter().any(uses);
    let controls = |action| {
        any_task(&|task| {
            let mut targets = task.rights.controls.iter().map(|control| control.target);
            targets.any(|target| matches!(target, Target::Task(_, it) if it == action))
        })
    };
    let moves_interrupts = any_task(&|task| {
        task.rights.controls.iter().any(|control| matches!(control.target, Target::Interrupt(_)))
    });
    let taken = [
        (Path::FloatingPoint, !system.tasks.is_empty()),
        (Path::Budget, any_task(&|task| task.budget.is_some())),
        (Path::DeadlineHandler, any_task(&|task| task.deadline_handler.is_some())),
        (Path::CpuLock, any_task(&|task| task.rights.cpu_lock.is_some())),
        (Path::DispatchDisable, any_task(&|task| task.rights.dispatch_disable.is_some())),
        (Path::Observe, controls(Action::Observe)),
        (Path::Terminate, controls(Action::Terminate)),
        (Path::Suspend, controls(Action::Suspend)),
        (Path::SetPriority, controls(Action::SetPriority)),
        (Path::Migration, any_task(&|task| !task.cores.is_empty()) || controls(Action::Migrate)),
        (Path::IdlePull, system.kernel.idle_pull.is_some()),
        (Path::InterruptMigration, moves_interrupts),
        (Path::Partition, !system.partitions.is_empty()),
        (Path::Regulation, system.regulation.is_some()),
    ];
    let taken = taken.into_iter().filter(|(_, taken)| *taken).map(|(path, _)| path);
    taken.chain(Class::ALL.iter().flat_map(|class| class.paths(system))).collect()
}

fn other_kernel(system: &System, measured: &Measured) -> Vec<Doubt> {
    let (kernel, then) = (&system.kernel, &measured.locking);
    let words = [
        ("spinlock", then.spinlock.word(), kernel.locking.spinlock.word()),
        ("backoff", then.backoff.word(), kernel.locking.backoff.word()),
        ("granularity", then.granularity.word(), kernel.locking.granularity.word()),
        ("own_task", measured.own_task.word(), kernel.own_task.word()),
        ("homing", measured.homing.word(), kernel.homing.word()),
    ];
    let other = words.into_iter().filter(|(_, measured, system)| measured != system);
    other.map(|(key, measured, system)| Doubt::OtherKernel { key, measured, system }).collect()
}

/// For each key the core that exceeds it most.
fn exceeded(
    system: &System,
    assignments: &[Assignment],
    measured: &Measured,
    active: &BTreeSet<u32>,
) -> Vec<Doubt> {
    // The description does not say for all services which core calls on which objects: any active core may use any lock. Idle cores
    // that look for work at their neighbours do so, too.
    let pulling = system.kernel.idle_pull.is_some();
    let sharing = |_core: u32| if pulling { system.cores } else { active.len() as u32 };
    let timers = |core: u32| timers(system, assignments, core);
    let sources = |core: u32| {
        let interrupts = system.interrupts.iter().enumerate();
        interrupts.filter(|(index, it)| may_interrupt(system, *index, it, core)).count() as u32
    };
    type Count<'a> = &'a dyn Fn(u32) -> u32;
    let cores = |_core: u32| system.cores;
    let counts: [(&'static str, u32, Count); 4] = [
        ("cores", measured.cores, &cores),
        ("cores_per_lock", measured.cores_per_lock, &sharing),
        ("timers_per_core", measured.timers_per_core, &timers),
        ("interrupt_sources", measured.interrupt_sources, &sources),
    ];
    let mut doubts = Vec::new();
    for (key, measured, count) in counts {
        let most = active.iter().map(|core| (count(*core), *core)).max_by_key(|(count, _)| *count);
        if let Some((system, core)) = most.filter(|(count, _)| *count > measured) {
            doubts.push(Doubt::Exceeds { key, core, measured, system });
        }
    }
    doubts
}

/// The timers that may run on a core at the same time: of its tasks and of those that may come, of its
/// handlers, and the kernel's own.
fn timers(system: &System, assignments: &[Assignment], core: u32) -> u32 {
    let here =
        |(task, place): &(&Task, &Assignment)| place.core == core || task.cores.contains(&core);
    let tasks = system.tasks.iter().zip(assignments).filter(here);
    let of_tasks: usize = tasks.map(|(task, _)| timers_of(task)).sum();
    let cyclics = system.cyclics.iter().filter(|it| it.core == core).count();
    let alarms = system.alarms.iter().filter(|it| it.core == core).count();
    // The kernel has timers for the console, for the end of the run, and for its look at the neighbours.
    let own = usize::from(system.kernel.console_core == core)
        + usize::from(core == 0)
        + usize::from(system.kernel.idle_pull.is_some());
    (of_tasks + cyclics + alarms + own) as u32
}

/// The timers of a task: one for its next release, one for the end of a wait, and one for its deadline.
fn timers_of(task: &Task) -> usize {
    let released = task.activation != Activation::Aperiodic;
    let waits =
        !released || task.suspends.is_some() || !task.uses.is_empty() || !task.mutexes.is_empty();
    usize::from(released) + usize::from(waits) + usize::from(task.deadline_handler.is_some())
}

/// The load under which the overheads were measured, in words: how many cores ran, and what they did to the memory.
pub fn load(overheads: &Overheads) -> String {
    let words = |load: &MemoryLoad| match load {
        MemoryLoad::Alone => "alone",
        MemoryLoad::Writers => "beside streams of stores",
        MemoryLoad::OneBank => "beside stores into one bank",
        MemoryLoad::Readers => "beside streams of loads",
        MemoryLoad::Mix => "beside a mix of these",
    };
    let Some(measured) = &overheads.measured else { return String::new() };
    let cores = match measured.cores {
        1 => "1 core".to_string(),
        cores => format!("{cores} cores"),
    };
    let loads = measured.load.iter().map(|load| words(load).to_string());
    [cores].into_iter().chain(loads).collect::<Vec<_>>().join(", ")
}
