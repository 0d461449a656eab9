//! Names, each kept once: a number for a string of bytes, and back.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};

/// Names by number, in the order in which they came.
#[derive(Debug, Default)]
pub struct Names {
    bytes: Vec<u8>,
    /// Where each one ends.
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Names {
    /// The number of a name that is there.
    pub fn find(&self, name: &[u8]) -> Option<u32> {
        let hash = self.hasher.hash_one(name);
        let found = self.numbers.find(hash, |&number| self.get(number) == name);
        found.copied()
    }

    /// The number of a name, which is kept if it is new.
    pub fn number(&mut self, name: &[u8]) -> u32 {
        if let Some(number) = self.find(name) {
            return number;
        }
        let number = self.ends.len() as u32;
        self.bytes.extend_from_slice(name);
        self.ends.push(self.bytes.len());
        let Names {
            bytes,
            ends,
            numbers,
            hasher,
        } = self;
        numbers.insert_unique(hasher.hash_one(name), number, |&other| {
            hasher.hash_one(slice(bytes, ends, other))
        });
        number
    }

    /// The name of a number; empty if there is none.
    pub fn get(&self, number: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, number)
    }

    /// All of them, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len() as u32).map(|number| self.get(number))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Bytes of all of them.
    pub fn byte_len(&self) -> usize {
        self.bytes.len()
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[usize], number: u32) -> &'a [u8] {
    let number = number as usize;
    let start = match number.checked_sub(1) {
        Some(before) => ends.get(before).copied(),
        None => Some(0),
    };
    match (start, ends.get(number)) {
        (Some(start), Some(&end)) => &bytes[start..end],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_number() {
        let mut names = Names::default();
        let texts: Vec<String> = (0..1000).map(|i| "x".repeat(i % 500)).collect();
        for _ in 0..2 {
            for text in &texts {
                let number = names.number(text.as_bytes());
                assert_eq!(number as usize, text.len());
                assert_eq!(names.find(text.as_bytes()), Some(number));
                assert_eq!(names.get(number), text.as_bytes());
            }
        }
        assert_eq!(names.len(), 500);
        assert_eq!(
            names.iter().map(<[u8]>::len).sum::<usize>(),
            names.byte_len()
        );
        assert_eq!((names.find(b"y"), names.get(500)), (None, &b""[..]));
    }
}
