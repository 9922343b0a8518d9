// SPDX-License-Identifier: Apache-2.0
//! A graph of objects and edges on a mesh of cores without shared memory: `docs/design/dataflow.md`.

use crate::{Bytes, Nanos};

/// A graph, with everything that the reader has derived from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataflow {
    /// Index of the control core's task in [`crate::System::tasks`].
    pub task: usize,
    /// The control core.
    pub control: u32,
    /// The cores that execute objects and have no kernel, ascending.
    pub workers: Vec<u32>,
    /// The function that does the graph's work on the control core alone.
    pub sequential: Option<String>,
    /// The function that returns how many results are wrong.
    pub check: Option<String>,
    /// The stack at the bottom of each worker's scratchpad.
    pub stack: Bytes,
    /// The objects; each core executes its own in this order.
    pub objects: Vec<Object>,
    pub edges: Vec<Edge>,
    /// For each core of the board, the offset in its scratchpad of the lowest buffer.
    pub lowest_buffer: Vec<u64>,
}

/// An object, which is executed once.
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
    /// The messages that it consumes: core and number, ascending.
    pub receives: Vec<(u32, u32)>,
    /// The messages that it sends: core and number, ascending.
    pub sends: Vec<(u32, u32)>,
    /// The transfers before its execution, each of them a gather.
    pub gathers: Vec<Transfer>,
    /// The transfers behind its execution, each of them from this core to others.
    pub transfers: Vec<Transfer>,
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

/// An edge of the description, with the pairs of objects that it stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The ends as they are written: `load0.panel`, `step0.panel`.
    pub from: String,
    pub to: String,
    pub kind: EdgeKind,
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
}

impl Object {
    /// Counts of messages by core in the form of the scoreboard's views: a field of two bits for
    /// each other core.
    pub fn fields(&self, counts: &[(u32, u32)]) -> u32 {
        let number = |core| if core < self.core { core } else { core - 1 };
        counts.iter().fold(0, |fields, &(core, count)| fields | count << (2 * number(core)))
    }
}

impl Dataflow {
    /// The objects of a core in their order, with their indices.
    pub fn pool(&self, core: u32) -> impl Iterator<Item = (usize, &Object)> {
        self.objects.iter().enumerate().filter(move |(_, object)| object.core == core)
    }

    /// The workers that have objects, grouped by the sets of entries that they call: each group has
    /// one image.
    pub fn images(&self) -> Vec<Vec<u32>> {
        let entries = |core: u32| {
            let names = self.pool(core).map(|(_, object)| object.entry.as_str());
            names.collect::<std::collections::BTreeSet<_>>()
        };
        let mut images: Vec<Vec<u32>> = Vec::new();
        for &core in self.workers.iter().filter(|core| self.pool(**core).next().is_some()) {
            match images.iter_mut().find(|image| entries(image[0]) == entries(core)) {
                Some(image) => image.push(core),
                None => images.push(vec![core]),
            }
        }
        images
    }
}
