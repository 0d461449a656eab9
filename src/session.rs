//! One run: one source, one filter, many sinks; how it starts, what ends it, and what is said about it.

mod answer;
mod command;
pub mod output;
mod pipeline;
mod stop;
pub mod tasks;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Error, Result};
use ior_bpf::child::Killer;
use ior_bpf::{Hook, InFlight, Pairing, Variant};

use crate::Failure;
use crate::cli::{Config, Talk};
use crate::signals::Signals;
use crate::sink::Account;
use crate::source::{Live, Source};
use crate::summary::{self, Statistics, Usage};
use answer::Destination;
use command::Command;
pub use output::{Beside, Temporaries};
pub use pipeline::about;
use pipeline::{Pipeline, Remark};
use stop::Stop;

/// How long to wait for rows before looking whether the run is over.
const TICK: Duration = Duration::from_millis(10);

/// How long to wait for rows that were sent and do not come; the account says if they never did.
const DRAIN_LIMIT: Duration = Duration::from_secs(1);

/// Exit status when ior fails before COMMAND ran.
const BEFORE_COMMAND: u8 = 125;

/// Runs the trace and returns the exit status. `launched` is when ior itself was started.
pub fn run(config: Config, launched: Instant) -> Result<u8, Failure> {
    let status = if config.command.is_empty() {
        1
    } else {
        BEFORE_COMMAND
    };
    let run = Run::start(config, launched).map_err(|error| Failure { status, error })?;
    run.finish().map_err(|error| Failure { status: 1, error })
}

/// Whether everything was traced and written; nobody reading it any more is no failure.
enum Recorded {
    Yes,
    No(Error),
    /// The user knows already.
    SaidNo,
}

/// A run that has started: the trace is attached and COMMAND, if there is one, is running.
struct Run {
    config: Config,
    source: Box<dyn Source>,
    pipeline: Pipeline,
    answer: Option<Destination>,
    command: Option<Command>,
    stop: Stop,
    began: Began,
}

/// When the trace was attached.
#[derive(Debug, Clone, Copy)]
struct Began {
    at: Instant,
    wall: SystemTime,
    /// Nanoseconds of `CLOCK_BOOTTIME`.
    boot_ns: Option<u64>,
}

impl Began {
    fn now() -> Began {
        Began {
            at: Instant::now(),
            wall: SystemTime::now(),
            boot_ns: summary::boottime_ns(),
        }
    }

    /// What has been counted until now, which the wall clock's jumps do not change.
    fn account(&self, source: &dyn Source, shed: u64) -> Account {
        Account {
            started: self.wall,
            now: self.wall + self.at.elapsed(),
            totals: source.totals(),
            loss: source.loss(),
            shed,
        }
    }
}

impl Run {
    /// Everything that can fail for want of a file, a process or a privilege fails here.
    fn start(mut config: Config, launched: Instant) -> Result<Run> {
        let watched = tasks::watch(&config.options.scope)?;
        // Before any thread of ours is started, which a fork would not take along.
        let mut command = match config.command.as_slice() {
            [] => None,
            argv => Some(Command::hold(argv)?),
        };
        if let Some(command) = &command {
            config.options.scope.pids = vec![command.pid()];
            config.options.scope.follow = true;
        }
        let temporaries = Temporaries::default();
        let left = temporaries.clone();
        let killer = command.as_ref().map(Command::killer).transpose()?;
        let clean_up = move || {
            killer.iter().for_each(Killer::kill);
            left.remove_all();
        };
        let signals = Signals::install(clean_up).context("cannot handle signals")?;
        let pipeline = Pipeline::open(&config, &temporaries, &signals)?;
        let answer = Destination::open(&config.answer, &temporaries)?;
        let source = Live::attach(&config.options)?;
        let began = Began::now();
        announce(&config, source.variant(), launched.elapsed());
        let stop = Stop::new(config.duration, signals, watched)?;
        if let Some(command) = &mut command {
            command.release()?;
        }
        Ok(Run {
            config,
            source: Box::new(source),
            pipeline,
            answer,
            command,
            stop,
            began,
        })
    }

    /// Takes rows until the run is over, completes the outputs and gives the account.
    fn finish(mut self) -> Result<u8> {
        let taken = self.take_rows();
        let elapsed = self.began.at.elapsed();
        let in_flight = self.source.finish();
        let traced = taken.and(self.drain());
        let recorded = if traced.is_err() || self.pipeline.is_broken() {
            // First the outputs: what they leave of a full disk is COMMAND's again.
            let recorded = traced.and(self.complete()).or_else(unless_closed);
            self.wait_untraced(recorded)
        } else {
            Recorded::Yes
        };
        // A COMMAND that outlives the run (--duration) is ended; its status means nothing then.
        let status = self
            .command
            .as_ref()
            .map_or(Some(0), Command::exit_status)
            .unwrap_or(0);
        drop(self.command.take());
        let completed = self.complete();
        let answered = self.answer();
        self.say_remarks();
        self.say_statistics(elapsed, in_flight);
        match recorded {
            Recorded::Yes => {}
            Recorded::No(error) => return Err(error),
            Recorded::SaidNo => return Ok(1),
        }
        for outcome in [completed, answered] {
            outcome.or_else(unless_closed)?;
        }
        Ok(status)
    }

