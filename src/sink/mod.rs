//! Where rows go: one file a format, all of them fed with the same rows.
//!
//! The text formats write into a [`BufferedOut`], whose thread does the system calls, so that a slow reader does not hold
//! up the collector before 16 buffers are full.

mod buffered;
mod columns;
mod csv;
mod json;
mod plain;
#[cfg(test)]
mod tests;

use std::io;

use ior_core::Row;

pub use buffered::BufferedOut;
pub use csv::Csv;
pub use json::Json;
pub use plain::Plain;

/// Takes rows. After an error every further call fails too.
pub trait Sink {
    /// Takes one row. May block while the output is stalled.
    fn row(&mut self, row: &Row<'_>) -> io::Result<()>;

    /// Passes on what has been held back, without waiting until it is written.
    fn flush(&mut self) -> io::Result<()>;

    /// Writes everything out and waits until that is done; takes no row afterwards.
    fn finish(&mut self) -> io::Result<()>;
}

/// How names are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Names {
    /// Byte for byte, for files and pipes.
    Exact,
    /// With everything escaped that could act on a terminal or forge a row.
    Escaped,
}
