// SPDX-License-Identifier: Apache-2.0
//! The unit's tables, and what each command does to them in how many clocks. There are no lists: who is next is searched,
//! by priority and then by order.

use serde::{Deserialize, Serialize};

use super::command::*;
use super::page::Decision;

/// The clocks of each command and of each refusal.
pub const LEAST: u64 = 2;
/// The clocks of an entry that is written.
const WRITE: u64 = 1;
/// The entries that are searched in a clock.
const WIDTH: usize = 8;
/// The most wake-ups that are counted.
const WAKEUPS: u8 = 255;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    /// The task has no job.
    Dormant,
    Ready,
    Delayed,
    Asleep,
    /// These wait for the object of this index.
    Taking(usize),
    Sending(usize),
    Receiving(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Task {
    core: usize,
    /// The priority with which it was created.
    first_base: u8,
    /// The priority without messages.
    base: u8,
    /// Activations that may be counted, and that are.
    activations_max: u16,
    activations: u16,
    wakeups: u8,
    state: State,
    /// The order of its arrival in that state.
    order: u64,
    /// When a delay is over, or a wait has its timeout.
    wake: Option<u64>,
    job: bool,
    outcome: Outcome,
    /// What it waits to send.
    sends: (u8, u64),
    /// The index of the queue whose messages raise it.
    raised_by: Option<usize>,
    /// The priority of the message that it has received there and not released.
    held: Option<u8>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Semaphore {
    count: u32,
    maximum: u32,
    by_priority: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Message {
    priority: u8,
    order: u64,
    word: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Queue {
    places: usize,
    messages: Vec<Message>,
    by_priority: bool,
    /// The index of the task that its messages raise, which alone receives.
    receiver: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tables {
    harts: usize,
    /// Places of each queue.
    places: usize,
    tasks: Vec<Option<Task>>,
    semaphores: Vec<Option<Semaphore>>,
    queues: Vec<Option<Queue>>,
    /// The next order of arrival.
    order: u64,
}

/// What a command has done: the clocks beside [`LEAST`], and the result of the caller's call. None: the caller waits, or
/// its job has ended.
type Done = Result<(u64, Option<Outcome>), Error>;

/// A command that is over for its caller.
fn done(clocks: u64) -> Done {
    Ok((clocks, Some(Outcome::default())))
}

impl Tables {
    pub fn new(figures: &takt_model::Rtu, harts: usize) -> Tables {
        Tables {
            harts,
            places: figures.messages as usize,
            tasks: vec![None; figures.tasks as usize],
            semaphores: vec![None; figures.semaphores as usize],
            queues: vec![None; figures.queues as usize],
            order: 0,
        }
    }

    /// Whether this task may call: it has a job and does not wait.
    pub fn is_ready(&self, id: usize) -> bool {
        index(id, &self.tasks).is_ok_and(|task| self.task(task).state == State::Ready)
    }

    /// What a hart should run.
    pub fn decision(&self, hart: usize) -> Decision {
        self.first(hart).map_or(Decision::default(), |at| {
            let Task { job, outcome, .. } = *self.task(at);
            Decision { next: at as u8 + 1, job, outcome }
        })
    }

    /// The earliest wake time.
    pub fn earliest_wake(&self) -> Option<u64> {
        self.earliest().and_then(|task| self.task(task).wake)
    }

    /// Executes a command from the page of a hart; `enabled`: time 0 has come. Returns its clocks, and the result of a
    /// command without a caller.
    pub fn execute(&mut self, command: Command, hart: usize, enabled: bool) -> (u64, Outcome) {
        let (clocks, outcome) = match self.try_execute(command, hart, enabled) {
            Ok((clocks, outcome)) => (clocks, outcome),
            Err(error) => (0, Some(Outcome::of(error))),
        };
        if let (Some(outcome), 1..) = (outcome, command.caller()) {
            self.task_mut(command.caller() - 1).outcome = outcome;
        }
        (LEAST + clocks, outcome.unwrap_or_default())
    }

    fn try_execute(&mut self, command: Command, hart: usize, enabled: bool) -> Done {
        match command.op() {
            NOP => done(0),
            CREATE_TASK..=CREATE_QUEUE if enabled => Err(Error::State),
            CREATE_TASK => self.create_task(command.immediate() as usize, command.argument),
            CREATE_SEMAPHORE => self.create_semaphore(command.object(), command.argument),
            CREATE_QUEUE => self.create_queue(command.object(), command.argument),
            START => self.start(command.immediate() as usize),
            WAKE => self.wake(command.immediate() as usize),
            END => self.end(caller(command)?),
            DELAY => {
                let clocks =
                    self.wait(caller(command)?, State::Delayed, Wait::Until(command.until));
                Ok((clocks, None))
            }
            SLEEP => self.sleep(caller(command)?, command.wait()),
            YIELD => self.rotate(command, hart),
            SET_PRIORITY => self.set_priority(command.immediate() as usize, command.priority()),
            TAKE => self.take(command),
            GIVE => self.give(command.object()),
            SEND | SEND_LONG => self.send(command),
            RECEIVE => self.receive(command),
            RELEASE => self.release(caller(command)?, command.object()),
            _ => Err(Error::NoSuch),
        }
    }

    /// The earliest wake time has come: the delay is over, or the wait has its timeout. Returns the clocks.
    pub fn time_out(&mut self) -> u64 {
        let Some(task) = self.earliest() else { return LEAST };
        let over = self.task(task).state == State::Delayed;
        let error = if over { Error::Done } else { Error::Timeout };
        // The search for the next earliest is that of a wait that ends.
        LEAST + WRITE + self.end_wait(task, Outcome::of(error))
    }

    // ---- searches -------------------------------------------------------------------------------

    /// The clocks of a search of the tasks, and of a queue's places.
    fn task_search(&self) -> u64 {
        self.tasks.len().div_ceil(WIDTH) as u64
    }

    fn place_search(&self) -> u64 {
        self.places.div_ceil(WIDTH) as u64
    }

    fn there(&self) -> impl Iterator<Item = (usize, &Task)> {
        self.tasks.iter().enumerate().filter_map(|(at, task)| Some((at, task.as_ref()?)))
    }

    /// The first ready task of a hart, by priority and order.
    fn first(&self, hart: usize) -> Option<usize> {
        let ready = self.there().filter(|(_, it)| it.core == hart && it.state == State::Ready);
        ready.min_by_key(|(at, it)| (self.priority(*at), it.order)).map(|(at, _)| at)
    }

    /// The first task that waits in this state.
    fn first_waiting(&self, state: State, by_priority: bool) -> Option<usize> {
        let waiting = self.there().filter(|(_, it)| it.state == state);
        let key = |at| if by_priority { self.priority(at) } else { 0 };
        waiting.min_by_key(|(at, it)| (key(*at), it.order)).map(|(at, _)| at)
    }

    fn earliest(&self) -> Option<usize> {
        let timed = self.there().filter_map(|(at, it)| Some((it.wake?, at)));
        timed.min().map(|(_, at)| at)
    }

    /// The priority that counts: the highest of the base and of the messages sent to the task and not released.
    fn priority(&self, at: usize) -> u8 {
        let Task { base, held, raised_by, .. } = self.task(at);
        let queue = raised_by.and_then(|queue| self.queues[queue].as_ref());
        let sent = queue.and_then(|queue| queue.messages.iter().map(|it| it.priority).min());
        held.iter().copied().chain(sent).fold(*base, u8::min)
    }

    // ---- entries --------------------------------------------------------------------------------

    fn task(&self, at: usize) -> &Task {
        self.tasks[at].as_ref().expect("the task was created")
    }

    fn task_mut(&mut self, at: usize) -> &mut Task {
        self.tasks[at].as_mut().expect("the task was created")
    }

    fn next_order(&mut self) -> u64 {
        self.order += 1;
        self.order
    }

    fn enter(&mut self, at: usize, state: State) {
        let order = self.next_order();
        let task = self.task_mut(at);
        (task.state, task.order) = (state, order);
    }

    /// Lets a task wait: it is written, and its hart's next one is searched. Returns the clocks.
    fn wait(&mut self, at: usize, state: State, wait: Wait) -> u64 {
        self.enter(at, state);
        self.task_mut(at).wake = match wait {
            Wait::Until(time) => Some(time),
            Wait::ForEver => None,
        };
        WRITE + self.task_search()
    }

    /// Ends a wait. Returns the clocks of the search for another earliest wake time.
    fn end_wait(&mut self, at: usize, outcome: Outcome) -> u64 {
        let search = if self.earliest() == Some(at) { self.task_search() } else { 0 };
        self.enter(at, State::Ready);
        let task = self.task_mut(at);
        (task.wake, task.outcome) = (None, outcome);
        search
    }

    fn begin_job(&mut self, at: usize) {
        self.enter(at, State::Ready);
        let task = self.task_mut(at);
        task.job = !task.job;
        task.outcome = Outcome::default();
    }

    // ---- commands: before time 0 ----------------------------------------------------------------

    fn create_task(&mut self, id: usize, argument: u64) -> Done {
        let core = bits(argument, 0, 8) as usize;
        let at = id.wrapping_sub(1);
        if core >= self.harts || at >= self.tasks.len() {
            return Err(Error::NoSuch);
        }
        let base = bits(argument, 8, 6) as u8 + 1;
        let task = Task {
            core,
            first_base: base,
            base,
            activations_max: bits(argument, 16, 16) as u16,
            activations: 0,
            wakeups: 0,
            state: State::Dormant,
            order: 0,
            wake: None,
            job: false,
            outcome: Outcome::default(),
            sends: (0, 0),
            raised_by: None,
            held: None,
        };
        create(&mut self.tasks[at], task)
    }

    fn create_semaphore(&mut self, id: usize, argument: u64) -> Done {
        let (count, maximum) = (bits(argument, 0, 32) as u32, bits(argument, 32, 31) as u32);
        let at = id.wrapping_sub(1);
        if at >= self.semaphores.len() || count > maximum {
            return Err(Error::NoSuch);
        }
        let by_priority = bits(argument, 63, 1) != 0;
        create(&mut self.semaphores[at], Semaphore { count, maximum, by_priority })
    }

    /// A task is raised by one queue at most, so that its priority is known after one search.
    fn create_queue(&mut self, id: usize, argument: u64) -> Done {
        let (places, raises) = (bits(argument, 0, 16) as usize, bits(argument, 24, 8) as usize);
        let at = id.wrapping_sub(1);
        if at >= self.queues.len() || !(1..=self.places).contains(&places) {
            return Err(Error::NoSuch);
        }
        let receiver = if raises == 0 { None } else { Some(index(raises, &self.tasks)?) };
        if receiver.is_some_and(|task| self.task(task).raised_by.is_some()) {
            return Err(Error::State);
        }
        let by_priority = bits(argument, 16, 1) != 0;
        let queue = Queue { places, messages: Vec::new(), by_priority, receiver };
        let done = create(&mut self.queues[at], queue)?;
        if let Some(task) = receiver {
            self.task_mut(task).raised_by = Some(at);
        }
        Ok(done)
    }

    // ---- commands: tasks ------------------------------------------------------------------------

    fn start(&mut self, id: usize) -> Done {
        let at = index(id, &self.tasks)?;
        let task = self.task_mut(at);
        if task.state == State::Dormant {
            self.begin_job(at);
        } else if task.activations < task.activations_max {
            task.activations += 1;
        } else {
            return Err(Error::Overflow);
        }
        done(WRITE)
    }

    fn wake(&mut self, id: usize) -> Done {
        let at = index(id, &self.tasks)?;
        let task = self.task_mut(at);
        match task.state {
            State::Dormant => return Err(Error::State),
            State::Asleep => return done(WRITE + self.end_wait(at, Outcome::default())),
            _ if task.wakeups == WAKEUPS => return Err(Error::Overflow),
            _ => task.wakeups += 1,
        }
        done(WRITE)
    }

    /// Ends a job. If it holds a message, the messages that are left are searched for the next job's priority.
    fn end(&mut self, at: usize) -> Done {
        let places = if self.task(at).held.is_some() { self.place_search() } else { 0 };
        let task = self.task_mut(at);
        (task.state, task.base, task.wakeups, task.held) =
            (State::Dormant, task.first_base, 0, None);
        let mut clocks = places + WRITE + self.task_search();
        let task = self.task_mut(at);
        if task.activations > 0 {
            task.activations -= 1;
            self.begin_job(at);
            clocks += WRITE;
        }
        Ok((clocks, None))
    }

    fn sleep(&mut self, at: usize, wait: Option<Wait>) -> Done {
        let task = self.task_mut(at);
        if task.wakeups > 0 {
            task.wakeups -= 1;
            return done(WRITE);
        }
        let wait = wait.ok_or(Error::Timeout)?;
        Ok((self.wait(at, State::Asleep, wait), None))
    }

    /// The priority of the word, or with IMMEDIATE 1 the caller's base.
    fn rotate(&mut self, command: Command, hart: usize) -> Done {
        let priority = match command.immediate() {
            0 => command.priority(),
            1 => self.task(caller(command)?).base,
            _ => return Err(Error::NoSuch),
        };
        let first = self.first(hart);
        let ready = self.there().filter(|(_, it)| it.core == hart && it.state == State::Ready);
        let equal = ready.filter(|(at, _)| self.priority(*at) == priority);
        let Some(at) = equal.min_by_key(|(_, it)| it.order).map(|(at, _)| at) else {
            return done(self.task_search());
        };
        let again = if first == Some(at) { self.task_search() } else { 0 };
        self.enter(at, State::Ready);
        done(self.task_search() + WRITE + again)
    }

    /// A ready task comes behind its new equals, and so does one that waits by priority.
    fn set_priority(&mut self, id: usize, priority: u8) -> Done {
        let at = index(id, &self.tasks)?;
        let Task { state, core, .. } = *self.task(at);
        let by_priority = match state {
            State::Dormant => return Err(Error::State),
            State::Ready => true,
            State::Taking(it) => self.semaphores[it].as_ref().is_some_and(|it| it.by_priority),
            State::Sending(it) => self.queues[it].as_ref().is_some_and(|it| it.by_priority),
            _ => false,
        };
        let was_first = state == State::Ready && self.first(core) == Some(at);
        let again = if was_first { self.task_search() } else { 0 };
        self.task_mut(at).base = priority;
        if by_priority {
            self.enter(at, state);
        }
        done(WRITE + again)
    }

    // ---- commands: semaphores and queues --------------------------------------------------------

    fn take(&mut self, command: Command) -> Done {
        let at = index(command.object(), &self.semaphores)?;
        let semaphore = self.semaphores[at].as_mut().ok_or(Error::NoSuch)?;
        if semaphore.count > 0 {
            semaphore.count -= 1;
            return done(WRITE);
        }
        let wait = command.wait().ok_or(Error::Timeout)?;
        Ok((self.wait(caller(command)?, State::Taking(at), wait), None))
    }

    fn give(&mut self, id: usize) -> Done {
        let at = index(id, &self.semaphores)?;
        let by_priority = self.semaphores[at].as_ref().is_some_and(|it| it.by_priority);
        if let Some(task) = self.first_waiting(State::Taking(at), by_priority) {
            return done(self.task_search() + WRITE + self.end_wait(task, Outcome::default()));
        }
        let semaphore = self.semaphores[at].as_mut().ok_or(Error::NoSuch)?;
        if semaphore.count >= semaphore.maximum {
            return Err(Error::Overflow);
        }
        semaphore.count += 1;
        done(WRITE)
    }

    fn send(&mut self, command: Command) -> Done {
        let at = index(command.object(), &self.queues)?;
        let (priority, word) = (command.priority(), command.sent());
        let queue = self.queues[at].as_ref().ok_or(Error::NoSuch)?;
        let (full, receiver) = (queue.messages.len() == queue.places, queue.receiver);
        if let Some(task) = self.first_waiting(State::Receiving(at), false) {
            let outcome = Outcome { error: Error::Done, priority, value: word };
            let clocks = self.task_search() + WRITE + self.end_wait(task, outcome);
            self.hold(task, at, priority);
            return done(clocks);
        }
        if full {
            let wait = command.wait().ok_or(Error::Timeout)?;
            let caller = caller(command)?;
            self.task_mut(caller).sends = (priority, word);
            return Ok((self.wait(caller, State::Sending(at), wait), None));
        }
        let before = receiver.map(|task| self.priority(task));
        self.put(at, priority, word);
        let rises = receiver.map(|task| self.priority(task)) != before;
        done(if rises { 2 * WRITE } else { WRITE })
    }

    fn receive(&mut self, command: Command) -> Done {
        let at = index(command.object(), &self.queues)?;
        let queue = self.queues[at].as_mut().ok_or(Error::NoSuch)?;
        let (by_priority, receiver) = (queue.by_priority, queue.receiver);
        if receiver.is_some() {
            let caller = caller(command)?;
            if receiver != Some(caller) || self.task(caller).held.is_some() {
                return Err(Error::State);
            }
        }
        let queue = self.queues[at].as_mut().ok_or(Error::NoSuch)?;
        let first = queue.messages.iter().enumerate().min_by_key(|(_, it)| (it.priority, it.order));
        let Some((place, _)) = first else {
            let wait = command.wait().ok_or(Error::Timeout)?;
            return Ok((self.wait(caller(command)?, State::Receiving(at), wait), None));
        };
        let Message { priority, word, .. } = queue.messages.swap_remove(place);
        if let Some(task) = receiver {
            self.hold(task, at, priority);
        }
        let mut clocks = self.place_search() + WRITE;
        if let Some(task) = self.first_waiting(State::Sending(at), by_priority) {
            let (priority, word) = self.task(task).sends;
            let earliest = self.end_wait(task, Outcome::default());
            self.put(at, priority, word);
            clocks += self.task_search() + 2 * WRITE + earliest;
        }
        Ok((clocks, Some(Outcome { error: Error::Done, priority, value: word })))
    }

    fn release(&mut self, at: usize, id: usize) -> Done {
        let queue = index(id, &self.queues)?;
        let Task { raised_by, held, core, .. } = *self.task(at);
        if raised_by != Some(queue) || held.is_none() {
            return Err(Error::State);
        }
        let (was_first, before) = (self.first(core) == Some(at), self.priority(at));
        self.task_mut(at).held = None;
        let falls = self.priority(at) != before;
        let again = if was_first && falls { self.task_search() } else { 0 };
        done(self.place_search() + WRITE + again)
    }

    /// A message of a queue that raises counts until it is released.
    fn hold(&mut self, task: usize, queue: usize, priority: u8) {
        let task = self.task_mut(task);
        if task.raised_by == Some(queue) {
            task.held = Some(priority);
        }
    }

    fn put(&mut self, queue: usize, priority: u8, word: u64) {
        let order = self.next_order();
        let queue = self.queues[queue].as_mut().expect("the queue was created");
        queue.messages.push(Message { priority, order, word });
    }
}

/// The index of the caller, which a command that concerns it must have.
fn caller(command: Command) -> Result<usize, Error> {
    command.caller().checked_sub(1).ok_or(Error::NoSuch)
}

/// The index of an object that was created.
fn index<T>(id: usize, objects: &[Option<T>]) -> Result<usize, Error> {
    let at = id.checked_sub(1).ok_or(Error::NoSuch)?;
    objects.get(at).and_then(Option::as_ref).map(|_| at).ok_or(Error::NoSuch)
}

fn create<T>(place: &mut Option<T>, object: T) -> Done {
    if place.is_some() {
        return Err(Error::State);
    }
    *place = Some(object);
    done(WRITE)
}
