//! What rows add up to: the most used files and processes, in bounded memory.
//!
//! Exact counts by syscall come from the kernel ([`crate::Totals`]); these are counted from rows, so lost and filtered
//! rows are not in them. Past its bound a table counts every further key in one `[other]` entry and says how much that is.

pub(crate) mod table;

use std::cmp::Reverse;
use std::hash::Hash;

use crate::row::Row;
use crate::syscall::ByteClass;
use table::Table;

/// Files told apart by default.
pub const MAX_FILES: usize = 100_000;

/// Processes told apart by default.
pub const MAX_PROCESSES: usize = 50_000;

/// Bytes a file's name may have on average before the table counts as full, so that long names cannot fill the memory.
pub(crate) const NAME_BYTES: usize = 256;

/// The name of the entry that holds what did not fit.
pub const OTHER: &str = "[other]";

/// What is known of one file or process, or of all those past the bound.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Calls; for a file: calls that named it or worked on it.
    pub calls: u64,
    /// Calls that returned an error.
    pub errors: u64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Sum of latencies, nanoseconds.
    pub latency_ns: u64,
    /// Longest latency, nanoseconds.
    pub max_latency_ns: u64,
}

/// The payload of a call, by whose it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moved {
    /// Read from `file`.
    pub(crate) read: u64,
    /// Written to `file`.
    pub(crate) written: u64,
    /// Read from `old_file`: of a transfer that is what was read, and `file` what was written.
    pub(crate) old_read: u64,
}

impl Moved {
    #[inline]
    pub(crate) fn new(class: ByteClass, bytes: u64) -> Moved {
        let (read, written, old_read) = match class {
            ByteClass::None => (0, 0, 0),
            ByteClass::Read | ByteClass::Receive | ByteClass::Xattr => (bytes, 0, 0),
            ByteClass::Write => (0, bytes, 0),
            ByteClass::Transfer => (0, bytes, bytes),
        };
        Moved {
            read,
            written,
            old_read,
        }
    }

    /// Read by the process.
    #[inline]
    pub(crate) fn process_read(self) -> u64 {
        self.read + self.old_read
    }
}

impl Usage {
    /// Counts a call that has returned (`error`: with one) after `latency_ns`.
    #[inline]
    pub(crate) fn count(&mut self, error: bool, latency_ns: u64, read: u64, written: u64) {
        self.calls += 1;
        self.errors += u64::from(error);
        self.read = self.read.saturating_add(read);
        self.written = self.written.saturating_add(written);
        self.latency_ns = self.latency_ns.saturating_add(latency_ns);
        self.max_latency_ns = self.max_latency_ns.max(latency_ns);
    }

    /// Adds what was counted elsewhere.
    pub(crate) fn add(&mut self, other: &Usage) {
        self.calls += other.calls;
        self.errors += other.errors;
        self.read = self.read.saturating_add(other.read);
        self.written = self.written.saturating_add(other.written);
        self.latency_ns = self.latency_ns.saturating_add(other.latency_ns);
        self.max_latency_ns = self.max_latency_ns.max(other.max_latency_ns);
    }

    /// Bytes read and written.
    pub(crate) fn bytes(&self) -> u64 {
        self.read.saturating_add(self.written)
    }

    fn by(&self, order: By) -> u64 {
        match order {
            By::Calls => self.calls,
            By::Errors => self.errors,
            By::Bytes => self.bytes(),
            By::Read => self.read,
            By::Written => self.written,
            By::Latency => self.latency_ns,
        }
    }
}

/// What a list of the top entries is ordered by, largest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// Calls.
    Calls,
    /// Calls that returned an error.
    Errors,
    /// Bytes read and written.
    Bytes,
    /// Bytes read.
    Read,
    /// Bytes written.
    Written,
    /// Sum of latencies.
    Latency,
}

/// What did not fit into a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folded {
    /// Different keys past the bound: an estimate, within about 5 %. 0 if everything fitted.
    pub keys: u64,
    /// What they add up to, exactly: the `[other]` entry.
    pub usage: Usage,
}

/// A process: its id and its thread group leader's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    name: [u8; Process::NAME_BYTES],
}

impl Process {
    /// Bytes of a name kept; the kernel's names have at most 15.
    const NAME_BYTES: usize = 16;

