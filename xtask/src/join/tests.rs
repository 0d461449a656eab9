//! One test for each thing the generator refuses; every message names the culprit.

use super::*;
use crate::{captures, table};

const HEAD: &str = r#"
[kinds]
none = { does = "nothing" }
fd = { does = "a descriptor", needs = ["fd"] }
two_paths = { does = "two names", needs = ["path", "path2"], takes = ["dir", "dir2"] }
[families]
FS = "files"
Misc = "the rest"
[syscalls]
"#;

const READ: &str = "read|exit|unsigned int fd@16:8|char * buf@24:8|size_t count@32:8\n";

/// What joining these lines with these captures (one of each text) says.
fn problem(lines: &str, texts: &[&str]) -> String {
    match outcome(lines, texts) {
        Ok(names) => panic!("accepted: {names:?}"),
        Err(error) => format!("{error:#}"),
    }
}

fn outcome(lines: &str, texts: &[&str]) -> Result<Vec<(String, BTreeMap<&'static str, usize>)>> {
    let ia32 = if lines.contains("[ia32]") {
        ""
    } else {
        "\n[ia32]\n"
    };
    let table = table::parse(&format!("{HEAD}{lines}{ia32}"))?;
    let captures = texts
        .iter()
        .enumerate()
        .map(|(i, text)| captures::parse(&format!("6.{i}"), text))
        .collect::<Result<Vec<_>>>()?;
    let syscalls = join(&table, &captures, 512)?;
    let places = |s: Syscall<'_>| {
        let mut places = s.args;
        places.extend(
            s.slots
                .iter()
                .filter_map(|(slot, value)| Some((*slot, value.arg?))),
        );
        places
    };
    Ok(syscalls
        .into_iter()
        .map(|s| (s.line.name.clone(), places(s)))
        .collect())
}

fn says(error: &str, words: &[&str]) {
    for word in words {
        assert!(error.contains(word), "no `{word}` in: {error}");
    }
}

#[test]
fn a_good_line_is_joined() {
    let line = r#"read = { nr = 0, family = "FS", kind = "fd", fd = "fd", count = "count", offset = "f_pos" }"#;
    let joined = outcome(line, &[READ, READ]).unwrap();
    let expected = BTreeMap::from([("fd", 0), ("count", 2)]);
    assert_eq!(joined, [("read".to_owned(), expected)]);
}

#[test]
fn an_alternative_name_serves_the_kernels_that_use_it() {
    let line = r#"read = { nr = 0, family = "FS", kind = "fd", fd = "fd|ufd" }"#;
    let other = "read|exit|unsigned int ufd@16:8|char * buf@24:8\n";
    assert!(outcome(line, &[READ, other]).is_ok());
}

#[test]
fn a_captured_syscall_without_a_line() {
    let error = problem(
        r#"read = { nr = 0, family = "FS", kind = "fd", fd = "fd" }"#,
        &[&format!("{READ}write|exit|unsigned int fd@16:8\n")],
    );
    says(&error, &["syscall write", "linux 6.0", "no line"]);
}

