//! Summaries of fixed data, at a narrow and a wide width.

use ior_core::syscall::by_name;
use ior_core::{Abi, Details, Ids, NameSource, Row, Task};

use super::*;

fn task(pid: u32, name: &[u8]) -> Task {
    Task {
        tid: pid,
        pid,
        ppid: 1,
        uid: 0,
        cgroup_id: 0,
        cgroup: String::new(),
        comm: name.to_vec(),
        process: name.to_vec(),
        start_ns: 0,
    }
}

fn row<'a>(task: &'a Task, syscall: &str, ret: i64, latency_ns: u64, file: &'a [u8]) -> Row<'a> {
    let syscall = by_name(syscall).unwrap();
    Row {
        seq: 0,
        time_ns: 0,
        wall_ns: 0,
        gap_ns: 0,
        latency_ns,
        task,
        syscall,
        abi: Abi::X86_64,
        fd: -1,
        ret,
        bytes: if syscall.bytes == ior_core::ByteClass::None {
            0
        } else {
            ret.try_into().unwrap_or(0)
        },
        file,
        old_file: None,
        name_source: NameSource::Kernel,
        filter_epoch: 0,
        dev: None,
        ino: None,
        requested: None,
        offset: None,
        flags: None,
        details: Details::default(),
        ids: Ids::default(),
    }
}

fn totals() -> Totals {
    let counts = |calls, errors, bytes, latency_ns, bucket: usize| {
        let mut counts = SyscallTotals {
            calls,
            errors,
            bytes,
            latency_ns,
            ..SyscallTotals::default()
        };
        counts.histogram[bucket] = calls;
        counts
    };
    let by_name = |name| by_name(name).unwrap();
    let never_returned = counts(3, 0, 0, 0, 0);

    Totals {
        by_syscall: vec![
            (by_name("exit_group"), never_returned),
            (
                by_name("io_uring_register"),
                counts(12, 0, 0, 48_000_000, 22),
            ),
            (by_name("openat"), counts(2345, 123, 0, 9_380_000, 12)),
            (
                by_name("read"),
                counts(12_345_678, 1, 123_456_789_012, 7_407_406_800, 9),
            ),
        ],
    }
}

fn stats() -> Stats {
    let (make, odd) = (task(4_194_303, b"make"), task(77, b"odd\x1b[2Jname"));
    let mut stats = Stats::default();
    for _ in 0..3 {
        stats.add(&row(
            &make,
            "read",
            4096,
            1_500,
            b"/usr/include/c++/12/bits/a/very/long/path/that/does/not/fit/stl_algobase.h",
        ));
    }
    stats.add(&row(&make, "openat", -2, 4_000, b"/nope\nopenat /forged"));
    stats.add(&row(&odd, "write", 100, 2_000_000, b"/var/log/x.log"));
    stats
}

fn text(stats: Option<&Stats>, loss: &Loss, width: usize) -> String {
    let mut out = Vec::new();
    write(&totals(), stats, loss, width, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn no_loss() -> Loss {
    Loss {
        not_seen: Some(0),
        ..Loss::default()
    }
}

#[test]
fn a_narrow_terminal_has_eighty_columns() {
    let text = text(Some(&stats()), &no_loss(), 80);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    insta::assert_snapshot!(text);
}

#[test]
fn a_wide_one_cuts_no_path() {
    insta::assert_snapshot!(text(Some(&stats()), &no_loss(), 200));
}

#[test]
fn totals_alone_and_what_was_lost() {
    let loss = Loss {
        rows: 12,
        not_seen: None,
        partial_names: 1,
        ..Loss::default()
    };
    insta::assert_snapshot!(text(None, &loss, 80));
}

#[test]
fn nothing_happened() {
    let mut out = Vec::new();
    write(
        &Totals::default(),
        Some(&Stats::default()),
        &no_loss(),
        80,
        &mut out,
    )
    .unwrap();
    insta::assert_snapshot!(String::from_utf8(out).unwrap(), @r"
    No calls were made.

    Nothing was lost.
    ");
}

#[test]
fn more_files_than_fit_are_one_entry() {
    let make = task(7, b"make");
    let mut stats = Stats::new(1, 1);
    for file in [b"/a", b"/b", b"/c"] {
        stats.add(&row(&make, "read", 1, 1_000, file));
    }
    let mut out = Vec::new();
    write(&Totals::default(), Some(&stats), &no_loss(), 80, &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("[other] about 2 more files"), "{text}");
}

#[test]
fn totals_as_json() {
    let mut out = Vec::new();
    write_totals_json(&totals(), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    let read: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(read["syscall"], "read");
    assert_eq!(read["bytes"], 123_456_789_012_u64);
    assert_eq!(read["histogram"][9], 12_345_678);
}
