//! Statistics and what is known besides rows → snapshots.

use std::sync::Arc;
use std::time::Duration;

use super::lines::Exact;
use super::set::{Bounds, Set};
use super::tail::Part;
use crate::batch::Batch;
use crate::snapshot::{Cost, Latencies, Over, Overview, Pane, Recording, Session, Target};
use crate::view::{Subject, TaskKey, View};
use crate::{Filter, Loss, Snapshot, Syscall, Totals};

/// What a session knows besides its rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Facts {
    /// See [`Session::target`].
    pub target: Target,
    /// See [`Session::syscalls`].
    pub syscalls: Arc<[&'static Syscall]>,
    /// The kernel's exact counters since the session began; without any, rows are all that is known.
    pub totals: Arc<Totals>,
    /// See [`Session::loss`].
    pub loss: Loss,
    /// See [`Session::shed`].
    pub shed: u64,
    /// See [`Session::recording`].
    pub recording: Option<Recording>,
    /// See [`Session::notice`].
    pub notice: Option<String>,
    /// See [`Session::cost`].
    pub cost: Cost,
    /// See [`Session::over`].
    pub over: Option<Over>,
}

impl Default for Facts {
    fn default() -> Self {
        Facts {
            target: Target::Initial,
            syscalls: Arc::default(),
            totals: Arc::default(),
            loss: Loss::default(),
            shed: 0,
            recording: None,
            notice: None,
            cost: Cost::default(),
            over: None,
        }
    }
}

/// The statistics of a session, and snapshots of them. It has no clock: times are since the session began, and do not go
/// back.
#[derive(Debug)]
pub struct Model {
    bounds: Bounds,
    /// Of all rows.
    all: Set,
    /// Of those that pass the filter, if there is one.
    filtered: Option<Set>,
    filter: Filter,
    filter_epoch: u64,
    /// The kernel's counters when the statistics began anew.
    before: Option<Arc<Totals>>,
    /// Places of rows, kept for their memory.
    places: Vec<u32>,
    generation: u64,
    /// Whether anything was added or set since the last snapshot.
    changed: bool,
    /// The last snapshot, what else it was made of, and when: the second.
    last: Option<(Facts, u64, Arc<Snapshot>)>,
}

impl Default for Model {
    fn default() -> Self {
        Model::new(Bounds::default())
    }
}

impl Model {
    /// Without rows, without a filter.
    pub fn new(bounds: Bounds) -> Model {
        Model {
            bounds,
            all: Set::new(bounds, Duration::ZERO, Duration::ZERO),
            filtered: None,
            filter: Filter::default(),
            filter_epoch: 0,
            before: None,
            places: Vec::new(),
            generation: 0,
            changed: true,
            last: None,
        }
    }

    /// Without rows, with the filter the session begins with: one that was never changed.
    pub fn filtered_by(bounds: Bounds, filter: Filter) -> Model {
        let mut model = Model::new(bounds);
        if !filter.is_empty() {
            model.set_filter(filter, Duration::ZERO);
            model.filter_epoch = 0;
        }
        model
    }

    /// Adds rows that came at `now`, whether or not they pass the filter.
    pub fn add(&mut self, batch: &Arc<Batch>, now: Duration) {
        if batch.is_empty() {
            return;
        }
        self.changed = true;
        self.places.clear();
        self.places.extend(0..batch.len() as u32);
        self.all.add(now, batch, &self.places);
        if let Some(filtered) = &mut self.filtered {
            let filter = &self.filter;
            let matches = |place: &u32| filter.matches(&batch.row(*place as usize));
            self.places.retain(matches);
            if !self.places.is_empty() {
                filtered.add(now, batch, &self.places);
            }
        }
    }

    /// The filter in force.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Puts another filter in force. Statistics start from the rows still in the tail that match; without a filter they are
    /// those of the whole session again.
    pub fn set_filter(&mut self, filter: Filter, now: Duration) {
        self.filter_epoch += 1;
        self.changed = true;
        // Rows that a narrower filter lets through are among those of the filter before, whose tail goes further back.
        let narrows = filter.conditions().starts_with(self.filter.conditions());
        let tail = match &self.filtered {
            Some(filtered) if narrows => &filtered.tail,
            _ => &self.all.tail,
        };
        let parts: Vec<Part> = tail.parts().collect();
        self.filter = filter;
        self.filtered = None;
        if self.filter.is_empty() {
            return;
        }
        let origin = parts.first().map_or(now, |part| part.at);
        let mut filtered = Set::new(self.bounds, now, origin);
        for Part { at, batch, places } in parts {
            let matching = places.iter().copied();
            let matching =
                matching.filter(|place| self.filter.matches(&batch.row(*place as usize)));
            let matching: Vec<u32> = matching.collect();
            if !matching.is_empty() {
                filtered.add(at, &batch, &matching);
            }
        }
        self.filtered = Some(filtered);
    }

