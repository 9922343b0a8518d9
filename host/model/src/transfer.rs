// SPDX-License-Identifier: Apache-2.0
//! What a transfer of a board's block DMA takes: `docs/design/dataflow.md`, section 4.

use std::collections::BTreeSet;

use crate::{Board, Transfer, timing::Shape};

/// A short message, and what a packet has beside its data.
const SHORT: u64 = 8;

/// What a transfer takes of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransferTime {
    /// From the engine's command to its end, if no other transfer is under way.
    pub alone: u64,
    /// The cycles for which all its messages occupy a link.
    pub link_cycles: u64,
    /// The links that its messages take, each from a node to the one behind.
    pub links: BTreeSet<(u32, u32)>,
}

impl Board {
    /// What a transfer by the engine of `core` takes. None: the board has no engines, no timing or no mesh.
    pub fn transfer_time(
        &self,
        core: u32,
        transfer: &Transfer,
        gather: bool,
    ) -> Option<TransferTime> {
        let engine = self.subnets.block_dma.as_ref()?;
        let mesh = &self.timing.as_ref()?.interconnect;
        if !matches!(mesh.shape, Shape::Mesh { .. }) {
            return None;
        }
        let hops = |from, to| mesh.way(from, to).len() as u32;
        let packet = engine.packet.0;
        let packets = transfer.length.div_ceil(packet);
        let last = transfer.length - (packets - 1) * packet + SHORT;
        let before_last = (packets - 1) * mesh.link_time(packet + SHORT);
        let data = |from, to| before_last + mesh.message(last, hops(from, to));
        let cores = || transfer.cores.iter().copied();
        let each = match gather {
            // One source after the other is asked, and sends.
            true => cores().map(|it| mesh.message(SHORT, hops(core, it)) + data(it, core)).sum(),
            // The last destination's answer is the end.
            false => cores()
                .map(|it| data(core, it) + mesh.message(SHORT, hops(it, core)))
                .max()
                .unwrap_or_default(),
        };
        let copies = if gather { transfer.cores.len() as u64 } else { 1 };
        let answers = transfer.cores.len() as u64 * mesh.link_time(SHORT);
        let sent = before_last + mesh.link_time(last);
        let ways = cores().flat_map(|it| [mesh.way(core, it), mesh.way(it, core)]);
        Some(TransferTime {
            alone: engine.way + engine.setup + each,
            link_cycles: copies * sent + answers,
            links: ways.flatten().collect(),
        })
    }
}
