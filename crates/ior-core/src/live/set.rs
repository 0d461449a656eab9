//! What rows add up to: one set for all of them, another one for those that pass the filter.

use std::sync::Arc;
use std::time::Duration;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::entry::{
    Call, Detail, DirectoryEntry, FileEntry, ProcessEntry, Rate, SyscallEntry, ThreadEntry,
    importance,
};
use super::flame::{Flame, NO_FILE, Names};
use super::histogram::{Distribution, Room, bucket_of};
use super::lines::FileKey;
use super::tail::Recent;
use super::timeline::Timeline;
use super::window::NameOrder;
use crate::batch::{Batch, Kept};
use crate::stats::table::{FOLDED, Table};
use crate::stats::{Moved, NAME_BYTES};
use crate::syscall::MAX_SLOT;
use crate::view::TaskKey;
use crate::{Syscall, Task};

/// How much is told apart; what is beyond is folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Files.
    pub files: usize,
    /// Directories.
    pub directories: usize,
    /// Processes.
    pub processes: usize,
    /// Threads.
    pub threads: usize,
    /// Combinations of thread name, process, file and syscall; there are twice as many frames.
    pub leaves: usize,
    /// Memory for the histograms of files, directories and processes that have more than 32 different latencies, bytes;
    /// past it quantiles are as near as one of the 32.
    pub histogram_bytes: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            files: crate::stats::MAX_FILES,
            directories: 50_000,
            processes: crate::stats::MAX_PROCESSES,
            threads: 100_000,
            leaves: super::flame::MAX_LEAVES,
            histogram_bytes: 64 << 20,
        }
    }
}

/// Statistics of rows.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) began: Duration,
    pub(super) rows: u64,
    /// By slot.
    pub(super) syscalls: Vec<Option<Box<SyscallEntry>>>,
    pub(super) files: Table<Arc<[u8]>, FileEntry>,
    /// Places of files by the source's ids, which spare looking at names.
    file_ids: HashMap<u64, u32, FxBuildHasher>,
    pub(super) directories: Table<Arc<[u8]>, DirectoryEntry>,
    pub(super) processes: Table<u32, ProcessEntry>,
    pub(super) threads: Table<(u32, u32), ThreadEntry>,
    pub(super) file_names: NameOrder,
    pub(super) directory_names: NameOrder,
    pub(super) flame: Flame,
    pub(super) time: Timeline,
    pub(super) rate: Rate,
    pub(super) tail: Recent,
    /// Kept for its memory.
    pub(super) keys: Vec<FileKey>,
    /// For histograms of files, directories and processes.
    room: Room,
    /// For those of syscalls and seconds, of which there are not many.
    enough: Room,
    /// By number of the batch that is being added.
    tasks: Vec<Option<Own>>,
    names: Vec<Option<Named>>,
}

/// Where a task is counted.
#[derive(Debug, Clone, Copy)]
struct Own {
    process: u32,
    thread: u32,
    actor: u32,
}

/// Where a file is counted.
#[derive(Debug, Clone, Copy)]
struct Named {
    file: u32,
    directory: u32,
}

impl Set {
    /// Of nothing yet. `origin` is when the first row to be added came, `began` what is said to the user.
    pub(super) fn new(bounds: Bounds, began: Duration, origin: Duration) -> Set {
        let files = bounds.files.min(NO_FILE as usize - 1);
        let names = |max: usize| max.saturating_mul(NAME_BYTES);
        Set {
            began,
            rows: 0,
            syscalls: vec![None; MAX_SLOT],
            files: Table::new(files, names(files)),
            file_ids: HashMap::default(),
            directories: Table::new(bounds.directories, names(bounds.directories)),
            processes: Table::new(bounds.processes, usize::MAX),
            threads: Table::new(bounds.threads, usize::MAX),
            file_names: NameOrder::default(),
            directory_names: NameOrder::default(),
            flame: Flame::new(bounds.leaves),
            time: Timeline::new(origin),
            rate: Rate::default(),
            tail: Recent::default(),
            keys: Vec::new(),
            room: Room(bounds.histogram_bytes),
            enough: Room(usize::MAX),
            tasks: Vec::new(),
            names: Vec::new(),
        }
    }

