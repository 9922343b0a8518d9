// SPDX-License-Identifier: Apache-2.0
//! The manager of parallelism: from each `[[team]]` to tasks, one a thread, with their cores and
//! priorities, and to the groups in which threads join. The tasks are what the description could
//! have said itself; the runtime gets the decisions as constants.

use std::ops::Range;

use super::{
    file::{Name, Spanned, SystemFile, TeamTable},
    report::Report,
    shared, stages, task, values, words,
};
use crate::{
    Activation, Bytes, Code, Library, Mutex, MutexUse, Nanos, OmpSchedule, Openmp, OpenmpSettings,
    Order, Problem, Protocol, Rights, Stage, System, Task, Team, TeamThread, Word,
};

const DEFAULT_STACK: Bytes = Bytes(16 << 10);
/// Threads that arrive at one count, at most.
const LARGEST_GROUP: usize = 16;
/// A lock of the library has 16 bits for a task's ID.
const MAX_TASKS: usize = 65535;
const SCHEDULES: &[(&str, OmpSchedule)] = &[
    ("static", OmpSchedule::Static),
    ("dynamic", OmpSchedule::Dynamic),
    ("guided", OmpSchedule::Guided),
    ("auto", OmpSchedule::Auto),
];
const DEFAULT_SETTINGS: OpenmpSettings = OpenmpSettings {
    schedule: OmpSchedule::Static,
    chunk: 0,
    threads: 0,
    dynamic: false,
    max_levels: 1,
};
const WAITS: &[(&str, bool)] = &[("spin", true), ("block", false)];

/// Adds the workers' tasks, and the library's spin locks and mutexes, behind those that the system
/// has.
pub fn read_all(report: &mut Report, file: &SystemFile, system: &mut System) {
    if !system.libraries.contains(&Library::Openmp) {
        return check_none(report, file);
    }
    let (mut teams, mut all_stages): (Vec<Team>, Vec<Vec<Stage>>) = Default::default();
    let first_mutex = system.mutexes.len();
    let mut criticals = stages::Criticals { names: Vec::new(), first_mutex };
    for table in &file.team {
        let stages = stages::read(report, file, table, &mut criticals);
        if let Some(team) = read(report, file, table, &teams, system) {
            set_longest_jobs(&team, &stages, system);
            set_mutexes(&team, &stages, system);
            teams.push(team);
            all_stages.push(stages);
        }
    }
    if teams.len() == file.team.len() {
        check_alone(report, file, &teams, system);
    }
    let locks = file.spin_lock.iter().map(|it| &it.name);
    let is_own =
        |it: &&Spanned<Name>| (0..Openmp::LOCKS).any(|index| it.get().0 == lock_name(index));
    locks.filter(is_own).for_each(|it| report.add(reserved(it)));
    let first_lock = system.spin_locks.len();
    system.spin_locks.extend((0..Openmp::LOCKS).map(lock_name));
    let criticals = criticals.names;
    let mutexes: Vec<_> = criticals.iter().map(|name| stages::mutex_name(name)).collect();
    let own = file.mutex.iter().map(|it| &it.name).filter(|it| mutexes.contains(&it.get().0));
    own.for_each(|it| report.add(reserved(it)));
    let (protocol, order) = (Protocol::Msrp, Order::Fifo);
    let mutex = |name| Mutex { name, protocol, order, ceiling: None };
    system.mutexes.extend(mutexes.into_iter().map(mutex));
    let (stages, default) = (all_stages, DEFAULT_SETTINGS);
    let openmp = Openmp { teams, stages, criticals, first_mutex, settings: default, first_lock };
    let settings = settings(report, file, openmp.levels());
    system.openmp = Some(Openmp { settings, ..openmp });
}

fn settings(report: &mut Report, file: &SystemFile, levels: u32) -> OpenmpSettings {
    let mut settings = OpenmpSettings { max_levels: levels, ..DEFAULT_SETTINGS };
    let Some(table) = &file.openmp else { return settings };
    let table = table.get();
    if let Some(value) = &table.schedule {
        let (word, chunk) = value.get().split_once(',').unwrap_or((value.get(), ""));
        // The schema has let nothing else through.
        let found = SCHEDULES.iter().find(|(schedule, _)| *schedule == word);
        settings.schedule = found.map_or(OmpSchedule::Static, |(_, schedule)| *schedule);
        settings.chunk = chunk.parse().unwrap_or(0);
    }
    let mut number = |key, value: &Option<Spanned<i64>>, range| {
        value.as_ref().and_then(|value| values::number(report, key, value, range))
    };
    settings.threads = number("num_threads", &table.num_threads, 1..=65535).unwrap_or(0);
    let asked = number("max_active_levels", &table.max_active_levels, 0..=255);
    settings.max_levels = asked.map_or(levels, |asked| asked.min(levels));
    settings.dynamic = table.dynamic.as_ref().is_some_and(|value| *value.get());
    settings
}

