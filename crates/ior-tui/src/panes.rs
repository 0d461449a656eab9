//! The content of the tabs. One function draws whatever pane a snapshot has; it changes nothing and computes no statistics.

use ior_core::Snapshot;
use ior_core::view::TaskKey;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use regex::bytes::Regex;

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
    let _ = (buffer, area, snapshot, look, theme, hits);
}

/// How many lines of the pane's table fit into an area of that height: the `len` of a [`ior_core::view::TableView`].
pub fn lines(height: u16) -> usize {
    usize::from(height.saturating_sub(2))
}