    /// Counts rows of a batch that came at `at`, by their places.
    pub(super) fn add(&mut self, at: Duration, batch: &Arc<Batch>, places: &[u32]) {
        self.make_room();
        self.time.roll(at);
        self.tasks.clear();
        self.tasks.resize(batch.tasks().len(), None);
        self.names.clear();
        self.names.resize(batch.names().len(), None);
        self.rows += places.len() as u64;
        for &place in places {
            self.count(batch, &batch.kept()[place as usize]);
        }
        self.tail.add(at, batch, places);
    }

    #[inline]
    fn count(&mut self, batch: &Batch, row: &Kept) {
        let syscall = row.syscall();
        let call = Call {
            error: row.is_error(),
            latency_ns: row.latency_ns(),
            latency_bucket: bucket_of(row.latency_ns()),
            gap_ns: row.gap_ns(),
            gap_bucket: bucket_of(row.gap_ns()),
            second: self.time.second(),
        };
        let moved = Moved::new(syscall.bytes, row.bytes());
        let (read, written) = (moved.process_read(), moved.written);
        let own = match self.tasks[row.task as usize] {
            Some(own) => own,
            None => self.know_task(batch, row.task),
        };
        let named = self.named(batch, row.file, row.ids().file);

        self.rate.count(call.second);
        self.time.count(&call, read, written, &mut self.enough);
        self.count_syscall(syscall, &call, read, written);
        let process = self.processes.at(own.process);
        process.detail.count(&call, read, written, &mut self.room);
        process.rate.count(call.second);
        if call.gap_ns > 0 {
            process
                .gap
                .add(call.gap_ns, call.gap_bucket, &mut self.room);
        }
        let thread = self.threads.at(own.thread);
        thread
            .usage
            .count(call.error, call.latency_ns, read, written);
        thread.rate.count(call.second);
        let file = named.map_or(NO_FILE, |named| named.file);
        self.flame
            .count(own.actor, file, syscall.slot, &call, row.bytes());
        if let Some(named) = named {
            self.count_file(named, &call, moved.read, moved.written);
        }
        if let Some(old_file) = row.old_file
            && let Some(named) = self.named(batch, old_file, 0)
        {
            self.count_file(named, &call, moved.old_read, 0);
        }
    }

    #[inline]
    fn count_syscall(&mut self, syscall: &'static Syscall, call: &Call, read: u64, written: u64) {
        let slot = &mut self.syscalls[usize::from(syscall.slot)];
        let entry = slot.get_or_insert_with(|| {
            Box::new(SyscallEntry {
                syscall,
                detail: Detail::default(),
                gap: Distribution::default(),
                rate: Rate::default(),
            })
        });
        entry.detail.count(call, read, written, &mut self.enough);
        entry.rate.count(call.second);
        if call.gap_ns > 0 {
            entry
                .gap
                .add(call.gap_ns, call.gap_bucket, &mut self.enough);
        }
    }

    #[inline]
    fn count_file(&mut self, named: Named, call: &Call, read: u64, written: u64) {
        let file = self.files.at(named.file);
        file.detail.count(call, read, written, &mut self.room);
        let directory = self.directories.at(named.directory);
        directory.detail.count(call, read, written, &mut self.room);
    }

    #[inline]
    fn named(&mut self, batch: &Batch, number: u32, id: u64) -> Option<Named> {
        match self.names[number as usize] {
            Some(named) => Some(named),
            None => self.know_file(batch, number, id),
        }
    }

    #[cold]
    fn know_task(&mut self, batch: &Batch, number: u32) -> Own {
        let Task {
            tid,
            pid,
            comm,
            process: name,
            ..
        } = &batch.tasks()[number as usize];
        let process = self.processes.place(pid, 0, |pid| *pid);
        let known = self.threads.len();
        let thread = self.threads.place(&(*pid, *tid), 0, |key| *key);
        if process != FOLDED {
            let entry = self.processes.at(process);
            entry.threads += self.threads.len() - known;
            rename(&mut entry.name, name);
        }
        if thread != FOLDED {
            rename(&mut self.threads.at(thread).name, comm);
        }
        let own = Own {
            process,
            thread,
            actor: self.flame.actor(comm, name, *pid),
        };
        self.tasks[number as usize] = Some(own);
        own
    }

