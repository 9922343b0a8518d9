// SPDX-License-Identifier: Apache-2.0
//! Which core an event is about where core 0 records what it decides for others: docs/design/placements.md, "Events".

use takt_model::Placement;
use takt_record::Event;

/// The core whose ring has the server's events.
pub const SYSTEM_CORE: usize = 0;

/// The core that an event is about, which is in the ring of `core` and of a task of `owner`.
pub fn core_of(placement: Placement, core: usize, event: Event, owner: Option<usize>) -> usize {
    let is_of_server = match placement {
        Placement::Central => matches!(
            event,
            Event::Release { .. }
                | Event::Wait { .. }
                | Event::Wake { .. }
                | Event::Priority { .. }
        ),
        Placement::Semi => matches!(event, Event::Priority { moved: true, .. }),
        Placement::Distributed | Placement::Rtu => false,
    };
    owner.filter(|_| is_of_server && core == SYSTEM_CORE).unwrap_or(core)
}
