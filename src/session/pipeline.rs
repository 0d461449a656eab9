//! The way of a row through user space: filter, statistics, outputs; and the count of what became of it.

use std::fs;
use std::io::IsTerminal;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Error, Result, bail};
use ior_core::{Filter, Row, Stats, escape};

use super::output::{self, Opened, Parts, Pending, Single, Temporaries};
use crate::cli::{self, Answer, Config, Format};
use crate::signals::Signals;
use crate::sink;
use crate::sink::{
    About, Account, Aggregate, BufferedOut, Csv, Files, Json, Names, Parquet, Plain, Rotate, Sink,
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
    remarks: Vec<Remark>,
    flushed: Instant,
}

struct Output {
    sink: Box<dyn Sink>,
    name: String,
    pending: Option<Pending>,
    naming: Naming,
}

/// How a file gets its name in the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Naming {
    /// One that is there is replaced.
    Chosen,
    /// None is replaced: it is ours. With this extension.
    MadeUp(&'static str),
}

/// What the user should know of an output that is complete.
#[derive(Debug, PartialEq, Eq)]
pub enum Remark {
    /// The name made up for it.
    Written(String),
    /// What its sink says.
    OfSink(String),
}

impl Output {
    fn complete(&mut self, account: &Account, remarks: &mut Vec<Remark>) -> Result<()> {
        let cannot_write = || cannot_write(&self.name);
        self.sink.finish(account).with_context(cannot_write)?;
        match (self.pending.take(), self.naming) {
            (None, _) => {}
            (Some(pending), Naming::Chosen) => pending.complete()?,
            (Some(pending), Naming::MadeUp(extension)) => {
                let path = pending
                    .complete_beside(extension)
                    .with_context(cannot_write)?;
                let name = escape::terminal(path.as_os_str().as_encoded_bytes()).into_owned();
                remarks.push(Remark::Written(name));
            }
        }
        remarks.extend(self.sink.remark().map(Remark::OfSink));
        Ok(())
    }
}

impl Pipeline {
    /// Opens the outputs.
    pub fn open(config: &Config, temporaries: &Temporaries, signals: &Signals) -> Result<Pipeline> {
        let open = |wanted: &cli::Output| match wanted.format {
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
        let mut outputs: Vec<Output> = config.outputs.iter().map(open).collect::<Result<_>>()?;
        if let Some(wanted) = &config.aggregate {
            outputs.push(aggregate(wanted, temporaries, config)?);
        }
        Ok(Pipeline {
            filter: config.filter.clone(),
            stats: (config.answer == Answer::Summary).then(Stats::default),
            outputs,
            rows: 0,
            filtered: 0,
            shed: 0,
            failure: None,
            remarks: Vec::new(),
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
            outcome = outcome.and(output.complete(account, &mut self.remarks));
        }
        // An output that has failed fails again when it is finished, and says more then.
        outcome.and(self.failure.take().map_or(Ok(()), Err))
    }

    /// What is to be said about the outputs that are complete.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
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
        naming: Naming::Chosen,
    })
}

fn parquet(files: Box<dyn Files>, rotate: Rotate, name: String, config: &Config) -> Result<Output> {
    let sink = Parquet::new(files, rotate, about(config)).with_context(|| cannot_write(&name))?;
    Ok(Output {
        sink: Box::new(sink),
        name,
        pending: None,
        naming: Naming::Chosen,
    })
}

/// The aggregate, `HOST-NAME-TIME.ior.zst` in the current directory.
fn aggregate(
    wanted: &cli::Aggregate,
    temporaries: &Temporaries,
    config: &Config,
) -> Result<Output> {
    const EXTENSION: &str = ".ior.zst";
    let about = about(config);
    let host = about.hostname.replace('/', "_");
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.unwrap_or_default().as_secs();
    let name = format!(
        "{host}-{}-{}{EXTENSION}",
        wanted.name,
        sink::compact_time(seconds)
    );
    let opened = output::create_beside(&name, temporaries)?;
    Ok(Output {
        sink: Box::new(Aggregate::new(opened.file, about, wanted.max_keys)),
        name,
        pending: opened.pending,
        naming: Naming::MadeUp(EXTENSION),
    })
}

/// What a recording of this run says about it.
pub fn about(config: &Config) -> About {
    let of_kernel = |name: &str| {
        let text = fs::read_to_string(Path::new("/proc/sys/kernel").join(name));
        text.unwrap_or_default().trim_end().to_owned()
    };
    About {
        hostname: of_kernel("hostname"),
        kernel: of_kernel("osrelease"),
        command: config.typed.clone(),
        filter: config.filter.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

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
