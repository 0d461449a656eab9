//! What the flame graph is made of: weights by thread name, process, file and syscall, in bounded memory.
//!
//! Counting touches one entry a row. The frames of the order in view ([`trie`]) are made of the entries when they are
//! looked at, and follow them from then on.

mod picture;
mod trie;

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{HashMap, HashTable};
use rustc_hash::FxBuildHasher;

use super::entry::{Call, importance};
use crate::stats::table::FOLDED;
use crate::view::{FlameOrder, Weight};
use trie::Trie;

pub(super) use trie::Names;

/// Entries told apart.
pub const MAX_LEAVES: usize = 200_000;

/// Names of threads and processes told apart.
const MAX_ACTORS: usize = 100_000;

/// The file of a call without one.
pub(super) const NO_FILE: u32 = (1 << FILE_BITS) - 1;

/// What is told apart of files in a key.
const FILE_BITS: u32 = 20;
const SLOT_BITS: u32 = 12;
const OTHER_FILE: u32 = NO_FILE - 1;
const OTHER_ACTOR: u32 = u32::MAX;

/// Who, which file and which syscall, as numbers in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Key(u64);

impl Key {
    #[inline]
    fn new(actor: u32, file: u32, slot: u16) -> Key {
        Key(u64::from(actor) << (FILE_BITS + SLOT_BITS)
            | u64::from(file) << SLOT_BITS
            | u64::from(slot))
    }

    fn actor(self) -> u32 {
        (self.0 >> (FILE_BITS + SLOT_BITS)) as u32
    }

    fn file(self) -> u32 {
        (self.0 >> SLOT_BITS) as u32 & NO_FILE
    }

    fn slot(self) -> u16 {
        self.0 as u16 & ((1 << SLOT_BITS) - 1)
    }

    fn is_folded(self) -> bool {
        self.actor() == OTHER_ACTOR || self.file() == OTHER_FILE
    }
}

/// By [`Weight::ALL`].
type Weights = [u64; Weight::ALL.len()];

#[derive(Debug, Clone, Copy)]
struct Leaf {
    key: Key,
    weights: Weights,
}

impl Leaf {
    fn add(&mut self, weights: &Weights) {
        for (sum, weight) in self.weights.iter_mut().zip(weights) {
            *sum = sum.saturating_add(*weight);
        }
    }

    fn importance(&self) -> u64 {
        let [calls, latency_ns, bytes, _, errors] = self.weights;
        importance(calls, errors, bytes, latency_ns)
    }
}

/// A thread's name and its process's `name (pid)`, as numbers of labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Actor {
    comm: u32,
    process: u32,
}

#[derive(Debug, Clone, Default)]
struct Actors {
    all: Vec<Actor>,
    places: HashMap<Actor, u32>,
    labels: Vec<Arc<[u8]>>,
    label_places: HashMap<Arc<[u8]>, u32>,
}

impl Actors {
    fn label(&mut self, name: &[u8]) -> u32 {
        if let Some(&place) = self.label_places.get(name) {
            return place;
        }
        let place = self.labels.len() as u32;
        let name: Arc<[u8]> = name.into();
        self.labels.push(name.clone());
        self.label_places.insert(name, place);
        place
    }

    fn place(&mut self, comm: &[u8], process: &[u8]) -> u32 {
        let actor = Actor {
            comm: self.label(comm),
            process: self.label(process),
        };
        *self.places.entry(actor).or_insert_with(|| {
            self.all.push(actor);
            self.all.len() as u32 - 1
        })
    }

    fn is_full(&self) -> bool {
        self.labels.len() >= MAX_ACTORS || self.all.len() >= MAX_ACTORS
    }
}

/// Weights by thread name, process, file and syscall.
#[derive(Debug, Clone)]
pub(super) struct Flame {
    leaves: Vec<Leaf>,
    places: HashTable<u32>,
    actors: Actors,
    max: usize,
    max_nodes: usize,
    trie: Option<Trie>,
}

impl Flame {
    /// Of at most about so many entries and frames.
    pub(super) fn new(max: usize) -> Flame {
        Flame {
            leaves: Vec::new(),
            places: HashTable::new(),
            actors: Actors::default(),
            max,
            max_nodes: max.saturating_mul(2),
            trie: None,
        }
    }

    /// The number of a thread by its name and its process's.
    pub(super) fn actor(&mut self, comm: &[u8], process: &[u8], pid: u32) -> u32 {
        if self.actors.is_full() {
            return OTHER_ACTOR;
        }
        let mut name = process.to_vec();
        name.extend_from_slice(format!(" ({pid})").as_bytes());
        self.actors.place(comm, &name)
    }

    /// Counts a call. `file` is a place in the table of files, [`FOLDED`], or [`NO_FILE`].
    #[inline]
    pub(super) fn count(&mut self, actor: u32, file: u32, slot: u16, call: &Call, bytes: u64) {
        let file = if file == FOLDED { OTHER_FILE } else { file };
        let weights = [
            1,
            call.latency_ns,
            bytes,
            call.gap_ns,
            u64::from(call.error),
        ];
        self.leaf(Key::new(actor, file, slot)).add(&weights);
    }

    #[inline]
    fn leaf(&mut self, key: Key) -> &mut Leaf {
        let hash = FxBuildHasher.hash_one(key.0);
        let is_key = |&place: &u32| self.leaves[place as usize].key == key;
        let place = match self.places.find(hash, is_key) {
            Some(&place) => place,
            None => self.new_leaf(key, hash),
        };
        &mut self.leaves[place as usize]
    }

