// SPDX-License-Identifier: Apache-2.0
//! Pages that are at home at a core: which physical page a core's own memory should lie in.

use crate::{Board, timing::Homes};

/// Pages of 4 KiB are the smallest that the kernel maps.
const PAGE: u64 = 4096;

/// A board's memory in turns: block b of `block` bytes, counted from address 0, is at home at the
/// node in place b mod `turn` of the board's list of homes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageHomes {
    /// From this address on; below, lines are hashed. A multiple of 4 KiB.
    pub from: u64,
    /// Bytes in a row at one home: a power of two, at least 4 KiB.
    pub block: u64,
    /// Places in the list.
    pub turn: u64,
    /// Each core's first place in the list, by number.
    pub places: Vec<u64>,
}

impl Board {
    /// Where the first `cores` cores have pages at home. None: no timing says so, or one of the
    /// cores' nodes is no page's home.
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
