//! Rows in, snapshots out.

mod bounds;
mod demo;
mod flame;
mod session;
mod tables;

use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::batch::Batch;
use crate::snapshot::{
    self, FileLine, Latencies, Overview, Pane, ProcessLine, Session, SyscallLine, Window,
};
use crate::view::*;
use crate::{
    Abi, ByteClass, Details, Filter, Ids, NameSource, Row, Snapshot, Syscall, Task, syscall,
};

/// A row as tests write it.
#[derive(Debug, Clone)]
struct Made {
    pid: u32,
    tid: u32,
    comm: &'static str,
    call: &'static str,
    file: Vec<u8>,
    old_file: Option<Vec<u8>>,
    ret: i64,
    latency_ns: u64,
    gap_ns: u64,
}

fn made(pid: u32, call: &'static str, file: &str, ret: i64) -> Made {
    Made {
        pid,
        tid: pid,
        comm: "sh",
        call,
        file: file.as_bytes().to_vec(),
        old_file: None,
        ret,
        latency_ns: 100,
        gap_ns: 0,
    }
}

impl Made {
    fn bytes(&self) -> u64 {
        match syscall::by_name(self.call).unwrap().bytes {
            ByteClass::None => 0,
            _ => self.ret.max(0) as u64,
        }
    }
}

fn batch(rows: &[Made]) -> Arc<Batch> {
    let mut batch = Batch::default();
    for (seq, row) in (1..).zip(rows) {
        let task = Task {
            tid: row.tid,
            pid: row.pid,
            ppid: 1,
            uid: 0,
            cgroup_id: 0,
            cgroup: String::new(),
            comm: row.comm.into(),
            process: format!("p{}", row.pid % 3).into_bytes(),
            start_ns: 0,
        };
        batch.push(&Row {
            seq,
            time_ns: seq,
            wall_ns: seq,
            gap_ns: row.gap_ns,
            latency_ns: row.latency_ns,
            task: &task,
            syscall: syscall::by_name(row.call).unwrap(),
            abi: Abi::X86_64,
            fd: 3,
            ret: row.ret,
            bytes: row.bytes(),
            file: &row.file,
            old_file: row.old_file.as_deref(),
            name_source: NameSource::Kernel,
            filter_epoch: 0,
            dev: None,
            ino: None,
            requested: None,
            offset: None,
            flags: None,
            details: Details::default(),
            ids: Ids::default(),
        });
    }
    Arc::new(batch)
}

/// A model at some moment.
struct Bench {
    model: Model,
    facts: Facts,
    now: Duration,
}

impl Bench {
    fn new(bounds: Bounds) -> Bench {
        Bench {
            model: Model::new(bounds),
            facts: Facts::default(),
            now: Duration::ZERO,
        }
    }

    fn of(rows: &[Made]) -> Bench {
        let mut bench = Bench::new(Bounds::default());
        bench.add(rows);
        bench
    }

    fn add(&mut self, rows: &[Made]) {
        self.model.add(&batch(rows), self.now);
    }

    fn filter(&mut self, filter: &str) {
        self.model
            .set_filter(Filter::parse(filter).unwrap(), self.now);
    }

    fn see(&mut self, view: &View) -> Snapshot {
        Snapshot::clone(&self.model.snapshot(view, &self.facts, self.now))
    }

    fn session(&mut self) -> Session {
        self.see(&View::Stream).session
    }

    fn syscalls(
        &mut self,
        view: TableView<SyscallColumn, &'static Syscall>,
    ) -> Window<SyscallLine> {
        match self.see(&View::Syscalls(view)).pane {
            Pane::Syscalls(window) => window,
            other => panic!("{other:?}"),
        }
    }

    fn files(
        &mut self,
        view: TableView<FileColumn, Box<[u8]>>,
        grouping: Grouping,
    ) -> Window<FileLine> {
        match self.see(&View::Files(view, grouping)).pane {
            Pane::Files(window) => window,
            other => panic!("{other:?}"),
        }
    }

    fn processes(
        &mut self,
        view: TableView<ProcessColumn, TaskKey>,
        unfolded: &[u32],
    ) -> Window<ProcessLine> {
        let unfolded: BTreeSet<u32> = unfolded.iter().copied().collect();
        match self.see(&View::Processes(view, unfolded)).pane {
            Pane::Processes(window) => window,
            other => panic!("{other:?}"),
        }
    }

    fn flame(&mut self, view: FlameView) -> snapshot::Flame {
        match self.see(&View::Flame(view)).pane {
            Pane::Flame(flame) => flame,
            other => panic!("{other:?}"),
        }
    }

    fn overview(&mut self) -> Overview {
        match self.see(&View::Overview).pane {
            Pane::Overview(overview) => overview,
            other => panic!("{other:?}"),
        }
    }

    fn latency(&mut self, subject: Subject) -> Latencies {
        match self.see(&View::Latency(subject)).pane {
            Pane::Latency(latencies) => latencies,
            other => panic!("{other:?}"),
        }
    }

    fn tail(&mut self) -> Vec<String> {
        match self.see(&View::Stream).pane {
            Pane::Stream(tail) => (0..tail.len())
                .map(|place| String::from_utf8_lossy(tail.row(place).unwrap().file).into_owned())
                .collect(),
            other => panic!("{other:?}"),
        }
    }
}

fn all<C, K>(sort: C) -> TableView<C, K> {
    TableView {
        sort,
        descending: true,
        selected: None,
        first: 0,
        len: 1_000_000,
    }
}

fn whole(order: FlameOrder, weight: Weight) -> FlameView {
    FlameView {
        order,
        weight,
        zoom: Vec::new(),
        min_share: 0.0,
        max_frames: NonZeroUsize::MAX,
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}
