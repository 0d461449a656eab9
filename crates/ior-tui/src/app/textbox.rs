//! A line of text being typed. It knows no keys and draws nothing.

use ior_core::escape::is_hostile;
use unicode_segmentation::UnicodeSegmentation;

use crate::action::Edit;

/// More is not taken, bytes: a path, and more than a screen shows.
const LIMIT: usize = 16 * 1024;

/// A text and a place in it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TextBox {
    text: String,
    /// In bytes, between two characters as they are seen.
    cursor: usize,
}

impl TextBox {
    /// With a text, the cursor at its end.
    pub fn new(text: impl Into<String>) -> TextBox {
        let text = text.into();
        TextBox {
            cursor: text.len(),
            text,
        }
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What stands before the cursor.
    pub fn before(&self) -> &str {
        &self.text[..self.cursor]
    }

    /// What stands after the cursor.
    pub fn after(&self) -> &str {
        &self.text[self.cursor..]
    }

    /// Inserts a text at the cursor. Ends of lines and tabs become spaces; other control characters are left out.
    pub fn insert(&mut self, text: &str) {
        let text = text.replace("\r\n", "\n");
        for character in text.chars() {
            let character = match character {
                '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
                _ if character.is_control() => continue,
                other => other,
            };
            if self.text.len() + character.len_utf8() > LIMIT {
                break;
            }
            self.text.insert(self.cursor, character);
            self.cursor += character.len_utf8();
        }
        self.settle();
    }

    /// Changes the text or the place in it.
    pub fn edit(&mut self, edit: Edit) {
        match edit {
            Edit::Left => self.cursor -= self.last().len(),
            Edit::Right => self.cursor += self.next().len(),
            Edit::Home => self.cursor = 0,
            Edit::End => self.cursor = self.text.len(),
            Edit::Backspace => self.delete_from(self.cursor - self.last().len()),
            Edit::Delete => {
                let end = self.cursor + self.next().len();
                self.text.replace_range(self.cursor..end, "");
                self.settle();
            }
            Edit::DeleteToStart => self.delete_from(0),
            Edit::DeleteWord => {
                let kept = self.before().trim_end_matches(' ');
                let start = kept.rfind(' ').map_or(0, |space| space + 1);
                self.delete_from(start);
            }
        }
    }

    fn last(&self) -> &str {
        self.before().graphemes(true).next_back().unwrap_or("")
    }

    fn next(&self) -> &str {
        self.after().graphemes(true).next().unwrap_or("")
    }

    fn delete_from(&mut self, start: usize) {
        self.text.replace_range(start..self.cursor, "");
        self.cursor = start;
        self.settle();
    }

    /// What stands on both sides of a change may have become one character; the cursor then stands behind it.
    fn settle(&mut self) {
        let mut ends = self.text.grapheme_indices(true).map(|(start, _)| start);
        self.cursor = ends
            .find(|start| *start >= self.cursor)
            .unwrap_or(self.text.len());
    }
}

/// A character as it is shown in a text box, where a backslash is one: hostile ones by their number.
pub fn shown(grapheme: &str) -> String {
    let mut shown = String::new();
    for character in grapheme.chars() {
        if is_hostile(character) {
            shown.push_str(&format!("\\u{{{:x}}}", u32::from(character)));
        } else {
            shown.push(character);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const EDITS: [Edit; 8] = [
        Edit::Left,
        Edit::Right,
        Edit::Home,
        Edit::End,
        Edit::Backspace,
        Edit::Delete,
        Edit::DeleteToStart,
        Edit::DeleteWord,
    ];

    #[test]
    fn a_text_is_edited_where_the_cursor_is() {
        let mut text = TextBox::new("comm=ba pid=1");
        text.edit(Edit::DeleteWord);
        assert_eq!(text.text(), "comm=ba ");
        text.edit(Edit::Left);
        text.insert("sh");
        assert_eq!((text.before(), text.after()), ("comm=bash", " "));
        text.edit(Edit::Delete);
        text.edit(Edit::Backspace);
        assert_eq!(text.text(), "comm=bas");
        text.edit(Edit::Home);
        text.edit(Edit::Right);
        text.edit(Edit::DeleteToStart);
        assert_eq!((text.before(), text.after()), ("", "omm=bas"));
        text.edit(Edit::End);
        text.edit(Edit::DeleteWord);
        assert_eq!(text.text(), "");
    }

    #[test]
    fn what_is_pasted_stays_one_line() {
        let mut text = TextBox::default();
        text.insert("a\r\nb\nc\td\x1b[31me\u{2028}");
        assert_eq!(text.text(), "a b c d[31me ");
    }

    #[test]
    fn characters_as_they_are_seen_are_edited_as_one() {
        let mut text = TextBox::new("e\u{301}👩‍👩‍👧");
        text.edit(Edit::Backspace);
        assert_eq!(text.text(), "e\u{301}");
        text.edit(Edit::Left);
        assert_eq!(text.before(), "");
        text.insert("\u{301}");
        assert_eq!(text.before().len(), 2);
    }

    proptest! {
        #[test]
        fn the_cursor_stands_between_characters(
            start in ".*", steps in prop::collection::vec((0usize..16, ".{0,3}"), 0..30),
        ) {
            let mut text = TextBox::new(start);
            for (edit, typed) in steps {
                match EDITS.get(edit) {
                    Some(edit) => text.edit(*edit),
                    None => text.insert(&typed),
                }
                prop_assert!(text.text().is_char_boundary(text.before().len()));
                let whole = text.text().graphemes(true).count();
                let parts = text.before().graphemes(true).count() + text.after().graphemes(true).count();
                prop_assert_eq!(whole, parts);
            }
        }
    }
}
