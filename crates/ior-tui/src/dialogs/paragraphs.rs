//! Texts longer than a line: broken at spaces, and where there is none anywhere between two characters.

use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

use crate::text::cells;

/// A text with a label on its left.
#[derive(Debug, Clone)]
pub struct Paragraph {
    /// Stands in front of the first line.
    pub label: String,
    /// Its style.
    pub label_style: Style,
    /// The text, harmless.
    pub text: String,
    /// Its style.
    pub style: Style,
    /// How far the text is indented, cells: room for the label.
    pub indent: usize,
}

impl Paragraph {
    /// A text alone.
    pub fn plain(text: impl Into<String>, style: Style) -> Paragraph {
        Paragraph {
            label: String::new(),
            label_style: style,
            text: text.into(),
            style,
            indent: 0,
        }
    }

    /// Its lines for a width in cells: what stands on the left, and the text.
    pub fn lines(&self, width: usize) -> Vec<(String, String)> {
        // In a narrow place the label stands above the text.
        let indent = if self.indent * 2 > width {
            2
        } else {
            self.indent
        };
        let is_above = cells(&self.label) >= indent.max(1) && !self.label.is_empty();
        let mut lines = Vec::new();
        if is_above {
            lines.push((self.label.clone(), String::new()));
        }
        let label = if is_above { "" } else { &self.label };
        let room = width.saturating_sub(indent).max(1);
        for text in wrap(&self.text, room) {
            let label = if lines.is_empty() { label } else { "" };
            let padding = " ".repeat(indent.saturating_sub(cells(label)));
            lines.push((format!("{label}{padding}"), text));
        }
        lines
    }
}

/// Breaks a text into lines of at most so many cells; at least one line.
pub fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for part in text.split('\n') {
        let mut line = String::new();
        let mut taken = 0;
        for word in part.split_inclusive(' ') {
            let width = cells(word.trim_end());
            if taken > 0 && taken + width > room {
                lines.push(std::mem::take(&mut line));
                taken = 0;
            }
            for character in word.graphemes(true) {
                let width = cells(character);
                if taken + width > room && character != " " && taken > 0 {
                    lines.push(std::mem::take(&mut line));
                    taken = 0;
                }
                line.push_str(character);
                taken += width;
            }
        }
        lines.push(line);
    }
    for line in &mut lines {
        line.truncate(line.trim_end().len());
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_or_else_anywhere() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(
            wrap("one twothree four", 5),
            ["one", "twoth", "ree", "four"]
        );
        assert_eq!(wrap("", 5), [""]);
        assert_eq!(wrap("a\n\nb", 5), ["a", "", "b"]);
        assert_eq!(wrap("日本語", 4), ["日本", "語"]);
        assert_eq!(wrap("日本", 1), ["日", "本"]);
    }

    #[test]
    fn a_label_stands_left_or_above() {
        let paragraph = Paragraph {
            label: "file".into(),
            label_style: Style::new(),
            text: "/etc/passwd".into(),
            style: Style::new(),
            indent: 6,
        };
        let lines = |width| paragraph.lines(width);
        assert_eq!(lines(20), [("file  ".into(), "/etc/passwd".into())]);
        assert_eq!(lines(13).len(), 2);
        assert_eq!(lines(8)[0], ("file".into(), String::new()));
    }
}
