//! A filter or a search that is being typed.

use ior_core::Filter;
use regex::bytes::{Regex, RegexBuilder};

use super::{App, Mode, Tab, TextBox};
use crate::action::{Action, Step};

/// What is typed, what for, and what is wrong with it.
#[derive(Debug)]
pub struct Prompt {
    /// What for.
    pub purpose: Purpose,
    /// What is typed.
    pub text: TextBox,
    /// Why it was not taken, in one line.
    pub error: Option<String>,
}

/// What a text is typed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A filter.
    Filter,
    /// A search in the open tab.
    Search(Step),
}

impl Prompt {
    /// For the filter as it is.
    pub fn filter(now: &Filter) -> Prompt {
        let mut text = now.to_string();
        if !text.is_empty() {
            text.push(' ');
        }
        Prompt {
            purpose: Purpose::Filter,
            text: TextBox::new(text),
            error: None,
        }
    }

    /// For a search.
    pub fn search(step: Step) -> Prompt {
        Prompt {
            purpose: Purpose::Search(step),
            text: TextBox::default(),
            error: None,
        }
    }

    /// The text has changed: what was wrong with it may no longer be.
    pub fn typed(&mut self) {
        self.error = None;
    }
}

impl App {
    pub(super) fn act_on_prompt(&mut self, action: Action) {
        let Mode::Prompt(prompt) = &mut self.mode else {
            return;
        };
        match action {
            Action::Close => self.mode = Mode::Normal,
            Action::Accept => {
                let text = prompt.text.text().to_owned();
                let accepted = match prompt.purpose {
                    Purpose::Filter => self.accept_filter(&text),
                    Purpose::Search(step) => self.accept_search(&text, step),
                };
                match (accepted, &mut self.mode) {
                    (Err(why), Mode::Prompt(prompt)) => prompt.error = Some(why),
                    _ => self.mode = Mode::Normal,
                }
            }
            _ => {}
        }
    }

    fn accept_filter(&mut self, text: &str) -> Result<(), String> {
        let filter = Filter::parse(text).map_err(|error| error.to_string())?;
        let changed = self.filters.set(filter);
        self.filter_changed(changed);
        Ok(())
    }

    fn accept_search(&mut self, text: &str, step: Step) -> Result<(), String> {
        let search = match text.is_empty() {
            true => None,
            false => Some(expression(text)?),
        };
        match self.tab {
            Tab::Flame => {
                self.flame.search = search;
                if self.flame.search.is_some() {
                    self.search_frame(Step::Forward);
                }
            }
            Tab::Stream => self.search_rows_for(search, step),
            _ => {}
        }
        Ok(())
    }
}

/// A regular expression, in which upper and lower case are the same; or one line about what is wrong with it.
fn expression(text: &str) -> Result<Regex, String> {
    let expression = RegexBuilder::new(text).case_insensitive(true).build();
    expression.map_err(|error| {
        let error = error.to_string();
        let last = error.lines().last().unwrap_or_default().trim();
        last.strip_prefix("error: ").unwrap_or(last).to_owned()
    })
}
