//! What is asked of the feed, what is made of its answers, and how the screen is divided.

use std::sync::Arc;

use ior_core::Snapshot;
use ior_core::snapshot::Pane;
use ior_core::view::{Subject, TableView, TaskKey, View};
use ratatui::layout::Rect;

use super::{App, Effect, Export, Mode, Tab, Target};
use crate::action::Step;
use crate::panes::{self, Look};

/// Answers to an export that may be about another filter.
const PATIENCE: u8 = 100;

/// The parts of the screen, from the top to the bottom; one that has no room is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Layout {
    /// The tab bar.
    pub tabs: Rect,
    /// The pane.
    pub content: Rect,
    /// The filter.
    pub filter: Rect,
    /// What is traced, how much, and what is missing.
    pub facts: Rect,
    /// A notice, or keys. Always there.
    pub hints: Rect,
}

impl App {
    /// How an area is divided now.
    pub fn layout(&self, area: Rect) -> Layout {
        let has_filter = !self.filters.now().is_empty();
        let [tabs, facts, filter] = [
            area.height >= 3,
            area.height >= 4,
            area.height >= 6 && has_filter,
        ]
        .map(u16::from);
        let content = area.height.saturating_sub(tabs + facts + filter + 1);
        let mut top = area.y;
        let mut take = |height: u16| {
            let part = Rect {
                y: top,
                height,
                ..area
            };
            top += height;
            part
        };
        Layout {
            tabs: take(tabs),
            content: take(content),
            filter: take(filter),
            facts: take(facts),
            hints: take(area.height.min(1)),
        }
    }

    /// What to ask the feed for, for a screen of that size.
    pub fn view(&mut self, area: Rect) -> View {
        self.area = area;
        match self.export {
            Export::Wanted(_) => View::Stream,
            Export::None if self.wants_clock() => View::Stream,
            Export::None => self.view_of_tab(),
        }
    }

    fn view_of_tab(&self) -> View {
        let len = self.page();
        match self.tab {
            Tab::Flame => View::Flame(self.flame.view(self.layout(self.area).content)),
            Tab::Overview => View::Overview,
            Tab::Syscalls => View::Syscalls(self.tables.syscalls.view(len)),
            Tab::Files => View::Files(self.tables.files.view(len), self.tables.grouping),
            Tab::Processes => View::Processes(
                self.tables.processes.view(len),
                self.tables.unfolded.clone(),
            ),
            Tab::Latency => View::Latency(self.subject.clone()),
            Tab::Stream => View::Stream,
        }
    }

    /// How many lines of a list are on the screen.
    pub(super) fn page(&self) -> usize {
        panes::lines(self.layout(self.area).content.height)
    }

    /// Takes a snapshot the feed has given, and says what is to be done about it. Another view may be wanted afterwards.
    pub fn see(&mut self, snapshot: &Arc<Snapshot>) -> Vec<Effect> {
        self.see_target(snapshot);
        self.see_clock(snapshot);
        if snapshot.session.notice.is_none() {
            self.read = None;
        }
        self.latest = Some(snapshot.clone());
        self.see_rows(snapshot);
        if snapshot.view == self.view_of_tab() {
            self.answer = Some(snapshot.clone());
            if let Some(picture) = self.picture().cloned() {
                self.tables.arrive(&picture.pane);
            }
        }
        std::mem::take(&mut self.effects)
    }

    /// Has the rows written that are waited for. They must be those that pass the filter: a session takes its time to put
    /// one in force.
    fn see_rows(&mut self, snapshot: &Snapshot) {
        let (Export::Wanted(answers), Pane::Stream(rows)) = (self.export, &snapshot.pane) else {
            return;
        };
        if snapshot.session.filter != *self.filters.now() {
            self.export = Export::Wanted(answers.saturating_add(1));
            if answers > PATIENCE {
                self.export = Export::None;
                self.say("nothing was exported: the filter is not in force");
            }
            return;
        }
        self.export = Export::None;
        match rows.is_empty() {
            true => self.say("there are no rows to export"),
            false => self.effects.push(Effect::Export(rows.clone())),
        }
    }

