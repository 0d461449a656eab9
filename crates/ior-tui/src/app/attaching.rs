//! The time between the choice of a target and the first snapshot about it.

use ior_core::Snapshot;
use ior_core::snapshot::{Over, Session, Target};

use super::text::Retry;
use super::{App, Mode};

/// Answers after which an old failure is believed to be a new one that reads the same.
const PATIENCE: u64 = 3;

/// A target that is being attached to.
#[derive(Debug, Clone)]
pub struct Attaching {
    /// None: what the session begins with.
    target: Option<Target>,
    /// Why the session before was over, and the last snapshot of it.
    before: Option<Over>,
    generation: u64,
}

impl Attaching {
    /// To what the session begins with.
    pub fn begin() -> Attaching {
        Attaching {
            target: None,
            before: None,
            generation: 0,
        }
    }

    /// To a target chosen when this was the newest snapshot.
    pub fn to(target: Target, latest: Option<&Snapshot>) -> Attaching {
        Attaching {
            target: Some(target),
            before: latest.and_then(|snapshot| snapshot.session.over.clone()),
            generation: latest.map_or(0, |snapshot| snapshot.generation),
        }
    }

    /// Whether a snapshot is about what was chosen, or says that it cannot be had.
    fn is_over(&self, snapshot: &Snapshot) -> bool {
        let session = &snapshot.session;
        let waited = snapshot.generation >= self.generation + PATIENCE;
        match &self.target {
            None => !is_attaching(session),
            Some(_) if session.over.is_some() => session.over != self.before || waited,
            Some(target) => {
                !is_attaching(session)
                    && (session.target == *target || session.notice.is_some() || waited)
            }
        }
    }
}

/// Whether the session says that it is attaching.
fn is_attaching(session: &Session) -> bool {
    let notice = session.notice.as_deref();
    notice.is_some_and(|notice| notice.starts_with("attaching"))
}

impl App {
    /// Whether what was chosen is not traced yet.
    pub fn is_attaching(&self) -> bool {
        self.attaching.is_some() || self.session().is_some_and(is_attaching)
    }

    /// Looks whether a target was attached to, or could not be.
    pub(super) fn see_target(&mut self, snapshot: &Snapshot) {
        let over = self.attaching.as_ref();
        if over.is_some_and(|attaching| attaching.is_over(snapshot)) {
            self.attaching = None;
            self.changed();
        }
        let session = &snapshot.session;
        if let (Some(Over::Failed(why)), None) = (&session.over, &self.attaching)
            && !matches!(self.mode, Mode::Picker(_) | Mode::Text(_))
        {
            self.mode = Mode::failed(why, Retry::Possible);
            self.changed();
        }
    }
}
