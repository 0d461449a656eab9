//! What a dashboard draws: one moment of a session, taken once a frame. Drawing needs nothing else and computes nothing.

use std::sync::Arc;
use std::time::Duration;

use crate::batch::Tail;
use crate::view::{TaskKey, View, Weight};
use crate::{Filter, Loss, Syscall, Totals};

/// Where snapshots come from: a live trace, a recording or a made-up workload. A screen cannot tell which.
pub trait Feed {
    /// Says what is wanted from now on, and returns the newest snapshot there is: perhaps still one of another view, which
    /// the caller then does not draw. Never waits.
    fn snapshot(&mut self, view: &View) -> Arc<Snapshot>;

    /// Asks for something; the outcome is in a later snapshot (or in its `notice`).
    fn command(&mut self, command: Command);
}

/// What a user can ask a session for.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Rows that count and are recorded from now on. The statistics are those of the rows that match, from the rows still
    /// in the tail on; without a filter they are those of the whole session again.
    Filter(Filter),
    /// Which tasks the kernel looks at.
    Target(Target),
    /// Which syscalls the kernel looks at.
    Syscalls(Vec<&'static Syscall>),
    /// Record into a Parquet file whose name is made up (it comes back in [`Recording`]), or complete that file.
    Record(bool),
    /// Begin all statistics anew.
    Reset,
}

/// Which tasks are traced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The scope of the command line; without one all processes.
    Initial,
    /// All processes.
    All,
    /// One process, without its children.
    Process(u32),
    /// One thread.
    Thread(u32),
}

/// One moment. `view` says what of it was asked for; only that part of `pane` is there.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Counts up with every change; an equal one need not be drawn again.
    pub generation: u64,
    /// What this answers.
    pub view: View,
    /// What is common to all panes.
    pub session: Session,
    /// The pane.
    pub pane: Pane,
}

/// What stands on every tab, and what the tools beside the tabs need.
#[derive(Debug, Clone)]
pub struct Session {
    /// Since the statistics began: the start, a reset or a filter's change.
    pub elapsed: Duration,
    /// The filter in force.
    pub filter: Filter,
    /// How often it was changed.
    pub filter_epoch: u64,
    /// The tasks traced.
    pub target: Target,
    /// The syscalls traced, in table order.
    pub syscalls: Arc<[&'static Syscall]>,
    /// The kernel's exact counters since the session began, whatever the filter.
    pub totals: Arc<Totals>,
    /// Rows that passed the filter since the statistics began.
    pub rows: u64,
    /// What did not become a row.
    pub loss: Loss,
    /// Rows dropped on our side (an output or the statistics could not keep up).
    pub shed: u64,
    /// Calls a second over the last second.
    pub calls_per_s: f64,
    /// The recording, if there is or was one.
    pub recording: Option<Recording>,
    /// What the user should know, such as a command that failed; newest only.
    pub notice: Option<String>,
    /// What ior itself takes.
    pub cost: Cost,
    /// Set when the session is over and nothing will change any more: why.
    pub over: Option<Over>,
}

/// Why a session is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Over {
    /// Its target could not be traced: there never was anything to see.
    Failed(String),
    /// It was traced, perhaps without a row; what there was is still to be looked at.
    Ended(String),
}

impl Over {
    /// In words.
    pub fn why(&self) -> &str {
        match self {
            Over::Failed(why) | Over::Ended(why) => why,
        }
    }
}

/// The Parquet recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// Its file.
    pub path: String,
    /// Rows in it so far.
    pub rows: u64,
    /// Whether it is still going on.
    pub active: bool,
}

/// What ior itself takes. `None` is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cost {
    /// Share of one CPU over the last second, 1.0 being one whole CPU.
    pub cpu: Option<f64>,
    /// Resident memory, bytes.
    pub memory: Option<u64>,
    /// How full the fullest ring was over the last second, 0.0 to 1.0.
    pub ring_fill: Option<f64>,
}

/// The content of one tab.
#[derive(Debug, Clone)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one a frame, and it is not moved"
)]
pub enum Pane {
    /// [`View::Flame`].
    Flame(Flame),
    /// [`View::Overview`].
    Overview(Overview),
    /// [`View::Syscalls`].
    Syscalls(Window<SyscallLine>),
    /// [`View::Files`].
    Files(Window<FileLine>),
    /// [`View::Processes`].
    Processes(Window<ProcessLine>),
    /// [`View::Latency`].
    Latency(Latencies),
    /// [`View::Stream`].
    Stream(Tail),
}

/// A part of a table in its order.
#[derive(Debug, Clone)]
pub struct Window<L> {
    /// The lines on the screen.
    pub lines: Vec<L>,
    /// The place of the first of them.
    pub first: usize,
    /// Lines of the whole table.
    pub total: usize,
    /// The place of the selected line in the whole table.
    pub selected: Option<usize>,
    /// What did not fit into the bounds; it is in no line.
    pub folded: Folded,
}

/// What was folded into `[other]`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Folded {
    /// Different keys: an estimate. 0 if everything fitted.
    pub keys: u64,
    /// Their calls, exactly.
    pub calls: u64,
    /// Their bytes, exactly.
    pub bytes: u64,
}