    /// Whether what is selected is on the screen, so that a key means what its user sees. It is not while another tab, another
    /// order or a line far away is still to come.
    pub fn is_ready(&self) -> bool {
        match &self.mode {
            Mode::Normal => {
                let answer = self.answer.as_ref();
                let wanted = without_cursor(self.view_of_tab());
                let is_shown = answer.is_some_and(|it| without_cursor(it.view.clone()) == wanted);
                is_shown && self.export == Export::None && !self.tables.is_going(self.tab)
            }
            Mode::Picker(picker) => picker.is_listed(),
            Mode::Prompt(_) | Mode::Probes(_) | Mode::Text(_) => true,
        }
    }

    /// Whether the newest snapshot shows what is wanted.
    pub fn is_answered(&self) -> bool {
        let latest = self.latest.as_ref();
        latest.is_some_and(|snapshot| snapshot.view == self.view_of_tab())
    }

    /// The snapshot whose pane is to be drawn; `None` while there is none of the open tab.
    pub fn picture(&self) -> Option<&Arc<Snapshot>> {
        let kept = self.paused.get(&self.tab);
        let picture = kept.or(self.answer.as_ref());
        picture.filter(|snapshot| Tab::of(&snapshot.view) == self.tab)
    }

    /// What the pane has to know besides its snapshot.
    pub fn look(&self) -> Look {
        let mut look = Look::default();
        match self.tab {
            Tab::Flame => {
                look.frame = self.flame.selected.clone();
                look.search = self.flame.search.clone();
            }
            Tab::Syscalls => look.column = self.tables.syscalls.column(self.tables.grouping),
            Tab::Files => look.column = self.tables.files.column(self.tables.grouping),
            Tab::Processes => look.column = self.tables.processes.column(self.tables.grouping),
            Tab::Stream if self.is_paused() => self.stream.look(&mut look),
            Tab::Overview | Tab::Latency | Tab::Stream => {}
        }
        look
    }

    pub(super) fn open_tab(&mut self, tab: Tab) {
        if tab == self.tab {
            return;
        }
        // A picture that is not looked at is no longer kept; the rows of the stream are.
        self.resume_pictures();
        self.tab = tab;
    }

    /// Keeps the picture, or lets it go on.
    pub(super) fn pause(&mut self) {
        if self.paused.remove(&self.tab).is_some() {
            return;
        }
        match self.tab {
            Tab::Stream => self.pause_stream(),
            _ => {
                if let Some(picture) = self.picture().cloned() {
                    self.paused.insert(self.tab, picture);
                }
            }
        }
    }

    /// Lets a picture go on, because something is wanted that it does not have.
    pub(super) fn resume(&mut self) {
        if self.tab != Tab::Stream && self.paused.remove(&self.tab).is_some() {
            self.say("no longer paused: this needs a new picture");
        }
    }

    /// Shows the next of those whose latencies can be shown: everything, and what is selected in the tables.
    pub(super) fn next_subject(&mut self, step: Step) {
        let mut subjects = vec![Subject::All];
        subjects.extend(self.tables.subjects());
        let place = subjects.iter().position(|subject| *subject == self.subject);
        let place = place.unwrap_or(0);
        let next = match step {
            Step::Forward => place + 1,
            Step::Back => place + subjects.len() - 1,
        };
        if subjects.len() == 1 {
            self.say("select a syscall, file or process in its tab first");
        }
        self.resume();
        self.subject = subjects.swap_remove(next % subjects.len());
    }

    /// The process that a thread is to be chosen of.
    pub(super) fn process(&self) -> Option<u32> {
        let selected = match self.tab {
            Tab::Processes => self
                .tables
                .processes
                .selected
                .map(|TaskKey { pid, .. }| pid),
            Tab::Stream => self.selected_row().map(|row| row.task.pid),
            _ => None,
        };
        selected.or(self.chosen).or(match self.session()?.target {
            Target::Process(pid) => Some(pid),
            _ => None,
        })
    }

    pub(super) fn open(&mut self, mode: Mode) {
        self.mode = mode;
    }
}

/// A view, whatever is selected in it.
fn without_cursor(view: View) -> View {
    fn table<C, K>(view: TableView<C, K>) -> TableView<C, K> {
        TableView {
            selected: None,
            first: 0,
            ..view
        }
    }
    match view {
        View::Syscalls(view) => View::Syscalls(table(view)),
        View::Files(view, grouping) => View::Files(table(view), grouping),
        View::Processes(view, unfolded) => View::Processes(table(view), unfolded),
        other => other,
    }
}
