//! What a dashboard wants to see: the pane, its order, its window and what is selected in it. A [`crate::Snapshot`]
//! answers with exactly that, so that its size follows the screen and not the trace.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use crate::Syscall;

/// One pane as the user has set it.
#[derive(Debug, Clone, PartialEq)]
pub enum View {
    /// The flame graph.
    Flame(FlameView),
    /// Rates and the top of each list.
    Overview,
    /// Syscalls.
    Syscalls(TableView<SyscallColumn, &'static Syscall>),
    /// Files, or directories with what is directly in them.
    Files(TableView<FileColumn, Box<[u8]>>, Grouping),
    /// Processes; those in the set show their threads below them.
    Processes(TableView<ProcessColumn, TaskKey>, BTreeSet<u32>),
    /// Histograms and the heat map.
    Latency(Subject),
    /// The last rows.
    Stream,
}

/// How a table is ordered and which of its lines are on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableView<C, K> {
    /// The column ordered by; equal lines by name.
    pub sort: C,
    /// Largest first.
    pub descending: bool,
    /// The line that is selected. It stays on its entity when lines move; a vanished one selects nothing.
    pub selected: Option<K>,
    /// The first line wanted. A snapshot moves the window so that the selected line is in it.
    pub first: usize,
    /// Lines wanted.
    pub len: usize,
}

/// Whether files are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// Each file.
    File,
    /// All files of a directory together.
    Directory,
}

/// A process, or one of its threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskKey {
    /// Process id.
    pub pid: u32,
    /// Thread id; none: the whole process.
    pub tid: Option<u32>,
}

/// Columns of the syscalls table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the tables' own headers")]
pub enum SyscallColumn {
    Syscall,
    Family,
    Count,
    Rate,
    Avg,
    Min,
    Max,
    P50,
    P95,
    P99,
    Bytes,
    Errors,
}

/// Columns of the files table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the tables' own headers")]
pub enum FileColumn {
    /// How many files a directory has.
    Files,
    Accesses,
    Read,
    Written,
    Errors,
    Avg,
    Max,
    P99,
    Path,
}

/// Columns of the processes table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the tables' own headers")]
pub enum ProcessColumn {
    Pid,
    Name,
    Calls,
    Rate,
    Read,
    Written,
    Avg,
    Errors,
}

/// Whose latencies are shown.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Subject {
    /// Everything that passes the filter.
    #[default]
    All,
    /// One syscall.
    Syscall(&'static Syscall),
    /// One file.
    File(Box<[u8]>),
    /// One process.
    Process(u32),
}

/// The flame graph's settings.
#[derive(Debug, Clone, PartialEq)]
pub struct FlameView {
    /// Frames from the bottom to the top; a path is one frame a component.
    pub order: FlameOrder,
    /// What a frame's width stands for.
    pub weight: Weight,
    /// The frames down to the one that is zoomed into, the bottom first; empty: everything.
    pub zoom: Vec<Box<[u8]>>,
    /// Frames below this share of the zoomed frame are left out, and their weight is said.
    pub min_share: f64,
    /// Frames of a level at most, whatever their share.
    pub max_frames: NonZeroUsize,
}

/// Orders of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlameOrder {
    /// comm, path, syscall.
    CommPathSyscall,
    /// path, comm, syscall.
    PathCommSyscall,
    /// syscall, path.
    SyscallPath,
    /// process (`name (pid)`), path, syscall.
    ProcessPathSyscall,
}

impl FlameOrder {
    /// All, in the order in which a key goes through them.
    pub const ALL: [FlameOrder; 4] = [
        FlameOrder::CommPathSyscall,
        FlameOrder::PathCommSyscall,
        FlameOrder::SyscallPath,
        FlameOrder::ProcessPathSyscall,
    ];
}

/// What is added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Calls.
    Calls,
    /// Sum of latencies, nanoseconds.
    Latency,
    /// Payload bytes.
    Bytes,
    /// Sum of gaps, nanoseconds.
    Gap,
    /// Calls that returned an error.
    Errors,
}

impl Weight {
    /// All, in the order in which a key goes through them.
    pub const ALL: [Weight; 5] = [
        Weight::Calls,
        Weight::Latency,
        Weight::Bytes,
        Weight::Gap,
        Weight::Errors,
    ];
}
