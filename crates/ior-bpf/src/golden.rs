//! From the bytes the kernel would send to rows, without a kernel.

mod session;
mod values;

use ior_core::NameSource;

use crate::allocations;
use crate::batch::Batch;
use crate::record::bytes_of;
use crate::skeleton::types::{self, name_state, record_type, row_note};
use crate::tables::Tables;
use session::{Seen, Session, def, row, session};

#[test]
fn a_definition_that_came_after_the_row_still_names_it() {
    let mut s = Session::default();
    s.row(&row("write", 4, 6, 7));
    s.task(1, 100, "cat");
    s.file(def(7), &["a", "wk", "tmp"]);
    assert_eq!(
        s.one(),
        Seen {
            seq: 1,
            comm: "cat".into(),
            syscall: "write",
            fd: 4,
            bytes: 6,
            file: "/tmp/wk/a".into(),
            old_file: None,
            source: NameSource::Kernel
        }
    );
    assert_eq!(s.resolver.partial_names, 0);
}

#[test]
fn a_row_without_its_definition_is_a_counted_gap_and_never_a_wrong_name() {
    let mut s = session();
    s.row(&row("write", 4, 6, 7));
    let seen = s.one();
    assert_eq!((seen.file.as_str(), seen.source), ("", NameSource::Partial));
    assert_eq!(s.resolver.partial_names, 1);
}

#[test]
fn a_row_of_an_unknown_task_or_syscall_is_counted_and_dropped() {
    let mut s = Session::default();
    s.row(&row("write", 4, 6, 0));
    s.row(&types::row {
        call: 511,
        ..row("write", 4, 6, 0)
    });
    assert_eq!(s.rows(), []);
    assert_eq!(s.resolver.undecodable, 2);
}

#[test]
fn an_evicted_file_names_every_row_of_its_time_and_is_then_defined_anew() {
    let mut s = session();
    s.tables = Tables::with_capacity(2);
    s.task(1, 100, "cat");
    s.file(def(11), &["one"]);
    assert!(!s.tables.is_full());
    s.file(def(12), &["two"]);
    assert!(s.tables.is_full(), "the kernel must be told to define anew");
    s.tables.begin_epoch(1000);
    s.row(&row("write", 4, 1, 11));
    assert_eq!(
        s.one().file,
        "/one",
        "a call entered before needs the epoch before"
    );
    s.file(def(13), &["three"]);
    s.tables.forget(1000);
    assert!(s.tables.is_full());
    s.tables.begin_epoch(2000);
    assert!(
        !s.tables.is_full(),
        "not before the rows that returned until now are resolved"
    );
    s.tables.forget(1999);
    s.row(&row("write", 4, 1, 12));
    assert_eq!(
        s.one().file,
        "/two",
        "a row that returned before and was still in a ring"
    );
    for epoch_ns in [3000, 4000] {
        s.tables.forget(epoch_ns - 1000);
        s.tables.begin_epoch(epoch_ns);
    }
    s.tables.forget(4000);
    assert_eq!(s.tables.evicted, 3);
    assert!(
        s.tables.task(1).is_none(),
        "a thread that made no call for two epochs is defined when it does"
    );
    s.task(2, 100, "cat");
    let row = |file| types::row {
        task: 2,
        ..row("write", 4, 1, file)
    };
    s.row(&row(11));
    assert_eq!(s.one().source, NameSource::Partial);
    s.file(def(11), &["one"]);
    s.row(&row(11));
    assert_eq!(s.one().file, "/one");
}

#[test]
fn relative_names_are_joined_to_their_directory() {
    let mut s = session();
    s.file(def(5), &["wk", "tmp"]);
    for (name, expected) in [
        ("f", "/tmp/wk/f"),
        ("./a//b", "/tmp/wk/a/b"),
        ("../x", "/tmp/wk/../x"),
        ("/etc/passwd", "/etc/passwd"),
    ] {
        s.named_once(
            row("openat", -1, -2, 5),
            name_state::NAME_WHOLE,
            name.as_bytes(),
        );
        let seen = s.one();
        assert_eq!(
            (seen.file.as_str(), seen.source, seen.fd),
            (expected, NameSource::Argument, -1)
        );
    }
}

