//! What rows add up to, also past the bounds.

use super::*;
use crate::row::{Abi, Details, Ids, NameSource, Task};
use crate::syscall;

fn task(pid: u32, process: &[u8]) -> Task {
    Task {
        tid: pid + 1,
        pid,
        ppid: 1,
        uid: 0,
        cgroup_id: 0,
        cgroup: String::new(),
        comm: b"thread".to_vec(),
        process: process.to_vec(),
        start_ns: 0,
    }
}

fn row<'a>(
    task: &'a Task,
    syscall: &str,
    ret: i64,
    file: &'a [u8],
    old_file: Option<&'a [u8]>,
) -> Row<'a> {
    let syscall = syscall::by_name(syscall).unwrap();
    Row {
        seq: 1,
        time_ns: 0,
        wall_ns: 0,
        gap_ns: 0,
        latency_ns: 10,
        task,
        syscall,
        abi: Abi::X86_64,
        fd: 3,
        ret,
        bytes: if syscall.bytes == ByteClass::None {
            0
        } else {
            ret.max(0) as u64
        },
        file,
        old_file,
        name_source: NameSource::Kernel,
        filter_epoch: 0,
        details: Details::default(),
        ids: Ids::default(),
        dev: None,
        ino: None,
        requested: None,
        offset: None,
        flags: None,
    }
}

fn files(stats: &Stats, by: By) -> Vec<(&str, Usage)> {
    let top = stats.top_files(10, by);
    top.into_iter()
        .map(|(name, usage)| (std::str::from_utf8(name).unwrap(), usage))
        .collect()
}

#[test]
fn calls_add_up_by_file_and_by_process() {
    let (a, b) = (task(7, b"cat"), task(8, b"tee"));
    let mut stats = Stats::default();
    stats.add(&row(&a, "read", 100, b"/big", None));
    stats.add(&Row {
        latency_ns: 90,
        ..row(&a, "read", -5, b"/big", None)
    });
    stats.add(&row(&a, "read", -512, b"/big", None));
    stats.add(&row(&b, "write", 30, b"/x", None));
    stats.add(&row(&b, "close", 0, b"", None));

    assert_eq!(
        (stats.rows(), stats.file_count(), stats.process_count()),
        (5, 2, 2)
    );
    let big = Usage {
        calls: 3,
        errors: 1,
        read: 100,
        written: 0,
        latency_ns: 110,
        max_latency_ns: 90,
    };
    let x = Usage {
        calls: 1,
        errors: 0,
        read: 0,
        written: 30,
        latency_ns: 10,
        max_latency_ns: 10,
    };
    assert_eq!(files(&stats, By::Calls), [("/big", big), ("/x", x)]);
    assert_eq!(files(&stats, By::Written), [("/x", x), ("/big", big)]);
    let processes = stats.top_processes(1, By::Latency);
    assert_eq!(
        (processes[0].0.pid, processes[0].0.name(), processes[0].1),
        (7, &b"cat"[..], big)
    );
    assert_eq!(
        stats.folded_files(),
        Folded {
            keys: 0,
            usage: Usage::default()
        }
    );
}

#[test]
fn a_transfer_reads_one_file_and_writes_the_other() {
    let task = task(1, b"cp");
    let mut stats = Stats::default();
    stats.add(&row(&task, "copy_file_range", 64, b"/to", Some(b"/from")));
    stats.add(&row(&task, "rename", 0, b"/new", Some(b"/old")));
    let of = |name| {
        files(&stats, By::Bytes)
            .into_iter()
            .find(|(file, _)| *file == name)
            .unwrap()
            .1
    };
    assert_eq!((of("/to").read, of("/to").written), (0, 64));
    assert_eq!((of("/from").read, of("/from").written), (64, 0));
    assert_eq!(
        (of("/new").calls, of("/old").calls, of("/old").read),
        (1, 1, 0)
    );
    let process = stats.top_processes(1, By::Calls)[0].1;
    assert_eq!((process.calls, process.read, process.written), (2, 64, 64));
}

#[test]
fn past_the_bound_everything_is_still_counted() {
    let mut stats = Stats::new(2, 2);
    for pid in 0..5 {
        let task = task(pid, b"sh");
        for _ in 0..2 {
            stats.add(&row(
                &task,
                "write",
                1,
                format!("/file{pid}").as_bytes(),
                None,
            ));
        }
    }
    assert_eq!(stats.top_files(10, By::Calls).len(), 2);
    let (files, processes) = (stats.folded_files(), stats.folded_processes());
    assert_eq!(
        (files.keys, files.usage.calls, files.usage.written),
        (3, 6, 6)
    );
    assert_eq!((processes.keys, processes.usage.calls), (3, 6));
    let named: u64 = stats
        .top_files(10, By::Calls)
        .iter()
        .map(|(_, usage)| usage.calls)
        .sum();
    assert_eq!(named + files.usage.calls, stats.rows());
}

#[test]
fn the_top_is_the_largest_in_order_and_ties_go_by_name() {
    let task = task(1, b"sh");
    let mut stats = Stats::default();
    for (name, calls) in [("c", 2), ("a", 2), ("d", 9), ("b", 2), ("e", 1)] {
        for _ in 0..calls {
            stats.add(&row(&task, "read", 0, name.as_bytes(), None));
        }
    }
    let names = |n| {
        stats
            .top_files(n, By::Calls)
            .iter()
            .map(|(name, _)| name[0] as char)
            .collect::<String>()
    };
    assert_eq!(
        [names(0), names(1), names(3), names(99)],
        ["", "d", "dab", "dabce"]
    );
}
