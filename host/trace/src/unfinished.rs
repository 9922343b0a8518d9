// SPDX-License-Identifier: Apache-2.0
//! Finds the jobs that are not finished at the end of a run: where each is, what it waits for, and
//! which task holds that object.

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::{Activation, System};
use takt_record::{Class, Record, Standing, State};

use crate::names;
use crate::table::duration;

/// A job that is not finished at the end of the run, or a task that was never activated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unfinished {
    /// The task's name.
    pub task: String,
    /// "never_activated", "held_back" (until the separation is over), "ready", "running", "waiting", "suspended",
    /// "spinning" (for a mutex of several cores) or "ending" (it called takt_system_shutdown).
    #[schemars(with = "String", extend("enum" = ["never_activated", "held_back", "ready", "running", "waiting",
        "suspended", "spinning", "ending"]))]
    pub state: JobState,
    /// The nominal release of the job; null: it has not begun.
    pub release_ns: Option<u64>,
    /// How long the job has executed; null: it has not begun.
    pub executed_ns: Option<u64>,
    /// What the job waits for, in the class and by the name of the description; null: for none, or for a time.
    pub waits_for: Option<Awaited>,
    /// When the wait began, or for a job that does not wait when it was ready last; null: the event was overwritten
    /// before it could be read.
    pub since_ns: Option<u64>,
    /// When the wait ends at the latest; null: it does not wait, or waits without a limit.
    pub until_ns: Option<u64>,
    /// A task that holds what the job waits for; null: none, or it is not known.
    pub held_by: Option<String>,
    /// Where the holder is not known: tasks of which one or more hold it, as the description lets them and their jobs
    /// are not finished.
    pub held_by_some_of: Vec<String>,
    /// The tasks of the deadlock that the job is in, itself first: each waits without a limit for what the next one
    /// holds, the last for what the first holds. Empty: it is in none.
    pub deadlock: Vec<String>,
    /// Where in the application's code the job is; null: not known.
    pub place: Option<CodePlace>,
}

/// The state of a job that is not finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    NeverActivated,
    HeldBack,
    Ready,
    Running,
    Waiting,
    Suspended,
    Spinning,
    Ending,
}

/// An object that a job waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Awaited {
    /// "semaphore", "flag", "data_queue", "priority_data_queue", "message_buffer", "memory_pool", "mutex", "barrier",
    /// "read" or "write" (a reader-writer lock).
    #[serde(serialize_with = "class_name")]
    #[schemars(with = "String")]
    pub class: Class,
    /// The object's name.
    pub name: String,
}

/// A place in the code of an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CodePlace {
    /// The C function.
    pub function: String,
    /// The source file, relative to the description's directory where it lies in that; null: the image does not say.
    pub file: Option<String>,
    /// The line, from 1; null: the image does not say.
    pub line: Option<u32>,
}

/// Finds the place in the application that a job has reached, from code offsets, the innermost
/// first.
pub type Locate<'a> = &'a dyn Fn(&[u32]) -> Option<CodePlace>;

/// All unfinished jobs in the order of the description; none after a panic.
pub fn find(system: &System, record: &Record, locate: Locate) -> Vec<Unfinished> {
    let all = 0..record.tasks.len();
    all.filter_map(|index| one(system, record, locate, index)).collect()
}

fn one(system: &System, record: &Record, locate: Locate, index: usize) -> Option<Unfinished> {
    let end = &record.tasks[index].end;
    let state = match end.state {
        State::Unknown => return None,
        State::Dormant if never_activated(system, end, index) => JobState::NeverActivated,
        State::Dormant => return None,
        State::HeldBack => JobState::HeldBack,
        State::Ready => JobState::Ready,
        State::Running => JobState::Running,
        State::Waiting => JobState::Waiting,
        State::Suspended => JobState::Suspended,
        State::Spinning => JobState::Spinning,
        State::Ending => JobState::Ending,
    };
    let name = |index: usize| system.tasks[index].name.clone();
    let began = !matches!(state, JobState::NeverActivated | JobState::HeldBack);
    let cycle = cycle(record, index);
    Some(Unfinished {
        task: name(index),
        state,
        release_ns: end.release.filter(|_| began),
        executed_ns: began.then_some(end.execution),
        waits_for: awaited(system, end.wait),
        since_ns: end.since.filter(|_| began),
        until_ns: end.until,
        held_by: holder(record, index).map(name),
        held_by_some_of: some_users(system, record, index).into_iter().map(name).collect(),
        deadlock: cycle.into_iter().map(name).collect(),
        place: locate(&end.places),
    })
}

/// Whether nobody has activated the task. The kernel itself activates periodic tasks and those that
/// start with the system.
fn never_activated(system: &System, end: &Standing, index: usize) -> bool {
    let task = &system.tasks[index];
    let by_others = !matches!(task.activation, Activation::Periodic { .. }) && !task.start;
    by_others && end.release.is_none()
}

fn awaited(system: &System, (class, id): (Class, u16)) -> Option<Awaited> {
    let names = names::of_objects(system, class);
    let name = names.get(usize::from(id).checked_sub(1)?)?;
    Some(Awaited { class, name: name.to_string() })
}

fn class_name<S: serde::Serializer>(class: &Class, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(class.name())
}

