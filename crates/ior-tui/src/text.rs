//! Text for cells: what comes from a trace is made harmless, and everything is cut to the cells there are.

use std::borrow::Cow;

use ior_core::escape;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Which part of a text that is too long is given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The end, as of a sentence.
    End,
    /// The beginning: a path is told from another by its end.
    Front,
}

/// On which side of its cells a text stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Figures.
    Right,
}

const ELLIPSIS: &str = "…";

/// A name of a trace as it may be shown. Only so much of it is looked at as a screen can show twice: names can be long.
pub fn harmless(bytes: &[u8]) -> Cow<'_, str> {
    escape::terminal(bytes)
}

/// The cells a text takes.
pub fn cells(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.graphemes(true).map(UnicodeWidthStr::width).sum()
    }
}

/// A text in at most `room` cells, `…` standing for what was given up. A character is never split.
pub fn fit(text: &str, room: usize, cut: Cut) -> Cow<'_, str> {
    // A character takes at most two cells, and at least one byte each: what is short is short.
    if text.len() <= room && text.is_ascii() || cells(text) <= room {
        return Cow::Borrowed(text);
    }
    let Some(room) = room.checked_sub(1) else {
        return Cow::Borrowed("");
    };
    let mut taken = 0;
    let mut fits = |grapheme: &&str| {
        taken += UnicodeWidthStr::width(*grapheme);
        taken <= room
    };
    let len = |graphemes: &mut dyn Iterator<Item = &str>| graphemes.map(str::len).sum::<usize>();
    let graphemes = text.graphemes(true);
    Cow::Owned(match cut {
        Cut::End => {
            let kept = len(&mut graphemes.take_while(&mut fits));
            format!("{}{ELLIPSIS}", &text[..kept])
        }
        Cut::Front => {
            let kept = len(&mut graphemes.rev().take_while(&mut fits));
            format!("{ELLIPSIS}{}", &text[text.len() - kept..])
        }
    })
}

/// Writes a text into the first line of `area`, cut to its width, and returns how many cells it took.
pub fn put(
    buffer: &mut Buffer,
    area: Rect,
    text: &str,
    (align, cut): (Align, Cut),
    style: Style,
) -> u16 {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return 0;
    }
    let text = fit(text, usize::from(area.width), cut);
    let width = cells(&text).min(usize::from(area.width)) as u16;
    let x = match align {
        Align::Left => area.x,
        Align::Right => area.x + (area.width - width),
    };
    buffer.set_stringn(x, area.y, text, usize::from(width), style);
    width
}

/// Writes a sentence into the first line of `area`.
pub fn line(buffer: &mut Buffer, area: Rect, text: &str, style: Style) -> u16 {
    put(buffer, area, text, (Align::Left, Cut::End), style)
}

/// Line `y` of an area, counted from its top; empty if it has no such line.
pub fn row(area: Rect, y: u16) -> Rect {
    Rect {
        y: area.y.saturating_add(y),
        height: u16::from(y < area.height),
        ..area
    }
}

#[cfg(test)]
mod tests;
