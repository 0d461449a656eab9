//! What rows add up to: the most used files and processes, in bounded memory.
//!
//! Exact counts by syscall come from the kernel ([`crate::Totals`]); these are counted from rows, so lost and filtered
//! rows are not in them. Past its bound a table counts every further key in one `[other]` entry and says how much that is.

mod table;

use std::cmp::Reverse;

use crate::row::Row;
use crate::syscall::ByteClass;
use table::Table;

/// Files told apart by default.
pub const MAX_FILES: usize = 100_000;

/// Processes told apart by default.
pub const MAX_PROCESSES: usize = 50_000;

/// Bytes a file's name may have on average before the table counts as full, so that long names cannot fill the memory.
const NAME_BYTES: usize = 256;

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

impl Usage {
    fn count(&mut self, row: &Row<'_>, read: u64, written: u64) {
        self.calls += 1;
        self.errors += u64::from(row.is_error());
        self.read += read;
        self.written += written;
        self.latency_ns = self.latency_ns.saturating_add(row.latency_ns);
        self.max_latency_ns = self.max_latency_ns.max(row.latency_ns);
    }

    fn by(&self, order: By) -> u64 {
        match order {
            By::Calls => self.calls,
            By::Errors => self.errors,
            By::Bytes => self.read.saturating_add(self.written),
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
    files: Table<Box<[u8]>>,
    processes: Table<Process>,
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
        let (read, written, process_read) = match row.syscall.bytes {
            ByteClass::None => (0, 0, 0),
            ByteClass::Read | ByteClass::Receive | ByteClass::Xattr => (row.bytes, 0, row.bytes),
            ByteClass::Write => (0, row.bytes, 0),
            ByteClass::Transfer => (0, row.bytes, row.bytes),
        };
        let process = Process::new(row.task.pid, &row.task.process);
        self.processes
            .entry(&process, 0, |process| *process)
            .count(row, process_read, written);
        if !row.file.is_empty() {
            self.files
                .entry(row.file, row.file.len(), |name| name.into())
                .count(row, read, written);
        }
        if let Some(old_file) = row.old_file.filter(|name| !name.is_empty()) {
            let read = if row.syscall.bytes == ByteClass::Transfer {
                row.bytes
            } else {
                0
            };
            self.files
                .entry(old_file, old_file.len(), |name| name.into())
                .count(row, read, 0);
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
        self.files.folded()
    }

    /// Processes past the bound.
    pub fn folded_processes(&self) -> Folded {
        self.processes.folded()
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
