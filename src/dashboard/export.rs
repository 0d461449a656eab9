//! Rows of the screen as CSV files, under names of ours in the current directory.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use ior_core::batch::Tail;
use ior_core::{Loss, Totals};

use crate::session::{Temporaries, output};
use crate::sink::{self, Account, BufferedOut, Csv, Names, Sink as _};

const EXTENSION: &str = ".csv";

/// Writes rows, every column of them, and returns the file's path.
pub fn export(rows: &Tail, temporaries: &Temporaries) -> Result<PathBuf> {
    let now = SystemTime::now();
    let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let name = format!("ior-{}{EXTENSION}", sink::compact_time(seconds));
    let opened = output::create_beside(&name, temporaries)?;
    let cannot_write = || format!("cannot write {name}");
    let never = Arc::new(AtomicBool::new(false));
    let out = BufferedOut::new(opened.file, never).with_context(cannot_write)?;
    let mut csv = Csv::new(out, Names::Exact);
    for row in (0..rows.len()).filter_map(|place| rows.row(place)) {
        csv.row(&row).with_context(cannot_write)?;
    }
    let account = Account {
        started: now,
        now,
        totals: Totals::default(),
        loss: Loss::default(),
        shed: 0,
    };
    csv.finish(&account).with_context(cannot_write)?;
    let pending = opened.pending.context("it has no name")?;
    pending
        .complete_beside(EXTENSION)
        .with_context(cannot_write)
}
