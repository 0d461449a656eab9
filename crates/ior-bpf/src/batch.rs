//! Rows as they came from the rings, before anything is looked up.

use std::ops::Range;

use crate::record;
use crate::skeleton::types::{self, record_type};

/// One row and where its names are in the batch.
#[derive(Debug, Clone)]
pub struct RawRow {
    /// The fixed part.
    pub row: types::row,
    /// The rest of a call with names or with two files.
    pub extra: Option<Extra>,
}

/// What a named row has beyond a row.
#[derive(Debug, Clone)]
pub struct Extra {
    /// Second object or directory.
    pub file2: u64,
    /// First name, in [`Batch::names`].
    pub name: Range<usize>,
    /// Second name.
    pub name2: Range<usize>,
    /// How the first name came out.
    pub state: u32,
    /// How the second name came out.
    pub state2: u32,
}

impl RawRow {
    /// When the call returned (or was entered, if it never returns); rows of one thread have increasing exits.
    pub fn exit_ns(&self) -> u64 {
        self.row.enter_ns.saturating_add(self.row.latency_ns)
    }
}

/// Rows of one drain. Buffers are reused, so a steady state allocates nothing.
#[derive(Debug, Default)]
pub struct Batch {
    rows: Vec<RawRow>,
    names: Vec<u8>,
    /// Indices of `rows` by exit time.
    order: Vec<(u64, u32)>,
    /// Records that were no rows.
    pub undecodable: u64,
}

impl Batch {
    /// Takes in one record of a row ring. Returns its exit time, or `None` if it was no row.
    pub fn push(&mut self, bytes: &[u8]) -> Option<u64> {
        let Some(row) = self.decode(bytes) else {
            self.undecodable += 1;
            return None;
        };
        let exit_ns = row.exit_ns();
        self.rows.push(row);
        Some(exit_ns)
    }

    fn decode(&mut self, bytes: &[u8]) -> Option<RawRow> {
        match record_type(u32::from(*bytes.first()?)) {
            record_type::RECORD_ROW => {
                let (row, _) = record::split::<types::row>(bytes)?;
                Some(RawRow { row, extra: None })
            }
            record_type::RECORD_NAMED_ROW => {
                let (named, names) = record::split::<types::named_row>(bytes)?;
                let at = usize::from(named.name2_at);
                let name = names.get(..usize::from(named.len))?;
                let name2 = match named.len2 {
                    0 => &[],
                    len => names.get(at..at + usize::from(len))?,
                };
                let extra = Extra {
                    file2: named.file2,
                    name: self.keep(name),
                    name2: self.keep(name2),
                    state: named.state.into(),
                    state2: named.state2.into(),
                };
                Some(RawRow {
                    row: named.row,
                    extra: Some(extra),
                })
            }
            _ => None,
        }
    }

    fn keep(&mut self, name: &[u8]) -> Range<usize> {
        let start = self.names.len();
        self.names.extend_from_slice(name);
        start..self.names.len()
    }

    /// A name of one of this batch's rows.
    pub fn name(&self, range: &Range<usize>) -> &[u8] {
        &self.names[range.clone()]
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Sorts by exit time. Rows of one thread keep their order: its exits increase, and equal ones stay as they came.
    pub fn sort(&mut self) {
        self.order.clear();
        self.order.extend(
            self.rows
                .iter()
                .enumerate()
                .map(|(i, row)| (row.exit_ns(), i as u32)),
        );
        if !self.order.is_sorted() {
            self.order.sort();
        }
    }

    /// The sorted rows that returned at `until` or before.
    pub fn ready(&self, until: u64) -> impl Iterator<Item = &RawRow> {
        self.order
            .iter()
            .take_while(move |(exit, _)| *exit <= until)
            .map(|(_, i)| &self.rows[*i as usize])
    }

    /// Empties the batch but for the sorted rows after the first `done`, which move to `later`.
    pub fn carry(&mut self, done: usize, later: &mut Batch) {
        for (_, index) in &self.order[done..] {
            let raw = &self.rows[*index as usize];
            let extra = raw.extra.as_ref().map(|extra| Extra {
                name: later.keep(&self.names[extra.name.clone()]),
                name2: later.keep(&self.names[extra.name2.clone()]),
                ..extra.clone()
            });
            later.rows.push(RawRow {
                row: raw.row,
                extra,
            });
        }
        later.undecodable += std::mem::take(&mut self.undecodable);
        self.rows.clear();
        self.names.clear();
        self.order.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::bytes_of;

    fn row(enter_ns: u64, latency_ns: u64, nr: u16) -> types::row {
        types::row {
            r#type: record_type::RECORD_ROW.0 as u8,
            call: nr,
            enter_ns,
            latency_ns,
            ..Default::default()
        }
    }

    fn numbers<'a>(rows: impl Iterator<Item = &'a RawRow>) -> Vec<u16> {
        rows.map(|raw| raw.row.call).collect()
    }

    #[test]
    fn rows_of_several_rings_are_merged_by_exit_and_ties_keep_their_order() {
        let mut batch = Batch::default();
        for (enter, latency, nr) in [(10, 5, 1), (20, 5, 2), (11, 3, 3), (15, 0, 4)] {
            batch.push(&bytes_of(&row(enter, latency, nr)));
        }
        batch.sort();
        assert_eq!(numbers(batch.ready(u64::MAX)), [3, 1, 4, 2]);
    }

    #[test]
    fn rows_that_returned_after_the_drain_began_wait_for_the_next() {
        let mut batch = Batch::default();
        let mut later = Batch::default();
        for (enter, nr) in [(10, 1), (30, 3), (20, 2)] {
            batch.push(&bytes_of(&row(enter, 0, nr)));
        }
        batch.sort();
        assert_eq!(numbers(batch.ready(20)), [1, 2]);
        batch.carry(2, &mut later);
        assert_eq!(batch.len(), 0);
        later.push(&bytes_of(&row(25, 0, 4)));
        later.sort();
        assert_eq!(numbers(later.ready(u64::MAX)), [4, 3]);
    }

    #[test]
    fn carried_names_move_along() {
        let mut named = types::named_row {
            row: row(50, 0, 7),
            len: 3,
            len2: 2,
            name2_at: 4,
            ..Default::default()
        };
        named.row.r#type = record_type::RECORD_NAMED_ROW.0 as u8;
        let mut bytes = bytes_of(&named);
        bytes.extend_from_slice(b"abc\0de\0\0");
        let mut batch = Batch::default();
        let mut later = Batch::default();
        batch.push(&bytes);
        batch.sort();
        batch.carry(0, &mut later);
        later.sort();
        let raw = later.ready(u64::MAX).next().expect("one row");
        let extra = raw.extra.as_ref().expect("names");
        assert_eq!(later.name(&extra.name), b"abc");
        assert_eq!(later.name(&extra.name2), b"de");
    }

    #[test]
    fn short_oversized_and_unknown_records() {
        let good = bytes_of(&row(1, 1, 1));
        let mut batch = Batch::default();
        batch.push(&[]);
        batch.push(&good[..good.len() - 1]);
        batch.push(&[99; 200]);
        let mut lying = bytes_of(&types::named_row {
            len: 10,
            ..Default::default()
        });
        lying[0] = record_type::RECORD_NAMED_ROW.0 as u8;
        lying.extend_from_slice(b"short");
        batch.push(&lying);
        assert_eq!((batch.len(), batch.undecodable), (0, 4));

        let mut oversized = good.clone();
        oversized.extend_from_slice(&[0; 64]);
        batch.push(&oversized);
        assert_eq!((batch.len(), batch.undecodable), (1, 4));
    }
}
