//! Counters by key, in bounded memory: what is new past the bound goes into one entry for each call.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable};
use ior_core::syscall::MAX_CALL;
use ior_core::totals::LATENCY_BUCKETS;
use ior_core::{Abi, Row, Syscall};
use rustc_hash::FxHashMap;

use super::format::{Counts, NAME_MAX, Numbered};
use crate::names::Names;

/// Bytes a file's name may have on average before the table counts as full.
pub const NAME_BYTES: usize = 256;

/// Keys found by the source's own numbers, without looking at names.
const MAX_KNOWN: usize = 65_536;

/// What is counted, by key.
#[derive(Debug)]
pub struct Table {
    max_keys: usize,
    names: Names,
    /// Keys that were folded have an entry for each call, beyond `max_keys`.
    entries: Vec<Entry>,
    folded: usize,
    by_key: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// A shortcut to `entries`, for rows whose task and file have numbers.
    known: FxHashMap<Known, u32>,
    last: Option<(Known, u32)>,
}

#[derive(Debug)]
struct Entry {
    key: Key,
    syscall: &'static Syscall,
    abi: Abi,
    counts: Counts,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    comm: u32,
    pid: u32,
    tid: u32,
    call: u32,
    file: u32,
    flags: Option<u64>,
    folded: bool,
}

/// A key in the source's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Known {
    file: u64,
    task: u32,
    call: u32,
    flags: Option<u64>,
}

impl Table {
    /// An empty one.
    pub fn new(max_keys: usize) -> Table {
        Table {
            max_keys,
            names: Names::default(),
            entries: Vec::new(),
            folded: 0,
            by_key: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            known: FxHashMap::default(),
            last: None,
        }
    }

    /// Keys told apart at most.
    pub fn max_keys(&self) -> usize {
        self.max_keys
    }

    /// Calls of keys past the bound.
    pub fn folded_calls(&self) -> u64 {
        let folded = self.entries.iter().filter(|entry| entry.key.folded);
        folded.map(|entry| entry.counts.calls).sum()
    }

    /// Counts a row.
    pub fn add(&mut self, row: &Row<'_>) {
        let known = Known {
            file: row.ids.file,
            task: row.ids.task,
            call: row.abi as u32 * MAX_CALL as u32 + u32::from(row.syscall.call()),
            flags: row.flags,
        };
        let lasts = known.task != 0 && (known.file != 0 || row.file.is_empty());
        let place = match self.last {
            Some((last, place)) if lasts && last == known => place,
            _ if lasts => match self.known.get(&known) {
                Some(place) => *place,
                None => {
                    if self.known.len() >= MAX_KNOWN {
                        self.known.clear();
                    }
                    let place = self.place(row, known.call);
                    self.known.insert(known, place);
                    place
                }
            },
            _ => self.place(row, known.call),
        };
        if lasts {
            self.last = Some((known, place));
        }
        if let Some(entry) = self.entries.get_mut(place as usize) {
            entry.counts.add_row(row);
        }
    }

    /// The entry for a row, which may be that of its folded call.
    fn place(&mut self, row: &Row<'_>, call: u32) -> u32 {
        let names = (self.names.find(&row.task.comm), self.names.find(row.file));
        let mut key = Key {
            comm: names.0.unwrap_or_default(),
            pid: row.task.pid,
            tid: row.task.tid,
            call,
            file: names.1.unwrap_or_default(),
            flags: row.flags,
            folded: false,
        };
        if names.0.is_some()
            && names.1.is_some()
            && let Some(place) = self.find(&key)
        {
            return place;
        }
        if !self.has_room(row, names) {
            return self.place_folded(row, call);
        }
        key.comm = self.names.number(&row.task.comm);
        key.file = self.names.number(row.file);
        self.insert(key, row)
    }

    fn has_room(&self, row: &Row<'_>, (comm, file): (Option<u32>, Option<u32>)) -> bool {
        let new = comm.map_or(row.task.comm.len(), |_| 0) + file.map_or(row.file.len(), |_| 0);
        self.entries.len() - self.folded < self.max_keys
            && self.names.byte_len() + new <= self.max_keys.saturating_mul(NAME_BYTES)
            && row.file.len() <= NAME_MAX
            && row.task.comm.len() <= NAME_MAX
    }

    fn place_folded(&mut self, row: &Row<'_>, call: u32) -> u32 {
        let key = Key {
            comm: 0,
            pid: 0,
            tid: 0,
            call,
            file: 0,
            flags: None,
            folded: true,
        };
        self.find(&key).unwrap_or_else(|| {
            self.folded += 1;
            self.insert(key, row)
        })
    }

    fn find(&self, key: &Key) -> Option<u32> {
        let is_it =
            |place: &u32| self.entries.get(*place as usize).map(|entry| &entry.key) == Some(key);
        self.by_key.find(self.hasher.hash_one(key), is_it).copied()
    }

    fn insert(&mut self, key: Key, row: &Row<'_>) -> u32 {
        let place = self.entries.len() as u32;
        self.entries.push(Entry {
            key,
            syscall: row.syscall,
            abi: row.abi,
            counts: Counts::default(),
        });
        let Table {
            entries,
            by_key,
            hasher,
            ..
        } = self;
        by_key.insert_unique(hasher.hash_one(key), place, |&other| {
            hasher.hash_one(entries[other as usize].key)
        });
        place
    }

    /// Names, and what is written of each entry.
    pub fn records(&mut self) -> (&Names, impl ExactSizeIterator<Item = Numbered<'_>>) {
        let empty = self.names.number(b"");
        let Table { names, entries, .. } = self;
        let calls: Vec<(u32, u32)> = entries
            .iter()
            .map(|entry| {
                let abi = names.number(entry.abi.as_str().as_bytes());
                (names.number(entry.syscall.name.as_bytes()), abi)
            })
            .collect();
        let records = entries
            .iter()
            .zip(calls)
            .map(move |(entry, (syscall, abi))| {
                let Key {
                    comm,
                    pid,
                    tid,
                    file,
                    flags,
                    folded,
                    call: _,
                } = entry.key;
                Numbered {
                    comm: if folded { empty } else { comm },
                    pid,
                    tid,
                    syscall,
                    abi,
                    file: if folded { empty } else { file },
                    flags,
                    folded,
                    counts: &entry.counts,
                }
            });
        (&*names, records)
    }
}

impl Counts {
    fn add_row(&mut self, row: &Row<'_>) {
        self.calls += 1;
        self.latency_ns = self.latency_ns.saturating_add(row.latency_ns);
        self.gap_ns = self.gap_ns.saturating_add(row.gap_ns);
        self.bytes = self.bytes.saturating_add(row.bytes);
        self.errors += u64::from(row.is_error());
        let bucket = row.latency_ns.checked_ilog2().unwrap_or(0) as usize;
        self.histogram.count(bucket.min(LATENCY_BUCKETS - 1) as u8);
    }
}
