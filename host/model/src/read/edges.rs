// SPDX-License-Identifier: Apache-2.0
//! Reads the edges of a dataflow graph, and derives from them what each object does: its buffers,
//! semaphores, messages and transfers.

use std::{collections::BTreeMap, ops::Range};

use super::{
    dataflow::{Family, Mesh},
    file::{EdgeTable, Spanned, SystemFile},
    report::Report,
    values,
    words::{self, Names},
};
use crate::{
    Bytes, Code, Edge, EdgeKind, Nanos, Object, Phase, Port, Problem, Runtime, Transfer, Word,
    WordCopy, dataflow::NO_WORK,
};

/// Messages of a pair of cores that may be under way: a field of the scoreboard has two bits.
pub const MESSAGES: u32 = 3;
/// The word registers of a core that the library leaves for edges.
const REGISTERS: u32 = 27;
/// The semaphores of a core.
const SEMAPHORES: u32 = 32;
/// The execution of an object that the reader adds, with the control core's cache misses.
const NO_WORK_WCET: Nanos = Nanos(1000);
/// Buffers begin at multiples of this.
const LINE: u64 = 64;
/// Members of an entry's structure that are no ports.
const MEMBERS: [&str; 2] = ["argument", "index"];

/// An end of an edge: all members of a family, or one of them, and a port.
struct End {
    family: usize,
    member: Option<usize>,
    port: String,
}

/// Family and port: a buffer, which has one offset on all cores of the family.
type Slot = (usize, String);

/// Reads all edges. One that is refused is left out.
pub fn read_all(
    report: &mut Report,
    file: &SystemFile,
    names: &Names,
    families: &[Family],
    objects: &[Object],
    runtime: Runtime,
) -> Vec<Edge> {
    let (mut inputs, mut directions) = (BTreeMap::new(), BTreeMap::new());
    let mut edges = Vec::new();
    for table in &file.edge {
        let from = end(report, &table.from, names, families);
        let to = end(report, &table.to, names, families);
        let (Some(from), Some(to)) = (from, to) else { continue };
        let (producers, consumers) = (from.members(families), to.members(families));
        let role = Role::of(table, &producers, &consumers, objects);
        let mut earlier = None;
        for object in consumers.members.clone() {
            let input = (object, to.port.clone());
            let role = match inputs.get(&input) {
                Some((_, other)) if role.goes_with(*other) => Role::Only,
                Some((span, _)) => {
                    earlier = Some(Range::clone(span));
                    Role::Only
                }
                None => role,
            };
            inputs.insert(input, (table.to.span(), role));
        }
        if let Some(earlier) = earlier {
            let message = format!("the input `{}` has two edges", table.to.get());
            let help = "give the entry a port for each of them; only blocks and broadcasts of another core \
                        may share one, if an object of phase \"before\" sends one, and the other has tokens = 1";
            let problem = Problem::new(Code::UnknownPort, message, help);
            report.add(problem.at(table.to.span(), "here again").at(earlier, "first here"));
        }
        for (value, end, is_output) in [(&table.from, &from, true), (&table.to, &to, false)] {
            let entry = families[end.family].table.entry.get().clone();
            let first =
                directions.entry((entry, end.port.clone())).or_insert((is_output, value.span()));
            if first.0 != is_output {
                let message = format!("the port `{}` is an input and an output", value.get());
                let help = "all objects of an entry have the same ports: use two names";
                let problem = Problem::new(Code::UnknownPort, message, help);
                let problem = problem.at(value.span(), "the one here");
                report.add(problem.at(first.1.clone(), "the other here"));
            }
        }
        if !producers.is_whole || !consumers.is_whole {
            continue;
        }
        let edge = edge(report, table, &producers, &consumers, objects);
        edges.extend(edge.map(|edge| match runtime {
            Runtime::Iota => edge,
            Runtime::Rtos1 => {
                Edge { kind: edge.kind.without_words(&producers, &consumers), ..edge }
            }
        }));
    }
    if edges.len() == file.edge.len() {
        check_used(report, families, objects, &edges);
    }
    edges
}

/// What an edge can be to an input that another edge leads to as well.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// It brings the data of the first iteration.
    First,
    /// It brings those of the others.
    Further,
    Only,
}

