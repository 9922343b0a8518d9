// SPDX-License-Identifier: Apache-2.0
//! A graph of objects and edges, on a mesh of cores without shared memory or on a board with it:
//! `docs/design/dataflow.md`.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Bytes, Nanos};

/// A graph, with everything that the reader has derived from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataflow {
    /// Index of the control core's task in [`crate::System::tasks`].
    pub task: usize,
    /// The control core.
    pub control: u32,
    /// The cores beside the control core that may execute objects, ascending. They have no kernel, unless the board
    /// shares its memory.
    pub workers: Vec<u32>,
    /// Whether transfers, messages and words go through the memory of all cores, each of which has a kernel.
    pub shares_memory: bool,
    /// The function that does the graph's work on the control core alone.
    pub sequential: Option<String>,
    /// The function that returns how many results are wrong.
    pub check: Option<String>,
    /// The stack of each worker: at the bottom of its scratchpad, or of its director's task.
    pub stack: Bytes,
    /// How often the control core looks for a core that hangs.
    pub watch: Nanos,
    /// The objects; each core executes its own in this order.
    pub objects: Vec<Object>,
    pub edges: Vec<Edge>,
    pub runtime: Runtime,
    /// With [`Runtime::Rtos1`], the offsets of the messages in the control core's scratchpad and in each worker's.
    pub messages: [u64; 2],
    /// How often the objects of [`Phase::Body`] are executed, at most.
    pub iterations: u32,
    /// The object that may end the iterations before their limit.
    pub until: Option<usize>,
    /// For each core of the board, the offset in its scratchpad of the lowest buffer.
    pub lowest_buffer: Vec<u64>,
    /// The cycles of a load from a word register.
    pub word_cycles: u64,
}

/// How the directors of a graph hear of each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Runtime {
    /// A flow for each type of object; messages by the scoreboard, words by the registers.
    #[default]
    Iota,
    /// The paper's former system: one flow for all objects; messages and words by the engines.
    Rtos1,
}

/// The bytes behind the buffers of a scratchpad that the messages of [`Runtime::Rtos1`] take; `libraries/dataflow/rtos1.h`.
pub const MESSAGES_BYTES: u64 = 64;

/// When an object is executed. A core executes its objects in the order of their phases, those of a phase in the
/// order of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Once, before the iterations.
    Before,
    /// Once, behind `Before`: sends the messages that stand for the initial tokens of edges.
    Initial,
    /// Once in each iteration.
    #[default]
    Body,
    /// Once, before `After`: consumes the messages of edges with tokens that the last iteration has left.
    Surplus,
    /// Once, after the iterations.
    After,
}

/// An object, which is executed once, or once in each iteration.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    /// The name; that of a family's member ends in its index: `step0[3]`.
    pub name: String,
    pub entry: String,
    pub argument: u32,
    /// The index in its family.
    pub index: u32,
    pub core: u32,
    pub wcet: Nanos,
    /// The type of Table 2 of the paper, 0 to 9.
    pub kind: u8,
    /// The semaphores that stay when the object has consumed its inputs of the own core.
    pub mask_in: u32,
    /// The semaphores of the own core that the object sets.
    pub mask_out: u32,
    pub phase: Phase,
    /// The place among the objects of its core and phase: the priority and the number of an object of the file, and
    /// before it what the reader has added for it.
    pub place: (u32, usize, bool),
    /// The messages that it consumes at its first execution: core and number, ascending.
    pub receives: Vec<(u32, u32)>,
    /// The messages that it sends: core and number, ascending.
    pub sends: Vec<(u32, u32)>,
    /// How many messages to a core may be unanswered when it goes on behind its execution: core and number, ascending.
    pub room: Vec<(u32, u32)>,
    /// The messages that it consumes at its other executions, and the semaphores that stay.
    pub again: (Vec<(u32, u32)>, u32),
    /// The transfers before its execution, each of them a gather.
    pub gathers: Vec<Transfer>,
    /// The transfers behind its execution, each of them from this core to others.
    pub transfers: Vec<Transfer>,
    /// The words that it reads before its execution from other cores' registers.
    pub words_in: Vec<WordCopy>,
    /// The words that it writes behind its execution into registers of its core.
    pub words_out: Vec<WordCopy>,
    pub ports: Vec<Port>,
}

/// An input or output of an object: a buffer in the scratchpad of its core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    pub name: String,
    pub is_output: bool,
    /// The offset in the scratchpad.
    pub offset: u64,
    pub size: Bytes,
}

/// A command of a core's block DMA engine. Offsets count from the start of a scratchpad.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Index in [`Dataflow::edges`].
    pub edge: usize,
    pub source: u64,
    pub destination: u64,
    /// The bytes from one core to one core.
    pub length: u64,
    /// The other cores.
    pub cores: Vec<u32>,
}

/// A copy between a word register and a buffer of the core that copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordCopy {
    /// Index in [`Dataflow::edges`].
    pub edge: usize,
    /// The register's core and its number there.
    pub core: u32,
    pub register: u32,
    /// The offset of the buffer in the scratchpad.
    pub offset: u64,
    /// 4 or 8.
    pub bytes: u64,
}

