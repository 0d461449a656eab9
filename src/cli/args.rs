//! What can be typed: the clap definition and nothing else. What it means is decided in [`super`].

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::values;
use crate::recorded::{Count, Field};
use crate::sink::Rotate;
use crate::sink::aggregate::DEFAULT_KEYS;

const EXAMPLES: &str = "\
Examples:
  sudo ior                                totals, top files and processes, until Ctrl-C
  sudo ior --plain -p 1234 --duration 5s  every file call of a process as CSV
  sudo ior --json - --errors -- make      every file call that fails in a build
  sudo ior --csv x.csv --min-latency 10ms --trace-syscalls fsync,fdatasync
  sudo ior --flamegraph -- make           sums for a flame graph, in one small file
  ior flamegraph FILE.ior.zst -o out.svg  the flame graph

ior needs root, or CAP_BPF and CAP_PERFMON (before Linux 5.11 also CAP_SYS_RESOURCE);
`ior doctor` says what is missing.
Exit status: 0 or that of COMMAND, 1 failed, 2 usage, 125 COMMAND not run.";

/// What file I/O is this machine doing, by whom, on which files, how slow, and what fails
#[derive(Debug, Parser)]
#[command(
    name = "ior",
    version,
    about,
    after_help = EXAMPLES,
    override_usage = "ior [OPTIONS]\n       ior [OPTIONS] -- COMMAND [ARGUMENT]...\n       ior collapsed | flamegraph | doctor | syscalls",
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    max_term_width = 100
)]
pub struct Typed {
    /// A question that needs no trace.
    #[command(subcommand)]
    pub question: Option<Question>,
    /// Who is traced.
    #[command(flatten)]
    pub scope: ScopeArgs,
    /// Which calls are traced.
    #[command(flatten)]
    pub calls: CallArgs,
    /// Which rows are kept.
    #[command(flatten)]
    pub rows: RowArgs,
    /// Where they go.
    #[command(flatten)]
    pub output: OutputArgs,
    /// How the trace is run.
    #[command(flatten)]
    pub run: RunArgs,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Question {
    /// Print a recording as collapsed stacks
    Collapsed {
        /// What is read.
        #[command(flatten)]
        recording: RecordingArgs,
    },
    /// Draw a recording as a flame graph
    Flamegraph {
        /// What is read.
        #[command(flatten)]
        recording: RecordingArgs,
        /// The picture (SVG); - is standard output
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// What is written above it
        #[arg(long, value_name = "TEXT")]
        title: Option<String>,
    },
    /// Say what this kernel and this user can do, and how to mend what is missing
    Doctor {
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
    /// List the syscalls that are traced, by family and kind
    Syscalls {
        /// Also list the calls only 32-bit programs have
        #[arg(long)]
        all: bool,
        /// One JSON object a line
        #[arg(long)]
        json: bool,
    },
}

/// A recording and what is wanted of it.
#[derive(Debug, Args)]
pub struct RecordingArgs {
    /// A file of --flamegraph (.ior.zst) or of --parquet, or a directory of parts
    #[arg(value_name = "RECORDING")]
    pub file: PathBuf,
    /// What a stack is made of, from the bottom to the top
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "comm,path,syscall"
    )]
    pub fields: Vec<Field>,
    /// What is counted; times are in nanoseconds
    #[arg(long, value_name = "WHAT", default_value = "calls")]
    pub count: Count,
}

/// Who is traced; the kernel decides.
#[derive(Debug, Args)]
#[command(next_help_heading = "Who (default: the whole machine)")]
pub struct ScopeArgs {
    /// Start COMMAND, trace it and all its descendants, end with its exit status
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
    /// Process; the run ends when it is gone [repeatable; 1,2,3]
    #[arg(short, long, value_name = "PID", value_delimiter = ',', value_parser = values::task_id)]
    pub pid: Vec<u32>,
    /// Thread; the run ends when it is gone [repeatable; 1,2,3]
    #[arg(short, long, value_name = "TID", value_delimiter = ',', value_parser = values::task_id)]
    pub tid: Vec<u32>,
    /// Follow the children of -p and -t (always so with COMMAND)
    #[arg(short, long)]
    pub follow: bool,
    /// Threads of exactly this name (15 bytes count) [repeatable]
    #[arg(long, value_name = "NAME")]
    pub comm: Vec<OsString>,
    /// Threads of this real user: name or number [repeatable; a,b]
    #[arg(long, value_name = "USER", value_delimiter = ',', value_parser = values::user)]
    pub uid: Vec<u32>,
    /// Threads in or below this directory of /sys/fs/cgroup (v2) [repeatable]
    #[arg(long, value_name = "PATH")]
    pub cgroup: Vec<PathBuf>,
}

