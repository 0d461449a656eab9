//! The dictionary of a column: its different values, as bytes of `PLAIN`.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use ior_core::{Dev, escape};

use super::super::columns::push_device;

/// What a dictionary may grow to, in bytes and in values. Longer ones save nothing and take memory.
const DICTIONARY_BYTES: usize = 1 << 20;
const DICTIONARY_VALUES: usize = 1 << 16;

/// A value of a column with a dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cell<'a> {
    /// None.
    Null,
    /// 32 bits, signed or not.
    Narrow(u32),
    /// 64 bits.
    Wide(u64),
    /// A string; bytes that are no UTF-8 become `\xHH`.
    Text(&'a [u8]),
    /// The string of a device number, `8:1`.
    Device(Dev),
}

/// Different values, in the order of their first use.
#[derive(Default)]
pub struct Dictionary {
    /// As a page has them.
    plain: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
    is_full: bool,
}

impl Dictionary {
    /// Bytes it takes, about.
    pub fn size(&self) -> usize {
        self.plain.len()
    }

    /// How many values it has.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether it may take no more; it stays so until it is cleared.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Moves its values, as a page has them, to `out`.
    pub fn take_values(&mut self, out: &mut Vec<u8>) {
        out.append(&mut self.plain);
    }

    /// The number of a value, which gets one if it has none.
    pub fn number_of(&mut self, cell: Cell<'_>) -> u32 {
        let start = self.plain.len();
        push_cell(cell, &mut self.plain);
        let (plain, ends) = (&self.plain, &self.ends);
        let value = |number: u32| {
            let number = number as usize;
            let start = number.checked_sub(1).map_or(0, |before| ends[before]);
            &plain[start..ends[number]]
        };
        let new = &plain[start..];
        let hash = self.hasher.hash_one(new);
        if let Some(&number) = self.numbers.find(hash, |&number| value(number) == new) {
            self.plain.truncate(start);
            return number;
        }
        let number = ends.len() as u32;
        self.numbers
            .insert_unique(hash, number, |&number| self.hasher.hash_one(value(number)));
        self.ends.push(self.plain.len());
        number
    }

    /// Looks whether it has grown too large.
    pub fn check_size(&mut self) {
        self.is_full = self.plain.len() >= DICTIONARY_BYTES || self.ends.len() >= DICTIONARY_VALUES;
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.plain.clear();
        self.ends.clear();
        self.numbers.clear();
        self.is_full = false;
    }
}

/// Appends a value as `PLAIN`; nothing for none.
pub fn push_cell(cell: Cell<'_>, out: &mut Vec<u8>) {
    match cell {
        Cell::Null => {}
        Cell::Narrow(number) => out.extend_from_slice(&number.to_le_bytes()),
        Cell::Wide(number) => out.extend_from_slice(&number.to_le_bytes()),
        Cell::Text(bytes) => push_string(out, |out| match std::str::from_utf8(bytes) {
            Ok(_) => out.extend_from_slice(bytes),
            Err(_) => escape::utf8_into(bytes, out),
        }),
        Cell::Device(device) => push_string(out, |out| push_device(device, out)),
    }
}

/// Appends a string and, before it, its length.
fn push_string(out: &mut Vec<u8>, push: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    push(out);
    let len = (out.len() - start - 4) as u32;
    out[start..start + 4].copy_from_slice(&len.to_le_bytes());
}
