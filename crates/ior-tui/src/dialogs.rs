//! What opens in front of the tabs. One file a dialog, one `draw` each.

mod paragraphs;
mod picker;
mod probes;
mod prompt;
mod text;
mod textbox;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Widget};

use crate::app::{App, Drawn, Mode};
use crate::theme::Theme;

/// Draws what is open into `area`, which is everything but the line at the bottom.
pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, theme: &Theme, drawn: &mut Drawn) {
    match app.mode() {
        Mode::Normal => {}
        Mode::Prompt(prompt) => prompt::draw(buffer, area, prompt, theme),
        Mode::Picker(picker) => picker::draw(buffer, area, picker, theme, drawn),
        Mode::Probes(probes) => {
            probes::draw(buffer, area, probes, app.session(), theme, drawn);
        }
        Mode::Text(text) => text::draw(buffer, area, app, text, theme, drawn),
    }
}

/// One line in a box in the middle.
pub fn notice(buffer: &mut Buffer, area: Rect, line: &str, theme: &Theme) {
    let width = crate::text::cells(line).saturating_add(4);
    let inner = frame(buffer, area, "", (width, 3), theme);
    crate::text::line(buffer, inner, line, theme.header);
}

/// Draws an empty box in the middle of an area, no larger than wanted, and returns what is inside. Where there is no room
/// for a box there is none, and everything is inside.
fn frame(
    buffer: &mut Buffer,
    area: Rect,
    title: &str,
    (width, height): (usize, usize),
    theme: &Theme,
) -> Rect {
    const MIN: (u16, u16) = (12, 5);
    let area = area.intersection(buffer.area);
    if area.width < MIN.0 || area.height < MIN.1 {
        Clear.render(area, buffer);
        return area;
    }
    let limited = |wanted: usize, limit: u16| u16::try_from(wanted).unwrap_or(limit).min(limit);
    let (width, height) = (limited(width, area.width), limited(height, area.height));
    let area = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    Clear.render(area, buffer);
    let block = Block::bordered().border_style(theme.dim);
    let inner = block.inner(area);
    block.render(area, buffer);
    if !title.is_empty() {
        let top = Rect {
            x: area.x + 2,
            width: area.width.saturating_sub(4),
            height: 1,
            ..area
        };
        crate::text::line(buffer, top, &format!(" {title} "), theme.header);
    }
    // A cell of air on both sides.
    let air = u16::from(inner.width > 4);
    Rect {
        x: inner.x + air,
        width: inner.width - 2 * air,
        ..inner
    }
}

/// The first line of a list on the screen so that the selected one is among them, near the middle.
fn first_line(selected: Option<usize>, total: usize, page: usize) -> usize {
    let last = total.saturating_sub(page);
    selected.map_or(0, |selected| selected.saturating_sub(page / 2).min(last))
}

/// An area without its first lines.
fn below(area: Rect, lines: u16) -> Rect {
    let lines = lines.min(area.height);
    Rect {
        y: area.y + lines,
        height: area.height - lines,
        ..area
    }
}

#[cfg(test)]
pub(crate) mod tests;
