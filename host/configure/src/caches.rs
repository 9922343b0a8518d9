// SPDX-License-Identifier: Apache-2.0
//! Which cores have a cache of their own that may hold all that they touch. `docs/design/residency.md`.

use takt_model::System;
use takt_model::timing::Cache;

/// The cache that shall hold all that the core touches, or why there is none that could.
pub fn cache_of(system: &System, core: u32) -> Result<Cache, &'static str> {
    let cache = private(system, core)?;
    match system.kernel.homing == Default::default() {
        true => Ok(cache),
        false => Err("the pages of cores have homes"),
    }
}

/// The same, wherever the core's pages are at home.
fn private(system: &System, core: u32) -> Result<Cache, &'static str> {
    let timing = system.board.timing.as_ref().ok_or("the board has no timing")?;
    let cache = timing.of_core(core).l2.ok_or("the core has no cache of its own but the first")?;
    if timing.cluster.is_some() {
        return Err("cores of a cluster share a cache");
    }
    if !system.partitions.is_empty() || system.posix.is_some() {
        return Err("partitions and heaps are not counted yet");
    }
    if system.kernel.placement != Default::default() {
        return Err("the kernel's state is not the core's own in this placement");
    }
    if !cache.index.is_empty() {
        return Err("the cache's sets are hashed");
    }
    Ok(cache)
}

/// Whether some core's cache may hold all that the core touches.
pub(crate) fn possible(system: &System) -> bool {
    (0..system.cores).any(|core| cache_of(system, core).is_ok())
}

/// Whether the addresses of objects are chosen for such caches. Homes change no address.
pub(crate) fn chosen_for(system: &System) -> bool {
    (0..system.cores).any(|core| private(system, core).is_ok())
}
