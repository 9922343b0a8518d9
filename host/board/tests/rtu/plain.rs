// SPDX-License-Identifier: Apache-2.0
//! A second reading of the memo on placements, section 4: edge by edge, with lists in order of arrival, and with tables
//! that are replaced at a service's end.

use takt_board::devices::Clock;
use takt_model::Rtu;

const DONE: u64 = 0;
const TIMEOUT: u64 = 1;
const OVERFLOW: u64 = 2;
const STATE: u64 = 3;
const NO_SUCH: u64 = 4;
const BUSY: u64 = 5;
const NOT_TAKEN: u64 = 6;

#[derive(Clone, Copy, Debug, PartialEq)]
enum TaskState {
    Dormant,
    Ready,
    Delay,
    Sleep,
    Semaphore(u64),
    Sender(u64),
    Receiver(u64),
}

/// Error, priority less 1, word.
type Result3 = (u64, u64, u64);

#[derive(Clone, Debug)]
struct Task {
    id: u64,
    core: usize,
    created: u64,
    base: u64,
    room: u64,
    counted: u64,
    wakeups: u64,
    at: TaskState,
    until: Option<u64>,
    job: bool,
    result: Result3,
    message: (u64, u64),
    reads: Option<u64>,
}

#[derive(Clone, Debug)]
struct Semaphore {
    id: u64,
    count: u64,
    maximum: u64,
    by_priority: bool,
}

#[derive(Clone, Debug)]
struct Queue {
    id: u64,
    room: usize,
    /// Priority and word, in order of arrival.
    messages: Vec<(u64, u64)>,
    by_priority: bool,
    raises: u64,
}

/// All objects in the order in which they were created, and tasks also in that of their arrival in their states.
#[derive(Clone, Debug, Default)]
struct Tables {
    tasks: Vec<Task>,
    arrivals: Vec<u64>,
    semaphores: Vec<Semaphore>,
    queues: Vec<Queue>,
}

fn field(word: u64, from: u32, to: u32) -> u64 {
    (word >> from) & ((1u64 << (to - from) << 1) - 1)
}

/// What a service comes to: its clocks beside the 2 and the result of the caller, if it goes on.
type Outcome = (u64, Option<Result3>);

struct Sizes {
    figures: Rtu,
    harts: usize,
}

impl Sizes {
    fn s(&self) -> u64 {
        u64::from(self.figures.tasks) / 8
    }

    fn q(&self) -> u64 {
        u64::from(self.figures.messages) / 8
    }
}

impl Tables {
    fn task(&self, id: u64) -> Option<&Task> {
        self.tasks.iter().find(|it| it.id == id)
    }

    fn change(&mut self, id: u64) -> &mut Task {
        self.tasks.iter_mut().find(|it| it.id == id).unwrap()
    }

    /// Tasks that are somewhere, in order of arrival.
    fn at(&self, place: TaskState) -> Vec<&Task> {
        self.arrivals.iter().map(|id| self.task(*id).unwrap()).filter(|it| it.at == place).collect()
    }

    fn arrive(&mut self, id: u64, place: TaskState) {
        self.arrivals.retain(|other| *other != id);
        self.arrivals.push(id);
        self.change(id).at = place;
    }

    /// A smaller number is a higher priority.
    fn priority(&self, task: &Task) -> u64 {
        let mut highest = task.base;
        for queue in self.queues.iter().filter(|queue| queue.raises == task.id) {
            for (priority, _) in &queue.messages {
                highest = highest.min(*priority);
            }
        }
        highest.min(task.reads.unwrap_or(64))
    }

    fn ready(&self, core: usize) -> Vec<&Task> {
        self.at(TaskState::Ready).into_iter().filter(|it| it.core == core).collect()
    }

    fn first(&self, core: usize) -> u64 {
        let ready = self.ready(core);
        let best = ready.iter().map(|it| self.priority(it)).min();
        ready.iter().find(|it| Some(self.priority(it)) == best).map_or(0, |it| it.id)
    }

    fn waiter(&self, place: TaskState, by_priority: bool) -> Option<u64> {
        let all = self.at(place);
        let best = all.iter().map(|it| self.priority(it)).min();
        all.iter().find(|it| !by_priority || Some(self.priority(it)) == best).map(|it| it.id)
    }

