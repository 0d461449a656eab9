//! The thread that traces: takes rows, hands them to the statistics and the recording, and does what the user asks for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};

use anyhow::Result;
use ior_bpf::Scope;
use ior_core::batch::Batch;
use ior_core::live::Facts;
use ior_core::snapshot::{Command, Cost, Over, Recording, Target};
use ior_core::{Filter, Loss, Row, Syscall, Totals};

use super::cost::Meter;
use super::desk::Message;
use super::recorder::Recorder;
use crate::cli::Config;
use crate::session::Temporaries;
use crate::session::tasks::{self, Watched};
use crate::sink::Account;
use crate::source::{Live, Source};

/// What is said until the trace is attached; the screens know it by its beginning.
pub const ATTACHING: &str = "attaching…";

/// How long to wait for rows before looking at what else there is to do.
const TICK: Duration = Duration::from_millis(20);
/// Rows of a batch at most.
const BATCH_ROWS: usize = 8192;
/// Rows wait no longer than this for their batch to fill up, and while there are some the facts are told this often.
const HAND_OVER: Duration = Duration::from_millis(50);
/// The facts are told this often when nothing happens.
const IDLE: Duration = Duration::from_millis(500);
/// How often it is looked whether the traced tasks are still there.
const LOOK: Duration = Duration::from_millis(500);
/// How long to wait for rows that were sent and do not come.
const DRAIN_LIMIT: Duration = Duration::from_secs(1);

/// The end of the other threads' business with the collector: they are gone, so is the dashboard.
struct Gone;

/// Everything the thread has.
pub struct Collector {
    config: Config,
    orders: Receiver<Command>,
    desk: SyncSender<Message>,
    quit: Arc<AtomicBool>,
    trace: Option<Trace>,
    target: Target,
    syscalls: Arc<[&'static Syscall]>,
    rows: Rows,
    /// What traces that have ended had counted.
    past: Counted,
    /// What had been counted when the statistics began.
    base: Counted,
    temporaries: Temporaries,
    notice: Option<String>,
    /// Why nothing is traced at all.
    failed: Option<String>,
    meter: Meter,
    told: Instant,
}

/// An attached trace and those it is about.
struct Trace {
    source: Live,
    watched: Vec<Watched>,
    looked: Instant,
    over: Option<Over>,
}

/// What a row goes through.
struct Rows {
    filter: Filter,
    epoch: u64,
    seq: u64,
    batch: Batch,
    recorder: Option<Recorder>,
    /// The recording that was last completed.
    recorded: Option<Recording>,
    failure: Option<String>,
    /// Rows taken since the facts were last told.
    new: u64,
}

/// The kernel's counters and the account of losses.
#[derive(Debug, Clone)]
pub struct Counted {
    /// Exact counts.
    pub totals: Totals,
    /// What did not become a row.
    pub loss: Loss,
}

impl Default for Counted {
    fn default() -> Counted {
        Counted {
            totals: Totals::default(),
            loss: Loss {
                not_seen: Some(0),
                ..Loss::default()
            },
        }
    }
}

impl Counted {
    fn of(source: &dyn Source) -> Counted {
        Counted {
            totals: source.totals(),
            loss: source.loss(),
        }
    }

    fn add(&mut self, other: &Counted) {
        self.totals.add(&other.totals);
        self.loss.add(&other.loss);
    }

    /// What was counted after `earlier`.
    pub fn since(&self, earlier: &Counted) -> Counted {
        Counted {
            totals: self.totals.since(&earlier.totals),
            loss: self.loss.since(&earlier.loss),
        }
    }
}

impl Collector {
    /// Not tracing yet.
    pub fn new(
        config: Config,
        orders: Receiver<Command>,
        desk: SyncSender<Message>,
        quit: Arc<AtomicBool>,
        temporaries: Temporaries,
    ) -> Collector {
        Collector {
            syscalls: config.options.syscalls.clone().into(),
            rows: Rows {
                filter: config.filter.clone(),
                epoch: 0,
                seq: 0,
                batch: Batch::default(),
                recorder: None,
                recorded: None,
                failure: None,
                new: 0,
            },
            config,
            orders,
            desk,
            quit,
            trace: None,
            target: Target::Initial,
            past: Counted::default(),
            base: Counted::default(),
            temporaries,
            notice: None,
            failed: None,
            meter: Meter::default(),
            told: Instant::now(),
        }
    }

    /// Works until the dashboard is closed, and completes the recording.
    pub fn run(mut self) -> Result<Option<String>> {
        let outcome = self.work();
        self.stop_trace();
        let recorded = self.end_recording();
        match outcome {
            Ok(()) | Err(Gone) => recorded,
        }
    }

