//! What a user can want. Keys, clicks and the wheel become actions; [`crate::keymap`] says which key means which.

use crate::app::Tab;

/// Something a user wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// End the dashboard.
    Quit,
    /// Open a tab.
    Tab(Tab),
    /// Open the tab after this one.
    NextTab,
    /// Open the tab before this one.
    PreviousTab,
    /// Show the keys.
    Help,
    /// Show what is missing and why.
    Losses,
    /// Type a filter.
    EditFilter,
    /// Put the filter before this one in force again.
    UndoFilter,
    /// Choose a process.
    PickProcess,
    /// Choose a thread.
    PickThread,
    /// Choose syscalls.
    Probes,
    /// Write the rows that pass the filter as CSV.
    ExportStream,
    /// Look at the last file that was written.
    OpenExport,
    /// Begin or end a recording.
    Record,
    /// Begin all statistics anew.
    Reset,
    /// Keep the picture as it is, or let it go on.
    Pause,
    /// Go somewhere in a list, a picture or a text.
    Move(Motion),
    /// Use what is selected.
    Enter,
    /// Order by the selected column.
    Sort,
    /// Turn the order round.
    Reverse,
    /// The next measure: calls, bytes, latency.
    Measure,
    /// Files or directories.
    Group,
    /// Show or hide a process's threads.
    Unfold,
    /// Latencies of the selected line.
    Latencies,
    /// The next or previous of those whose latencies can be shown.
    Subject(Step),
    /// The next order of frames.
    Order,
    /// Back to the frame below.
    ZoomOut,
    /// Type what to search for.
    Search(Step),
    /// What was searched for once more, in its direction or the other.
    Again(Step),
    /// Write the kept rows as CSV.
    ExportView,
    /// Write the kept rows from the selected one on.
    ExportRest,
    /// All about a row.
    Details,
    /// Trace a syscall or a family, or do not.
    Toggle,
    /// Trace every syscall.
    All,
    /// Trace none.
    Nothing,
    /// Take what was typed or chosen.
    Accept,
    /// Leave without doing anything.
    Close,
    /// Change the text in a text box.
    Edit(Edit),
}

/// Where to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Motion {
    /// One line up.
    Up,
    /// One line down.
    Down,
    /// One column to the left.
    Left,
    /// One column to the right.
    Right,
    /// As many lines up as there are on the screen.
    PageUp,
    /// As many lines down.
    PageDown,
    /// To the first line.
    First,
    /// To the last line.
    Last,
}

impl Motion {
    /// Where it leads from the line at `place` of `total` lines (at least 1) of which `page` are on the screen; `None` if
    /// it does not lead to another line.
    pub fn from(self, place: usize, total: usize, page: usize) -> Option<usize> {
        let to = match self {
            Motion::Up => place.saturating_sub(1),
            Motion::Down => place.saturating_add(1),
            Motion::PageUp => place.saturating_sub(page.max(1)),
            Motion::PageDown => place.saturating_add(page.max(1)),
            Motion::First => 0,
            Motion::Last => usize::MAX,
            Motion::Left | Motion::Right => return None,
        };
        Some(to.min(total.saturating_sub(1)))
    }

    /// Whether it is along a line.
    pub fn is_sideways(self) -> bool {
        matches!(self, Motion::Left | Motion::Right)
    }
}

/// One of two directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Towards the end.
    Forward,
    /// Towards the start.
    Back,
}

impl Step {
    /// The other one.
    pub fn reversed(self) -> Step {
        match self {
            Step::Forward => Step::Back,
            Step::Back => Step::Forward,
        }
    }
}

/// A change of a text or of the place in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// One character to the left.
    Left,
    /// One to the right.
    Right,
    /// To the start.
    Home,
    /// To the end.
    End,
    /// Takes the character before away.
    Backspace,
    /// Takes the character after away.
    Delete,
    /// Takes everything before away.
    DeleteToStart,
    /// Takes the word before away.
    DeleteWord,
}