/// The task that holds what the job waits for, if the kernel knows it.
fn holder(record: &Record, index: usize) -> Option<usize> {
    let holder = (record.tasks[index].end.holder as usize).checked_sub(1)?;
    (holder < record.tasks.len()).then_some(holder)
}

/// The users of a semaphore whose holder the kernel does not know, as far as their jobs are
/// unfinished.
fn some_users(system: &System, record: &Record, index: usize) -> Vec<usize> {
    let semaphore = match record.tasks[index].end.wait {
        (Class::Semaphore, id) if id != 0 && holder(record, index).is_none() => usize::from(id) - 1,
        _ => return Vec::new(),
    };
    let may_hold = |other: &usize| {
        let uses = &system.tasks[*other].uses;
        let unfinished =
            !matches!(record.tasks[*other].end.state, State::Dormant | State::HeldBack);
        unfinished && uses.iter().any(|it| it.semaphore == semaphore && it.hold.is_some())
    };
    (0..record.tasks.len()).filter(|other| *other != index).filter(may_hold).collect()
}

/// The cycle of waits without a limit that leads from a task back to itself; empty if there is
/// none. The search is bounded by the number of tasks.
fn cycle(record: &Record, index: usize) -> Vec<usize> {
    let blocks_on = |at: usize| {
        let Standing { state, until, .. } = &record.tasks[at].end;
        let is_stuck = matches!(state, State::Waiting | State::Spinning) && until.is_none();
        is_stuck.then(|| holder(record, at)).flatten()
    };
    let (mut path, mut at) = (vec![index], index);
    while let Some(next) = blocks_on(at) {
        match next == index {
            true => return path,
            false if path.contains(&next) => break,
            false => path.push(next),
        }
        at = next;
    }
    Vec::new()
}

impl Awaited {
    fn words(&self) -> String {
        let Awaited { class, name } = self;
        match class {
            Class::Read => format!("reader-writer lock {name}, to read"),
            Class::Write => format!("reader-writer lock {name}, to write"),
            class => format!("{} {name}", class.name().replace('_', " ")),
        }
    }
}

impl CodePlace {
    /// Such as `in step (main.c:31)`.
    pub fn words(&self) -> String {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => format!("in {} ({file}:{line})", self.function),
            (Some(file), None) => format!("in {} ({file})", self.function),
            _ => format!("in {}", self.function),
        }
    }
}

impl Unfinished {
    /// The job in one sentence without its full stop.
    pub fn words(&self) -> String {
        let mut text = format!("task {} {}", self.task, self.doing());
        let time = |word: &str, time: &Option<u64>| {
            time.map_or(String::new(), |time| format!(" {word} {}", duration(time)))
        };
        text += &time("since", &self.since_ns);
        text += &time("until", &self.until_ns);
        if let Some(place) = &self.place {
            text += &format!(", {}", place.words());
        }
        match (&self.held_by, &self.held_by_some_of[..]) {
            (Some(task), _) => text += &format!("; it is held by task {task}"),
            (None, []) => {}
            (None, some) => text += &format!("; it is held by one or more of {}", some.join(", ")),
        }
        if let (Some(release), Some(executed)) = (self.release_ns, self.executed_ns) {
            let (release, executed) = (duration(release), duration(executed));
            text += &match self.executed_ns {
                Some(0) => format!("; its job was released at {release} and has not begun"),
                _ => format!("; its job was released at {release} and has executed for {executed}"),
            };
        }
        text
    }

    fn doing(&self) -> String {
        let object = self.waits_for.as_ref().map(Awaited::words);
        match (self.state, object) {
            (JobState::HeldBack, _) => "is held back until its separation is over".to_string(),
            (JobState::Ready, _) => "is ready but does not run".to_string(),
            (JobState::Running, _) => "is running".to_string(),
            (JobState::Suspended, _) => "is suspended by another task".to_string(),
            (JobState::Ending, _) => "ended the run".to_string(),
            (JobState::Spinning, Some(object)) => format!("spins for {object}"),
            (JobState::Waiting, Some(object)) => format!("waits for {object}"),
            (JobState::Waiting | JobState::Spinning, None) => match self.until_ns {
                Some(_) => "sleeps".to_string(),
                None => "sleeps until a task wakes it".to_string(),
            },
            (JobState::NeverActivated, _) => "was never activated".to_string(),
        }
    }
}

/// Each deadlock once, as a sentence: which task waits for what another holds, around to the first
/// task.
pub fn deadlocks(unfinished: &[Unfinished]) -> Vec<String> {
    let of = |name: &String| unfinished.iter().find(|it| it.task == *name);
    let is_first = |it: &&Unfinished| {
        let first = unfinished.iter().find(|other| it.deadlock.contains(&other.task));
        first.is_some_and(|first| first.task == it.task)
    };
    let wait = |name: &String| {
        let it = of(name)?;
        let object = it.waits_for.as_ref()?.words();
        Some(format!("{name} waits for {object}, held by {}", it.held_by.as_ref()?))
    };
    let sentence = |it: &Unfinished| {
        format!("deadlock: {}", it.deadlock.iter().filter_map(wait).collect::<Vec<_>>().join("; "))
    };
    unfinished.iter().filter(is_first).map(sentence).collect()
}