    fn earliest(&self) -> Option<(u64, u64)> {
        self.tasks.iter().filter_map(|it| it.until.map(|until| (until, it.id))).min()
    }

    /// Makes a waiting task ready; whether it had the earliest wake time.
    fn resume(&mut self, id: u64, result: Result3) -> bool {
        let was = self.earliest().is_some_and(|(_, earliest)| earliest == id);
        self.arrive(id, TaskState::Ready);
        let task = self.change(id);
        task.until = None;
        task.result = result;
        was
    }

    fn launch(&mut self, id: u64) {
        self.arrive(id, TaskState::Ready);
        let task = self.change(id);
        task.job ^= true;
        task.result = (DONE, 0, 0);
    }

    fn block(&mut self, sizes: &Sizes, id: u64, place: TaskState, until: Option<u64>) -> Outcome {
        self.arrive(id, place);
        self.change(id).until = until;
        (1 + sizes.s(), None)
    }

    fn expire(&mut self, sizes: &Sizes) -> u64 {
        let (_, id) = self.earliest().unwrap();
        let error = if self.task(id).unwrap().at == TaskState::Delay { DONE } else { TIMEOUT };
        self.resume(id, (error, 0, 0));
        2 + 1 + sizes.s()
    }

    /// One row of the memo's table after the other.
    fn row(
        &mut self,
        sizes: &Sizes,
        page: usize,
        enabled: bool,
        (word, argument, time): (u64, u64, u64),
    ) -> Result<Outcome, u64> {
        let (op, wait, priority) = (field(word, 0, 4), field(word, 6, 7), field(word, 8, 13));
        let (object, caller, immediate) =
            (field(word, 14, 23), field(word, 24, 31), field(word, 32, 63));
        let (s, q) = (sizes.s(), sizes.q());
        let until = if wait == 1 { Some(time) } else { None };
        let over = |clocks| Ok((clocks, Some((DONE, 0, 0))));
        let more = |condition, clocks| if condition { clocks } else { 0 };
        match op {
            0 => over(0),
            1..=3 if enabled => Err(STATE),
            1 => {
                let core = field(argument, 0, 7) as usize;
                if immediate == 0 || immediate > sizes.figures.tasks.into() || core >= sizes.harts {
                    return Err(NO_SUCH);
                }
                if self.task(immediate).is_some() {
                    return Err(STATE);
                }
                let base = field(argument, 8, 13);
                self.tasks.push(Task {
                    id: immediate,
                    core,
                    created: base,
                    base,
                    room: field(argument, 16, 31),
                    counted: 0,
                    wakeups: 0,
                    at: TaskState::Dormant,
                    until: None,
                    job: false,
                    result: (DONE, 0, 0),
                    message: (0, 0),
                    reads: None,
                });
                self.arrivals.push(immediate);
                over(1)
            }
            2 => {
                let (count, maximum) = (field(argument, 0, 31), field(argument, 32, 62));
                if object == 0 || object > sizes.figures.semaphores.into() || count > maximum {
                    return Err(NO_SUCH);
                }
                if self.semaphores.iter().any(|it| it.id == object) {
                    return Err(STATE);
                }
                let by_priority = argument >> 63 == 1;
                self.semaphores.push(Semaphore { id: object, count, maximum, by_priority });
                over(1)
            }
            3 => {
                let (room, raises) = (field(argument, 0, 15), field(argument, 24, 31));
                let (queues, most) = (sizes.figures.queues, sizes.figures.messages);
                if object == 0 || object > queues.into() || room == 0 || room > most.into() {
                    return Err(NO_SUCH);
                }
                if raises != 0 && self.task(raises).is_none() {
                    return Err(NO_SUCH);
                }
                let raised = |it: &Queue| raises != 0 && it.raises == raises;
                if self.queues.iter().any(|it| it.id == object || raised(it)) {
                    return Err(STATE);
                }
                let by_priority = field(argument, 16, 16) == 1;
                let (room, messages) = (room as usize, vec![]);
                self.queues.push(Queue { id: object, room, messages, by_priority, raises });
                over(1)
            }
            4 => {
                let task = self.task(immediate).ok_or(NO_SUCH)?;
                if task.at == TaskState::Dormant {
                    self.launch(immediate);
                } else if task.counted == task.room {
                    return Err(OVERFLOW);
                } else {
                    self.change(immediate).counted += 1;
                }
                over(1)
            }
            5 => match self.task(immediate).ok_or(NO_SUCH)? {
                it if it.at == TaskState::Dormant => Err(STATE),
                it if it.at == TaskState::Sleep => {
                    let was = self.resume(immediate, (DONE, 0, 0));
                    over(1 + more(was, s))
                }
                it if it.wakeups == 255 => Err(OVERFLOW),
                _ => {
                    self.change(immediate).wakeups += 1;
                    over(1)
                }
            },
            6..=8 if caller == 0 => Err(NO_SUCH),
            6 => {
                let task = self.change(caller);
                let search = more(task.reads.is_some(), q);
                (task.at, task.base, task.wakeups, task.reads) =
                    (TaskState::Dormant, task.created, 0, None);
                if task.counted == 0 {
                    return Ok((search + 1 + s, None));
                }
                task.counted -= 1;
                self.launch(caller);
                Ok((search + 1 + s + 1, None))
            }
            7 => Ok(self.block(sizes, caller, TaskState::Delay, Some(time))),
            8 => {
                if self.task(caller).unwrap().wakeups > 0 {
                    self.change(caller).wakeups -= 1;
                    return over(1);
                }
                if wait == 0 {
                    return Err(TIMEOUT);
                }
                Ok(self.block(sizes, caller, TaskState::Sleep, until))
            }
            9 => {
                let level = match immediate {
                    0 => priority,
                    1 => self.task(caller).ok_or(NO_SUCH)?.base,
                    _ => return Err(NO_SUCH),
                };
                let first = self.first(page);
                let ready = self.ready(page);
                match ready.iter().find(|it| self.priority(it) == level).map(|it| it.id) {
                    None => over(s),
                    Some(id) => {
                        self.arrive(id, TaskState::Ready);
                        over(s + 1 + more(id == first, s))
                    }
                }
            }
            10 => {
                let task = self.task(immediate).ok_or(NO_SUCH)?;
                let (at, core) = (task.at, task.core);
                let behind = match at {
                    TaskState::Dormant => return Err(STATE),
                    TaskState::Ready => true,
                    TaskState::Semaphore(id) => {
                        self.semaphores.iter().any(|it| it.id == id && it.by_priority)
                    }
                    TaskState::Sender(id) => {
                        self.queues.iter().any(|it| it.id == id && it.by_priority)
                    }
                    _ => false,
                };
                let was_first = self.first(core) == immediate;
                self.change(immediate).base = priority;
                if behind {
                    self.arrive(immediate, at);
                }
                over(1 + more(was_first, s))
            }
            11 => {
                let found = self.semaphores.iter_mut().find(|it| it.id == object);
                let semaphore = found.ok_or(NO_SUCH)?;
                if semaphore.count > 0 {
                    semaphore.count -= 1;
                    return over(1);
                }
                match (wait, caller) {
                    (0, _) => Err(TIMEOUT),
                    (_, 0) => Err(NO_SUCH),
                    _ => Ok(self.block(sizes, caller, TaskState::Semaphore(object), until)),
                }
            }
            12 => {
                let found = self.semaphores.iter().find(|it| it.id == object);
                let by_priority = found.ok_or(NO_SUCH)?.by_priority;
                if let Some(id) = self.waiter(TaskState::Semaphore(object), by_priority) {
                    let was = self.resume(id, (DONE, 0, 0));
                    return over(s + 1 + more(was, s));
                }
                let semaphore = self.semaphores.iter_mut().find(|it| it.id == object).unwrap();
                if semaphore.count == semaphore.maximum {
                    return Err(OVERFLOW);
                }
                semaphore.count += 1;
                over(1)
            }
            13 | 14 => {
                let sent = if op == 14 { argument } else { immediate as u32 as i32 as i64 as u64 };
                let queue = self.queues.iter().find(|it| it.id == object).ok_or(NO_SUCH)?;
                let (raises, full) = (queue.raises, queue.messages.len() == queue.room);
                if let Some(id) = self.waiter(TaskState::Receiver(object), false) {
                    let was = self.resume(id, (DONE, priority, sent));
                    if raises == id {
                        self.change(id).reads = Some(priority);
                    }
                    return over(s + 1 + more(was, s));
                }
                if full {
                    if wait == 0 {
                        return Err(TIMEOUT);
                    }
                    if caller == 0 {
                        return Err(NO_SUCH);
                    }
                    self.change(caller).message = (priority, sent);
                    return Ok(self.block(sizes, caller, TaskState::Sender(object), until));
                }
                let rises = self.task(raises).is_some_and(|it| priority < self.priority(it));
                let queue = self.queues.iter_mut().find(|it| it.id == object).unwrap();
                queue.messages.push((priority, sent));
                over(1 + more(rises, 1))
            }
            15 => {
                let queue = self.queues.iter().find(|it| it.id == object).ok_or(NO_SUCH)?;
                let (raises, by_priority) = (queue.raises, queue.by_priority);
                if raises != 0 && caller == 0 {
                    return Err(NO_SUCH);
                }
                if raises != 0 && (raises != caller || self.task(caller).unwrap().reads.is_some()) {
                    return Err(STATE);
                }
                let Some(best) = queue.messages.iter().map(|it| it.0).min() else {
                    return match (wait, caller) {
                        (0, _) => Err(TIMEOUT),
                        (_, 0) => Err(NO_SUCH),
                        _ => Ok(self.block(sizes, caller, TaskState::Receiver(object), until)),
                    };
                };
                let place = queue.messages.iter().position(|it| it.0 == best).unwrap();
                let queue = self.queues.iter_mut().find(|it| it.id == object).unwrap();
                let (priority, word) = queue.messages.remove(place);
                if raises != 0 {
                    self.change(raises).reads = Some(priority);
                }
                let mut clocks = q + 1;
                if let Some(id) = self.waiter(TaskState::Sender(object), by_priority) {
                    let message = self.task(id).unwrap().message;
                    let was = self.resume(id, (DONE, 0, 0));
                    let queue = self.queues.iter_mut().find(|it| it.id == object).unwrap();
                    queue.messages.push(message);
                    clocks += s + 2 + more(was, s);
                }
                Ok((clocks, Some((DONE, priority, word))))
            }
            16 => {
                if caller == 0 {
                    return Err(NO_SUCH);
                }
                let queue = self.queues.iter().find(|it| it.id == object).ok_or(NO_SUCH)?;
                let task = self.task(caller).unwrap();
                if queue.raises != caller || task.reads.is_none() {
                    return Err(STATE);
                }
                let (first, before) = (self.first(task.core), self.priority(task));
                self.change(caller).reads = None;
                let falls = self.priority(self.task(caller).unwrap()) > before;
                over(q + 1 + more(first == caller && falls, s))
            }
            _ => Err(NO_SUCH),
        }
    }
}

