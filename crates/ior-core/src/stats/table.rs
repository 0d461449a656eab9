//! A bounded table from keys to what they add up to, and an estimate of how many keys did not fit.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{BuildHasher, Hash, RandomState};

use hashbrown::HashTable;
use rustc_hash::FxSeededState;

/// Where a key is that has no entry of its own.
pub(crate) const FOLDED: u32 = u32::MAX;

/// Keys with what is kept of each: at most `max` keys, with at most `max_bytes` of names.
#[derive(Clone)]
pub(crate) struct Table<K, V> {
    /// Seeded, because whoever chooses file names must not choose collisions.
    hasher: FxSeededState,
    places: HashTable<u32>,
    entries: Vec<(K, V)>,
    max: usize,
    bytes: usize,
    max_bytes: usize,
    /// What is kept of everything that has no entry.
    other: V,
    other_keys: Distinct,
}

impl<K: fmt::Debug, V: fmt::Debug> fmt::Debug for Table<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("entries", &self.entries)
            .field("other", &self.other)
            .finish_non_exhaustive()
    }
}

impl<K: Hash + Eq, V: Default> Table<K, V> {
    pub(crate) fn new(max: usize, max_bytes: usize) -> Table<K, V> {
        let seed = RandomState::new().hash_one(max) as usize;
        Table {
            hasher: FxSeededState::with_seed(seed),
            places: HashTable::new(),
            entries: Vec::new(),
            max: max.min(FOLDED as usize),
            bytes: 0,
            max_bytes,
            other: V::default(),
            other_keys: Distinct::new(),
        }
    }

    /// The place of `key` if it has an entry.
    pub(crate) fn find<Q>(&self, key: &Q) -> Option<u32>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        let is_key = |&place: &u32| self.entries[place as usize].0.borrow() == key;
        self.places.find(hash, is_key).copied()
    }

    /// The place of `key`, which has `bytes` bytes: its own, a new one, or [`FOLDED`] once the table is full.
    pub(crate) fn place<Q>(&mut self, key: &Q, bytes: usize, own: impl FnOnce(&Q) -> K) -> u32
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let hash = self.hasher.hash_one(key);
        let is_key = |&place: &u32| self.entries[place as usize].0.borrow() == key;
        if let Some(&place) = self.places.find(hash, is_key) {
            return place;
        }
        if self.entries.len() >= self.max || self.bytes + bytes > self.max_bytes {
            self.other_keys.add(hash);
            return FOLDED;
        }
        let place = self.entries.len() as u32;
        self.entries.push((own(key), V::default()));
        self.bytes += bytes;
        let (entries, hasher) = (&self.entries, &self.hasher);
        self.places.insert_unique(hash, place, |&place| {
            hasher.hash_one(&entries[place as usize].0)
        });
        place
    }

    /// What is kept at a place, which may be [`FOLDED`].
    pub(crate) fn at(&mut self, place: u32) -> &mut V {
        match self.entries.get_mut(place as usize) {
            Some((_, value)) => value,
            None => &mut self.other,
        }
    }

    /// The entry at a place, if it is one.
    pub(crate) fn get(&self, place: u32) -> Option<&(K, V)> {
        self.entries.get(place as usize)
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.entries.iter_mut().map(|(_, value)| value)
    }

    /// What is kept of everything without an entry.
    pub(crate) fn other(&self) -> &V {
        &self.other
    }

    /// Different keys that have, or once had, something in [`Table::other`]: an estimate, within about 5 %.
    pub(crate) fn other_keys(&self) -> u64 {
        self.other_keys.estimate()
    }

    /// Whether the next new key may find no room.
    pub(crate) fn is_full(&self) -> bool {
        self.entries.len() >= self.max || self.bytes >= self.max_bytes / 8 * 7
    }

    /// Folds the half of the entries that is used least into [`Table::other`], so that a key that comes late can have an
    /// entry. Returns the new place of each old one.
    pub(crate) fn shrink(
        &mut self,
        usage: impl Fn(&V) -> u64,
        bytes: impl Fn(&K) -> usize,
        mut fold: impl FnMut(&mut V, V),
    ) -> Vec<u32> {
        let half = self.entries.len() / 2;
        let mut least: Vec<(u64, u32)> = self
            .entries
            .iter()
            .map(|(_, value)| usage(value))
            .zip(0..)
            .collect();
        if half < least.len() {
            least.select_nth_unstable(half);
        }
        let mut moved = vec![0; self.entries.len()];
        least[..half]
            .iter()
            .for_each(|(_, place)| moved[*place as usize] = FOLDED);
        let entries = std::mem::take(&mut self.entries);
        self.places.clear();
        self.bytes = 0;
        for ((key, value), place) in entries.into_iter().zip(&mut moved) {
            let hash = self.hasher.hash_one(&key);
            if *place == FOLDED {
                self.other_keys.add(hash);
                fold(&mut self.other, value);
                continue;
            }
            *place = self.entries.len() as u32;
            self.bytes += bytes(&key);
            self.entries.push((key, value));
            let (entries, hasher) = (&self.entries, &self.hasher);
            self.places.insert_unique(hash, *place, |&place| {
                hasher.hash_one(&entries[place as usize].0)
            });
        }
        moved
    }
}

/// Estimates how many different hashes were added, in constant memory (HyperLogLog; standard error 1.6 %).
#[derive(Debug, Clone)]
pub(crate) struct Distinct {
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
            let mut table: Table<u64, u64> = Table::new(0, 0);
            for key in (0..keys).chain(0..keys) {
                assert_eq!(table.place(&key, 8, |key| *key), FOLDED);
            }
            let estimate = table.other_keys();
            assert!(
                estimate.abs_diff(keys) * 100 <= keys * 10,
                "{estimate} for {keys}"
            );
        }
    }

    #[test]
    fn names_are_bounded_by_their_bytes_too() {
        let mut table: Table<Box<[u8]>, u64> = Table::new(10, 100);
        for name in [[1u8; 60], [2; 60], [1; 60]] {
            let place = table.place(&name[..], name.len(), |name| name.into());
            *table.at(place) += 1;
        }
        assert_eq!((table.len(), *table.other(), table.other_keys()), (1, 1, 1));
    }

    #[test]
    fn shrinking_keeps_what_is_used_most_and_loses_nothing() {
        let mut table: Table<u64, u64> = Table::new(100, usize::MAX);
        for key in 0..100 {
            let place = table.place(&key, 8, |key| *key);
            *table.at(place) += key * 7 % 100;
        }
        assert!(table.is_full());
        let before: Vec<(u64, u64)> = table.iter().map(|(key, value)| (*key, *value)).collect();
        let moved = table.shrink(|value| *value, |_| 8, |other, value| *other += value);
        assert_eq!((table.len(), table.is_full()), (50, false));
        for ((key, value), place) in before.iter().zip(moved) {
            assert_eq!(place != FOLDED, *value >= 50);
            assert_eq!(table.find(key), (place != FOLDED).then_some(place));
            assert_eq!(
                table.get(place),
                (place != FOLDED).then_some(&(*key, *value))
            );
        }
        let kept: u64 = table.iter().map(|(_, value)| value).sum();
        assert_eq!(kept + table.other(), 99 * 50);
        assert!(table.other_keys().abs_diff(50) <= 5);
    }
}