    /// Entries past the bound are only told apart by syscall.
    fn new_leaf(&mut self, mut key: Key, mut hash: u64) -> u32 {
        if self.leaves.len() >= self.max {
            key = Key::new(OTHER_ACTOR, OTHER_FILE, key.slot());
            hash = FxBuildHasher.hash_one(key.0);
            let is_key = |&place: &u32| self.leaves[place as usize].key == key;
            if let Some(&place) = self.places.find(hash, is_key) {
                return place;
            }
        }
        let place = self.leaves.len() as u32;
        let weights = Weights::default();
        self.leaves.push(Leaf { key, weights });
        let leaves = &self.leaves;
        self.places.insert_unique(hash, place, |&place| {
            FxBuildHasher.hash_one(leaves[place as usize].key.0)
        });
        place
    }

    /// Makes room before the next batch if there is none: the half that matters least is folded.
    pub(super) fn make_room(&mut self) {
        let crowded = self.trie.as_ref().is_some_and(Trie::is_crowded);
        if self.leaves.len() < self.max && !self.actors.is_full() && !crowded {
            return;
        }
        let half = self.leaves.len() / 2;
        let mut least: Vec<(u64, u32)> =
            self.leaves.iter().map(Leaf::importance).zip(0..).collect();
        if half < least.len() {
            least.select_nth_unstable(half);
        }
        let mut folded = vec![false; self.leaves.len()];
        least[..half]
            .iter()
            .for_each(|(_, place)| folded[*place as usize] = true);
        // First only their files are given up; if that makes too few of them equal, they are.
        let before = self.leaves.len();
        let leaves = self.leaves.clone();
        let with = |give_up: fn(Key) -> Key| {
            let keys = leaves.iter().zip(&folded);
            keys.map(move |(leaf, folded)| if *folded { give_up(leaf.key) } else { leaf.key })
        };
        self.rekey(
            &leaves,
            with(|key| match key.file() {
                OTHER_FILE => Key::new(OTHER_ACTOR, OTHER_FILE, key.slot()),
                _ => Key::new(key.actor(), OTHER_FILE, key.slot()),
            }),
        );
        if self.leaves.len() > before / 4 * 3 {
            self.rekey(
                &leaves,
                with(|key| Key::new(OTHER_ACTOR, OTHER_FILE, key.slot())),
            );
        }
        self.forget_actors();
    }

    /// Follows files to their new places.
    pub(super) fn files_moved(&mut self, places: &[u32]) {
        let leaves = std::mem::take(&mut self.leaves);
        let keys = leaves.iter().map(|leaf| {
            let file = match places.get(leaf.key.file() as usize) {
                Some(&FOLDED) => OTHER_FILE,
                Some(&place) => place,
                None => leaf.key.file(),
            };
            Key::new(leaf.key.actor(), file, leaf.key.slot())
        });
        self.rekey(&leaves, keys);
    }

    /// Counts entries under other keys.
    fn rekey(&mut self, leaves: &[Leaf], keys: impl Iterator<Item = Key>) {
        self.leaves.clear();
        self.places.clear();
        for (leaf, key) in leaves.iter().zip(keys) {
            self.leaf(key).add(&leaf.weights);
        }
        // Its numbers are those of before.
        self.trie = None;
    }

    fn forget_actors(&mut self) {
        let before = std::mem::take(&mut self.actors);
        let leaves = std::mem::take(&mut self.leaves);
        let mut moved = vec![None; before.all.len()];
        let keys: Vec<Key> = leaves
            .iter()
            .map(|leaf| {
                let Some(actor) = before.all.get(leaf.key.actor() as usize) else {
                    return leaf.key;
                };
                let own = &mut moved[leaf.key.actor() as usize];
                let own = *own.get_or_insert_with(|| {
                    let label = |place: u32| &before.labels[place as usize];
                    self.actors.place(label(actor.comm), label(actor.process))
                });
                Key::new(own, leaf.key.file(), leaf.key.slot())
            })
            .collect();
        self.rekey(&leaves, keys.into_iter());
    }

    /// The frames of an order, up to date; to be put back.
    fn take_trie(&mut self, order: FlameOrder, names: &Names<'_>) -> Trie {
        let trie = self.follow(order, names);
        if !trie.is_crowded() {
            return trie;
        }
        // Rather fold what matters least than what came last.
        self.trie = Some(trie);
        self.make_room();
        self.follow(order, names)
    }

    fn follow(&mut self, order: FlameOrder, names: &Names<'_>) -> Trie {
        let mut trie = match self.trie.take() {
            Some(trie) => trie.in_order(order),
            None => Trie::new(order, self.max_nodes),
        };
        trie.follow(&self.leaves, &self.actors, names, usize::MAX);
        trie
    }

    /// Follows some of what is new while the flame graph is not in view, so that there is little to do when it is.
    pub(super) fn prepare(&mut self, names: &Names<'_>) {
        /// About a millisecond's worth.
        const SOME: usize = 4_000;
        let mut trie = match self.trie.take() {
            Some(trie) => trie,
            None => Trie::new(FlameOrder::CommPathSyscall, self.max_nodes),
        };
        trie.follow(&self.leaves, &self.actors, names, SOME);
        self.trie = Some(trie);
    }
}
