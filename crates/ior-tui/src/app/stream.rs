//! The stream: the rows kept while it is paused, the selected cell, and the search in it.

use std::sync::Arc;

use ior_core::batch::{Batch, Tail};
use ior_core::filter::Column;
use ior_core::snapshot::Pane;
use ior_core::{Condition, Filter, Row, Snapshot};
use regex::bytes::Regex;

use super::tables::{Clicked, beside};
use super::{App, Effect, Tab, Text};
use crate::action::{Motion, Step};
use crate::app::Mode;
use crate::panes::Look;
use crate::panes::stream::{COLUMNS, is_found};

/// The stream as the user has set it.
#[derive(Debug, Default)]
pub struct Stream {
    /// The rows kept when it was paused, whatever the filter became.
    kept: Tail,
    /// The place of the selected row among those that pass the filter.
    row: usize,
    first: usize,
    /// The column of the selected cell.
    pub column: usize,
    search: Option<(Regex, Step)>,
}

impl Stream {
    /// What the pane has to know while the stream is paused.
    pub fn look(&self, look: &mut Look) {
        look.column = self.column;
        look.row = Some(self.row);
        look.first_row = Some(self.first);
        look.search = self.search.as_ref().map(|(search, _)| search.clone());
    }
}

impl App {
    /// The rows that are kept and pass the filter.
    fn kept_rows(&self) -> Option<&Tail> {
        match &self.paused.get(&Tab::Stream)?.pane {
            Pane::Stream(rows) => Some(rows),
            _ => None,
        }
    }

