//! The recording a key begins and ends: Parquet, under a name of ours in the current directory.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use ior_core::snapshot::Recording;
use ior_core::{Filter, Row, Totals, escape};

use super::collector::Counted;
use crate::cli::Config;
use crate::session::{Beside, Temporaries, about, output};
use crate::sink::{self, About, Account, Parquet, Rotate, Sink as _};

const EXTENSION: &str = ".parquet";

/// A recording that is going on.
pub struct Recorder {
    sink: Parquet,
    /// The name the file gets, or has got.
    name: Arc<Mutex<String>>,
    rows: u64,
    started: SystemTime,
    before: Counted,
    /// The calls of all rows since it began, whether or not they pass the filter.
    calls: Totals,
}

impl Recorder {
    /// Begins one of the rows that pass the filter. `before`: what was counted until now.
    pub fn begin(
        config: &Config,
        filter: &Filter,
        before: Counted,
        temporaries: &Temporaries,
    ) -> Result<Recorder> {
        let started = SystemTime::now();
        let seconds = started
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_secs();
        let about = About {
            filter: filter.to_string(),
            ..about(config)
        };
        let host = about.hostname.replace('/', "_");
        let name = format!("{host}-ior-{}{EXTENSION}", sink::compact_time(seconds));
        let cannot_write = format!("cannot write {name}");
        let file = Beside::new(output::create_beside(&name, temporaries)?, EXTENSION);
        let name = file.name();
        let sink =
            Parquet::new(Box::new(file), Rotate::Never, about).with_context(|| cannot_write)?;
        Ok(Recorder {
            sink,
            name,
            rows: 0,
            started,
            before,
            calls: Totals::default(),
        })
    }

    /// Takes a row.
    pub fn take(&mut self, row: &Row<'_>, passes: bool) -> Result<()> {
        self.calls.count(row);
        if passes {
            self.rows += 1;
            self.sink.row(row).with_context(|| self.cannot_write())?;
        }
        Ok(())
    }

    /// Passes rows on that have waited.
    pub fn flush(&mut self, account: &dyn Fn() -> Account) {
        // A failure comes back with the next row or at the end.
        let _: io::Result<()> = self.sink.flush(account);
    }

    /// Completes the file. `counted`: what was counted until now.
    pub fn end(mut self, counted: Counted) -> Result<Recording> {
        let Counted { totals, loss } = counted.since(&self.before);
        // Where nothing was lost the rows tell exactly which calls came between the two keys; the kernel's counters have
        // also those that were on their way when they were read.
        let totals = if loss.is_complete() {
            std::mem::take(&mut self.calls)
        } else {
            totals
        };
        let account = Account {
            started: self.started,
            now: SystemTime::now(),
            totals,
            loss,
            shed: 0,
        };
        self.sink
            .finish(&account)
            .with_context(|| self.cannot_write())?;
        Ok(Recording {
            active: false,
            ..self.state()
        })
    }

    /// What the screen says of it.
    pub fn state(&self) -> Recording {
        Recording {
            path: self.path(),
            rows: self.rows,
            active: true,
        }
    }

    fn path(&self) -> String {
        let name = self.name.lock().unwrap_or_else(PoisonError::into_inner);
        escape::terminal(name.as_bytes()).into_owned()
    }

    fn cannot_write(&self) -> String {
        format!("cannot write {}", self.path())
    }
}
