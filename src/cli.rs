//! What was typed → what is meant: a [`Request`], checked as far as it can be without touching the kernel.

mod args;
mod outputs;
pub mod select;
mod values;

use std::ffi::OsString;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches};
use ior_bpf::{Hook, Options, Pairing, Scope};
use ior_core::filter::Condition;
use ior_core::syscall::by_name;
use ior_core::{Filter, Syscall, escape};

use crate::argv;
use crate::recorded::Wanted;
use crate::sink::Rotate;
use args::{
    CallArgs, HookArg, OutputArgs, PairingArg, Question, RecordingArgs, RowArgs, RunArgs,
    ScopeArgs, Typed,
};

/// Where cgroup-v2 directories are.
const CGROUPS: &str = "/sys/fs/cgroup";

/// What the command line asks for.
#[derive(Debug)]
pub enum Request {
    /// A text on standard output: help or the version.
    Print(String),
    /// `ior doctor`.
    Doctor(Form),
    /// `ior syscalls`.
    Syscalls {
        /// Also what is not traced.
        all: bool,
        /// How it is printed.
        form: Form,
    },
    /// `ior collapsed`.
    Collapsed(Recording),
    /// `ior flamegraph`.
    Flamegraph {
        /// What is drawn.
        recording: Recording,
        /// Where to; `-` is standard output.
        output: PathBuf,
        /// What is written above it.
        title: Option<String>,
    },
    /// A trace.
    Trace(Box<Config>),
}

/// A recording and what is wanted of it.
#[derive(Debug)]
pub struct Recording {
    /// The file.
    pub path: PathBuf,
    /// What is read.
    pub wanted: Wanted,
}

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// One run.
#[derive(Debug)]
pub struct Config {
    /// What the kernel is asked to look at. With COMMAND its process is still missing.
    pub options: Options,
    /// Which rows are kept.
    pub filter: Filter,
    /// Where they go; empty: nowhere, or into the summary.
    pub outputs: Vec<Output>,
    /// The aggregate, if one is wanted.
    pub aggregate: Option<Aggregate>,
    /// What is made of the calls besides.
    pub answer: Answer,
    /// Whether it is looked at while it runs.
    pub screen: Screen,
    /// How long to run.
    pub duration: Option<Duration>,
    /// How much is said on standard error.
    pub talk: Talk,
    /// COMMAND and its arguments; empty without.
    pub command: Vec<OsString>,
    /// All that was typed, as a shell would read it.
    pub typed: String,
}

/// One stream of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// How a row is written.
    pub format: Format,
    /// The file, `-` being standard output; the directory of [`Format::ParquetParts`].
    pub path: PathBuf,
}

/// The sums for flame graphs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aggregate {
    /// Part of its file's name.
    pub name: String,
    /// Keys told apart at most.
    pub max_keys: usize,
}

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// The original tool's eight columns.
    Plain,
    /// All columns as CSV.
    Csv,
    /// All columns as JSON, one object a line.
    Json,
    /// All columns as Parquet.
    Parquet,
    /// All columns as Parquet, in files of a directory.
    ParquetParts(Rotate),
}

/// What is printed at the end besides the statistics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Nothing: the rows are the answer, or they are dropped for a measurement.
    Nothing,
    /// Totals, top files, top processes.
    Summary,
    /// The kernel's totals only; as JSON lines into this file, or as a table.
    Totals(Option<PathBuf>),
}

/// The dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    /// Something else is wanted.
    No,
    /// If there is a terminal.
    OnTerminal,
    /// With made-up calls.
    Demo,
}

/// How much is said on standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Talk {
    /// Messages and statistics.
    Normal,
    /// Warnings, losses and errors.
    Quiet,
}

impl Config {
    /// Whether the command line says who is traced.
    pub fn names_scope(&self) -> bool {
        self.options.scope != Scope::default()
    }
}