fn lock_name(index: u32) -> String {
    format!("openmp_{index}")
}

fn check_none(report: &mut Report, file: &SystemFile) {
    let team = file.team.first().map(|table| ("[[team]]", table.task.span()));
    let settings = || file.openmp.as_ref().map(|table| ("table [openmp]", table.span()));
    let Some((table, span)) = team.or_else(settings) else { return };
    let word = Library::Openmp.word();
    let message = format!("the description has a {table} and not the library `{word}`");
    let help = format!("add \"{word}\" to the libraries: libraries = [\"{word}\"]");
    let problem = Problem::new(Code::MismatchedKey, message, help);
    report.add(problem.at(span, format!("of the library `{word}`")));
}

/// The team, whose workers are tasks of the system now. None: refused.
fn read(
    report: &mut Report,
    file: &SystemFile,
    table: &TeamTable,
    teams: &[Team],
    system: &mut System,
) -> Option<Team> {
    let (master, core, priority) = master(report, file, table, system)?;
    let cores = cores(report, table, core, system.cores)?;
    let spins = spins(report, table, &cores);
    let stack = task::optional(&table.stack, |value| {
        task::stack(report, "stack", value, Bytes(4 << 10)..=Bytes(16 << 20))
    });
    let first_place: usize = teams.iter().map(Vec::len).sum();
    let first_worker = system.tasks.len();
    // The workers of a task's second team are numbered on.
    let inside = teams.iter().filter(|team| team[0].task == master);
    let named: usize = inside.map(|team| team.len() - 1).sum();
    let name = |number: usize| format!("{}_{}", table.task.get().0, named + number);
    check_names(report, file, table, &name(cores.len() - 1), |it| {
        (1..cores.len()).any(|number| name(number) == it)
    });
    if first_worker + cores.len() > MAX_TASKS {
        let problem = Problem::new(Code::TooMany, "too many tasks", "a system has IDs of 16 bits");
        report.add(problem.at(table.task.span(), "too many with its workers"));
    }
    system.tasks[master].rights.unrestricted = true;
    for number in 1..cores.len() {
        let (place, stack) = (first_place + number, stack.unwrap_or(DEFAULT_STACK));
        let worker = worker(name(number), place, cores[number], priority, stack, spins[number]);
        system.tasks.push(worker);
    }
    let groups = groups(&cores, system);
    let thread = |number: usize| TeamThread {
        task: if number == 0 { master } else { first_worker + number - 1 },
        spins: spins[number],
        group: groups[number],
    };
    Some((0..cores.len()).map(thread).collect())
}

/// A job of a worker that blocks executes its strands of one region.
fn set_longest_jobs(team: &Team, stages: &[Stage], system: &mut System) {
    let regions = stages.chunk_by(|_, next| next.serial.is_none());
    let strands = |region: &[Stage]| {
        region.iter().filter_map(|it| it.strand).fold(0_u64, |sum, it| sum.saturating_add(it.0))
    };
    let longest = regions.map(strands).max().filter(|longest| *longest > 0);
    for thread in team[1..].iter().filter(|thread| !thread.spins) {
        system.tasks[thread.task].wcet = longest.map(Nanos);
    }
}

/// Each thread uses the mutexes of the stages' critical sections. A job of the master executes those
/// of all stages, and one of a worker that blocks those of one region.
fn set_mutexes(team: &Team, stages: &[Stage], system: &mut System) {
    let of_master = uses([stages].into_iter());
    let of_worker = uses(stages.chunk_by(|_, next| next.serial.is_none()));
    for (number, thread) in team.iter().enumerate() {
        let own = if number == 0 { &of_master } else { &of_worker };
        system.tasks[thread.task].mutexes.extend_from_slice(own);
    }
}

