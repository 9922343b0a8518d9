// SPDX-License-Identifier: Apache-2.0
//! What a run of a dataflow graph took, from what an observer of the machine saw of its directors: the critical path
//! with invoking, communication and computing, as Gu et al. 2011 count them in Table 5. `docs/design/dataflow.md`,
//! section 5, says what belongs to which part.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::{
    Dataflow, DirectorSteps, Firing, Phase, Transfer,
    dataflow::{DataflowBound, NO_WORK, Object},
};

/// A store of a director, in the order of a core's stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The cycle in which the store began.
    pub time: u64,
    pub core: u32,
    pub step: Step,
}

/// What a director has said by a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The scheduler has commanded all directors to begin.
    Go,
    /// The core's status word, with the number of its object.
    Status(State, u32),
    /// The core's entry of the scoreboard has more messages.
    Messages,
    /// The core's entry of the scoreboard has more answers.
    Answers,
}

/// A director's state, as `libraries/dataflow/director.h` numbers it; states that no figure needs are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Activation = 2,
    Gather = 3,
    Execution = 4,
    Synchronisation = 5,
    Transfer = 6,
    Ended = 7,
    Sequential = 10,
    Check = 11,
}

impl State {
    /// The state of this number, if a figure needs it.
    pub fn of(number: u64) -> Option<State> {
        use State::*;
        let all =
            [Activation, Gather, Execution, Synchronisation, Transfer, Ended, Sequential, Check];
        all.into_iter().find(|state| *state as u64 == number)
    }
}

impl State {
    /// The word for it in a trace.
    fn word(self) -> &'static str {
        match self {
            State::Activation => "activation",
            State::Gather => "gather",
            State::Execution => "execution",
            State::Synchronisation => "synchronisation",
            State::Transfer => "transfer",
            State::Ended => "ended",
            State::Sequential => "sequential",
            State::Check => "check",
        }
    }
}

/// What a core's director did for some time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    pub core: u32,
    /// The times of its beginning and of its end, in cycles as they are seen.
    pub begin: u64,
    pub end: u64,
    /// An object that is executed, or else the director's state.
    pub name: String,
    /// The object; empty in states that belong to none.
    pub object: String,
}

/// What each director did, from one of its statuses to the next.
pub fn slices(dataflow: &Dataflow, seen: &[Seen]) -> Vec<Slice> {
    let mut slices = Vec::new();
    let mut last: BTreeMap<u32, (u64, State, u32)> = BTreeMap::new();
    for &Seen { time, core, step } in seen {
        let Step::Status(state, object) = step else { continue };
        let before = last.insert(core, (time, state, object));
        let Some((begin, state, object)) = before.filter(|it| it.1 != State::Ended) else {
            continue;
        };
        let of_object = !matches!(state, State::Sequential | State::Check);
        let object = dataflow.objects.get(object as usize).filter(|_| of_object);
        let object = object.map_or(String::new(), |it| it.name.clone());
        let name = match state {
            State::Execution => object.clone(),
            _ => state.word().to_string(),
        };
        slices.push(Slice { core, begin, end: time, name, object });
    }
    slices
}