/// Understands the arguments, program name first. An error is one or two lines for the user.
pub fn parse(args: impl IntoIterator<Item = OsString>) -> Result<Request> {
    let command = command();
    let args: Vec<OsString> = args.into_iter().collect();
    let typed = as_typed(&args);
    let args = argv::rewrite(args, &command);
    // Only the `--` before COMMAND can be there twice. Without COMMAND, the whole machine would be traced.
    if args.iter().position(|arg| arg == "--") == Some(args.len() - 1) {
        bail!("no COMMAND after '--' (see 'ior --help')");
    }
    match command
        .try_get_matches_from(args)
        .and_then(|matches| Typed::from_arg_matches(&matches))
    {
        Ok(args) => request(args, typed),
        Err(error) if !error.use_stderr() => Ok(Request::Print(error.render().to_string())),
        Err(error) => Err(anyhow!("{} (see 'ior --help')", in_one_line(&error))),
    }
}

/// Everything that can be typed.
pub fn command() -> clap::Command {
    let mut command = Typed::command();
    // The subcommand `help` is built here too.
    command.build();
    command
}

/// clap's message and its suggestion, without the usage that every message repeats.
fn in_one_line(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let message = text.split("\n\n").next().unwrap_or_default();
    let words: Vec<_> = message
        .trim_start_matches("error:")
        .split_whitespace()
        .collect();
    let mut line = words.join(" ");
    if let Some(ContextValue::String(near)) = error.get(ContextKind::SuggestedArg) {
        let _ = write!(line, "; did you mean '{near}'?");
    } else if let Some(ContextValue::Strings(near)) = error.get(ContextKind::SuggestedSubcommand) {
        let _ = write!(line, "; did you mean '{}'?", near.join("', '"));
    } else if matches!(
        error.kind(),
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand
    ) && let Some(ContextValue::String(word)) = error
        .get(ContextKind::InvalidArg)
        .or_else(|| error.get(ContextKind::InvalidSubcommand))
        && !word.starts_with('-')
    {
        let _ = write!(line, "; a command to trace follows '--'");
    }
    line
}

