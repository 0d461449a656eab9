//! Filters, resets, facts and time.

use super::*;
use crate::snapshot::Over;
use crate::{SyscallTotals, Totals};

fn totals(calls: &[(&str, u64)]) -> Arc<Totals> {
    let line = |(name, calls): &(&str, u64)| {
        let totals = SyscallTotals {
            calls: *calls,
            bytes: calls * 2,
            ..SyscallTotals::default()
        };
        (syscall::by_name(name).unwrap(), totals)
    };
    Arc::new(Totals {
        by_syscall: calls.iter().map(line).collect(),
    })
}

fn counts(bench: &mut Bench) -> Vec<(&'static str, u64, bool)> {
    let window = bench.syscalls(all(SyscallColumn::Count));
    let lines = window.lines.iter();
    lines
        .map(|line| (line.syscall.name, line.calls, line.latency.is_some()))
        .collect()
}

#[test]
fn without_a_filter_the_kernel_counts_calls() {
    let mut bench = Bench::of(&[
        made(1, "read", "/a", 1),
        made(1, "write", "/a", 1),
        made(1, "write", "/a", 1),
    ]);
    bench.facts.totals = totals(&[("read", 7), ("close", 2), ("write", 1)]);
    assert_eq!(
        counts(&mut bench),
        [("read", 7, true), ("close", 2, false), ("write", 2, true)]
    );
    bench.filter("syscall=read");
    assert_eq!(counts(&mut bench), [("read", 1, true)]);
    bench.filter("");
    assert_eq!(counts(&mut bench)[0], ("read", 7, true));

    let facts = bench.facts.clone();
    bench.model.reset(&facts, bench.now);
    assert!(counts(&mut bench).is_empty());
    bench.facts.totals = totals(&[("read", 9), ("close", 2), ("write", 1)]);
    assert_eq!(counts(&mut bench), [("read", 2, false)]);
    assert_eq!(bench.session().totals.by_syscall.len(), 3);
}

#[test]
fn a_filter_starts_from_the_tail_and_undoing_it_shows_the_session() {
    let mut bench = Bench::new(Bounds::default());
    for round in 0..3 {
        bench.now = Duration::from_secs(round);
        bench.add(&vec![made(1, "read", "/early", 1); 4_000]);
    }
    bench.add(&[made(2, "write", "/late", 5), made(2, "read", "/late", -2)]);
    let before = bench.overview();
    assert_eq!(bench.session().rows, 12_002);

    bench.now = Duration::from_secs(5);
    bench.filter("pid=1");
    let session = bench.session();
    assert_eq!(
        (session.rows, session.filter_epoch, session.elapsed),
        (9_998, 1, Duration::ZERO)
    );
    bench.filter("pid=1 pid=2");
    assert_eq!((bench.session().rows, bench.tail().len()), (0, 0));
    bench.filter("file=/late");
    bench.add(&[made(3, "read", "/late", 1), made(3, "read", "/x", 1)]);
    let overview = bench.overview();
    assert_eq!(
        (overview.read, overview.written, overview.errors),
        (1, 5, 1)
    );
    assert_eq!(bench.tail(), ["/late"; 3]);
    assert_eq!(overview.processes.len(), 2);

    bench.now = Duration::from_secs(6);
    bench.filter("");
    let session = bench.session();
    assert_eq!(
        (session.rows, session.filter_epoch, session.elapsed),
        (12_004, 4, Duration::from_secs(6))
    );
    assert_eq!(bench.overview().read, before.read + 2);
    assert_eq!(bench.tail().len(), TAIL_ROWS);
}

#[test]
fn a_narrower_filter_starts_from_all_that_the_wider_one_showed() {
    let mut bench = Bench::new(Bounds::default());
    bench.filter("pid=2");
    bench.add(&[made(2, "read", "/rare", 1), made(2, "write", "/rare", 1)]);
    for _ in 0..4 {
        bench.add(&vec![made(1, "read", "/often", 1); 4_000]);
    }
    bench.filter("pid=2 syscall=read");
    assert_eq!(bench.tail(), ["/rare"]);
    // Its rows are no longer in the tail of all rows.
    bench.filter("file=/rare");
    assert_eq!(bench.session().rows, 0);
}

#[test]
fn the_tail_is_the_last_rows_in_order() {
    let mut bench = Bench::new(Bounds::default());
    let row = |number: usize| made(1, "read", &format!("/{number}"), 1);
    for begin in (0..15_000).step_by(1_500) {
        bench.add(&(begin..begin + 1_500).map(row).collect::<Vec<_>>());
    }
    let tail = bench.tail();
    assert_eq!(
        (tail.len(), &*tail[0], &*tail[9_999]),
        (10_000, "/5000", "/14999")
    );
    bench.add(&(0..50_000).map(row).collect::<Vec<_>>());
    let tail = bench.tail();
    assert_eq!((tail.len(), &*tail[0]), (10_000, "/40000"));
    bench.filter("file~0000");
    assert_eq!(bench.tail(), ["/40000"]);
}

