//! When a run is over: its time is up, a signal came, or there is nobody left to trace.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::command::Command;
use super::tasks::Watched;
use crate::signals::Signals;
use crate::source::Source;

/// How often the scope's processes and threads are looked at.
const LOOK: Duration = Duration::from_millis(50);

/// What ends a run.
pub struct Stop {
    deadline: Option<Instant>,
    signals: Signals,
    tasks: Tasks,
}

/// The processes and threads the run is about; none: it is not about any in particular.
struct Tasks {
    watched: Vec<Watched>,
    look_at: Instant,
}

impl Stop {
    /// The run ends `duration` from now, on a signal, or when all of `watched` (if any) are gone.
    pub fn new(
        duration: Option<Duration>,
        signals: Signals,
        watched: Vec<Watched>,
    ) -> Result<Stop> {
        let now = Instant::now();
        if let Some(duration) = duration {
            say_over_after(duration, signals.over()).context("cannot start a thread")?;
        }
        // A time too far for the clock is no limit.
        let deadline = duration.and_then(|duration| now.checked_add(duration));
        Ok(Stop {
            deadline,
            signals,
            tasks: Tasks {
                watched,
                look_at: now + LOOK,
            },
        })
    }

    /// Whether the run is over.
    pub fn is_due(&mut self, source: &dyn Source, command: Option<&mut Command>) -> Result<bool> {
        let signal = self.signals.received();
        let ended = match command {
            None => signal.is_some() || self.tasks.are_gone() && source.live_followed() == 0,
            Some(command) => {
                self.pass_on_signals(command);
                command.has_ended()? && (signal.is_some() || source.live_followed() == 0)
            }
        };
        Ok(ended || self.time_is_up())
    }

    /// Whether COMMAND, which is not traced any more, has ended or is to be ended.
    pub fn is_due_untraced(&mut self, command: &mut Command) -> Result<bool> {
        self.pass_on_signals(command);
        Ok(command.has_ended()? || self.time_is_up())
    }

    /// Whether somebody wants the run to end: a signal came, or the time is up.
    pub fn is_wanted(&self) -> bool {
        self.signals.over().load(Ordering::Relaxed)
    }

    fn pass_on_signals(&self, command: &mut Command) {
        if let Some(signal) = self.signals.received() {
            command.interrupt(signal);
        }
        if self.signals.at_once() {
            command.kill();
        }
    }

    fn time_is_up(&self) -> bool {
        self.deadline
            .is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// A stalled output holds up whoever looks at the deadline, so another thread does too; it dies with the process.
fn say_over_after(duration: Duration, over: Arc<AtomicBool>) -> io::Result<()> {
    thread::Builder::new()
        .name("ior-deadline".into())
        .spawn(move || {
            thread::sleep(duration);
            over.store(true, Ordering::Relaxed);
        })?;
    Ok(())
}

impl Tasks {
    fn are_gone(&mut self) -> bool {
        let now = Instant::now();
        if self.watched.is_empty() || now < self.look_at {
            return false;
        }
        self.look_at = now + LOOK;
        !self.watched.iter().any(Watched::is_alive)
    }
}
