// SPDX-License-Identifier: Apache-2.0
//! One core, simulated tick by tick from the rules of the kernel alone: preemptive fixed
//! priorities, FIFO among equals, semaphores without inheritance. It shares no code with the
//! analysis. What the kernel leaves open is drawn at random, or goes against the victim.

use std::collections::VecDeque;

use takt_model::Order;

pub use super::patterns::Random;

#[derive(Clone, Copy, Debug)]
pub enum Step {
    Run(u64),
    Sleep(u64),
    Take(usize),
    Give(usize),
}

#[derive(Clone, Debug)]
pub struct Job {
    pub nominal: u64,
    /// The time of the interrupt that makes the job ready.
    pub ready: u64,
    /// What that interrupt costs, until the job stands in the ready queue.
    pub interrupt: u64,
    pub steps: Vec<Step>,
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub priority: u8,
    /// The jobs in the order of `ready`.
    pub jobs: Vec<Job>,
}

#[derive(Clone, Debug, Default)]
pub struct Costs {
    pub wake_interrupt: u64,
    pub release: u64,
    pub dispatch: u64,
    pub preemption: u64,
    pub section: u64,
}

#[derive(Clone, Debug)]
pub struct Machine {
    pub plans: Vec<Plan>,
    pub semaphores: Vec<(u32, Order)>,
    pub costs: Costs,
    /// Interrupts that concern no task: (time, cost).
    pub interrupts: Vec<(u64, u64)>,
    /// The task that loses every tie of releases at one time.
    pub victim: usize,
}

/// The longest response of each task among the jobs that end before `horizon`.
pub fn simulate(machine: &Machine, horizon: u64, random: &mut Random) -> Vec<u64> {
    let mut run = Run::new(machine, random);
    for now in 0..horizon {
        run.now = now;
        run.collect_interrupts();
        run.tick();
    }
    run.worst
}

enum Action {
    Nothing,
    Release(usize),
    Wake(usize),
}

struct Run<'a> {
    machine: &'a Machine,
    random: &'a mut Random,
    now: u64,
    queue: Vec<VecDeque<usize>>,
    running: Option<usize>,
    tasks: Vec<State>,
    counts: Vec<u32>,
    waiting: Vec<VecDeque<usize>>,
    interrupts: VecDeque<(u64, Action)>,
    sleeping: Vec<(u64, usize)>,
    foreign: usize,
    /// Ticks left of a section with interrupts disabled.
    section: u64,
    worst: Vec<u64>,
}

#[derive(Default)]
struct State {
    arrived: usize,
    released: usize,
    done: usize,
    step: usize,
    ran: u64,
    started: bool,
    debt: u64,
}

impl<'a> Run<'a> {
    fn new(machine: &'a Machine, random: &'a mut Random) -> Self {
        Run {
            machine,
            random,
            now: 0,
            queue: vec![VecDeque::new(); 66],
            running: None,
            tasks: machine.plans.iter().map(|_| State::default()).collect(),
            counts: machine.semaphores.iter().map(|one| one.0).collect(),
            waiting: vec![VecDeque::new(); machine.semaphores.len()],
            interrupts: VecDeque::new(),
            sleeping: Vec::new(),
            foreign: 0,
            section: 0,
            worst: vec![0; machine.plans.len()],
        }
    }

    fn collect_interrupts(&mut self) {
        while let Some((_, cost)) =
            self.machine.interrupts.get(self.foreign).filter(|one| one.0 <= self.now)
        {
            self.foreign += 1;
            self.interrupts.push_back((*cost, Action::Nothing));
        }
        let now = self.now;
        let woken: Vec<_> =
            self.sleeping.iter().filter(|one| one.0 <= now).map(|one| one.1).collect();
        self.sleeping.retain(|one| one.0 > now);
        for task in woken {
            let cost = self.machine.costs.wake_interrupt + self.machine.costs.release;
            self.interrupts.push_back((cost, Action::Wake(task)));
        }
        let victim = self.machine.victim;
        let tasks = (0..self.tasks.len()).filter(|task| *task != victim).chain([victim]);
        for task in tasks {
            let jobs = &self.machine.plans[task].jobs;
            while let Some(job) =
                jobs.get(self.tasks[task].arrived).filter(|job| job.ready <= self.now)
            {
                self.tasks[task].arrived += 1;
                self.interrupts.push_back((job.interrupt, Action::Release(task)));
            }
        }
    }

    fn tick(&mut self) {
        if self.section == 0 {
            if self.interrupt() {
                return;
            }
            self.choose();
            if self.random.chance(4) {
                self.section = self.random.upto(self.machine.costs.section);
            }
        }
        self.section = self.section.saturating_sub(1);
        if let Some(task) = self.running {
            self.execute(task);
        }
    }

