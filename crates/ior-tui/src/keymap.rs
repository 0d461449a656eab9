//! Which key means what, and where. Dispatch, the help screen, the hints and the README's list all come from the one table
//! in `bindings`.

mod bindings;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::action::Action;
pub use bindings::BINDINGS;

/// Where keys mean the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In front of and behind everything.
    Always,
    /// On every tab.
    Everywhere,
    /// Where there is a list of lines: the tables, and the stream.
    Lists,
    /// Syscalls, Files and Processes.
    Tables,
    /// The files.
    Files,
    /// The processes.
    Processes,
    /// The flame graph.
    Flame,
    /// The latencies.
    Latency,
    /// The stream, paused or not.
    Stream,
    /// The paused stream.
    Paused,
    /// A process or thread picker.
    Picker,
    /// The list of syscalls and families.
    Probes,
    /// Where a filter or what is searched for is typed.
    Prompt,
    /// Every text box.
    TextBox,
    /// Help and details.
    Text,
    /// What stands there when nothing could be traced.
    Failed,
    /// Where that is about a target, and another one can be chosen.
    Retry,
}

impl Place {
    /// All, in the order in which they are explained.
    pub const ALL: [Place; 17] = [
        Place::Always,
        Place::Everywhere,
        Place::Lists,
        Place::Tables,
        Place::Files,
        Place::Processes,
        Place::Flame,
        Place::Latency,
        Place::Stream,
        Place::Paused,
        Place::Picker,
        Place::Probes,
        Place::Prompt,
        Place::TextBox,
        Place::Text,
        Place::Failed,
        Place::Retry,
    ];

    /// What it is called.
    pub fn title(self) -> &'static str {
        match self {
            Place::Always => "Always",
            Place::Everywhere => "On every tab",
            Place::Lists => "Tables and stream",
            Place::Tables => "Tables",
            Place::Files => "Files",
            Place::Processes => "Processes",
            Place::Flame => "Flame",
            Place::Latency => "Latency",
            Place::Stream => "Stream",
            Place::Paused => "Paused stream",
            Place::Picker => "Process and thread picker",
            Place::Probes => "Probes",
            Place::Prompt => "Filter and search box",
            Place::TextBox => "Text boxes",
            Place::Text => "Help and details",
            Place::Failed => "Failed start",
            Place::Retry => "Failed start of a target",
        }
    }
}

/// A key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key {
    /// A character, as it is typed.
    Char(char),
    /// A letter with the control key.
    Control(char),
    /// Another key.
    Code(KeyCode),
}

impl Key {
    /// The key of an event; `None` for one that nobody binds (with Alt, say).
    pub fn of(event: &KeyEvent) -> Option<Key> {
        let control = event.modifiers.contains(KeyModifiers::CONTROL);
        let other = KeyModifiers::ALT | KeyModifiers::SUPER | KeyModifiers::META;
        match event.code {
            _ if event.modifiers.intersects(other) => None,
            KeyCode::Char(letter) if control => Some(Key::Control(letter.to_ascii_lowercase())),
            KeyCode::Char(character) => Some(Key::Char(character)),
            KeyCode::Tab if event.modifiers.contains(KeyModifiers::SHIFT) => {
                Some(Key::Code(KeyCode::BackTab))
            }
            code => Some(Key::Code(code)),
        }
    }

    /// As it is written in texts: `q`, `Ctrl-C`, `PgUp`.
    pub fn name(self) -> String {
        let named = match self {
            Key::Char(' ') => "Space",
            Key::Char(character) => return character.to_string(),
            Key::Control(letter) => return format!("Ctrl-{}", letter.to_ascii_uppercase()),
            Key::Code(code) => match code {
                KeyCode::Up => "↑",
                KeyCode::Down => "↓",
                KeyCode::Left => "←",
                KeyCode::Right => "→",
                KeyCode::PageUp => "PgUp",
                KeyCode::PageDown => "PgDn",
                KeyCode::BackTab => "Shift-Tab",
                KeyCode::Delete => "Del",
                other => return other.to_string(),
            },
        };
        named.to_owned()
    }
}

/// A line of the table.
#[derive(Debug, Clone, Copy)]
pub struct Binding {
    /// Where it holds.
    pub place: Place,
    /// Its keys.
    pub keys: &'static [Key],
    /// What they mean.
    pub action: Action,
    /// What that does.
    pub what: &'static str,
    /// A word for the line at the bottom of the screen, for what one should not have to look for.
    pub hint: Option<&'static str>,
}

impl Binding {
    /// Its keys as text: `h ←`.
    pub fn keys(&self) -> String {
        let names: Vec<String> = self.keys.iter().map(|key| key.name()).collect();
        names.join(" ")
    }
}

/// What a key means, the first place first.
pub fn find(places: &[Place], key: Key) -> Option<Action> {
    places.iter().find_map(|place| {
        let mut here = of(*place);
        here.find(|binding| binding.keys.contains(&key))
            .map(|binding| binding.action)
    })
}

/// The bindings of a place.
pub fn of(place: Place) -> impl Iterator<Item = &'static Binding> {
    BINDINGS
        .iter()
        .filter(move |binding| binding.place == place)
}

/// Keys with a word for each, the most particular place first: `("f", "filter")`. A key that means something else in a
/// more particular place is none of them.
pub fn hints(places: &[Place]) -> Vec<(String, &'static str)> {
    let bindings = places.iter().flat_map(|place| of(*place));
    let hint = |binding: &Binding| {
        let mut keys = binding.keys.iter();
        let key = keys.find(|key| find(places, **key) == Some(binding.action))?;
        Some((key.name(), binding.hint?))
    };
    bindings.filter_map(hint).collect()
}

/// What the mouse does.
pub const MOUSE: &str = "Mouse: the wheel moves; a click opens a tab, sorts by a header, selects a cell or zooms into a frame; a click on \
     what is selected is Enter.";

/// The list of keys for the README.
pub fn markdown() -> String {
    let mut text = String::new();
    for place in Place::ALL {
        text.push_str(&format!("**{}**\n\n| keys | |\n|---|---|\n", place.title()));
        for binding in of(place) {
            let keys = binding.keys.iter();
            let keys: Vec<String> = keys
                .map(|key| format!("`{}`", key.name().replace('|', "\\|")))
                .collect();
            text.push_str(&format!("| {} | {} |\n", keys.join(" "), binding.what));
        }
        text.push('\n');
    }
    text.push_str(MOUSE);
    text.push('\n');
    text
}

#[cfg(test)]
mod tests;
