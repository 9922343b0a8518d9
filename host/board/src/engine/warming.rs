// SPDX-License-Identifier: Apache-2.0
//! Warming mode: tags and directory follow each access, and no time passes.

use super::world::{World, bit};
use crate::memory::{core::Core, tags::State};

impl World {
    /// A core's access when no time passes: all tags follow at once. Others' copies are recalled by the
    /// machine, before anyone else goes on; answers whether there are any.
    pub fn warm(&mut self, core: &mut Core, line: u64, write: bool) -> bool {
        let me = core.index;
        let entry = self.directory.entry(line);
        let others = entry.owner().filter(|owner| *owner != me);
        let (to, recalled) = match (write, others) {
            (_, Some(owner)) => (if write { State::Invalid } else { State::Shared }, bit(owner)),
            (true, None) => (State::Invalid, entry.sharers & !bit(me)),
            (false, None) => (State::Shared, 0),
        };
        let shared = entry.sharers & !bit(me) | if write { 0 } else { recalled };
        let state = match (write, shared) {
            (true, _) => State::Modified,
            (false, 0) => State::Exclusive,
            (false, _) => State::Shared,
        };
        entry.set_owner(state.owned().then_some(me));
        entry.sharers = if state.owned() { 0 } else { shared | bit(me) };
        let mut left = recalled;
        while left != 0 {
            self.warm_recalls.push((left.trailing_zeros(), line, to));
            left &= left - 1;
        }
        if recalled == 0 {
            self.warm_home(line, false);
        }
        if let Some((victim, state)) = core.fill(line, state, true) {
            if state.owned() {
                self.directory.entry(victim).set_owner(None);
            }
            if state == State::Modified {
                self.warm_home(victim, true);
            }
        }
        recalled != 0
    }

    /// The home's cache and the memory's rows follow an access.
    pub fn warm_home(&mut self, line: u64, dirty: bool) {
        let (home, address) = (self.home_of(line), self.address_of(line));
        let Some(cache) = &mut self.homes[home as usize].cache else {
            return self.dram.open(address);
        };
        let before = cache.touch(line);
        if before == State::Invalid {
            self.dram.open(address);
        }
        let state =
            if dirty || before == State::Modified { State::Modified } else { State::Shared };
        cache.insert(line, state);
    }
}
