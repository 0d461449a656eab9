//! The three tables: their order, their cells, and what stays selected.

use std::collections::BTreeSet;

use ior_core::snapshot::{FileLine, Pane, ProcessLine, SyscallLine, Window};
use ior_core::view::{
    FileColumn, Grouping, ProcessColumn, Subject, SyscallColumn, TableView, TaskKey,
};
use ior_core::{Filter, Syscall};

use super::App;
use crate::action::Motion;
use crate::app::{Mode, Tab};

mod columns;
mod conditions;
mod order;

use columns::Column;

/// A line of a table, which is about one thing.
pub trait Line {
    /// What tells it from others.
    type Key: Clone + PartialEq;

    /// What it is about.
    fn key(&self) -> Self::Key;
}

impl Line for SyscallLine {
    type Key = &'static Syscall;

    fn key(&self) -> &'static Syscall {
        self.syscall
    }
}

impl Line for FileLine {
    type Key = Box<[u8]>;

    fn key(&self) -> Box<[u8]> {
        (*self.path).into()
    }
}

impl Line for ProcessLine {
    type Key = TaskKey;

    fn key(&self) -> TaskKey {
        self.key
    }
}

/// One table as the user has set it.
#[derive(Debug)]
pub struct Table<C, K> {
    sort: C,
    descending: bool,
    /// What is selected; it stays so wherever its line moves.
    pub selected: Option<K>,
    /// The place of a line that is not on the screen and is to be selected as soon as it is known what stands there.
    going: Option<usize>,
    first: usize,
    /// The column of the selected cell.
    column: C,
}

impl<C: Column, K: Clone + PartialEq> Table<C, K> {
    fn new(sort: C, column: C) -> Table<C, K> {
        Table {
            sort,
            descending: !sort.is_text(),
            selected: None,
            going: None,
            first: 0,
            column,
        }
    }

    /// What is asked for, with so many lines.
    pub fn view(&self, len: usize) -> TableView<C, K> {
        TableView {
            sort: self.sort,
            descending: self.descending,
            selected: self.selected.clone(),
            first: self.first,
            len,
        }
    }

    /// The place of the selected line in the whole table, if it still has one.
    fn place<L: Line<Key = K>>(&self, window: &Window<L>) -> Option<usize> {
        let selected = self.selected.as_ref()?;
        let on_screen = window.lines.iter().position(|line| line.key() == *selected);
        on_screen.map(|place| window.first + place)
    }

    /// Selects another line. One that is not on the screen is selected when it has come.
    fn go<L: Line<Key = K>>(&mut self, motion: Motion, window: &Window<L>, page: usize) {
        let from = self.going.or_else(|| self.place(window));
        let to = match from {
            Some(from) => motion.from(from, window.total, page),
            None if motion == Motion::Last => motion.from(0, window.total, page),
            None => Some(window.first),
        };
        if let Some(to) = to.filter(|_| window.total > 0) {
            self.go_to(to, window, page);
        }
    }

    fn go_to<L: Line<Key = K>>(&mut self, to: usize, window: &Window<L>, page: usize) {
        let on_screen = to.checked_sub(window.first);
        if let Some(line) = on_screen.and_then(|place| window.lines.get(place)) {
            self.selected = Some(line.key());
            self.going = None;
            self.first = window.first;
            return;
        }
        // A selected line would keep the window where it is.
        self.selected = None;
        self.going = Some(to);
        self.first = match to < window.first {
            true => to,
            false => (to + 1).saturating_sub(page.max(1)),
        };
    }

    /// Selects another line of a picture that is kept, which has no others.
    fn go_on_screen<L: Line<Key = K>>(&mut self, motion: Motion, window: &Window<L>, page: usize) {
        let before = (self.first, self.going, self.selected.clone());
        self.go(motion, window, page);
        if self.going.is_some() {
            (self.first, self.going, self.selected) = before;
        }
    }

    /// Selects what was gone to, now that it is on the screen.
    fn arrive<L: Line<Key = K>>(&mut self, window: &Window<L>) {
        if let Some(to) = self.going.take() {
            let last = window.total.saturating_sub(1);
            let place = to.min(last).saturating_sub(window.first);
            self.selected = window.lines.get(place).map(Line::key);
        }
    }

    fn sort_by(&mut self, sort: C) {
        match self.sort == sort {
            true => self.descending = !self.descending,
            false => {
                self.sort = sort;
                self.descending = !sort.is_text();
            }
        }
    }

    /// Sorts by the next of these measures.
    fn measure(&mut self, measures: &[C]) {
        let now = measures.iter().position(|sort| *sort == self.sort);
        let next = now.map_or(0, |place| (place + 1) % measures.len());
        self.sort = measures[next];
        self.descending = true;
        self.column = self.sort;
    }

