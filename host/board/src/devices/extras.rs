// SPDX-License-Identifier: Apache-2.0
//! The devices beside the platform's own. Only their states can be written into a snapshot; what
//! makes them (a library, a board's file) gives them again.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{BadState, Extra, ExtraDevice};

#[derive(Clone, Debug, Default)]
pub(super) struct Extras {
    pub devices: Vec<Extra>,
    /// From a snapshot: the states of devices that are to be added again.
    saved: Vec<Vec<u8>>,
}

impl Extras {
    pub fn saved_count(&self) -> usize {
        self.saved.len()
    }

    pub fn add(&mut self, mut extra: Extra) -> Result<(), BadState> {
        if let Some(state) = self.saved.get(self.devices.len()) {
            extra.device.restore(state)?;
        }
        self.devices.push(extra);
        Ok(())
    }
}

impl Clone for Extra {
    fn clone(&self) -> Extra {
        let device = self.device.boxed_clone();
        Extra { range: self.range, node: self.node, wires: self.wires.clone(), device }
    }
}

impl fmt::Debug for dyn ExtraDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("device")
    }
}

impl Serialize for Extras {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.devices.iter().map(|extra| extra.device.save()))
    }
}

impl<'de> Deserialize<'de> for Extras {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Extras, D::Error> {
        Ok(Extras { devices: Vec::new(), saved: Vec::deserialize(deserializer)? })
    }
}
