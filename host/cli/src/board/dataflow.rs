// SPDX-License-Identifier: Apache-2.0
//! Observes a run of a dataflow graph: what its directors say, from which the figures follow, and, on a mesh, that workers
//! and engines reach nothing but what is theirs.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use takt_board::engine::Machine;
use takt_board::engine::observe::{Access, Kind, Location};
use takt_model::{
    Board, Dataflow, Runtime, System,
    board::{BLOCK_DMA_BYTES, SCOREBOARD_BYTES},
};
use takt_record::Head;
use takt_trace::dataflow::{DataflowRow, Seen, Slice, State, Step, slices};

use crate::image::Image;

/// The words of a core that say its status and, of the control core, the command; `libraries/dataflow/mesh.h` and `shared.h`.
const STATUS: u64 = 31;
const COMMAND: u64 = 30;
const GO: u64 = 1;
const WORD: u64 = 8;
const ENTRY: u64 = 4;
/// The variables that a core shows in shared memory: its entry, its status and its words, each behind the one before; and the variable
/// with all cores'. `libraries/dataflow/shared.h`.
const SHARED: &str = "dataflow_shared";
const SHARED_CORE: u64 = 384;
const SHARED_STATUS: u64 = 64;
const SHARED_WORDS: u64 = 128;
/// The decision behind the counts of all cores; `libraries/dataflow/rtos1.h`.
const DECISION: u64 = 40;
/// Foreign accesses that are described.
const DESCRIBED: usize = 8;

/// What an observer of the machine collects.
#[derive(Clone)]
pub struct Watching(Arc<Mutex<Collected>>);

struct Collected {
    dataflow: Dataflow,
    board: Board,
    transport: Transport,
    /// By core: its entry.
    entries: Vec<u64>,
    seen: Vec<Seen>,
    runs: bool,
    /// Accesses of workers and of engines, from the command to go to the end of the last object.
    accesses: u64,
    foreign: Vec<String>,
}

/// Where directors say what they do.
enum Transport {
    Mesh(Mesh),
    /// The addresses of what the cores show in their memory.
    Shared(Range<u64>),
}

struct Mesh {
    words: Range<u64>,
    /// The words of each core.
    count: u64,
    scoreboard: Range<u64>,
    engine: Range<u64>,
    /// By core: the initiator of its engine.
    engines: Vec<u32>,
}

/// What a director writes by a store: the status of a core, its entry, or the command.
#[derive(Clone, Copy)]
enum Target {
    Status(u32),
    Entry(u32),
    Command,
}

impl Transport {
    /// The subnets of the system's board, or the image's variable. None: there is neither.
    fn of(system: &System, image: &Image, machine: &mut Machine) -> Option<Transport> {
        let Board { subnets, cores, .. } = &system.board;
        if system.dataflow.as_ref()?.shares_memory {
            let shared = image.objects.get(SHARED)?;
            return Some(Transport::Shared(shared.address..shared.address + shared.size));
        }
        let words = subnets.word_registers.as_ref()?;
        let (scoreboard, engine) = (subnets.scoreboard.as_ref()?, subnets.block_dma.as_ref()?);
        let platform = &mut machine.world.io.platform;
        let engines =
            (0..*cores).map(|core| platform.engine_initiator(core)).collect::<Option<_>>()?;
        let count = u64::from(words.count);
        Some(Transport::Mesh(Mesh {
            words: words.base..words.base + u64::from(*cores) * count * WORD,
            count,
            scoreboard: scoreboard.base..scoreboard.base + SCOREBOARD_BYTES,
            engine: engine.base..engine.base + BLOCK_DMA_BYTES,
            engines,
        }))
    }

