//! Log-linear histograms: 32 buckets for each power of two, so that the middle of a bucket is within 1/64 (1.6 %) of what
//! is in it. Few different values take few bytes.

use std::ops::AddAssign;

use crate::snapshot::Spread;
use crate::totals::LATENCY_BUCKETS;

/// Buckets a power of two is split into, as a power of two.
const SPLIT_BITS: u32 = 5;
const SPLIT: u16 = 1 << SPLIT_BITS;

/// Different buckets kept as a list, before they become an array.
const FEW: usize = 32;

/// Counts by bucket. It does not know the sum, the smallest and the largest; whoever needs them keeps them beside it.
#[derive(Debug, Clone)]
pub(super) struct Histogram(Buckets);

#[derive(Debug, Clone)]
enum Buckets {
    /// In the order in which they came.
    Few(Vec<(u16, u32)>),
    /// From `first` on, which begins a power of two.
    Span { first: u16, counts: Vec<u64> },
}

impl Default for Histogram {
    fn default() -> Self {
        Histogram(Buckets::Few(Vec::new()))
    }
}

/// Memory that histograms may still take for arrays, bytes. Once there is none, a value of a new bucket of a full list is
/// counted in the nearest bucket of it: a quantile is then as near as that.
#[derive(Debug, Clone)]
pub(super) struct Room(pub(super) usize);

/// The bucket of a value.
#[inline]
pub(super) fn bucket_of(value: u64) -> u16 {
    if value < SPLIT.into() {
        return value as u16;
    }
    let exponent = value.ilog2();
    let part = (value >> (exponent - SPLIT_BITS)) as u16 & (SPLIT - 1);
    (exponent - SPLIT_BITS + 1) as u16 * SPLIT + part
}

/// The value in the middle of a bucket.
fn middle(bucket: u16) -> u64 {
    if bucket < SPLIT {
        return bucket.into();
    }
    let width = 1u64 << (bucket / SPLIT - 1);
    u64::from(SPLIT + bucket % SPLIT) * width + width / 2
}

/// The bucket of the log2 histogram that a bucket lies in.
fn power(bucket: u16) -> usize {
    let power = match bucket {
        0 => 0,
        1..SPLIT => bucket.ilog2() as usize,
        _ => usize::from(bucket / SPLIT) + SPLIT_BITS as usize - 1,
    };
    power.min(LATENCY_BUCKETS - 1)
}

impl Histogram {
    /// Counts a value by its bucket.
    #[inline]
    pub(super) fn add(&mut self, bucket: u16, room: &mut Room) {
        match &mut self.0 {
            Buckets::Span { first, counts } => {
                if let Some(count) = counts.get_mut(usize::from(bucket.wrapping_sub(*first))) {
                    *count += 1;
                    return;
                }
            }
            Buckets::Few(few) => {
                let own = few.iter_mut().find(|(own, _)| *own == bucket);
                if let Some((_, count)) = own
                    && *count < u32::MAX
                {
                    *count += 1;
                    return;
                }
            }
        }
        self.add_many(bucket, 1, room);
    }

    /// Counts many values of one bucket.
    pub(super) fn add_many(&mut self, bucket: u16, many: u64, room: &mut Room) {
        if let Buckets::Few(few) = &mut self.0 {
            let own = few.iter().position(|(own, _)| *own == bucket);
            if own.is_none() && few.len() < FEW && many <= u32::MAX.into() {
                few.push((bucket, many as u32));
                return;
            }
            if let Some((_, count)) = own.map(|own| &mut few[own])
                && let Ok(sum) = u32::try_from(u64::from(*count) + many)
            {
                *count = sum;
                return;
            }
            let (least, most) = self.range_with(bucket);
            if !self.make_span(least, most, room) {
                self.add_nearest(bucket, many);
                return;
            }
        }
        let (least, most) = self.range_with(bucket);
        self.make_span(least, most, room);
        if let Buckets::Span { first, counts } = &mut self.0 {
            // Without room the nearest there is.
            let place = usize::from(bucket.saturating_sub(*first)).min(counts.len() - 1);
            counts[place] += many;
        }
    }

    fn add_nearest(&mut self, bucket: u16, many: u64) {
        if let Buckets::Few(few) = &mut self.0
            && let Some((_, count)) = few.iter_mut().min_by_key(|(own, _)| own.abs_diff(bucket))
        {
            *count = count.saturating_add(many.try_into().unwrap_or(u32::MAX));
        }
    }

