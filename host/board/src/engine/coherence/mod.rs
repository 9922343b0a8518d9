// SPDX-License-Identifier: Apache-2.0
//! Who holds which line: the lines' homes, the caches that clusters of cores share, and the recalls that wait at harts.
//! It knows the fabric, which carries its messages, and neither devices nor harts.

mod cluster;
mod home;
mod warming;

use super::{
    event::{ClusterMessage, Message, Recall},
    fabric::Fabric,
};
use crate::{
    devices::Tick,
    memory::{
        core::Core,
        request::{Request, RequestKind},
        tags::State,
    },
};
use cluster::{Clusters, Outer};
use home::Homes;
use serde::{Deserialize, Serialize};
use takt_model::Timing;

#[derive(Clone, Serialize, Deserialize)]
pub struct Coherence {
    pub(super) homes: Homes,
    /// Between the cores' caches and the homes; `None` where no cores share a cache.
    clusters: Option<Clusters>,
    /// For each hart: recalls that wait for the end of its reservation.
    held: Vec<Vec<Recall>>,
}

impl Coherence {
    pub fn new(timing: &Timing, fabric: &Fabric) -> Coherence {
        let harts = fabric.schedule.harts();
        Coherence {
            homes: Homes::new(timing, fabric),
            clusters: timing.cluster.as_ref().map(|figures| Clusters::new(figures, harts)),
            held: vec![Vec::new(); harts as usize],
        }
    }

    /// Whether cores share caches of clusters.
    pub fn clustered(&self) -> bool {
        self.clusters.is_some()
    }

    /// Transactions between caches and memory so far.
    pub fn transactions_done(&self) -> u64 {
        self.homes.transactions_done
    }

    // ---- what cores send ------------------------------------------------------------------------

    /// A request leaves its core, for its cluster's cache or its line's home.
    pub fn send_request(&mut self, fabric: &mut Fabric, now: Tick, request: Request) {
        debug_assert!(fabric.is_cacheable(request.line), "a cache asks for a line that none keeps");
        match (&mut self.clusters, request.kind) {
            (Some(clusters), RequestKind::Share(_) | RequestKind::Own { .. }) => {
                clusters.send_request(fabric, now, request);
            }
            _ => self.homes.send_home(fabric, now, now, request),
        }
    }

    /// A line leaves a core that no longer has room for it.
    pub fn displaced(
        &mut self,
        fabric: &mut Fabric,
        now: Tick,
        core: u32,
        line: u64,
        state: State,
    ) {
        match &mut self.clusters {
            Some(clusters) => clusters.displaced(fabric, now, core, line, state),
            None => self.homes.displaced(fabric, now, core, line, state),
        }
    }

    /// A core has shared or given up a line as the recall asked; its answer leaves.
    pub fn recalled(
        &mut self,
        fabric: &mut Fabric,
        now: Tick,
        core: u32,
        recall: Recall,
        dirty: bool,
    ) {
        let Recall { line, transaction, data, .. } = recall;
        match &mut self.clusters {
            Some(clusters) => clusters.copy_recalled(fabric, now, core, line, dirty),
            None => self.homes.recalled(fabric, now, core, transaction, data, dirty),
        }
    }

    /// A message arrives at a cluster's cache.
    pub fn at_cluster(
        &mut self,
        fabric: &mut Fabric,
        now: Tick,
        cluster: u32,
        event: ClusterMessage,
    ) {
        let clusters = self.clusters.as_mut().expect("only clusters get such events");
        let outer = &mut Outer { homes: &mut self.homes, fabric };
        clusters.at_cluster(outer, now, cluster, event);
    }

    // ---- recalls that wait at a hart ------------------------------------------------------------

    /// A recall waits at the hart until its reservation ends.
    pub fn hold(&mut self, fabric: &mut Fabric, hart: u32, until: Tick, recall: Recall) {
        self.held[hart as usize].push(recall);
        fabric.schedule.deliver(hart, until, Message::HoldEnds);
    }

    /// Takes out the recalls that wait for the end of the hart's reservation.
    pub fn take_held(&mut self, hart: u32) -> Vec<Recall> {
        std::mem::take(&mut self.held[hart as usize])
    }

    // ---- without time ---------------------------------------------------------------------------

    /// A core's access when no time passes: all tags follow at once. Others' copies are recalled by the
    /// machine, before anyone else goes on; answers whether there are any.
    pub fn warm(&mut self, fabric: &mut Fabric, core: &mut Core, line: u64, write: bool) -> bool {
        debug_assert!(fabric.is_cacheable(line), "a cache takes in a line that none keeps");
        let homes = &mut self.homes;
        match &mut self.clusters {
            Some(clusters) => clusters.warm(homes, fabric, core, line, write),
            None => homes.warm(fabric, core, line, write),
        }
    }

    /// A core whose copy is recalled had changed it.
    pub fn warm_changed(&mut self, fabric: &mut Fabric, core: u32, line: u64) {
        let kept = self.clusters.as_mut().is_some_and(|it| it.warm_changed(core, line));
        if !kept {
            self.homes.warm_home(fabric, line, true);
        }
    }

    /// Takes out what cores must give up or share since one of them warmed its caches: core, line, new state.
    pub fn take_warm_recalls(&mut self) -> Vec<(u32, u64, State)> {
        std::mem::take(&mut self.homes.warm_recalls)
    }
}

/// The core's bit in sets of cores. Devices have none: they keep no lines.
fn bit(initiator: u32) -> u128 {
    1u128.checked_shl(initiator).unwrap_or(0)
}
