// SPDX-License-Identifier: Apache-2.0
//! Who sees what at an address: a table of windows for each initiator, so that harts may have local
//! memories at equal addresses, bridges that translate, or parts that others do not see.

use serde::{Deserialize, Serialize};
use std::ops::Range;

use thiserror::Error;

/// What answers behind a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Target {
    /// The machine's array of bytes, but for scratchpads; caches keep it where the window says so.
    Ram,
    /// The scratchpad of this number.
    Scratchpad(u32),
    /// What the harts start from; writes are refused.
    Rom,
    /// The device of this number.
    Device(u32),
}

/// How an access behaves on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attributes {
    /// Caches may keep it; they are kept equal within its coherence domain.
    pub cacheable: bool,
    pub domain: u16,
    /// A write is over when it was sent: nobody waits for its answer.
    pub posted: bool,
}

impl Attributes {
    pub const CACHED: Attributes = Attributes { cacheable: true, domain: 0, posted: false };
    pub const UNCACHED: Attributes = Attributes { cacheable: false, domain: 0, posted: false };
}

/// A range of addresses that some initiators see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Harts are their indices, devices follow; `0..u32::MAX` is everyone.
    pub initiators: Range<u32>,
    pub base: u64,
    pub size: u64,
    pub target: Target,
    /// At the target, of the window's first byte.
    pub offset: u64,
    pub attributes: Attributes,
}

impl Window {
    pub fn for_all(
        base: u64,
        size: u64,
        target: Target,
        offset: u64,
        attributes: Attributes,
    ) -> Window {
        Window { initiators: 0..u32::MAX, base, size, target, offset, attributes }
    }

    /// The same window for all of its initiators but these; a window that none of them has stays as it is, as does one
    /// that begins among them.
    pub fn without(self, others: Range<u32>) -> Vec<Window> {
        if others.is_empty() || self.initiators != (0..u32::MAX) {
            return vec![self];
        }
        let behind = Window { initiators: others.end..u32::MAX, ..self.clone() };
        vec![behind, Window { initiators: 0..others.start, ..self }]
    }

    fn last(&self) -> u64 {
        self.base + (self.size - 1)
    }
}

/// Where an address leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route {
    pub target: Target,
    /// From the target's start.
    pub offset: u64,
    /// Bytes from here to the window's end; an access must fit.
    pub left: u64,
    pub attributes: Attributes,
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RouteError {
    #[error("the window at {base:#x} is empty, or no initiator sees it")]
    Empty { base: u64 },
    #[error("the window at {base:#x} of {size:#x} bytes runs past the last address")]
    PastEnd { base: u64, size: u64 },
    #[error("for initiator {initiator} the window at {first:#x} runs into the one at {second:#x}")]
    Overlap { initiator: u32, first: u64, second: u64 },
}

#[derive(Clone, Debug, Default)]
pub struct Routes {
    /// The first initiator of each group that has a map of its own, ascending, and its map.
    groups: Vec<(u32, Vec<Window>)>,
    /// The largest window to cached RAM that begins with the first initiator: base, size and offset. It is looked at
    /// first.
    common: (u64, u64, u64),
    /// The initiators below this one have it.
    sharers: u32,
}

impl Routes {
    pub fn new(windows: Vec<Window>) -> Result<Routes, RouteError> {
        for window in &windows {
            let Window { ref initiators, base, size, offset, .. } = *window;
            if size == 0 || initiators.is_empty() {
                return Err(RouteError::Empty { base });
            }
            if base.checked_add(size - 1).is_none() || offset.checked_add(size - 1).is_none() {
                return Err(RouteError::PastEnd { base, size });
            }
        }
        let ends =
            windows.iter().flat_map(|window| [window.initiators.start, window.initiators.end]);
        let mut starts: Vec<u32> = ends.chain([0]).collect();
        starts.sort_unstable();
        starts.dedup();
        let group = |start| map_of(start, &windows).map(|map| (start, map));
        let groups = starts.into_iter().map(group).collect::<Result<_, _>>()?;
        let for_all = |window: &&Window| {
            let cached = window.target == Target::Ram && window.attributes.cacheable;
            cached && window.initiators.start == 0
        };
        let common = windows.iter().filter(for_all).max_by_key(|window| window.size);
        let sharers = common.map_or(0, |window| window.initiators.end);
        let common = common.map_or((0, 0, 0), |window| (window.base, window.size, window.offset));
        Ok(Routes { groups, common, sharers })
    }

    /// The offset in the machine's array of bytes of RAM that caches keep, if that many are in one window.
    #[inline(always)]
    pub fn memory(&self, initiator: u32, address: u64, bytes: u64) -> Option<u64> {
        let (base, size, offset) = self.common;
        let inside = address.wrapping_sub(base);
        if inside < size && size - inside >= bytes && initiator < self.sharers {
            return Some(offset + inside);
        }
        self.memory_of(initiator, address, bytes)
    }

    #[inline(never)]
    fn memory_of(&self, initiator: u32, address: u64, bytes: u64) -> Option<u64> {
        self.ram(initiator, address, bytes, true)
    }

    /// Routes as [`Routes::memory`] does, to RAM that no cache keeps.
    pub fn uncached(&self, initiator: u32, address: u64, bytes: u64) -> Option<u64> {
        self.ram(initiator, address, bytes, false)
    }

    fn ram(&self, initiator: u32, address: u64, bytes: u64, cached: bool) -> Option<u64> {
        let route = self.route(initiator, address)?;
        let wanted = route.target == Target::Ram && route.attributes.cacheable == cached;
        (wanted && route.left >= bytes).then_some(route.offset)
    }

    /// A scratchpad's number, and the offset in it, if that many bytes are there.
    pub fn scratchpad(&self, initiator: u32, address: u64, bytes: u64) -> Option<(u32, u64)> {
        let route = self.route(initiator, address).filter(|route| route.left >= bytes)?;
        match route.target {
            Target::Scratchpad(number) => Some((number, route.offset)),
            Target::Ram | Target::Rom | Target::Device(_) => None,
        }
    }

    /// `None`: nothing is there for this initiator, an access fault.
    pub fn route(&self, initiator: u32, address: u64) -> Option<Route> {
        let group = self.groups.partition_point(|&(start, _)| start <= initiator);
        let (_, map) = self.groups.get(group.checked_sub(1)?)?;
        let above = map.partition_point(|window| window.base <= address);
        let window = map.get(above.checked_sub(1)?)?;
        let inside = address - window.base;
        (inside < window.size).then(|| Route {
            target: window.target,
            offset: window.offset + inside,
            left: window.size - inside,
            attributes: window.attributes,
        })
    }
}

/// The windows that the initiator sees, by address.
fn map_of(initiator: u32, windows: &[Window]) -> Result<Vec<Window>, RouteError> {
    let seen = windows.iter().filter(|window| window.initiators.contains(&initiator));
    let mut map: Vec<Window> = seen.cloned().collect();
    map.sort_by_key(|window| window.base);
    for pair in map.windows(2) {
        if pair[0].last() >= pair[1].base {
            let (first, second) = (pair[0].base, pair[1].base);
            return Err(RouteError::Overlap { initiator, first, second });
        }
    }
    Ok(map)
}
