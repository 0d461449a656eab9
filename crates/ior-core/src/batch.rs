//! Rows that are kept: a batch of them with the names and tasks they refer to, each once, so that it can change threads.

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::{Abi, Details, Dev, Ids, NameSource, Row, Syscall, Task};

/// Rows, and what they borrow.
#[derive(Debug, Default)]
pub struct Batch {
    rows: Vec<Kept>,
    tasks: Vec<Task>,
    names: Vec<Arc<[u8]>>,
    by_id: HashMap<u64, u32, FxBuildHasher>,
    by_name: HashMap<Arc<[u8]>, u32>,
    by_task: HashMap<u32, u32, FxBuildHasher>,
}

/// A row with numbers for what it borrowed.
#[derive(Debug, Clone, Copy)]
pub struct Kept {
    /// In [`Batch::tasks`].
    pub task: u32,
    /// In [`Batch::names`].
    pub file: u32,
    /// Likewise, if there is one.
    pub old_file: Option<u32>,
    fields: Fields,
}

#[derive(Debug, Clone, Copy)]
struct Fields {
    seq: u64,
    time_ns: u64,
    wall_ns: u64,
    gap_ns: u64,
    latency_ns: u64,
    syscall: &'static Syscall,
    abi: Abi,
    fd: i32,
    ret: i64,
    bytes: u64,
    name_source: NameSource,
    filter_epoch: u64,
    dev: Option<Dev>,
    ino: Option<u64>,
    requested: Option<u64>,
    offset: Option<i64>,
    flags: Option<u64>,
    details: Details,
    ids: Ids,
}

impl Kept {
    /// [`Row::syscall`].
    pub fn syscall(&self) -> &'static Syscall {
        self.fields.syscall
    }

    /// [`Row::gap_ns`].
    pub fn gap_ns(&self) -> u64 {
        self.fields.gap_ns
    }

    /// [`Row::latency_ns`].
    pub fn latency_ns(&self) -> u64 {
        self.fields.latency_ns
    }

    /// [`Row::bytes`].
    pub fn bytes(&self) -> u64 {
        self.fields.bytes
    }

    /// [`Row::ids`].
    pub fn ids(&self) -> Ids {
        self.fields.ids
    }

    /// [`Row::is_error`].
    pub fn is_error(&self) -> bool {
        crate::is_error(self.fields.ret)
    }
}

impl Batch {
    /// Keeps a row. Allocates for a name or task that is new to the batch.
    pub fn push(&mut self, row: &Row<'_>) {
        let task = self.task(row);
        let file = match row.ids.file {
            0 => self.name(row.file),
            id => match self.by_id.get(&id) {
                Some(&number) => number,
                None => {
                    let number = self.name(row.file);
                    self.by_id.insert(id, number);
                    number
                }
            },
        };
        let old_file = row.old_file.map(|name| self.name(name));
        self.rows.push(Kept {
            task,
            file,
            old_file,
            fields: Fields {
                seq: row.seq,
                time_ns: row.time_ns,
                wall_ns: row.wall_ns,
                gap_ns: row.gap_ns,
                latency_ns: row.latency_ns,
                syscall: row.syscall,
                abi: row.abi,
                fd: row.fd,
                ret: row.ret,
                bytes: row.bytes,
                name_source: row.name_source,
                filter_epoch: row.filter_epoch,
                dev: row.dev,
                ino: row.ino,
                requested: row.requested,
                offset: row.offset,
                flags: row.flags,
                details: row.details,
                ids: row.ids,
            },
        });
    }

    fn task(&mut self, row: &Row<'_>) -> u32 {
        if row.ids.task != 0
            && let Some(&number) = self.by_task.get(&row.ids.task)
        {
            return number;
        }
        let number = self.tasks.len() as u32;
        self.tasks.push(row.task.clone());
        if row.ids.task != 0 {
            self.by_task.insert(row.ids.task, number);
        }
        number
    }

    fn name(&mut self, name: &[u8]) -> u32 {
        if let Some(&number) = self.by_name.get(name) {
            return number;
        }
        let number = self.names.len() as u32;
        let name: Arc<[u8]> = name.into();
        self.names.push(name.clone());
        self.by_name.insert(name, number);
        number
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows with numbers for names.
    pub fn kept(&self) -> &[Kept] {
        &self.rows
    }

    /// The tasks by number.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The names by number, the empty one among them if a row has no file.
    pub fn names(&self) -> &[Arc<[u8]>] {
        &self.names
    }

    /// A row as it came. Panics if there is none at that place.
    pub fn row(&self, place: usize) -> Row<'_> {
        let kept = &self.rows[place];
        let Fields {
            seq,
            time_ns,
            wall_ns,
            gap_ns,
            latency_ns,
            syscall,
            abi,
            fd,
            ret,
            bytes,
            name_source,
            filter_epoch,
            dev,
            ino,
            requested,
            offset,
            flags,
            details,
            ids,
        } = kept.fields;
        Row {
            seq,
            time_ns,
            wall_ns,
            gap_ns,
            latency_ns,
            task: &self.tasks[kept.task as usize],
            syscall,
            abi,
            fd,
            ret,
            bytes,
            file: &self.names[kept.file as usize],
            old_file: kept.old_file.map(|name| &*self.names[name as usize]),
            name_source,
            filter_epoch,
            dev,
            ino,
            requested,
            offset,
            flags,
            details,
            ids,
        }
    }

    /// The rows as they came.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        (0..self.rows.len()).map(|place| self.row(place))
    }
}

/// The last rows of a session that pass the filter, oldest first. Cheap to clone; it never changes.
#[derive(Debug, Clone, Default)]
pub struct Tail {
    /// Batches with the places of the rows that are meant, and how many rows come before each.
    parts: Vec<(usize, Arc<Batch>, Arc<[u32]>)>,
    len: usize,
}

impl Tail {
    /// Of batches with the places of the rows that are meant, the oldest first.
    pub fn new(parts: impl IntoIterator<Item = (Arc<Batch>, Arc<[u32]>)>) -> Tail {
        let mut tail = Tail::default();
        for (batch, places) in parts {
            tail.len += places.len();
            tail.parts.push((tail.len - places.len(), batch, places));
        }
        tail
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// A row, 0 being the oldest.
    pub fn row(&self, place: usize) -> Option<Row<'_>> {
        if place >= self.len {
            return None;
        }
        let part = self
            .parts
            .partition_point(|(before, _, _)| *before <= place)
            - 1;
        let (before, batch, places) = &self.parts[part];
        Some(batch.row(places[place - before] as usize))
    }
}
