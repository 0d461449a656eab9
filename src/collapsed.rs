//! `ior collapsed`: a recording as collapsed stacks, `frame;frame;frame count`, one a line, for flame graphs.
//!
//! Stacks are grouped and sorted by what the frames stand for; text is made of them only when they are written. Names are
//! escaped so that none can end its frame, add another or look like a frame of ours (`[none]`, `[other]`).

use std::cmp::Ordering;
use std::io::{self, Write};
use std::str;

use hashbrown::HashMap;
use ior_core::{Abi, Flags, escape};

use crate::names::Names;
use crate::recorded::{Calls, Field, Wanted};

/// The frame of a call without a file or without flags, and of a thread without a name.
const NONE: &str = "[none]";

/// The frame of everything past the bound of an aggregate.
const OTHER: &str = "[other]";

/// Stacks and their counts.
#[derive(Debug)]
pub struct Stacks {
    fields: Vec<Field>,
    names: Names,
    counts: HashMap<Stack, u64>,
}

/// What is told apart; numbers of [`Names`], and 0 where a field is not wanted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
struct Stack {
    folded: bool,
    comm: u32,
    pid: u32,
    tid: u32,
    syscall: u32,
    file: u32,
    flags: u32,
}

impl Stacks {
    /// None yet.
    pub fn new(wanted: &Wanted) -> Stacks {
        Stacks {
            fields: wanted.fields.clone(),
            names: Names::default(),
            counts: HashMap::new(),
        }
    }

    /// Adds a call, if it counts.
    pub fn add(&mut self, calls: &Calls<'_>) {
        if calls.count == 0 {
            return;
        }
        let mut stack = Stack::default();
        for field in &self.fields {
            match field {
                Field::Syscall => stack.syscall = self.names.number(&syscall(calls)),
                _ if calls.folded => stack.folded = true,
                Field::Comm => stack.comm = self.names.number(calls.comm),
                Field::Path => stack.file = self.names.number(calls.file),
                Field::Pid => stack.pid = calls.pid,
                Field::Tid => stack.tid = calls.tid,
                Field::Flags => stack.flags = self.names.number(flags(calls).as_bytes()),
            }
        }
        let count = self.counts.entry(stack).or_default();
        *count = count.saturating_add(calls.count);
    }

    /// The sum of all counts.
    pub fn total(&self) -> u128 {
        self.counts.values().map(|&count| u128::from(count)).sum()
    }

    /// Writes a line a stack, ordered by the frames from the bottom to the top.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut stacks: Vec<(&Stack, u64)> = self.counts.iter().map(|(s, c)| (s, *c)).collect();
        stacks.sort_unstable_by(|(one, _), (other, _)| self.order(one, other));
        let mut line = String::new();
        for (stack, count) in stacks {
            line.clear();
            for field in &self.fields {
                self.push_field(stack, *field, &mut line);
            }
            writeln!(out, "{line} {count}")?;
        }
        Ok(())
    }

    fn order(&self, one: &Stack, other: &Stack) -> Ordering {
        let by_name = |one, other| self.names.get(one).cmp(self.names.get(other));
        let of_field = |field: &Field| match field {
            // Of what is folded only the call is known.
            field if *field != Field::Syscall && (one.folded || other.folded) => {
                one.folded.cmp(&other.folded)
            }
            Field::Comm => by_name(one.comm, other.comm),
            Field::Path => self.path_order(one.file, other.file),
            Field::Syscall => by_name(one.syscall, other.syscall),
            Field::Pid => one.pid.cmp(&other.pid),
            Field::Tid => one.tid.cmp(&other.tid),
            Field::Flags => by_name(one.flags, other.flags),
        };
        let mut orders = self.fields.iter().map(of_field);
        orders
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }

    /// A directory before everything in it, and all that before its next sibling.
    fn path_order(&self, one: u32, other: u32) -> Ordering {
        let components = |file| self.names.get(file).split(|byte| *byte == b'/');
        components(one).cmp(components(other))
    }

    fn push_field(&self, stack: &Stack, field: Field, line: &mut String) {
        let text = |number| String::from_utf8_lossy(self.names.get(number));
        match field {
            Field::Syscall => push_frame(&text(stack.syscall), line),
            _ if stack.folded => push_frame(OTHER, line),
            Field::Comm => push_name(self.names.get(stack.comm), line),
            Field::Path => push_path(self.names.get(stack.file), line),
            Field::Pid => push_frame(&format!("pid:{}", stack.pid), line),
            Field::Tid => push_frame(&format!("tid:{}", stack.tid), line),
            Field::Flags => push_frame(&text(stack.flags), line),
        }
    }
}