    /// Sorts by a column, the most first.
    fn most_first(&mut self, sort: C) {
        self.sort = sort;
        self.descending = true;
    }

    /// The place of the selected column.
    pub fn column(&self, grouping: Grouping) -> usize {
        self.column.place(grouping).unwrap_or(0)
    }

    fn select_column(&mut self, place: usize, grouping: Grouping) {
        self.column = C::at(place, grouping).unwrap_or(self.column);
    }

    /// Selects the next column that is on the screen.
    fn sideways(&mut self, motion: Motion, on_screen: &[usize], grouping: Grouping) {
        let now = self.column(grouping);
        if let Some(next) = beside(motion, now, on_screen) {
            self.select_column(next, grouping);
        }
    }
}

/// The nearest of the columns on the screen on that side of one.
pub fn beside(motion: Motion, column: usize, on_screen: &[usize]) -> Option<usize> {
    let mut columns = on_screen.iter().copied();
    match motion {
        Motion::Left => columns.rfind(|other| *other < column),
        Motion::Right => columns.find(|other| *other > column),
        _ => None,
    }
}

/// The column itself if it is on the screen, or else the nearest that is.
fn nearest(column: usize, on_screen: &[usize]) -> usize {
    let columns = on_screen.iter().copied();
    columns
        .min_by_key(|other| other.abs_diff(column))
        .unwrap_or(column)
}

/// All three.
#[derive(Debug)]
pub struct Tables {
    /// Syscalls.
    pub syscalls: Table<SyscallColumn, &'static Syscall>,
    /// Files or directories.
    pub files: Table<FileColumn, Box<[u8]>>,
    /// Processes.
    pub processes: Table<ProcessColumn, TaskKey>,
    /// Whether files are told apart.
    pub grouping: Grouping,
    /// Processes that show their threads.
    pub unfolded: BTreeSet<u32>,
}

impl Default for Tables {
    fn default() -> Tables {
        Tables {
            syscalls: Table::new(SyscallColumn::Count, SyscallColumn::Syscall),
            files: Table::new(FileColumn::Accesses, FileColumn::Path),
            processes: Table::new(ProcessColumn::Calls, ProcessColumn::Name),
            grouping: Grouping::File,
            unfolded: BTreeSet::new(),
        }
    }
}

/// Does the same with whichever table a pane is of.
macro_rules! with_table {
    ($tables:expr, $pane:expr, |$table:ident, $window:ident| $do:expr) => {
        match $pane {
            Pane::Syscalls($window) => {
                let $table = &mut $tables.syscalls;
                Some($do)
            }
            Pane::Files($window) => {
                let $table = &mut $tables.files;
                Some($do)
            }
            Pane::Processes($window) => {
                let $table = &mut $tables.processes;
                Some($do)
            }
            _ => None,
        }
    };
}

impl Tables {
    /// Selects what was gone to, in the table a pane is of.
    pub fn arrive(&mut self, pane: &Pane) {
        with_table!(self, pane, |table, window| table.arrive(window));
    }

    /// Whether a line is gone to in the table of a tab that is not known yet.
    pub fn is_going(&self, tab: Tab) -> bool {
        match tab {
            Tab::Syscalls => self.syscalls.going.is_some(),
            Tab::Files => self.files.going.is_some(),
            Tab::Processes => self.processes.going.is_some(),
            _ => false,
        }
    }

    /// What is selected in each table.
    pub fn subjects(&self) -> impl Iterator<Item = Subject> {
        let syscall = self.syscalls.selected.map(Subject::Syscall);
        let files = self.files.selected.clone().map(Subject::File);
        let file = files.filter(|_| self.grouping == Grouping::File);
        let process = self.processes.selected;
        let process = process.map(|TaskKey { pid, .. }| Subject::Process(pid));
        [syscall, file, process].into_iter().flatten()
    }
}

impl App {
    /// Selects a column that is on the screen, should the selected one have been dropped for want of room.
    pub(super) fn keep_column_on_screen(&mut self) {
        let columns = self.drawn.hits.headers();
        let now = self.look().column;
        let next = nearest(now, &columns);
        let tables = &mut self.tables;
        let grouping = tables.grouping;
        match self.tab {
            _ if next == now => return,
            Tab::Syscalls => tables.syscalls.select_column(next, grouping),
            Tab::Files => tables.files.select_column(next, grouping),
            Tab::Processes => tables.processes.select_column(next, grouping),
            Tab::Stream if self.is_paused() => self.stream.column = next,
            _ => return,
        }
        self.changed();
    }

