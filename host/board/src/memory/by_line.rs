// SPDX-License-Identifier: Apache-2.0
//! A flat table of some of the memory's lines, by number: one probe finds an entry, wherever the lines lie.

use super::address::scatter;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::{
    collections::{BTreeMap, HashMap},
    hash::{BuildHasherDefault, Hasher},
};

/// Nothing may depend on the order in which it lists its lines, but a run's snapshots, which are in order of the lines.
#[derive(Clone)]
pub struct ByLine<T>(HashMap<u64, T, BuildHasherDefault<Scattered>>);

/// The hash of a line's number. A host's random one would do, and takes longer.
#[derive(Clone, Default)]
pub struct Scattered(u64);

impl Hasher for Scattered {
    fn write_u64(&mut self, line: u64) {
        self.0 = scatter(line);
    }

    /// Not of lines.
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.0 = scatter(self.0 ^ u64::from(*byte)));
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl<T> Default for ByLine<T> {
    fn default() -> ByLine<T> {
        ByLine(HashMap::default())
    }
}

impl<T> ByLine<T> {
    pub fn get(&self, line: u64) -> Option<&T> {
        self.0.get(&line)
    }

    pub fn get_mut(&mut self, line: u64) -> Option<&mut T> {
        self.0.get_mut(&line)
    }

    /// The line's entry, made if there is none.
    pub fn entry(&mut self, line: u64, new: impl FnOnce() -> T) -> &mut T {
        self.0.entry(line).or_insert_with(new)
    }

    pub fn remove(&mut self, line: u64) -> Option<T> {
        self.0.remove(&line)
    }

    /// In no order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        self.0.iter().map(|(line, entry)| (*line, entry))
    }
}

impl<T: Serialize> Serialize for ByLine<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.iter().collect::<BTreeMap<_, _>>().serialize(serializer)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByLine<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<ByLine<T>, D::Error> {
        let entries = BTreeMap::deserialize(deserializer)?;
        Ok(ByLine(entries.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_in_order_of_lines() {
        let mut table = ByLine::default();
        let lines = [9, 1 << 40, 0, 3, 1 << 20, 77];
        lines.iter().for_each(|line| *table.entry(*line, || 0) += line);
        table.remove(3);
        let bytes = postcard::to_stdvec(&table).expect("plain data");
        let sorted = [0, 9, 77, 1 << 20, 1 << 40].map(|line: u64| (line, line));
        let wanted = postcard::to_stdvec(&BTreeMap::from(sorted)).expect("plain data");
        assert_eq!(bytes, wanted);
        let read: ByLine<u64> = postcard::from_bytes(&bytes).expect("what was written");
        assert_eq!(read.iter().collect::<BTreeMap<_, _>>(), table.iter().collect());
        assert_eq!((read.get(9), read.get(3)), (Some(&9), None));
    }
}
