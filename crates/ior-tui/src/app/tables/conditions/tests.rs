use super::*;
use crate::rig::{HOSTILE, rows};

fn matches(filter: &str, name: &[u8]) -> bool {
    let filter = Filter::parse(filter).unwrap();
    let batch = rows(&[name]);
    filter.matches(&batch.row(0))
}

#[test]
fn a_name_is_found_by_its_own_condition_whatever_it_is() {
    let names = HOSTILE
        .iter()
        .copied()
        .chain([&b""[..], b"a b", b"^x$", b"/[a/", b"=!~"]);
    for name in names {
        let filter = exactly("file", name);
        assert!(matches(&filter, name), "{filter}");
        assert!(!matches(&filter, b"other"), "{filter}");
        // What is shown is read back as the same.
        let shown = Filter::parse(&filter).unwrap().to_string();
        assert!(matches(&shown, name), "{shown}");
    }
}

#[test]
fn a_directory_is_what_is_directly_in_it() {
    type Names<'n> = &'n [&'n [u8]];
    let cases: &[(&[u8], Names<'_>, Names<'_>)] = &[
        (
            b"/etc",
            &[b"/etc/passwd", b"/etc/", b"/etc/\xff"],
            &[b"/etc", b"/etc/ssl/x", b"/ETC/passwd", b"/x/etc/y"],
        ),
        (b"/", &[b"/a", b"/"], &[b"/a/b", b"a"]),
        (b".", &[b"a"], &[b"a/b", b"/a", b"pipe:[1]"]),
        (b"a", &[b"a/b"], &[b"a/b/c", b"/a/b", b"a"]),
        (b"pipe:", &[b"pipe:[1]"], &[b"socket:[1]", b"/pipe:[1]"]),
        (b"/a.b[c]", &[b"/a.b[c]/d"], &[b"/axb[c]/d"]),
        (b"/\xff", &[b"/\xff/x"], &[b"/\xfe/x"]),
        ("/日 本".as_bytes(), &["/日 本/x".as_bytes()], &[b"/x/x"]),
    ];
    for (directory, inside, outside) in cases {
        let filter = directly_in(directory);
        for name in *inside {
            assert!(matches(&filter, name), "{filter} {}", name.escape_ascii());
        }
        for name in *outside {
            assert!(!matches(&filter, name), "{filter} {}", name.escape_ascii());
        }
    }
}
