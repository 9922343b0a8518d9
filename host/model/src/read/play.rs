// SPDX-License-Identifier: Apache-2.0
//! Plays a dataflow graph before it runs: each core executes its objects in their order, and waits
//! for messages, semaphores and room as its director will. An object's inputs are fixed, so the
//! order in which cores get on changes nothing: a graph that ends here ends always.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::{dataflow::Family, edges, report::Report};
use crate::{Code, Dataflow, Object, Phase, Problem};

/// Iterations that are played: the first one, one that follows one like itself, and the last.
const ITERATIONS: u32 = 3;

struct Play<'g> {
    objects: &'g [Object],
    /// For each object, the producers on other cores.
    producers: Vec<Vec<usize>>,
    /// For each core, its executions: object and iteration; and how many of them have ended.
    executions: BTreeMap<u32, (Vec<(usize, u32)>, usize)>,
    /// Whether the core's object has been executed, and waits for room.
    executed: BTreeMap<u32, bool>,
    semaphores: BTreeMap<u32, u32>,
    /// The senders of the messages that have not been answered, for sender's and receiver's core.
    messages: BTreeMap<(u32, u32), VecDeque<usize>>,
}

/// An object that takes the message of a wrong producer.
struct Crossed {
    object: usize,
    sender: usize,
}

/// Reports a graph whose objects wait for one another, or in which messages cross.
pub fn check(report: &mut Report, families: &[Family], dataflow: &Dataflow) {
    let objects = &dataflow.objects;
    let mut play = Play::new(dataflow);
    let span = |object: usize| {
        let family = families.iter().find(|it| it.members.contains(&object));
        family.map_or(0..0, |it| it.table.name.span())
    };
    match play.run() {
        Err(Crossed { object, sender }) => {
            let (to, from) = (&objects[object], &objects[sender]);
            let message = format!(
                "the object `{}` would take the message of `{}`, which is none of its producers",
                to.name, from.name
            );
            let help = format!(
                "core {} executes its objects in another order than core {} takes what they send: \
                 change the order of the objects in this file",
                from.core, to.core
            );
            let problem = Problem::new(Code::CrossedMessages, message, help);
            report.add(problem.at(span(object), "takes it").at(span(sender), "sends it"));
        }
        Ok(()) => {
            let cores: Vec<u32> = play.executions.keys().copied().collect();
            let Some((first, _)) = cores.iter().find_map(|core| play.head(*core)) else { return };
            let chain = play.chain(first);
            let waits = |pair: &[usize]| {
                let (one, other) = (&objects[pair[0]], &objects[pair[1]]);
                format!("`{}` on core {} waits for `{}`", one.name, one.core, other.name)
            };
            let waits: Vec<_> = chain.windows(2).map(waits).collect();
            let message = format!("the graph does not end: {}", waits.join(", "));
            let needs = |pair: &[usize]| {
                let link = (pair[1], pair[0]);
                dataflow.edges.iter().any(|it| !it.is_delayed && it.links.contains(&link))
            };
            let help = match chain.windows(2).all(needs) {
                true => {
                    "the edges are a circle, and none of them has data at first: leave one out, or let it lead \
                     to the next iteration, with tokens = 1 on it and `iterations` in [dataflow]"
                }
                false => {
                    "a core executes its objects in the order of this file, and an object when \
                     all its inputs are there: change the order, or the edges"
                }
            };
            let mut problem = Problem::new(Code::DeadlockedGraph, message, help);
            let mut labelled = BTreeSet::new();
            for pair in chain.windows(2) {
                let (place, other) = (span(pair[0]), &objects[pair[1]].name);
                if labelled.insert(place.start) {
                    problem = problem.at(place, format!("waits for `{other}`"));
                }
            }
            report.add(problem);
        }
    }
}