/// The figures of a graph that was executed once, in cycles.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DataflowRow {
    /// On the critical path: checks, messages, answers, and the time until a poll sees them.
    pub invoking_cycles: u64,
    /// On the critical path: transfers between scratchpads.
    pub communication_cycles: u64,
    /// On the critical path: executions of objects.
    pub computing_cycles: u64,
    /// From the command to go to the end of the last object: the sum of these three.
    pub total_cycles: u64,
    /// The objects of the critical path, the first one first.
    pub path: Vec<String>,
    /// How many iterations were executed; 1 in a graph without.
    pub iterations: u32,
    /// What the analysis says that these are at most; null: it does not, see `no_bound`.
    pub predicted: Option<DataflowBound>,
    /// Why there is no prediction; left out where there is one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub no_bound: String,
    /// The longest that each step of a director took, on the control core and on any worker.
    pub control_steps: DirectorSteps,
    /// The same of the workers.
    pub worker_steps: DirectorSteps,
    /// The same work on the control core alone; null: the description names no function for it.
    pub sequential_cycles: Option<u64>,
    /// The speed-up to one core, by workers, in hundredths of a percent; null without `sequential_cycles`.
    pub efficiency: Option<u64>,
    /// The control core's cycles outside of executions, transfers and vain polls, by all objects.
    pub control_cycles_per_object: u64,
    /// The longest execution of each entry, in the order of the description.
    pub executions: Vec<Execution>,
    /// Objects whose execution was longer than their `wcet`.
    pub late: Vec<String>,
    /// Accesses of workers in the whole run and of engines while the graph was executed, all of which were observed; 0 on a
    /// board whose cores share their memory, where nothing is a core's own.
    pub observed_accesses: u64,
    /// Accesses of workers beside their scratchpad and the subnets, and those of engines beside the buffers of edges; the
    /// first ones.
    pub foreign_accesses: Vec<String>,
}

/// The longest execution of the objects of one entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Execution {
    /// The name of the entry, a function.
    pub entry: String,
    /// The longest execution of one of its objects, in cycles.
    pub longest_cycles: u64,
}

/// When an execution of an object went through its director's states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Times {
    activation: u64,
    gather: Option<u64>,
    execution: u64,
    synchronisation: u64,
    /// From the engine's command to its end.
    transfer: Option<(u64, u64)>,
    messages: Option<u64>,
    answers: Option<u64>,
    end: u64,
}

/// From a point of a firing backwards: what the path entered it by.
#[derive(Clone, Copy)]
enum EntryReason {
    Message,
    Answer,
    Decision,
    End,
}

/// Why there are no figures.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoFigures {
    #[error("no command to go was seen")]
    NoGo,
    #[error("object {0} was not executed to its end")]
    NotExecuted(String),
}

impl Times {
    /// When it has said its last: what waits for it begins then.
    fn done(&self) -> u64 {
        self.messages.or(self.answers).unwrap_or(self.synchronisation)
    }
}

/// What a transfer by the engine of a core takes alone, in cycles; the last argument says whether it is a gather.
pub type TransferCycles<'a> = &'a dyn Fn(u32, &Transfer, bool) -> u64;

impl DataflowRow {
    /// The figures of what was seen. `frequency`: of the cores, in hertz.
    pub fn new(
        dataflow: &Dataflow,
        seen: &[Seen],
        frequency: u64,
        transfer_cycles: TransferCycles,
    ) -> Result<DataflowRow, NoFigures> {
        let mut seen = seen.to_vec();
        // Each core's stores stay in their order.
        seen.sort_by_key(|it| it.time);
        let go = seen.iter().position(|it| it.step == Step::Go).ok_or(NoFigures::NoGo)?;
        let seen = &seen[go..];
        let (iterations, firings, times) = firings(dataflow, seen)?;
        let run = Run { dataflow, iterations, firings, times, go: seen[0].time, transfer_cycles };
        Ok(run.row(sequential(seen), frequency))
    }

    /// Whether the run broke what the description, the analysis or the board say.
    pub fn breaks(&self) -> bool {
        !self.late.is_empty() || !self.foreign_accesses.is_empty() || self.exceeds()
    }

    /// Whether the graph took longer than predicted.
    pub fn exceeds(&self) -> bool {
        self.predicted.as_ref().is_some_and(|it| self.total_cycles > it.total_cycles)
    }