    /// Begins all statistics anew, the tail too.
    pub fn reset(&mut self, facts: &Facts, now: Duration) {
        self.changed = true;
        self.before = Some(facts.totals.clone());
        self.all = Set::new(self.bounds, now, now);
        if self.filtered.is_some() {
            self.filtered = Some(Set::new(self.bounds, now, now));
        }
    }

    /// What there is to see at `now`. Costs nothing if it is what there was to see before: a picture changes with what is
    /// added, asked for or known, and once a second because rates and the time do, until the session is over.
    pub fn snapshot(&mut self, view: &View, facts: &Facts, now: Duration) -> Arc<Snapshot> {
        let second = match facts.over {
            Some(_) => u64::MAX,
            None => now.as_secs(),
        };
        if !self.changed
            && let Some((known, at, last)) = &self.last
            && (known, *at, view) == (facts, second, &last.view)
        {
            return last.clone();
        }
        self.changed = false;
        self.generation += 1;
        let snapshot = Arc::new(self.look(view, facts, now));
        self.last = Some((facts.clone(), second, snapshot.clone()));
        snapshot
    }

    fn look(&mut self, view: &View, facts: &Facts, now: Duration) -> Snapshot {
        let exact = Exact {
            totals: &facts.totals,
            before: self.before.as_deref(),
        };
        let (set, exact) = match &mut self.filtered {
            Some(filtered) => (filtered, None),
            None => (&mut self.all, Some(exact)),
        };
        set.time.roll(now);
        let pane = pane(set, view, exact, now);
        let session = Session {
            elapsed: now.saturating_sub(set.began),
            filter: self.filter.clone(),
            filter_epoch: self.filter_epoch,
            target: facts.target.clone(),
            syscalls: facts.syscalls.clone(),
            totals: facts.totals.clone(),
            rows: set.rows,
            loss: facts.loss,
            shed: facts.shed,
            calls_per_s: set.rate.at(now),
            recording: facts.recording.clone(),
            notice: facts.notice.clone(),
            cost: facts.cost,
            over: facts.over.clone(),
        };
        Snapshot {
            generation: self.generation,
            view: view.clone(),
            session,
            pane,
        }
    }
}

fn pane(set: &mut Set, view: &View, exact: Option<Exact<'_>>, now: Duration) -> Pane {
    match view {
        View::Flame(_) => {}
        _ => set.with_flame(|flame, names| flame.prepare(names)),
    }
    match view {
        View::Flame(view) => Pane::Flame(set.with_flame(|flame, names| flame.picture(view, names))),
        View::Overview => Pane::Overview(overview(set, exact, now)),
        View::Syscalls(view) => Pane::Syscalls(set.syscalls(view, exact, now)),
        View::Files(view, grouping) => Pane::Files(set.files(view, *grouping)),
        View::Processes(view, unfolded) => Pane::Processes(set.processes(view, unfolded, now)),
        View::Latency(subject) => Pane::Latency(latencies(set, subject)),
        View::Stream => Pane::Stream(set.tail.rows()),
    }
}

fn overview(set: &mut Set, exact: Option<Exact<'_>>, now: Duration) -> Overview {
    let (sum, _) = set.sum();
    let (syscalls, files, processes) = set.top(exact, now);
    Overview {
        seconds: set.time.seconds(),
        latency: sum.latency.spread(),
        read: sum.read,
        written: sum.written,
        errors: sum.errors,
        syscalls,
        files,
        processes,
    }
}

fn latencies(set: &Set, subject: &Subject) -> Latencies {
    let all = matches!(subject, Subject::All).then(|| set.sum());
    let (detail, gap) = match subject {
        Subject::All => all.as_ref().map(|(detail, gap)| (detail, Some(gap))),
        Subject::Syscall(syscall) => set.syscalls[usize::from(syscall.slot)]
            .as_ref()
            .map(|entry| (&entry.detail, Some(&entry.gap))),
        Subject::File(name) => {
            let file = set
                .files
                .find(&**name)
                .and_then(|place| set.files.get(place));
            file.map(|(_, file)| (&file.detail, None))
        }
        Subject::Process(pid) => {
            let place = set.find_task(TaskKey {
                pid: *pid,
                tid: None,
            });
            let process = place.and_then(|place| set.processes.get(place));
            process.map(|(_, process)| (&process.detail, Some(&process.gap)))
        }
    }
    .unzip();
    let gap = gap.flatten();
    // What has no row yet has gaps of which there are none; those of a file are not kept.
    let keeps_gaps = !matches!(subject, Subject::File(_));
    let powers = gap.map(|gap| gap.powers());
    let (heat, heat_step) = set.time.heat();
    Latencies {
        latency: detail.map_or([0; _], |detail| detail.latency.powers()),
        latency_spread: detail.and_then(|detail| detail.latency.spread()),
        gap: keeps_gaps.then(|| powers.unwrap_or([0; _])),
        gap_spread: gap.and_then(|gap| gap.spread()),
        heat,
        heat_step,
    }
}
