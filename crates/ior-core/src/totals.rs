//! The kernel's own exact counters and the account of everything that did not become a row.

use crate::row::Row;
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

    fn subtract(&mut self, earlier: &SyscallTotals) {
        self.calls -= earlier.calls.min(self.calls);
        self.errors -= earlier.errors.min(self.errors);
        self.bytes -= earlier.bytes.min(self.bytes);
        self.latency_ns -= earlier.latency_ns.min(self.latency_ns);
        for (value, before) in self.histogram.iter_mut().zip(&earlier.histogram) {
            *value -= (*before).min(*value);
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
    /// Adds the counts of another session.
    pub fn add(&mut self, other: &Totals) {
        for (syscall, counts) in &other.by_syscall {
            match self
                .by_syscall
                .binary_search_by_key(&syscall.slot, |(syscall, _)| syscall.slot)
            {
                Ok(place) => self.by_syscall[place].1.add(counts),
                Err(place) => self.by_syscall.insert(place, (syscall, *counts)),
            }
        }
    }

    /// What was counted after `earlier`, which are counts of the same session.
    pub fn since(&self, earlier: &Totals) -> Totals {
        let mut since = Totals::default();
        for (syscall, counts) in &self.by_syscall {
            let mut counts = *counts;
            if let Some(before) = earlier.of(syscall) {
                counts.subtract(before);
            }
            if counts.calls > 0 {
                since.by_syscall.push((syscall, counts));
            }
        }
        since
    }

    /// The counts of a syscall, if it was called.
    pub fn of(&self, syscall: &Syscall) -> Option<&SyscallTotals> {
        let place = self
            .by_syscall
            .binary_search_by_key(&syscall.slot, |(syscall, _)| syscall.slot);
        place.ok().map(|place| &self.by_syscall[place].1)
    }

    /// Counts a row, as the kernel counts its call.
    pub fn count(&mut self, row: &Row<'_>) {
        let place = self
            .by_syscall
            .binary_search_by_key(&row.syscall.slot, |(syscall, _)| syscall.slot);
        let place = place.unwrap_or_else(|place| {
            let new = (row.syscall, SyscallTotals::default());
            self.by_syscall.insert(place, new);
            place
        });
        let counts = &mut self.by_syscall[place].1;
        counts.calls += 1;
        counts.errors += u64::from(row.is_error());
        counts.bytes += row.bytes;
        counts.latency_ns += row.latency_ns;
        let bucket = row.latency_ns.max(1).ilog2() as usize;
        counts.histogram[bucket.min(LATENCY_BUCKETS - 1)] += 1;
    }

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
    /// Adds the losses of another session. The times stay those of the first and the last lost row.
    pub fn add(&mut self, other: &Loss) {
        if other.rows > 0 {
            self.first_ns = if self.rows == 0 {
                other.first_ns
            } else {
                self.first_ns.min(other.first_ns)
            };
            self.last_ns = self.last_ns.max(other.last_ns);
        }
        self.rows += other.rows;
        self.not_seen = self
            .not_seen
            .zip(other.not_seen)
            .map(|(one, two)| one + two);
        self.unpaired += other.unpaired;
        self.answered += other.answered;
        self.partial_names += other.partial_names;
        self.definitions += other.definitions;
        self.undecodable += other.undecodable;
    }

    /// What was lost after `earlier`, which is an account of the same session. Where rows were lost before too, the first
    /// one after it is only known to be later than the last of those, whose time stands for it.
    pub fn since(&self, earlier: &Loss) -> Loss {
        Loss {
            rows: self.rows - earlier.rows.min(self.rows),
            first_ns: if earlier.rows == 0 {
                self.first_ns
            } else {
                earlier.last_ns
            },
            last_ns: self.last_ns,
            not_seen: self
                .not_seen
                .zip(earlier.not_seen)
                .map(|(now, then)| now.saturating_sub(then)),
            unpaired: self.unpaired.saturating_sub(earlier.unpaired),
            answered: self.answered.saturating_sub(earlier.answered),
            partial_names: self.partial_names.saturating_sub(earlier.partial_names),
            definitions: self.definitions.saturating_sub(earlier.definitions),
            undecodable: self.undecodable.saturating_sub(earlier.undecodable),
        }
    }

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
