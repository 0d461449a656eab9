//! The columns of the tables, as the panes show them.

use ior_core::view::{FileColumn, Grouping, ProcessColumn, SyscallColumn};

use crate::panes::{files, processes, syscalls};
use crate::table;

/// A column of a table.
pub trait Column: Copy + PartialEq + 'static {
    /// All that are shown, in the order in which they stand.
    fn shown(grouping: Grouping) -> &'static [(Self, table::Column)];

    /// Whether names are in it, which are read from the first on.
    fn is_text(self) -> bool;

    /// Its place.
    fn place(self, grouping: Grouping) -> Option<usize> {
        let mut shown = Self::shown(grouping).iter();
        shown.position(|(column, _)| *column == self)
    }

    /// The one at a place.
    fn at(place: usize, grouping: Grouping) -> Option<Self> {
        let (column, _) = Self::shown(grouping).get(place)?;
        Some(*column)
    }
}

impl Column for SyscallColumn {
    fn shown(_: Grouping) -> &'static [(SyscallColumn, table::Column)] {
        &syscalls::COLUMNS
    }

    fn is_text(self) -> bool {
        matches!(self, SyscallColumn::Syscall | SyscallColumn::Family)
    }
}

impl Column for FileColumn {
    fn shown(grouping: Grouping) -> &'static [(FileColumn, table::Column)] {
        files::columns(grouping)
    }

    fn is_text(self) -> bool {
        self == FileColumn::Path
    }
}

impl Column for ProcessColumn {
    fn shown(_: Grouping) -> &'static [(ProcessColumn, table::Column)] {
        &processes::COLUMNS
    }

    fn is_text(self) -> bool {
        matches!(self, ProcessColumn::Pid | ProcessColumn::Name)
    }
}

/// Calls, errors, latency, bytes: what fails and what is slow are asked for more often than which call moves most.
pub const SYSCALL_MEASURES: [SyscallColumn; 4] = [
    SyscallColumn::Count,
    SyscallColumn::Errors,
    SyscallColumn::Avg,
    SyscallColumn::Bytes,
];
/// Calls, bytes read or written, latency: the slowest call, since a file has few.
pub const FILE_MEASURES: [FileColumn; 4] = [
    FileColumn::Accesses,
    FileColumn::Read,
    FileColumn::Written,
    FileColumn::Max,
];
/// Likewise.
pub const PROCESS_MEASURES: [ProcessColumn; 4] = [
    ProcessColumn::Calls,
    ProcessColumn::Read,
    ProcessColumn::Written,
    ProcessColumn::Avg,
];

/// What all tables can be ordered by, so that a question asked in one goes on in the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Calls.
    Calls,
    /// Failed ones.
    Errors,
    /// Bytes read.
    Read,
    /// Bytes written.
    Written,
    /// How long calls take.
    Latency,
}

impl Measure {
    /// Of syscalls. Bytes are not told apart there.
    pub fn of_syscalls(sort: SyscallColumn) -> Option<Measure> {
        match sort {
            SyscallColumn::Count => Some(Measure::Calls),
            SyscallColumn::Errors => Some(Measure::Errors),
            SyscallColumn::Avg => Some(Measure::Latency),
            _ => None,
        }
    }

    /// Of files.
    pub fn of_files(sort: FileColumn) -> Option<Measure> {
        match sort {
            FileColumn::Accesses => Some(Measure::Calls),
            FileColumn::Read => Some(Measure::Read),
            FileColumn::Written => Some(Measure::Written),
            FileColumn::Max => Some(Measure::Latency),
            _ => None,
        }
    }

    /// Of processes.
    pub fn of_processes(sort: ProcessColumn) -> Option<Measure> {
        match sort {
            ProcessColumn::Calls => Some(Measure::Calls),
            ProcessColumn::Read => Some(Measure::Read),
            ProcessColumn::Written => Some(Measure::Written),
            ProcessColumn::Avg => Some(Measure::Latency),
            _ => None,
        }
    }

    /// The column of syscalls for it.
    pub fn syscalls(self) -> SyscallColumn {
        match self {
            Measure::Calls => SyscallColumn::Count,
            Measure::Errors => SyscallColumn::Errors,
            Measure::Read | Measure::Written => SyscallColumn::Bytes,
            Measure::Latency => SyscallColumn::Avg,
        }
    }

    /// That of files.
    pub fn files(self) -> FileColumn {
        match self {
            Measure::Calls => FileColumn::Accesses,
            Measure::Errors => FileColumn::Errors,
            Measure::Read => FileColumn::Read,
            Measure::Written => FileColumn::Written,
            Measure::Latency => FileColumn::Max,
        }
    }

    /// That of processes.
    pub fn processes(self) -> ProcessColumn {
        match self {
            Measure::Calls => ProcessColumn::Calls,
            Measure::Errors => ProcessColumn::Errors,
            Measure::Read => ProcessColumn::Read,
            Measure::Written => ProcessColumn::Written,
            Measure::Latency => ProcessColumn::Avg,
        }
    }
}
