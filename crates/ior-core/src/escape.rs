//! Names as text: for a terminal, where they must not be able to act, and for outputs whose strings are UTF-8.
//!
//! The `*_into` functions append to a buffer and are what a row's path uses; the others borrow a clean name.

use std::borrow::Cow;

/// A name as it may be shown on a terminal or in a line-oriented text.
///
/// Control characters, invalid UTF-8, line and paragraph separators, bidirectional marks and overrides, and characters
/// that take no room are escaped (`\n`, `\x1b`, `\u{202e}`), so that a name can neither move the cursor nor look like
/// another name or row. A backslash is doubled, so that the result is unambiguous.
pub fn terminal(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if is_plain(bytes) => Cow::Borrowed(text),
        _ => {
            let mut out = Vec::with_capacity(bytes.len() + 16);
            terminal_into(bytes, &mut out);
            Cow::Owned(into_string(out))
        }
    }
}

/// Appends [`terminal`]'s text of `bytes`.
pub fn terminal_into(bytes: &[u8], out: &mut Vec<u8>) {
    if is_plain(bytes) {
        out.extend_from_slice(bytes);
        return;
    }
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            push_harmless(character, out);
        }
        push_hex(chunk.invalid(), out);
    }
}

/// A name as a UTF-8 string: every byte that is not part of valid UTF-8 becomes `\xHH`, all else is kept.
pub fn utf8(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => {
            let mut out = Vec::with_capacity(bytes.len() + 16);
            utf8_into(bytes, &mut out);
            Cow::Owned(into_string(out))
        }
    }
}

/// Appends [`utf8`]'s text of `bytes`.
pub fn utf8_into(bytes: &[u8], out: &mut Vec<u8>) {
    for chunk in bytes.utf8_chunks() {
        out.extend_from_slice(chunk.valid().as_bytes());
        push_hex(chunk.invalid(), out);
    }
}

/// Whether a character could act on a terminal or make one name look like another: control characters, separators of
/// lines and paragraphs, bidirectional marks, and characters without a visible width.
pub fn is_hostile(character: char) -> bool {
    character.is_control()
        || matches!(
            u32::from(character),
            0x00ad                      // soft hyphen
            | 0x034f                    // combining grapheme joiner
            | 0x061c                    // Arabic letter mark
            | 0x115f | 0x1160           // Hangul fillers
            | 0x17b4 | 0x17b5           // Khmer inherent vowels
            | 0x180b..=0x180f           // Mongolian variation and vowel separators
            | 0x200b..=0x200f           // zero width spaces and joiners, directional marks
            | 0x2028..=0x202e           // line and paragraph separator, embeddings and overrides
            | 0x2060..=0x206f           // invisible operators, isolates, deprecated format characters
            | 0x3164                    // Hangul filler
            | 0xfe00..=0xfe0f           // variation selectors
            | 0xfeff                    // zero width no-break space
            | 0xffa0                    // halfwidth Hangul filler
            | 0xfff9..=0xfffb           // interlinear annotation
            | 0x1d173..=0x1d17a         // musical format characters
            | 0xe0000..=0xe0fff         // tags, variation selectors
        )
}

/// Printable ASCII without a backslash: shown as it is, and by far the most names.
fn is_plain(bytes: &[u8]) -> bool {
    bytes
        .iter()
        .all(|byte| matches!(byte, 0x20..=0x5b | 0x5d..=0x7e))
}

fn push_harmless(character: char, out: &mut Vec<u8>) {
    match character {
        '\n' => out.extend_from_slice(b"\\n"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\t' => out.extend_from_slice(b"\\t"),
        '\\' => out.extend_from_slice(b"\\\\"),
        '\0'..='\x7f' if is_hostile(character) => push_hex(&[character as u8], out),
        _ if is_hostile(character) => {
            out.extend_from_slice(b"\\u{");
            let code = u32::from(character);
            let digits = (code.ilog2() / 4 + 1).max(2);
            for digit in (0..digits).rev() {
                out.push(HEX[(code >> (4 * digit) & 0xf) as usize]);
            }
            out.push(b'}');
        }
        _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

const HEX: &[u8; 16] = b"0123456789abcdef";

fn push_hex(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        out.extend_from_slice(&[
            b'\\',
            b'x',
            HEX[usize::from(byte >> 4)],
            HEX[usize::from(byte & 0xf)],
        ]);
    }
}

/// Only ever given what the functions above wrote, which is UTF-8.
fn into_string(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn clean_names_are_borrowed() {
        for name in ["", "/etc/passwd", "a b;c,\"d'", "~!@#$%^&*()"] {
            assert!(matches!(terminal(name.as_bytes()), Cow::Borrowed(text) if text == name));
        }
        assert!(matches!(
            utf8("/tmp/ärger\n".as_bytes()),
            Cow::Borrowed("/tmp/ärger\n")
        ));
    }

    #[test]
    fn hostile_names_cannot_act_on_a_terminal() {
        for (name, expected) in [
            (&b"a\nb"[..], r"a\nb"),
            (b"a\r\tb\0", r"a\r\tb\x00"),
            (b"\x1b[2J\x1b[H", r"\x1b[2J\x1b[H"),
            (b"\x7f", r"\x7f"),
            ("\u{85}\u{9b}31m".as_bytes(), r"\u{85}\u{9b}31m"),
            (b"\x9b31m", r"\x9b31m"),
            ("exe.\u{202e}txt".as_bytes(), r"exe.\u{202e}txt"),
            (
                "a\u{2028}b\u{200b}c\u{feff}".as_bytes(),
                r"a\u{2028}b\u{200b}c\u{feff}",
            ),
            (
                "\u{2066}x\u{2069}\u{e0041}".as_bytes(),
                r"\u{2066}x\u{2069}\u{e0041}",
            ),
            (b"\xff\xfe/\xc3(", r"\xff\xfe/\xc3("),
            (br"a\n", r"a\\n"),
            ("Grüße-日本-🦀".as_bytes(), "Grüße-日本-🦀"),
            ("cut \u{1f980}".as_bytes().split_at(6).0, r"cut \xf0\x9f"),
        ] {
            assert_eq!(terminal(name), expected);
        }
    }

    #[test]
    fn utf8_keeps_everything_that_is_valid() {
        assert_eq!(
            utf8(b"a\xffb\n\xc3\xa4\xed\xa0\x80"),
            "a\\xffb\nä\\xed\\xa0\\x80"
        );
    }

    proptest! {
        #[test]
        fn no_output_is_hostile(name: Vec<u8>) {
            prop_assert!(!terminal(&name).chars().any(is_hostile));
        }

        #[test]
        fn different_names_stay_different(a: Vec<u8>, b: Vec<u8>) {
            prop_assert_eq!(a == b, terminal(&a) == terminal(&b));
        }
    }
}
