//! The process and thread picker.
//!
//! ```text
//! ┌ Trace which process? ───────────────────────────────────────┐
//! │ filter: ssh▏                                                │
//! │      PID  Name             User       CPU  Command          │
//! │      812  sshd             root     0.1 %  /usr/sbin/sshd -D│
//! └─────────────────────────────────────────────────────────────┘
//! ```

use ior_core::snapshot::Folded;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{below, first_line, frame, textbox};
use crate::app::{Among, Drawn, Item, Picker};
use crate::table::{Column, Foot, Table, Text};
use crate::text;
use crate::theme::Theme;

/// Arguments are read from the first on, so that a command keeps its start.
const COMMAND: Column = Column {
    grows: 1,
    ..Column::word("Command", 20, 1)
};
const NAME: Column = Column {
    grows: 1,
    ..Column::word("Name", 10, 0)
};
const PROCESSES: [Column; 5] = [
    Column::figure("PID", 8, 0),
    Column::word("Name", 16, 0),
    Column::word("User", 10, 3),
    Column::figure("CPU", 8, 2),
    COMMAND,
];
const THREADS: [Column; 2] = [Column::figure("TID", 8, 0), NAME];

/// Draws the filter and the list.
pub fn draw(buffer: &mut Buffer, area: Rect, picker: &Picker, theme: &Theme, drawn: &mut Drawn) {
    let (title, columns): (String, &[Column]) = match picker.among {
        Among::Processes => ("Trace which process?".to_owned(), &PROCESSES),
        Among::Threads(pid) => (format!("Trace which thread of process {pid}?"), &THREADS),
    };
    let inner = frame(buffer, area, &title, (140, usize::from(area.height)), theme);
    textbox::draw(buffer, inner, "filter: ", &picker.filter, theme);
    let list = below(inner, 1);
    // The header and the line that says how many there are; see the table.
    let page = crate::panes::lines(list.height);
    let total = picker.len();
    let first = first_line(picker.place(), total, page);
    let all = usize::from(picker.lists_all());
    let table = Table {
        columns,
        sort: None,
        selected: picker.place(),
        column: None,
        first,
        len: page.min(total - first),
        total,
        folded: Folded::default(),
        foot: Foot::Position,
    };
    let cell = |line: usize, column: usize| match (first + line).checked_sub(all) {
        None => all_of(picker.among, column),
        Some(place) => picker
            .item(place)
            .map_or_else(Text::default, |item| of_item(item, column)),
    };
    table.draw(buffer, list, &cell, theme, &mut drawn.hits);
    drawn.page = page;
}

/// The line for all, where the names stand: they are never dropped.
fn all_of(among: Among, column: usize) -> Text<'static> {
    match (among, column) {
        (Among::Processes, 1) => "All processes".into(),
        (Among::Threads(_), 1) => "All threads".into(),
        _ => Text::default(),
    }
}

fn of_item(item: &Item, column: usize) -> Text<'_> {
    match (item, column) {
        (item, 0) => item.id().to_string().into(),
        (Item::Process(process), 1) => text::harmless(&process.name).into(),
        (Item::Process(process), 2) => text::harmless(process.user.as_bytes()).into(),
        (Item::Process(process), 3) => match process.cpu {
            Some(share) => format!("{:.1} %", share * 100.0).into(),
            None => "-".into(),
        },
        (Item::Process(process), _) => text::harmless(&process.command).into(),
        (Item::Thread(thread), _) => text::harmless(&thread.name).into(),
    }
}
