//! The last rows, the newest at the bottom; while it is paused, a cursor.
//!
//! ```text
//! Time             Gap   Latency  Comm     PID    TID  Syscall  FD      Ret    Bytes  File
//! 12:34:56.789   1.2 ms   3.4 µs  cat     1234   1234  openat    -   ENOENT        -  /etc/passwd
//! 9981–10000 of 10000
//! ```

use ior_core::batch::Tail;
use ior_core::filter::Column as Field;
use ior_core::snapshot::Folded;
use ior_core::units::{Bytes, Nanos};
use ior_core::{Remark, Row};
use regex::bytes::Regex;

use super::{Canvas, files, lines};
use crate::table::{Column, Foot, Table, Text};
use crate::text;
use crate::theme::Theme;

/// The columns as they stand, each with what a condition on it looks at.
pub const COLUMNS: [(Option<Field>, Column); 11] = [
    (None, Column::word("Time", 12, 4)),
    (Some(Field::Gap), Column::figure("Gap", 8, 7)),
    (Some(Field::Latency), Column::figure("Latency", 8, 1)),
    (Some(Field::Comm), Column::word("Comm", 15, 3)),
    (Some(Field::Pid), Column::figure("PID", 8, 5)),
    (Some(Field::Tid), Column::figure("TID", 8, 8)),
    (Some(Field::Syscall), Column::word("Syscall", 14, 0)),
    (Some(Field::Fd), Column::figure("FD", 4, 6)),
    (Some(Field::Ret), Column::figure("Ret", 9, 2)),
    (Some(Field::Bytes), Column::figure("Bytes", 9, 6)),
    (Some(Field::File), Column::path("File", 16, 0)),
];

const WIDGET: [Column; 11] = super::columns(&COLUMNS);

/// Draws the rows.
pub(super) fn draw(canvas: &mut Canvas<'_>, tail: &Tail) {
    let len = lines(canvas.area.height).min(tail.len());
    let newest = tail.len() - len;
    let first = canvas.look.first_row.map_or(newest, |row| row.min(newest));
    let is_paused = canvas.look.row.is_some();
    let (theme, search) = (canvas.theme, canvas.look.search.as_ref());
    let table = Table {
        columns: &WIDGET,
        sort: None,
        selected: canvas.look.row,
        column: is_paused.then_some(canvas.look.column),
        first,
        len,
        total: tail.len(),
        folded: Folded::default(),
        foot: Foot::Position,
    };
    table.draw(
        canvas.buffer,
        canvas.area,
        &|line, column| match tail.row(first + line) {
            Some(row) => {
                let text = cell(&row, column, theme);
                if search.is_some_and(|search| search.is_match(text.text.as_bytes())) {
                    text.styled(theme.found)
                } else {
                    text
                }
            }
            None => Text::default(),
        },
        theme,
        canvas.hits,
    );
}

/// Whether a search finds something in any column of a row, as it is shown.
pub fn is_found(row: &Row<'_>, search: &Regex) -> bool {
    let theme = Theme::plain();
    (0..COLUMNS.len()).any(|column| search.is_match(cell(row, column, &theme).text.as_bytes()))
}

fn cell<'t>(row: &Row<'t>, column: usize, theme: &Theme) -> Text<'t> {
    match column {
        0 => Text::from(clock(row.wall_ns)).styled(theme.dim),
        1 => Text::from(Nanos(row.gap_ns).to_string()).styled(theme.dim),
        2 => Nanos(row.latency_ns).to_string().into(),
        3 => text::harmless(&row.task.comm).into(),
        4 => row.task.pid.to_string().into(),
        5 => row.task.tid.to_string().into(),
        6 => row.syscall.name.into(),
        7 if row.fd < 0 => Text::from("-").styled(theme.dim),
        7 => row.fd.to_string().into(),
        8 => returned(row, theme),
        9 if row.bytes == 0 => Text::from("-").styled(theme.dim),
        9 => Bytes(row.bytes).to_string().into(),
        _ if row.file.is_empty() => Text::from("-").styled(theme.dim),
        _ => match row.old_file {
            Some(old) if !old.is_empty() => {
                let (old, new) = (text::harmless(old), files::path(row.file));
                format!("{old} → {new}").into()
            }
            _ => files::path(row.file).into(),
        },
    }
}

/// The return value: errors by name.
fn returned<'t>(row: &Row<'_>, theme: &Theme) -> Text<'t> {
    let remark = Remark::of(row);
    match remark.as_str() {
        "" => row.ret.to_string().into(),
        name => {
            Text::from(name.to_owned()).styled(if row.is_error() { theme.bad } else { theme.dim })
        }
    }
}

/// The time of day, UTC, with milliseconds.
fn clock(wall_ns: u64) -> String {
    let ms = wall_ns / 1_000_000;
    let (hours, minutes) = (ms / 3_600_000 % 24, ms / 60_000 % 60);
    let (seconds, ms) = (ms / 1000 % 60, ms % 1000);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{ms:03}")
}