impl Role {
    fn of(table: &EdgeTable, from: &Family, to: &Family, objects: &[Object]) -> Role {
        let kind = table.kind.as_ref().map_or("block", |it| it.get());
        let cores =
            |family: &Family| family.members.clone().map(|it| objects[it].core).collect::<Vec<_>>();
        let (producers, consumers) = (cores(from), cores(to));
        if !["block", "broadcast"].contains(&kind)
            || producers.iter().any(|it| consumers.contains(it))
        {
            return Role::Only;
        }
        let is_before = from.members.clone().all(|it| objects[it].phase == Phase::Before);
        match table.tokens.as_ref().map_or(0, |it| *it.get()) {
            1 => Role::Further,
            _ if is_before => Role::First,
            _ => Role::Only,
        }
    }

    fn goes_with(self, other: Role) -> bool {
        matches!((self, other), (Role::First, Role::Further) | (Role::Further, Role::First))
    }
}

impl End {
    /// The objects of this end, as a family of their own.
    fn members<'f>(&self, families: &[Family<'f>]) -> Family<'f> {
        let family = families[self.family].clone();
        match self.member {
            Some(member) => {
                let object = family.members.start + member;
                Family { members: object..object + 1, is_family: false, ..family }
            }
            None => family,
        }
    }
}

/// Object and port of a text "OBJECT.PORT", or "FAMILY[2].PORT" of one member.
fn end(
    report: &mut Report,
    value: &Spanned<String>,
    names: &Names,
    families: &[Family],
) -> Option<End> {
    let text = value.get();
    let Some((object, port)) = text.split_once('.') else {
        let message = format!("`{text}` names no port");
        let help = format!("write the object, a point and the port: \"{text}.data\"");
        let problem = Problem::new(Code::UnknownPort, message, help);
        report.add(problem.at(value.span(), "an object alone"));
        return None;
    };
    if MEMBERS.contains(&port) {
        let message = format!("`{port}` is no name for a port");
        let help = "an entry has a member of this name already; choose another one";
        let problem = Problem::new(Code::ReservedName, message, help);
        report.add(problem.at(value.span(), "not a port"));
    } else {
        words::check_identifier(report, "port", port, value.span(), words::MAX_NAME);
    }
    let (name, index) = match object.strip_suffix(']').and_then(|it| it.split_once('[')) {
        Some((name, index)) => (name, Some(index)),
        None => (object, None),
    };
    let Some(family) = names.index_of(name) else {
        let help = words::suggest(name, names.words(), "the objects are");
        let message = format!("there is no object `{name}`");
        let problem = Problem::new(Code::UnknownObject, message, help);
        report.add(problem.at(value.span(), "no object has this name"));
        return None;
    };
    let Family { members, is_family, is_whole, .. } = &families[family];
    let member = index.map(|it| it.parse().ok().filter(|it| is_family & (*it < members.len())));
    if member == Some(None) {
        if *is_whole {
            let message = format!("there is no object `{object}`");
            let help = match is_family {
                true => format!("the family `{name}` has the members 0 to {}", members.len() - 1),
                false => format!("`{name}` is no family: leave out the index"),
            };
            let problem = Problem::new(Code::UnknownObject, message, help);
            report.add(problem.at(value.span(), "no member has this index"));
        }
        return None;
    }
    Some(End { family, member: member.flatten(), port: port.to_string() })
}

