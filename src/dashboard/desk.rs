//! The thread that keeps the statistics and makes snapshots of them, so that neither tracing nor drawing waits for either.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ior_core::batch::Batch;
use ior_core::live::{Bounds, Facts, Model};
use ior_core::snapshot::{Command, Feed};
use ior_core::view::View;
use ior_core::{Filter, Snapshot};

/// A snapshot is made this often at most while rows come.
const FRAME: Duration = Duration::from_millis(50);
/// With nothing new, rates and clocks still move.
const IDLE_FRAME: Duration = Duration::from_millis(500);
/// Messages that wait at most: with full batches 64 K rows.
const WAITING: usize = 8;

/// What the desk is told.
pub enum Message {
    /// Rows.
    Rows(Arc<Batch>),
    /// What rows do not tell.
    Facts(Box<Facts>),
    /// The filter has changed.
    Filter(Filter),
    /// All statistics begin anew.
    Reset,
    /// Somebody wants another view, at once.
    Look,
}

/// What the two sides of a desk share.
struct Shared {
    view: Mutex<View>,
    latest: Mutex<Arc<Snapshot>>,
    looking: AtomicBool,
}

/// The side of the desk that a screen sees.
pub struct LiveFeed {
    shared: Arc<Shared>,
    messages: SyncSender<Message>,
    orders: Sender<Command>,
    view: View,
}

/// The thread's side.
pub struct Desk {
    shared: Arc<Shared>,
    messages: Receiver<Message>,
    model: Model,
    facts: Facts,
    began: Instant,
}

/// A desk, the screen's side of it, the way to tell it something, and the orders a screen gives.
pub fn desk(
    filter: Filter,
    facts: Facts,
    view: View,
) -> (Desk, LiveFeed, SyncSender<Message>, Receiver<Command>) {
    let (to_desk, messages) = mpsc::sync_channel(WAITING);
    let (orders, received) = mpsc::channel();
    let mut model = Model::filtered_by(Bounds::default(), filter);
    let first = model.snapshot(&view, &facts, Duration::ZERO);
    let shared = Arc::new(Shared {
        view: Mutex::new(view.clone()),
        latest: Mutex::new(first),
        looking: AtomicBool::new(false),
    });
    let desk = Desk {
        shared: Arc::clone(&shared),
        messages,
        model,
        facts,
        began: Instant::now(),
    };
    let feed = LiveFeed {
        shared,
        messages: to_desk.clone(),
        orders,
        view,
    };
    (desk, feed, to_desk, received)
}

impl Feed for LiveFeed {
    fn snapshot(&mut self, view: &View) -> Arc<Snapshot> {
        if *view != self.view {
            self.view = view.clone();
            *lock(&self.shared.view) = view.clone();
            self.shared.looking.store(true, Ordering::Relaxed);
            // A full channel wakes the desk as well.
            let _ = self.messages.try_send(Message::Look);
        }
        Arc::clone(&lock(&self.shared.latest))
    }

    fn command(&mut self, command: Command) {
        // Without a collector the session is over, which a snapshot says.
        let _ = self.orders.send(command);
    }
}

impl Desk {
    /// Works until nobody tells it anything any more.
    pub fn run(mut self) {
        let mut drawn = Instant::now();
        let mut changed = true;
        // The first rows are shown at once: somebody waits for them.
        let mut first = true;
        loop {
            let wait = if changed { FRAME } else { IDLE_FRAME };
            match self
                .messages
                .recv_timeout(wait.saturating_sub(drawn.elapsed()))
            {
                Ok(message) => {
                    let is_first = first && matches!(message, Message::Rows(_));
                    first = matches!(message, Message::Reset) || first && !is_first;
                    if is_first {
                        self.shared.looking.store(true, Ordering::Relaxed);
                    }
                    changed |= self.take(message);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            let due = drawn.elapsed() >= if changed { FRAME } else { IDLE_FRAME };
            if self.shared.looking.swap(false, Ordering::Relaxed) || due {
                self.draw();
                drawn = Instant::now();
                changed = false;
            }
        }
    }

    /// Whether it can change what is seen.
    fn take(&mut self, message: Message) -> bool {
        let now = self.began.elapsed();
        match message {
            Message::Rows(batch) => self.model.add(&batch, now),
            Message::Facts(facts) => {
                let changed = self.facts != *facts;
                self.facts = *facts;
                return changed;
            }
            Message::Filter(filter) => self.model.set_filter(filter, now),
            Message::Reset => self.model.reset(&self.facts, now),
            Message::Look => {}
        }
        true
    }

    fn draw(&mut self) {
        let view = lock(&self.shared.view).clone();
        let snapshot = self
            .model
            .snapshot(&view, &self.facts, self.began.elapsed());
        *lock(&self.shared.latest) = snapshot;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
