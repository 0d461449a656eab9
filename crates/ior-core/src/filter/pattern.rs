//! Patterns of text columns: a substring, perhaps anchored, or a regular expression; upper and lower case are the same.

use regex::bytes::{Regex, RegexBuilder};

use super::Column;

/// What the text of a column is searched for.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// As typed.
    source: Box<[u8]>,
    /// What it means. Matching reuses the expression's own scratch memory.
    regex: Regex,
}

impl Pattern {
    /// A typed pattern: `/regex/`, or a substring that `^` ties to the start and `$` to the end.
    ///
    /// A file name is full of slashes, so in the columns `file` and `old_file` text between two slashes is an expression
    /// only if it has one of ``\ ^ $ * + ? ( ) [ ] { } |``: `file~/etc/` means the directory. On failure, one line.
    pub(super) fn parse(column: Column, source: &[u8]) -> Result<Pattern, String> {
        if source.is_empty() {
            return Err("it is empty".into());
        }
        let expression = match expression(column, source) {
            Some(inner) => std::str::from_utf8(inner)
                .map_err(|_| "it is no UTF-8".to_owned())?
                .to_owned(),
            None => {
                let (start, rest) = source
                    .strip_prefix(b"^")
                    .map_or(("", source), |rest| ("^", rest));
                let (end, text) = rest
                    .strip_suffix(b"$")
                    .map_or(("", rest), |text| ("$", text));
                format!("{start}{}{end}", quote(text))
            }
        };
        Pattern::compile(source, &expression)
    }

    /// Text to be found as it is, anchors and slashes included. On failure, one line.
    pub(super) fn literal(column: Column, text: &[u8]) -> Result<Pattern, String> {
        if text.is_empty() {
            return Err("it is empty".into());
        }
        let quoted = quote(text);
        let plain =
            !text.starts_with(b"^") && !text.ends_with(b"$") && expression(column, text).is_none();
        let source = if plain {
            text.to_vec()
        } else {
            format!("/{quoted}/").into_bytes()
        };
        Pattern::compile(&source, &quoted)
    }

    fn compile(source: &[u8], expression: &str) -> Result<Pattern, String> {
        let regex = RegexBuilder::new(expression).case_insensitive(true).build();
        match regex {
            Ok(regex) => Ok(Pattern {
                source: source.into(),
                regex,
            }),
            Err(error) => Err(error
                .to_string()
                .lines()
                .last()
                .unwrap_or_default()
                .trim()
                .to_owned()),
        }
    }

    pub(super) fn source(&self) -> &[u8] {
        &self.source
    }

    pub(super) fn is_match(&self, text: &[u8]) -> bool {
        self.regex.is_match(text)
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Pattern) -> bool {
        self.source == other.source
    }
}

impl Eq for Pattern {}

/// The expression between the slashes, if the pattern is one.
fn expression(column: Column, source: &[u8]) -> Option<&[u8]> {
    let inner = source.strip_prefix(b"/")?.strip_suffix(b"/")?;
    let is_path = matches!(column, Column::File | Column::OldFile);
    let is_expression = !inner.is_empty()
        && (!is_path || inner.iter().any(|byte| br"\^$*+?()[]{}|".contains(byte)));
    is_expression.then_some(inner)
}

/// The expression that matches exactly this text.
fn quote(text: &[u8]) -> String {
    let mut quoted = String::new();
    for chunk in text.utf8_chunks() {
        quoted.push_str(&regex::escape(chunk.valid()));
        for byte in chunk.invalid() {
            quoted.push_str(&format!(r"(?-u:\x{byte:02x})"));
        }
    }
    quoted
}