/// Words whose copies are counted as one transfer: as many rows of their table are in a cache line.
const WORDS_A_TRANSFER: usize = 4;

/// An edge of the description, with the pairs of objects that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The ends as they are written: `load0.panel`, `step0.panel`.
    pub from: String,
    pub to: String,
    pub kind: EdgeKind,
    /// Whether the consumer reads what the producer has written in the iteration before.
    pub is_delayed: bool,
    /// The data from one producer to one consumer.
    pub size: Bytes,
    /// Producer and consumer, as indices in [`Dataflow::objects`].
    pub links: Vec<(usize, usize)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EdgeKind {
    /// A block of its own from each producer to each consumer.
    #[default]
    Block,
    /// The same data to all consumers.
    Broadcast,
    /// The blocks of all producers, fetched by the consumer.
    Gather,
    /// A word of each producer in a register of its core, which its consumers read.
    Word,
}

impl Object {
    /// An object without edges.
    pub fn new(name: String, entry: &str, core: u32, wcet: Nanos) -> Object {
        Object {
            name,
            entry: entry.into(),
            argument: 0,
            index: 0,
            core,
            wcet,
            kind: 0,
            mask_in: u32::MAX,
            mask_out: 0,
            phase: Phase::default(),
            place: (0, 0, true),
            receives: Vec::new(),
            sends: Vec::new(),
            room: Vec::new(),
            again: (Vec::new(), u32::MAX),
            gathers: Vec::new(),
            transfers: Vec::new(),
            words_in: Vec::new(),
            words_out: Vec::new(),
            ports: Vec::new(),
        }
    }

    /// How many transfers its gathers and the words that it reads count as.
    pub fn fetches(&self) -> usize {
        self.gathers.len() + self.words_in.len().div_ceil(WORDS_A_TRANSFER)
    }

    /// How many transfers those behind its execution and the words that it writes count as.
    pub fn deliveries(&self) -> usize {
        self.transfers.len() + self.words_out.len().div_ceil(WORDS_A_TRANSFER)
    }

    /// The messages and the semaphores' mask of an execution.
    pub fn inputs(&self, iteration: u32) -> (&[(u32, u32)], u32) {
        match iteration {
            0 => (&self.receives, self.mask_in),
            _ => (&self.again.0, self.again.1),
        }
    }

    /// Counts of messages by core in the form of the scoreboard's views: a field of two bits for
    /// each other core.
    pub fn fields(&self, counts: &[(u32, u32)]) -> u32 {
        let number = |core| if core < self.core { core } else { core - 1 };
        counts.iter().fold(0, |fields, &(core, count)| fields | count << (2 * number(core)))
    }
}

impl Dataflow {
    /// The workers that have objects.
    pub fn busy_workers(&self) -> impl Iterator<Item = u32> {
        self.workers.iter().copied().filter(|core| self.pool(*core).next().is_some())
    }

    /// The objects of a core in their order, with their indices.
    pub fn pool(&self, core: u32) -> impl Iterator<Item = (usize, &Object)> {
        let own = self.objects.iter().enumerate().filter(|(_, object)| object.core == core);
        let mut own: Vec<_> = own.collect();
        own.sort_by_key(|(_, object)| (object.phase, object.place));
        own.into_iter()
    }

    /// The offset of the messages of other cores in a core's scratchpad, with [`Runtime::Rtos1`].
    pub fn messages_of(&self, core: u32) -> u64 {
        self.messages[usize::from(core != self.control)]
    }

    /// The objects of a core that belong to one of the phases.
    pub fn phases(&self, core: u32, phases: std::ops::RangeInclusive<Phase>) -> Vec<usize> {
        let pool = self.pool(core).filter(|(_, object)| phases.contains(&object.phase));
        pool.map(|(index, _)| index).collect()
    }

    /// The workers that have objects, grouped by the sets of entries that they call: each group has
    /// one image. In shared memory each worker has its own, for its variables.
    pub fn images(&self) -> Vec<Vec<u32>> {
        let entries = |core: u32| {
            let names = self.pool(core).map(|(_, object)| object.entry.as_str());
            names.collect::<std::collections::BTreeSet<_>>()
        };
        let mut images: Vec<Vec<u32>> = Vec::new();
        for core in self.busy_workers() {
            let same =
                |image: &&mut Vec<u32>| !self.shares_memory && entries(image[0]) == entries(core);
            match images.iter_mut().find(same) {
                Some(image) => image.push(core),
                None => images.push(vec![core]),
            }
        }
        images
    }
}

