// SPDX-License-Identifier: Apache-2.0
//! The time that each firing's transfers take at most: their own cycles, and those for which messages of other transfers can
//! occupy a link before theirs.

use std::collections::BTreeSet;

use takt_model::{Board, Firing, dataflow::Dataflow};

/// All transfers of one part of a firing: they follow each other.
struct Group {
    core: u32,
    alone: u64,
    link_cycles: u64,
    links: BTreeSet<(u32, u32)>,
}

/// A part of a firing that others wait for: `2 f` for activation, gathers and execution, `2 f + 1` for room, transfers and messages.
type Part = usize;

/// A bit for each group.
type Bits = Vec<u64>;

/// Returns the cycles of each firing's gathers and of its other transfers; None if the board has no mesh, or no timing.
pub fn bounds(board: &Board, graph: &Dataflow, firings: &[Firing]) -> Option<Vec<(u64, u64)>> {
    let mut groups: Vec<Group> = Vec::new();
    // The group of each part.
    let mut of_part: Vec<Option<usize>> = vec![None; 2 * firings.len()];
    for (index, firing) in firings.iter().enumerate() {
        let object = &graph.objects[firing.object];
        for (part, list, gather) in
            [(2 * index, &object.gathers, true), (2 * index + 1, &object.transfers, false)]
        {
            if list.is_empty() {
                continue;
            }
            let core = object.core;
            let mut group = Group { core, alone: 0, link_cycles: 0, links: BTreeSet::new() };
            for transfer in list {
                let time = board.transfer_time(core, transfer, gather)?;
                group.alone += time.alone;
                group.link_cycles += time.link_cycles;
                group.links.extend(time.links);
            }
            of_part[part] = Some(groups.len());
            groups.push(group);
        }
    }
    let before = groups_before(firings, &of_part, groups.len());
    let delays: Vec<u64> = (0..groups.len()).map(|group| delay(&groups, &before, group)).collect();
    let cycles = |part: Part| of_part[part].map_or(0, |group| groups[group].alone + delays[group]);
    Some((0..firings.len()).map(|index| (cycles(2 * index), cycles(2 * index + 1))).collect())
}

/// Returns for each group the groups that have ended before it begins, whatever anything takes.
fn groups_before(firings: &[Firing], of_part: &[Option<usize>], count: usize) -> Vec<Bits> {
    let waits = |part: Part| {
        let (firing, sends) = (&firings[part / 2], part % 2 == 1);
        let parts: Vec<Part> = match sends {
            true => firing.consumers.iter().map(|it| 2 * it).chain([part - 1]).collect(),
            false => {
                let others = firing.producers.iter().chain(&firing.before).map(|it| 2 * it + 1);
                others.chain(firing.decision.map(|it| 2 * it)).collect()
            }
        };
        parts
    };
    let words = count.div_ceil(64);
    let mut found: Vec<Option<Bits>> = vec![None; 2 * firings.len()];
    // Parts whose predecessors are looked for, the last one first; no graph that ends has a circle.
    for first in 0..2 * firings.len() {
        let mut stack = vec![first];
        while let Some(&part) = stack.last() {
            if found[part].is_some() {
                stack.pop();
                continue;
            }
            let waits = waits(part);
            let missing: Vec<_> = waits.iter().copied().filter(|it| found[*it].is_none()).collect();
            if !missing.is_empty() {
                stack.extend(missing);
                continue;
            }
            let mut bits = vec![0; words];
            for other in waits {
                let others = found[other].as_ref().expect("none is missing");
                bits.iter_mut().zip(others).for_each(|(bit, other)| *bit |= other);
                if let Some(group) = of_part[other] {
                    bits[group / 64] |= 1 << (group % 64);
                }
            }
            found[part] = Some(bits);
            stack.pop();
        }
    }
    let parts = (0..of_part.len()).filter(|part| of_part[*part].is_some());
    parts.map(|part| found[part].take().unwrap_or_default()).collect()
}

/// The cycles for which messages of other transfers can be before those of a group: of each that is neither before nor
/// behind it and shares a link with it, or with another that can delay it. With X before Y no way comes back to a link, so
/// whoever delays a message at one link is ahead of it at the next, and delays it once.
fn delay(groups: &[Group], before: &[Bits], own: usize) -> u64 {
    let is_before = |one: usize, other: usize| before[other][one / 64] >> (one % 64) & 1 != 0;
    let mut beside: Vec<usize> = (0..groups.len())
        .filter(|it| {
            groups[*it].core != groups[own].core && !is_before(*it, own) && !is_before(own, *it)
        })
        .collect();
    let mut links = groups[own].links.clone();
    let mut cycles = 0;
    loop {
        let (near, far): (Vec<_>, Vec<_>) =
            beside.into_iter().partition(|it| !groups[*it].links.is_disjoint(&links));
        if near.is_empty() {
            return cycles;
        }
        for group in near.into_iter().map(|it| &groups[it]) {
            cycles += group.link_cycles;
            links.extend(&group.links);
        }
        beside = far;
    }
}
