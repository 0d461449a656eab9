//! A text that is read: the keys, what is missing, all about a row, why nothing could be traced.

use ior_core::Row;

use super::{App, Mode};
use crate::action::{Action, Motion};

mod details;

pub use details::clock;

/// A text, and how far it was read.
#[derive(Debug)]
pub struct Text {
    /// What it is about.
    pub subject: Subject,
    /// Lines above the screen.
    pub scroll: usize,
}

/// What a text is about.
#[derive(Debug)]
pub enum Subject {
    /// The keys.
    Help,
    /// What is missing.
    Losses,
    /// A row: names and values.
    Details(Vec<(&'static str, String)>),
    /// Why nothing is traced.
    Failure(String, Retry),
}

/// Whether another target could do better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// It could.
    Possible,
    /// There is no session to trace it.
    Impossible,
}

impl Text {
    fn new(subject: Subject) -> Text {
        Text { subject, scroll: 0 }
    }

    /// The keys.
    pub fn help() -> Text {
        Text::new(Subject::Help)
    }

    /// What is missing.
    pub fn losses() -> Text {
        Text::new(Subject::Losses)
    }

    /// All about a row.
    pub fn details(row: &Row<'_>) -> Text {
        Text::new(Subject::Details(details::of(row)))
    }

    /// Why nothing is traced.
    pub fn failure(cause: &str, retry: Retry) -> Text {
        Text::new(Subject::Failure(cause.to_owned(), retry))
    }

    /// Whether it says why nothing is traced: there are no tabs behind it.
    pub fn is_failure(&self) -> bool {
        matches!(self.subject, Subject::Failure(..))
    }

    /// Whether another target can be chosen.
    pub fn can_retry(&self) -> bool {
        matches!(self.subject, Subject::Failure(_, Retry::Possible))
    }
}

impl App {
    pub(super) fn act_on_text(&mut self, action: Action) {
        let (page, lines) = (self.drawn.page, self.drawn.lines);
        let Mode::Text(text) = &mut self.mode else {
            return;
        };
        match action {
            Action::Move(motion) => {
                let last = lines.saturating_sub(page);
                text.scroll = match motion {
                    Motion::Up => text.scroll.saturating_sub(1),
                    Motion::Down => text.scroll + 1,
                    Motion::PageUp => text.scroll.saturating_sub(page.max(1)),
                    Motion::PageDown => text.scroll + page.max(1),
                    Motion::First => 0,
                    Motion::Last => last,
                    Motion::Left | Motion::Right => text.scroll,
                }
                .min(last);
            }
            Action::PickProcess if text.can_retry() => {
                self.mode = Mode::Picker(super::Picker::first());
            }
            Action::Close if !text.is_failure() => self.mode = Mode::Normal,
            _ => {}
        }
    }
}
