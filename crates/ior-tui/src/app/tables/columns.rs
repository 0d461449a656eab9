//! The columns of the tables by their places.

use ior_core::view::{FileColumn, ProcessColumn, SyscallColumn};

use super::Table;

/// A column of a table.
pub trait Column: Copy + PartialEq + 'static {
    /// All, in the order in which they stand; a place is one in this list, whether or not all are shown.
    const ALL: &'static [Self];

    /// Whether names are in it, which are read from the first on.
    fn is_text(self) -> bool;

    /// Its place.
    fn place(self) -> usize {
        let place = Self::ALL.iter().position(|column| *column == self);
        place.unwrap_or(0)
    }
}

impl Column for SyscallColumn {
    const ALL: &'static [SyscallColumn] = {
        use SyscallColumn::*;
        &[
            Syscall, Family, Count, Rate, Avg, Min, Max, P50, P95, P99, Bytes, Errors,
        ]
    };

    fn is_text(self) -> bool {
        matches!(self, SyscallColumn::Syscall | SyscallColumn::Family)
    }
}

impl Column for FileColumn {
    const ALL: &'static [FileColumn] = {
        use FileColumn::*;
        &[
            Files, Accesses, Read, Written, Errors, Avg, Max, P99, Path,
        ]
    };

    fn is_text(self) -> bool {
        self == FileColumn::Path
    }
}

impl Column for ProcessColumn {
    const ALL: &'static [ProcessColumn] = {
        use ProcessColumn::*;
        &[Pid, Name, Calls, Rate, Read, Written, Avg, Errors]
    };

    fn is_text(self) -> bool {
        matches!(self, ProcessColumn::Pid | ProcessColumn::Name)
    }
}

/// Calls, bytes, latency.
pub const SYSCALL_MEASURES: [SyscallColumn; 3] = [
    SyscallColumn::Count,
    SyscallColumn::Bytes,
    SyscallColumn::Avg,
];
/// Likewise; bytes are read or written.
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

/// Sorts a table by its selected column.
pub fn sort<C: Column, K: Clone + PartialEq>(table: &mut Table<C, K>) {
    if let Some(column) = C::ALL.get(table.column) {
        table.sort_by(*column);
    }
}