fn edge(
    report: &mut Report,
    table: &EdgeTable,
    from: &Family,
    to: &Family,
    objects: &[Object],
) -> Option<Edge> {
    let kind = table.kind.as_ref().map_or(Some(EdgeKind::Block), |value| {
        values::word(report, "kind", value, EdgeKind::WORDS)
    })?;
    let most = if kind == EdgeKind::Word { Bytes(8) } else { Bytes(16 << 20) };
    let size = values::aligned_size(report, "size", &table.size, Bytes(4)..=most, Bytes(4))?;
    let (producers, consumers) = (from.members.clone(), to.members.clone());
    let mut refuse = |what: &str, help: &str| {
        let message = format!("a {} edge {what}", kind.word());
        let problem = Problem::new(Code::DataflowEdge, message, help);
        let problem = problem.at(table.from.span(), "from here");
        report.add(problem.at(table.to.span(), "to here"));
        None
    };
    let links: Vec<_> = match (kind, from.is_family, to.is_family) {
        (EdgeKind::Block | EdgeKind::Word, true, true) if producers.len() != consumers.len() => {
            return refuse("joins families of different sizes", "give both as many cores");
        }
        (EdgeKind::Block | EdgeKind::Word, true, true) => producers.zip(consumers).collect(),
        (EdgeKind::Block, true, false) => {
            return refuse("leads from a family to one object", "write kind = \"gather\"");
        }
        (EdgeKind::Gather | EdgeKind::Word, true, false) => {
            let to = consumers.start;
            if producers.clone().any(|it| objects[it].core == objects[to].core) {
                let help = "the parts come from other cores only: move the consumer or the member";
                return refuse("has a member on the core of its consumer", help);
            }
            producers.map(|it| (it, to)).collect()
        }
        (EdgeKind::Gather, ..) => {
            return refuse("does not lead from a family to one object", "write kind = \"block\"");
        }
        (EdgeKind::Broadcast, false, true) | (EdgeKind::Block | EdgeKind::Word, false, _) => {
            let from = producers.start;
            consumers.map(|it| (from, it)).collect()
        }
        (EdgeKind::Broadcast, ..) => {
            return refuse("does not lead from one object to a family", "write kind = \"block\"");
        }
    };
    let is_delayed = is_delayed(report, table, &links, objects)?;
    let text = |value: &Spanned<String>| value.get().clone();
    Some(Edge { from: text(&table.from), to: text(&table.to), kind, is_delayed, size, links })
}

impl EdgeKind {
    /// What the data subnet has for a word.
    fn without_words(self, from: &Family, to: &Family) -> EdgeKind {
        match (self, from.is_family, to.is_family) {
            (EdgeKind::Word, true, false) => EdgeKind::Gather,
            (EdgeKind::Word, false, true) => EdgeKind::Broadcast,
            (EdgeKind::Word, ..) => EdgeKind::Block,
            (kind, ..) => kind,
        }
    }
}

/// Reads the tokens of an edge, and checks that it leads from a phase to the same or a later one.
fn is_delayed(
    report: &mut Report,
    table: &EdgeTable,
    links: &[(usize, usize)],
    objects: &[Object],
) -> Option<bool> {
    let number = table.tokens.as_ref();
    let number = number.map_or(Some(0), |value| values::number(report, "tokens", value, 0..=1))?;
    let &(first_from, first_to) = links.first()?;
    let phases = (objects[first_from].phase, objects[first_to].phase);
    let is_local = |link: &(usize, usize)| objects[link.0].core == objects[link.1].core;
    let mut refuse = |message: &str, help: &str| {
        let problem = Problem::new(Code::DataflowEdge, message, help);
        let span = table.tokens.as_ref().map_or(table.from.span(), Spanned::span);
        report.add(problem.at(span, "this one").at(table.to.span(), "to here"));
        None
    };
    match (number, phases) {
        (1, (Phase::Body, Phase::Body)) => {
            let comes_late = |link: &(usize, usize)| objects[link.1].place >= objects[link.0].place;
            if links.iter().any(|link| is_local(link) && comes_late(link)) {
                let help = "the consumer reads in place what the producer overwrites: put it before \
                            the producer in this file";
                return refuse("an edge with a token whose consumer would come too late", help);
            }
            Some(true)
        }
        (1, _) => refuse(
            "an edge with a token does not lead from iteration to iteration",
            "only an edge between objects of phase \"body\" has tokens",
        ),
        (_, (from, to)) if from > to => refuse(
            "an edge leads to an earlier phase",
            "the phases are \"before\", \"body\", \"after\", in this order",
        ),
        (_, (Phase::Body, Phase::After)) if !links.iter().all(is_local) => refuse(
            "an edge leaves the iterations and its core",
            "only the last iteration's data are of use behind them: let an object of phase \"after\" \
             on the producer's core send them",
        ),
        _ => Some(false),
    }
}

