// SPDX-License-Identifier: Apache-2.0
//! What a run of a dataflow graph took, from what an observer of the machine saw of its directors: the critical path
//! with invoking, communication and computing, as Gu et al. 2011 count them in Table 5. `docs/design/dataflow.md`,
//! section 5, says what belongs to which part.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use takt_model::{Dataflow, dataflow::Object};

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
    /// Accesses of workers in the whole run and of engines while the graph was executed, all of which were observed.
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

/// When an object went through its director's states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Firing {
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

impl DataflowRow {
    /// The figures of what was seen. `frequency`: of the cores, in hertz.
    pub fn new(
        dataflow: &Dataflow,
        seen: &[Seen],
        frequency: u64,
    ) -> Result<DataflowRow, NoFigures> {
        let mut seen = seen.to_vec();
        // Each core's stores stay in their order.
        seen.sort_by_key(|it| it.time);
        let go = seen.iter().position(|it| it.step == Step::Go).ok_or(NoFigures::NoGo)?;
        let seen = &seen[go..];
        let run = Run { dataflow, firings: firings(dataflow, seen)?, go: seen[0].time };
        Ok(run.row(sequential(seen), frequency))
    }

    /// Whether the run broke what the description or the board say.
    pub fn breaks(&self) -> bool {
        !self.late.is_empty() || !self.foreign_accesses.is_empty()
    }