#[test]
fn absolute_names_are_below_the_callers_own_root() {
    let mut s = session();
    s.file(def(5), &["jail"]);
    let own = row_note::NOTE_OWN_ROOT.0;
    for (name, notes, expected, source) in [
        ("/etc/f", 0, "/etc/f", NameSource::Argument),
        (
            "//etc/f",
            own | row_note::NOTE_BELOW.0,
            "/jail/etc/f",
            NameSource::Argument,
        ),
        (
            "//",
            own | row_note::NOTE_BELOW.0,
            "/jail",
            NameSource::Argument,
        ),
        ("f", own, "/jail/f", NameSource::Argument),
        ("", own, "", NameSource::Argument),
        (
            "/../..//etc/../f",
            own | row_note::NOTE_BELOW.0,
            "/jail/etc/../f",
            NameSource::Argument,
        ),
        (
            "/a/../../f",
            own | row_note::NOTE_BELOW.0,
            "/jail/a/../../f",
            NameSource::Partial,
        ),
        ("../f", own, "/jail/../f", NameSource::Partial),
        ("../f", 0, "/jail/../f", NameSource::Argument),
        ("/etc/f", own, "/etc/f", NameSource::Partial),
        (
            "/etc/f",
            own | row_note::NOTE_BELOW2.0,
            "/etc/f",
            NameSource::Partial,
        ),
    ] {
        let call = types::row {
            notes,
            ..row("openat", -1, -2, 5)
        };
        s.named_once(call, name_state::NAME_WHOLE, name.as_bytes());
        let seen = s.one();
        assert_eq!((seen.file.as_str(), seen.source), (expected, source));
    }
}

#[test]
fn an_empty_name_with_at_empty_path_is_the_descriptors_file() {
    let mut s = session();
    s.file(def(5), &["f"]);
    let call = types::row {
        flags: 0x1000,
        ..row("newfstatat", 3, 0, 5)
    };
    s.named_once(call, name_state::NAME_WHOLE, b"");
    let seen = s.one();
    assert_eq!(
        (seen.file.as_str(), seen.source, seen.fd),
        ("/f", NameSource::Kernel, 3)
    );
    s.named_once(row("newfstatat", 3, -2, 5), name_state::NAME_WHOLE, b"");
    let seen = s.one();
    assert_eq!(
        (seen.file.as_str(), seen.source, seen.fd),
        ("", NameSource::Argument, -1)
    );
    s.named_once(row("readlinkat", 3, 4, 5), name_state::NAME_WHOLE, b"");
    let seen = s.one();
    assert_eq!((seen.file.as_str(), seen.fd), ("/f", 3));
}

#[test]
fn a_name_that_could_not_be_read_is_a_counted_gap() {
    let mut s = session();
    for (ret, state) in [
        (-14, name_state::NAME_FAULT),
        (-14, name_state::NAME_NULL),
        (-36, name_state::NAME_CUT),
    ] {
        s.named_once(row("openat", -1, ret, 0), state, b"");
        assert_eq!(s.one().source, NameSource::Partial);
    }
    assert_eq!(s.resolver.partial_names, 3);
}

#[test]
fn two_names_each_with_its_directory_and_a_symlinks_target_as_it_is() {
    let mut s = session();
    s.file(def(5), &["new"]);
    s.file(def(6), &["old"]);
    s.named(
        row("renameat2", -1, 0, 5),
        6,
        (name_state::NAME_WHOLE, b"b"),
        (name_state::NAME_WHOLE, b"a"),
    );
    let seen = s.one();
    assert_eq!(
        (seen.file.as_str(), seen.old_file.as_deref()),
        ("/new/b", Some("/old/a"))
    );
    s.named(
        row("symlinkat", -1, 0, 5),
        6,
        (name_state::NAME_WHOLE, b"b"),
        (name_state::NAME_WHOLE, b"../a"),
    );
    let seen = s.one();
    assert_eq!(
        (seen.file.as_str(), seen.old_file.as_deref()),
        ("/new/b", Some("../a"))
    );
}

#[test]
fn a_transfer_has_both_files() {
    let mut s = session();
    s.file(def(5), &["to"]);
    s.file(def(6), &["from"]);
    s.named(
        row("sendfile64", 4, 99, 5),
        6,
        (name_state::NAME_NONE, b""),
        (name_state::NAME_NONE, b""),
    );
    let seen = s.one();
    assert_eq!(
        (seen.file.as_str(), seen.old_file.as_deref(), seen.bytes),
        ("/to", Some("/from"), 99)
    );
}

#[test]
fn an_executed_program_has_the_name_passed() {
    let mut s = session();
    s.file(def(5), &["bin"]);
    for (passed, dirfd, expected) in [
        ("/usr/bin/cat", -100, "/usr/bin/cat"),
        ("./cat", -100, "/bin/cat"),
        ("/dev/fd/9/cat", 9, "/bin/cat"),
        ("/dev/fd/9", 9, "/bin"),
        ("/dev/fd/9", -100, "/dev/fd/9"),
    ] {
        let exec = types::exec_name {
            r#type: record_type::RECORD_EXEC_NAME.0 as u8,
            cut: 0,
            len: passed.len() as u16,
            task: 1,
            enter_ns: 1000,
        };
        let mut bytes = bytes_of(&exec);
        bytes.extend_from_slice(passed.as_bytes());
        s.tables.define(&bytes);
        s.named_once(row("execveat", dirfd, 0, 5), name_state::NAME_BY_EXEC, b"");
        assert_eq!(s.one().file, expected, "{passed}");
    }
}