#[derive(Clone, Debug, Default)]
struct Page {
    argument: u64,
    until: u64,
    command: Option<(u64, (u64, u64, u64))>,
    turn: u64,
    fault: u64,
    answered: bool,
    taken: u64,
    value: u64,
    own: Result3,
}

/// A service: clocks that are left, the tables behind it, and what becomes of a page.
struct Service {
    left: u64,
    after: Tables,
    page: Option<(usize, u64, Option<Result3>)>,
    clocks: u64,
}

pub struct Plain {
    sizes: Sizes,
    clock: Clock,
    tables: Tables,
    pages: Vec<Page>,
    service: Option<Service>,
    enabled: bool,
    shown: bool,
    last: usize,
    woke: bool,
    pub counts: [u64; 3],
}

impl Plain {
    pub fn new(figures: &Rtu, harts: usize, clock: Clock) -> Plain {
        Plain {
            sizes: Sizes { figures: figures.clone(), harts },
            clock,
            tables: Tables::default(),
            pages: vec![Page::default(); harts],
            service: None,
            enabled: false,
            shown: false,
            last: harts - 1,
            woke: false,
            counts: [0; 3],
        }
    }

    /// The clock's edge at this tick.
    pub fn edge(&mut self, tick: u64) {
        if let Some(service) = &mut self.service {
            service.left -= 1;
            if service.left == 0 {
                self.finish();
            }
        }
        if self.service.is_none() {
            self.begin(tick);
        }
    }