/// Each object has an edge.
fn check_used(report: &mut Report, families: &[Family], objects: &[Object], edges: &[Edge]) {
    let mut used = vec![false; objects.len()];
    for &(from, to) in edges.iter().flat_map(|edge| &edge.links) {
        (used[from], used[to]) = (true, true);
    }
    for family in families.iter().filter(|it| it.members.clone().any(|member| !used[member])) {
        let name = &family.table.name;
        let message = format!("the object `{}` has no edge", name.get().0);
        let help = "add an edge from or to it, or leave the object out";
        report.add_costly(|| {
            Problem::new(Code::NoEdge, message, help).at(name.span(), "nothing comes or goes")
        });
    }
}

/// The buffer of each port of each family: the same offset on all its cores.
struct Buffers {
    /// For each core of the board, the offset of the lowest buffer.
    lowest: Vec<u64>,
    offsets: BTreeMap<Slot, u64>,
}

impl Buffers {
    /// Finds room for a port's buffer below those that the family's cores have already. None: there
    /// is none.
    fn add(&mut self, slot: Slot, objects: &[Object], size: u64) -> Option<u64> {
        if let Some(offset) = self.offsets.get(&slot) {
            return Some(*offset);
        }
        let lowest = |object: &Object| self.lowest[object.core as usize];
        let below = objects.iter().map(lowest).min()?.checked_sub(size)?;
        let offset = below / LINE * LINE;
        objects.iter().for_each(|object| self.lowest[object.core as usize] = offset);
        self.offsets.insert(slot, offset);
        Some(offset)
    }
}

/// Derives what each object does from the edges; returns for each core the offset of its lowest
/// buffer. None: the graph is refused.
pub fn derive(
    report: &mut Report,
    file: &SystemFile,
    edges: &[Edge],
    families: &[Family],
    objects: &mut Vec<Object>,
    mesh: &Mesh,
    iterations: u32,
) -> Option<Vec<u64>> {
    let mut buffers = Buffers { lowest: mesh.ends.clone(), offsets: BTreeMap::new() };
    let family_of = |object: usize| families.iter().position(|it| it.members.contains(&object));
    let slot = |object: usize, end: &str| {
        let port = end.split_once('.').map_or("", |it| it.1);
        family_of(object).map(|family| (family, port.to_string()))
    };
    let sizes = buffer_sizes(edges, &slot);
    // By core: its word registers that edges use.
    let mut used: BTreeMap<u32, u32> = BTreeMap::new();
    for (number, edge) in edges.iter().enumerate() {
        let table = &file.edge[number];
        let (first_from, first_to) = *edge.links.first()?;
        let (from, to) = (slot(first_from, &edge.from)?, slot(first_to, &edge.to)?);
        let is_remote = |link: &&(usize, usize)| objects[link.0].core != objects[link.1].core;
        let remote: Vec<_> = edge.links.iter().filter(is_remote).copied().collect();
        let mut place = |slot: &Slot, span: Range<usize>| {
            let members = &objects[families[slot.0].members.clone()];
            let offset = buffers.add(slot.clone(), members, sizes[slot]);
            if offset.is_none() {
                let least = |object: &&Object| buffers.lowest[object.core as usize];
                let core = members.iter().min_by_key(least).map_or(0, |object| object.core);
                let (size, left) = (Bytes(sizes[slot]), Bytes(buffers.lowest[core as usize]));
                let label = format!("its buffer has {size}, and {left} are left");
                report.add(full(core, mesh.scratchpads[core as usize], span, &label));
            }
            offset
        };
        let source = place(&from, table.from.span())?;
        let destination = match remote.is_empty() {
            true => 0, // the consumers read in place
            false => place(&to, table.to.span())?,
        };
        // One producer has a part for each of its consumers.
        let part = |at: usize| match edge.kind {
            EdgeKind::Block if edge.links[at].0 == first_from => edge.size.0 * at as u64,
            _ => 0,
        };
        let parts: Vec<u64> = (0..edge.links.len()).map(part).collect();
        for (link, part) in edge.links.iter().zip(&parts) {
            let local = objects[link.0].core == objects[link.1].core;
            let input = if local { source + part } else { destination };
            add_port(&mut objects[link.0], &from.1, true, source, sizes[&from]);
            add_port(&mut objects[link.1], &to.1, false, input, sizes[&to]);
        }
        let cores =
            |links: &[(usize, usize)], of: fn(&(usize, usize)) -> usize, objects: &[Object]| {
                links.iter().map(|link| objects[of(link)].core).collect::<Vec<_>>()
            };
        let transfer = |source, cores| Transfer {
            edge: number,
            source,
            destination,
            length: edge.size.0,
            cores,
        };
        match edge.kind {
            EdgeKind::Gather => {
                let cores = cores(&remote, |link| link.0, objects);
                objects[first_to].gathers.push(transfer(source, cores));
            }
            EdgeKind::Broadcast if !remote.is_empty() => {
                let cores = cores(&remote, |link| link.1, objects);
                objects[first_from].transfers.push(transfer(source, cores));
            }
            EdgeKind::Broadcast => {}
            EdgeKind::Word => {
                for (producer, register) in registers(report, table, &remote, objects, &mut used)? {
                    let word = |core, offset| WordCopy {
                        edge: number,
                        core,
                        register,
                        offset,
                        bytes: edge.size.0,
                    };
                    let core = objects[producer].core;
                    objects[producer].words_out.push(word(core, source));
                    for (at, link) in remote.iter().enumerate().filter(|it| it.1.0 == producer) {
                        // A consumer of several producers has their words one behind the other.
                        let same = remote[..at].iter().filter(|it| it.1 == link.1).count() as u64;
                        let word = word(core, destination + same * edge.size.0);
                        objects[link.1].words_in.push(word);
                    }
                }
            }
            EdgeKind::Block => {
                // Each producer begins with the core behind its own, so that all do not send to one at once.
                let mut order: Vec<_> = edge.links.iter().zip(&parts).collect();
                order.sort_by_key(|(link, _)| objects[link.1].core < objects[link.0].core);
                for (link, part) in order {
                    let core = objects[link.1].core;
                    if objects[link.0].core != core {
                        objects[link.0].transfers.push(transfer(source + part, vec![core]));
                    }
                }
            }
        }
    }
    semaphores(report, edges, families, objects)?;
    messages(report, file, edges, families, objects)?;
    rooms(edges, objects, iterations > 1);
    objects.iter_mut().for_each(|object| object.kind = kind(object));
    Some(buffers.lowest)
}

