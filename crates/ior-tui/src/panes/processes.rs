//! Processes, threads below those that are unfolded.
//!
//! ```text
//!       PID  Name              Calls▼   Rate/s      Read   Written      Avg  Errors
//! ▾    1234  postgres          12.3 k   1.2 k    1.2 MiB   3.4 MiB   3.4 µs       0
//!      1240    walwriter        1.2 k  ...
//! 1–20 of 43
//! ```

use std::collections::BTreeSet;

use ior_core::snapshot::{ProcessLine, Window};
use ior_core::units::{Count, Nanos};
use ior_core::view::{ProcessColumn, TableView, TaskKey};
use ratatui::layout::Rect;

use super::{Canvas, Hit, failures, order, rate};
use crate::table::{Column, Text};
use crate::text;

/// The columns as they stand, each with what it orders by.
pub const COLUMNS: [(ProcessColumn, Column); 8] = [
    (ProcessColumn::Pid, Column::figure("PID", 9, 0)),
    (
        ProcessColumn::Name,
        Column {
            grows: 1,
            ..Column::word("Name", 14, 0)
        },
    ),
    (ProcessColumn::Calls, Column::figure("Calls", 8, 0)),
    (ProcessColumn::Rate, Column::figure("Rate/s", 8, 3)),
    (ProcessColumn::Read, Column::figure("Read", 9, 1)),
    (ProcessColumn::Written, Column::figure("Written", 9, 1)),
    (ProcessColumn::Avg, Column::figure("Avg", 8, 4)),
    (ProcessColumn::Errors, Column::figure("Errors", 8, 2)),
];

const WIDGET: [Column; 8] = super::columns(&COLUMNS);

/// Draws the table.
pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    window: &Window<ProcessLine>,
    view: &TableView<ProcessColumn, TaskKey>,
    unfolded: &BTreeSet<u32>,
) {
    let theme = canvas.theme;
    let sort = super::sorted(&COLUMNS, view.sort, order(view.descending));
    super::table(canvas, &WIDGET, sort, window, &|line, column| {
        cell(line, COLUMNS[column].0, unfolded, theme)
    });
    // The sign stands at the left edge of the line.
    for (y, line) in (1..).zip(&window.lines) {
        let area = text::row(canvas.area, y);
        if line.key.tid.is_none() && line.threads > 1 && area.height == 1 && area.width > 8 {
            canvas
                .hits
                .add(Rect { width: 2, ..area }, Hit::Unfold(line.key));
        }
    }
}

fn cell<'t>(
    line: &'t ProcessLine,
    column: ProcessColumn,
    unfolded: &BTreeSet<u32>,
    theme: &crate::theme::Theme,
) -> Text<'t> {
    let TaskKey { pid, tid } = line.key;
    match column {
        ProcessColumn::Pid => match tid {
            Some(tid) => Text::from(tid.to_string()).styled(theme.dim),
            None if line.threads > 1 => {
                let sign = if unfolded.contains(&pid) {
                    '▾'
                } else {
                    '▸'
                };
                format!("{sign}{pid:>8}").into()
            }
            None => pid.to_string().into(),
        },
        ProcessColumn::Name => {
            let name = text::harmless(&line.name);
            match (tid, line.threads) {
                (Some(_), _) => format!("  {name}").into(),
                (None, 0 | 1) => name.into(),
                (None, threads) => format!("{name} ({threads} threads)").into(),
            }
        }
        ProcessColumn::Calls => Count(line.calls).to_string().into(),
        ProcessColumn::Rate => rate(line.rate).into(),
        ProcessColumn::Read => super::moved(line.read, theme),
        ProcessColumn::Written => super::moved(line.written, theme),
        ProcessColumn::Avg => Nanos(line.avg).to_string().into(),
        ProcessColumn::Errors => failures(line.errors, theme),
    }
}
