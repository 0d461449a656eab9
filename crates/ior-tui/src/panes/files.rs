//! Files, or directories with what is directly in them.
//!
//! ```text
//!  Files  Accesses▼      Read   Written  Errors      Avg      Max      p99  Path
//!      3     12.3 k   1.2 MiB       0 B       0   3.4 µs   1.2 ms  9.0 µs  /usr/lib/
//! 1–20 of 1204   [other]: about 300, 1.2 k calls, 3.4 KiB
//! ```

use ior_core::snapshot::{FileLine, Window};
use ior_core::units::{Count, Nanos};
use ior_core::view::{FileColumn, Grouping, TableView};

use super::{Canvas, failures, order};
use crate::table::{Column, Text};
use crate::text;

/// The columns of files as they stand, each with what it orders by.
pub const FILES: [(FileColumn, Column); 8] = [
    (FileColumn::Accesses, Column::figure("Accesses", 9, 0)),
    (FileColumn::Read, Column::figure("Read", 9, 1)),
    (FileColumn::Written, Column::figure("Written", 9, 1)),
    (FileColumn::Errors, Column::figure("Errors", 8, 2)),
    (FileColumn::Avg, Column::figure("Avg", 8, 3)),
    (FileColumn::Max, Column::figure("Max", 8, 4)),
    (FileColumn::P99, Column::figure("p99", 8, 5)),
    (FileColumn::Path, Column::path("Path", 20, 0)),
];

/// Those of directories.
pub const DIRECTORIES: [(FileColumn, Column); 9] = [
    (FileColumn::Files, Column::figure("Files", 7, 1)),
    FILES[0],
    FILES[1],
    FILES[2],
    FILES[3],
    FILES[4],
    FILES[5],
    FILES[6],
    FILES[7],
];

/// The columns of a grouping.
pub fn columns(grouping: Grouping) -> &'static [(FileColumn, Column)] {
    match grouping {
        Grouping::File => &FILES,
        Grouping::Directory => &DIRECTORIES,
    }
}

const FILES_WIDGET: [Column; 8] = super::columns(&FILES);
const DIRECTORIES_WIDGET: [Column; 9] = super::columns(&DIRECTORIES);

/// Draws the table.
pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    window: &Window<FileLine>,
    view: &TableView<FileColumn, Box<[u8]>>,
    grouping: Grouping,
) {
    let theme = canvas.theme;
    let columns = columns(grouping);
    let widget: &[Column] = match grouping {
        Grouping::File => &FILES_WIDGET,
        Grouping::Directory => &DIRECTORIES_WIDGET,
    };
    let sort = super::sorted(columns, view.sort, order(view.descending));
    super::table(canvas, widget, sort, window, &|line, column| {
        cell(line, columns[column].0, theme)
    });
}

fn cell<'t>(line: &'t FileLine, column: FileColumn, theme: &crate::theme::Theme) -> Text<'t> {
    match column {
        FileColumn::Files => Count(line.files).to_string().into(),
        FileColumn::Accesses => Count(line.accesses).to_string().into(),
        FileColumn::Read => super::moved(line.read, theme),
        FileColumn::Written => super::moved(line.written, theme),
        FileColumn::Errors => failures(line.errors, theme),
        FileColumn::Avg => Nanos(line.latency.avg).to_string().into(),
        FileColumn::Max => Nanos(line.latency.max).to_string().into(),
        FileColumn::P99 => Nanos(line.latency.p99).to_string().into(),
        FileColumn::Path => path(&line.path).into(),
    }
}

/// A file's name; calls without one are about no file.
pub(super) fn path(name: &[u8]) -> std::borrow::Cow<'_, str> {
    match name {
        [] => "(no name)".into(),
        name => text::harmless(name),
    }
}