    /// The first and last bucket there is, with another one.
    fn range_with(&self, bucket: u16) -> (u16, u16) {
        match &self.0 {
            Buckets::Few(few) => few
                .iter()
                .fold((bucket, bucket), |(least, most), (own, _)| {
                    (least.min(*own), most.max(*own))
                }),
            Buckets::Span { first, counts } => (
                bucket.min(*first),
                bucket.max(first + (counts.len() - 1) as u16),
            ),
        }
    }

    /// Makes it an array of at least these buckets, whole powers of two. False if there is no room.
    fn make_span(&mut self, least: u16, most: u16, room: &mut Room) -> bool {
        let start = least / SPLIT * SPLIT;
        let len = usize::from(most / SPLIT * SPLIT + SPLIT - start);
        let more = len * size_of::<u64>() - self.span_bytes();
        if more == 0 {
            return true;
        }
        if more > room.0 {
            return false;
        }
        room.0 -= more;
        let mut counts = vec![0; len];
        self.each(|bucket, count| counts[usize::from(bucket - start)] += count);
        self.0 = Buckets::Span {
            first: start,
            counts,
        };
        true
    }

    /// Bytes to give back to [`Room`] when it goes.
    pub(super) fn span_bytes(&self) -> usize {
        match &self.0 {
            Buckets::Few(_) => 0,
            Buckets::Span { counts, .. } => counts.len() * size_of::<u64>(),
        }
    }

    /// Calls `f` with each bucket that has counts, the smallest first.
    pub(super) fn each(&self, mut f: impl FnMut(u16, u64)) {
        match &self.0 {
            Buckets::Few(few) => {
                let mut sorted = [(0, 0); FEW];
                let sorted = &mut sorted[..few.len()];
                sorted.copy_from_slice(few);
                sorted.sort_unstable();
                sorted
                    .iter()
                    .for_each(|(bucket, count)| f(*bucket, (*count).into()));
            }
            Buckets::Span { first, counts } => {
                let buckets = counts.iter().zip(*first..).filter(|(count, _)| **count > 0);
                buckets.for_each(|(count, bucket)| f(bucket, *count));
            }
        }
    }

    /// Adds another one's counts.
    pub(super) fn merge(&mut self, other: &Histogram, room: &mut Room) {
        other.each(|bucket, count| self.add_many(bucket, count, room));
    }

    /// Forgets all counts, but keeps the memory.
    pub(super) fn clear(&mut self) {
        match &mut self.0 {
            Buckets::Few(few) => few.clear(),
            Buckets::Span { counts, .. } => counts.fill(0),
        }
    }

    /// The values that so many of `count` are at most; of as many as have a count.
    pub(super) fn quantiles<const N: usize>(&self, count: u64, shares: [f64; N]) -> [u64; N] {
        let ranks = shares.map(|share| rank(count, share));
        let mut values = [0; N];
        let mut seen = 0;
        self.each(|bucket, count| {
            // One past the last count, which a list without room may lack, is in the last bucket.
            for (value, rank) in values.iter_mut().zip(ranks) {
                if seen < rank {
                    *value = middle(bucket);
                }
            }
            seen += count;
        });
        values
    }

    /// Adds it to a log2 histogram.
    pub(super) fn add_to<T: AddAssign + TryFrom<u64>>(&self, powers: &mut [T; LATENCY_BUCKETS]) {
        self.each(|bucket, count| {
            if let Ok(count) = count.try_into() {
                powers[power(bucket)] += count;
            }
        });
    }
}

fn rank(count: u64, share: f64) -> u64 {
    ((count as f64 * share).ceil() as u64).clamp(1, count.max(1))
}

/// A histogram with what is exact: how many there are, their sum, the smallest and the largest.
#[derive(Debug, Clone, Default)]
pub(super) struct Distribution {
    pub(super) count: u64,
    pub(super) sum: u64,
    pub(super) min: u64,
    pub(super) max: u64,
    pub(super) histogram: Histogram,
}

impl Distribution {
    #[inline]
    pub(super) fn add(&mut self, value: u64, bucket: u16, room: &mut Room) {
        self.min = if self.count == 0 {
            value
        } else {
            self.min.min(value)
        };
        self.max = self.max.max(value);
        self.count += 1;
        self.sum = self.sum.saturating_add(value);
        self.histogram.add(bucket, room);
    }

    pub(super) fn merge(&mut self, other: &Distribution, room: &mut Room) {
        if other.count == 0 {
            return;
        }
        self.min = if self.count == 0 {
            other.min
        } else {
            self.min.min(other.min)
        };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.histogram.merge(&other.histogram, room);
    }

