//! What is kept of each syscall, file, directory, process and thread.

use std::sync::Arc;
use std::time::Duration;

use super::histogram::{Distribution, Room};
use crate::Syscall;
use crate::stats::Usage;
use crate::stats::table::FOLDED;

/// What one call adds, worked out once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub(super) error: bool,
    pub(super) latency_ns: u64,
    pub(super) latency_bucket: u16,
    pub(super) gap_ns: u64,
    pub(super) gap_bucket: u16,
    /// The second of the session in which it came.
    pub(super) second: u32,
}

/// Calls of the second going on and of the one before it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rate {
    second: u32,
    calls: u32,
    before: u32,
}

impl Rate {
    #[inline]
    pub(super) fn count(&mut self, second: u32) {
        if self.second != second {
            let next = self.second + 1 == second;
            self.before = if next { self.calls } else { 0 };
            self.calls = 0;
            self.second = second;
        }
        self.calls = self.calls.saturating_add(1);
    }

    /// Calls a second at `now`, which is not before what was counted last: those of the second going on and, for what of
    /// the last second lies before it, that share of the second before.
    pub(super) fn at(&self, now: Duration) -> f64 {
        let (calls, before) = match now.as_secs().checked_sub(self.second.into()) {
            Some(0) => (self.calls, self.before),
            Some(1) => (0, self.calls),
            _ => (0, 0),
        };
        let rest = 1.0 - f64::from(now.subsec_nanos()) / 1e9;
        f64::from(calls) + f64::from(before) * rest
    }
}

/// Calls and their latencies.
#[derive(Debug, Clone, Default)]
pub(super) struct Detail {
    pub(super) errors: u64,
    pub(super) read: u64,
    pub(super) written: u64,
    pub(super) latency: Distribution,
}

impl Detail {
    #[inline]
    pub(super) fn count(&mut self, call: &Call, read: u64, written: u64, room: &mut Room) {
        self.errors += u64::from(call.error);
        self.read = self.read.saturating_add(read);
        self.written = self.written.saturating_add(written);
        self.latency.add(call.latency_ns, call.latency_bucket, room);
    }

    pub(super) fn add(&mut self, other: &Detail, room: &mut Room) {
        self.errors += other.errors;
        self.read = self.read.saturating_add(other.read);
        self.written = self.written.saturating_add(other.written);
        self.latency.merge(&other.latency, room);
    }

    /// Adds another one, which goes.
    pub(super) fn take_in(&mut self, other: Detail, room: &mut Room) {
        room.0 += other.latency.histogram.span_bytes();
        self.add(&other, room);
    }

    pub(super) fn calls(&self) -> u64 {
        self.latency.count
    }

    pub(super) fn avg(&self) -> u64 {
        self.latency.sum / self.latency.count.max(1)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.read.saturating_add(self.written)
    }

    /// How much a user would miss it.
    pub(super) fn importance(&self) -> u64 {
        importance(self.calls(), self.errors, self.bytes(), self.latency.sum)
    }
}

/// How much a user would miss something: a call is worth as much as 64 KiB, an error as four calls, a slow millisecond as
/// one.
pub(super) fn importance(calls: u64, errors: u64, bytes: u64, latency_ns: u64) -> u64 {
    calls + errors.saturating_mul(4) + (bytes >> 16) + latency_ns / 1_000_000
}

#[derive(Debug, Clone)]
pub(super) struct SyscallEntry {
    pub(super) syscall: &'static Syscall,
    pub(super) detail: Detail,
    pub(super) gap: Distribution,
    pub(super) rate: Rate,
}

#[derive(Debug, Clone)]
pub(super) struct FileEntry {
    pub(super) detail: Detail,
    /// The place of its directory, or [`FOLDED`].
    pub(super) directory: u32,
    /// The 99th percentile when it had so many calls.
    p99: (u64, u64),
}

impl Default for FileEntry {
    fn default() -> Self {
        FileEntry {
            detail: Detail::default(),
            directory: FOLDED,
            p99: (0, 0),
        }
    }
}

impl FileEntry {
    /// The 99th percentile of the latencies.
    pub(super) fn p99(&mut self) -> u64 {
        let calls = self.detail.calls();
        if self.p99.0 != calls {
            self.p99 = (calls, self.detail.latency.quantile(0.99));
        }
        self.p99.1
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct DirectoryEntry {
    pub(super) detail: Detail,
    /// Files seen in it.
    pub(super) files: u64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct ProcessEntry {
    pub(super) name: Arc<[u8]>,
    pub(super) detail: Detail,
    pub(super) gap: Distribution,
    pub(super) rate: Rate,
    /// Threads seen of it.
    pub(super) threads: usize,
}

#[derive(Debug, Clone, Default)]
pub(super) struct ThreadEntry {
    pub(super) name: Arc<[u8]>,
    pub(super) usage: Usage,
    pub(super) rate: Rate,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_that_of_the_last_second() {
        let at = |ms| Duration::from_millis(ms);
        let mut rate = Rate::default();
        for _ in 0..100 {
            rate.count(3);
        }
        assert_eq!(rate.at(at(3_500)), 100.0);
        assert_eq!(rate.at(at(4_250)), 75.0);
        for _ in 0..50 {
            rate.count(4);
        }
        assert_eq!(rate.at(at(4_500)), 100.0);
        assert_eq!([rate.at(at(5_000)), rate.at(at(6_000))], [50.0, 0.0]);
        rate.count(9);
        assert_eq!(rate.at(at(9_000)), 1.0);
    }
}
