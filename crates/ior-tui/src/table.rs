//! The one table of all lists: columns that are dropped when there is no room, a selected line and cell, where the lines on
//! the screen are in the whole.

use std::borrow::Cow;

use ior_core::snapshot::Folded;
use ior_core::units::{Bytes, Count};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use crate::panes::{Hit, Hits};
use crate::text::{self, Align, Cut};
use crate::theme::Theme;

/// A column.
#[derive(Debug, Clone, Copy)]
pub struct Column {
    /// Its header.
    pub header: &'static str,
    /// Figures stand on the right.
    pub align: Align,
    /// What is given up of a cell that is too long.
    pub cut: Cut,
    /// The cells it needs at least.
    pub width: u16,
    /// How much of the room that is left it takes, compared with the others.
    pub grows: u16,
    /// Columns of the highest rank are dropped first; of rank 0 none.
    pub rank: u8,
}

impl Column {
    /// A column of figures.
    pub const fn figure(header: &'static str, width: u16, rank: u8) -> Column {
        Column {
            header,
            align: Align::Right,
            cut: Cut::End,
            width,
            grows: 0,
            rank,
        }
    }

    /// A column of words.
    pub const fn word(header: &'static str, width: u16, rank: u8) -> Column {
        Column {
            align: Align::Left,
            ..Column::figure(header, width, rank)
        }
    }

    /// A column of paths, which takes the room that is left.
    pub const fn path(header: &'static str, width: u16, rank: u8) -> Column {
        Column {
            cut: Cut::Front,
            grows: 1,
            ..Column::word(header, width, rank)
        }
    }
}

/// What stands in a cell.
#[derive(Debug, Clone, Default)]
pub struct Text<'a> {
    /// Harmless text.
    pub text: Cow<'a, str>,
    /// How it is shown where its line is not selected.
    pub style: Style,
}

impl<'a> From<String> for Text<'a> {
    fn from(text: String) -> Text<'a> {
        Text {
            text: text.into(),
            style: Style::new(),
        }
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Text<'a> {
        Text {
            text: text.into(),
            style: Style::new(),
        }
    }
}

impl<'a> From<Cow<'a, str>> for Text<'a> {
    fn from(text: Cow<'a, str>) -> Text<'a> {
        Text {
            text,
            style: Style::new(),
        }
    }
}

impl Text<'_> {
    /// In another style.
    #[must_use]
    pub fn styled(self, style: Style) -> Self {
        Text { style, ..self }
    }
}

/// A table that is to be drawn.
#[derive(Debug, Clone)]
pub struct Table<'a> {
    /// Its columns.
    pub columns: &'a [Column],
    /// The column it is ordered by, and whether the largest comes first.
    pub sort: Option<(usize, Order)>,
    /// The place of the selected line in the whole table.
    pub selected: Option<usize>,
    /// The selected cell's column.
    pub column: Option<usize>,
    /// The place of the first line on the screen.
    pub first: usize,
    /// Lines on the screen.
    pub len: usize,
    /// Lines of the whole table.
    pub total: usize,
    /// What is in no line.
    pub folded: Folded,
    /// What stands below the lines.
    pub foot: Foot,
}

/// What stands below the lines of a table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Foot {
    /// Where they are in the whole, and what is in none.
    #[default]
    Position,
    /// More lines.
    Nothing,
}

/// Which way a table is ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The smallest first.
    Ascending,
    /// The largest first.
    Descending,
}

/// Cells between two columns.
const GAP: u16 = 2;