    /// In short; none if there is nothing.
    pub(super) fn spread(&self) -> Option<Spread> {
        let avg = self.sum.checked_div(self.count)?;
        let [p50, p95, p99] = self
            .histogram
            .quantiles(self.count, [0.50, 0.95, 0.99])
            .map(|value| value.clamp(self.min, self.max));
        Some(Spread {
            avg,
            min: self.min,
            max: self.max,
            p50,
            p95,
            p99,
        })
    }

    /// One quantile, for an order: of few values the largest needs no look at the histogram.
    pub(super) fn quantile(&self, share: f64) -> u64 {
        if rank(self.count, share) >= self.count {
            return self.max;
        }
        let [value] = self.histogram.quantiles(self.count, [share]);
        value.clamp(self.min, self.max)
    }

    pub(super) fn powers(&self) -> [u64; LATENCY_BUCKETS] {
        let mut powers = [0; LATENCY_BUCKETS];
        self.histogram.add_to(&mut powers);
        powers
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(values: &[u64], room: &mut Room) -> Distribution {
        let mut all = Distribution::default();
        values
            .iter()
            .for_each(|value| all.add(*value, bucket_of(*value), room));
        all
    }

    #[test]
    fn buckets_are_in_order_and_hold_their_middle() {
        let mut before = 0;
        for power in 0..64 {
            for part in 0..64u64 {
                let value = (1u64 << power) + ((1u64 << power) >> 6) * part;
                let bucket = bucket_of(value);
                assert!(bucket >= before && bucket - before <= SPLIT, "{value}");
                assert_eq!(bucket_of(middle(bucket)), bucket);
                assert_eq!(super::power(bucket), (value.ilog2() as usize).min(39));
                before = bucket;
            }
        }
        assert_eq!((bucket_of(0), super::power(0)), (0, 0));
        assert!(usize::from(bucket_of(u64::MAX)) < 60 * usize::from(SPLIT));
    }

    #[test]
    fn without_room_nothing_is_lost_but_the_place() {
        let values: Vec<u64> = (0..10_000).map(|i| 1000 + i * i).collect();
        let mut room = Room(0);
        let all = filled(&values, &mut room);
        assert_eq!(
            (all.count, all.powers().iter().sum::<u64>()),
            (10_000, 10_000)
        );
        assert_eq!(all.histogram.span_bytes(), 0);
        let spread = all.spread().unwrap();
        assert_eq!((spread.min, spread.max), (1000, 1000 + 9_999 * 9_999));

        let mut room = Room(SPLIT as usize * 8 * 3);
        let mut all = filled(&values[..50], &mut room);
        values[50..]
            .iter()
            .for_each(|value| all.add(*value, bucket_of(*value), &mut room));
        assert_eq!(all.powers().iter().sum::<u64>(), 10_000);
        assert!(all.histogram.span_bytes() <= SPLIT as usize * 8 * 3);
    }

    #[test]
    fn more_than_a_small_count_holds() {
        let mut room = Room(1 << 20);
        let mut one = Histogram::default();
        one.add_many(7, u32::MAX.into(), &mut room);
        one.add(7, &mut room);
        let mut powers = [0u64; LATENCY_BUCKETS];
        one.add_to(&mut powers);
        assert_eq!(powers[2], 1 << 32);
    }

    proptest! {
        #[test]
        fn quantiles_are_within_two_percent(
            values in prop::collection::vec(prop_oneof![0u64..100, 100u64..1 << 20, (0u32..63).prop_map(|power| (1 << power) + 5)], 1..400),
            cut in 0usize..400,
        ) {
            let mut room = Room(1 << 20);
            let cut = cut.min(values.len());
            let mut all = filled(&values[..cut], &mut room);
            all.merge(&filled(&values[cut..], &mut room), &mut room);
            let mut sorted = values.clone();
            sorted.sort_unstable();
            let spread = all.spread().unwrap();
            prop_assert_eq!((spread.min, spread.max), (sorted[0], sorted[sorted.len() - 1]));
            for (share, value) in [(0.50, spread.p50), (0.95, spread.p95), (0.99, spread.p99), (0.99, all.quantile(0.99))] {
                let exact = sorted[rank(sorted.len() as u64, share) as usize - 1];
                prop_assert!(value.abs_diff(exact) as f64 <= exact as f64 * 0.02, "{} for {}", value, exact);
            }
            let mut powers = [0u64; LATENCY_BUCKETS];
            values.iter().for_each(|value| powers[(value.max(&1).ilog2() as usize).min(39)] += 1);
            prop_assert_eq!(all.powers(), powers);
        }
    }
}
