//! The last rows, as the batches they came in.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use crate::batch::{Batch, Tail};

/// Rows kept.
pub const ROWS: usize = 10_000;

/// Rows of one batch with the time at which it came.
#[derive(Debug, Clone)]
pub(super) struct Part {
    pub(super) at: Duration,
    pub(super) batch: Arc<Batch>,
    pub(super) places: Arc<[u32]>,
}

/// The last [`ROWS`] rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Recent {
    parts: VecDeque<Part>,
    len: usize,
}

impl Recent {
    /// Adds rows of a batch, by their places.
    pub(super) fn add(&mut self, at: Duration, batch: &Arc<Batch>, mut places: &[u32]) {
        places = &places[places.len().saturating_sub(ROWS)..];
        if places.is_empty() {
            return;
        }
        self.len += places.len();
        self.parts.push_back(part(at, batch, places));
        while let Some(oldest) = self.parts.front()
            && self.len - oldest.places.len() >= ROWS
        {
            self.len -= oldest.places.len();
            self.parts.pop_front();
        }
    }

    /// The oldest first; of the first one perhaps only the last rows.
    pub(super) fn parts(&self) -> impl Iterator<Item = Part> {
        let mut over = self.len.saturating_sub(ROWS);
        self.parts.iter().map(move |part| {
            let over = std::mem::take(&mut over);
            let mut part = part.clone();
            if over > 0 {
                part.places = part.places[over..].into();
            }
            part
        })
    }

    pub(super) fn rows(&self) -> Tail {
        Tail::new(self.parts().map(|part| (part.batch, part.places)))
    }
}

/// A batch of which few rows are meant is not kept alive: they are copied.
fn part(at: Duration, batch: &Arc<Batch>, places: &[u32]) -> Part {
    if places.len() * 4 >= batch.len() {
        return Part {
            at,
            batch: batch.clone(),
            places: places.into(),
        };
    }
    let mut few = Batch::default();
    for &place in places {
        few.push(&batch.row(place as usize));
    }
    Part {
        at,
        places: (0..few.len() as u32).collect(),
        batch: Arc::new(few),
    }
}
