// SPDX-License-Identifier: Apache-2.0
//! How long nodes wait for the answers to their commands, under another placement of the kernel than "distributed".

use takt_model::{Assignment, Nanos, PlacedOverheads, Placement, System};

use crate::commands::{Commands, SYSTEM_CORE, placed};
use crate::core::Core;
use crate::quantity::{Time, Work};
use crate::semaphores::SemaphoreUsers;

/// The waits of all nodes.
pub fn commands(system: &System, assignments: &[Assignment], users: &SemaphoreUsers) -> Commands {
    let Some(placed) = placed(system) else { return Commands::default() };
    let cores = 0..system.cores;
    let waits = match placed.placement {
        Placement::Rtu => {
            let wait = wait_for_unit(system, placed);
            cores.map(|core| (core, wait)).collect()
        }
        _ => {
            let wait = |core| {
                let parts = vec![None; system.tasks.len()];
                let others = Commands::of_others(core);
                let server =
                    Core::new(system, assignments, users, None, &parts, SYSTEM_CORE, &others);
                let own = server.command() + Work::from(placed.command);
                server.interrupt_response(own) + placed.trip.into()
            };
            cores.skip(1).map(|core| (core, wait(core))).collect()
        }
    };
    Commands::of(waits)
}

/// A page's command waits for one of each page at most, and behind each for a wake time: n (C + X) clocks, and one edge.
fn wait_for_unit(system: &System, placed: &PlacedOverheads) -> Time {
    let (Some(rtu), Some(timing)) = (&system.board.rtu, &system.board.timing) else {
        return Time::UNBOUNDED;
    };
    let (places, tasks) = (u64::from(rtu.messages) / 8, u64::from(rtu.tasks) / 8);
    let clocks = u64::from(system.cores) * (5 + places + 2 * tasks + 3 + tasks) + 1;
    let cycles = u128::from(clocks * rtu.clock);
    let nanos = (cycles * 1_000_000_000).div_ceil(u128::from(timing.frequency.max(1)));
    Time::from(Nanos(nanos as u64)) + placed.trip.into()
}