    /// The figures as lines for people.
    pub fn lines(&self) -> String {
        let percent =
            |part: u64| format!("{:.2}%", part as f64 * 100.0 / self.total_cycles.max(1) as f64);
        let mut text = format!(
            "{:10}{:>12}{:>15}{:>13}{:>13}{:>13}\n",
            "", "invoking", "communication", "computing", "total", "efficiency"
        );
        if let Some(it) = &self.predicted {
            text += &format!(
                "{:10}{:>12}{:>15}{:>13}{:>13}\n",
                "predicted",
                it.invoking_cycles + it.interference_cycles,
                it.communication_cycles,
                it.computing_cycles,
                it.total_cycles
            );
        }
        let efficiency =
            self.efficiency.map_or("-".to_string(), |it| format!("{}.{:02}%", it / 100, it % 100));
        text += &format!(
            "{:10}{:>12}{:>15}{:>13}{:>13}{efficiency:>13}\n",
            "measured",
            self.invoking_cycles,
            self.communication_cycles,
            self.computing_cycles,
            self.total_cycles
        );
        text += &format!(
            "{:10}{:>12}{:>15}{:>13}\n",
            "",
            percent(self.invoking_cycles),
            percent(self.communication_cycles),
            percent(self.computing_cycles)
        );
        text += &format!("cycles on the critical path: {}\n", listed(&self.path));
        if self.iterations > 1 {
            text += &format!("{} iterations\n", self.iterations);
        }
        if self.exceeds() {
            text += "the graph took longer than predicted\n";
        }
        if !self.no_bound.is_empty() {
            text += &format!("not predicted: {}\n", self.no_bound);
        }
        let longest =
            self.executions.iter().map(|it| format!("{} {}", it.entry, it.longest_cycles));
        text += &format!(
            "control core: {} cycles an object; longest executions: {}\n",
            self.control_cycles_per_object,
            longest.collect::<Vec<_>>().join(", ")
        );
        if let Some(cycles) = self.sequential_cycles {
            text += &format!("the same work on the control core alone: {cycles} cycles\n");
        }
        if self.foreign_accesses.is_empty() && self.observed_accesses > 0 {
            text += &format!(
                "workers reached their scratchpads and the subnets only, engines the buffers of edges only ({} accesses)\n",
                self.observed_accesses
            );
        }
        for access in &self.foreign_accesses {
            text += &format!("an access to what is not its own: {access}\n");
        }
        if let Some(first) = self.late.first() {
            let more = match self.late.len() {
                1 => String::new(),
                count => format!(" and {} more objects", count - 1),
            };
            text += &format!("{first}{more} executed for longer than their wcet\n");
        }
        text
    }
}

/// The objects of a path; of a long one, its beginning.
pub fn listed(path: &[String]) -> String {
    match path.len() {
        0..=LISTED => path.join(", "),
        more => format!("{} and {} more", path[..LISTED].join(", "), more - LISTED),
    }
}

const LISTED: usize = 16;

/// The number of iterations, and each firing with its times.
fn firings(
    dataflow: &Dataflow,
    seen: &[Seen],
) -> Result<(u32, Vec<Firing>, Vec<Times>), NoFigures> {
    // By core: its firings in their order, each with its object.
    let mut all: BTreeMap<u32, Vec<(usize, Times)>> = BTreeMap::new();
    let mut ended: BTreeMap<u32, bool> = BTreeMap::new();
    for Seen { time, core, step } in seen.iter().copied() {
        let own = all.entry(core).or_default();
        if let Step::Status(State::Activation | State::Ended, object) = step {
            if ended.get(&core) == Some(&true) {
                continue;
            }
            if let Some((_, before)) = own.last_mut() {
                before.end = time;
            }
            match step {
                Step::Status(State::Ended, _) => _ = ended.insert(core, true),
                _ => own.push((object as usize, Times { activation: time, ..Times::default() })),
            }
            continue;
        }
        let Some((_, firing)) = own.last_mut().filter(|_| ended.get(&core) != Some(&true)) else {
            continue;
        };
        match step {
            Step::Status(State::Gather, _) => firing.gather = Some(time),
            Step::Status(State::Execution, _) => firing.execution = time,
            Step::Status(State::Transfer, _) => firing.transfer = Some((time, time)),
            Step::Status(State::Synchronisation, _) => match &mut firing.transfer {
                Some((_, end)) => *end = time,
                None => firing.synchronisation = time,
            },
            Step::Messages => firing.messages = Some(time),
            Step::Answers => firing.answers = Some(time),
            Step::Go | Step::Status(..) => {}
        }
    }
    let iterations = iterations(dataflow, &all);
    let firings = dataflow.firings(iterations);
    let mut next: BTreeMap<u32, usize> = BTreeMap::new();
    let each = firings.iter().map(|firing| {
        let object = &dataflow.objects[firing.object];
        let at = next.entry(object.core).or_default();
        let found = all.get(&object.core).and_then(|own| own.get(*at));
        *at += 1;
        match found {
            Some((seen, times)) if *seen == firing.object && times.end > 0 => Ok(*times),
            _ => Err(NoFigures::NotExecuted(object.name.clone())),
        }
    });
    let times = each.collect::<Result<_, _>>()?;
    Ok((iterations, firings, times))
}

