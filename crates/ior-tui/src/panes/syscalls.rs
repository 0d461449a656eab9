//! Syscalls.
//!
//! ```text
//! Syscall    Family   Count▼   Rate/s      Avg      Min      Max      p50      p95      p99     Bytes  Errors
//! read       FS       12.3 k   1.2 k    3.4 µs   ...
//! 1–20 of 43
//! ```

use ior_core::Syscall;
use ior_core::snapshot::{Spread, SyscallLine, Window};
use ior_core::units::{Bytes, Count, Nanos};
use ior_core::view::{SyscallColumn, TableView};

use super::{Canvas, failures, order, rate};
use crate::table::{Column, Text};

/// The columns as they stand, each with what it orders by.
pub const COLUMNS: [(SyscallColumn, Column); 12] = [
    (SyscallColumn::Syscall, named("Syscall", 12, 0)),
    (SyscallColumn::Family, Column::word("Family", 8, 8)),
    (SyscallColumn::Count, Column::figure("Count", 8, 0)),
    (SyscallColumn::Rate, Column::figure("Rate/s", 8, 3)),
    (SyscallColumn::Avg, Column::figure("Avg", 8, 1)),
    (SyscallColumn::Min, Column::figure("Min", 8, 9)),
    (SyscallColumn::Max, Column::figure("Max", 8, 5)),
    (SyscallColumn::P50, Column::figure("p50", 8, 7)),
    (SyscallColumn::P95, Column::figure("p95", 8, 6)),
    (SyscallColumn::P99, Column::figure("p99", 8, 4)),
    (SyscallColumn::Bytes, Column::figure("Bytes", 9, 2)),
    (SyscallColumn::Errors, Column::figure("Errors", 8, 1)),
];

const fn named(header: &'static str, width: u16, rank: u8) -> Column {
    Column {
        grows: 1,
        ..Column::word(header, width, rank)
    }
}

const WIDGET: [Column; 12] = super::columns(&COLUMNS);

/// Draws the table.
pub(super) fn draw(
    canvas: &mut Canvas<'_>,
    window: &Window<SyscallLine>,
    view: &TableView<SyscallColumn, &'static Syscall>,
) {
    let theme = canvas.theme;
    let sort = super::sorted(&COLUMNS, view.sort, order(view.descending));
    super::table(canvas, &WIDGET, sort, window, &|line, column| {
        cell(line, COLUMNS[column].0, theme)
    });
}

/// What stands in a cell.
fn cell<'t>(line: &SyscallLine, column: SyscallColumn, theme: &crate::theme::Theme) -> Text<'t> {
    let spread = |value: fn(&Spread) -> u64| match &line.latency {
        Some(spread) => Nanos(value(spread)).to_string().into(),
        None => Text::from("-"),
    };
    match column {
        SyscallColumn::Syscall => line.syscall.name.into(),
        SyscallColumn::Family => Text::from(line.syscall.family.as_str()).styled(theme.dim),
        SyscallColumn::Count => Count(line.calls).to_string().into(),
        SyscallColumn::Rate => rate(line.rate).into(),
        SyscallColumn::Avg => spread(|spread| spread.avg),
        SyscallColumn::Min => spread(|spread| spread.min),
        SyscallColumn::Max => spread(|spread| spread.max),
        SyscallColumn::P50 => spread(|spread| spread.p50),
        SyscallColumn::P95 => spread(|spread| spread.p95),
        SyscallColumn::P99 => spread(|spread| spread.p99),
        SyscallColumn::Bytes => Bytes(line.bytes).to_string().into(),
        SyscallColumn::Errors => failures(line.errors, theme),
    }
}
