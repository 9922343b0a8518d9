// SPDX-License-Identifier: Apache-2.0
//! How long a dataflow graph takes at most: the critical path of Gu et al. 2011, eq. (1), and what the control core
//! does beside. `docs/design/dataflow.md`, section 4, has the argument: no firing begins earlier because
//! another takes longer, so the path with the longest of everything is a bound.

mod transfers;

use takt_model::{
    Activation, Assignment, DataflowOverheads, DirectorSteps, Firing, Nanos, Object, Runtime,
    System,
    dataflow::{Dataflow, DataflowBound, NO_WORK},
};

use crate::{Verdict, analyse, explain};

/// Firings of a graph that is analysed: which transfers meet is known for each pair.
const MAX_FIRINGS: usize = 10_000;

/// Why a graph has no bound.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoBound {
    #[error("transfers are copies in memory that all cores share, for which no bound is known")]
    SharedMemory,
    #[error("the board has no [dataflow_overheads]")]
    NoOverheads,
    #[error("the steps of the runtime \"rtos1\" were not measured, so its graphs have no bound")]
    Runtime,
    #[error("the board has no mesh with a timing")]
    NoTiming,
    #[error("more than {MAX_FIRINGS} executions of objects: {0} iterations")]
    TooMany(u32),
    /// The control core's other work has no bound.
    #[error("{0}")]
    ControlCore(String),
}

/// A moment that is no earlier than the real one, and what the cycles until then are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    time: u64,
    communication: u64,
    computing: u64,
    /// Index in [`Path::steps`] of the firing that decides it, behind 1; 0: the command to go.
    step: usize,
}

impl Moment {
    /// This moment and cycles of invoking.
    fn after(self, cycles: u64) -> Moment {
        Moment { time: self.time.saturating_add(cycles), ..self }
    }

    fn communicates(self, cycles: u64) -> Moment {
        Moment { communication: self.communication.saturating_add(cycles), ..self.after(cycles) }
    }

    fn computes(self, cycles: u64) -> Moment {
        Moment { computing: self.computing.saturating_add(cycles), ..self.after(cycles) }
    }
}

/// When a firing is through with its parts; None: not known yet.
#[derive(Clone, Copy, Debug, Default)]
struct Times {
    /// The inputs are given back; what the object decides has been said before.
    answers: Option<Moment>,
    /// The last store, which is the messages' if there are any.
    done: Option<Moment>,
}

struct Path<'a> {
    graph: &'a Dataflow,
    firings: &'a [Firing],
    overheads: &'a DataflowOverheads,
    frequency: u64,
    /// The cycles of each firing's gathers and of its other transfers, behind those that can be under way.
    transfers: &'a [(u64, u64)],
    /// Firings, each with the step before it on the longest path to it.
    steps: Vec<(usize, usize)>,
}

/// Bounds the run of the system's graph with this number of iterations, or with the limit. None: it has no graph.
pub fn bound(
    system: &System,
    assignments: &[Assignment],
    iterations: Option<u32>,
) -> Option<Result<DataflowBound, NoBound>> {
    let graph = system.dataflow.as_ref()?;
    Some(bound_of(system, graph, assignments, iterations.unwrap_or(graph.iterations)))
}

fn bound_of(
    system: &System,
    graph: &Dataflow,
    assignments: &[Assignment],
    iterations: u32,
) -> Result<DataflowBound, NoBound> {
    if graph.shares_memory {
        return Err(NoBound::SharedMemory);
    }
    if graph.runtime == Runtime::Rtos1 {
        return Err(NoBound::Runtime);
    }
    let overheads = system.board.dataflow_overheads.as_ref().ok_or(NoBound::NoOverheads)?;
    let frequency = system.board.timing.as_ref().ok_or(NoBound::NoTiming)?.frequency;
    if graph.objects.len().saturating_mul(iterations as usize) > MAX_FIRINGS {
        return Err(NoBound::TooMany(iterations));
    }
    let firings = &graph.firings(iterations);
    let transfers = &transfers::bounds(&system.board, graph, firings).ok_or(NoBound::NoTiming)?;
    let steps = Vec::new();
    let mut path = Path { graph, firings, overheads, frequency, transfers, steps };
    let end = path.end();
    let total = path.with_control_core(system, assignments, end.time)?;
    Ok(DataflowBound {
        invoking_cycles: end.time - end.communication - end.computing,
        communication_cycles: end.communication,
        computing_cycles: end.computing,
        interference_cycles: total - end.time,
        total_cycles: total,
        iterations,
        path: path.names(end.step),
    })
}