/// A call's name, which is marked if it is one of another table.
fn syscall(calls: &Calls<'_>) -> Vec<u8> {
    let mut name = Vec::new();
    push_escaped(calls.syscall, &mut name);
    if calls.abi == Abi::Ia32.as_str().as_bytes() {
        name.extend_from_slice(b"[ia32]");
    }
    name
}

fn flags(calls: &Calls<'_>) -> String {
    let abis = [Abi::X86_64, Abi::Ia32, Abi::Aarch64];
    let abi = abis
        .into_iter()
        .find(|abi| abi.as_str().as_bytes() == calls.abi);
    match (calls.flags, abi, str::from_utf8(calls.syscall)) {
        (None, ..) => NONE.to_owned(),
        (Some(value), Some(abi), Ok(name)) => Flags::new(name, abi, value).to_string(),
        (Some(value), ..) => format!("{value:#x}"),
    }
}

/// Appends a frame of text that is ours.
fn push_frame(text: &str, line: &mut String) {
    if !line.is_empty() {
        line.push(';');
    }
    line.push_str(if text.is_empty() { NONE } else { text });
}

/// Appends a frame of any bytes.
fn push_name(name: &[u8], line: &mut String) {
    let mut text = Vec::new();
    push_escaped(name, &mut text);
    push_frame(&String::from_utf8_lossy(&text), line);
}

/// Appends a frame for each component. All but the first one of a relative name keep the `/` before them, which tells them
/// from the frames of other fields.
fn push_path(path: &[u8], line: &mut String) {
    let mut rest = path;
    loop {
        let begin = usize::from(rest.first() == Some(&b'/'));
        let len = rest[begin..].iter().position(|byte| *byte == b'/');
        let (component, after) = rest.split_at(len.map_or(rest.len(), |len| begin + len));
        push_name(component, line);
        rest = after;
        if rest.is_empty() {
            return;
        }
    }
}

