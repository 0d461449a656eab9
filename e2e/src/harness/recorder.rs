//! Runs `ior` on a workload, the two ways there are: started by it, or attached to.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::compare::{Compared, Comparison, read_oracle};
use super::invariants::{Checker, Completeness};
use super::process::{Finished, Running, Stream};
use super::rows::{self, Row};
use super::scratch::Scratch;
use super::statistics::Statistics;
use super::{Result, check};
use crate::oracle::{Call, ORACLE};

/// The programs a test needs.
#[derive(Debug, Clone)]
pub struct Programs {
    /// The binary under test.
    pub ior: PathBuf,
    /// The workload.
    pub workload: PathBuf,
}

/// How the workload comes under the trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// `ior -- workload …`
    Command,
    /// `ior -p PID -f`, while the workload waits.
    Attached,
    /// `ior -p PID`, so that its children are out of scope.
    Alone,
}

/// A recorded run, not yet looked at.
pub struct Recording {
    /// The rows.
    pub json: PathBuf,
    /// What the workload stated.
    pub stated: Vec<Call>,
    /// How ior ended, and what it said.
    pub ior: Finished,
    /// The statistics it printed.
    pub statistics: Statistics,
    /// The workload's process, if it was attached to.
    pub pid: Option<u32>,
}

impl Programs {
    /// `ior` with options, free of what sudo or an earlier test left in the environment.
    pub fn ior<S: AsRef<OsStr>>(&self, options: impl IntoIterator<Item = S>) -> Command {
        let mut command = Command::new(&self.ior);
        for variable in ["SUDO_UID", "SUDO_GID", "SUDO_USER", "SUDO_COMMAND"] {
            command.env_remove(variable);
        }
        command.args(options);
        command
    }

    /// The workload, waiting for a byte before its first call.
    ///
    /// # Errors
    /// It could not be started.
    pub fn waiting_workload(&self, scenario: &str, dir: &Path) -> Result<Running> {
        Running::start(
            Command::new(&self.workload)
                .arg("--wait")
                .arg(scenario)
                .arg(dir),
        )
    }

    /// A process beside the traced one, at work until it is dropped.
    ///
    /// # Errors
    /// It could not be started.
    pub fn noise(&self, scratch: &Scratch) -> Result<Running> {
        let dir = scratch.dir("noise")?;
        let mut noise = Running::start(Command::new(&self.workload).arg("noise").arg(dir))?;
        noise.wait_for(Stream::Out, "running")?;
        Ok(noise)
    }

    /// Records a scenario, noise beside it.
    ///
    /// # Errors
    /// Something could not be started, failed, or did not end.
    pub fn record(
        &self,
        scenario: &str,
        mode: Mode,
        scratch: &Scratch,
        options: &[&str],
    ) -> Result<Recording> {
        let dir = scratch.dir("work")?;
        let json = scratch.path().join("rows.json");
        let noise = self.noise(scratch)?;
        let mut ior = self.ior(options);
        ior.arg("--json").arg(&json);
        let (finished, pid) = match mode {
            Mode::Command => {
                ior.arg("--").arg(&self.workload).arg(scenario).arg(&dir);
                (super::process::run(&mut ior)?, None)
            }
            Mode::Attached | Mode::Alone => {
                let mut workload = self.waiting_workload(scenario, &dir)?;
                let pid = workload.id();
                ior.arg("-p").arg(pid.to_string());
                if mode == Mode::Attached {
                    ior.arg("-f");
                }
                let mut ior = Running::start(&mut ior)?;
                ior.wait_for(Stream::Err, "attached")?;
                workload.let_go()?;
                workload.succeed()?;
                (ior.finish()?, Some(pid))
            }
        };
        drop(noise);
        let recording = Recording::read(json, &[&dir], finished)?;
        Ok(Recording { pid, ..recording })
    }
}

impl Recording {
    /// What ior recorded of the workloads that ran in `dirs`; it must have succeeded.
    ///
    /// # Errors
    /// It failed, or a workload stated nothing.
    pub fn read(json: PathBuf, dirs: &[&Path], ior: Finished) -> Result<Recording> {
        check(ior.status.success(), || {
            format!("{}\n-- stderr:\n{}", ior.status, ior.err)
        })?;
        let mut stated = Vec::new();
        for dir in dirs {
            stated.extend(read_oracle(&dir.join(ORACLE))?);
        }
        let statistics = Statistics::parse(&ior.err);
        Ok(Recording {
            json,
            stated,
            ior,
            statistics,
            pid: None,
        })
    }

    /// Hands each row to `visit`, checking what holds for all rows and the sums of the statistics.
    ///
    /// # Errors
    /// The first rule broken, or what `visit` says.
    pub fn visit(&self, mut visit: impl FnMut(Row) -> Result<()>) -> Result<()> {
        // A gap is to the previous call, also where that one's row was filtered out.
        let complete = match (self.statistics.losses()?, self.statistics.filtered) {
            (0, Some(0)) => Completeness::Complete,
            _ => Completeness::Lossy,
        };
        let mut checker = Checker::default();
        let count = rows::for_each(&self.json, |row| {
            checker.row(&row, complete)?;
            visit(row)
        })?;
        self.statistics.check_sum(count)?;
        if complete == Completeness::Complete {
            let partial = self.statistics.partial_names;
            check(partial == Some(checker.partial), || {
                format!(
                    "{} rows have partial names, statistics say {partial:?}",
                    checker.partial
                )
            })?;
        }
        Ok(())
    }

    /// Everything was recorded, and nothing else.
    ///
    /// # Errors
    /// A difference, or a loss.
    pub fn check_exactly(&self) -> Result<()> {
        self.check_kept(Compared::Bracketed, |_| true)
    }

    /// The calls for which `keep` holds were recorded, and nothing else.
    ///
    /// # Errors
    /// A difference, or a loss.
    pub fn check_kept(&self, compared: Compared, keep: impl Fn(&Call) -> bool) -> Result<()> {
        self.statistics
            .check_complete()
            .map_err(|problem| format!("{problem}\n-- stderr:\n{}", self.ior.err))?;
        let mut comparison = Comparison::new(compared);
        self.visit(|row| {
            comparison.add(row);
            Ok(())
        })?;
        let kept: Vec<_> = self
            .stated
            .iter()
            .filter(|call| keep(call))
            .cloned()
            .collect();
        check(!kept.is_empty(), || "nothing was to be recorded".to_owned())?;
        comparison.check(&kept)
    }
}
