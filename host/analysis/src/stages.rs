// SPDX-License-Identifier: Apache-2.0
//! Tasks that fork, taken apart into their stages. In each stage the threads of a team execute a part each, on a core each. A
//! part is analysed as a sporadic task whose jitter is the latest end of the stage before. The argument stands in
//! docs/design/forkjoin.md, "Bounds".

use std::collections::BTreeMap;

use takt_model::{
    Activation, Assignment, MutexUse, Nanos, Openmp, Stage, System, Task, Team, tree,
};

use crate::costs::KernelCosts;
use crate::quantity::Work;
use crate::reach;
use crate::verdict::{Named, NoBound};

/// Transfers of a line between cores that take no longer one after the other than a section of the kernel, which makes more.
const LINES_OF_SECTION: u64 = 8;
/// A join may call the kernel twice to wait: a wake-up that came late for an earlier one ends the first call at once.
const WAITS_OF_JOIN: u64 = 2;

/// How a thread begins its part of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// The task is released as the description says.
    Released,
    /// The thread runs already: it has forked, or it has spun.
    Running,
    /// Another core interrupts this one and wakes the thread.
    Woken,
    /// Another core interrupts this one and activates the thread. This core passes the activation on to so many others.
    Activated { posts: u64 },
}

/// What one thread executes in one stage, apart from the declared time.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The index of the team.
    pub team: usize,
    /// The index of the thread's task in the description.
    pub thread: usize,
    pub begin: Begin,
    /// Whether a wake-up of an earlier stage may interrupt this part: it comes behind the word that lets the thread go on.
    pub may_be_woken_late: bool,
    /// How many times as long as a section of the kernel the library needs to fork and join.
    pub sections: u64,
    /// How many times as long as a release it needs for that.
    pub releases: u64,
}

impl Part {
    /// The interrupt by which the part begins.
    pub fn interrupt(&self, costs: &KernelCosts) -> Work {
        match self.begin {
            Begin::Released | Begin::Running => Work::ZERO,
            Begin::Woken => costs.remote_release() + costs.continuation,
            // A post, as a release, writes lines that another core has, and a register.
            Begin::Activated { posts } => costs.remote_release() + costs.release * posts,
        }
    }

    /// All interrupts of the team on the core in the window of this part.
    pub fn interrupts_of_window(&self, costs: &KernelCosts) -> Work {
        let late = if self.may_be_woken_late { costs.remote_release() } else { Work::ZERO };
        self.interrupt(costs) + late
    }

    /// What the library needs to fork and join.
    pub fn fork_and_join(&self, costs: &KernelCosts) -> Work {
        costs.section * self.sections + costs.release * self.releases
    }
}

/// The parts that run at the same time: those of one stage before the fork, or those of its region.
#[derive(Clone, Debug)]
pub struct Step {
    /// The number of the stage, from 1. One more than there are: the task joins the last region.
    pub stage: u32,
    pub is_serial: bool,
    pub members: Vec<Member>,
}

#[derive(Clone, Debug)]
pub struct Member {
    /// The index of the part among the tasks of the expanded system.
    pub index: usize,
    pub team: usize,
    /// The cores that pass the activation on before it comes to the part's own core.
    pub path: Vec<u32>,
}

/// A task that forks, and its workers.
#[derive(Clone, Debug)]
pub struct ForkingTask {
    /// The indices of the threads' tasks in the description; the first is the task that forks.
    pub threads: Vec<usize>,
    pub steps: Vec<Step>,
}

/// A system in which the parts of all stages stand for the tasks that fork and their workers. All other tasks keep their
/// indices.
#[derive(Clone, Debug)]
pub struct Expansion {
    pub system: System,
    pub assignments: Vec<Assignment>,
    /// For each task of this system; None: an ordinary one.
    pub parts: Vec<Option<Part>>,
    pub forking: Vec<ForkingTask>,
    /// Why nothing of the system has a bound: a team that cannot be taken apart.
    pub refused: Option<NoBound>,
}

impl Expansion {
    pub fn new(system: &System, assignments: &[Assignment]) -> Self {
        let mut all = Expansion {
            system: system.clone(),
            assignments: assignments.to_vec(),
            parts: vec![None; system.tasks.len()],
            forking: Vec::new(),
            refused: None,
        };
        let Some(openmp) = &system.openmp else { return all };
        let teams = openmp.teams.iter();
        all.refused = teams.enumerate().find_map(|(index, team)| {
            let why = refusal(system, assignments, openmp, index)?;
            Some(NoBound::Forks { task: Named::task(system, team[0].task), why })
        });
        if all.refused.is_none() {
            for (index, (team, stages)) in openmp.teams.iter().zip(&openmp.stages).enumerate() {
                all.add_team(index, team, stages);
            }
        }
        all
    }