    /// What a store is, if it says something.
    fn target(&self, access: &Access) -> Option<Target> {
        match (self, access.location) {
            (Transport::Mesh(mesh), Location::Device(at)) if mesh.words.contains(&at) => {
                let word = (at - mesh.words.start) / WORD;
                match word % mesh.count {
                    STATUS => Some(Target::Status(access.initiator)),
                    _ => (word == COMMAND).then_some(Target::Command),
                }
            }
            (Transport::Mesh(mesh), Location::Device(at)) => {
                let entry = at.wrapping_sub(mesh.scoreboard.start) / ENTRY;
                mesh.scoreboard.contains(&at).then_some(Target::Entry(entry as u32))
            }
            (Transport::Shared(shared), Location::Memory(_)) => {
                let at = Some(access.address).filter(|it| shared.contains(it))? - shared.start;
                let core = (at / SHARED_CORE) as u32;
                match at % SHARED_CORE {
                    0 => Some(Target::Entry(core)),
                    SHARED_STATUS => Some(Target::Status(core)),
                    _ => (at == SHARED_WORDS + COMMAND * WORD).then_some(Target::Command),
                }
            }
            _ => None,
        }
    }
}

impl Watching {
    /// Observes the machine. None: the system has no graph.
    pub fn begin(system: &System, image: &Image, machine: &mut Machine) -> Option<Watching> {
        let dataflow = system.dataflow.clone()?;
        let collected = Collected {
            dataflow,
            board: system.board.clone(),
            transport: Transport::of(system, image, machine)?,
            entries: vec![0; system.board.cores as usize],
            seen: Vec::new(),
            runs: false,
            accesses: 0,
            foreign: Vec::new(),
        };
        let watching = Watching(Arc::new(Mutex::new(collected)));
        let mine = watching.clone();
        machine.observe(Some(Box::new(move |access: &Access| {
            if let Ok(mut collected) = mine.0.lock() {
                collected.take(access);
            }
        })));
        Some(watching)
    }

    /// What each director did, in nanoseconds since the epoch of a record.
    pub fn slices(&self, head: &Head) -> Vec<Slice> {
        let Ok(collected) = self.0.lock() else { return Vec::new() };
        let frequency = collected.board.timing.as_ref().map_or(1, |timing| timing.frequency);
        let nanos = |cycles: u64| {
            let nanos = u128::from(cycles) * 1_000_000_000 / u128::from(frequency);
            (nanos as u64).saturating_sub(head.nanos(head.epoch))
        };
        let all = slices(&collected.dataflow, &collected.seen).into_iter();
        all.map(|it| Slice { begin: nanos(it.begin), end: nanos(it.end), ..it }).collect()
    }

    /// The figures, or why there are none.
    pub fn row(&self) -> Result<DataflowRow, String> {
        let collected = self.0.lock().map_err(|error| error.to_string())?;
        let board = &collected.board;
        let frequency = board.timing.as_ref().map_or(0, |timing| timing.frequency);
        let row = DataflowRow::new(
            &collected.dataflow,
            &collected.seen,
            frequency,
            &|core, it, gather| board.transfer_time(core, it, gather).map_or(0, |time| time.alone),
        );
        let row = row.map_err(|error| error.to_string())?;
        Ok(DataflowRow {
            observed_accesses: collected.accesses,
            foreign_accesses: collected.foreign.clone(),
            ..row
        })
    }
}

impl Collected {
    fn take(&mut self, access: &Access) {
        let target = match access.kind {
            Kind::Store => self.transport.target(access),
            _ => None,
        };
        if let Some(target) = target {
            self.take_store(access, target);
        }
        if access.kind == Kind::Store
            && let Location::Scratchpad { core, offset } = access.location
            && self.dataflow.runtime == Runtime::Rtos1
            && core == access.initiator
            && self.own_row(core) == offset
        {
            self.take_entry(access.time, core, access.value);
        }
        let Transport::Mesh(mesh) = &self.transport else { return };
        let worker = self.dataflow.workers.contains(&access.initiator);
        if worker || mesh.engines.contains(&access.initiator) && self.runs {
            self.accesses += 1;
            if !self.is_own(mesh, access) && self.foreign.len() < DESCRIBED {
                let Access { initiator, kind, location, time, .. } = access;
                let who = match worker {
                    true => format!("core {initiator}"),
                    false => "an engine".to_string(),
                };
                self.foreign.push(format!("{who} at cycle {time}: {kind:?} of {location:x?}"));
            }
        }
    }

