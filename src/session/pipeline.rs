//! The way of a row through user space: filter, statistics, outputs; and the count of what became of it.

use std::fs;
use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, bail};
use ior_core::{Filter, Row, Stats};

use super::output::{self, Opened, Parts, Pending, Single, Temporaries};
use crate::cli::{Answer, Config, Format};
use crate::signals::Signals;
use crate::sink::{
    About, Account, BufferedOut, Csv, Files, Json, Names, Parquet, Plain, Rotate, Sink,
};

/// Rows wait no longer than this in a buffer of ours.
const FLUSH_AFTER: Duration = Duration::from_millis(100);

/// Where rows go.
pub struct Pipeline {
    filter: Filter,
    stats: Option<Stats>,
    outputs: Vec<Output>,
    rows: u64,
    filtered: u64,
    shed: u64,
    failure: Option<Error>,
    flushed: Instant,
}

struct Output {
    sink: Box<dyn Sink>,
    name: String,
    pending: Option<Pending>,
}

impl Pipeline {
    /// Opens the outputs.
    pub fn open(config: &Config, temporaries: &Temporaries, signals: &Signals) -> Result<Pipeline> {
        let open = |wanted: &crate::cli::Output| match wanted.format {
            Format::Parquet => {
                let opened = output::open(&wanted.path, temporaries)?;
                if opened.file.is_terminal() {
                    bail!(
                        "{}: it is a terminal; name a file",
                        cannot_write(&opened.name)
                    );
                }
                let name = opened.name.clone();
                parquet(Box::new(Single::new(opened)), Rotate::Never, name, config)
            }
            Format::ParquetParts(rotate) => {
                let name = wanted.path.display().to_string();
                let parts = Parts::new(&wanted.path, temporaries)?;
                parquet(Box::new(parts), rotate, name, config)
            }
            Format::Plain => text(&wanted.path, temporaries, signals, |out, names| {
                Box::new(Plain::new(out, names))
            }),
            Format::Csv => text(&wanted.path, temporaries, signals, |out, names| {
                Box::new(Csv::new(out, names))
            }),
            Format::Json => text(&wanted.path, temporaries, signals, |out, names| {
                Box::new(Json::new(out, names))
            }),
        };
        Ok(Pipeline {
            filter: config.filter.clone(),
            stats: (config.answer == Answer::Summary).then(Stats::default),
            outputs: config.outputs.iter().map(open).collect::<Result<_>>()?,
            rows: 0,
            filtered: 0,
            shed: 0,
            failure: None,
            flushed: Instant::now(),
        })
    }

    /// Takes one row.
    pub fn take(&mut self, row: &Row<'_>) {
        if self.failure.is_some() {
            self.shed += 1;
            return;
        }
        if !self.filter.matches(row) {
            self.filtered += 1;
            return;
        }
        self.rows += 1;
        // Rows are numbered as they are emitted.
        let row = &Row {
            seq: self.rows,
            ..*row
        };
        if let Some(stats) = &mut self.stats {
            stats.add(row);
        }
        for output in &mut self.outputs {
            if let Err(error) = output.sink.row(row) {
                self.failure = Some(Error::new(error).context(cannot_write(&output.name)));
            }
        }
    }

    /// Hands buffered rows on if they have waited long enough. `account` is asked where a file ends.
    pub fn flush_when_due(&mut self, account: &dyn Fn() -> Account) {
        let now = Instant::now();
        if self.outputs.is_empty() || now.duration_since(self.flushed) < FLUSH_AFTER {
            return;
        }
        self.flushed = now;
        for output in &mut self.outputs {
            if let Err(error) = output.sink.flush(account) {
                self.failure = Some(Error::new(error).context(cannot_write(&output.name)));
            }
        }
    }

    /// Whether an output has failed or was closed, so that going on makes no sense.
    pub fn is_broken(&self) -> bool {
        self.failure.is_some()
    }

    /// Completes every output that can be completed, and returns the first failure.
    pub fn complete(&mut self, account: &Account) -> Result<()> {
        let mut outcome = Ok(());
        for mut output in self.outputs.drain(..) {
            let finished = output
                .sink
                .finish(account)
                .with_context(|| cannot_write(&output.name));
            let completed =
                finished.and_then(|()| output.pending.take().map_or(Ok(()), Pending::complete));
            outcome = outcome.and(completed);
        }
        // An output that has failed fails again when it is finished, and says more then.
        outcome.and(self.failure.take().map_or(Ok(()), Err))
    }

    /// What the rows add up to, if that is wanted.
    pub fn stats(&self) -> Option<&Stats> {
        self.stats.as_ref()
    }

    /// Rows that passed the filter.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows that did not.
    pub fn filtered(&self) -> u64 {
        self.filtered
    }

    /// Rows that came after an output had failed.
    pub fn shed(&self) -> u64 {
        self.shed
    }
}

