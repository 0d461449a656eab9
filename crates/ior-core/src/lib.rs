//! The model of `ior`: what a row is, which syscalls there are, which rows are wanted and what they add up to.
//!
//! Nothing here touches the kernel or the BPF toolchain, so everything here can be tested anywhere.

#![forbid(unsafe_code)]

pub mod batch;
pub mod errno;
pub mod escape;
pub mod filter;
pub mod flags;
pub mod live;
pub mod name;
pub mod row;
pub mod snapshot;
pub mod stats;
pub mod syscall;
pub mod totals;
pub mod units;
pub mod view;

pub use errno::Remark;
pub use filter::{Condition, Filter, FilterError};
pub use flags::Flags;
pub use row::{
    Abi, Details, Dev, Ids, NameSource, Row, TIMEOUT_INFINITE, TIMEOUT_UNREADABLE, Task, is_error,
};
pub use snapshot::Snapshot;
pub use stats::Stats;
pub use syscall::{ByteClass, Family, Kind, Syscall};
pub use totals::{Loss, SyscallTotals, Totals};
