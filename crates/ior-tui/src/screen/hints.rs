//! The line at the bottom: what the user should know, and the keys that matter here.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::App;
use crate::keymap;
use crate::text;
use crate::theme::Theme;

/// Cells between two hints.
const GAP: u16 = 2;

/// Draws the notice, if there is one, and as many keys as there is room for; always a part of one of them.
pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, theme: &Theme) {
    let mut left = area;
    if let Some(notice) = app.notice() {
        let notice = text::harmless(notice.as_bytes());
        let taken = text::line(buffer, left, &notice, theme.found);
        left = after(left, taken + GAP);
    }
    let mut is_first = left == area;
    for (key, word) in ordered(app) {
        let needed = text::cells(&key) + 1 + word.len();
        if needed > usize::from(left.width) {
            if is_first {
                let taken = text::line(buffer, left, &key, theme.key);
                text::line(buffer, after(left, taken + 1), word, theme.dim);
            }
            return;
        }
        let taken = text::line(buffer, left, &key, theme.key) + 1;
        let taken = taken + text::line(buffer, after(left, taken), word, theme.dim);
        left = after(left, taken + GAP);
        is_first = false;
    }
}

/// How to leave and where to find everything else come first.
fn ordered(app: &App) -> Vec<(String, &'static str)> {
    let mut hints = keymap::hints(&app.places());
    hints.sort_by_key(|(_, word)| !matches!(*word, "quit" | "help"));
    hints
}

fn after(area: Rect, cells: u16) -> Rect {
    let cells = cells.min(area.width);
    Rect {
        x: area.x + cells,
        width: area.width - cells,
        ..area
    }
}