    fn work(&mut self) -> Result<(), Gone> {
        while !self.quit.load(Ordering::Relaxed) {
            while let Ok(command) = self.orders.try_recv() {
                self.obey(command)?;
            }
            self.take_rows()?;
            let wait = if self.rows.new > 0 { HAND_OVER } else { IDLE };
            if self.told.elapsed() >= wait {
                self.tell()?;
            }
        }
        Ok(())
    }

    fn take_rows(&mut self) -> Result<(), Gone> {
        let Some(trace) = &mut self.trace else {
            // Nothing to do but to obey.
            if let Ok(command) = self.orders.recv_timeout(TICK) {
                return self.obey(command);
            }
            return Ok(());
        };
        if trace.over.is_some() {
            std::thread::sleep(TICK);
            return Ok(());
        }
        let rows = &mut self.rows;
        let desk = &self.desk;
        let mut alive = Ok(());
        let polled = trace.source.poll(TICK, &mut |row| {
            rows.take(row);
            if rows.batch.len() >= BATCH_ROWS {
                alive = rows.hand_over(desk);
            }
        });
        alive?;
        if let Err(error) = polled {
            trace.over = Some(Over::Ended(format!("{error:#}")));
        } else if trace.has_ended() {
            self.drain()?;
        }
        if let Some(why) = self.rows.failure.take() {
            self.notice = Some(why);
            self.rows.recorder = None;
        }
        Ok(())
    }

    /// Those the trace is about are gone: nothing more will come.
    fn drain(&mut self) -> Result<(), Gone> {
        if let Some(trace) = &mut self.trace {
            trace.finish(&mut self.rows);
            trace.over = Some(Over::Ended("the traced processes have ended".into()));
        }
        self.rows.hand_over(&self.desk)
    }

    fn obey(&mut self, command: Command) -> Result<(), Gone> {
        self.notice = None;
        match command {
            Command::Filter(filter) => {
                self.rows.hand_over(&self.desk)?;
                self.rows.epoch += 1;
                self.rows.filter = filter.clone();
                self.send(Message::Filter(filter))?;
            }
            Command::Target(target) => self.aim(target)?,
            Command::Syscalls(syscalls) => {
                if let Some(trace) = &mut self.trace {
                    trace.source.select(&syscalls);
                }
                self.syscalls = syscalls.into();
            }
            Command::Record(true) => self.begin_recording(),
            Command::Record(false) => match self.end_recording() {
                Ok(Some(path)) => self.notice = Some(format!("recorded {path}")),
                Ok(None) => {}
                Err(error) => self.notice = Some(format!("{error:#}")),
            },
            Command::Reset => {
                self.rows.hand_over(&self.desk)?;
                self.base = self.counted();
                self.send(Message::Reset)?;
            }
        }
        self.tell()
    }

    /// Traces others from now on. The statistics begin anew: they would be about nobody in particular.
    fn aim(&mut self, target: Target) -> Result<(), Gone> {
        self.notice = Some(ATTACHING.into());
        self.tell()?;
        let before = self.trace.is_some().then(|| self.target.clone());
        self.stop_trace();
        self.rows.hand_over(&self.desk)?;
        self.notice = None;
        self.failed = None;
        match self.attach(&target) {
            Ok(()) => self.target = target,
            Err(error) => {
                let why = format!("{error:#}");
                // Better what was traced before than nothing.
                match before.map(|before| self.attach(&before)) {
                    Some(Ok(())) => self.notice = Some(why),
                    _ => self.failed = Some(why),
                }
            }
        }
        self.base = self.counted();
        self.tell()?;
        self.send(Message::Reset)
    }

    fn attach(&mut self, target: &Target) -> Result<()> {
        let mut options = self.config.options.clone();
        options.scope = scope(target, &self.config.options.scope);
        options.syscalls = self.syscalls.to_vec();
        options.selectable = crate::cli::select::all();
        let watched = tasks::watch(&options.scope)?;
        self.trace = Some(Trace {
            source: Live::attach(&options)?,
            watched,
            looked: Instant::now(),
            over: None,
        });
        Ok(())
    }

    fn stop_trace(&mut self) {
        if let Some(mut trace) = self.trace.take() {
            trace.finish(&mut self.rows);
            self.past.add(&Counted::of(&trace.source));
        }
    }

    fn counted(&self) -> Counted {
        let mut counted = self.past.clone();
        if let Some(trace) = &self.trace {
            counted.add(&Counted::of(&trace.source));
        }
        counted
    }