    fn finish(&mut self) {
        let Service { after, page, clocks, .. } = self.service.take().unwrap();
        self.tables = after;
        self.shown = self.enabled;
        let Some((page, fault, own)) = page else { return };
        let page = &mut self.pages[page];
        let (_, (word, ..)) = page.command.take().unwrap();
        page.turn = field(word, 5, 5);
        page.answered = true;
        page.own = own.unwrap_or(page.own);
        if fault != DONE {
            page.fault = fault;
            self.counts[2] += 1;
        } else {
            self.counts[0] += 1;
            self.counts[1] = self.counts[1].max(clocks);
        }
    }

    fn begin(&mut self, tick: u64) {
        let count = self.pages.len();
        let turns = (0..count).map(|step| (self.last + 1 + step) % count);
        let mut waiting = turns
            .filter(|page| self.pages[*page].command.is_some_and(|(arrival, _)| arrival < tick));
        let waiting = waiting.next();
        let due = self.tables.earliest().is_some_and(|(until, _)| until <= self.clock.time(tick));
        let mut after = self.tables.clone();
        if due && self.enabled && (!self.woke || waiting.is_none()) {
            self.woke = true;
            let clocks = after.expire(&self.sizes);
            self.service = Some(Service { left: clocks, after, page: None, clocks });
            return;
        }
        let Some(page) = waiting else { return };
        (self.woke, self.last) = (false, page);
        let (_, command) = self.pages[page].command.unwrap();
        let caller = field(command.0, 24, 31);
        let ready = after.task(caller).is_some_and(|it| it.at == TaskState::Ready);
        if caller != 0 && (caller != self.pages[page].taken || !ready) {
            let page = Some((page, NOT_TAKEN, None));
            self.service = Some(Service { left: 2, after, page, clocks: 2 });
            return;
        }
        let outcome = after.row(&self.sizes, page, self.enabled, command);
        let (beside, result) = outcome.unwrap_or_else(|error| (0, Some((error, 0, 0))));
        let mut own = None;
        if caller == 0 {
            own = result;
        } else if let Some(result) = result {
            after.change(caller).result = result;
        }
        let page = Some((page, DONE, own));
        self.service = Some(Service { left: 2 + beside, after, page, clocks: 2 + beside });
    }

