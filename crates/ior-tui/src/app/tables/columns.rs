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
/// Calls, bytes read or written, latency.
pub const FILE_MEASURES: [FileColumn; 4] = [
    FileColumn::Accesses,
    FileColumn::Read,
    FileColumn::Written,
    FileColumn::Avg,
];
/// Likewise.
pub const PROCESS_MEASURES: [ProcessColumn; 4] = [
    ProcessColumn::Calls,
    ProcessColumn::Read,
    ProcessColumn::Written,
    ProcessColumn::Avg,
];