#[test]
fn a_filter_does_not_keep_batches_for_the_few_rows_it_lets_through() {
    let mut bench = Bench::new(Bounds::default());
    bench.filter("pid=2");
    let mut rows = vec![made(1, "read", "/a", 1); 100];
    rows.push(made(2, "read", "/b", 1));
    let big = batch(&rows);
    bench.model.add(&big, bench.now);
    for _ in 0..3 {
        bench.add(&vec![made(1, "read", "/a", 1); 10_000]);
    }
    assert_eq!(
        (bench.tail(), Arc::strong_count(&big)),
        (vec!["/b".to_owned()], 1)
    );
}

#[test]
fn seconds_rates_and_the_heat_map_go_by_the_time_of_arrival() {
    let mut bench = Bench::new(Bounds::default());
    for second in 0..5 {
        bench.now = Duration::from_secs(second);
        bench.add(&vec![
            made(1, "write", "/a", 10);
            100 * (second as usize + 1)
        ]);
    }
    bench.now = Duration::from_millis(4_500);
    let overview = bench.overview();
    let calls: Vec<u64> = overview.seconds.iter().map(|second| second.calls).collect();
    assert_eq!(calls, [100, 200, 300, 400]);
    assert_eq!(overview.seconds[3].written, 4_000);
    assert_eq!(bench.session().calls_per_s, 700.0);
    let latencies = bench.latency(Subject::All);
    let columns: Vec<u32> = latencies.heat.iter().map(|column| column[6]).collect();
    assert_eq!(
        (columns, latencies.heat_step),
        (vec![100, 200, 300, 400, 500], Duration::from_secs(1))
    );
    // A filter's statistics start with the rows of the tail at the time when they came.
    bench.filter("pid=1");
    assert_eq!(bench.overview().seconds.len(), 4);
    bench.now = Duration::from_secs(60);
    assert_eq!(
        (bench.session().calls_per_s, bench.overview().seconds.len()),
        (0.0, 60)
    );
}

#[test]
fn a_subject_has_its_own_latencies() {
    let row = |call, file: &str, latency_ns, gap_ns| Made {
        latency_ns,
        gap_ns,
        ..made(1, call, file, 1)
    };
    let mut bench = Bench::of(&[
        row("read", "/a", 3, 0),
        row("read", "/b", 5_000, 70),
        row("write", "/b", 9, 1),
    ]);
    let counts = |latencies: &Latencies| {
        let gap = latencies.gap.map(|gap| gap.iter().sum::<u64>());
        (
            latencies.latency.iter().sum::<u64>(),
            gap,
            latencies.latency_spread.map(|spread| spread.max),
        )
    };
    let read = syscall::by_name("read").unwrap();
    assert_eq!(
        counts(&bench.latency(Subject::All)),
        (3, Some(2), Some(5_000))
    );
    assert_eq!(
        counts(&bench.latency(Subject::Syscall(read))),
        (2, Some(1), Some(5_000))
    );
    assert_eq!(
        counts(&bench.latency(Subject::File(b"/b"[..].into()))),
        (2, None, Some(5_000))
    );
    assert_eq!(
        counts(&bench.latency(Subject::Process(1))),
        (3, Some(2), Some(5_000))
    );
    assert_eq!(
        counts(&bench.latency(Subject::Process(2))),
        (0, Some(0), None)
    );
    assert_eq!(bench.latency(Subject::File(b"/x"[..].into())).gap, None);
}

#[test]
fn an_equal_generation_is_an_equal_picture() {
    let mut bench = Bench::of(&[made(1, "read", "/a", 1)]);
    let generation = |bench: &mut Bench, view: &View| bench.see(view).generation;
    let first = generation(&mut bench, &View::Overview);
    bench.now = Duration::from_millis(900);
    assert_eq!(generation(&mut bench, &View::Overview), first);
    assert_eq!(generation(&mut bench, &View::Stream), first + 1);
    bench.now = Duration::from_millis(1_000);
    assert_eq!(generation(&mut bench, &View::Stream), first + 2);
    bench.add(&[]);
    assert_eq!(generation(&mut bench, &View::Stream), first + 2);
    bench.add(&[made(1, "read", "/a", 1)]);
    assert_eq!(generation(&mut bench, &View::Stream), first + 3);
    bench.facts.notice = Some("x".into());
    assert_eq!(generation(&mut bench, &View::Stream), first + 4);
    bench.facts.over = Some(Over::Ended("end".into()));
    assert_eq!(generation(&mut bench, &View::Stream), first + 5);
    bench.now = Duration::from_secs(100);
    assert_eq!(generation(&mut bench, &View::Stream), first + 5);
}
