//! When a run is over: its time is up, a signal came, or there is nobody left to trace.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;

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
    pub fn new(duration: Option<Duration>, signals: Signals, watched: Vec<Watched>) -> Stop {
        let now = Instant::now();
        if let Some(duration) = duration {
            say_over_after(duration, signals.over());
        }
        // A time too far for the clock is no limit.
        let deadline = duration.and_then(|duration| now.checked_add(duration));
        Stop {
            deadline,
            signals,
            tasks: Tasks {
                watched,
                look_at: now + LOOK,
            },
        }
    }

    /// Whether the run is over.
    pub fn is_due(&mut self, source: &dyn Source, command: Option<&mut Command>) -> Result<bool> {
        let signal = self.signals.received();
        let ended = match command {
            None => signal.is_some() || self.tasks.are_gone() && source.live_followed() == 0,
            Some(command) => {
                if let Some(signal) = signal {
                    command.interrupt(signal);
                }
                if self.signals.at_once() {
                    command.kill();
                }
                command.has_ended()? && (signal.is_some() || source.live_followed() == 0)
            }
        };
        Ok(ended
            || self
                .deadline
                .is_some_and(|deadline| Instant::now() >= deadline))
    }
}

/// A stalled output holds up whoever looks at the deadline, so another thread does too; it dies with the process.
fn say_over_after(duration: Duration, over: Arc<AtomicBool>) {
    thread::spawn(move || {
        thread::sleep(duration);
        over.store(true, Ordering::Relaxed);
    });
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
