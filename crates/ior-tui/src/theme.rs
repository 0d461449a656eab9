//! Colours, by what they mean. All are of the sixteen every terminal has, but for the frames of the flame graph.

use ratatui::style::{Color, Modifier, Style};

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
    /// What the environment asks for: `NO_COLOR` (no-color.org) and `TERM=dumb` want no colours, `COLORFGBG` tells the
    /// number of the background's colour where a terminal sets it. Dark is what most terminals are.
    pub fn detect(variable: impl Fn(&str) -> Option<String>) -> Theme {
        let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        if is_set("NO_COLOR") || variable("TERM").is_some_and(|term| term == "dumb") {
            return Theme::plain();
        }
        let colors = variable("COLORFGBG").unwrap_or_default();
        let background = colors
            .rsplit(';')
            .next()
            .and_then(|number| number.parse().ok());
        match background {
            Some(7 | 9..=15u8) => Theme::light(),
            _ => Theme::dark(),
        }
    }

    /// For a dark background.
    pub fn dark() -> Theme {
        let style = Style::new();
        Theme {
            header: style.fg(Color::Cyan).add_modifier(Modifier::BOLD),
            dim: style.fg(Color::DarkGray),
            selected: style.bg(Color::DarkGray).fg(Color::White),
            cell: style.bg(Color::Cyan).fg(Color::Black),
            bad: style.fg(Color::LightRed),
            good: style.fg(Color::LightGreen),
            found: style.fg(Color::Black).bg(Color::Yellow),
            key: style.fg(Color::Yellow).add_modifier(Modifier::BOLD),
            has_colors: true,
            is_light: false,
        }
    }

    /// For a light background.
    pub fn light() -> Theme {
        let style = Style::new();
        Theme {
            header: style.fg(Color::Blue).add_modifier(Modifier::BOLD),
            dim: style.fg(Color::DarkGray),
            selected: style.bg(Color::Gray).fg(Color::Black),
            cell: style.bg(Color::Blue).fg(Color::White),
            bad: style.fg(Color::Red),
            good: style.fg(Color::Green),
            found: style.fg(Color::Black).bg(Color::LightYellow),
            key: style.fg(Color::Magenta).add_modifier(Modifier::BOLD),
            has_colors: true,
            is_light: true,
        }
    }

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

    /// A frame's style: always the same for a name, so that it is found again when the picture changes. Neighbours that
    /// come out alike are told apart by the frame's left edge.
    pub fn frame(&self, name: &[u8], kind: Warmth) -> Style {
        if !self.has_colors {
            return Style::new().add_modifier(Modifier::UNDERLINED);
        }
        // FNV-1a: short names, and the same on every machine.
        let hash = name.iter().fold(0x811c_9dc5_u32, |hash, byte| {
            (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
        });
        let shades: &[u8] = match kind {
            Warmth::Warm => &[166, 172, 178, 202, 208, 214],
            Warmth::Mild => &[142, 148, 149, 150, 185, 186],
            Warmth::Cool => &[73, 74, 79, 80, 109, 110],
        };
        let shade = shades[(hash >> 16) as usize % shades.len()];
        Style::new().bg(Color::Indexed(shade)).fg(Color::Black)
    }
}

/// Kinds of frames by colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Warmth {
    /// Names of files.
    Warm,
    /// Threads and processes.
    Mild,
    /// Syscalls.
    Cool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_is_heeded() {
        let of = |name: &'static str, value: &'static str| {
            Theme::detect(move |asked| (asked == name).then(|| value.to_owned()))
        };
        assert!(!of("NO_COLOR", "1").has_colors);
        assert!(of("NO_COLOR", "").has_colors);
        assert!(!of("TERM", "dumb").has_colors);
        assert!(of("COLORFGBG", "0;15").is_light);
        assert!(!of("COLORFGBG", "15;0").is_light);
        assert!(!of("COLORFGBG", "default;default").is_light);
    }

    #[test]
    fn a_name_keeps_its_colour() {
        let theme = Theme::dark();
        assert_eq!(
            theme.frame(b"/etc", Warmth::Warm),
            theme.frame(b"/etc", Warmth::Warm)
        );
    }
}
