//! What ior itself takes, now.

use std::fs;
use std::time::{Duration, Instant};

use ior_core::snapshot::Cost;

use crate::summary;

/// How long a share of a CPU is taken over.
const PERIOD: Duration = Duration::from_secs(1);

/// Reads it, about once a second however often it is asked.
#[derive(Debug, Default)]
pub struct Meter {
    last: Option<(Instant, Option<Duration>)>,
    cost: Cost,
}

impl Meter {
    /// What was last read.
    pub fn read(&mut self) -> Cost {
        let now = Instant::now();
        let is_due = |at: &Instant| now.duration_since(*at) >= PERIOD;
        if self.last.as_ref().is_none_or(|(at, _)| is_due(at)) {
            let cpu = summary::Usage::now().cpu;
            if let Some((at, before)) = self.last {
                let took = cpu
                    .zip(before)
                    .map(|(cpu, before)| cpu.saturating_sub(before));
                let wall = now.duration_since(at).as_secs_f64();
                self.cost.cpu = took.map(|took| took.as_secs_f64() / wall);
            }
            self.cost.memory = resident();
            self.last = Some((now, cpu));
        }
        self.cost
    }
}

/// Bytes resident now (proc_pid_statm(5), in pages of 4 KiB as on every machine ior runs on).
fn resident() -> Option<u64> {
    let statm = fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
    Some(pages * 4096)
}