    fn know_file(&mut self, batch: &Batch, number: u32, id: u64) -> Option<Named> {
        let name = &batch.names()[number as usize];
        if name.is_empty() {
            return None;
        }
        let file = match self.file_ids.get(&id) {
            Some(&file) if id != 0 => file,
            _ => self.find_file(name, id),
        };
        let directory = match self.files.get(file) {
            Some((_, entry)) if entry.directory != FOLDED => entry.directory,
            _ => {
                let of = directory_of(name);
                let directory = self.directories.place(of, of.len(), |of| of.into());
                if file != FOLDED {
                    self.files.at(file).directory = directory;
                    self.directories.at(directory).files += 1;
                }
                directory
            }
        };
        let named = Named { file, directory };
        self.names[number as usize] = Some(named);
        Some(named)
    }

    /// The place of a file by its name; the id that leads to it is kept.
    fn find_file(&mut self, name: &Arc<[u8]>, id: u64) -> u32 {
        let file = self.files.place(&**name, name.len(), |_| name.clone());
        if id != 0 && file != FOLDED {
            // A file that is renamed, or on which there are many links, has many ids.
            if self.file_ids.len() > 4 * self.files.len() + 1024 {
                self.file_ids.clear();
            }
            self.file_ids.insert(id, file);
        }
        file
    }

    /// Folds what matters least of tables that are full, so that what comes next can be told apart.
    fn make_room(&mut self) {
        let Set {
            files,
            directories,
            processes,
            threads,
            room,
            ..
        } = self;
        let name_bytes = |name: &Arc<[u8]>| name.len();
        if files.is_full() {
            let moved = files.shrink(
                |file| file.detail.importance(),
                name_bytes,
                |other, file| other.detail.take_in(file.detail, room),
            );
            self.file_ids.clear();
            self.flame.files_moved(&moved);
            self.file_names.moved(&moved);
        }
        if directories.is_full() {
            let moved = directories.shrink(
                |directory| directory.detail.importance(),
                name_bytes,
                |other, directory| {
                    other.files += directory.files;
                    other.detail.take_in(directory.detail, room);
                },
            );
            for file in files.values_mut().filter(|file| file.directory != FOLDED) {
                file.directory = moved[file.directory as usize];
            }
            self.directory_names.moved(&moved);
        }
        if processes.is_full() {
            processes.shrink(
                |process| process.detail.importance(),
                |_| 0,
                |other, process| {
                    room.0 += process.gap.histogram.span_bytes();
                    other.gap.merge(&process.gap, room);
                    other.detail.take_in(process.detail, room);
                },
            );
        }
        if threads.is_full() {
            threads.shrink(
                |ThreadEntry { usage, .. }| {
                    importance(usage.calls, usage.errors, usage.bytes(), usage.latency_ns)
                },
                |_| 0,
                |other, thread| other.usage.add(&thread.usage),
            );
        }
        self.flame.make_room();
    }

    /// Everything together.
    pub(super) fn sum(&self) -> (Detail, Distribution) {
        let mut room = Room(usize::MAX);
        let mut detail = Detail::default();
        let mut gap = Distribution::default();
        for entry in self.syscalls.iter().flatten() {
            detail.add(&entry.detail, &mut room);
            gap.merge(&entry.gap, &mut room);
        }
        (detail, gap)
    }

    /// The place of a process or a thread.
    pub(super) fn find_task(&self, key: TaskKey) -> Option<u32> {
        match key.tid {
            Some(tid) => self.threads.find(&(key.pid, tid)),
            None => self.processes.find(&key.pid),
        }
    }

    /// The flame graph with what its numbers stand for.
    pub(super) fn with_flame<T>(&mut self, f: impl FnOnce(&mut Flame, &Names<'_>) -> T) -> T {
        let (files, syscalls) = (&self.files, &self.syscalls);
        let names = Names {
            file: &|place| files.get(place).map(|(name, _)| name.clone()),
            syscall: &|slot| Some(syscalls[usize::from(slot)].as_ref()?.syscall),
        };
        f(&mut self.flame, &names)
    }
}

/// Only a new name is stored.
fn rename(name: &mut Arc<[u8]>, new: &[u8]) {
    if **name != *new {
        *name = new.into();
    }
}

/// The directory of a path: all before its last `/`. Names that are no path are put together by what stands before their
/// colon (`pipe:`), and what has neither is in `.`.
pub(super) fn directory_of(name: &[u8]) -> &[u8] {
    if name.first() != Some(&b'/')
        && let Some(colon) = name.iter().position(|byte| *byte == b':')
    {
        return &name[..=colon];
    }
    match name.iter().rposition(|byte| *byte == b'/') {
        Some(0) => b"/",
        Some(slash) => &name[..slash],
        None => b".",
    }
}
