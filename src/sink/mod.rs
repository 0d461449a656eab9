//! Where rows go: one file a format, all of them fed with the same rows.
//!
//! The text formats write into a [`BufferedOut`], whose thread does the system calls, so that a slow reader does not hold
//! up the collector before 16 buffers are full. [`Parquet`] has a thread of its own, which encodes too.
//! [`Aggregate`] adds up and writes at the end.

pub mod aggregate;
mod buffered;
mod columns;
mod csv;
mod facts;
mod json;
mod parquet;
mod plain;
#[cfg(test)]
mod tests;

use std::io;
use std::time::SystemTime;

use ior_core::{Loss, Row, Totals};

pub use aggregate::Aggregate;
pub use buffered::BufferedOut;
pub use columns::compact_time;
pub use csv::Csv;
pub use json::Json;
pub use parquet::{Files, Parquet, Rotate, SCHEMA_KEY, SCHEMA_VERSION};
pub use plain::Plain;

/// Takes rows. After an error every further call fails too.
pub trait Sink {
    /// Takes one row. May block while the output is stalled.
    fn row(&mut self, row: &Row<'_>) -> io::Result<()>;

    /// Passes on what has been held back, without waiting until it is written. `account` is asked by an output that ends a
    /// file here.
    fn flush(&mut self, account: &dyn Fn() -> Account) -> io::Result<()>;

    /// Writes everything out and waits until that is done; takes no row afterwards.
    fn finish(&mut self, account: &Account) -> io::Result<()>;

    /// What the user should know of an output that is complete, besides the run's account.
    fn remark(&self) -> Option<String> {
        None
    }
}

/// What a run has counted so far.
#[derive(Debug, Clone)]
pub struct Account {
    /// When the trace was attached.
    pub started: SystemTime,
    /// When this was counted.
    pub now: SystemTime,
    /// The kernel's exact counters.
    pub totals: Totals,
    /// What did not become a row.
    pub loss: Loss,
    /// Rows that came after an output had failed.
    pub shed: u64,
}

/// What a recording says about its run.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// The machine's name.
    pub hostname: String,
    /// Release of its kernel.
    pub kernel: String,
    /// The command line of ior.
    pub command: String,
    /// The content filter; empty if every row is kept.
    pub filter: String,
}

/// How names are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Byte for byte, for files and pipes.
    Exact,
    /// With everything escaped that could act on a terminal or forge a row.
    Escaped,
}