/// Gives each producer of an edge's words a register of its core. None: a core has none left.
fn registers(
    report: &mut Report,
    table: &EdgeTable,
    links: &[(usize, usize)],
    objects: &[Object],
    used: &mut BTreeMap<u32, u32>,
) -> Option<Vec<(usize, u32)>> {
    let mut producers: Vec<usize> = links.iter().map(|link| link.0).collect();
    producers.dedup();
    let mut found = Vec::new();
    for producer in producers {
        let core = objects[producer].core;
        let next = used.entry(core).or_default();
        if *next == REGISTERS {
            let message = format!("more than {REGISTERS} words leave core {core}");
            let help = "a core has so many registers for edges: send a block, or join words";
            let problem = Problem::new(Code::TooMany, message, help);
            report.add(problem.at(table.from.span(), "the first one too many"));
            return None;
        }
        found.push((producer, *next));
        *next += 1;
    }
    Some(found)
}

/// The size of each buffer: the largest that an edge needs.
fn buffer_sizes(edges: &[Edge], slot: &dyn Fn(usize, &str) -> Option<Slot>) -> BTreeMap<Slot, u64> {
    let mut sizes = BTreeMap::new();
    for edge in edges {
        let (from, to) = edge.links[0];
        let consumers = edge.links.iter().filter(|link| link.0 == from).count() as u64;
        let sent = if edge.kind == EdgeKind::Block { consumers } else { 1 };
        let received = match edge.kind {
            EdgeKind::Gather | EdgeKind::Word => {
                edge.links.iter().filter(|link| link.1 == to).count() as u64
            }
            _ => 1,
        };
        for (slot, parts) in [(slot(from, &edge.from), sent), (slot(to, &edge.to), received)] {
            let size = slot.map(|slot| sizes.entry(slot).or_insert(0));
            size.into_iter().for_each(|size| *size = (edge.size.0 * parts).max(*size));
        }
    }
    sizes
}

fn add_port(object: &mut Object, name: &str, is_output: bool, offset: u64, size: u64) {
    if !object.ports.iter().any(|port| port.name == name) {
        object.ports.push(Port { name: name.into(), is_output, offset, size: Bytes(size) });
    }
}

