//! Colours, by what they mean.

use ratatui::style::{Modifier, Style};

/// The styles of everything that is not plain text.
#[derive(Debug, Clone, Default)]
pub struct Theme {
    /// Headers of tables and titles.
    pub header: Style,
    /// What is less important: units, hints, lines of boxes.
    pub dim: Style,
    /// The selected line.
    pub selected: Style,
    /// The selected cell in it.
    pub cell: Style,
    /// What failed: errors, lost rows.
    pub bad: Style,
    /// What goes well: a recording that is going on.
    pub good: Style,
    /// What a search has found.
    pub found: Style,
    /// What can be pressed: keys in hints, the tab that is open.
    pub key: Style,
    /// Whether colours may be used; without, only bold, dim, reversed and underlined.
    pub has_colors: bool,
    /// Whether the terminal's background is light.
    pub is_light: bool,
}

impl Theme {
    /// Without any colour (`NO_COLOR`).
    pub fn plain() -> Theme {
        let style = Style::new();
        Theme {
            header: style.add_modifier(Modifier::BOLD),
            dim: style.add_modifier(Modifier::DIM),
            selected: style.add_modifier(Modifier::REVERSED),
            cell: style.add_modifier(Modifier::REVERSED | Modifier::BOLD | Modifier::UNDERLINED),
            bad: style.add_modifier(Modifier::BOLD),
            good: style.add_modifier(Modifier::BOLD),
            found: style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD),
            key: style.add_modifier(Modifier::BOLD),
            has_colors: false,
            is_light: false,
        }
    }
}
