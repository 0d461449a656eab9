//! The kernel's own exact counters and the account of everything that did not become a row.

use crate::syscall::Syscall;

/// Buckets of the log2 latency histogram: bucket `i` counts latencies in `[2^i, 2^(i+1))` ns, bucket 0 also 0 ns,
/// the last one everything longer.
pub const LATENCY_BUCKETS: usize = 40;

/// Exact counts of one syscall since the trace began, in scope, whether or not each call became a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyscallTotals {
    /// Calls returned (or entered, for calls that never return).
    pub calls: u64,
    /// Calls that returned an error (restart codes are none).
    pub errors: u64,
    /// Payload bytes, by the byte class of the call.
    pub bytes: u64,
    /// Sum of latencies, nanoseconds.
    pub latency_ns: u64,
    /// log2 histogram of latencies.
    pub histogram: [u64; LATENCY_BUCKETS],
}

impl Default for SyscallTotals {
    fn default() -> Self {
        SyscallTotals {
            calls: 0,
            errors: 0,
            bytes: 0,
            latency_ns: 0,
            histogram: [0; LATENCY_BUCKETS],
        }
    }
}

impl SyscallTotals {
    /// Adds another CPU's counts to these.
    pub fn add(&mut self, other: &SyscallTotals) {
        self.calls += other.calls;
        self.errors += other.errors;
        self.bytes += other.bytes;
        self.latency_ns += other.latency_ns;
        for (sum, value) in self.histogram.iter_mut().zip(&other.histogram) {
            *sum += value;
        }
    }

    /// Upper bound in nanoseconds of the bucket that holds quantile `q` (0.0..=1.0); none without calls.
    pub fn quantile_upper_ns(&self, q: f64) -> Option<u64> {
        let total: u64 = self.histogram.iter().sum();
        if total == 0 {
            return None;
        }
        let rank = ((total as f64 * q).ceil() as u64).clamp(1, total);
        let mut seen = 0;
        let bucket = self.histogram.iter().position(|count| {
            seen += count;
            seen >= rank
        })?;
        Some(1 << (bucket + 1))
    }
}

/// The totals of a session, one entry for each syscall that was called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals {
    /// By name, in table order.
    pub by_syscall: Vec<(&'static Syscall, SyscallTotals)>,
}

impl Totals {
    /// The sum over all syscalls.
    pub fn sum(&self) -> SyscallTotals {
        let mut sum = SyscallTotals::default();
        for (_, totals) in &self.by_syscall {
            sum.add(totals);
        }
        sum
    }
}

/// Everything that kept a call from being a complete row. `None` means that the counter could not be read: unknown, not 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Loss {
    /// Calls counted in the totals whose row did not fit into the ring.
    pub rows: u64,
    /// Enter time (`CLOCK_BOOTTIME`) of the first lost row; meaningful when `rows` > 0.
    pub first_ns: u64,
    /// Enter time of the last lost row.
    pub last_ns: u64,
    /// BPF program runs the kernel skipped (`recursion_misses`), plus calls for which no per-thread state could be had.
    pub not_seen: Option<u64>,
    /// Exits of threads in scope without an enter, and enters without an exit: the kernel has skipped a program.
    pub unpaired: u64,
    /// Calls that a seccomp filter or a tracer answered: they never ran, are no rows and no loss.
    pub answered: u64,
    /// Rows whose name is partial: cut, unreadable, or its definition was lost.
    pub partial_names: u64,
    /// Definitions (file, task or program name) that did not fit into their ring; each is sent again when next used.
    pub definitions: u64,
    /// Records the decoder could not understand.
    pub undecodable: u64,
}

impl Loss {
    /// True if every call in scope became a complete row.
    pub fn is_complete(&self) -> bool {
        self.rows == 0
            && self.not_seen == Some(0)
            && self.unpaired == 0
            && self.partial_names == 0
            && self.undecodable == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_the_upper_bound_of_its_bucket() {
        let mut totals = SyscallTotals::default();
        assert_eq!(totals.quantile_upper_ns(0.5), None);
        totals.histogram[3] = 99;
        totals.histogram[10] = 1;
        assert_eq!(totals.quantile_upper_ns(0.5), Some(16));
        assert_eq!(totals.quantile_upper_ns(0.99), Some(16));
        assert_eq!(totals.quantile_upper_ns(1.0), Some(2048));
    }

    #[test]
    fn an_unreadable_counter_is_not_complete() {
        let loss = Loss {
            not_seen: None,
            ..Loss::default()
        };
        assert!(!loss.is_complete());
        assert!(
            Loss {
                not_seen: Some(0),
                ..Loss::default()
            }
            .is_complete()
        );
    }
}