#[test]
fn objects_without_a_path_are_called_what_proc_calls_them() {
    let mut s = session();
    for (magic, components, expected) in [
        (0x5049_5045, vec![""], "pipe:[42]"),
        (0x534F_434B, vec!["UNIX"], "socket:[42]"),
        (0x0904_1934, vec!["[eventfd]"], "anon_inode:[eventfd]"),
        (0x0102_1994, vec!["memfd:x"], "memfd:x"),
        (0x0102_1994, vec!["SYSV00000000"], "/SYSV00000000"),
    ] {
        s.file(
            types::file_def {
                magic,
                internal: 1,
                ..def(9)
            },
            &components,
        );
        s.row(&row("read", 3, 1, 9));
        assert_eq!(s.one().file, expected);
    }
}

#[test]
fn a_path_that_was_cut_keeps_its_last_components_and_says_so() {
    let mut s = session();
    s.file(types::file_def { cut: 1, ..def(9) }, &["leaf", "dir"]);
    s.row(&row("read", 3, 1, 9));
    let seen = s.one();
    assert_eq!(
        (seen.file.as_str(), seen.source),
        ("dir/leaf", NameSource::Partial)
    );
}

#[test]
fn a_gone_task_names_all_rows_that_returned_before_and_is_then_forgotten() {
    let mut s = session();
    let gone = types::task_gone {
        r#type: record_type::RECORD_TASK_GONE.0 as u8,
        pad: [0; 3],
        id: 1,
        at_ns: 5000,
    };
    s.tables.define(&bytes_of(&gone));
    s.tables.forget(4999);
    s.row(&row("close", 3, 0, 0));
    assert_eq!(s.one().comm, "cat");
    s.tables.forget(5000);
    assert!(s.tables.task(1).is_none());
}

#[test]
fn a_renamed_thread_keeps_both_names_each_for_its_own_rows() {
    let mut s = session();
    s.task(2, 100, "worker");
    s.row(&row("close", 3, 0, 0));
    s.row(&types::row {
        task: 2,
        enter_ns: 2000,
        ..row("close", 3, 0, 0)
    });
    let comms: Vec<String> = s.rows().into_iter().map(|seen| seen.comm).collect();
    assert_eq!(comms, ["cat", "worker"]);
}

#[test]
fn broken_definitions_are_counted() {
    let mut s = Session::default();
    s.tables.define(&[]);
    s.tables.define(&[77; 100]);
    s.tables.define(&bytes_of(&types::file_def {
        r#type: 3,
        len: 10,
        ..def(1)
    }));
    s.tables.define(&[4; 20]);
    assert_eq!(s.tables.undecodable, 4);
}

#[test]
fn rows_allocate_nothing_once_the_buffers_have_grown() {
    let mut s = session();
    s.file(def(5), &["wk", "tmp"]);
    s.file(def(6), &["old"]);
    let plain = bytes_of(&row("write", 4, 1, 5));
    let mut named = bytes_of(&types::named_row {
        row: types::row {
            r#type: record_type::RECORD_NAMED_ROW.0 as u8,
            ..row("renameat2", -1, 0, 5)
        },
        file2: 6,
        len: 1,
        len2: 1,
        name2_at: 1,
        state: name_state::NAME_WHOLE.0 as u8,
        state2: name_state::NAME_WHOLE.0 as u8,
    });
    named.extend_from_slice(b"ab");
    let mut later = Batch::default();
    let mut drain = |s: &mut Session| {
        for _ in 0..1000 {
            s.batch.push(&plain);
            s.batch.push(&named);
        }
        s.batch.sort();
        let mut bytes = 0;
        for raw in s.batch.ready(u64::MAX) {
            s.resolver
                .resolve(raw, &s.batch, &mut s.tables, u64::MAX, &mut |row| {
                    bytes += row.bytes
                });
        }
        s.batch.carry(s.batch.len() - 10, &mut later);
        std::mem::swap(&mut s.batch, &mut later);
        assert!(bytes >= 1000);
    };
    for _ in 0..3 {
        drain(&mut s);
    }
    assert_eq!(allocations::during(|| drain(&mut s)), 0);
}
