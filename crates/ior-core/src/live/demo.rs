//! A session on the made-up workload: `ior --demo`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::{Bounds, Facts, Model, Synthetic};
use crate::snapshot::{Command, Feed, Snapshot, Target};
use crate::syscall::Syscall;
use crate::view::View;
use crate::{Filter, Loss, Task};

/// How much of the workload is made at once.
const STEP: Duration = Duration::from_millis(50);

/// Answers as a live session does.
pub struct DemoFeed {
    clock: Box<dyn FnMut() -> Duration + Send>,
    synthetic: Synthetic,
    model: Model,
    facts: Facts,
    now: Duration,
}

impl fmt::Debug for DemoFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DemoFeed")
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl DemoFeed {
    /// A session as old as `clock` says, which does not go back. Looking at it makes what has happened until then.
    pub fn new(seed: u64, clock: impl FnMut() -> Duration + Send + 'static) -> DemoFeed {
        DemoFeed::filtered_by(Filter::default(), seed, clock)
    }

    /// The same, with the filter it begins with.
    pub fn filtered_by(
        filter: Filter,
        seed: u64,
        clock: impl FnMut() -> Duration + Send + 'static,
    ) -> DemoFeed {
        let synthetic = Synthetic::new(seed);
        let facts = Facts {
            syscalls: synthetic.syscalls().into(),
            loss: Loss {
                not_seen: Some(0),
                ..Loss::default()
            },
            ..Facts::default()
        };
        DemoFeed {
            clock: Box::new(clock),
            synthetic,
            model: Model::filtered_by(Bounds::default(), filter),
            facts,
            now: Duration::ZERO,
        }
    }

    fn catch_up(&mut self) {
        let until = (self.clock)();
        if until <= self.now {
            return;
        }
        while self.now < until {
            self.now = until.min(self.now + STEP);
            let (target, syscalls) = (&self.facts.target, &self.facts.syscalls);
            let batch = self.synthetic.advance(self.now, |task, syscall| {
                is_target(target, task) && syscalls.iter().any(|it| it.slot == syscall.slot)
            });
            self.model.add(&Arc::new(batch), self.now);
        }
        self.facts.totals = Arc::new(self.synthetic.totals());
    }
}

fn is_target(target: &Target, task: &Task) -> bool {
    match *target {
        Target::Initial | Target::All => true,
        Target::Process(pid) => task.pid == pid,
        Target::Thread(tid) => task.tid == tid,
    }
}

impl Feed for DemoFeed {
    fn snapshot(&mut self, view: &View) -> Arc<Snapshot> {
        self.catch_up();
        self.model.snapshot(view, &self.facts, self.now)
    }

    fn command(&mut self, command: Command) {
        self.catch_up();
        self.facts.notice = None;
        match command {
            Command::Filter(filter) => {
                self.synthetic.filter_changed();
                self.model.set_filter(filter, self.now);
            }
            Command::Target(target) => self.facts.target = target,
            Command::Syscalls(syscalls) => self.facts.syscalls = in_table_order(syscalls),
            Command::Record(_) => self.facts.notice = Some("a demo cannot be recorded".to_owned()),
            Command::Reset => self.model.reset(&self.facts, self.now),
        }
    }
}

fn in_table_order(mut syscalls: Vec<&'static Syscall>) -> Arc<[&'static Syscall]> {
    syscalls.sort_unstable_by_key(|syscall| syscall.name);
    syscalls.dedup_by_key(|syscall| syscall.slot);
    syscalls.into()
}