    /// The selected row of the paused stream.
    pub(super) fn selected_row(&self) -> Option<Row<'_>> {
        self.kept_rows()?.row(self.stream.row)
    }

    /// Keeps the rows that are there. The newest is selected.
    pub(super) fn pause_stream(&mut self) {
        let Some(picture) = self.picture().cloned() else {
            return;
        };
        if let Pane::Stream(rows) = &picture.pane {
            self.stream.kept = rows.clone();
            self.stream.row = rows.len().saturating_sub(1);
            self.stream.first = rows.len().saturating_sub(self.page());
            self.paused.insert(Tab::Stream, picture);
        }
    }

    /// Moving needs rows that stand still.
    fn hold(&mut self) {
        if !self.paused.contains_key(&Tab::Stream) {
            self.pause_stream();
        }
    }

    pub(super) fn move_in_stream(&mut self, motion: Motion) {
        // A stream that goes on is at its newest row.
        let is_down = matches!(motion, Motion::Down | Motion::PageDown | Motion::Last);
        if is_down && !self.is_paused() {
            return;
        }
        self.hold();
        let Some(total) = self.kept_rows().map(Tail::len) else {
            return;
        };
        let columns = self.drawn.hits.headers();
        match motion {
            Motion::Left | Motion::Right => {
                let next = beside(motion, self.stream.column, &columns);
                self.stream.column = next.unwrap_or(self.stream.column);
            }
            _ => {
                if let Some(to) = motion.from(self.stream.row, total, self.page()) {
                    self.go_to_row(to);
                }
            }
        }
    }

    /// Selects a row and has it on the screen.
    fn go_to_row(&mut self, row: usize) {
        let page = self.page().max(1);
        let stream = &mut self.stream;
        stream.row = row;
        if row < stream.first {
            stream.first = row;
        }
        if row >= stream.first + page {
            stream.first = row + 1 - page;
        }
    }

    /// Selects a cell of the stream. Says whether it was selected before.
    pub(super) fn click_row(&mut self, row: usize, column: usize) -> Clicked {
        let was = self.is_paused() && (self.stream.row, self.stream.column) == (row, column);
        self.hold();
        if self.kept_rows().is_some_and(|rows| row < rows.len()) {
            self.go_to_row(row);
            self.stream.column = column;
        }
        match was {
            true => Clicked::Again,
            false => Clicked::Elsewhere,
        }
    }

    /// Of the rows kept, shows those that pass the filter. The selected one stays so if it is among them, or else what comes
    /// after it.
    pub(super) fn filter_stream(&mut self) {
        let Some(kept) = self.paused.get(&Tab::Stream).cloned() else {
            return;
        };
        let selected = self.selected_row().map_or(0, |row| row.seq);
        let rows = copy(&self.stream.kept, 0, self.filters.now());
        let places = 0..rows.len();
        let after = places
            .into_iter()
            .find(|place| rows.row(*place).is_some_and(|row| row.seq >= selected));
        let row = after.unwrap_or(rows.len().saturating_sub(1));
        let kept = Snapshot {
            pane: Pane::Stream(rows),
            ..Snapshot::clone(&kept)
        };
        self.paused.insert(Tab::Stream, Arc::new(kept));
        self.stream.first = 0;
        self.go_to_row(row);
    }

    /// Narrows the filter to the selected cell, or shows the row's details where the cell makes no condition.
    pub(super) fn enter_row(&mut self) {
        let Some(row) = self.selected_row() else {
            self.say("there is no row");
            return;
        };
        let condition = match COLUMNS
            .get(self.stream.column)
            .and_then(|(column, _)| *column)
        {
            Some(Column::Latency) => Some(Condition::min_latency(row.latency_ns)),
            Some(Column::Gap) => {
                let gap = ior_core::units::TypedDuration(row.gap_ns);
                let filter = Filter::parse(&format!("gap>={gap}")).ok();
                filter.and_then(|filter| filter.conditions().first().cloned())
            }
            Some(column) => Condition::same(column, &row),
            None => None,
        };
        match condition {
            Some(condition) => self.narrow(&Filter::default().and(condition)),
            None => self.show_details(),
        }
    }

    pub(super) fn show_details(&mut self) {
        match self.selected_row().map(|row| Text::details(&row)) {
            Some(text) => self.open(Mode::Text(text)),
            None => self.say("there is no row"),
        }
    }

    /// Writes the kept rows, from the selected one on or all of them.
    pub(super) fn export_kept(&mut self, from: From) {
        let Some(rows) = self.kept_rows() else { return };
        let rows = match from {
            From::First => rows.clone(),
            From::Selected => copy(rows, self.stream.row, &Filter::default()),
        };
        match rows.is_empty() {
            true => self.say("there are no rows to export"),
            false => self.effects.push(Effect::Export(rows)),
        }
    }

    /// Searches all columns of the kept rows from now on.
    pub(super) fn search_rows_for(&mut self, search: Option<Regex>, step: Step) {
        self.hold();
        self.stream.search = search.map(|search| (search, step));
        if self.stream.search.is_some() {
            self.search_row(Step::Forward);
        }
    }

    /// Selects the next row that matches, in the direction of the search or the other one; past the end it goes on at the
    /// other end.
    pub(super) fn search_row(&mut self, step: Step) {
        let Some((search, direction)) = self.stream.search.clone() else {
            self.say("nothing is searched for yet (/ or ?)");
            return;
        };
        let Some(rows) = self.kept_rows() else { return };
        let is_match = |place: &usize| rows.row(*place).is_some_and(|row| is_found(&row, &search));
        let at = self.stream.row;
        let direction = match step {
            Step::Forward => direction,
            Step::Back => direction.reversed(),
        };
        let found = match direction {
            Step::Forward => (at + 1..rows.len())
                .chain(0..(at + 1).min(rows.len()))
                .find(is_match),
            Step::Back => (0..at).rev().chain((at..rows.len()).rev()).find(is_match),
        };
        match found {
            Some(row) => {
                let wrapped = match direction {
                    Step::Forward => row <= at,
                    Step::Back => row >= at,
                };
                self.go_to_row(row);
                if wrapped {
                    self.say(match row == at {
                        true => "no other row matches",
                        false => "searched past the end",
                    });
                }
            }
            None => self.say(format!("no row matches {search}")),
        }
    }
}

/// Where an export of the kept rows begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    /// With the first row.
    First,
    /// With the selected row.
    Selected,
}

/// The rows from a place on that pass a filter.
pub(super) fn copy(rows: &Tail, from: usize, filter: &Filter) -> Tail {
    let mut batch = Batch::default();
    let rows = (from..rows.len()).filter_map(|place| rows.row(place));
    for row in rows.filter(|row| filter.matches(row)) {
        batch.push(&row);
    }
    let places: Vec<u32> = (0..batch.len() as u32).collect();
    Tail::new([(Arc::new(batch), places.into())])
}
