//! The made-up workload and the session on it.

use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::snapshot::{Command, Feed, Target};

fn demo() -> (DemoFeed, Arc<AtomicU64>) {
    let clock = Arc::new(AtomicU64::new(0));
    let reading = clock.clone();
    let feed = DemoFeed::new(7, move || {
        Duration::from_millis(reading.load(Ordering::Relaxed))
    });
    (feed, clock)
}

fn rows(synthetic: &mut Synthetic, cuts: &[u64]) -> Vec<String> {
    let batches: Vec<Batch> = cuts
        .iter()
        .map(|ms| synthetic.advance(Duration::from_millis(*ms), |_, _| true))
        .collect();
    batches
        .iter()
        .flat_map(|batch| {
            batch
                .rows()
                .map(|row| format!("{row:?}"))
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn a_workload_is_the_same_however_it_is_cut() {
    let whole = rows(&mut Synthetic::new(3), &[4_000]);
    assert!(whole.len() > 10_000, "{}", whole.len());
    assert_eq!(
        rows(&mut Synthetic::new(3), &[1, 2, 700, 3_999, 4_000]),
        whole
    );
    assert_ne!(rows(&mut Synthetic::new(4), &[4_000]), whole);
}

#[test]
fn its_rows_are_such_as_the_kernel_could_send() {
    let mut synthetic = Synthetic::new(1);
    let batch = synthetic.advance(Duration::from_secs(6), |_, _| true);
    let mut exits = std::collections::HashMap::new();
    let begin = batch.row(0).time_ns;
    for (seq, row) in (1..).zip(batch.rows()) {
        assert!(row.time_ns < begin + 6_000_000_000);
        assert_eq!(row.seq, seq);
        let exit = exits.insert(row.task.tid, row.time_ns + row.latency_ns);
        assert_eq!(exit.map_or(0, |exit| row.time_ns - exit), row.gap_ns);
        assert!(
            row.bytes == 0 || (row.bytes as i64 == row.ret && row.syscall.bytes != ByteClass::None)
        );
        assert!(!row.is_error() || row.bytes == 0);
    }
    let totals = synthetic.totals();
    let sum = totals.sum();
    assert_eq!(sum.calls, batch.len() as u64);
    assert_eq!(sum.bytes, batch.rows().map(|row| row.bytes).sum::<u64>());
    assert_eq!(
        sum.errors,
        batch.rows().filter(Row::is_error).count() as u64
    );
    assert_eq!(sum.histogram.iter().sum::<u64>(), sum.calls);
    // All of the cast is known to the table, and there is something to find: a slow fsync and failed opens.
    let syscalls: Vec<_> = synthetic
        .syscalls()
        .iter()
        .map(|syscall| syscall.name)
        .collect();
    assert_eq!(
        syscalls,
        totals
            .by_syscall
            .iter()
            .map(|(syscall, _)| syscall.name)
            .collect::<Vec<_>>()
    );
    assert_eq!(syscalls.len(), 19, "{syscalls:?}");
    assert!(
        batch
            .rows()
            .any(|row| row.syscall.name == "fsync" && row.latency_ns > 50_000_000)
    );
    assert!(
        batch
            .rows()
            .any(|row| row.syscall.name == "openat" && row.ret == -2)
    );
}

#[test]
fn a_demo_answers_as_a_session_does() {
    let (mut feed, clock) = demo();
    let at = |ms| clock.store(ms, Ordering::Relaxed);
    assert_eq!(feed.snapshot(&View::Overview).session.rows, 0);
    at(3_000);
    let snapshot = feed.snapshot(&View::Overview);
    let session = &snapshot.session;
    assert_eq!(
        (session.rows, session.elapsed.as_secs()),
        (session.totals.sum().calls, 3)
    );
    assert!(session.rows > 5_000 && session.calls_per_s > 1_000.0 && session.loss.is_complete());
    let again = feed.snapshot(&View::Overview);
    assert!(Arc::ptr_eq(&snapshot, &again));

    feed.command(Command::Filter(Filter::parse("comm=nginx").unwrap()));
    feed.command(Command::Record(true));
    let filtered = feed.snapshot(&View::Overview);
    let Pane::Overview(overview) = &filtered.pane else {
        panic!("{filtered:?}");
    };
    assert_eq!(overview.processes.len(), 1);
    assert_eq!(
        filtered.session.notice.as_deref(),
        Some("a demo cannot be recorded")
    );
    assert_eq!(filtered.session.recording, None);

    feed.command(Command::Filter(Filter::default()));
    feed.command(Command::Target(Target::Process(301)));
    feed.command(Command::Syscalls(vec![
        syscall::by_name("recvmsg").unwrap(),
    ]));
    feed.command(Command::Reset);
    at(6_000);
    let target = feed.snapshot(&View::Processes(all(ProcessColumn::Calls), BTreeSet::new()));
    assert_eq!(
        (target.session.syscalls.len(), &target.session.target),
        (1, &Target::Process(301))
    );
    assert!(target.session.rows > 10 && target.session.elapsed.as_secs() == 3);
    let Pane::Processes(window) = &target.pane else {
        panic!("{target:?}");
    };
    assert_eq!((window.total, window.lines[0].key.pid), (1, 301));
}

#[test]
fn rows_say_under_which_filter_they_came() {
    let filter = |text: &str| Filter::parse(text).unwrap();
    let clock = Arc::new(AtomicU64::new(200));
    let reading = clock.clone();
    let now = move || Duration::from_millis(reading.load(Ordering::Relaxed));
    let mut feed = DemoFeed::filtered_by(filter("bytes>=0"), 7, now);
    let epochs = |feed: &mut DemoFeed, ms: u64| {
        clock.fetch_add(ms, Ordering::Relaxed);
        let snapshot = feed.snapshot(&View::Stream);
        let Pane::Stream(rows) = &snapshot.pane else {
            panic!("{:?}", snapshot.view)
        };
        let rows = (0..rows.len()).filter_map(|place| rows.row(place));
        let mut epochs: Vec<u64> = rows.map(|row| row.filter_epoch).collect();
        epochs.dedup();
        assert_eq!(
            snapshot.session.filter_epoch,
            *epochs.last().unwrap(),
            "{epochs:?}"
        );
        epochs
    };
    assert_eq!(epochs(&mut feed, 0), [0]);
    feed.command(Command::Filter(filter("")));
    assert_eq!(epochs(&mut feed, 200), [0, 1]);
    feed.command(Command::Filter(filter("bytes>=0")));
    assert_eq!(epochs(&mut feed, 200), [0, 1, 2]);
}