    fn add_team(&mut self, index: usize, team: &Team, stages: &[Stage]) {
        let shape = Shape::new(index, team, stages);
        let member = |part, path| Member { index: part, team: index, path };
        let mut steps = Vec::new();
        let mut is_new = vec![true; team.len()];
        for (place, stage) in stages.iter().enumerate() {
            let number = place as u32 + 1;
            if let Some(serial) = stage.serial {
                let part = shape.serial(place == 0, stage.strand.is_some());
                let index = self.add_part(team, 0, (serial, &[]), part, &mut is_new);
                let members = vec![member(index, Vec::new())];
                steps.push(Step { stage: number, is_serial: true, members });
            }
            let Some(strand) = stage.strand else { continue };
            let is_forked = stage.serial.is_some();
            let ends_at_barrier = stages.get(place + 1).is_some_and(|next| next.serial.is_none());
            let members = (0..team.len()).map(|thread| {
                let part = shape.strand(thread, is_forked, ends_at_barrier);
                let strand = (strand, &stage.criticals[..]);
                let index = self.add_part(team, thread, strand, part, &mut is_new);
                let above = if is_forked { shape.above(thread) } else { Vec::new() };
                let core = |thread: usize| self.assignments[team[thread].task].core;
                member(index, above.into_iter().map(core).collect())
            });
            let members = members.collect();
            steps.push(Step { stage: number, is_serial: false, members });
        }
        if stages.last().is_some_and(|last| last.strand.is_some()) {
            let part = shape.serial(false, false);
            let index = self.add_part(team, 0, (Nanos(0), &[]), part, &mut is_new);
            let members = vec![member(index, Vec::new())];
            steps.push(Step { stage: stages.len() as u32 + 1, is_serial: true, members });
        }
        let threads = team.iter().map(|thread| thread.task).collect();
        self.forking.push(ForkingTask { threads, steps });
    }

    /// Adds a part, which executes so long, with these critical sections, and returns its index. The first one of a thread takes
    /// the place of the thread's task.
    fn add_part(
        &mut self,
        team: &Team,
        thread: usize,
        (execution, criticals): (Nanos, &[MutexUse]),
        part: Part,
        is_new: &mut [bool],
    ) -> usize {
        let (master, own) = (team[0].task, team[thread].task);
        let mutexes = criticals.to_vec();
        let mut task = Task { wcet: Some(execution), mutexes, ..self.system.tasks[own].clone() };
        task.rights.unrestricted = false;
        if part.begin != Begin::Released {
            let master = &self.system.tasks[master];
            let separation = match master.activation {
                Activation::Periodic { period, .. } => period,
                Activation::Sporadic { separation } => separation,
                Activation::Aperiodic => Nanos(0), // it is refused
            };
            task.deadline = Some(master.deadline.unwrap_or(separation));
            task.activation = Activation::Sporadic { separation };
            (task.queue, task.start, task.deadline_handler) = (0, false, None);
            task.jitter = Nanos(0); // to be raised
        }
        let first = std::mem::replace(&mut is_new[thread], false);
        if first {
            (self.system.tasks[own], self.parts[own]) = (task, Some(part));
            return own;
        }
        self.system.tasks.push(task);
        self.assignments.push(self.assignments[own]);
        self.parts.push(Some(part));
        self.parts.len() - 1
    }
}

/// A team's tree and counts, from which the costs of its forks and joins follow.
struct Shape<'a> {
    index: usize,
    team: &'a Team,
    links: Vec<Vec<usize>>,
    /// The transfers of a line that an arrival at a join or barrier may wait for, its own among them.
    arrival: u64,
    /// The threads that block.
    blocking: u64,
    /// Whether a region has a barrier, at which workers are woken, too.
    has_barriers: bool,
}

impl<'a> Shape<'a> {
    fn new(index: usize, team: &'a Team, stages: &[Stage]) -> Self {
        let mut sizes: BTreeMap<u32, u64> = BTreeMap::new();
        team.iter().for_each(|thread| *sizes.entry(thread.group).or_default() += 1);
        let groups = if sizes.len() > 1 { sizes.len() as u64 } else { 0 };
        let arrival = sizes.values().max().map_or(0, |largest| largest + groups);
        let blocking = team.iter().filter(|thread| !thread.spins).count() as u64;
        let has_barriers = stages.iter().any(|stage| stage.serial.is_none());
        Shape { index, team, links: tree::links(team), arrival, blocking, has_barriers }
    }

    fn is_alone(&self) -> bool {
        self.team.len() == 1
    }

    fn part(&self, thread: usize, begin: Begin) -> Part {
        let own = &self.team[thread];
        let is_woken = thread == 0 || self.has_barriers;
        let may_be_woken_late = is_woken && !own.spins && !self.is_alone();
        let thread = own.task;
        Part { team: self.index, thread, begin, may_be_woken_late, sections: 0, releases: 0 }
    }

