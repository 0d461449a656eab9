//! What is missing from what is shown: in short for the status line, and with times and reasons for whoever asks.

use std::sync::Arc;

use ior_core::Snapshot;
use ior_core::snapshot::{Pane, Session};
use ior_core::units::{Count, Nanos};

use super::App;
use super::text::{Subject, clock};
use crate::app::Mode;

/// Something that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Missing {
    /// How much; `None` is unknown.
    pub count: Option<u64>,
    /// What.
    pub what: &'static str,
    /// Why.
    pub why: &'static str,
}

/// Everything that is missing from a session; empty if nothing is.
pub fn losses(session: &Session) -> Vec<Missing> {
    let loss = &session.loss;
    let all = [
        (
            Some(loss.rows),
            "lost",
            "rows that did not fit into the ring: calls came faster than they were read. Totals without a filter still \
             count them. A narrower target, fewer probes or a larger ring help.",
        ),
        (
            Some(session.shed),
            "shed",
            "rows that were read but dropped, because the statistics or the recording could not keep up.",
        ),
        (
            loss.not_seen,
            "not seen",
            "calls for which the kernel skipped our program (it was running already on that CPU), or for which there was no \
             room to remember the thread. They are in no figure.",
        ),
        (
            Some(loss.unpaired),
            "unpaired",
            "exits without an enter or enters without an exit: the kernel skipped one of the two programs.",
        ),
        (
            Some(loss.partial_names),
            "partial names",
            "rows whose file name was cut, could not be read, or whose definition was lost.",
        ),
        (
            Some(loss.definitions),
            "names resent",
            "names of files, threads or programs that did not fit into their ring; each is sent again when it is next used.",
        ),
        (
            Some(loss.undecodable),
            "undecodable",
            "records that were not understood: please report it.",
        ),
    ];
    all.into_iter()
        .filter(|(count, ..)| *count != Some(0))
        .map(|(count, what, why)| Missing { count, what, why })
        .collect()
}

/// The counter in the status line: of everything that is missing if that fits into so many cells, or else of the worst.
/// `None` if nothing is missing.
pub fn counter(session: &Session, room: usize) -> Option<String> {
    let missing = losses(session).into_iter();
    let parts: Vec<String> = missing
        .map(|missing| match missing.count {
            Some(count) => format!("{} {}", Count(count), missing.what),
            None => format!("{}: unknown", missing.what),
        })
        .collect();
    let all = parts.join(", ");
    match &parts[..] {
        [] => None,
        [worst, _, ..] if all.len() > room => Some(format!("{worst}, … (!)")),
        _ => Some(format!("{all} (!)")),
    }
}

/// How far the session's clock (`CLOCK_BOOTTIME`) is behind that on the wall.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Clock {
    /// Not known yet.
    #[default]
    Unknown,
    /// There was no row to learn it from.
    NoRow,
    /// So many nanoseconds.
    Behind(u64),
}

impl App {
    /// Whether a row is wanted only to say when rows were lost.
    pub(super) fn wants_clock(&self) -> bool {
        let loses = self.session().is_some_and(|session| session.loss.rows > 0);
        let asks = matches!(&self.mode, Mode::Text(text) if matches!(text.subject, Subject::Help | Subject::Losses));
        asks && loses && self.clock == Clock::Unknown
    }

    /// Learns from a row how clocks differ.
    pub(super) fn see_clock(&mut self, snapshot: &Arc<Snapshot>) {
        if let Pane::Stream(rows) = &snapshot.pane
            && !matches!(self.clock, Clock::Behind(_))
        {
            self.clock = match rows.row(0) {
                Some(row) => Clock::Behind(row.wall_ns.saturating_sub(row.time_ns)),
                None => Clock::NoRow,
            };
            self.changed();
        }
    }

    /// When the first and the last row were lost, if any was.
    pub fn lost_when(&self) -> Option<String> {
        let loss = &self.session()?.loss;
        if loss.rows == 0 {
            return None;
        }
        let (first, last) = (loss.first_ns, loss.last_ns);
        let within = Nanos(last.saturating_sub(first));
        Some(match self.clock {
            Clock::Behind(ns) => format!(
                "first {}, last {} ({within} later)",
                clock(first.saturating_add(ns)),
                clock(last.saturating_add(ns))
            ),
            _ => format!(
                "first {} after the machine was started, last {within} later",
                Nanos(first)
            ),
        })
    }
}