    /// The figures as lines for people.
    pub fn lines(&self) -> String {
        let percent =
            |part: u64| format!("{:.2}%", part as f64 * 100.0 / self.total_cycles.max(1) as f64);
        let mut text = format!(
            "{:>12}{:>16}{:>12}{:>10}{:>13}\n",
            "invoking", "communication", "computing", "total", "efficiency"
        );
        let efficiency =
            self.efficiency.map_or("-".to_string(), |it| format!("{}.{:02}%", it / 100, it % 100));
        text += &format!(
            "{:>12}{:>16}{:>12}{:>10}{efficiency:>13}\n",
            self.invoking_cycles,
            self.communication_cycles,
            self.computing_cycles,
            self.total_cycles
        );
        text += &format!(
            "{:>12}{:>16}{:>12}\n",
            percent(self.invoking_cycles),
            percent(self.communication_cycles),
            percent(self.computing_cycles)
        );
        text += &format!("cycles on the critical path: {}\n", self.path.join(", "));
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
        if self.foreign_accesses.is_empty() {
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

/// The firing of each object, by its index.
fn firings(dataflow: &Dataflow, seen: &[Seen]) -> Result<Vec<Firing>, NoFigures> {
    let mut all: BTreeMap<u32, Firing> = BTreeMap::new();
    // By core: the object that its director is at.
    let mut present: BTreeMap<u32, u32> = BTreeMap::new();
    for Seen { time, core, step } in seen.iter().copied() {
        if let Step::Status(State::Activation | State::Ended, object) = step {
            if let Some(before) = present.remove(&core) {
                all.entry(before).or_default().end = time;
            }
            if let Step::Status(State::Activation, _) = step {
                present.insert(core, object);
                all.insert(object, Firing { activation: time, ..Firing::default() });
            }
            continue;
        }
        let Some(firing) = present.get(&core).and_then(|object| all.get_mut(object)) else {
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
    let named = dataflow.objects.iter().zip(0..);
    let each = named.map(|(object, index)| {
        let ended = all.get(&index).copied().filter(|firing| firing.end > 0);
        ended.ok_or_else(|| NoFigures::NotExecuted(object.name.clone()))
    });
    each.collect()
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
    firings: Vec<Firing>,
    go: u64,
}

/// The messages between two cores that may be without an answer.
const UNANSWERED: u32 = 3;

impl Run<'_> {
    fn object(&self, index: usize) -> &Object {
        &self.dataflow.objects[index]
    }

    /// The number of messages from one core to another up to and with an object; `list` says how many an object has.
    fn count(&self, index: usize, other: u32, list: fn(&Object) -> &[(u32, u32)]) -> u32 {
        let pool = self.dataflow.pool(self.object(index).core);
        let counted = pool.take_while(|(at, _)| *at <= index);
        let numbers = counted.flat_map(|(_, object)| list(object));
        numbers.filter(|(core, _)| *core == other).map(|(_, number)| number).sum()
    }

    /// The object of a core that sends or consumes the message of this number, counted from 1.
    fn of_message(
        &self,
        core: u32,
        other: u32,
        number: u32,
        list: fn(&Object) -> &[(u32, u32)],
    ) -> Option<usize> {
        let mut pool = self.dataflow.pool(core).map(|(index, _)| index);
        pool.find(|index| self.count(*index, other, list) >= number)
    }

    /// The last message that the object consumed: when it was sent, and by which object.
    fn last_message(&self, index: usize) -> Option<(u64, usize)> {
        let core = self.object(index).core;
        let each = receives(self.object(index)).iter().filter_map(|(other, _)| {
            let number = self.count(index, *other, receives);
            let producer = self.of_message(*other, core, number, sends)?;
            Some((self.firings[producer].messages?, producer))
        });
        each.max()
    }

    /// The last answer that gave room for the object's messages: when it was given, and by which object.
    fn last_answer(&self, index: usize) -> Option<(u64, usize)> {
        let core = self.object(index).core;
        let each = sends(self.object(index)).iter().filter_map(|(other, _)| {
            let number =
                self.count(index, *other, sends).checked_sub(UNANSWERED).filter(|it| *it > 0)?;
            let consumer = self.of_message(*other, core, number, receives)?;
            Some((self.firings[consumer].answers?, consumer))
        });
        each.max()
    }

    fn row(&self, sequential: Option<u64>, frequency: u64) -> DataflowRow {
        let last = (0..self.firings.len()).max_by_key(|index| self.firings[*index].end);
        let last = last.expect("a graph has objects");
        let total = self.firings[last].end - self.go;
        let mut row = DataflowRow {
            invoking_cycles: 0,
            communication_cycles: 0,
            computing_cycles: 0,
            total_cycles: total,
            path: Vec::new(),
            sequential_cycles: sequential,
            efficiency: None,
            control_cycles_per_object: self.control_cycles() / self.firings.len() as u64,
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

    /// Walks the critical path back from the end of an object. Each step goes to an earlier time, to the command to go.
    fn walk(&self, last: usize, row: &mut DataflowRow) {
        let (mut index, mut by) = (last, EntryReason::End);
        loop {
            let firing = &self.firings[index];
            let mut now = match by {
                EntryReason::End => firing.end,
                EntryReason::Message => firing.messages.unwrap_or(firing.end),
                EntryReason::Answer => firing.answers.unwrap_or(firing.synchronisation),
            };
            row.path.push(self.object(index).name.clone());
            if !matches!(by, EntryReason::Answer) {
                if let Some((begin, end)) = firing.transfer {
                    row.invoking_cycles += now - end;
                    row.communication_cycles += end - begin;
                    now = begin;
                }
                let answer = self.last_answer(index);
                if let Some((time, consumer)) =
                    answer.filter(|(time, _)| *time > firing.synchronisation)
                {
                    row.invoking_cycles += now - time;
                    (index, by) = (consumer, EntryReason::Answer);
                    continue;
                }
            }
            row.invoking_cycles += now - firing.synchronisation;
            row.computing_cycles += firing.synchronisation - firing.execution;
            now = firing.execution;
            if let Some(gather) = firing.gather {
                row.communication_cycles += now - gather;
                now = gather;
            }
            if let Some((time, producer)) =
                self.last_message(index).filter(|(time, _)| *time > firing.activation)
            {
                row.invoking_cycles += now - time;
                (index, by) = (producer, EntryReason::Message);
                continue;
            }
            let own = self.dataflow.pool(self.object(index).core);
            let Some((before, _)) = own.take_while(|(at, _)| *at < index).last() else {
                row.invoking_cycles += now - self.go;
                return;
            };
            row.invoking_cycles += now - self.firings[before].end;
            (index, by) = (before, EntryReason::End);
        }
    }

    /// The control core's cycles outside of executions, transfers and waits.
    fn control_cycles(&self) -> u64 {
        let own = self.dataflow.pool(self.dataflow.control);
        own.map(|(index, _)| {
            let firing = &self.firings[index];
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
        for (object, firing) in self.dataflow.objects.iter().zip(&self.firings) {
            let cycles = firing.synchronisation - firing.execution;
            match all.iter_mut().find(|it| it.entry == object.entry) {
                Some(it) => it.longest_cycles = it.longest_cycles.max(cycles),
                None => all.push(Execution { entry: object.entry.clone(), longest_cycles: cycles }),
            }
        }
        all
    }

    fn late(&self, frequency: u64) -> Vec<String> {
        let each = self.dataflow.objects.iter().zip(&self.firings).filter(|(object, firing)| {
            let cycles = u128::from(firing.synchronisation - firing.execution);
            cycles * 1_000_000_000 > u128::from(object.wcet.0) * u128::from(frequency)
        });
        each.map(|(object, _)| object.name.clone()).collect()
    }
}

fn receives(object: &Object) -> &[(u32, u32)] {
    &object.receives
}

fn sends(object: &Object) -> &[(u32, u32)] {
    &object.sends
}
