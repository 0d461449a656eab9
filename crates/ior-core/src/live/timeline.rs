//! What happened when: the last seconds, and latencies over the whole session.

use std::collections::VecDeque;
use std::time::Duration;

use super::entry::Call;
use super::histogram::{Histogram, Room};
use crate::snapshot::Second;
use crate::totals::LATENCY_BUCKETS;

/// Seconds kept.
const SECONDS: usize = 300;

/// Columns of the heat map at most.
const COLUMNS: usize = 120;

/// Latencies of some seconds.
pub(super) type Column = [u32; LATENCY_BUCKETS];

/// Seconds, and columns that cover the time since the first of them: once there are too many, two become one.
#[derive(Debug, Clone)]
pub(super) struct Timeline {
    origin: u64,
    /// The second going on.
    second: u64,
    current: Second,
    calls: Histogram,
    past: VecDeque<Second>,
    columns: Vec<Column>,
    /// Seconds a column stands for.
    step: u64,
}

impl Timeline {
    pub(super) fn new(at: Duration) -> Timeline {
        Timeline {
            origin: at.as_secs(),
            second: at.as_secs(),
            current: Second::default(),
            calls: Histogram::default(),
            past: VecDeque::new(),
            columns: Vec::new(),
            step: 1,
        }
    }

    /// The second going on.
    pub(super) fn second(&self) -> u32 {
        self.second as u32
    }

    /// Begins the second of `at` if it is a later one.
    pub(super) fn roll(&mut self, at: Duration) {
        let second = at.as_secs();
        if second <= self.second {
            return;
        }
        self.finish();
        let quiet = second - self.second - 1;
        for _ in 0..quiet.min(SECONDS as u64) {
            self.push(Second::default());
        }
        self.second = second;
        self.column(second - 1);
    }

    fn finish(&mut self) {
        let [p50, p99] = self.percentiles();
        let done = std::mem::take(&mut self.current);
        self.push(Second { p50, p99, ..done });
        let column = self.column(self.second);
        let latencies = std::mem::take(&mut self.calls);
        latencies.add_to(&mut self.columns[column]);
        self.calls = latencies;
        self.calls.clear();
    }

    fn percentiles(&self) -> [u64; 2] {
        match self.current.calls {
            0 => [0, 0],
            calls => self.calls.quantiles(calls, [0.50, 0.99]),
        }
    }

    fn push(&mut self, second: Second) {
        if self.past.len() == SECONDS {
            self.past.pop_front();
        }
        self.past.push_back(second);
    }

    /// The place of the column of a second; makes room for it.
    fn column(&mut self, second: u64) -> usize {
        while (second - self.origin) / self.step >= COLUMNS as u64 {
            self.step *= 2;
            self.columns = self.columns.chunks(2).map(sum).collect();
        }
        let column = ((second - self.origin) / self.step) as usize;
        if column >= self.columns.len() {
            self.columns.resize(column + 1, [0; LATENCY_BUCKETS]);
        }
        column
    }

    #[inline]
    pub(super) fn count(&mut self, call: &Call, read: u64, written: u64, room: &mut Room) {
        self.current.calls += 1;
        self.current.errors += u64::from(call.error);
        self.current.read = self.current.read.saturating_add(read);
        self.current.written = self.current.written.saturating_add(written);
        self.calls.add(call.latency_bucket, room);
    }

    /// The last finished seconds, the newest last.
    pub(super) fn seconds(&self) -> Vec<Second> {
        self.past.iter().copied().collect()
    }

    /// The columns, the oldest first and the second going on in the last, and how long each is.
    pub(super) fn heat(&self) -> (Vec<Column>, Duration) {
        let mut whole = self.clone();
        let column = whole.column(self.second);
        self.calls.add_to(&mut whole.columns[column]);
        (whole.columns, Duration::from_secs(whole.step))
    }
}

fn sum(columns: &[Column]) -> Column {
    let mut sum = columns[0];
    for column in &columns[1..] {
        for (sum, count) in sum.iter_mut().zip(column) {
            *sum = sum.saturating_add(*count);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::super::histogram::bucket_of;
    use super::*;

    fn call(latency_ns: u64) -> Call {
        Call {
            error: true,
            latency_ns,
            latency_bucket: bucket_of(latency_ns),
            gap_ns: 0,
            gap_bucket: 0,
            second: 0,
        }
    }

    #[test]
    fn quiet_seconds_are_seconds_and_the_last_ones_stay() {
        let mut room = Room(1 << 20);
        let mut time = Timeline::new(Duration::from_millis(1500));
        time.count(&call(1000), 5, 6, &mut room);
        assert!(time.seconds().is_empty());
        time.roll(Duration::from_secs(4));
        time.roll(Duration::from_secs(3));
        let seconds = time.seconds();
        assert_eq!(seconds.len(), 3);
        let Second {
            calls,
            errors,
            read,
            written,
            p50,
            p99,
        } = seconds[0];
        assert_eq!((calls, errors, read, written), (1, 1, 5, 6));
        assert!(p50.abs_diff(1000) <= 20 && p50 == p99);
        assert_eq!(seconds[1..], [Second::default(); 2]);
        time.roll(Duration::from_secs(1_000_000_000));
        assert_eq!(time.seconds(), [Second::default(); SECONDS]);
    }

    #[test]
    fn columns_cover_everything_and_lose_nothing() {
        let mut room = Room(1 << 20);
        let mut time = Timeline::new(Duration::from_secs(7));
        for second in 7..1007 {
            time.roll(Duration::from_secs(second));
            time.count(&call(second), 0, 0, &mut room);
        }
        let (columns, step) = time.heat();
        assert_eq!((step.as_secs(), columns.len()), (16, 63));
        let all: u32 = columns.iter().flatten().sum();
        assert_eq!(all, 1000);
        assert_eq!(columns[0][2] + columns[0][3] + columns[0][4], 16);
        assert_eq!(columns[62][9], 8);
    }
}