    fn take_store(&mut self, access: &Access, target: Target) {
        let time = access.time;
        let mut add = |core, step| self.seen.push(Seen { time, core, step });
        match target {
            Target::Status(core) => {
                let state = State::of(access.value & 0xff);
                if let Some(state) = state {
                    add(core, Step::Status(state, (access.value >> 8) as u32 & 0xff_ffff));
                }
                // What the application does behind its graph is its own.
                self.runs &= !(core == self.dataflow.control && state == Some(State::Sequential));
            }
            Target::Command if access.value == GO => {
                add(access.initiator, Step::Go);
                self.runs = true;
            }
            Target::Command => {}
            Target::Entry(core) => self.take_entry(time, core, access.value),
        }
    }

    /// Takes a store to a core's counts: in its entry, or in its scratchpad, from where its engine sends them.
    fn take_entry(&mut self, time: u64, core: u32, value: u64) {
        let Some(before) = self.entries.get_mut(core as usize) else { return };
        let changed = std::mem::replace(before, value) ^ value;
        if changed >> 16 != 0 {
            self.seen.push(Seen { time, core, step: Step::Messages });
        }
        if changed & 0xffff != 0 {
            self.seen.push(Seen { time, core, step: Step::Answers });
        }
    }

    /// The offset of a core's own counts in its scratchpad, with the runtime "rtos1".
    fn own_row(&self, core: u32) -> u64 {
        self.dataflow.messages_of(core) + ENTRY * u64::from(core)
    }

    /// Whether a worker's access is in its scratchpad or at a subnet, or that of an engine in a buffer of an edge.
    fn is_own(&self, mesh: &Mesh, access: &Access) -> bool {
        match (access.kind, access.location) {
            (Kind::DmaRead | Kind::DmaWrite, Location::Scratchpad { core, offset }) => {
                let range = offset..offset + u64::from(access.bytes);
                self.is_of_an_edge(mesh, access, core, &range)
            }
            (_, Location::Scratchpad { core, .. }) => core == access.initiator,
            (_, Location::Device(at)) => [&mesh.words, &mesh.scoreboard, &mesh.engine]
                .iter()
                .any(|range| range.contains(&at)),
            (_, Location::Nowhere) => true,
            (_, Location::Memory(_)) => false,
        }
    }

    fn is_of_an_edge(&self, mesh: &Mesh, access: &Access, core: u32, range: &Range<u64>) -> bool {
        let reads = access.kind == Kind::DmaRead;
        let owner = |object: &&takt_model::Object| {
            mesh.engines.get(object.core as usize) == Some(&access.initiator)
        };
        let inside = |start: u64, length: u64| start <= range.start && range.end <= start + length;
        let objects = || self.dataflow.objects.iter().filter(owner);
        let sent = objects().any(|object| {
            object.transfers.iter().any(|it| match reads {
                true => core == object.core && inside(it.source, it.length),
                false => it.cores.contains(&core) && inside(it.destination, it.length),
            })
        });
        let gathered = objects().any(|object| {
            object.gathers.iter().any(|it| match reads {
                true => it.cores.contains(&core) && inside(it.source, it.length),
                false => {
                    let all = it.length * it.cores.len() as u64;
                    core == object.core && inside(it.destination, all)
                }
            })
        });
        sent || gathered || self.is_a_message(mesh, access, core, range)
    }

