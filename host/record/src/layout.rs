// SPDX-License-Identifier: Apache-2.0
//! Reads a structure of the record field by field. The schema leaves no padding, so each field
//! begins where the one before it ends.

use crate::schema::{Field, Struct};

/// One structure at the start of `bytes`.
pub struct Layout<'a> {
    schema: &'static Struct,
    bytes: &'a [u8],
}

impl<'a> Layout<'a> {
    /// The structure at the start of `bytes`; None if `bytes` is shorter than the structure.
    pub fn new(schema: &'static Struct, bytes: &'a [u8]) -> Option<Self> {
        (bytes.len() >= schema.size()).then_some(Self { schema, bytes })
    }

    /// The value of a field of up to 8 bytes. The name must be one of the schema.
    pub fn number(&self, name: &str) -> u64 {
        let field = self.bytes(name);
        let mut word = [0; 8];
        word[..field.len()].copy_from_slice(field);
        u64::from_le_bytes(word)
    }

    /// The bytes of a field. The name must be one of the schema.
    pub fn bytes(&self, name: &str) -> &'a [u8] {
        let fields = self.schema.fields;
        let Some(index) = fields.iter().position(|field| field.name == name) else {
            unreachable!("the record's {} has no field {name}", self.schema.name)
        };
        let size = |field: &Field| field.kind.size();
        let offset: usize = fields[..index].iter().map(size).sum();
        &self.bytes[offset..][..size(&fields[index])]
    }
}
