//! Every pane as it is drawn: the demo's at three sizes, hostile names, every size.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use ior_core::batch::Batch;
use ior_core::live::{DemoFeed, Facts, Model};
use ior_core::snapshot::Feed;
use ior_core::view::{
    FileColumn, FlameOrder, FlameView, Grouping, ProcessColumn, Subject, SyscallColumn, TableView,
    Weight,
};
use ior_core::{Abi, Details, Ids, NameSource, Row, Task, escape, syscall};

use super::*;

mod flame;
mod hostile;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

fn table_view<C, K>(sort: C, height: u16) -> TableView<C, K> {
    TableView {
        sort,
        descending: true,
        selected: None,
        first: 0,
        len: lines(height),
    }
}

fn flame_view() -> FlameView {
    FlameView {
        order: FlameOrder::CommPathSyscall,
        weight: Weight::Calls,
        zoom: Vec::new(),
        min_share: 0.001,
        max_frames: NonZeroUsize::new(400).unwrap(),
    }
}

/// A view of each pane, by name.
fn views(height: u16) -> Vec<(&'static str, View)> {
    vec![
        ("flame", View::Flame(flame_view())),
        ("overview", View::Overview),
        (
            "syscalls",
            View::Syscalls(table_view(SyscallColumn::Count, height)),
        ),
        (
            "files",
            View::Files(table_view(FileColumn::Accesses, height), Grouping::File),
        ),
        (
            "directories",
            View::Files(
                table_view(FileColumn::Accesses, height),
                Grouping::Directory,
            ),
        ),
        (
            "processes",
            View::Processes(table_view(ProcessColumn::Calls, height), BTreeSet::new()),
        ),
        ("latency", View::Latency(Subject::All)),
        ("stream", View::Stream),
    ]
}

/// The demo after eight seconds.
fn demo() -> DemoFeed {
    let mut seconds = 0;
    let mut feed = DemoFeed::new(7, move || {
        seconds = (seconds + 1).min(8);
        Duration::from_secs(seconds)
    });
    for _ in 0..8 {
        feed.snapshot(&View::Overview);
    }
    feed
}

fn draw_all(
    snapshot: &Snapshot,
    (width, height): (u16, u16),
    look: &Look,
    theme: &Theme,
) -> Buffer {
    let area = Rect::new(0, 0, width, height);
    let mut buffer = Buffer::empty(area);
    draw(
        &mut buffer,
        area,
        snapshot,
        look,
        theme,
        &mut Hits::default(),
    );
    buffer
}

fn text_of(buffer: &Buffer) -> String {
    let area = buffer.area;
    let mut text = String::new();
    for y in area.top()..area.bottom() {
        let mut x = area.left();
        let mut row = String::new();
        while x < area.right() {
            let symbol = buffer[(x, y)].symbol();
            row.push_str(symbol);
            x += crate::text::cells(symbol).max(1) as u16;
        }
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

#[test]
fn every_pane_at_three_sizes() {
    let mut feed = demo();
    for size in SIZES {
        for (name, view) in views(size.1) {
            let snapshot = feed.snapshot(&view);
            let buffer = draw_all(&snapshot, size, &Look::default(), &Theme::dark());
            insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), text_of(&buffer));
        }
    }
}

#[test]
fn nothing_is_drawn_outside_and_nothing_panics_at_any_size() {
    let mut feed = demo();
    let sizes = (1..=200).flat_map(|width| [1, 2, 3, 7, 24, 60].map(|height| (width, height)));
    let more = (1..=60).flat_map(|height| [1, 2, 20, 80].map(|width| (width, height)));
    for (width, height) in sizes.chain(more) {
        for (name, view) in views(height) {
            let snapshot = feed.snapshot(&view);
            stays_inside(name, &snapshot, (width, height));
        }
    }
}

/// Draws into the middle of a larger buffer, which must stay as it was around it.
fn stays_inside(name: &str, snapshot: &Snapshot, (width, height): (u16, u16)) {
    let area = Rect::new(2, 1, width, height);
    let mut buffer = Buffer::empty(Rect::new(0, 0, width + 4, height + 2));
    let around = buffer.area;
    for position in around.positions() {
        buffer[position].set_symbol("·");
    }
    let look = Look {
        row: Some(3),
        ..Look::default()
    };
    draw(
        &mut buffer,
        area,
        snapshot,
        &look,
        &Theme::dark(),
        &mut Hits::default(),
    );
    for position in around
        .positions()
        .filter(|position| !area.contains(*position))
    {
        let symbol = buffer[position].symbol();
        assert_eq!(symbol, "·", "{name} at {width}x{height}: {position:?}");
    }
}

#[test]
fn without_colours_there_are_none() {
    use ratatui::style::Color;

    let mut feed = demo();
    for (name, view) in views(40) {
        let snapshot = feed.snapshot(&view);
        let buffer = draw_all(&snapshot, (120, 40), &Look::default(), &Theme::plain());
        for cell in &buffer.content {
            assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{name}");
        }
    }
}

#[test]
fn a_selected_line_and_cell_can_be_told() {
    let mut feed = demo();
    let view = View::Syscalls(TableView {
        selected: syscall::by_name("openat"),
        ..table_view(SyscallColumn::Count, 24)
    });
    let snapshot = feed.snapshot(&view);
    let look = Look {
        column: 2,
        ..Look::default()
    };
    let buffer = draw_all(&snapshot, (120, 24), &look, &Theme::dark());
    let text = text_of(&buffer);
    let line = text
        .lines()
        .position(|line| line.starts_with("openat"))
        .unwrap() as u16;
    assert_eq!(buffer[(0, line)].bg, Theme::dark().selected.bg.unwrap());
    let cells = (0..120).filter(|&x| Some(buffer[(x, line)].bg) == Theme::dark().cell.bg);
    assert_eq!(cells.count(), 8, "the count's cells");
}

#[test]
fn shares_are_told_from_nothing_and_from_all() {
    assert_eq!(percent(0, 10), "0 %");
    assert_eq!(percent(1, 100_000), "< 0.1 %");
    assert_eq!(percent(1, 100), "1.0 %");
    assert_eq!(percent(10, 10), "100 %");
    assert_eq!(percent(0, 0), "-");
}
