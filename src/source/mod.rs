//! Where rows come from. A session does not know whether it looks at a live machine or at a recording.

mod live;

use std::time::Duration;

use anyhow::Result;
use ior_bpf::InFlight;
use ior_core::{Loss, Row, Totals};

pub use live::Live;

/// A stream of rows with its account.
pub trait Source {
    /// Waits up to `timeout` for rows, hands over all there are and returns how many.
    fn poll(&mut self, timeout: Duration, each: &mut dyn FnMut(&Row<'_>)) -> Result<usize>;

    /// Ends the stream and returns the calls that have not returned by then; `None` if that cannot be known. Rows made
    /// before can still be polled.
    fn finish(&mut self) -> Option<Vec<InFlight>>;

    /// Whether every row was handed over or counted. Ask after `finish`.
    fn is_drained(&self) -> bool;

    /// The exact counters so far.
    fn totals(&self) -> Totals;

    /// Everything that did not become a row so far.
    fn loss(&self) -> Loss;

    /// Files forgotten to stay within bounds; they are named again when next used.
    fn evicted_files(&self) -> u64;

    /// Followed threads that are still alive and may bring more rows.
    fn live_followed(&self) -> u64;
}
