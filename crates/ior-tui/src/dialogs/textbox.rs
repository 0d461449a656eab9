//! A text box: one line, of which the part around the cursor is shown.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use crate::app::{TextBox, shown};
use crate::text;
use crate::theme::Theme;

/// Draws a label and the text behind it into the first line of an area, with a reversed cell for the cursor.
pub fn draw(buffer: &mut Buffer, area: Rect, label: &str, text_box: &TextBox, theme: &Theme) {
    let taken = match usize::from(area.width) > text::cells(label) + 4 {
        true => text::line(buffer, area, label, theme.header),
        false => 0,
    };
    let area = Rect {
        x: area.x + taken,
        width: area.width - taken,
        ..area
    };
    let characters = |text: &str| -> Vec<String> { text.graphemes(true).map(shown).collect() };
    let (before, after) = (characters(text_box.before()), characters(text_box.after()));
    // The cursor needs a cell behind the text.
    let room = usize::from(area.width).saturating_sub(1);
    let mut start = before.len();
    let mut cells = after
        .first()
        .map_or(0, |character| text::cells(character).saturating_sub(1));
    while start > 0 && cells + text::cells(&before[start - 1]) <= room {
        start -= 1;
        cells += text::cells(&before[start]);
    }
    let visible = before[start..].concat();
    let taken = text::line(buffer, area, &visible, Style::new());
    let at = Rect {
        x: area.x + taken,
        width: area.width - taken,
        ..area
    };
    text::line(buffer, at, &after.concat(), Style::new());
    let cursor = after
        .first()
        .map_or(1, |character| text::cells(character).max(1));
    let cursor = Rect {
        width: at.width.min(u16::try_from(cursor).unwrap_or(1)),
        height: at.height.min(1),
        ..at
    };
    buffer.set_style(
        cursor.intersection(buffer.area),
        Style::new().add_modifier(Modifier::REVERSED),
    );
}