/// A distribution in short, nanoseconds. Quantiles are within 2 %.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spread {
    /// The mean.
    pub avg: u64,
    /// The smallest.
    pub min: u64,
    /// The largest.
    pub max: u64,
    /// The median.
    pub p50: u64,
    /// 95 % are at most this.
    pub p95: u64,
    /// 99 % are at most this.
    pub p99: u64,
}

/// A syscall.
#[derive(Debug, Clone)]
pub struct SyscallLine {
    /// Which.
    pub syscall: &'static Syscall,
    /// Calls; without a filter the kernel's exact count, which lost rows are in.
    pub calls: u64,
    /// Calls a second over the last second.
    pub rate: f64,
    /// Latencies of its rows; `None` if it has no row (all were lost).
    pub latency: Option<Spread>,
    /// Payload.
    pub bytes: u64,
    /// Calls that returned an error.
    pub errors: u64,
}

/// A file, or a directory with the files in it.
#[derive(Debug, Clone)]
pub struct FileLine {
    /// Its name.
    pub path: Arc<[u8]>,
    /// Files in the directory; 1 for a file.
    pub files: u64,
    /// Calls on it.
    pub accesses: u64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Calls that returned an error.
    pub errors: u64,
    /// Latencies.
    pub latency: Spread,
}

/// A process or a thread.
#[derive(Debug, Clone)]
pub struct ProcessLine {
    /// Which.
    pub key: TaskKey,
    /// Its name: the thread group leader's, or the thread's own.
    pub name: Arc<[u8]>,
    /// Threads seen of the process; 0 for a thread.
    pub threads: usize,
    /// Calls.
    pub calls: u64,
    /// Calls a second over the last second.
    pub rate: f64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Mean latency, nanoseconds.
    pub avg: u64,
    /// Calls that returned an error.
    pub errors: u64,
}

/// Rates and the top of each list.
#[derive(Debug, Clone)]
pub struct Overview {
    /// One value a second, the newest last; at most the last five minutes, the unfinished second not among them.
    pub seconds: Vec<Second>,
    /// Latencies of all rows.
    pub latency: Option<Spread>,
    /// Bytes read and written since the statistics began.
    pub read: u64,
    /// See `read`.
    pub written: u64,
    /// Calls that returned an error.
    pub errors: u64,
    /// Most calls.
    pub syscalls: Vec<SyscallLine>,
    /// Most bytes read and written, then most accesses.
    pub files: Vec<FileLine>,
    /// Most calls.
    pub processes: Vec<ProcessLine>,
}

/// What happened in one second.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Second {
    /// Calls.
    pub calls: u64,
    /// Calls that returned an error.
    pub errors: u64,
    /// Bytes read.
    pub read: u64,
    /// Bytes written.
    pub written: u64,
    /// Median latency, nanoseconds; 0 without rows.
    pub p50: u64,
    /// 99th percentile.
    pub p99: u64,
}

/// Histograms and the heat map.
#[derive(Debug, Clone)]
pub struct Latencies {
    /// Latencies: bucket `i` counts `[2^i, 2^(i+1))` ns, the first also 0, the last everything longer.
    pub latency: [u64; crate::totals::LATENCY_BUCKETS],
    /// Latencies in short.
    pub latency_spread: Option<Spread>,
    /// Gaps, likewise; a thread's first row has none. `None` where gaps are not kept (a file's).
    pub gap: Option<[u64; crate::totals::LATENCY_BUCKETS]>,
    /// Gaps in short.
    pub gap_spread: Option<Spread>,
    /// Latency histograms over time, the oldest first, of everything that passes the filter.
    pub heat: Vec<[u32; crate::totals::LATENCY_BUCKETS]>,
    /// How long each of them is.
    pub heat_step: Duration,
}

/// The flame graph.
#[derive(Debug, Clone)]
pub struct Flame {
    /// The weight of everything.
    pub total: u64,
    /// What weights are.
    pub weight: Weight,
    /// The frames that are shown, by depth, then from left to right; the first is the root, `depth` 0. With a zoom the
    /// ancestors of the zoomed frame come first, each as wide as the zoomed frame.
    pub frames: Vec<FlameFrame>,
    /// The weight of the zoomed frame: the width of the picture.
    pub width: u64,
    /// The place of the zoomed frame in `frames`.
    pub zoomed: usize,
    /// Frames left out because they are small.
    pub hidden_frames: u64,
    /// Their weight.
    pub hidden_weight: u64,
    /// Weight of what was folded into `[other]` frames to bound memory.
    pub folded_weight: u64,
    /// Frames there are in all.
    pub nodes: usize,
}

/// A frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlameFrame {
    /// 0 is the root.
    pub depth: u16,
    /// The place of the parent in the list; the root's is its own.
    pub parent: u32,
    /// Where it starts, in units of weight from the left edge.
    pub start: u64,
    /// How wide it is; of an ancestor of the zoomed frame the width of that one.
    pub width: u64,
    /// Its own weight: all that is above it in it.
    pub weight: u64,
    /// Its name, as bytes; `[other]` if `folded`.
    pub name: Arc<[u8]>,
    /// What it is.
    pub kind: FrameKind,
}

/// What a frame stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// Everything.
    Root,
    /// A thread's name.
    Comm,
    /// A process, `name (pid)`.
    Process,
    /// A component of a path, or a name that is no path.
    Path,
    /// A syscall.
    Syscall,
    /// What was folded.
    Other,
}