#[test]
fn a_line_without_a_captured_syscall() {
    let error = problem(r#"write = { nr = 1, family = "FS", ignore = "x" }"#, &[""]);
    says(&error, &["syscall write", "no capture"]);
}

#[test]
fn a_field_no_capture_has() {
    let line = r#"read = { nr = 0, family = "FS", kind = "fd", fd = "fildes" }"#;
    says(
        &problem(line, &[READ]),
        &["syscall read", "role fd", "`fildes`"],
    );
}

#[test]
fn a_field_one_kernel_lacks() {
    let line = r#"read = { nr = 0, family = "FS", kind = "fd", fd = "fd" }"#;
    let other = "read|exit|unsigned int ufd@16:8\n";
    says(
        &problem(line, &[READ, other]),
        &["syscall read", "linux 6.1", "`fd`"],
    );
}

#[test]
fn a_position_that_differs_between_kernels() {
    let line = r#"read = { nr = 0, family = "FS", kind = "fd", fd = "fd" }"#;
    let other = "read|exit|char * buf@16:8|unsigned int fd@24:8\n";
    says(
        &problem(line, &[READ, other]),
        &["syscall read", "role fd", "linux 6.0", "linux 6.1"],
    );
}

#[test]
fn unknown_words() {
    let cases = [
        (r#"kind = "fds", family = "FS""#, "unknown kind `fds`"),
        (r#"kind = "none", family = "Disk""#, "unknown family `Disk`"),
        (
            r#"kind = "none", family = "FS", bytes = "both""#,
            "unknown byte class `both`",
        ),
        (
            r#"kind = "none", family = "FS", fdd = "fd""#,
            "unknown key `fdd`",
        ),
    ];
    for (keys, expected) in cases {
        let line = format!("read = {{ nr = 0, {keys} }}");
        says(&problem(&line, &[READ]), &["syscall read", expected]);
    }
}

#[test]
fn a_duplicate_number() {
    let lines = "read = { nr = 0, family = \"FS\", ignore = \"x\" }\n\
                 write = { nr = 0, family = \"FS\", ignore = \"x\" }";
    let error = problem(lines, &["read|exit\nwrite|exit\n"]);
    says(&error, &["read and write", "nr 0"]);
}

#[test]
fn a_duplicate_name() {
    let line = "read = { nr = 0, family = \"FS\", ignore = \"x\" }\n";
    says(&problem(&line.repeat(2), &[READ]), &["read"]);
}

#[test]
fn a_number_beyond_the_dispatch_table() {
    let line = r#"read = { nr = 512, family = "FS", ignore = "x" }"#;
    says(&problem(line, &[READ]), &["syscall read", "512"]);
}

#[test]
fn a_kind_without_a_role_it_needs() {
    let line = r#"read = { nr = 0, family = "FS", kind = "fd", count = "count" }"#;
    says(&problem(line, &[READ]), &["syscall read", "needs", "`fd`"]);
}

#[test]
fn a_role_the_kind_has_no_use_for() {
    let line = r#"read = { nr = 0, family = "FS", kind = "none", fd = "fd" }"#;
    says(&problem(line, &[READ]), &["syscall read", "no use", "`fd`"]);
}

#[test]
fn kind_and_ignore_exclude_each_other() {
    let both = r#"read = { nr = 0, family = "FS", kind = "none", ignore = "x" }"#;
    says(&problem(both, &[READ]), &["syscall read", "both"]);
    let neither = r#"read = { nr = 0, family = "FS" }"#;
    says(&problem(neither, &[READ]), &["syscall read", "neither"]);
    let roles = r#"read = { nr = 0, family = "FS", ignore = "x", fd = "fd" }"#;
    says(&problem(roles, &[READ]), &["syscall read", "roles"]);
}

#[test]
fn lines_out_of_order() {
    let lines = "write = { nr = 1, family = \"FS\", ignore = \"x\" }\n\
                 read = { nr = 0, family = \"FS\", ignore = \"x\" }";
    let error = problem(lines, &["read|exit\nwrite|exit\n"]);
    says(&error, &["syscall read", "before that of write"]);
}

/// How the slots of the only syscall of these lines are filled: meaning and form.
fn filled(lines: &str, texts: &[&str]) -> BTreeMap<&'static str, (&'static str, &'static str)> {
    let table = table::parse(&format!("{HEAD}{lines}")).unwrap();
    let capture = captures::parse("6.0", texts.first().unwrap()).unwrap();
    let syscalls = join(&table, std::slice::from_ref(&capture), 512).unwrap();
    let slots = &syscalls.last().unwrap().slots;
    let words = slots
        .iter()
        .map(|(slot, value)| (*slot, (value.is, value.form)));
    words.collect()
}

#[test]
fn values_have_a_meaning_and_a_form() {
    let poll = "poll|exit|struct pollfd * ufds@16:8|unsigned int nfds@24:8|int timeout@32:8\n";
    let line = r#"poll = { nr = 7, family = "Misc", kind = "none", nfds = "nfds", timeout = "ms:timeout" }
                  [ia32]"#;
    let expected = BTreeMap::from([
        ("count", ("Descriptors", "Value")),
        ("offset", ("Timeout", "Value")),
    ]);
    assert_eq!(filled(line, &[poll]), expected);
    let pread = r#"[ia32]
        pread64 = { nr = 180, family = "FS", kind = "fd", fd = "0", count = "2", offset = "3:4" }"#;
    let expected = BTreeMap::from([
        ("count", ("Bytes", "Value")),
        ("offset", ("Position", "Pair")),
    ]);
    assert_eq!(filled(pread, &[""]), expected);
}

#[test]
fn two_roles_for_one_value() {
    let line = r#"read = { nr = 0, family = "FS", kind = "fd", fd = "fd", count = "count", nfds = "count" }"#;
    says(&problem(line, &[READ]), &["syscall read", "its place"]);
}

#[test]
fn a_32_bit_call_described_twice() {
    let lines = "read = { nr = 0, ia32 = 3, family = \"FS\", kind = \"fd\", fd = \"fd\" }\n[ia32]\n\
                 read = { nr = 4, family = \"FS\", kind = \"none\" }";
    says(&problem(lines, &[READ]), &["32-bit call read"]);
    let lines = "read = { nr = 0, ia32 = 3, family = \"FS\", kind = \"fd\", fd = \"fd\" }\n[ia32]\n\
                 other = { nr = 3, family = \"FS\", kind = \"none\" }";
    says(&problem(lines, &[READ]), &["other and read", "ia32 3"]);
}

#[test]
fn a_default_that_says_nothing_new() {
    let line = r#"read = { nr = 0, family = "FS", kind = "fd", fd = "fd", default = true }"#;
    says(
        &problem(line, &[READ]),
        &["syscall read", "its family says"],
    );
}

#[test]
fn a_position_that_is_none() {
    for positions in ["6", "fd", "3:5", "1:"] {
        let line = format!(
            "[ia32]\npread64 = {{ nr = 180, family = \"FS\", kind = \"fd\", fd = \"0\", offset = \"{positions}\" }}"
        );
        says(
            &problem(&line, &[""]),
            &["32-bit call pread64", "role offset"],
        );
    }
}
