//! Tables: their order, their window and what is selected.

use proptest::prelude::*;

use super::*;

fn paths(window: &Window<FileLine>) -> Vec<&str> {
    window.lines.iter().map(|line| text(&line.path)).collect()
}

#[test]
fn files_are_ordered_by_each_column_and_ties_by_name() {
    let mut rows = vec![
        made(1, "read", "/d/b", 10),
        made(1, "read", "/d/b", 20),
        made(1, "write", "/d/a", 500),
        made(1, "openat", "/c", -2),
        made(1, "openat", "/c", -2),
        made(1, "sendfile64", "/d/to", 64),
        made(1, "close", "", 0),
    ];
    rows[2].latency_ns = 9_000;
    rows[5].old_file = Some(b"/from".to_vec());
    let mut bench = Bench::of(&rows);
    let mut order = |sort, descending| {
        let window = bench.files(
            TableView {
                descending,
                ..all(sort)
            },
            Grouping::File,
        );
        paths(&window).join(" ")
    };
    assert_eq!(
        order(FileColumn::Accesses, true),
        "/c /d/b /d/a /d/to /from"
    );
    assert_eq!(
        order(FileColumn::Accesses, false),
        "/d/a /d/to /from /c /d/b"
    );
    assert_eq!(order(FileColumn::Read, true), "/from /d/b /c /d/a /d/to");
    assert_eq!(order(FileColumn::Written, true), "/d/a /d/to /c /d/b /from");
    assert_eq!(order(FileColumn::Errors, true), "/c /d/a /d/b /d/to /from");
    for slow in [FileColumn::Avg, FileColumn::Max, FileColumn::P99] {
        assert_eq!(order(slow, true), "/d/a /c /d/b /d/to /from");
    }
    assert_eq!(order(FileColumn::Path, false), "/c /d/a /d/b /d/to /from");
    assert_eq!(order(FileColumn::Path, true), "/from /d/to /d/b /d/a /c");

    let window = bench.files(all(FileColumn::Files), Grouping::Directory);
    assert_eq!(paths(&window), ["/d", "/"]);
    let directory = &window.lines[0];
    assert_eq!(
        (
            directory.files,
            directory.accesses,
            directory.read,
            directory.written
        ),
        (3, 4, 30, 564)
    );
    assert_eq!((directory.latency.min, directory.latency.max), (100, 9_000));
}

#[test]
fn names_that_are_no_paths_have_a_group_too() {
    let mut bench = Bench::of(&[
        made(1, "read", "pipe:[1]", 1),
        made(1, "read", "pipe:[2]", 1),
        made(1, "read", "anon_inode:[eventfd]", 1),
        made(1, "read", "a/b", 1),
        made(1, "read", "name", 1),
        made(1, "read", "/with:colon/x", 1),
    ]);
    let view = TableView {
        descending: false,
        ..all(FileColumn::Path)
    };
    let window = bench.files(view, Grouping::Directory);
    assert_eq!(
        paths(&window),
        [".", "/with:colon", "a", "anon_inode:", "pipe:"]
    );
}

#[test]
fn syscalls_have_their_latencies_and_rates() {
    let mut rows = vec![made(1, "read", "/a", 10); 99];
    rows.push(Made {
        latency_ns: 1_000_000,
        ..made(1, "read", "/a", -5)
    });
    rows.extend(vec![made(1, "sendfile64", "/a", 8); 3]);
    let mut bench = Bench::of(&rows);
    bench.now = Duration::from_millis(1_250);
    let window = bench.syscalls(all(SyscallColumn::Count));
    let read = &window.lines[0];
    assert_eq!(
        (
            read.syscall.name,
            read.calls,
            read.errors,
            read.bytes,
            read.rate
        ),
        ("read", 100, 1, 990, 75.0)
    );
    let spread = read.latency.unwrap();
    assert_eq!(
        (spread.avg, spread.min, spread.max),
        (10_099, 100, 1_000_000)
    );
    assert!(
        [spread.p50, spread.p95, spread.p99]
            .iter()
            .all(|value| value.abs_diff(100) <= 2)
    );
    assert_eq!(window.lines[1].bytes, 24);
    let fastest = bench.syscalls(TableView {
        descending: false,
        ..all(SyscallColumn::Max)
    });
    assert_eq!(fastest.lines[0].syscall.name, "sendfile64");
    let selected = TableView {
        selected: syscall::by_name("sendfile64"),
        len: 1,
        ..all(SyscallColumn::Count)
    };
    let window = bench.syscalls(selected);
    assert_eq!(
        (
            window.first,
            window.lines.len(),
            window.total,
            window.selected
        ),
        (1, 1, 2, Some(1))
    );
}

#[test]
fn threads_are_below_their_process() {
    let thread = |tid, comm, call, bytes| Made {
        tid,
        comm,
        ..made(4, call, "/x", bytes)
    };
    let mut bench = Bench::of(&[
        thread(4, "main", "read", 5),
        thread(6, "io-1", "write", 50),
        thread(6, "io-1", "write", 50),
        thread(5, "io-2", "write", 70),
        made(9, "write", "/y", 60),
        thread(6, "io-3", "write", 7),
    ]);
    let view = all(ProcessColumn::Written);
    let window = bench.processes(view.clone(), &[4]);
    let lines: Vec<_> = window
        .lines
        .iter()
        .map(|line| (line.key.pid, line.key.tid, text(&line.name), line.written))
        .collect();
    assert_eq!(
        lines,
        [
            (4, None, "p1", 177),
            (4, Some(6), "io-3", 107),
            (4, Some(5), "io-2", 70),
            (4, Some(4), "main", 0),
            (9, None, "p0", 60),
        ]
    );
    assert_eq!(
        (
            window.total,
            window.lines[0].threads,
            window.lines[1].threads
        ),
        (5, 3, 0)
    );
    let thread = TaskKey {
        pid: 4,
        tid: Some(5),
    };
    let one = TableView {
        selected: Some(thread),
        len: 1,
        ..view.clone()
    };
    let window = bench.processes(one.clone(), &[4]);
    assert_eq!((window.selected, window.lines[0].key), (Some(2), thread));
    // Folded up it is not there; nothing else is selected in its place.
    let window = bench.processes(one, &[]);
    assert_eq!((window.selected, window.total, window.first), (None, 2, 0));
}

proptest! {
    #[test]
    fn a_selection_stays_on_its_file_while_lines_move(
        rounds in prop::collection::vec(prop::collection::vec(0u32..40, 1..30), 1..8), selected in 0u32..44, len in 1usize..9, first in 0usize..50,
    ) {
        let mut bench = Bench::new(Bounds::default());
        let name = format!("/f{selected}");
        let mut first = first;
        for round in rounds {
            let rows: Vec<Made> = round.iter().map(|file| made(1, "read", &format!("/f{file}"), 1)).collect();
            bench.add(&rows);
            let whole = bench.files(all(FileColumn::Accesses), Grouping::File);
            let view = TableView { selected: Some(name.as_bytes().into()), first, len, ..all(FileColumn::Accesses) };
            let part = bench.files(view, Grouping::File);
            let place = paths(&whole).iter().position(|path| *path == name);
            prop_assert_eq!(part.selected, place);
            prop_assert_eq!(part.total, whole.total);
            prop_assert_eq!(paths(&part), &paths(&whole)[part.first..(part.first + len).min(whole.total)]);
            if let Some(place) = place {
                prop_assert_eq!(paths(&part)[place - part.first], &name);
            }
            first = part.first;
        }
    }
}