/// The arguments in one line, each quoted where a shell would not take it as it is.
fn as_typed(args: &[OsString]) -> String {
    let is_safe = |byte| {
        matches!(byte, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9') || b"-_=+./:,@%^~".contains(&byte)
    };
    let words = args.iter().map(|arg| {
        let word = escape::utf8(arg.as_encoded_bytes());
        if !word.is_empty() && word.bytes().all(is_safe) {
            word.into_owned()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn request(typed: Typed, line: String) -> Result<Request> {
    let form = |json| if json { Form::Json } else { Form::Text };
    match typed.question {
        Some(Question::Doctor { json }) => Ok(Request::Doctor(form(json))),
        Some(Question::Syscalls { all, json }) => Ok(Request::Syscalls {
            all,
            form: form(json),
        }),
        Some(Question::Collapsed { recording: args }) => Ok(Request::Collapsed(recording(args)?)),
        Some(Question::Flamegraph {
            recording: args,
            output,
            title,
        }) => Ok(Request::Flamegraph {
            recording: recording(args)?,
            output,
            title,
        }),
        None => Ok(Request::Trace(Box::new(config(typed, line)?))),
    }
}

fn recording(args: RecordingArgs) -> Result<Recording> {
    let fields = args.fields;
    let mut others = fields.iter().enumerate();
    if others.any(|(place, field)| fields[..place].contains(field)) {
        bail!("--fields: a field is there twice");
    }
    Ok(Recording {
        path: args.file,
        wanted: Wanted {
            fields,
            count: args.count,
        },
    })
}

fn config(typed: Typed, line: String) -> Result<Config> {
    let answer = answer(&typed.output);
    let rows = !matches!(answer, Answer::Totals(_));
    let (scope, command) = scope(typed.scope)?;
    let at_the_end = typed.output.summary || typed.output.quiet || typed.run.duration.is_some();
    // COMMAND has the terminal to itself.
    let screen = if typed.output.demo {
        Screen::Demo
    } else if answer == Answer::Summary && command.is_empty() && !at_the_end {
        Screen::OnTerminal
    } else {
        Screen::No
    };
    Ok(Config {
        options: Options {
            scope,
            syscalls: select::syscalls(&typed.calls)?,
            selectable: Vec::new(),
            named: named(&typed.calls),
            buffer_size: typed.run.buffer_size,
            hook: hook(&typed.run),
            pairing: pairing(&typed.run),
            rows,
        },
        filter: filter(typed.rows)?,
        outputs: if rows {
            outputs::outputs(&typed.output)?
        } else {
            Vec::new()
        },
        aggregate: outputs::aggregate(&typed.output, &command),
        answer,
        screen,
        duration: typed.run.duration,
        talk: if typed.output.quiet {
            Talk::Quiet
        } else {
            Talk::Normal
        },
        command,
        typed: line,
    })
}

/// The syscalls that were asked for by name.
fn named(args: &CallArgs) -> Vec<&'static Syscall> {
    let names = args.trace_syscalls.iter();
    names
        .filter_map(|name| by_name(&name.to_ascii_lowercase()))
        .collect()
}

fn scope(args: ScopeArgs) -> Result<(Scope, Vec<OsString>)> {
    let names_tasks = !args.pid.is_empty() || !args.tid.is_empty();
    if names_tasks && !args.command.is_empty() {
        bail!("COMMAND cannot be traced together with -p or -t: run ior twice");
    }
    if args.follow && !names_tasks && args.command.is_empty() {
        bail!("-f follows the children of -p, -t or COMMAND: name one");
    }
    if args.comm.iter().any(|comm| comm.is_empty()) {
        bail!("--comm: a thread's name is not empty");
    }
    let scope = Scope {
        pids: args.pid,
        tids: args.tid,
        follow: args.follow,
        comms: args.comm.into_iter().map(OsStringExt::into_vec).collect(),
        uids: args.uid,
        cgroups: args
            .cgroup
            .iter()
            .map(|path| cgroup(path))
            .collect::<Result<_>>()?,
    };
    Ok((scope, args.command))
}

/// A cgroup directory: absolute, or relative to the root of the hierarchy (with or without the `/` of `/proc/PID/cgroup`).
fn cgroup(path: &Path) -> Result<PathBuf> {
    let below = if path.starts_with(CGROUPS) {
        path
    } else {
        path.strip_prefix("/").unwrap_or(path)
    };
    let directory = Path::new(CGROUPS).join(below);
    match std::fs::metadata(&directory) {
        Ok(found) if found.is_dir() => Ok(directory),
        Ok(_) => bail!("--cgroup: {} is no directory", directory.display()),
        Err(error) => bail!(
            "--cgroup: {}: {error}; `systemd-cgls` lists cgroups",
            directory.display()
        ),
    }
}

fn filter(args: RowArgs) -> Result<Filter> {
    let mut filter = match args.filter {
        Some(expression) => Filter::parse(&expression).context("--filter")?,
        None => Filter::default(),
    };
    if let Some(path) = args.path {
        let on_path = Filter::parse(&format!("file~{}", quoted(path.as_encoded_bytes())))
            .context("--path")?;
        on_path
            .conditions()
            .iter()
            .cloned()
            .for_each(|condition| filter.push(condition));
    }
    if args.errors {
        filter.push(Condition::errors());
    }
    if let Some(ns) = args.min_latency {
        filter.push(Condition::min_latency(ns));
    }
    Ok(filter)
}

/// A value of a filter expression, whatever it holds.
fn quoted(bytes: &[u8]) -> String {
    let mut quoted = String::from("\"");
    for byte in bytes {
        match byte {
            b'"' | b'\\' | 0..0x20 | 0x7f.. => {
                let _ = write!(quoted, "\\x{byte:02x}");
            }
            byte => quoted.push(char::from(*byte)),
        }
    }
    quoted.push('"');
    quoted
}

fn answer(args: &OutputArgs) -> Answer {
    if args.totals {
        Answer::Totals(args.json.clone())
    } else if args.plain
        || args.csv.is_some()
        || args.json.is_some()
        || args.parquet.is_some()
        || args.flamegraph
        || args.discard
    {
        Answer::Nothing
    } else {
        Answer::Summary
    }
}

fn hook(args: &RunArgs) -> Option<Hook> {
    match args.hook {
        HookArg::Auto => None,
        HookArg::TpBtf => Some(Hook::TpBtf),
        HookArg::RawSyscalls => Some(Hook::RawSyscalls),
    }
}

fn pairing(args: &RunArgs) -> Option<Pairing> {
    match args.pairing {
        PairingArg::Auto => None,
        PairingArg::TaskStorage => Some(Pairing::TaskStorage),
        PairingArg::Hash => Some(Pairing::Hash),
    }
}