/// How often the first object of the iterations was executed.
fn iterations(dataflow: &Dataflow, all: &BTreeMap<u32, Vec<(usize, Times)>>) -> u32 {
    let body = dataflow.objects.iter().position(|object| object.phase == Phase::Body);
    let fired = all.values().flatten().filter(|(object, _)| Some(*object) == body);
    (fired.count() as u32).clamp(1, dataflow.iterations)
}

/// From the beginning of the sequential work until it is compared.
fn sequential(seen: &[Seen]) -> Option<u64> {
    let at = |state| {
        let is = |it: &&Seen| matches!(it.step, Step::Status(other, _) if other == state);
        seen.iter().find(is).map(|it| it.time)
    };
    Some(at(State::Check)? - at(State::Sequential)?)
}

struct Run<'a> {
    dataflow: &'a Dataflow,
    iterations: u32,
    firings: Vec<Firing>,
    times: Vec<Times>,
    go: u64,
    transfer_cycles: TransferCycles<'a>,
}

impl Run<'_> {
    fn object(&self, index: usize) -> &Object {
        &self.dataflow.objects[self.firings[index].object]
    }

    /// The last message that the firing consumed: when it was sent, and by which firing.
    fn last_message(&self, index: usize) -> Option<(u64, usize)> {
        let each = self.firings[index].producers.iter();
        each.filter_map(|it| Some((self.times[*it].messages?, *it))).max()
    }

    /// The last answer that gave room for the firing's messages: when it was given, and by which firing.
    fn last_answer(&self, index: usize) -> Option<(u64, usize)> {
        let each = self.firings[index].consumers.iter();
        each.filter_map(|it| Some((self.times[*it].answers?, *it))).max()
    }

    fn row(&self, sequential: Option<u64>, frequency: u64) -> DataflowRow {
        let last = (0..self.times.len()).max_by_key(|index| self.times[*index].end);
        let last = last.expect("a graph has objects");
        let total = self.times[last].end - self.go;
        let (control_steps, worker_steps) = self.steps();
        let mut row = DataflowRow {
            invoking_cycles: 0,
            communication_cycles: 0,
            computing_cycles: 0,
            total_cycles: total,
            path: Vec::new(),
            iterations: self.iterations,
            predicted: None,
            no_bound: String::new(),
            control_steps,
            worker_steps,
            sequential_cycles: sequential,
            efficiency: None,
            control_cycles_per_object: self.control_cycles() / self.times.len() as u64,
            executions: self.executions(),
            late: self.late(frequency),
            observed_accesses: 0,
            foreign_accesses: Vec::new(),
        };
        let workers: std::collections::BTreeSet<u32> = self
            .dataflow
            .objects
            .iter()
            .map(|it| it.core)
            .filter(|core| *core != self.dataflow.control)
            .collect();
        row.efficiency = sequential
            .filter(|_| !workers.is_empty() && total > 0)
            .map(|cycles| cycles * 10_000 / (workers.len() as u64 * total));
        self.walk(last, &mut row);
        row.path.reverse();
        let sum = row.invoking_cycles + row.communication_cycles + row.computing_cycles;
        assert_eq!(sum, total, "all cycles are on the path once");
        row
    }

    /// Walks the critical path back from the end of a firing. Each step goes to an earlier time, to the command to go.
    fn walk(&self, last: usize, row: &mut DataflowRow) {
        let (mut index, mut by) = (last, EntryReason::End);
        loop {
            let times = &self.times[index];
            let mut now = match by {
                EntryReason::End => times.end,
                EntryReason::Message => times.messages.unwrap_or(times.end),
                EntryReason::Answer => times.answers.unwrap_or(times.synchronisation),
                EntryReason::Decision => times.synchronisation,
            };
            if self.object(index).entry != NO_WORK {
                row.path.push(self.object(index).name.clone());
            }
            if !matches!(by, EntryReason::Answer | EntryReason::Decision) {
                if let Some((begin, end)) = times.transfer {
                    row.invoking_cycles += now - end;
                    row.communication_cycles += end - begin;
                    now = begin;
                }
                let answer = self.last_answer(index);
                if let Some((time, consumer)) =
                    answer.filter(|(time, _)| *time > times.synchronisation)
                {
                    row.invoking_cycles += now - time;
                    (index, by) = (consumer, EntryReason::Answer);
                    continue;
                }
            }
            row.invoking_cycles += now - times.synchronisation;
            row.computing_cycles += times.synchronisation - times.execution;
            now = times.execution;
            if let Some(gather) = times.gather {
                row.communication_cycles += now - gather;
                now = gather;
            }
            if let Some((time, producer)) =
                self.last_message(index).filter(|(time, _)| *time > times.activation)
            {
                row.invoking_cycles += now - time;
                (index, by) = (producer, EntryReason::Message);
                continue;
            }
            let before = self.firings[index].before;
            let done = before.map_or(self.go, |it| self.times[it].done());
            let decision = self.firings[index].decision;
            let decision = decision.map(|it| (self.times[it].synchronisation, it));
            if let Some((time, decision)) = decision.filter(|(time, _)| *time > done) {
                row.invoking_cycles += now - time;
                (index, by) = (decision, EntryReason::Decision);
                continue;
            }
            let Some(before) = before else {
                row.invoking_cycles += now - self.go;
                return;
            };
            row.invoking_cycles += now - self.times[before].end;
            (index, by) = (before, EntryReason::End);
        }
    }

    /// The longest of each step, on the control core and on workers.
    fn steps(&self) -> (DirectorSteps, DirectorSteps) {
        let (mut control, mut worker) = (DirectorSteps::default(), DirectorSteps::default());
        for (index, times) in self.times.iter().enumerate() {
            let object = self.object(index);
            let steps =
                if object.core == self.dataflow.control { &mut control } else { &mut worker };
            let longest = |step: &mut u64, cycles: u64| *step = (*step).max(cycles);
            let Firing { before, decision, .. } = self.firings[index];
            // An object that only waits for room has no store behind its wait.
            let waits = |it: &usize| {
                self.times[*it].messages.is_none() && !self.object(*it).room.is_empty()
            };
            if before.is_some_and(|it| waits(&it)) {
                continue;
            }
            let before = before.map(|it| self.times[it].done());
            match (before, decision.map(|it| self.times[it].synchronisation)) {
                (Some(before), Some(time)) if time > before => {
                    longest(&mut steps.decision, times.activation - time)
                }
                (None, Some(time)) => longest(&mut steps.decision, times.activation - time),
                (Some(before), _) => longest(&mut steps.end, times.activation - before),
                (None, None) => longest(&mut steps.begin, times.activation - self.go),
            }
            let ready = times.gather.unwrap_or(times.execution);
            match self.last_message(index).filter(|(time, _)| *time > times.activation) {
                Some((time, _)) => longest(&mut steps.message, ready - time),
                None => longest(&mut steps.activation, ready - times.activation),
            }
            let beside = |cycles: u64, transfers: &[Transfer], gather: bool| {
                let (words, count) = match gather {
                    true => (object.words_in.len(), object.fetches()),
                    false => (object.words_out.len(), object.deliveries()),
                };
                let own: u64 = transfers
                    .iter()
                    .map(|it| (self.transfer_cycles)(object.core, it, gather))
                    .sum();
                let own = own + words as u64 * self.dataflow.word_cycles;
                cycles.saturating_sub(own).div_ceil(count.max(1) as u64)
            };
            if let Some(gather) = times.gather {
                let cycles = times.execution - gather;
                longest(&mut steps.transfer, beside(cycles, &object.gathers, true));
            }
            if let Some(answers) = times.answers {
                longest(&mut steps.answer, answers - times.synchronisation);
            }
            let base = times.answers.unwrap_or(times.synchronisation);
            if let Some(next) = times.transfer.map(|it| it.0).or(times.messages) {
                match self.last_answer(index).filter(|(time, _)| *time > base) {
                    Some((time, _)) => longest(&mut steps.answered, next - time),
                    None => longest(&mut steps.room, next - base),
                }
            }
            if let (Some((begin, end)), Some(messages)) = (times.transfer, times.messages) {
                longest(&mut steps.transfer, beside(end - begin, &object.transfers, false));
                longest(&mut steps.send, messages - end);
            }
            let is_last = self.firings.get(index + 1).is_none_or(|next| next.before != Some(index));
            let decides = self.dataflow.until.map(|until| self.dataflow.objects[until].core);
            // Without objects behind the iterations the core has waited for the last decision.
            let waited =
                object.phase < Phase::Surplus && decides.is_some_and(|it| it != object.core);
            if is_last && !waits(&index) && !waited {
                longest(&mut steps.end, times.end - times.done());
            }
        }
        (control, worker)
    }

    /// The control core's cycles outside of executions, transfers and waits.
    fn control_cycles(&self) -> u64 {
        let own = (0..self.times.len()).filter(|it| self.object(*it).core == self.dataflow.control);
        own.map(|index| {
            let firing = &self.times[index];
            let begin = firing.gather.unwrap_or(firing.execution);
            let ready = self.last_message(index).map_or(firing.activation, |it| it.0);
            let room = self.last_answer(index).map_or(firing.synchronisation, |it| it.0);
            let transfer = firing.transfer.map_or(0, |(begin, end)| end - begin);
            let behind = firing.end - firing.synchronisation - transfer;
            let waited = room.saturating_sub(firing.synchronisation);
            begin - ready.max(firing.activation) + behind.saturating_sub(waited)
        })
        .sum()
    }

    fn executions(&self) -> Vec<Execution> {
        let mut all: Vec<Execution> = Vec::new();
        for (index, times) in self.times.iter().enumerate() {
            let entry = &self.object(index).entry;
            let cycles = times.synchronisation - times.execution;
            match all.iter_mut().find(|it| it.entry == *entry) {
                Some(it) => it.longest_cycles = it.longest_cycles.max(cycles),
                None if entry == NO_WORK => {}
                None => all.push(Execution { entry: entry.clone(), longest_cycles: cycles }),
            }
        }
        let order = |it: &Execution| {
            self.dataflow.objects.iter().position(|object| object.entry == it.entry)
        };
        all.sort_by_key(order);
        all
    }

    fn late(&self, frequency: u64) -> Vec<String> {
        let mut late: Vec<String> = Vec::new();
        for (index, times) in self.times.iter().enumerate() {
            let object = self.object(index);
            let cycles = u128::from(times.synchronisation - times.execution);
            let is_late =
                cycles * 1_000_000_000 > u128::from(object.wcet.0) * u128::from(frequency);
            if is_late && !late.contains(&object.name) {
                late.push(object.name.clone());
            }
        }
        late
    }
}
