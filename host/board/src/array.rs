// SPDX-License-Identifier: Apache-2.0
//! For serde: arrays of more than the 32 elements that it knows.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

pub fn serialize<S: Serializer, T: Serialize, const N: usize>(
    array: &[T; N],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(array)
}

pub fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>, const N: usize>(
    deserializer: D,
) -> Result<[T; N], D::Error> {
    let elements = Vec::deserialize(deserializer)?;
    let count = elements.len();
    elements.try_into().map_err(|_| D::Error::invalid_length(count, &"an array of its size"))
}
