//! A bounded table from keys to what they add up to, and an estimate of how many keys did not fit.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};

use rustc_hash::FxSeededState;

use super::{Folded, Usage};

/// Keys with their usage: at most `max` keys, with at most `max_bytes` of names.
#[derive(Debug, Clone)]
pub(super) struct Table<K> {
    /// Where a key's usage is. Seeded, because whoever chooses file names must not choose collisions.
    places: HashMap<K, usize, FxSeededState>,
    usages: Vec<Usage>,
    max: usize,
    bytes: usize,
    max_bytes: usize,
    other: Usage,
    other_keys: Distinct,
}

impl<K: Hash + Eq> Table<K> {
    pub(super) fn new(max: usize, max_bytes: usize) -> Table<K> {
        let seed = RandomState::new().hash_one(max) as usize;
        Table {
            places: HashMap::with_hasher(FxSeededState::with_seed(seed)),
            usages: Vec::new(),
            max,
            bytes: 0,
            max_bytes,
            other: Usage::default(),
            other_keys: Distinct::new(),
        }
    }

    /// The usage to count `key`, which has `bytes` bytes, in: its own, or that of all others once the table is full.
    pub(super) fn entry<Q>(
        &mut self,
        key: &Q,
        bytes: usize,
        own: impl FnOnce(&Q) -> K,
    ) -> &mut Usage
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        if let Some(&place) = self.places.get(key) {
            return &mut self.usages[place];
        }
        if self.usages.len() >= self.max || self.bytes + bytes > self.max_bytes {
            self.other_keys.add(self.places.hasher().hash_one(key));
            return &mut self.other;
        }
        let place = self.usages.len();
        self.places.insert(own(key), place);
        self.bytes += bytes;
        self.usages.push(Usage::default());
        &mut self.usages[place]
    }

    pub(super) fn len(&self) -> usize {
        self.usages.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&K, &Usage)> {
        self.places
            .iter()
            .map(|(key, &place)| (key, &self.usages[place]))
    }

    pub(super) fn folded(&self) -> Folded {
        Folded {
            keys: self.other_keys.estimate(),
            usage: self.other,
        }
    }
}

/// Estimates how many different hashes were added, in constant memory (HyperLogLog; standard error 1.6 %).
#[derive(Debug, Clone)]
struct Distinct {
    /// By the first bits of the hash: the most leading zeros seen in the rest, plus one.
    registers: Box<[u8]>,
}

impl Distinct {
    const BITS: u32 = 12;

    fn new() -> Distinct {
        Distinct {
            registers: vec![0; 1 << Distinct::BITS].into(),
        }
    }

    fn add(&mut self, hash: u64) {
        let hash = mix(hash);
        let register = &mut self.registers[(hash >> (64 - Distinct::BITS)) as usize];
        let rest = hash << Distinct::BITS | 1 << (Distinct::BITS - 1);
        *register = (*register).max(rest.leading_zeros() as u8 + 1);
    }

    fn estimate(&self) -> u64 {
        let registers = self.registers.len() as f64;
        let empty = self
            .registers
            .iter()
            .filter(|&&register| register == 0)
            .count() as f64;
        let sum: f64 = self
            .registers
            .iter()
            .map(|&register| f64::from(register).exp2().recip())
            .sum();
        let raw = 0.7213 / (1.0 + 1.079 / registers) * registers * registers / sum;
        let few = raw <= 2.5 * registers && empty > 0.0;
        let estimate = if few {
            registers * (registers / empty).ln()
        } else {
            raw
        };
        estimate.round() as u64
    }
}

/// Spreads a hash that is only good enough for a hash table over all 64 bits.
fn mix(mut hash: u64) -> u64 {
    hash = (hash ^ hash >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^ hash >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_near_and_repeats_do_not_count() {
        for keys in [0u64, 1, 100, 9_000, 400_000] {
            let mut table: Table<u64> = Table::new(0, 0);
            for key in (0..keys).chain(0..keys) {
                table.entry(&key, 8, |key| *key);
            }
            let estimate = table.folded().keys;
            assert!(
                estimate.abs_diff(keys) * 100 <= keys * 10,
                "{estimate} for {keys}"
            );
        }
    }

    #[test]
    fn names_are_bounded_by_their_bytes_too() {
        let mut table: Table<Box<[u8]>> = Table::new(10, 100);
        for name in [[1u8; 60], [2; 60], [1; 60]] {
            table.entry(&name[..], name.len(), |name| name.into()).calls += 1;
        }
        assert_eq!(
            (table.len(), table.folded().usage.calls, table.folded().keys),
            (1, 1, 1)
        );
    }
}
