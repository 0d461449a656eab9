//! What the dashboard's statistics cost: nanoseconds a row, and the time a snapshot of each pane takes behind 100,000 files,
//! 1,000 processes and 200,000 frames of the flame graph. CPU time, so that the figures mean the same on a busy machine.
//!
//! `cargo bench -p ior-core --bench dashboard`

#![expect(clippy::unwrap_used, reason = "a benchmark of known data")]

use std::collections::BTreeSet;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use ior_core::batch::Batch;
use ior_core::live::{Facts, Model, Synthetic};
use ior_core::snapshot::Pane;
use ior_core::view::*;
use ior_core::{Abi, Details, Filter, Ids, NameSource, Row, Task, syscall};
use rustix::time::{ClockId, clock_gettime};

/// Rows of a batch: what comes in 10 ms of a million a second.
const ROWS: usize = 10_000;
const FILES: u64 = 99_000;
const PROCESSES: u32 = 1_000;

const CALLS: [&str; 6] = ["read", "write", "openat", "close", "pread64", "fsync"];

/// CPU time of the thread.
struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    fn end(&self, began: Duration) -> Duration {
        self.start() - began
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// A number that looks random.
fn scattered(number: u64) -> u64 {
    let mixed = (number ^ number >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16
}

fn task(pid: u32) -> Task {
    Task {
        tid: pid,
        pid,
        ppid: 1,
        uid: 0,
        cgroup_id: 1,
        cgroup: "/".to_owned(),
        comm: format!("worker-{}", pid % 40).into_bytes(),
        process: format!("service-{}", pid % 40).into_bytes(),
        start_ns: 0,
    }
}

/// Rows of 1,000 processes on 99,000 files in 3,300 directories. Each process has files of its own, used more or less.
fn batch(number: u64) -> Arc<Batch> {
    // The first rows use every file once; later ones the low numbers more.
    batch_of(number, |seq, random| match seq {
        ..FILES => seq,
        _ => {
            let share = (random % 4096) as f64 / 4096.0;
            (share * share * FILES as f64) as u64
        }
    })
}

/// Rows of which each is on another file than all before.
fn fresh(number: u64) -> Arc<Batch> {
    batch_of(number, |seq, _| FILES + seq)
}

fn batch_of(number: u64, file: impl Fn(u64, u64) -> u64) -> Arc<Batch> {
    let tasks: Vec<Task> = (0..PROCESSES).map(|number| task(1_000 + number)).collect();
    let mut batch = Batch::default();
    for row in 0..ROWS as u64 {
        let seq = number * ROWS as u64 + row;
        let random = scattered(seq);
        let file = file(seq, random);
        let process = (file % u64::from(PROCESSES)) as usize;
        let fails = random.is_multiple_of(50);
        let name = format!(
            "/srv/data/volume-{}/directory-{}/file-{file}.dat",
            file % 30,
            file % 3_300
        );
        let call = syscall::by_name(CALLS[(random >> 20) as usize % CALLS.len()]).unwrap();
        batch.push(&Row {
            seq,
            time_ns: seq * 1_000,
            wall_ns: seq * 1_000,
            gap_ns: random % 100_000,
            latency_ns: 300 + (random >> 8) % 4_000 * ((random >> 30) % 8 + 1),
            task: &tasks[process],
            syscall: call,
            abi: Abi::X86_64,
            fd: 3,
            ret: if fails { -2 } else { 1 },
            bytes: if fails { 0 } else { random % 8_192 },
            file: name.as_bytes(),
            old_file: None,
            name_source: NameSource::Kernel,
            filter_epoch: 0,
            dev: None,
            ino: None,
            requested: None,
            offset: None,
            flags: None,
            details: Details::default(),
            ids: Ids {
                task: process as u32 + 1,
                file: file + 1,
            },
        });
    }
    Arc::new(batch)
}

fn full() -> Model {
    let mut model = Model::default();
    for number in 0..200 {
        model.add(&batch(number), Duration::from_millis(10 * number));
    }
    model
}

fn table<C, K>(sort: C) -> TableView<C, K> {
    TableView {
        sort,
        descending: true,
        selected: None,
        first: 0,
        len: 56,
    }
}

fn flame(order: FlameOrder) -> View {
    View::Flame(FlameView {
        order,
        weight: Weight::Latency,
        zoom: Vec::new(),
        min_share: 0.001,
        max_frames: NonZeroUsize::new(200).unwrap(),
    })
}

fn rows(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("row");
    group.throughput(Throughput::Elements(ROWS as u64));
    let mut synthetic = Synthetic::new(1);
    let mut mix = Batch::default();
    let mut at = Duration::ZERO;
    while mix.len() < ROWS {
        at += Duration::from_millis(100);
        let more = synthetic.advance(at, |_, _| true);
        more.rows().for_each(|row| mix.push(&row));
    }
    group.throughput(Throughput::Elements(mix.len() as u64));
    let mix = Arc::new(mix);
    let mut model = Model::default();
    let mut now = Duration::ZERO;
    group.bench_function("server", |b| {
        b.iter(|| {
            now += Duration::from_millis(10);
            model.add(&mix, now);
        });
    });
    model.set_filter(Filter::parse("latency>=4us").unwrap(), now);
    group.bench_function("server, filtered", |b| {
        b.iter(|| {
            now += Duration::from_millis(10);
            model.add(&mix, now);
        });
    });
    group.throughput(Throughput::Elements(ROWS as u64));
    let mut model = full();
    let batches: Vec<_> = (500..540).map(batch).collect();
    let mut next = (0..batches.len()).cycle();
    let mut now = Duration::from_secs(10);
    group.bench_function("99,000 files", |b| {
        b.iter(|| {
            now += Duration::from_millis(10);
            model.add(&batches[next.next().unwrap()], now);
        });
    });
    let mut number = 1_000;
    let mut longest = Duration::ZERO;
    group.bench_function("all files new", |b| {
        b.iter_custom(|times| {
            let mut sum = Duration::ZERO;
            for _ in 0..times {
                number += 1;
                let batch = fresh(number);
                let began = CpuTime.start();
                model.add(&batch, now);
                let took = CpuTime.end(began);
                longest = longest.max(took);
                sum += took;
            }
            sum
        });
    });
    eprintln!("the longest add of {ROWS} rows took {longest:?}");
    group.finish();
}

fn snapshots(c: &mut Criterion<CpuTime>) {
    let mut group = c.benchmark_group("snapshot");
    group.sample_size(20);
    let mut model = full();
    let mut facts = Facts::default();
    let now = Duration::from_secs(3);
    let first = model.snapshot(&flame(FlameOrder::CommPathSyscall), &facts, now);
    if let Pane::Flame(flame) = &first.pane {
        eprintln!(
            "{} frames in all, {} shown",
            flame.nodes,
            flame.frames.len()
        );
    }
    eprintln!("{} MiB resident", resident() >> 20);
    let unfolded: BTreeSet<u32> = (1_000..1_020).collect();
    let views = [
        ("flame", flame(FlameOrder::CommPathSyscall)),
        ("overview", View::Overview),
        ("syscalls", View::Syscalls(table(SyscallColumn::Count))),
        (
            "files by accesses",
            View::Files(table(FileColumn::Accesses), Grouping::File),
        ),
        (
            "files by p99",
            View::Files(table(FileColumn::P99), Grouping::File),
        ),
        (
            "files by path",
            View::Files(table(FileColumn::Path), Grouping::File),
        ),
        (
            "directories",
            View::Files(table(FileColumn::Written), Grouping::Directory),
        ),
        (
            "processes",
            View::Processes(table(ProcessColumn::Calls), unfolded),
        ),
        ("latency", View::Latency(Subject::All)),
        ("stream", View::Stream),
    ];
    let batches: Vec<_> = (600..640).map(batch).collect();
    let mut next = (0..batches.len()).cycle();
    for (name, view) in views {
        group.bench_function(name, |b| {
            b.iter(|| {
                // Else it would be the one of before.
                facts.shed += 1;
                black_box(model.snapshot(&view, &facts, now))
            });
        });
        // As it is under load: everything that is kept from the last one is of other rows.
        group.bench_function(format!("{name}, after 10,000 rows"), |b| {
            b.iter_custom(|times| {
                (0..times)
                    .map(|_| {
                        model.add(&batches[next.next().unwrap()], now);
                        let began = CpuTime.start();
                        black_box(model.snapshot(&view, &facts, now));
                        CpuTime.end(began)
                    })
                    .sum()
            });
        });
    }
    let mut orders = FlameOrder::ALL.into_iter().cycle();
    group.bench_function("flame, another order", |b| {
        b.iter_batched(
            || flame(orders.next().unwrap()),
            |view| black_box(model.snapshot(&view, &facts, now)),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

/// Memory of the process, bytes; 0 where it cannot be told.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * 4096
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime).warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    targets = rows, snapshots
}
criterion_main!(benches);
