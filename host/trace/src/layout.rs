// SPDX-License-Identifier: Apache-2.0
//! Where the fields of the record's structures lie: C's rules, applied to the model's schema.

use takt_model::record::{Field, HEADER, Kind, Struct};

/// Bytes of the header: what must be read to learn how long the record is.
pub const HEADER_SIZE: usize = size(&HEADER);

const fn alignment(kind: Kind) -> usize {
    match kind {
        Kind::Bytes(_) => 1,
        other => other.size(),
    }
}

/// Bytes of a structure, a multiple of 8 so that arrays and blocks keep every field aligned.
pub const fn size(schema: &Struct) -> usize {
    let (mut end, mut i) = (0usize, 0);
    while i < schema.fields.len() {
        let kind = schema.fields[i].kind;
        end = end.next_multiple_of(alignment(kind)) + kind.size();
        i += 1;
    }
    end.next_multiple_of(8)
}

/// One structure at the start of `bytes`, read field by field.
pub struct Layout<'a> {
    schema: &'static Struct,
    bytes: &'a [u8],
}

impl<'a> Layout<'a> {
    /// None when `bytes` is shorter than the structure.
    pub fn new(schema: &'static Struct, bytes: &'a [u8]) -> Option<Self> {
        (bytes.len() >= size(schema)).then_some(Self { schema, bytes })
    }

    /// The value of a field of up to 8 bytes. The name must be one of the schema's.
    pub fn number(&self, name: &str) -> u64 {
        let (field, offset) = self.find(name);
        let mut word = [0; 8];
        word[..field.kind.size()].copy_from_slice(&self.bytes[offset..][..field.kind.size()]);
        u64::from_le_bytes(word)
    }

    /// The bytes of a field. The name must be one of the schema's.
    pub fn bytes(&self, name: &str) -> &'a [u8] {
        let (field, offset) = self.find(name);
        &self.bytes[offset..][..field.kind.size()]
    }

    fn find(&self, name: &str) -> (&'static Field, usize) {
        let mut end = 0usize;
        for field in self.schema.fields {
            let offset = end.next_multiple_of(alignment(field.kind));
            if field.name == name {
                return (field, offset);
            }
            end = offset + field.kind.size();
        }
        unreachable!("the record's {} has no field {name}", self.schema.name)
    }
}
