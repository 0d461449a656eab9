//! The tabs.

use ior_core::view::View;

/// A tab.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "their titles")]
pub enum Tab {
    #[default]
    Flame,
    Overview,
    Syscalls,
    Files,
    Processes,
    Latency,
    Stream,
}

impl Tab {
    /// All, from left to right.
    pub const ALL: [Tab; 7] = [
        Tab::Flame,
        Tab::Overview,
        Tab::Syscalls,
        Tab::Files,
        Tab::Processes,
        Tab::Latency,
        Tab::Stream,
    ];

    /// What stands in the tab bar.
    pub fn title(self) -> &'static str {
        match self {
            Tab::Flame => "Flame",
            Tab::Overview => "Overview",
            Tab::Syscalls => "Syscalls",
            Tab::Files => "Files",
            Tab::Processes => "Processes",
            Tab::Latency => "Latency",
            Tab::Stream => "Stream",
        }
    }

    /// Its place in the tab bar, 0 being the first.
    pub fn place(self) -> usize {
        Tab::ALL.iter().position(|tab| *tab == self).unwrap_or(0)
    }

    /// The tab so many places to the right; the first one comes after the last.
    pub fn after(self, places: usize) -> Tab {
        Tab::ALL[(self.place() + places) % Tab::ALL.len()]
    }

    /// The tab that shows a view.
    pub fn of(view: &View) -> Tab {
        match view {
            View::Flame(_) => Tab::Flame,
            View::Overview => Tab::Overview,
            View::Syscalls(_) => Tab::Syscalls,
            View::Files(..) => Tab::Files,
            View::Processes(..) => Tab::Processes,
            View::Latency(_) => Tab::Latency,
            View::Stream => Tab::Stream,
        }
    }
}
