//! Ordering a table, and only as much of it as is looked at.

use std::cmp::Ordering;
use std::ops::Range;

/// A part of a table in its order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ordered {
    pub(super) first: usize,
    pub(super) places: Vec<u32>,
    pub(super) total: usize,
    pub(super) selected: Option<usize>,
}

/// Takes the lines `first..first + len` of those that `keys` (no two equal) put in order, moved so that the selected one is
/// among them and that it does not go past the end.
pub(super) fn window<K: Ord + Copy>(
    keys: &mut [(K, u32)],
    selected: Option<u32>,
    first: usize,
    len: usize,
) -> Ordered {
    let selected = selected
        .and_then(|selected| keys.iter().find(|(_, place)| *place == selected).copied())
        .map(|(key, _)| keys.iter().filter(|(other, _)| *other < key).count());
    let range = range(keys.len(), selected, first, len);
    if range.start > 0 && !range.is_empty() {
        keys.select_nth_unstable(range.start);
    }
    let rest = &mut keys[range.start..];
    if range.len() < rest.len() {
        rest.select_nth_unstable(range.len());
    }
    let wanted = &mut rest[..range.len()];
    wanted.sort_unstable();
    Ordered {
        first: range.start,
        places: wanted.iter().map(|(_, place)| *place).collect(),
        total: keys.len(),
        selected,
    }
}

/// The lines that are shown of `total`.
pub(super) fn range(
    total: usize,
    selected: Option<usize>,
    first: usize,
    len: usize,
) -> Range<usize> {
    let first = match selected {
        Some(selected) if selected < first => selected,
        Some(selected) if selected >= first.saturating_add(len) => {
            (selected + 1).saturating_sub(len)
        }
        _ => first,
    };
    let first = first.min(total.saturating_sub(len));
    first..first.saturating_add(len).min(total)
}

/// A number whose order is that of `value`, or the reverse.
pub(super) fn rank(value: u64, descending: bool) -> u64 {
    if descending { !value } else { value }
}

/// The order of a table's names, kept from one moment to the next because comparing names costs more than numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct NameOrder {
    order: Vec<u32>,
    ranks: Vec<u32>,
}

impl NameOrder {
    /// The rank of each of `len` entries by name. Only those that are new are compared.
    pub(super) fn ranks(&mut self, len: usize, cmp: impl Fn(u32, u32) -> Ordering) -> &[u32] {
        let known = self.order.len();
        if known == len {
            return &self.ranks;
        }
        let mut new: Vec<u32> = (known as u32..len as u32).collect();
        new.sort_unstable_by(|one, other| cmp(*one, *other));
        if new.len() < known / 32 {
            self.insert(&new, &cmp);
        } else {
            self.order.append(&mut new);
            // Two runs, which a stable sort merges.
            self.order.sort_by(|one, other| cmp(*one, *other));
        }
        self.ranks.resize(len, 0);
        for (rank, place) in (0..).zip(&self.order) {
            self.ranks[*place as usize] = rank;
        }
        &self.ranks
    }

    /// Inserts sorted places from the end, each found by halving.
    fn insert(&mut self, new: &[u32], cmp: impl Fn(u32, u32) -> Ordering) {
        let mut end = self.order.len();
        self.order.resize(end + new.len(), 0);
        for (before, &place) in new.iter().enumerate().rev() {
            let at = self.order[..end].partition_point(|other| cmp(*other, place).is_lt());
            self.order.copy_within(at..end, at + before + 1);
            self.order[at + before] = place;
            end = at;
        }
    }

    /// Follows entries to their new places; those without one (`u32::MAX`) go.
    pub(super) fn moved(&mut self, places: &[u32]) {
        self.order.retain_mut(|place| {
            // A place past those that moved was not ordered yet.
            *place = places[*place as usize];
            *place != u32::MAX
        });
        self.ranks.clear();
        self.ranks.resize(self.order.len(), 0);
        for (rank, place) in (0..).zip(&self.order) {
            if let Some(own) = self.ranks.get_mut(*place as usize) {
                *own = rank;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_window_is_a_part_of_the_sorted_whole(
            values in prop::collection::vec(0u64..20, 0..60),
            first in 0usize..80, len in 0usize..30, selected in 0u32..70,
        ) {
            let mut keys: Vec<((u64, u32), u32)> = values.iter().zip(0..).map(|(value, place)| ((*value, place), place)).collect();
            let mut sorted = keys.clone();
            sorted.sort();
            let sorted: Vec<u32> = sorted.into_iter().map(|(_, place)| place).collect();
            let found = window(&mut keys, Some(selected), first, len);
            prop_assert_eq!(&found.places, &sorted[found.first..found.first + found.places.len()]);
            prop_assert_eq!(found.places.len(), len.min(sorted.len()));
            prop_assert_eq!(found.selected, sorted.iter().position(|place| *place == selected));
            if let Some(selected) = found.selected && len > 0 {
                prop_assert!((found.first..found.first + len).contains(&selected));
            }
        }

        #[test]
        fn the_order_of_names_follows_what_comes_and_goes(
            names in prop::collection::vec("[a-c]{0,3}", 1..200), cuts in prop::collection::vec(1usize..50, 1..8), gone in prop::collection::vec(any::<bool>(), 200),
        ) {
            let mut order = NameOrder::default();
            let cmp = |names: &[String], one: u32, other: u32| names[one as usize].cmp(&names[other as usize]).then(one.cmp(&other));
            let mut len = 0;
            for cut in cuts {
                len = (len + cut).min(names.len());
                let ranks = order.ranks(len, |one, other| cmp(&names, one, other)).to_vec();
                let mut sorted: Vec<u32> = (0..len as u32).collect();
                sorted.sort_by(|one, other| cmp(&names, *one, *other));
                for (rank, place) in sorted.iter().enumerate() {
                    prop_assert_eq!(ranks[*place as usize] as usize, rank);
                }
            }
            let mut left = Vec::new();
            let mut moved = Vec::new();
            for (name, gone) in names[..len].iter().zip(gone) {
                moved.push(if gone { u32::MAX } else { left.len() as u32 });
                if !gone { left.push(name.clone()); }
            }
            order.moved(&moved);
            let ranks = order.ranks(left.len(), |one, other| cmp(&left, one, other)).to_vec();
            let mut sorted: Vec<u32> = (0..left.len() as u32).collect();
            sorted.sort_by(|one, other| cmp(&left, *one, *other));
            for (rank, place) in sorted.iter().enumerate() {
                prop_assert_eq!(ranks[*place as usize] as usize, rank);
            }
        }
    }
}