    pub fn control(&mut self, bits: u64) {
        if bits & 2 != 0 {
            *self = Plain::new(&self.sizes.figures, self.sizes.harts, self.clock);
        }
        self.enabled = bits & 1 != 0;
        if self.service.is_none() {
            self.shown = self.enabled;
        }
    }

    pub fn store(&mut self, tick: u64, page: usize, offset: u64, value: u64) {
        let page = &mut self.pages[page];
        match offset {
            0x08 => page.argument = value,
            0x10 => page.until = value,
            _ if page.command.is_some() => {
                page.fault = BUSY;
                self.counts[2] += 1;
            }
            _ => page.command = Some((tick, (value, page.argument, page.until))),
        }
    }

    fn next(&self, page: usize) -> (u64, bool, Result3) {
        let first = if self.shown { self.tables.first(page) } else { 0 };
        match self.tables.task(first) {
            Some(task) => (first, task.job, task.result),
            None => (0, false, self.pages[page].own),
        }
    }

    pub fn look(&self, page: usize) -> u64 {
        let (next, job, (error, priority, word)) = self.next(page);
        let page = &self.pages[page];
        let error = if page.fault == 0 { error } else { page.fault };
        let long = word as i64 != i64::from(word as i32);
        (word << 32)
            + (priority << 24)
            + (next << 16)
            + (error << 8)
            + (page.turn << 5)
            + (u64::from(job) << 2)
            + (u64::from(long) << 1)
            + u64::from(page.command.is_some())
    }

    pub fn answer(&mut self, page: usize) -> u64 {
        let word = self.look(page);
        let (next, _, (_, _, value)) = self.next(page);
        let page = &mut self.pages[page];
        if page.command.is_none() {
            (page.taken, page.value, page.answered, page.fault) = (next, value, false, DONE);
        }
        word
    }

    pub fn value(&self, page: usize) -> u64 {
        self.pages[page].value
    }

    pub fn taken(&self, page: usize) -> u64 {
        self.pages[page].taken
    }

    pub fn wire(&self, page: usize) -> bool {
        let it = &self.pages[page];
        it.command.is_none() && !it.answered && self.next(page).0 != it.taken
    }
}