impl<'g> Play<'g> {
    fn new(dataflow: &'g Dataflow) -> Play<'g> {
        let objects = &dataflow.objects;
        let mut producers = vec![Vec::new(); objects.len()];
        let cores: BTreeSet<u32> = objects.iter().map(|object| object.core).collect();
        for (from, to) in edges::pairs(&dataflow.edges, objects) {
            producers[to].push(from);
            let is_delayed =
                |edge: &&crate::Edge| edge.is_delayed && edge.links.contains(&(from, to));
            if dataflow.edges.iter().any(|edge| is_delayed(&edge)) {
                let on = |phase, core| {
                    objects.iter().position(|it| it.phase == phase && it.core == core)
                };
                producers[to].extend(on(Phase::Initial, objects[from].core));
                if let Some(surplus) = on(Phase::Surplus, objects[to].core) {
                    producers[surplus].push(from);
                }
            }
        }
        let iterations = dataflow.iterations.min(ITERATIONS);
        let executions = cores.into_iter().map(|core| {
            let all = dataflow.executions(core, iterations).into_iter();
            (core, (all.map(|(object, iteration, _)| (object, iteration)).collect(), 0))
        });
        Play {
            objects,
            producers,
            executions: executions.collect(),
            executed: BTreeMap::new(),
            semaphores: BTreeMap::new(),
            messages: BTreeMap::new(),
        }
    }

    /// What a core executes now: object and iteration. None: it has executed all.
    fn head(&self, core: u32) -> Option<(usize, u32)> {
        let (all, ended) = self.executions.get(&core)?;
        all.get(*ended).copied()
    }

    /// Lets the cores get on until none can.
    fn run(&mut self) -> Result<(), Crossed> {
        let cores: Vec<u32> = self.executions.keys().copied().collect();
        loop {
            let mut moved = false;
            for &core in &cores {
                while self.step(core)? {
                    moved = true;
                }
            }
            if !moved {
                return Ok(());
            }
        }
    }

    /// Activates and executes the core's object, or lets it send its messages. False: it waits.
    fn step(&mut self, core: u32) -> Result<bool, Crossed> {
        let Some((index, iteration)) = self.head(core) else { return Ok(false) };
        let object = &self.objects[index];
        let (receives, mask_in) = object.inputs(iteration);
        let semaphores = self.semaphores.entry(core).or_default();
        if !self.executed.get(&core).copied().unwrap_or_default() {
            let is_set = *semaphores & !mask_in == !mask_in;
            let queued = |from| self.messages.get(&(from, core)).map_or(0, VecDeque::len);
            if !is_set || receives.iter().any(|&(from, n)| queued(from) < n as usize) {
                return Ok(false);
            }
            *semaphores &= mask_in;
            for &(from, count) in receives {
                let queue = self.messages.entry((from, core)).or_default();
                for sender in queue.drain(..count as usize) {
                    if !self.producers[index].contains(&sender) {
                        return Err(Crossed { object: index, sender });
                    }
                }
            }
            self.executed.insert(core, true);
            return Ok(true);
        }
        let queued = |to| self.messages.get(&(core, to)).map_or(0, VecDeque::len) as u32;
        if object.room.iter().any(|&(to, unanswered)| queued(to) > unanswered) {
            return Ok(false);
        }
        for &(to, count) in &object.sends {
            let queue = self.messages.entry((core, to)).or_default();
            queue.extend(std::iter::repeat_n(index, count as usize));
        }
        *semaphores |= object.mask_out;
        if let Some((_, ended)) = self.executions.get_mut(&core) {
            *ended += 1;
        }
        self.executed.insert(core, false);
        Ok(true)
    }

    /// Objects of which each waits for the next, from one that waits until one comes again.
    fn chain(&self, first: usize) -> Vec<usize> {
        let mut chain = vec![first];
        while let Some(next) = chain.last().and_then(|last| self.awaited(*last)) {
            let again = chain.iter().position(|it| *it == next);
            chain.push(next);
            if let Some(again) = again {
                return chain.split_off(again);
            }
        }
        chain
    }

    /// The object for which a waiting one waits: a producer that has not sent, the consumer's core
    /// that has not answered, or what its own core must execute before.
    fn awaited(&self, index: usize) -> Option<usize> {
        let object = &self.objects[index];
        let (head, iteration) = self.head(object.core)?;
        if head != index {
            return Some(head);
        }
        if self.executed.get(&object.core).copied().unwrap_or_default() {
            let is_full = |&&(to, unanswered): &&(u32, u32)| {
                let queued = self.messages.get(&(object.core, to)).map_or(0, VecDeque::len);
                queued as u32 > unanswered
            };
            let (to, _) = object.room.iter().find(is_full)?;
            return self.head(*to).map(|head| head.0);
        }
        let has_not_sent = |it: &usize| {
            let (all, ended) = &self.executions[&self.objects[*it].core];
            all[*ended..].iter().any(|(object, at)| object == it && *at <= iteration)
        };
        let remote = self.producers[index].iter().copied().find(has_not_sent);
        let set = self.semaphores.get(&object.core).copied().unwrap_or_default();
        let missing = !object.inputs(iteration).1 & !set;
        let own = |it: &usize| {
            self.objects[*it].core == object.core && self.objects[*it].mask_out & missing != 0
        };
        remote.or_else(|| (0..self.objects.len()).find(own))
    }
}