    /// Whether an engine sends its core's counts or decision, or writes them to another core.
    fn is_a_message(&self, mesh: &Mesh, access: &Access, core: u32, range: &Range<u64>) -> bool {
        let Some(sender) = mesh.engines.iter().position(|it| *it == access.initiator) else {
            return false;
        };
        let reads = access.kind == Kind::DmaRead;
        let base = self.dataflow.messages_of(core);
        let row = base + ENTRY * sender as u64;
        let decision = base + DECISION;
        self.dataflow.runtime == Runtime::Rtos1
            && reads == (core == sender as u32)
            && (*range == (row..row + ENTRY) || *range == (decision..decision + WORD))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use takt_model::{Bytes, Nanos, Object, Transfer};

    /// Core 0 sends 64 bytes to core 1, and fetches 32 from each of cores 1 and 2.
    fn collected() -> Collected {
        let transfer = |source, destination, length, cores: &[u32]| Transfer {
            edge: 0,
            source,
            destination,
            length,
            cores: cores.to_vec(),
        };
        let object = Object {
            gathers: vec![transfer(0x400, 0x800, 32, &[1, 2])],
            transfers: vec![transfer(0x100, 0x200, 64, &[1])],
            ..Object::new("load".into(), "load", 0, Nanos(1))
        };
        let dataflow = Dataflow {
            task: 0,
            control: 0,
            workers: vec![1, 2],
            shares_memory: false,
            sequential: None,
            check: None,
            stack: Bytes(0),
            watch: Nanos(0),
            objects: vec![object],
            edges: Vec::new(),
            runtime: Default::default(),
            messages: [0; 2],
            iterations: 1,
            until: None,
            lowest_buffer: Vec::new(),
            word_cycles: 0,
        };
        Collected {
            dataflow,
            board: Board::default(),
            transport: Transport::Mesh(Mesh {
                words: 0x1000..0x1600,
                count: 32,
                scoreboard: 0x2000..0x2050,
                engine: 0x3000..0x3030,
                engines: vec![100, 101, 102],
            }),
            entries: vec![0; 3],
            seen: Vec::new(),
            runs: true,
            accesses: 0,
            foreign: Vec::new(),
        }
    }

    fn access(initiator: u32, kind: Kind, location: Location, bytes: u32, value: u64) -> Access {
        let (acquire, release) = (false, false);
        let (time, pc, address) = (7, 0, 0);
        Access { time, initiator, pc, address, bytes, kind, location, acquire, release, value }
    }

    #[test]
    fn what_is_not_a_workers_or_engines_own_is_found() {
        let pad = |core, offset| Location::Scratchpad { core, offset };
        for (initiator, kind, location, own) in [
            (1, Kind::Load, pad(1, 0), true),
            (1, Kind::Fetch, pad(2, 0), false),
            (1, Kind::Store, Location::Device(0x1100), true),
            (1, Kind::Load, Location::Device(0x204c), true),
            (1, Kind::Store, Location::Device(0x3028), true),
            (1, Kind::Load, Location::Device(0x4000), false),
            (1, Kind::Load, Location::Memory(0x8000_0000), false),
            (100, Kind::DmaRead, pad(0, 0x120), true),
            (100, Kind::DmaRead, pad(1, 0x120), false),
            (100, Kind::DmaWrite, pad(1, 0x220), true),
            (100, Kind::DmaWrite, pad(1, 0x224), false),
            (100, Kind::DmaWrite, pad(2, 0x200), false),
            (100, Kind::DmaRead, pad(2, 0x400), true),
            (100, Kind::DmaWrite, pad(0, 0x820), true),
            (100, Kind::DmaWrite, pad(0, 0x824), false),
            (101, Kind::DmaRead, pad(0, 0x100), false),
        ] {
            let mut collected = collected();
            let bytes = if initiator < 100 { 4 } else { 32 };
            collected.take(&access(initiator, kind, location, bytes, 0));
            assert_eq!(collected.foreign.is_empty(), own, "{initiator} {kind:?} {location:x?}");
            assert_eq!(collected.accesses, 1);
        }
        // With the runtime "rtos1" engine 102 writes core 2's row and a decision to core 1, and nothing else.
        for (kind, location, bytes, own) in [
            (Kind::DmaRead, pad(2, 0x9008), 4, true),
            (Kind::DmaWrite, pad(1, 0x9008), 4, true),
            (Kind::DmaWrite, pad(0, 0xf008), 4, true),
            (Kind::DmaWrite, pad(1, 0x9028), 8, true),
            (Kind::DmaWrite, pad(1, 0x9004), 4, false),
            (Kind::DmaWrite, pad(1, 0x9008), 8, false),
            (Kind::DmaWrite, pad(2, 0x9008), 4, false),
            (Kind::DmaRead, pad(1, 0x9008), 4, false),
        ] {
            let mut collected = collected();
            let access = access(102, kind, location, bytes, 0);
            collected.take(&access);
            assert!(!collected.foreign.is_empty(), "without it no such message is known");
            collected.foreign.clear();
            collected.dataflow.runtime = Runtime::Rtos1;
            collected.dataflow.messages = [0xf000, 0x9000];
            collected.take(&access);
            assert_eq!(collected.foreign.is_empty(), own, "{kind:?} {location:x?}");
        }
        // The kernel's core reaches all.
        let mut collected = collected();
        collected.take(&access(0, Kind::Load, Location::Memory(0x8000_0000), 8, 0));
        assert_eq!((collected.accesses, collected.foreign.len()), (0, 0));
    }

    #[test]
    fn stores_say_what_directors_do() {
        let mut collected = collected();
        collected.runs = false;
        for (core, at, value) in [
            (0, 0x10f0, 1),           // word 30 of core 0: go
            (1, 0x11f8, 2 | 5 << 8),  // word 31 of core 1: activation of object 5
            (1, 0x11f8, 3 << 32 | 9), // failed: no figure needs it
            (1, 0x2004, 0x0001_0000), // a message
            (1, 0x2004, 0x0001_0004), // an answer
            (1, 0x1100, 1),           // another word
        ] {
            collected.take(&access(core, Kind::Store, Location::Device(at), 8, value));
        }
        let steps: Vec<Step> = collected.seen.iter().map(|it| it.step).collect();
        let wanted = [Step::Go, Step::Status(State::Activation, 5), Step::Messages, Step::Answers];
        assert_eq!(steps, wanted);
        assert!(collected.runs);
        // With the runtime "rtos1" a core's own row of its scratchpad says what its entry would.
        collected.dataflow.runtime = Runtime::Rtos1;
        collected.dataflow.messages = [0xf000, 0x9000];
        for (offset, value) in [(0x9008, 0x0001_0000), (0x9004, 0x0002_0000), (0x9008, 0x0001_0001)]
        {
            let row = Location::Scratchpad { core: 2, offset };
            collected.take(&access(2, Kind::Store, row, 4, value));
        }
        let steps: Vec<Step> = collected.seen[4..].iter().map(|it| it.step).collect();
        assert_eq!(steps, [Step::Messages, Step::Answers]);
    }

    #[test]
    fn stores_in_shared_memory_say_the_same() {
        let mut collected = collected();
        collected.transport = Transport::Shared(0xffff_1000..0xffff_1000 + 9 * SHARED_CORE);
        for (hart, offset, value) in [
            (0, 128 + 8 * 30, 1),          // the command
            (7, 384 + 64, 4 | 5 << 8),     // the status of core 1, whatever its hart is
            (7, 384, 0x0001_0000),         // a message
            (7, 384 + 128 + 8 * 30, 1),    // a word of core 1 that has the command's number
            (7, 9 * 384 + 64, 2 | 3 << 8), // behind the variable
        ] {
            let location = Location::Memory(0x8000_0000 + offset);
            let store = access(hart, Kind::Store, location, 8, value);
            collected.take(&Access { address: 0xffff_1000 + offset, ..store });
        }
        let steps: Vec<_> = collected.seen.iter().map(|it| (it.core, it.step)).collect();
        let executes = Step::Status(State::Execution, 5);
        assert_eq!(steps, [(0, Step::Go), (1, executes), (1, Step::Messages)]);
        assert_eq!(collected.accesses, 0);
    }
}