/// Which calls are traced; the kernel decides. Exclusion wins.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which calls (default: every file-I/O call, see `ior syscalls`)")]
pub struct CallArgs {
    /// Only calls of these families (fs,network); all is every syscall
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub trace_families: Vec<String>,
    /// Only calls of these kinds (open,fd)
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub trace_kinds: Vec<String>,
    /// Only these calls (openat,read)
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub trace_syscalls: Vec<String>,
    /// Not calls of these families
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub no_trace_families: Vec<String>,
    /// Not calls of these kinds
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub no_trace_kinds: Vec<String>,
    /// Not these calls
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub no_trace_syscalls: Vec<String>,
}

/// Which rows are kept; decided per row, after the totals.
#[derive(Debug, Args)]
#[command(next_help_heading = "Which rows")]
pub struct RowArgs {
    /// Rows with TEXT in either name of the call; ^TEXT begins, TEXT$ ends it
    #[arg(long, value_name = "TEXT")]
    pub path: Option<OsString>,
    /// Rows of calls that failed
    #[arg(long)]
    pub errors: bool,
    /// Rows of calls that took at least TIME (1ms, 250us)
    #[arg(long, value_name = "TIME", value_parser = values::latency)]
    pub min_latency: Option<u64>,
    /// Rows for which all of EXPR holds ('comm=sh ret=ENOENT bytes>4k')
    #[arg(long, value_name = "EXPR")]
    pub filter: Option<String>,
}

/// Where rows go.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Output (default: the dashboard; without a terminal a summary at the end)"
)]
pub struct OutputArgs {
    /// Eight columns as CSV on standard output
    #[arg(long)]
    pub plain: bool,
    /// All columns as CSV; - is standard output
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// All columns as JSON, one object a line; - is standard output
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// All columns as Parquet; DIR/ gets parts, each complete
    #[arg(long, value_name = "FILE")]
    pub parquet: Option<PathBuf>,
    /// Begin another part after SIZE or TIME (1GiB, 10m)
    #[arg(long, value_name = "SIZE|TIME", requires = "parquet", value_parser = values::rotate)]
    pub rotate: Option<Rotate>,
    /// Sums by thread, call, file and flags for flame graphs: HOST-NAME-TIME.ior.zst
    #[arg(long)]
    pub flamegraph: bool,
    /// NAME in the name of that file (default: COMMAND's, or ior)
    #[arg(long, value_name = "NAME", requires = "flamegraph", value_parser = values::file_name_part)]
    pub name: Option<String>,
    /// Sums told apart in it at most; the rest is [other]
    #[arg(long, value_name = "NUMBER", requires = "flamegraph", default_value_t = DEFAULT_KEYS, value_parser = values::max_keys)]
    pub max_keys: usize,
    /// Exact totals by syscall, no rows: cheapest; --json FILE writes them as JSON
    #[arg(long, conflicts_with_all = ["plain", "csv", "parquet", "flamegraph", "path", "errors", "min_latency", "filter"])]
    pub totals: bool,
    /// A summary at the end, also on a terminal
    #[arg(long, conflicts_with_all = ["plain", "csv", "json", "parquet", "flamegraph", "totals", "demo"])]
    pub summary: bool,
    /// The dashboard with made-up calls: no root, no trace
    #[arg(long, conflicts_with_all = ["plain", "csv", "json", "parquet", "flamegraph", "totals", "command", "duration"])]
    pub demo: bool,
    /// Make rows and drop them, for measurements
    #[arg(long, hide = true, conflicts_with_all = ["plain", "csv", "json", "parquet", "flamegraph", "totals"])]
    pub discard: bool,
    /// Only warnings, losses and errors on standard error, no statistics
    #[arg(short, long)]
    pub quiet: bool,
}

/// How the trace is run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Run")]
pub struct RunArgs {
    /// Stop after TIME (30s, 5m; a bare number is seconds)
    #[arg(long, value_name = "TIME", value_parser = values::duration)]
    pub duration: Option<Duration>,
    /// Size of one ring buffer: a power of two, 64KiB to 1GiB
    #[arg(long, value_name = "SIZE", value_parser = values::buffer_size)]
    pub buffer_size: Option<u32>,
    /// Tracepoints to attach to
    #[arg(long, hide = true, value_enum, default_value_t = HookArg::Auto)]
    pub hook: HookArg,
    /// How a call's enter waits for its exit
    #[arg(long, hide = true, value_enum, default_value_t = PairingArg::Auto)]
    pub pairing: PairingArg,
}

/// `--hook`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum HookArg {
    /// Chosen for this kernel.
    Auto,
    /// tp_btf.
    #[value(name = "tp_btf")]
    TpBtf,
    /// tp/raw_syscalls.
    #[value(name = "raw_syscalls")]
    RawSyscalls,
}

/// `--pairing`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum PairingArg {
    /// Chosen for this kernel.
    Auto,
    /// Task-local storage.
    TaskStorage,
    /// Hash map by thread id.
    Hash,
}
