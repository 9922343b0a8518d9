// SPDX-License-Identifier: Apache-2.0
//! The state of one core according to the record: the running task, and the one that should run.

use std::rc::Rc;

use super::{EventOrigin, Findings};

/// The part of the system that chooses the task that a core runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Chooses {
    /// The core, in the section in which its ready tasks change.
    #[default]
    Core,
    /// A server on another core, whose decision the core learns later.
    Server,
    /// A unit that records nothing.
    Unit,
}

/// The decisions of a server for a core.
#[derive(Debug, Default)]
pub struct Decided {
    /// The ID of the task that is the first, 0: none, and since when, in ticks.
    pub first: u16,
    pub since: u64,
    /// The tasks that were the first before, from the decision on that the core has read last.
    pub past: Vec<u16>,
}

#[derive(Debug, Default)]
pub struct Core {
    pub chooses: Chooses,
    pub decided: Decided,
    /// The time of the latest event of the core itself, in ticks.
    pub latest: u64,
    /// The ID of the running task; 0: none. None: its job has ended and the dispatch that follows
    /// has not been recorded yet. None also at first, because the start hook may have made tasks
    /// ready.
    pub running: Option<u16>,
    pub dispatch_disabled: bool,
    /// Whether an interrupt is being served.
    pub interrupted: bool,
    /// Whether the kernel may be in a section that changes which task should run, before the
    /// running task waits or ends: the section releases mutexes, or passes on an inherited
    /// priority.
    pub changing: bool,
    /// Whether the core has used up a budget of memory traffic, and must idle.
    pub throttled: bool,
    /// The windows, if the core has a frame.
    windows: Option<Windows>,
    /// Whether events of the core are lost, so that its state is unknown.
    pub lost: bool,
    /// The priority and ID of the ready tasks, in the order in which they should run.
    ready: Vec<(u8, u16)>,
}

/// The windows of a core with a frame.
#[derive(Debug)]
struct Windows {
    /// 1 + the index of the partition whose window is open; 0: none is.
    open: u32,
    /// For each task 1 + the index of its partition, 0: it has none.
    partitions: Rc<[u32]>,
}

impl Windows {
    fn is_open_for(&self, task: u16) -> bool {
        let partition = usize::from(task).checked_sub(1).and_then(|it| self.partitions.get(it));
        self.open != 0 && partition == Some(&self.open)
    }
}

impl Core {
    /// A core with a frame, before the first window opens. `partitions`: see [`Windows`].
    pub fn with_windows(partitions: Rc<[u32]>) -> Core {
        Core { windows: Some(Windows { open: 0, partitions }), ..Core::default() }
    }

    pub fn open_window(&mut self, partition: u32) {
        if let Some(windows) = &mut self.windows {
            windows.open = partition;
        }
    }

    /// Inserts a task behind all others of its priority.
    pub fn insert(&mut self, task: u16, priority: u8) {
        let place = self.ready.partition_point(|(other, _)| *other <= priority);
        self.ready.insert(place, (priority, task));
    }

    /// Inserts a task before all others of its priority.
    pub fn insert_first(&mut self, task: u16, priority: u8) {
        let place = self.ready.partition_point(|(other, _)| *other < priority);
        self.ready.insert(place, (priority, task));
    }

    pub fn remove(&mut self, task: u16) {
        self.ready.retain(|(_, other)| *other != task);
    }

    /// The ID of the task that should run; 0: none.
    pub fn first(&self) -> u16 {
        if self.throttled {
            return 0;
        }
        let mut ready = self.ready.iter().map(|(_, task)| *task);
        ready.find(|task| self.may_run(*task)).unwrap_or(0)
    }

    /// Whether the task's window is open, if it needs one.
    fn may_run(&self, task: u16) -> bool {
        self.windows.as_ref().is_none_or(|windows| windows.is_open_for(task))
    }

    /// Checks that the running task is the one that should run. The caller is sure that the kernel
    /// is not in a section at this instant.
    pub fn compare(&self, at: EventOrigin, when: &str, findings: &mut Findings) {
        if self.chooses != Chooses::Core {
            return;
        }
        let Some(running) = self.running.filter(|_| !self.dispatch_disabled) else { return };
        self.must_be_first(running, at, when, findings);
    }

    /// Checks the same at the begin of the section in which the running task waits or ends.
    pub fn compare_before(&self, at: EventOrigin, when: &str, findings: &mut Findings) {
        if !self.changing {
            self.compare(at, when, findings);
        }
    }

    /// Checks that the choice of `task` is that of the core, or a decision of the server that the
    /// core may have read.
    pub fn check_choice(&self, task: u16, at: EventOrigin, when: &str, findings: &mut Findings) {
        if self.chooses == Chooses::Core || !self.decided.past.contains(&task) {
            self.must_be_first(task, at, when, findings);
        }
    }

    /// Checks that `task`, which runs or is about to run, should run.
    pub fn must_be_first(&self, task: u16, at: EventOrigin, when: &str, findings: &mut Findings) {
        let first = self.first();
        if first == task {
            return;
        }
        let (runs, should) = (findings.name(task), findings.name(first));
        let priority = |id| self.ready.iter().find(|(_, other)| *other == id).map(|it| it.0);
        let (rule, why) = match (priority(task), priority(first)) {
            (_, None) if self.throttled => {
                ("throttle", "its core has used up a budget".to_string())
            }
            (Some(_), _) if !self.may_run(task) => {
                ("window", "no window of its partition is open".to_string())
            }
            (_, None) => ("state", "nothing is ready".to_string()),
            (None, Some(level)) => ("priority", format!("{should} is ready with priority {level}")),
            (Some(mine), Some(level)) if mine == level => {
                ("fifo", format!("{should}, of the same priority, became ready before"))
            }
            (Some(mine), Some(level)) => {
                ("priority", format!("{should} is ready with priority {level}, it has {mine}"))
            }
        };
        findings.add(EventOrigin { task, ..at }, rule, format!("{runs} runs {when}, but {why}"));
    }
}
