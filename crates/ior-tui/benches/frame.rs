//! What drawing a frame of 200x60 costs behind 100,000 files, 1,000 processes and a flame graph of as many frames as it prints:
//! the mean, and the time that 99 of 100 frames stay below, which is CPU time, so that the figure means the same on a busy
//! machine. The snapshot is made beforehand, by another thread in life.
//!
//! `cargo bench -p ior-tui --bench frame`

#![expect(clippy::unwrap_used, reason = "a benchmark of known data")]

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use ior_core::batch::Batch;
use ior_core::live::{Facts, Model};
use ior_core::snapshot::Pane;
use ior_core::view::*;
use ior_core::{Abi, Details, Ids, NameSource, Row, Snapshot, Task, syscall};
use ior_tui::panes::{self, Hits, Look, lines};
use ior_tui::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use rustix::time::{ClockId, clock_gettime};

const ROWS: u64 = 10_000;
const FILES: u64 = 100_000;
const PROCESSES: u64 = 1_000;
const SIZE: (u16, u16) = (200, 60);
const CALLS: [&str; 4] = ["read", "write", "openat", "close"];

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

/// Every process uses its own files, every file is used by several calls.
fn model() -> Model {
    let tasks: Vec<Task> = (0..PROCESSES as u32)
        .map(|number| task(1_000 + number))
        .collect();
    let mut model = Model::default();
    for number in 0..FILES * 3 / ROWS {
        let mut batch = Batch::default();
        for seq in number * ROWS..(number + 1) * ROWS {
            let file = seq % FILES;
            let process = (file % PROCESSES) as usize;
            let call = CALLS[(seq / FILES) as usize % CALLS.len()];
            let name = format!(
                "/srv/data/volume-{}/directory-{}/file-{file}.dat",
                file % 30,
                file % 3_300
            );
            batch.push(&Row {
                seq,
                time_ns: seq * 1_000,
                wall_ns: seq * 1_000,
                gap_ns: seq * 7 % 100_000,
                latency_ns: 300 + seq * 13 % 40_000,
                task: &tasks[process],
                syscall: syscall::by_name(call).unwrap(),
                abi: Abi::X86_64,
                fd: 3,
                ret: if seq.is_multiple_of(50) { -2 } else { 1 },
                bytes: seq % 8_192,
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
        model.add(&Arc::new(batch), Duration::from_millis(100 * number));
    }
    model
}

fn table<C, K>(sort: C) -> TableView<C, K> {
    TableView {
        sort,
        descending: true,
        selected: None,
        first: 0,
        len: lines(SIZE.1),
    }
}

fn views() -> [(&'static str, View); 8] {
    let flame = FlameView {
        order: FlameOrder::CommPathSyscall,
        weight: Weight::Calls,
        zoom: Vec::new(),
        min_share: 0.001,
        max_frames: NonZeroUsize::new(200).unwrap(),
    };
    [
        ("flame", View::Flame(flame)),
        ("overview", View::Overview),
        ("syscalls", View::Syscalls(table(SyscallColumn::Count))),
        (
            "files",
            View::Files(table(FileColumn::Accesses), Grouping::File),
        ),
        (
            "directories",
            View::Files(table(FileColumn::Accesses), Grouping::Directory),
        ),
        (
            "processes",
            View::Processes(table(ProcessColumn::Calls), BTreeSet::new()),
        ),
        ("latency", View::Latency(Subject::All)),
        ("stream", View::Stream),
    ]
}

/// Of this thread.
fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

fn frames(c: &mut Criterion) {
    let mut model = model();
    let facts = Facts::default();
    let theme = Theme::dark();
    let area = Rect::new(0, 0, SIZE.0, SIZE.1);
    let mut buffer = Buffer::empty(area);
    let mut draw = |snapshot: &Snapshot| {
        buffer.reset();
        let mut hits = Hits::default();
        panes::draw(
            &mut buffer,
            area,
            snapshot,
            &Look::default(),
            &theme,
            &mut hits,
        );
    };
    let mut group = c.benchmark_group("frame");
    for (name, view) in views() {
        let snapshot = model.snapshot(&view, &facts, Duration::from_secs(4));
        if let Pane::Flame(flame) = &snapshot.pane {
            eprintln!("{} frames of the flame graph", flame.nodes);
        }
        let mut times: Vec<Duration> = (0..1_000)
            .map(|_| {
                let began = cpu_time();
                draw(&snapshot);
                cpu_time() - began
            })
            .collect();
        times.sort_unstable();
        eprintln!("{name}: 99 of 100 frames take at most {:?}", times[989]);
        group.bench_function(name, |b| b.iter(|| draw(&snapshot)));
    }
    group.finish();
}

criterion_group!(benches, frames);
criterion_main!(benches);