    /// Waits for a COMMAND that still runs after tracing it has failed: a tracer must not end the job it looks at.
    fn wait_untraced(&mut self, recorded: Result<()>) -> Recorded {
        let goes_on = match &mut self.command {
            Some(command) => !self.stop.is_wanted() && !command.has_ended().unwrap_or(true),
            None => false,
        };
        let outcome = match recorded {
            Ok(()) => Recorded::Yes,
            Err(error) if goes_on => {
                let failure = Failure { status: 1, error };
                let _ = writeln!(io::stderr(), "{failure}; COMMAND goes on untraced");
                Recorded::SaidNo
            }
            Err(error) => Recorded::No(error),
        };
        if let Some(command) = &mut self.command {
            while let Ok(false) = self.stop.is_due_untraced(command) {
                thread::sleep(TICK);
            }
        }
        outcome
    }

    fn take_rows(&mut self) -> Result<()> {
        while !self.pipeline.is_broken()
            && !self.stop.is_due(&*self.source, self.command.as_mut())?
        {
            self.source.poll(TICK, &mut |row| self.pipeline.take(row))?;
            let (source, began, shed) = (&*self.source, self.began, self.pipeline.shed());
            self.pipeline
                .flush_when_due(&|| began.account(source, shed));
        }
        Ok(())
    }

    /// Takes what is still in the rings.
    fn drain(&mut self) -> Result<()> {
        let began = Instant::now();
        loop {
            let taken = self
                .source
                .poll(Duration::ZERO, &mut |row| self.pipeline.take(row))?;
            if self.source.is_drained() || (taken == 0 && began.elapsed() > DRAIN_LIMIT) {
                return Ok(());
            }
        }
    }

    fn complete(&mut self) -> Result<()> {
        let account = self.began.account(&*self.source, self.pipeline.shed());
        self.pipeline.complete(&account)
    }

    fn answer(&mut self) -> Result<()> {
        match self.answer.take() {
            None => Ok(()),
            Some(answer) => answer.write(
                &self.source.totals(),
                self.pipeline.stats(),
                &self.source.loss(),
            ),
        }
    }

    fn say_remarks(&self) {
        for remark in self.pipeline.remarks() {
            let _ = match remark {
                Remark::Written(name) if self.config.talk == Talk::Normal => {
                    writeln!(io::stderr(), "ior: wrote {name}")
                }
                Remark::Written(_) => Ok(()),
                Remark::OfSink(text) => writeln!(io::stderr(), "ior: {text}"),
            };
        }
    }

    fn say_statistics(&self, elapsed: Duration, in_flight: Option<Vec<InFlight>>) {
        let statistics = Statistics {
            elapsed,
            began_ns: self.began.boot_ns,
            calls: self.source.totals().sum().calls,
            made_rows: self.config.options.rows,
            rows: self.pipeline.rows(),
            filtered: self.pipeline.filtered(),
            shed: self.pipeline.shed(),
            loss: self.source.loss(),
            in_flight,
            evicted_files: self.source.evicted_files(),
            usage: Usage::now(),
        };
        // Nobody may be listening any more.
        let _ = match self.config.talk {
            Talk::Normal => statistics.write(&mut io::stderr().lock()),
            Talk::Quiet => statistics.write_losses(&mut io::stderr().lock()),
        };
    }
}

/// Says that the trace runs. Tests and scripts start what they want traced when they read *attached*.
fn announce(config: &Config, variant: &Variant, took: Duration) {
    let mut text = String::new();
    for degraded in &variant.degraded {
        text.push_str(&format!("ior: warning: {degraded}\n"));
    }
    if config.talk == Talk::Normal {
        let hook = match variant.hook {
            Hook::TpBtf => "tp_btf",
            Hook::RawSyscalls => "raw_syscalls",
        };
        let pairing = match variant.pairing {
            Pairing::TaskStorage => "task storage",
            Pairing::Hash => "hash",
        };
        text.push_str(&format!(
            "ior: attached in {} ms ({hook}, {pairing})\n",
            took.as_millis()
        ));
        if let Some(duration) = config.duration {
            text.push_str(&format!("Probing for {duration:?}\n"));
        }
    }
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Whoever closed the pipe has seen enough: no failure.
pub fn unless_closed(error: Error) -> Result<()> {
    let is_closed = |cause: &(dyn std::error::Error + 'static)| {
        cause
            .downcast_ref::<io::Error>()
            .is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    if error.chain().any(is_closed) {
        Ok(())
    } else {
        Err(error)
    }
}
