//! Which syscalls are traced.
//!
//! ```text
//! ┌ Probes: 120 syscalls are traced ─┐
//! │     Syscall              Calls   │
//! │ [~] FS                  12.3 k   │
//! │ [x]   openat             1.2 k   │
//! │ [ ]   renameat2              -   │
//! └──────────────────────────────────┘
//! ```

use ior_core::snapshot::{Folded, Session};
use ior_core::units::Count;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{below, first_line, frame, textbox};
use crate::app::{Drawn, Entry, Probes, Traced};
use crate::table::{Column, Foot, Table, Text};
use crate::theme::Theme;

const COLUMNS: [Column; 3] = [
    Column::word("", 3, 0),
    Column {
        grows: 1,
        ..Column::word("Syscall", 12, 0)
    },
    Column::figure("Calls", 8, 1),
];

/// Draws the list, and the text box while something is searched for.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    probes: &Probes,
    session: Option<&Session>,
    theme: &Theme,
    drawn: &mut Drawn,
) {
    let title = format!("Probes: {} syscalls are traced", probes.count());
    let inner = frame(buffer, area, &title, (60, usize::from(area.height)), theme);
    let list = match &probes.search {
        Some(search) => {
            textbox::draw(buffer, inner, "search: ", search, theme);
            below(inner, 1)
        }
        None if !probes.text().is_empty() => {
            let text = format!("with {}", crate::text::harmless(probes.text().as_bytes()));
            crate::text::line(buffer, inner, &text, theme.dim);
            below(inner, 1)
        }
        None => inner,
    };
    let page = crate::panes::lines(list.height);
    let entries = probes.entries();
    let first = first_line(probes.place(), entries.len(), page);
    let table = Table {
        columns: &COLUMNS,
        sort: None,
        selected: probes.place(),
        column: None,
        first,
        len: page.min(entries.len() - first),
        total: entries.len(),
        folded: Folded::default(),
        foot: Foot::Position,
    };
    let cell = |line: usize, column: usize| match entries.get(first + line) {
        Some(entry) => cell(probes, *entry, column, session, theme),
        None => Text::default(),
    };
    table.draw(buffer, list, &cell, theme, &mut drawn.hits);
    drawn.page = page;
}

fn cell(
    probes: &Probes,
    entry: Entry,
    column: usize,
    session: Option<&Session>,
    theme: &Theme,
) -> Text<'static> {
    match (column, entry) {
        (0, entry) => match probes.is_traced(entry) {
            Traced::All => Text::from("[x]").styled(theme.good),
            Traced::Some => Text::from("[~]").styled(theme.good),
            Traced::None => "[ ]".into(),
        },
        (1, Entry::Family(family)) => Text::from(family.as_str()).styled(theme.header),
        (1, Entry::Syscall(syscall)) => format!("  {}", syscall.name).into(),
        (_, Entry::Family(_)) => Text::default(),
        (_, Entry::Syscall(syscall)) => {
            let counts = session.and_then(|session| session.totals.of(syscall));
            match counts {
                Some(counts) => Count(counts.calls).to_string().into(),
                None => Text::from("-").styled(theme.dim),
            }
        }
    }
}