    fn begin_recording(&mut self) {
        if self.rows.recorder.is_some() {
            return;
        }
        match Recorder::begin(
            &self.config,
            &self.rows.filter,
            self.counted(),
            &self.temporaries,
        ) {
            Ok(recorder) => self.rows.recorder = Some(recorder),
            Err(error) => self.notice = Some(format!("{error:#}")),
        }
    }

    /// Completes the recording, if there is one, and returns its path.
    fn end_recording(&mut self) -> Result<Option<String>> {
        let Some(recorder) = self.rows.recorder.take() else {
            return Ok(None);
        };
        let recorded = recorder.end(self.counted())?;
        let path = recorded.path.clone();
        self.rows.recorded = Some(recorded);
        Ok(Some(path))
    }

    /// Hands over rows and facts.
    fn tell(&mut self) -> Result<(), Gone> {
        self.told = Instant::now();
        self.rows.hand_over(&self.desk)?;
        let counted = self.counted();
        if let Some(recorder) = &mut self.rows.recorder {
            recorder.flush(&|| account_of(&counted));
        }
        self.rows.new = 0;
        let over = self.trace.as_ref().and_then(|trace| trace.over.clone());
        let ring_fill = self
            .trace
            .as_mut()
            .map(|trace| trace.source.take_ring_fill());
        let recording = match &self.rows.recorder {
            Some(recorder) => Some(recorder.state()),
            None => self.rows.recorded.clone(),
        };
        let facts = Facts {
            loss: counted.loss.since(&self.base.loss),
            totals: Arc::new(counted.totals),
            shed: 0,
            target: self.target.clone(),
            syscalls: Arc::clone(&self.syscalls),
            recording,
            notice: self.notice.clone(),
            cost: Cost {
                ring_fill,
                ..self.meter.read()
            },
            over: self.failed.clone().map(Over::Failed).or(over),
        };
        self.send(Message::Facts(Box::new(facts)))
    }

    fn send(&self, message: Message) -> Result<(), Gone> {
        self.desk.send(message).map_err(|_| Gone)
    }
}

/// Only asked where a file ends, which a recording of one file does not do by itself.
fn account_of(counted: &Counted) -> Account {
    let now = std::time::SystemTime::now();
    Account {
        started: now,
        now,
        totals: counted.totals.clone(),
        loss: counted.loss,
        shed: 0,
    }
}

impl Trace {
    /// Whether everybody the trace is about is gone.
    fn has_ended(&mut self) -> bool {
        if self.watched.is_empty() || self.looked.elapsed() < LOOK {
            return false;
        }
        self.looked = Instant::now();
        !self.watched.iter().any(Watched::is_alive) && self.source.live_followed() == 0
    }

    /// Detaches and takes the rows that are still in the rings.
    fn finish(&mut self, rows: &mut Rows) {
        self.source.finish();
        let began = Instant::now();
        while let Ok(taken) = self.source.poll(Duration::ZERO, &mut |row| rows.take(row)) {
            if self.source.is_drained() || (taken == 0 && began.elapsed() > DRAIN_LIMIT) {
                break;
            }
        }
    }
}

impl Rows {
    fn take(&mut self, row: &Row<'_>) {
        self.seq += 1;
        self.new += 1;
        let row = &Row {
            seq: self.seq,
            filter_epoch: self.epoch,
            ..*row
        };
        if let Some(recorder) = &mut self.recorder
            && let Err(error) = recorder.take(row, self.filter.matches(row))
        {
            self.failure = Some(format!("{error:#}"));
            self.recorder = None;
        }
        self.batch.push(row);
    }

    /// Passes the batch on. Waits when the statistics cannot keep up: the rings fill up then, and losses are counted.
    fn hand_over(&mut self, desk: &SyncSender<Message>) -> Result<(), Gone> {
        if self.batch.is_empty() {
            return Ok(());
        }
        let batch = Arc::new(std::mem::take(&mut self.batch));
        desk.send(Message::Rows(batch)).map_err(|_| Gone)
    }
}

/// The scope of a target. What the command line says besides tasks (users, names, cgroups) holds for every one.
fn scope(target: &Target, initial: &Scope) -> Scope {
    let (pids, tids) = match target {
        Target::Initial => return initial.clone(),
        Target::All => (Vec::new(), Vec::new()),
        Target::Process(pid) => (vec![*pid], Vec::new()),
        Target::Thread(tid) => (Vec::new(), vec![*tid]),
    };
    Scope {
        follow: initial.follow && (!pids.is_empty() || !tids.is_empty()),
        pids,
        tids,
        ..initial.clone()
    }
}
