//! What a run prints at the end besides its statistics: a summary, the totals alone, or nothing.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result};
use ior_core::{Loss, Stats, Totals};

use super::output::{self, Opened, Temporaries};
use crate::cli::Answer;
use crate::summary;

/// An answer and where it goes, opened before the trace starts.
pub struct Destination {
    form: Form,
    opened: Opened,
}

enum Form {
    Text,
    Json,
}

impl Destination {
    /// Opens what `answer` needs; `None` if nothing is to be printed.
    pub fn open(answer: &Answer, temporaries: &Temporaries) -> Result<Option<Destination>> {
        let (form, path) = match answer {
            Answer::Nothing => return Ok(None),
            Answer::Summary | Answer::Totals(None) => (Form::Text, Path::new("-")),
            Answer::Totals(Some(path)) => (Form::Json, path.as_path()),
        };
        Ok(Some(Destination {
            form,
            opened: output::open(path, temporaries)?,
        }))
    }

    /// Writes the answer.
    pub fn write(self, totals: &Totals, stats: Option<&Stats>, loss: &Loss) -> Result<()> {
        let mut out = BufWriter::new(self.opened.file);
        let written = match self.form {
            Form::Text => summary::write(
                totals,
                stats,
                loss,
                summary::width(io::stdout().is_terminal()),
                &mut out,
            ),
            Form::Json => summary::write_totals_json(totals, &mut out),
        };
        written
            .and_then(|()| out.flush())
            .with_context(|| format!("cannot write {}", self.opened.name))?;
        self.opened
            .pending
            .map_or(Ok(()), output::Pending::complete)
    }
}
