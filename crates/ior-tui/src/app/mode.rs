//! What is open in front of the tabs.

use super::text::Retry;
use super::{Picker, Probes, Prompt, Text, TextBox};

/// What has the keys.
#[derive(Debug)]
pub enum Mode {
    /// The open tab.
    Normal,
    /// A filter or a search is typed.
    Prompt(Prompt),
    /// A process or thread is chosen.
    Picker(Picker),
    /// Syscalls are chosen.
    Probes(Probes),
    /// A text is read.
    Text(Text),
}

impl Mode {
    /// Shows why nothing could be traced.
    pub fn failed(cause: &str, retry: Retry) -> Mode {
        Mode::Text(Text::failure(cause, retry))
    }

    /// The text box that has the printable keys.
    pub fn text_box(&mut self) -> Option<&mut TextBox> {
        match self {
            Mode::Prompt(prompt) => Some(&mut prompt.text),
            Mode::Picker(picker) => Some(&mut picker.filter),
            Mode::Probes(probes) => probes.search.as_mut(),
            Mode::Normal | Mode::Text(_) => None,
        }
    }
}