impl Table<'_> {
    /// Draws the header, the lines and where they are. `cell` gives what stands in a column of a line, 0 being the first on
    /// the screen.
    pub fn draw<'t>(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        cell: &dyn Fn(usize, usize) -> Text<'t>,
        theme: &Theme,
        hits: &mut Hits,
    ) {
        let area = area.intersection(buffer.area);
        if area.is_empty() {
            return;
        }
        let places = match layout(self.columns, area.width) {
            Ok(places) => places,
            Err(needed) => {
                let notice = format!("needs {needed} columns");
                text::line(buffer, area, &notice, theme.dim);
                return;
            }
        };
        self.header(buffer, area, &places, theme, hits);
        let foot = u16::from(self.foot == Foot::Position && area.height > 2);
        let body = area.height - 1 - foot;
        for y in 0..body.min(self.len.try_into().unwrap_or(u16::MAX)) {
            let line = text::row(area, y + 1);
            self.line(buffer, line, &places, usize::from(y), cell, theme, hits);
        }
        if foot > 0 {
            let foot = text::row(area, area.height - 1);
            text::line(buffer, foot, &self.position(body.into()), theme.dim);
        }
    }

    fn header(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        places: &[(usize, u16, u16)],
        theme: &Theme,
        hits: &mut Hits,
    ) {
        for &(column, x, width) in places {
            let Column { header, align, .. } = self.columns[column];
            let area = Rect::new(area.x + x, area.y, width, 1);
            let marked = match self.sort {
                Some((sorted, order)) if sorted == column => {
                    let mark = if order == Order::Ascending {
                        '▲'
                    } else {
                        '▼'
                    };
                    format!("{header}{mark}")
                }
                _ => header.to_owned(),
            };
            let mut style = theme.header;
            if self.column == Some(column) {
                style = style.add_modifier(Modifier::UNDERLINED);
            }
            text::put(buffer, area, &marked, (align, Cut::End), style);
            hits.add(area, Hit::Header(column));
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "one step of `draw`, with what it was given"
    )]
    fn line<'t>(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        places: &[(usize, u16, u16)],
        line: usize,
        cell: &dyn Fn(usize, usize) -> Text<'t>,
        theme: &Theme,
        hits: &mut Hits,
    ) {
        let place = self.first + line;
        let is_selected = self.selected == Some(place);
        if is_selected {
            buffer.set_style(area, theme.selected);
        }
        for &(column, x, width) in places {
            let Column { align, cut, .. } = self.columns[column];
            let area = Rect::new(area.x + x, area.y, width, 1);
            let Text { text, style } = cell(line, column);
            let style = match (is_selected, self.column == Some(column)) {
                (true, true) => theme.cell,
                (true, false) => theme.selected,
                (false, _) => style,
            };
            text::put(buffer, area, &text, (align, cut), style);
            if is_selected && self.column == Some(column) {
                buffer.set_style(area, theme.cell);
            }
            hits.add(area, Hit::Cell(place, column));
        }
    }

    /// Where the lines on the screen are, and what is in none.
    fn position(&self, body: usize) -> String {
        let shown = self.len.min(body);
        let mut text = match self.total {
            0 => "nothing yet".to_owned(),
            total if shown >= total => format!("{total} in all"),
            total => format!("{}–{} of {total}", self.first + 1, self.first + shown),
        };
        let Folded { keys, calls, bytes } = self.folded;
        if keys > 0 {
            text.push_str(&format!(
                "   [other]: about {}, {} calls, {}",
                Count(keys),
                Count(calls),
                Bytes(bytes)
            ));
        }
        text
    }
}

/// The columns that fit, with where they begin and how wide they are; or how wide the table must be at least.
fn layout(columns: &[Column], width: u16) -> Result<Vec<(usize, u16, u16)>, u16> {
    let mut kept: Vec<usize> = (0..columns.len()).collect();
    let needed = |kept: &[usize]| {
        let cells: u16 = kept.iter().map(|&column| columns[column].width).sum();
        cells + GAP * (kept.len().saturating_sub(1) as u16)
    };
    while needed(&kept) > width {
        // Of equal ranks the last one goes first.
        let worst = kept
            .iter()
            .copied()
            .max_by_key(|&column| columns[column].rank);
        match worst {
            Some(worst) if columns[worst].rank > 0 => kept.retain(|&column| column != worst),
            _ => return Err(needed(&kept)),
        }
    }
    let mut left = width - needed(&kept);
    let mut growing: u16 = kept.iter().map(|&column| columns[column].grows).sum();
    let mut x = 0;
    let mut places = Vec::with_capacity(kept.len());
    for column in kept {
        let Column { grows, width, .. } = columns[column];
        let more = (left * grows).checked_div(growing).unwrap_or(0);
        left -= more;
        growing -= grows;
        places.push((column, x, width + more));
        x += width + more + GAP;
    }
    Ok(places)
}

#[cfg(test)]
mod tests;