/// How long a graph takes at most, in cycles: its longest path with the declared `wcet` of each object, and what the
/// control core does beside.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DataflowBound {
    /// On the path: checks, messages, answers, and the time until a poll sees them.
    pub invoking_cycles: u64,
    /// On the path: transfers, each behind all that can be under way beside it.
    pub communication_cycles: u64,
    /// On the path: executions of objects.
    pub computing_cycles: u64,
    /// What interrupts, handlers and other tasks take of the control core meanwhile.
    pub interference_cycles: u64,
    /// The sum of these four.
    pub total_cycles: u64,
    /// The iterations for which it holds: the limit, or those of a run.
    pub iterations: u32,
    /// The objects of the path, the first one first.
    pub path: Vec<String>,
}

/// The space of a core's buffers in shared memory. They lie at its end, and only what they take is memory.
pub const SHARED_SPACE: u64 = 1 << 30;

/// The entry of objects that the reader adds: a function of the library that does nothing.
pub const NO_WORK: &str = "takt_dataflow_no_work";

/// An execution of an object, and what it waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firing {
    /// Index in [`Dataflow::objects`].
    pub object: usize,
    pub iteration: u32,
    /// The firing before on the same core.
    pub before: Option<usize>,
    /// The firings whose messages it waits for: the last one of each core.
    pub producers: Vec<usize>,
    /// The firings whose answers it waits for behind its execution: the last one of each core.
    pub consumers: Vec<usize>,
    /// The execution that has decided whether the iteration follows; None: no decision is awaited.
    pub decision: Option<usize>,
}

impl Dataflow {
    /// All firings of a run with this number of iterations. Those of a core follow each other in their order.
    pub fn firings(&self, iterations: u32) -> Vec<Firing> {
        let mut firings: Vec<Firing> = Vec::new();
        // By sender and receiver: the firing that sends each message, and the one that consumes it.
        let (mut sent, mut consumed) = (Messages::new(), Messages::new());
        // What each firing waits for, as numbers of messages.
        let mut awaited = Vec::new();
        let cores: BTreeSet<u32> = self.objects.iter().map(|object| object.core).collect();
        let decider = self.until.map(|until| self.objects[until].core);
        // The executions of `until`, by iteration.
        let mut decisions = Vec::new();
        let first = decider.into_iter();
        for core in first.chain(cores.into_iter().filter(|core| Some(*core) != decider)) {
            let mut before = None;
            for (object, iteration, decided) in self.executions(core, iterations) {
                let index = firings.len();
                let is = &self.objects[object];
                let mut messages = Vec::new();
                for &(other, count) in is.inputs(iteration).0 {
                    let list = consumed.entry((other, core)).or_default();
                    list.extend(std::iter::repeat_n(index, count as usize));
                    messages.push((other, list.len()));
                }
                let mut answers = Vec::new();
                for &(other, unanswered) in &is.room {
                    let list = sent.entry((core, other)).or_default();
                    answers.push((other, list.len().saturating_sub(unanswered as usize)));
                }
                for &(other, count) in &is.sends {
                    let list = sent.entry((core, other)).or_default();
                    list.extend(std::iter::repeat_n(index, count as usize));
                }
                awaited.push((core, messages, answers));
                let decision = decided.filter(|_| decider != Some(core));
                let decision = decision.and_then(|it| decisions.get(it as usize)).copied();
                let (producers, consumers) = (Vec::new(), Vec::new());
                firings.push(Firing { object, iteration, before, producers, consumers, decision });
                before = Some(index);
                if self.until == Some(object) {
                    decisions.push(index);
                }
            }
        }
        for (firing, (core, messages, answers)) in firings.iter_mut().zip(awaited) {
            let number = |list: Option<&Vec<usize>>, count: usize| {
                list.and_then(|list| list.get(count.checked_sub(1)?)).copied()
            };
            let producers =
                messages.iter().map(|&(other, count)| number(sent.get(&(other, core)), count));
            let consumers =
                answers.iter().map(|&(other, count)| number(consumed.get(&(core, other)), count));
            firing.producers = producers.flatten().collect();
            firing.consumers = consumers.flatten().collect();
        }
        firings
    }

    /// What a core executes: object, iteration, and the iteration whose decision comes before it.
    pub(crate) fn executions(&self, core: u32, iterations: u32) -> Vec<(usize, u32, Option<u32>)> {
        let mut all = Vec::new();
        let mut add = |objects: &[usize], iteration: u32, decided: Option<u32>| {
            let decided = (0..objects.len()).map(|at| decided.filter(|_| at == 0));
            all.extend(
                objects.iter().zip(decided).map(|(object, decided)| (*object, iteration, decided)),
            );
        };
        add(&self.phases(core, Phase::Before..=Phase::Initial), 0, None);
        let body = self.phases(core, Phase::Body..=Phase::Body);
        for iteration in 0..iterations {
            add(&body, iteration, iteration.checked_sub(1));
        }
        // Behind the last iteration of the limit nobody decides.
        let last = iterations.checked_sub(1).filter(|_| iterations < self.iterations);
        let after = self.phases(core, Phase::Surplus..=Phase::After);
        let decided = last.or(iterations.checked_sub(2).filter(|_| body.is_empty()));
        add(&after, 0, decided);
        all
    }
}

type Messages = std::collections::BTreeMap<(u32, u32), Vec<usize>>;