/// Appends the text of a name in a frame. It is [`escape::terminal`]'s; besides, what would end the frame or the count, or
/// look like a frame of ours or a mark of the tools that read this, is written as `\xHH` or `\u{…}`.
fn push_escaped(name: &[u8], out: &mut Vec<u8>) {
    let text = escape::terminal(name);
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied();
        let number = u32::from(character);
        let acts = match character {
            ';' => true,
            // The last word of a line is the count, and spaces around a line are cut off.
            ' ' => before.is_none() || next.is_none_or(|next| next.is_ascii_digit() || next == '.'),
            // The line would be a comment.
            '#' => before.is_none(),
            // `[none]`, `[other]` and `read[ia32]` are ours; `_[k]` at the end is a mark.
            '[' => before.is_none() || before == Some('_'),
            _ => character.is_whitespace() || matches!(number, 0xfffe | 0xffff),
        };
        let mut bytes = [0; 4];
        match (acts, number) {
            (false, _) => out.extend_from_slice(character.encode_utf8(&mut bytes).as_bytes()),
            (true, ..0x80) => out.extend_from_slice(format!("\\x{number:02x}").as_bytes()),
            (true, _) => out.extend_from_slice(format!("\\u{{{number:x}}}").as_bytes()),
        }
        before = Some(character);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::recorded::Count;

    fn wanted(fields: &[Field]) -> Wanted {
        Wanted {
            fields: fields.to_vec(),
            count: Count::Calls,
        }
    }

    fn text(fields: &[Field], calls: &[Calls<'_>]) -> String {
        let mut stacks = Stacks::new(&wanted(fields));
        calls.iter().for_each(|calls| stacks.add(calls));
        let mut out = Vec::new();
        stacks.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn calls(file: &[u8]) -> Calls<'_> {
        Calls {
            comm: b"sh",
            pid: 7,
            tid: 8,
            syscall: b"openat",
            abi: b"x86_64",
            file,
            flags: Some(0o2_000_000),
            folded: false,
            count: 1,
        }
    }

    const USUAL: &[Field] = &[Field::Comm, Field::Path, Field::Syscall];

    #[test]
    fn a_path_is_a_frame_a_component() {
        for (path, frames) in [
            ("/usr/share/doc", "/usr;/share;/doc"),
            ("/", "/"),
            ("", "[none]"),
            ("/a/", "/a;/"),
            ("/a//b", "/a;/;/b"),
            ("a/b", "a;/b"),
            ("pipe:[17]", "pipe:[17]"),
            ("/read", "/read"),
        ] {
            let expected = format!("sh;{frames};openat 1\n");
            assert_eq!(text(USUAL, &[calls(path.as_bytes())]), expected);
        }
    }

    #[test]
    fn frames_are_those_of_the_fields_in_their_order() {
        use Field::*;
        let ia32 = Calls {
            abi: b"ia32",
            flags: None,
            count: 41,
            ..calls(b"/x")
        };
        let all = [Tid, Pid, Flags, Syscall, Path, Comm];
        assert_eq!(
            text(&all, &[calls(b"/x"), ia32]),
            "tid:8;pid:7;O_RDONLY|O_CLOEXEC;openat;/x;sh 1\ntid:8;pid:7;[none];openat[ia32];/x;sh 41\n"
        );
        assert_eq!(text(&[Comm], &[calls(b"/x"), ia32]), "sh 42\n");
    }

    #[test]
    fn what_is_folded_is_known_by_its_call() {
        let folded = Calls {
            folded: true,
            comm: b"",
            ..calls(b"")
        };
        assert_eq!(
            text(USUAL, &[folded, calls(b"/x"), calls(b"[other]")]),
            "sh;/x;openat 1\nsh;\\x5bother];openat 1\n[other];[other];openat 1\n"
        );
        assert_eq!(
            text(&[Field::Syscall], &[folded, calls(b"/x")]),
            "openat 2\n"
        );
    }

    #[test]
    fn names_cannot_forge_a_frame_a_line_or_a_count() {
        for (name, frame) in [
            (&b"a;b"[..], r"a\x3bb"),
            (b"a\nb 5", r"a\nb\x205"),
            (b"a .5", r"a\x20.5"),
            (b"Web Content", "Web Content"),
            (b" x ", r"\x20x\x20"),
            (b"# x", r"\x23 x"),
            (b"[none]", r"\x5bnone]"),
            (b"f_[k]", r"f_\x5bk]"),
            (b"read[ia32]", "read[ia32]"),
            (b"a\\x3bb", r"a\\x3bb"),
            (b"\xff\x1b[m", r"\xff\x1b[m"),
            (
                "\u{a0}\u{3000}\u{ffff}\u{202e}".as_bytes(),
                r"\u{a0}\u{3000}\u{ffff}\u{202e}",
            ),
            (b"", "[none]"),
        ] {
            let calls = Calls {
                comm: name,
                ..calls(b"/x")
            };
            assert_eq!(text(&[Field::Comm], &[calls]), format!("{frame} 1\n"));
        }
    }

    #[test]
    fn a_directory_comes_with_what_is_in_it() {
        let paths = ["/doc-base", "/doc/x", "/doc", "/doc.d/y", "/a", "/doc/x/y"];
        let all = paths.map(|path| calls(path.as_bytes()));
        assert_eq!(
            text(&[Field::Path], &all),
            "/a 1\n/doc 1\n/doc;/x 1\n/doc;/x;/y 1\n/doc-base 1\n/doc.d;/y 1\n"
        );
    }

    #[test]
    fn nothing_to_count_is_no_stack() {
        let none = Calls {
            count: 0,
            ..calls(b"/x")
        };
        assert_eq!(text(USUAL, &[none]), "");
        let most = Calls {
            count: u64::MAX,
            ..none
        };
        assert_eq!(
            text(&[Field::Comm], &[most, most]),
            format!("sh {}\n", u64::MAX)
        );
    }

    proptest! {
        #[test]
        fn any_name_is_one_frame_and_different_names_stay_different(
            names in prop::collection::vec(prop_oneof![
                any::<Vec<u8>>(),
                "[;#\\[\\]_ k.0-9\\\\x\u{a0}\n]{0,6}".prop_map(String::into_bytes),
            ], 1..20),
        ) {
            let all: Vec<Calls<'_>> = names.iter().map(|name| Calls { comm: name, ..calls(b"/x") }).collect();
            let text = text(&[Field::Comm, Field::Syscall], &all);
            let different: std::collections::BTreeSet<_> = names.iter().collect();
            prop_assert_eq!(text.split_terminator('\n').count(), different.len());
            for line in text.split_terminator('\n') {
                prop_assert_eq!(line.trim(), line);
                prop_assert!(!line.starts_with('#'));
                let (stack, count) = line.rsplit_once(' ').unwrap();
                prop_assert!(count.parse::<u64>().is_ok());
                prop_assert_eq!(stack.split(';').count(), 2);
                let last = stack.split(';').next().unwrap();
                let word = last.rsplit_once(' ').map_or("x", |(_, word)| word);
                prop_assert!(!word.starts_with(|c: char| c.is_ascii_digit() || c == '.') && !word.is_empty());
                prop_assert!(!last.starts_with('[') || last == NONE);
            }
        }

        #[test]
        fn the_frames_of_a_path_are_the_path(path in "[a-c/]{1,12}") {
            let text = text(&[Field::Path], &[calls(path.as_bytes())]);
            prop_assert_eq!(text.trim_end_matches(" 1\n").replace(';', ""), path);
        }
    }
}