fn cannot_write(name: &str) -> String {
    format!("cannot write {name}")
}

fn text(
    path: &Path,
    temporaries: &Temporaries,
    signals: &Signals,
    sink: fn(BufferedOut, Names) -> Box<dyn Sink>,
) -> Result<Output> {
    let Opened {
        file,
        name,
        pending,
    } = output::open(path, temporaries)?;
    let names = if file.is_terminal() {
        Names::Escaped
    } else {
        Names::Exact
    };
    let out = BufferedOut::new(file, signals.over()).with_context(|| cannot_write(&name))?;
    Ok(Output {
        sink: sink(out, names),
        name,
        pending,
    })
}

fn parquet(files: Box<dyn Files>, rotate: Rotate, name: String, config: &Config) -> Result<Output> {
    let of_kernel = |name: &str| {
        let text = fs::read_to_string(Path::new("/proc/sys/kernel").join(name));
        text.unwrap_or_default().trim_end().to_owned()
    };
    let about = About {
        hostname: of_kernel("hostname"),
        kernel: of_kernel("osrelease"),
        command: config.typed.clone(),
        filter: config.filter.to_string(),
    };
    let sink = Parquet::new(files, rotate, about).with_context(|| cannot_write(&name))?;
    Ok(Output {
        sink: Box::new(sink),
        name,
        pending: None,
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use std::time::SystemTime;

    use ior_core::{Abi, Details, Ids, Loss, NameSource, Task, Totals, syscall};

    use super::*;
    use crate::cli::{self, Request};

    fn pipeline(args: &[&str]) -> Result<Pipeline> {
        let args = ["ior"].iter().chain(args).map(OsString::from);
        let Request::Trace(config) = cli::parse(args).unwrap() else {
            panic!("no trace")
        };
        Pipeline::open(&config, &Temporaries::default(), &Signals::default())
    }

    fn take(pipeline: &mut Pipeline, ret: i64) {
        let comm = b"sh".to_vec();
        let task = Task {
            tid: 1,
            pid: 1,
            ppid: 0,
            uid: 0,
            cgroup_id: 0,
            cgroup: String::new(),
            comm: comm.clone(),
            process: comm,
            start_ns: 0,
        };
        pipeline.take(&Row {
            seq: 99,
            time_ns: 0,
            wall_ns: 0,
            gap_ns: 0,
            latency_ns: 0,
            task: &task,
            syscall: syscall::by_name("read").unwrap(),
            abi: Abi::X86_64,
            fd: 3,
            ret,
            bytes: 0,
            file: b"/etc/x",
            old_file: None,
            name_source: NameSource::Kernel,
            filter_epoch: 0,
            dev: None,
            ino: None,
            requested: None,
            offset: None,
            flags: None,
            details: Details::default(),
            ids: Ids::default(),
        });
    }

    fn account() -> Account {
        Account {
            started: SystemTime::UNIX_EPOCH,
            now: SystemTime::UNIX_EPOCH,
            totals: Totals::default(),
            loss: Loss::default(),
            shed: 0,
        }
    }

    #[test]
    fn rows_are_filtered_numbered_and_written() {
        let path = std::env::temp_dir().join(format!("ior-pipeline-{}.json", std::process::id()));
        let mut pipeline = pipeline(&["--errors", "--json", path.to_str().unwrap()]).unwrap();
        for ret in [-2, 1, -13, 0] {
            take(&mut pipeline, ret);
        }
        assert!(!path.exists());
        pipeline.complete(&account()).unwrap();
        assert_eq!(
            (pipeline.rows(), pipeline.filtered(), pipeline.shed()),
            (2, 2, 0)
        );
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(path).unwrap();
        let rows: Vec<serde_json::Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let numbers: Vec<_> = rows
            .iter()
            .map(|row| (row["seq"].as_u64().unwrap(), row["ret"].as_i64().unwrap()))
            .collect();
        assert_eq!(numbers, [(1, -2), (2, -13)]);
    }

    #[test]
    fn a_full_device_breaks_the_pipeline_and_rows_after_it_are_counted() {
        let mut pipeline = pipeline(&["--csv", "/dev/full"]).unwrap();
        take(&mut pipeline, 1);
        while !pipeline.is_broken() {
            pipeline.flushed -= FLUSH_AFTER;
            pipeline.flush_when_due(&account);
        }
        take(&mut pipeline, 1);
        assert_eq!((pipeline.rows(), pipeline.shed()), (1, 1));
        let message = format!("{:#}", pipeline.complete(&account()).unwrap_err());
        assert!(
            message.starts_with("cannot write /dev/full: No space left"),
            "{message}"
        );
    }

    #[test]
    fn only_the_summary_needs_statistics() {
        assert!(pipeline(&[]).unwrap().stats().is_some());
        assert!(pipeline(&["--discard"]).unwrap().stats().is_none());
        assert!(pipeline(&["--totals"]).unwrap().stats().is_none());
    }
}
