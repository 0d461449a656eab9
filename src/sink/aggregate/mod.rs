//! `--flamegraph`: what rows add up to, for each thread, call, file and flags; one small file at the end, however long the
//! run.
//!
//! [`table`] adds up in bounded memory, [`format`] is the file. Nothing is written before the end.

pub mod format;
mod table;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};

use ior_core::Row;
use serde_json::{Map, Value, json};

use super::facts::facts;
use super::{About, Account, Sink};
use table::Table;

/// Keys told apart by default.
pub const DEFAULT_KEYS: usize = 200_000;

/// Keys that can be told apart at most: what a reader has to be ready for.
pub const MAX_KEYS: usize = 1_000_000;

/// How many bytes of our own are put together for the compressor.
const BUFFER: usize = 128 << 10;

/// Adds rows up and writes the sums at the end.
#[derive(Debug)]
pub struct Aggregate {
    out: Option<File>,
    about: About,
    table: Table,
}

impl Aggregate {
    /// Writes into `out`; tells apart at most `max_keys` keys.
    pub fn new(out: File, about: About, max_keys: usize) -> Aggregate {
        Aggregate {
            out: Some(out),
            about,
            table: Table::new(max_keys),
        }
    }

    /// What the file says about itself: a JSON object.
    fn about(&self, account: &Account) -> String {
        let facts = facts(&self.about, None, account, false);
        let mut about: Map<String, Value> = facts
            .into_iter()
            .map(|(key, value)| (key.to_owned(), Value::String(value)))
            .collect();
        let folded = json!({
            "calls": self.table.folded_calls(),
            "max_keys": self.table.max_keys(),
        });
        about.insert("ior.folded".into(), Value::String(folded.to_string()));
        Value::Object(about).to_string()
    }
}

impl Sink for Aggregate {
    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.table.add(row);
        Ok(())
    }

    fn flush(&mut self, _: &dyn Fn() -> Account) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self, account: &Account) -> io::Result<()> {
        let out = self.out.take().ok_or(ErrorKind::BrokenPipe)?;
        let about = self.about(account);
        let (names, records) = self.table.records();
        let out = format::write(
            BufWriter::with_capacity(BUFFER, out),
            about.as_bytes(),
            names,
            records,
        )?;
        let mut out = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        out.flush()?;
        out.sync_all()
    }

    fn remark(&self) -> Option<String> {
        let calls = self.table.folded_calls();
        (calls > 0).then(|| {
            format!(
                "{calls} calls are in [other]: more than {} keys of thread, call, file and flags (--max-keys)",
                self.table.max_keys()
            )
        })
    }
}