/// What a job uses at most that executes all stages of one of these groups.
fn uses<'a>(groups: impl Iterator<Item = &'a [Stage]>) -> Vec<MutexUse> {
    let mut most = Vec::new();
    for group in groups {
        let mut sum = Vec::new();
        let criticals = group.iter().flat_map(|stage| &stage.criticals);
        criticals.for_each(|one| add_use(&mut sum, one, u32::saturating_add));
        sum.iter().for_each(|one| add_use(&mut most, one, u32::max));
    }
    most
}

fn add_use(all: &mut Vec<MutexUse>, one: &MutexUse, times: fn(u32, u32) -> u32) {
    match all.iter_mut().find(|it| it.mutex == one.mutex) {
        Some(it) => {
            it.times = times(it.times, one.times);
            it.hold = it.hold.max(one.hold);
        }
        None => all.push(one.clone()),
    }
}

/// One that spins has one job, which begins with the system; one that blocks a job a region.
fn worker(name: String, place: usize, core: u32, priority: u8, stack: Bytes, spins: bool) -> Task {
    Task {
        name,
        partition: None,
        entry: Openmp::ENTRY.into(),
        argument: place as i64,
        activation: Activation::Aperiodic,
        deadline: None,
        wcet: None,
        jitter: Default::default(),
        core: Some(core),
        cores: Vec::new(),
        priority: Some(priority),
        stack,
        queue: 1,
        start: spins,
        uses: Vec::new(),
        mutexes: Vec::new(),
        suspends: None,
        budget: None,
        memory: None,
        deadline_handler: None,
        rights: Rights { unrestricted: true, ..Rights::default() },
    }
}

/// Index, core and priority of the task that forks.
fn master(
    report: &mut Report,
    file: &SystemFile,
    table: &TeamTable,
    system: &System,
) -> Option<(usize, u32, u8)> {
    let name = &table.task.get().0;
    let Some(index) = system.tasks.iter().position(|it| &it.name == name) else {
        let known = system.tasks.iter().map(|it| it.name.as_str());
        let help = words::suggest(name, known, "the tasks are");
        let problem = Problem::new(Code::UnknownTask, format!("there is no task `{name}`"), help);
        report.add(problem.at(table.task.span(), "no task has this name"));
        return None;
    };
    let mut refuse = |code, what: &str, help: &str, span: Range<usize>, label: &str| {
        let message = format!("the task `{name}` forks, {what}");
        let problem = Problem::new(code, message, help).at(span, label);
        report.add(problem.at(table.task.span(), "forks here"));
    };
    let described = file.task.get(index);
    if let Some(overrun) =
        described.and_then(|it| it.overrun.as_ref()).filter(|it| it.get() == "stop")
    {
        let help = "use overrun = \"report\": who ended it would leave its workers with data of a job that is gone";
        let what = "so no budget may stop it";
        refuse(Code::MismatchedKey, what, help, overrun.span(), "stops it");
    }
    if let Some(cores) = described.and_then(|it| it.cores.as_ref()) {
        let help = "leave out its `cores`, or the team";
        refuse(Code::BoundTask, "so it must stay on its core", help, cores.span(), "may leave");
    }
    let task = &system.tasks[index];
    let span = described.map_or(table.task.span(), |it| it.name.span());
    if task.core.is_none() || task.priority.is_none() {
        let help = "its workers have its priority, and cores that go with its own";
        let what = "so it needs a `core` and a `priority`";
        refuse(Code::MissingKey, what, help, span, "does not say both");
    }
    Some((index, task.core?, task.priority?))
}

/// The core of each thread. None: refused.
fn cores(report: &mut Report, table: &TeamTable, first: u32, cores: u32) -> Option<Vec<u32>> {
    match (&table.threads, &table.cores) {
        (Some(threads), None) => {
            let count = values::number(report, "threads", threads, 1..=cores)?;
            Some((0..count).map(|number| (first + number) % cores).collect())
        }
        (None, Some(list)) => {
            let mut found = vec![(first, table.task.span())];
            for value in list.get() {
                let core = task::core(report, "cores", value, cores)?;
                if let Some((_, earlier)) = found.iter().find(|(other, _)| *other == core) {
                    let span = value.span();
                    report.add(shared::repeated("core of the team", span, earlier.clone()));
                }
                found.push((core, value.span()));
            }
            Some(found.into_iter().map(|(core, _)| core).collect())
        }
        (threads, _) => {
            let (code, word) = match threads {
                Some(_) => (Code::MismatchedKey, "both"),
                None => (Code::MissingKey, "neither"),
            };
            let message = format!("a team has `threads` or `cores`, and this one {word}");
            let help = "write threads = 4 for cores that follow the task's, or the workers' cores: cores = [1, 2, 7]";
            let span = threads.as_ref().map_or(table.task.span(), Spanned::span);
            report.add(Problem::new(code, message, help).at(span, format!("{word} of the two")));
            None
        }
    }
}