/// Numbers the input buffers of edges within a core, in the order of the core's objects.
fn semaphores(
    report: &mut Report,
    edges: &[Edge],
    families: &[Family],
    objects: &mut Vec<Object>,
) -> Option<()> {
    let links =
        edges.iter().flat_map(|edge| edge.links.iter().map(|link| (*link, edge.is_delayed)));
    let mut local: Vec<_> =
        links.filter(|(link, _)| objects[link.0].core == objects[link.1].core).collect();
    local.sort_by_key(|(link, _)| (objects[link.1].phase, objects[link.1].place));
    let mut next: BTreeMap<u32, u32> = BTreeMap::new();
    for ((from, to), is_delayed) in local {
        let number = next.entry(objects[to].core).or_default();
        if *number == SEMAPHORES {
            let family = families.iter().find(|it| it.members.contains(&to))?;
            let core = objects[to].core;
            let message = format!("more than {SEMAPHORES} edges within core {core}");
            let help = "a core has a semaphore of one bit for each: move objects to other cores";
            let problem = Problem::new(Code::TooMany, message, help);
            report.add(problem.at(family.table.name.span(), "the first object too many"));
            return None;
        }
        let bit = 1 << *number;
        *number += 1;
        objects[to].mask_in &= !bit;
        objects[from].mask_out |= bit;
        if objects[from].phase == objects[to].phase {
            objects[to].again.1 &= !bit;
        }
        if is_delayed {
            let core = objects[to].core;
            let initial = boundary(objects, Phase::Initial, core);
            objects[initial].mask_out |= bit;
            let surplus = boundary(objects, Phase::Surplus, core);
            objects[surplus].mask_in &= !bit;
        }
    }
    Some(())
}

/// Counts the messages of each pair of objects on two cores that have edges: one, whatever their
/// number.
fn messages(
    report: &mut Report,
    file: &SystemFile,
    edges: &[Edge],
    families: &[Family],
    objects: &mut Vec<Object>,
) -> Option<()> {
    for (from, to) in pairs(edges, objects) {
        let (sender, receiver) = (objects[from].core, objects[to].core);
        let sent = count(&mut objects[from].sends, receiver);
        let received = count(&mut objects[to].receives, sender);
        if objects[from].phase == objects[to].phase {
            count(&mut objects[to].again.0, sender);
        }
        let has =
            |edge: &&Edge, delayed| edge.is_delayed == delayed && edge.links.contains(&(from, to));
        if let Some(at) = edges.iter().position(|edge| has(&edge, true)) {
            let initial = boundary(objects, Phase::Initial, sender);
            let surplus = boundary(objects, Phase::Surplus, receiver);
            let tokens = count(&mut objects[initial].sends, receiver);
            count(&mut objects[surplus].receives, sender);
            let refused = if edges.iter().any(|edge| has(&edge, false)) {
                Some((Code::DataflowEdge, "two objects have edges with and without a token"))
            } else if tokens > MESSAGES {
                Some((
                    Code::TooMany,
                    "more than 3 pairs of objects of two cores have edges with a token",
                ))
            } else {
                None
            };
            if let Some((code, message)) = refused {
                let help = "one message stands for all data of two objects: join or part objects";
                let problem = Problem::new(code, message, help);
                report.add(
                    problem
                        .at(file.edge[at].from.span(), "from here")
                        .at(file.edge[at].to.span(), "to here"),
                );
                return None;
            }
        }
        if sent.max(received) > MESSAGES {
            let object = if sent > MESSAGES { from } else { to };
            let family = families.iter().find(|it| it.members.contains(&object))?;
            let message = format!(
                "the object `{}` has edges with more than {MESSAGES} objects of one core",
                objects[object].name
            );
            let help = "at most so many messages of two cores are under way: join those objects";
            let problem = Problem::new(Code::TooMany, message, help);
            report.add(problem.at(family.table.name.span(), "this object"));
            return None;
        }
    }
    Some(())
}