    /// Goes to another line or column of the open table.
    pub(super) fn move_in_table(&mut self, motion: Motion) {
        let Some(picture) = self.picture().cloned() else {
            return;
        };
        let page = self.page();
        if motion.is_sideways() {
            let columns = self.drawn.hits.headers();
            let grouping = self.tables.grouping;
            with_table!(self.tables, &picture.pane, |table, _window| table
                .sideways(motion, &columns, grouping));
            return;
        }
        let paused = self.is_paused();
        with_table!(self.tables, &picture.pane, |table, window| match paused {
            true => table.go_on_screen(motion, window, page),
            false => table.go(motion, window, page),
        });
        self.select_in_paused();
    }

    /// A picture that is kept shows what is selected now.
    fn select_in_paused(&mut self) {
        let Some(kept) = self.paused.get_mut(&self.tab) else {
            return;
        };
        let kept = std::sync::Arc::make_mut(kept);
        match &mut kept.pane {
            Pane::Syscalls(window) => window.selected = self.tables.syscalls.place(window),
            Pane::Files(window) => window.selected = self.tables.files.place(window),
            Pane::Processes(window) => window.selected = self.tables.processes.place(window),
            _ => {}
        }
    }

    /// Selects the cell of the line at a place of the whole table. Says whether it was selected before.
    pub(super) fn click_cell(&mut self, place: usize, column: usize) -> Clicked {
        let Some(picture) = self.picture().cloned() else {
            return Clicked::Elsewhere;
        };
        let grouping = self.tables.grouping;
        let clicked = with_table!(self.tables, &picture.pane, |table, window| {
            let was = table.place(window) == Some(place) && table.column(grouping) == column;
            let on_screen = place.checked_sub(window.first);
            if let Some(line) = on_screen.and_then(|place| window.lines.get(place)) {
                table.selected = Some(line.key());
                table.going = None;
                table.first = window.first;
            }
            table.select_column(column, grouping);
            match was {
                true => Clicked::Again,
                false => Clicked::Elsewhere,
            }
        });
        self.select_in_paused();
        clicked.unwrap_or(Clicked::Elsewhere)
    }

    /// Files or directories.
    pub(super) fn group(&mut self) {
        let files = &mut self.tables.files;
        self.tables.grouping = match self.tables.grouping {
            Grouping::File => Grouping::Directory,
            Grouping::Directory => {
                // Files are not counted where each is told apart.
                if files.sort == FileColumn::Files {
                    files.sort = FileColumn::Accesses;
                }
                if files.column == FileColumn::Files {
                    files.column = FileColumn::Path;
                }
                Grouping::File
            }
        };
        (files.selected, files.going, files.first) = (None, None, 0);
        self.resume();
    }

    /// Shows or hides the threads of the selected process.
    pub(super) fn unfold_selected(&mut self) {
        match self.tables.processes.selected {
            Some(key) => self.unfold(key),
            None => self.say("select a process first"),
        }
    }

    /// Shows or hides the threads of a process.
    pub(super) fn unfold(&mut self, key: TaskKey) {
        if !self.tables.unfolded.insert(key.pid) {
            self.tables.unfolded.remove(&key.pid);
            let selected = &mut self.tables.processes.selected;
            if selected.is_some_and(|selected| selected.pid == key.pid) {
                *selected = Some(TaskKey { tid: None, ..key });
            }
        }
        self.resume();
    }

    /// Narrows the filter to what the selected cell counts.
    pub(super) fn narrow_to_cell(&mut self) {
        let Some(by) = self.conditions_of_cell() else {
            self.say("select a line first");
            return;
        };
        self.narrow(&by);
    }

    pub(super) fn narrow(&mut self, by: &Filter) {
        let changed = self.filters.narrow(by);
        if changed == super::filters::Changed::No {
            self.say(format!("the filter has {by} already"));
        }
        self.filter_changed(changed);
    }

    /// Shows the latencies of the selected line.
    pub(super) fn show_latencies(&mut self) {
        let tab = self.tab;
        let subject = self.tables.subjects().find(|subject| {
            matches!(
                (tab, subject),
                (Tab::Syscalls, Subject::Syscall(_))
                    | (Tab::Files, Subject::File(_))
                    | (Tab::Processes, Subject::Process(_))
            )
        });
        match subject {
            Some(subject) => {
                self.subject = subject;
                self.open(Mode::Normal);
                self.open_tab(Tab::Latency);
            }
            None => self.say("select a syscall, a file or a process first"),
        }
    }
}

/// What was clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clicked {
    /// What was selected already.
    Again,
    /// Something else.
    Elsewhere,
}