/// Whether each thread spins.
fn spins(report: &mut Report, table: &TeamTable, cores: &[u32]) -> Vec<bool> {
    let wait = table.wait.as_ref().and_then(|it| values::word(report, "wait", it, WAITS));
    let mut spins = vec![wait.unwrap_or(false); cores.len()];
    for value in &table.block {
        let thread = cores.iter().position(|core| i64::from(*core) == *value.get());
        match thread.filter(|_| wait == Some(true)) {
            Some(thread) => spins[thread] = false,
            None if thread.is_some() => {
                let help = "leave it out, or write wait = \"spin\"";
                let message = "all threads of this team block";
                let problem = Problem::new(Code::MismatchedKey, message, help);
                report.add(problem.at(value.span(), "blocks anyway"));
            }
            None => {
                let help = "name cores of the team, the task's own among them";
                let message = "`block` names a core that the team does not have";
                let problem = Problem::new(Code::MissingCore, message, help);
                report.add(problem.at(value.span(), "no core of the team"));
            }
        }
    }
    spins
}

/// The group of each thread: those of one node of the interconnect that follow one another. Of a
/// larger one, and where each core is a node of its own, about the root of the threads.
fn groups(cores: &[u32], system: &System) -> Vec<u32> {
    let interconnect = system.board.timing.as_ref().map(|timing| &timing.interconnect);
    let at_node = interconnect.map_or(1, |it| it.cores_per_node.max(1));
    let root = (1..).find(|root| root * root >= cores.len()).unwrap_or(1);
    let of_node = at_node > 1 && at_node as usize <= LARGEST_GROUP;
    let mut groups = vec![0; cores.len()];
    for number in 1..cores.len() {
        let begins = match of_node {
            true => cores[number] / at_node != cores[number - 1] / at_node,
            false => number % root == 0,
        };
        groups[number] = groups[number - 1] + u32::from(begins);
    }
    groups
}

/// Names of workers fit, and are no other task's.
fn check_names(
    report: &mut Report,
    file: &SystemFile,
    table: &TeamTable,
    longest: &str,
    is_worker: impl Fn(&str) -> bool,
) {
    if longest.len() > words::MAX_NAME {
        let message = format!("the name `{longest}` of a worker would be too long");
        let help =
            format!("shorten the task's name: names have at most {} characters", words::MAX_NAME);
        let problem = Problem::new(Code::NotIdentifier, message, help);
        report.add(problem.at(table.task.span(), "its workers are called after it"));
    }
    let tasks = file.task.iter().map(|it| &it.name);
    tasks.filter(|it| is_worker(&it.get().0)).for_each(|it| report.add(reserved(it)));
}

fn reserved(name: &Spanned<Name>) -> Problem {
    let message = format!("`{}` is a name of the library `openmp`", name.get().0);
    let problem = Problem::new(Code::ReservedName, message, "choose another name");
    problem.at(name.span(), "belongs to a team")
}

/// A thread spins on a core that no other task can be on.
fn check_alone(report: &mut Report, file: &SystemFile, teams: &[Team], system: &System) {
    for (table, team) in file.team.iter().zip(teams) {
        let spinning = team.iter().filter(|thread| thread.spins);
        let other = spinning.into_iter().find_map(|thread| {
            let core = system.tasks[thread.task].core?;
            let may_run =
                |task: &Task| task.core.is_none_or(|it| it == core) || task.cores.contains(&core);
            let mut tasks = system.tasks.iter().enumerate();
            let found = tasks.find(|(index, task)| *index != thread.task && may_run(task));
            found.map(|(index, task)| (core, index, task))
        });
        let Some((core, index, task)) = other else { continue };
        let message =
            format!("a thread spins on core {core}, where the task `{}` may run", task.name);
        let help = format!("let it block, block = [{core}], or give the task another core");
        let span = table.wait.as_ref().map_or(table.task.span(), Spanned::span);
        let mut problem =
            Problem::new(Code::MismatchedKey, message, help).at(span, "needs cores to itself");
        if let Some(described) = file.task.get(index) {
            problem = problem.at(described.name.span(), "may run there");
        }
        report.add(problem);
    }
}
