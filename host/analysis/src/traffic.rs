// SPDX-License-Identifier: Apache-2.0
//! Whether the memory can serve what cores with budgets may move in each period.

use takt_model::{Assignment, Nanos, System};

use crate::reach;

const NANOS: u128 = 1_000_000_000;

/// What cores with budgets of memory traffic may ask of the memory in each regulation period.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// The lines that move at most: a line that is read may displace a changed one from the shared cache, so it counts twice.
    pub lines: u64,
    /// How long one controller needs for all of them if each is in another row of one bank.
    pub needed: Nanos,
    /// The period less what refreshes take of it.
    pub available: Nanos,
    /// The cores that run something and have no budget, in ascending order.
    pub without_budget: Vec<u32>,
}

impl Traffic {
    /// Whether the memory can serve every core's budget in each period, whatever the addresses are.
    pub fn fits(&self) -> bool {
        self.needed <= self.available && self.without_budget.is_empty()
    }
}

/// Adds up the budgets; None if the system has none, or its board no timing.
pub fn traffic(system: &System, assignments: &[Assignment]) -> Option<Traffic> {
    let regulation = system.regulation.as_ref()?;
    let timing = system.board.timing.as_ref()?;
    let frequency = u128::from(timing.frequency);
    let budgets = regulation.budgets.iter().flatten();
    let lines = budgets.map(|it| 2 * u64::from(it.reads) + u64::from(it.writes)).sum();
    let dram = &timing.dram;
    let needed = u128::from(lines) * u128::from(dram.longest_transfer());
    let period = u128::from(regulation.period.0) * frequency / NANOS;
    let refreshes = period.checked_div(dram.refresh.into()).map_or(0, |whole| whole + 1);
    let available = period.saturating_sub(refreshes * u128::from(dram.refresh_time));
    let nanos = |cycles: u128| Nanos(u64::try_from(cycles / frequency).unwrap_or(u64::MAX));
    let mut active = reach::active_cores(system, assignments);
    active.insert(system.kernel.console_core);
    let regulated = |core: &u32| system.memory_budget(*core).is_some();
    Some(Traffic {
        lines,
        // Rounded up and down, so that what fits in nanoseconds fits in cycles.
        needed: nanos(needed * NANOS + frequency - 1),
        available: nanos(available * NANOS),
        without_budget: active.into_iter().filter(|core| !regulated(core)).collect(),
    })
}
