//! The content of the tabs. One function draws whatever pane a snapshot has; it changes nothing and computes no statistics.

pub mod files;
pub mod flame;
pub mod latency;
pub mod overview;
pub mod processes;
pub mod stream;
pub mod syscalls;

use ior_core::Snapshot;
use ior_core::snapshot::{Pane, Window};
use ior_core::units::{Bytes, Count};
use ior_core::view::{TaskKey, View};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use regex::bytes::Regex;

use crate::table::{Column, Foot, Order, Table, Text};
use crate::theme::Theme;

/// What the screen knows besides the snapshot: cursors, searches, what is unfolded.
#[derive(Debug, Clone, Default)]
pub struct Look {
    /// The column of the cell cursor in the pane's table, counted over all its columns, whether or not they fit.
    pub column: usize,
    /// The selected frame, as the names from below the root down to it; empty: the root.
    pub frame: Vec<Box<[u8]>>,
    /// What is searched for: frames or cells that match are marked.
    pub search: Option<Regex>,
    /// The selected row of the stream, 0 being the oldest; only while it is paused.
    pub row: Option<usize>,
    /// The first row of the stream on the screen; none: the newest rows are at the bottom.
    pub first_row: Option<usize>,
}

/// What stands where on the screen, for the mouse.
#[derive(Debug, Clone, Default)]
pub struct Hits {
    areas: Vec<(Rect, Hit)>,
}

/// Something that can be clicked.
#[derive(Debug, Clone, PartialEq)]
pub enum Hit {
    /// A tab, 0 being the first.
    Tab(usize),
    /// A column's header.
    Header(usize),
    /// A cell: the place of its line in the whole table (of a row in the stream's tail), and its column.
    Cell(usize, usize),
    /// A process's sign that its threads can be unfolded or folded.
    Unfold(TaskKey),
    /// A frame, as the names from below the root down to it.
    Frame(Vec<Box<[u8]>>),
}

impl Hits {
    /// Says that `hit` stands at `area`.
    pub fn add(&mut self, area: Rect, hit: Hit) {
        self.areas.push((area, hit));
    }

    /// The columns whose headers are on the screen, from left to right.
    pub fn headers(&self) -> Vec<usize> {
        let hits = self.areas.iter().map(|(_, hit)| hit);
        let mut headers: Vec<usize> = hits
            .filter_map(|hit| match hit {
                Hit::Header(column) => Some(*column),
                _ => None,
            })
            .collect();
        headers.sort_unstable();
        headers.dedup();
        headers
    }

    /// What stands there; of several what was drawn last.
    pub fn at(&self, position: Position) -> Option<&Hit> {
        let mut areas = self.areas.iter().rev();
        areas
            .find(|(area, _)| area.contains(position))
            .map(|(_, hit)| hit)
    }
}

/// Draws the pane of `snapshot` into `area`, whatever size that has.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    snapshot: &Snapshot,
    look: &Look,
    theme: &Theme,
    hits: &mut Hits,
) {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    let mut canvas = Canvas {
        buffer,
        area,
        look,
        theme,
        hits,
    };
    match (&snapshot.pane, &snapshot.view) {
        (Pane::Flame(flame), View::Flame(view)) => flame::draw(&mut canvas, flame, view),
        (Pane::Overview(overview), _) => overview::draw(&mut canvas, overview, &snapshot.session),
        (Pane::Syscalls(window), View::Syscalls(view)) => {
            syscalls::draw(&mut canvas, window, view);
        }
        (Pane::Files(window), View::Files(view, grouping)) => {
            files::draw(&mut canvas, window, view, *grouping);
        }
        (Pane::Processes(window), View::Processes(view, unfolded)) => {
            processes::draw(&mut canvas, window, view, unfolded);
        }
        (Pane::Latency(latencies), View::Latency(subject)) => {
            latency::draw(&mut canvas, latencies, subject);
        }
        (Pane::Stream(tail), _) => stream::draw(&mut canvas, tail),
        // A view is answered by its own pane.
        _ => {}
    }
}

/// Where a pane is drawn, and with what.
struct Canvas<'a> {
    buffer: &'a mut Buffer,
    area: Rect,
    look: &'a Look,
    theme: &'a Theme,
    hits: &'a mut Hits,
}

/// How many lines of the pane's table fit into an area of that height: the `len` of a [`ior_core::view::TableView`].
pub fn lines(height: u16) -> usize {
    // The header and the line that tells the position; in two lines there is only the header.
    match height {
        2 => 1,
        height => usize::from(height.saturating_sub(2)),
    }
}

/// The columns of a table alone.
const fn columns<K: Copy, const N: usize>(pairs: &[(K, Column); N]) -> [Column; N] {
    let mut columns = [pairs[0].1; N];
    let mut place = 0;
    while place < N {
        columns[place] = pairs[place].1;
        place += 1;
    }
    columns
}

/// Which column a table is ordered by.
fn sorted<K: PartialEq>(columns: &[(K, Column)], by: K, order: Order) -> Option<(usize, Order)> {
    let place = columns.iter().position(|(column, _)| *column == by);
    place.map(|place| (place, order))
}

/// Draws the part of a table that a snapshot has.
fn table<'t, L>(
    canvas: &mut Canvas<'_>,
    columns: &[Column],
    sort: Option<(usize, Order)>,
    window: &'t Window<L>,
    cell: &dyn Fn(&'t L, usize) -> Text<'t>,
) {
    let table = Table {
        columns,
        sort,
        selected: window.selected,
        column: Some(canvas.look.column),
        first: window.first,
        len: window.lines.len(),
        total: window.total,
        folded: window.folded,
        foot: Foot::Position,
    };
    table.draw(
        canvas.buffer,
        canvas.area,
        &|line, column| match window.lines.get(line) {
            Some(line) => cell(line, column),
            None => Text::default(),
        },
        canvas.theme,
        canvas.hits,
    );
}

/// Bytes in a cell; none are not worth a look.
fn moved<'t>(bytes: u64, theme: &Theme) -> Text<'t> {
    let text: Text<'_> = Bytes(bytes).to_string().into();
    if bytes == 0 {
        text.styled(theme.dim)
    } else {
        text
    }
}

fn order(descending: bool) -> Order {
    if descending {
        Order::Descending
    } else {
        Order::Ascending
    }
}

fn rate(calls_per_s: f64) -> String {
    match calls_per_s {
        rate if rate < 0.05 => "0".to_owned(),
        rate if rate < 10.0 => format!("{rate:.1}"),
        // A rate is far from the largest number there is.
        rate => Count(rate.round() as u64).to_string(),
    }
}

/// A share in per cent, with as many digits as tell it from nothing and from all.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let share = part as f64 / whole as f64 * 100.0;
    match share {
        share if part == 0 || share >= 10.0 || part == whole => format!("{share:.0} %"),
        share if share >= 0.1 => format!("{share:.1} %"),
        _ => "< 0.1 %".to_owned(),
    }
}

/// A figure that is shown in the colour of failures unless it is 0.
fn failures<'t>(count: u64, theme: &Theme) -> Text<'t> {
    let text: Text<'_> = Count(count).to_string().into();
    if count == 0 {
        text.styled(theme.dim)
    } else {
        text.styled(theme.bad)
    }
}

#[cfg(test)]
mod tests;
