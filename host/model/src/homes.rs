// SPDX-License-Identifier: Apache-2.0
//! Pages whose home is at a core: the physical pages in which a core's own memory should lie.

use crate::{Board, timing::Homes};

/// The smallest page that the kernel maps, in bytes.
const PAGE: u64 = 4096;

/// How a board's memory is distributed over homes: block b of `block` bytes, counted from address
/// 0, is at home at the node at index b mod `turn` of the board's list of homes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageHomes {
    /// The first address with such homes, a multiple of 4 KiB; below it, lines are hashed.
    pub from: u64,
    /// The size of the blocks in bytes: a power of two, at least 4 KiB.
    pub block: u64,
    /// The length of the list of homes.
    pub turn: u64,
    /// For each core, the first index of its node in the list of homes.
    pub places: Vec<u64>,
}

impl Board {
    /// How pages have homes at the first `cores` cores. None: the board's timing gives pages no
    /// homes, or no page has its home at one of the cores' nodes.
    pub fn page_homes(&self, cores: u32) -> Option<PageHomes> {
        let timing = self.timing.as_ref()?;
        let nodes = timing.homes();
        let (from, block) = match timing.coherence.homes {
            Homes::Hash => return None,
            Homes::Page => (0, PAGE),
            Homes::Split { pages_from, interleave } => (pages_from, interleave),
            Homes::Nodes { interleave, .. } => (0, interleave),
        };
        let place = |core: u32| {
            let node = core / timing.interconnect.cores_per_node.max(1);
            nodes.iter().position(|home| *home == node).map(|place| place as u64)
        };
        let places = (0..cores).map(place).collect::<Option<Vec<_>>>()?;
        (block >= PAGE).then_some(PageHomes { from, block, turn: nodes.len() as u64, places })
    }
}