    fn new(pid: u32, name: &[u8]) -> Process {
        let mut fixed = [0; Process::NAME_BYTES];
        let len = name.len().min(fixed.len());
        fixed[..len].copy_from_slice(&name[..len]);
        Process { pid, name: fixed }
    }

    /// The name.
    pub fn name(&self) -> &[u8] {
        let len = self
            .name
            .iter()
            .position(|&byte| byte == 0)
            .unwrap_or(self.name.len());
        &self.name[..len]
    }
}

/// The most used files and processes of a session.
#[derive(Debug, Clone)]
pub struct Stats {
    rows: u64,
    files: Table<Box<[u8]>, Usage>,
    processes: Table<Process, Usage>,
}

impl Default for Stats {
    fn default() -> Self {
        Stats::new(MAX_FILES, MAX_PROCESSES)
    }
}

impl Stats {
    /// Statistics that tell apart at most so many files and processes.
    pub fn new(max_files: usize, max_processes: usize) -> Stats {
        Stats {
            rows: 0,
            files: Table::new(max_files, max_files.saturating_mul(NAME_BYTES)),
            processes: Table::new(max_processes, usize::MAX),
        }
    }

    /// Counts a row. Allocates only for a file or process that is new.
    ///
    /// A call with two names is an access to each; of a transfer, `old_file` is what was read and `file` what was written.
    pub fn add(&mut self, row: &Row<'_>) {
        self.rows += 1;
        let moved = Moved::new(row.syscall.bytes, row.bytes);
        let (error, latency) = (row.is_error(), row.latency_ns);
        let process = Process::new(row.task.pid, &row.task.process);
        let place = self.processes.place(&process, 0, |process| *process);
        let usage = self.processes.at(place);
        usage.count(error, latency, moved.process_read(), moved.written);
        if !row.file.is_empty() {
            let usage = file(&mut self.files, row.file);
            usage.count(error, latency, moved.read, moved.written);
        }
        if let Some(old_file) = row.old_file.filter(|name| !name.is_empty()) {
            file(&mut self.files, old_file).count(error, latency, moved.old_read, 0);
        }
    }

    /// Rows counted.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Files told apart so far.
    pub fn file_count(&self) -> usize {
        self.files.len()
    }

    /// Processes told apart so far.
    pub fn process_count(&self) -> usize {
        self.processes.len()
    }

    /// At most `n` files with most of `by`, the largest first, equal ones by name. What was folded is not among them.
    pub fn top_files(&self, n: usize, by: By) -> Vec<(&[u8], Usage)> {
        let entries = self
            .files
            .iter()
            .map(|(name, usage)| (&**name, *usage))
            .collect();
        top(entries, n, by)
    }

    /// At most `n` processes with most of `by`, the largest first, equal ones by pid. What was folded is not among them.
    pub fn top_processes(&self, n: usize, by: By) -> Vec<(Process, Usage)> {
        let entries = self
            .processes
            .iter()
            .map(|(process, usage)| (*process, *usage))
            .collect();
        top(entries, n, by)
    }

    /// Files past the bound.
    pub fn folded_files(&self) -> Folded {
        folded(&self.files)
    }

    /// Processes past the bound.
    pub fn folded_processes(&self) -> Folded {
        folded(&self.processes)
    }
}

fn file<'a>(files: &'a mut Table<Box<[u8]>, Usage>, name: &[u8]) -> &'a mut Usage {
    let place = files.place(name, name.len(), |name| name.into());
    files.at(place)
}

fn folded<K: Hash + Eq>(table: &Table<K, Usage>) -> Folded {
    Folded {
        keys: table.other_keys(),
        usage: *table.other(),
    }
}

/// The `n` largest entries in order; only those are sorted.
fn top<K: Ord + Copy>(mut entries: Vec<(K, Usage)>, n: usize, by: By) -> Vec<(K, Usage)> {
    let rank = |(key, usage): &(K, Usage)| (Reverse(usage.by(by)), *key);
    if n < entries.len() {
        entries.select_nth_unstable_by(n, |a, b| rank(a).cmp(&rank(b)));
        entries.truncate(n);
    }
    entries.sort_unstable_by_key(rank);
    entries
}

#[cfg(test)]
mod tests;