    /// Spends the tick in an interrupt if there is one.
    fn interrupt(&mut self) -> bool {
        while let Some((cost, _)) = self.interrupts.front_mut() {
            if *cost > 0 {
                *cost -= 1;
                if *cost > 0 {
                    return true;
                }
                self.finish_interrupt();
                return true;
            }
            self.finish_interrupt();
        }
        false
    }

    fn finish_interrupt(&mut self) {
        match self.interrupts.pop_front() {
            Some((_, Action::Release(task))) => {
                self.tasks[task].released += 1;
                if self.tasks[task].released == self.tasks[task].done + 1 {
                    self.enqueue(task);
                }
            }
            Some((_, Action::Wake(task))) => {
                self.tasks[task].debt += self.machine.costs.dispatch;
                self.enqueue(task);
            }
            _ => {}
        }
    }

    fn enqueue(&mut self, task: usize) {
        self.queue[usize::from(self.machine.plans[task].priority)].push_back(task);
    }

    fn choose(&mut self) {
        loop {
            let next = self.queue.iter().find_map(|queue| queue.front().copied());
            if next != self.running {
                self.switch(next);
            }
            let Some(task) = next else { return };
            if !self.tasks[task].started {
                self.tasks[task].started = true;
                self.tasks[task].debt += self.machine.costs.dispatch;
            }
            // The call that waits or gives back comes when the kernel's part is done.
            if self.tasks[task].debt > 0 || self.advance(task) {
                return;
            }
        }
    }

    fn switch(&mut self, next: Option<usize>) {
        if let (Some(old), Some(new)) = (self.running, next) {
            let level = usize::from(self.machine.plans[old].priority);
            if self.queue[level].contains(&old) {
                let save = self.random.upto(self.machine.costs.preemption);
                self.tasks[new].debt += save;
                self.tasks[old].debt += self.machine.costs.preemption - save;
            }
        }
        self.running = next;
    }

    fn execute(&mut self, task: usize) {
        let state = &mut self.tasks[task];
        if state.debt > 0 {
            state.debt -= 1;
            return;
        }
        state.ran += 1;
        self.now += 1;
        self.advance(task);
        self.now -= 1;
    }

    /// Takes the steps that need no time. False if the task no longer runs.
    fn advance(&mut self, task: usize) -> bool {
        loop {
            let machine = self.machine;
            let state = &mut self.tasks[task];
            match machine.plans[task].jobs[state.done].steps.get(state.step).copied() {
                Some(Step::Run(length)) if state.ran < length => return true,
                Some(Step::Run(_)) => {
                    state.ran = 0;
                    state.step += 1;
                }
                Some(Step::Sleep(length)) => {
                    state.step += 1;
                    self.sleeping.push((self.now + length, task));
                    return self.leave(task);
                }
                Some(Step::Take(semaphore)) => {
                    state.step += 1;
                    if self.counts[semaphore] == 0 {
                        self.waiting[semaphore].push_back(task);
                        return self.leave(task);
                    }
                    self.counts[semaphore] -= 1;
                }
                Some(Step::Give(semaphore)) => {
                    state.step += 1;
                    self.give(semaphore);
                }
                None => return self.complete(task),
            }
        }
    }

    fn give(&mut self, semaphore: usize) {
        let plans = &self.machine.plans;
        let first = match self.machine.semaphores[semaphore].1 {
            Order::Fifo => Some(0),
            Order::Priority => (0..self.waiting[semaphore].len())
                .min_by_key(|place| plans[self.waiting[semaphore][*place]].priority),
        };
        match first.and_then(|place| self.waiting[semaphore].remove(place)) {
            Some(task) => {
                self.interrupts.push_front((self.machine.costs.release, Action::Wake(task)));
                if self.machine.costs.release == 0 {
                    self.finish_interrupt();
                }
            }
            None => self.counts[semaphore] += 1,
        }
    }

    fn complete(&mut self, task: usize) -> bool {
        let state = &mut self.tasks[task];
        let response = self.now - self.machine.plans[task].jobs[state.done].nominal;
        self.worst[task] = self.worst[task].max(response);
        state.done += 1;
        (state.step, state.ran, state.started) = (0, 0, false);
        let again = state.released > state.done;
        self.leave(task);
        if again {
            self.enqueue(task);
        }
        false
    }

    /// Takes the task from the ready queue.
    fn leave(&mut self, task: usize) -> bool {
        self.queue[usize::from(self.machine.plans[task].priority)].retain(|one| *one != task);
        self.running = None;
        self.section = 0;
        false
    }
}