/// The object that the reader adds at the beginning or the end of a core's iterations, for their edges with tokens.
fn boundary(objects: &mut Vec<Object>, phase: Phase, core: u32) -> usize {
    let found = objects.iter().position(|it| it.phase == phase && it.core == core);
    found.unwrap_or_else(|| {
        let what = if phase == Phase::Initial { "initial" } else { "surplus" };
        objects.push(Object { phase, ..no_work(format!("{what} tokens of core {core}"), core) });
        objects.len() - 1
    })
}

fn no_work(name: String, core: u32) -> Object {
    Object::new(name, NO_WORK, core, NO_WORK_WCET)
}

/// Derives how many messages may be unanswered. In iterations a buffer is written again when the consumer has answered
/// its last message, which is as many messages ago as an iteration has.
fn rooms(edges: &[Edge], objects: &mut Vec<Object>, iterates: bool) {
    let mut each: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for object in objects.iter().filter(|it| it.phase == Phase::Body) {
        for &(to, count) in &object.sends {
            *each.entry((object.core, to)).or_default() += count;
        }
    }
    for object in objects.iter_mut() {
        let again = iterates && object.phase == Phase::Body;
        let room = |&(to, count): &(u32, u32)| {
            let most = if again { each[&(object.core, to)].min(MESSAGES) } else { MESSAGES };
            (to, most - count)
        };
        object.room = object.sends.iter().map(room).collect();
    }
    if !iterates {
        return;
    }
    // The consumer of a gather reads what the producer writes in place.
    for index in 0..objects.len() {
        let object = &objects[index];
        let gathers = edges.iter().filter(|edge| edge.kind == EdgeKind::Gather);
        let links = gathers.flat_map(|edge| &edge.links).filter(|link| link.0 == index);
        let mut cores: Vec<u32> = links.map(|link| objects[link.1].core).collect();
        cores.sort_unstable();
        cores.dedup();
        if object.phase != Phase::Body || cores.is_empty() {
            continue;
        }
        let room = object.room.iter().filter(|(to, _)| cores.contains(to)).copied().collect();
        let name = format!("room for {}", object.name);
        let place = (object.place.0, index, false);
        let added = Object { place, room, ..no_work(name, object.core) };
        objects.push(added);
    }
}

/// Producer and consumer of each pair on two cores that have edges, once each.
pub fn pairs(edges: &[Edge], objects: &[Object]) -> Vec<(usize, usize)> {
    let links = edges.iter().flat_map(|edge| edge.links.iter().copied());
    let mut pairs: Vec<_> =
        links.filter(|link| objects[link.0].core != objects[link.1].core).collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Adds 1 to the number of a core, and returns it.
fn count(counts: &mut Vec<(u32, u32)>, core: u32) -> u32 {
    let at = counts.partition_point(|(other, _)| *other < core);
    if counts.get(at).is_none_or(|(other, _)| *other != core) {
        counts.insert(at, (core, 0));
    }
    counts[at].1 += 1;
    counts[at].1
}

/// What the flow of each type of Table 2 does: it checks semaphores, checks messages, sets
/// semaphores, sends messages.
const TYPES: [[bool; 4]; 10] = [
    [false, false, true, false],
    [true, false, false, false],
    [false, false, false, true],
    [false, true, true, false],
    [true, true, true, false],
    [false, true, false, false],
    [false, true, false, true],
    [false, true, true, true],
    [true, true, false, true],
    [true, true, true, true],
];

/// The least type that does all that the object needs.
fn kind(object: &Object) -> u8 {
    let needs = [
        object.mask_in != u32::MAX,
        !object.receives.is_empty(),
        object.mask_out != 0,
        !object.room.is_empty(),
    ];
    let does_all = |kind: &usize| needs.iter().zip(TYPES[*kind]).all(|(need, does)| !need || does);
    let steps = |kind: &usize| TYPES[*kind].iter().filter(|does| **does).count();
    (0..TYPES.len()).filter(does_all).min_by_key(steps).map_or(9, |kind| kind as u8)
}

/// The problem of a core whose scratchpad is too small.
pub fn full(core: u32, size: u64, span: Range<usize>, label: &str) -> Problem {
    let message =
        format!("the buffers do not fit the scratchpad of core {core}, which has {}", Bytes(size));
    let help = "make the edges' data smaller, or move objects to other cores";
    Problem::new(Code::ScratchpadFull, message, help).at(span, label)
}