    /// The master alone: it joins the region before, if any, and forks into the next one.
    fn serial(&self, is_first: bool, forks: bool) -> Part {
        let begin = match (is_first, self.team[0].spins || self.is_alone()) {
            (true, _) => Begin::Released,
            (false, true) => Begin::Running,
            (false, false) => Begin::Woken,
        };
        let mut part = self.part(0, begin);
        if self.is_alone() {
            return part;
        }
        // The word that all have arrived is another core's.
        part.sections += u64::from(!is_first);
        if forks {
            // The lines of the fork are with all workers.
            part.sections += sections(self.team.len() as u64);
            part.releases += self.links[0].len() as u64;
        }
        part
    }

    /// One thread of a region, or of what is between two barriers of it.
    fn strand(&self, thread: usize, is_forked: bool, ends_at_barrier: bool) -> Part {
        let (own, is_master) = (&self.team[thread], thread == 0);
        let begin = match (is_forked, is_master) {
            _ if own.spins || self.is_alone() => Begin::Running,
            (true, true) => Begin::Running,
            (true, false) => Begin::Activated { posts: self.links[thread].len() as u64 },
            (false, _) => Begin::Woken,
        };
        let mut part = self.part(thread, begin);
        if self.is_alone() {
            return part;
        }
        // All threads read the lines of the fork, or the word that ends the wait at the barrier.
        if !(is_forked && is_master) {
            part.sections += sections(self.team.len() as u64);
        }
        // The worker's job of before ends behind its arrival.
        part.sections += u64::from(is_forked && !is_master && !own.spins);
        part.sections += sections(self.arrival);
        let others = self.blocking - u64::from(!own.spins);
        let wakes = match (ends_at_barrier, is_master) {
            (true, _) => others,
            (false, true) => 0,
            (false, false) => u64::from(!self.team[0].spins),
        };
        let waits = !own.spins && (ends_at_barrier || is_master);
        part.sections += wakes + if waits { WAITS_OF_JOIN } else { 0 };
        part
    }

    /// The threads on whose cores the activation is passed on, between the master and this thread.
    fn above(&self, thread: usize) -> Vec<usize> {
        let parent = |thread: usize| (0..thread).find(|it| self.links[*it].contains(&thread));
        let above = std::iter::successors(parent(thread), |it| parent(*it));
        above.take_while(|it| *it > 0).collect()
    }
}

/// Sections of the kernel that take as long as transfers of a line one after the other.
fn sections(transfers: u64) -> u64 {
    transfers.div_ceil(LINES_OF_SECTION)
}

/// Why a team cannot be taken apart into stages.
fn refusal(
    system: &System,
    assignments: &[Assignment],
    openmp: &Openmp,
    index: usize,
) -> Option<String> {
    let team = &openmp.teams[index];
    let master = &system.tasks[team[0].task];
    if openmp.levels() > 1 {
        return Some("a team is inside another, which nothing bounds yet".into());
    }
    if openmp.stages[index].is_empty() {
        return Some("its [[team]] declares no `stages`".into());
    }
    if master.activation == Activation::Aperiodic {
        return Some("nothing limits how often it is activated".into());
    }
    let rights = &master.rights;
    let has_mutex = master.mutexes.iter().any(|one| !openmp.is_critical(one.mutex));
    let has = [
        ("uses", !master.uses.is_empty() || has_mutex),
        ("uses", !rights.spin_locks.is_empty()),
        ("suspends", master.suspends.is_some()),
        ("budget", master.budget.is_some()),
        ("cpu_lock", rights.cpu_lock.is_some()),
        ("dispatch_disable", rights.dispatch_disable.is_some()),
        ("controls", !rights.controls.is_empty()),
    ];
    if let Some((key, _)) = has.into_iter().find(|(_, has)| *has) {
        return Some(format!("nothing bounds a task that forks and has `{key}`"));
    }
    let is_thread = |task: usize| team.iter().any(|thread| thread.task == task);
    let changes = |target| matches!(target, takt_model::Target::Task(task, _) if is_thread(task));
    if let Some((by, _)) = reach::controls(system).find(|(_, one)| changes(one.target)) {
        return Some(format!("'{}' has it or its workers in `controls`", system.tasks[by].name));
    }
    // Equals are served in the order of their releases, which is not that of the jobs of a task whose stages come late.
    let equal = |task: &usize| {
        let shares = |core: u32| reach::may_run(system, assignments, *task, core);
        let is_equal = assignments[*task].priority == assignments[team[0].task].priority;
        is_equal && team.iter().any(|thread| shares(assignments[thread.task].core))
    };
    let mut others = (0..system.tasks.len()).filter(|task| !is_thread(*task));
    let other = others.find(equal)?;
    let name = &system.tasks[other].name;
    Some(format!("'{name}' has its priority, on a core of its team: give that task another one"))
}