impl Path<'_> {
    fn object(&self, firing: usize) -> &Object {
        &self.graph.objects[self.firings[firing].object]
    }

    fn overheads_of(&self, firing: usize) -> &DirectorSteps {
        match self.object(firing).core == self.graph.control {
            true => &self.overheads.control,
            false => &self.overheads.worker,
        }
    }

    /// The end of the last firing. The reader has played the graph, so each firing has its turn.
    fn end(&mut self) -> Moment {
        let mut times = vec![Times::default(); self.firings.len()];
        let mut left: Vec<usize> = (0..self.firings.len()).collect();
        while !left.is_empty() {
            let count = left.len();
            let mut moved = false;
            left.retain(|index| {
                let mut found = times[*index];
                found.answers = found.answers.or_else(|| self.answers(*index, &times));
                found.done = found.answers.and_then(|answers| self.done(*index, answers, &times));
                moved |= found.answers.is_some() != times[*index].answers.is_some();
                times[*index] = found;
                found.done.is_none()
            });
            assert!(moved || left.len() < count, "the reader refuses a graph that does not end");
        }
        let ends = times
            .iter()
            .enumerate()
            .filter_map(|(index, times)| Some(times.done?.after(self.overheads_of(index).end)));
        let end = ends.max().unwrap_or_default();
        // A core without objects behind the iterations ends when it has seen the last decision.
        let decisions = times.iter().zip(self.firings);
        let decisions = decisions.filter(|(_, it)| Some(it.object) == self.graph.until);
        let step = self.overheads.control.decision.max(self.overheads.worker.decision);
        let seen = decisions.filter_map(|(times, _)| Some(times.answers?.after(step)));
        seen.fold(end, Moment::max)
    }

    /// When a firing has executed its object and given back its inputs.
    fn answers(&mut self, index: usize, times: &[Times]) -> Option<Moment> {
        let steps = *self.overheads_of(index);
        let firing = &self.firings[index];
        let mut begin = match firing.before {
            Some(before) => times[before].done?.after(steps.end),
            None => Moment::default().after(steps.begin),
        };
        if let Some(decision) = firing.decision {
            begin = begin.max(times[decision].answers?.after(steps.decision));
        }
        let mut ready = begin.after(steps.activation);
        for producer in &firing.producers {
            ready = ready.max(times[*producer].done?.after(steps.message));
        }
        let object = self.object(index);
        let gathers = self.transfers[index].0
            + object.words_in.len() as u64 * self.graph.word_cycles
            + object.fetches() as u64 * steps.transfer;
        let wcet = u128::from(object.wcet.0) * u128::from(self.frequency);
        let wcet = u64::try_from(wcet.div_ceil(1_000_000_000)).unwrap_or(u64::MAX);
        let consumes = !firing.producers.is_empty();
        let executed = self.step(index, ready).communicates(gathers).computes(wcet);
        Some(executed.after(if consumes { steps.answer } else { 0 }))
    }

    /// When a firing has sent its messages.
    fn done(&mut self, index: usize, answers: Moment, times: &[Times]) -> Option<Moment> {
        let steps = *self.overheads_of(index);
        let object = self.object(index);
        if object.room.is_empty() {
            return Some(answers);
        }
        let mut done = answers.after(steps.room);
        let mut answered = None;
        for consumer in &self.firings[index].consumers {
            answered = answered.max(Some(times[*consumer].answers?.after(steps.answered)));
        }
        let count = object.deliveries() as u64;
        let words = object.words_out.len() as u64 * self.graph.word_cycles;
        if let Some(answered) = answered.filter(|answered| *answered > done) {
            done = self.step(index, answered);
        }
        if count > 0 {
            let cycles = self.transfers[index].1 + words + count * steps.transfer;
            done = done.communicates(cycles).after(steps.send);
        }
        Some(done)
    }

    /// The moment with the firing as the last one on its path.
    fn step(&mut self, firing: usize, moment: Moment) -> Moment {
        self.steps.push((firing, moment.step));
        Moment { step: self.steps.len(), ..moment }
    }

    fn names(&self, mut step: usize) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        while let Some((firing, before)) = step.checked_sub(1).map(|it| self.steps[it]) {
            let object = self.object(firing);
            if object.entry != NO_WORK {
                names.push(object.name.clone());
            }
            step = before;
        }
        names.reverse();
        names
    }

    /// The least time in which the path fits, with what the control core does beside: delaying one core delays the end by
    /// no more. The graph's task polls, so it is a job that executes for as long as the path.
    fn with_control_core(
        &self,
        system: &System,
        assignments: &[Assignment],
        cycles: u64,
    ) -> Result<u64, NoBound> {
        let mut system = system.clone();
        let nanos = u128::from(cycles) * 1_000_000_000 / u128::from(self.frequency) + 1;
        let nanos = u64::try_from(nanos).unwrap_or(u64::MAX);
        let enough = Nanos(nanos.saturating_mul(8).saturating_add(1_000_000_000));
        let task = &mut system.tasks[self.graph.task];
        task.activation = Activation::Sporadic { separation: enough };
        (task.wcet, task.deadline) = (Some(Nanos(nanos)), Some(enough));
        let analysis = analyse(&system, assignments);
        let row = &analysis.rows[self.graph.task];
        match &row.verdict {
            Verdict::Meets { bound } => {
                let cycles = u128::from(bound.0) * u128::from(self.frequency);
                Ok(u64::try_from(cycles.div_ceil(1_000_000_000)).unwrap_or(u64::MAX))
            }
            _ => Err(NoBound::ControlCore(explain(&system, row).unwrap_or_default())),
        }
    }
}
