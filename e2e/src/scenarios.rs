//! The scenarios: each makes its calls, success and failure of every kind, and states them on the tape.

mod asynchronous;
pub mod blocked;
mod descriptors;
mod directories;
mod exec;
mod files;
mod hard_paths;
mod memory;
mod metadata;
mod names;
mod processes;
pub mod scopes;
mod sockets;
mod surface;
mod threads;
mod transfer;
mod volume;

use crate::tape::Tape;

/// A named sequence of calls.
pub struct Scenario {
    /// Name on the workload's command line.
    pub name: &'static str,
    /// Prepares files and descriptors before the trace has begun (when attached to) and outside the bracket.
    pub setup: fn(&mut Tape),
    /// Makes the calls.
    pub run: fn(&mut Tape),
    /// Which of them must be rows.
    pub traced: Traced,
}

/// What a tracer is asked to trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traced {
    /// What it traces unless asked for something else: other calls may be made without being stated.
    Default,
    /// Everything: every call between the markers is stated.
    All,
}

fn nothing(_: &mut Tape) {}

const fn plain(name: &'static str, run: fn(&mut Tape)) -> Scenario {
    Scenario {
        name,
        setup: nothing,
        run,
        traced: Traced::Default,
    }
}

const fn prepared(name: &'static str, setup: fn(&mut Tape), run: fn(&mut Tape)) -> Scenario {
    Scenario {
        name,
        setup,
        run,
        traced: Traced::Default,
    }
}

/// A scenario that is traced with everything there is.
const fn of_all(name: &'static str, run: fn(&mut Tape)) -> Scenario {
    Scenario {
        traced: Traced::All,
        ..plain(name, run)
    }
}

/// Scenarios whose whole list of rows is compared.
pub fn exact() -> impl Iterator<Item = &'static Scenario> {
    EVERYDAY.iter().chain(surface())
}

/// Those of the calls that are not in every program.
pub fn surface() -> impl Iterator<Item = &'static Scenario> {
    surface::LISTS.iter().copied().flatten()
}

/// Those of everyday calls, started by ior and attached to, by every hook.
pub const EVERYDAY: &[Scenario] = &[
    plain("open", files::open),
    plain("openat", files::openat),
    plain("openat2", files::openat2),
    plain("close", files::close),
    plain("read_write", files::read_write),
    plain("vectors", files::vectors),
    plain("seek_and_size", files::seek_and_size),
    plain("sync", files::sync),
    plain("stat", metadata::stat),
    plain("stat_empty_path", metadata::stat_empty_path),
    plain("access", metadata::access),
    plain("mode_owner_times", metadata::mode_owner_times),
    plain("directories", directories::directories),
    plain("directory_entries", directories::directory_entries),
    plain("working_directory", directories::working_directory),
    plain("relative_to_dirfd", directories::relative_to_dirfd),
    plain("unlink", names::unlink),
    plain("rename", names::rename),
    plain("link", names::link),
    plain("symlink", names::symlink),
    plain("renamed_and_unlinked", names::renamed_and_unlinked),
    plain("odd_names", hard_paths::odd_names),
    plain("collapsed", hard_paths::collapsed),
    prepared(
        "long_path",
        hard_paths::make_long_path,
        hard_paths::long_path,
    ),
    prepared(
        "deep_path",
        hard_paths::make_deep_path,
        hard_paths::deep_path,
    ),
    prepared(
        "untouched_page",
        hard_paths::make_untouched_page,
        hard_paths::untouched_page,
    ),
    prepared(
        "overwritten",
        hard_paths::make_overwritten,
        hard_paths::overwritten,
    ),
    plain("edge_of_mapping", hard_paths::edge_of_mapping),
    plain("unreadable_path", hard_paths::unreadable_path),
    plain("mmap", memory::mmap),
    plain("dup", descriptors::dup),
    plain("fcntl_ioctl_flock", descriptors::fcntl_ioctl_flock),
    plain("pipe", descriptors::pipe),
    plain("changed_type", descriptors::changed_type),
    plain("made_from_nothing", descriptors::made_from_nothing),
    prepared(
        "open_before_trace",
        descriptors::open_early,
        descriptors::open_before_trace,
    ),
    plain("copies_by_fork", descriptors::copies_by_fork),
    plain("sent_by_socket", sockets::sent_by_socket),
    plain("socket", sockets::socket),
    plain("peek_and_truncate", sockets::peek_and_truncate),
    plain("two_descriptors", transfer::two_descriptors),
    prepared("copy_64_mib", transfer::make_64_mib, transfer::copy_64_mib),
    plain("io_uring", asynchronous::io_uring),
    plain("aio", asynchronous::aio),
    plain("exec", exec::exec),
    plain("exec_by_thread", exec::exec_by_thread),
    plain("vforked", exec::vforked),
    plain("exit", processes::exit),
    plain("gone_at_once", processes::gone_at_once),
    plain("process_tree", processes::tree),
    plain("short_lived_1000", processes::short_lived_1000),
    plain("recycled_tid", processes::recycled_tid),
    plain("ia32", processes::ia32),
    plain("threads", threads::threads),
    plain("renamed_thread", threads::renamed_thread),
    plain("restarted", threads::restarted),
    plain("interrupted", threads::interrupted),
    plain("restarted_thrice", threads::restarted_thrice),
    plain("interrupted_sleep", threads::interrupted_sleep),
    plain("blocked_while_reused", threads::blocked_while_reused),
    plain("distinct_10000", volume::distinct_10000),
];

/// Scenarios for the harness's own checks: too many rows to compare, or not ending by themselves.
pub const SPECIAL: &[Scenario] = &[
    plain("writes_1000000", volume::writes_1000000),
    plain("writes_5000000", volume::writes_5000000),
    plain("writers_16", volume::writers_16),
    plain("renames_400000", volume::renames_400000),
    plain("short_lived_5000", processes::short_lived_5000),
    plain("image", exec::image),
    plain("after_exec", surface::after_exec),
    plain("migrating", threads::migrating),
    plain("in_flight", blocked::in_flight),
    plain("slow_read", blocked::slow_read),
    prepared(
        "three_threads",
        scopes::start_threads,
        scopes::three_threads,
    ),
    plain("names_in_and_out", scopes::names_in_and_out),
    plain("other_user", scopes::other_user),
    plain("endless", volume::endless),
    plain("noise", volume::noise),
];

/// The scenario of that name.
pub fn find(name: &str) -> Option<&'static Scenario> {
    exact()
        .chain(SPECIAL)
        .find(|scenario| scenario.name == name)
}

/// Creates a file of `len` bytes in the scratch directory, outside the bracket.
fn make_file(tape: &Tape, name: &str, len: usize) {
    use std::os::unix::ffi::OsStrExt;
    let path = tape.full(name);
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(&path));
    std::fs::write(path, vec![b'x'; len]).expect("write a file");
}

/// NUL-terminated full name.
fn c_full(tape: &Tape, name: impl AsRef<[u8]>) -> std::ffi::CString {
    std::ffi::CString::new(tape.full(name)).expect("no NUL in a name")
}
