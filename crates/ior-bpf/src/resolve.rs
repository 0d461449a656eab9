//! From a raw row to a [`Row`]: looks up who and what, and puts the names together. Allocates nothing a row.

use ior_core::syscall::{CountIs, FlagsAre, FlagsForm, OffsetForm, OffsetIs};
use ior_core::{ByteClass, Details, Ids, Kind, NameSource, Row, Syscall, name, syscall};

use crate::batch::{Batch, Extra, RawRow};
use crate::clock::Offsets;
use crate::details::{self, Now};
use crate::record::is_unread;
use crate::skeleton::types::{self, name_state, row_note};
use crate::tables::{FileInfo, Tables};

/// include/uapi/linux/fcntl.h: an empty name means the descriptor's file.
const AT_EMPTY_PATH: u64 = 0x1000;
/// include/uapi/linux/mount.h: the same of move_mount's two names.
const MOVE_MOUNT_F_EMPTY_PATH: u64 = 0x4;
const MOVE_MOUNT_T_EMPTY_PATH: u64 = 0x40;
const FSPICK_EMPTY_PATH: u64 = 0x8;
/// Calls to which an empty name is the descriptor's file without a flag (fs/stat.c), also when they fail.
const TAKE_EMPTY_NAME: [&str; 1] = ["readlinkat"];
/// Calls to which NULL for a name is the descriptor's file (fs/utimes.c), also when they fail.
const NEED_NO_NAME: [&str; 3] = ["utimensat", "utimensat_time64", "futimesat"];
/// Calls on a message queue's name, which the C library passes without its slash. An open queue is `/name`.
const TAKE_QUEUE_NAME: [&str; 2] = ["mq_open", "mq_unlink"];
const EFAULT: i64 = 14;
/// include/uapi/linux/fcntl.h: the working directory.
const AT_FDCWD: i32 = -100;
/// include/uapi/linux/mount.h.
const MS_REMOUNT: u64 = 0x20;
const MS_BIND_OR_MOVE: u64 = 0x1000 | 0x2000;
/// `UNDEFINED_FILE` of shared.h: the definition found no room.
const UNDEFINED_FILE: u64 = 1;
/// include/linux/socket.h: what is received stays in the queue.
const MSG_PEEK: u64 = 0x2;
/// include/uapi/linux/fs.h: whatever the position passed, it is written at the end.
const RWF_APPEND: u64 = 0x10;
/// The result is the datagram's length, which may exceed the buffer's.
const MSG_TRUNC: u64 = 0x20;
/// include/uapi/linux/stat.h
const S_IFMT: u16 = 0o170_000;
const S_IFREG: u16 = 0o100_000;
const S_IFDIR: u16 = 0o040_000;
const S_IFBLK: u16 = 0o060_000;

/// Numbers rows, and counts those that could not be made whole.
#[derive(Debug, Default)]
pub struct Resolver {
    /// Rows made.
    pub rows: u64,
    /// Rows with a partial name.
    pub partial_names: u64,
    /// Rows whose syscall or task is unknown, which became none.
    pub undecodable: u64,
    /// From the programs' clock to those of a row.
    pub offsets: Offsets,
    file: Vec<u8>,
    old_file: Vec<u8>,
}

/// How long a row may wait for a definition that another CPU is just writing, nanoseconds. One that found no room is
/// known to be lost and not waited for; this is for a CPU that was taken away in the middle of writing.
const PATIENCE_NS: u64 = 200_000_000;

/// What became of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolved {
    /// Handed over, or counted as undecodable.
    Done,
    /// Not handed over: it lacks a definition.
    Lacking,
}

/// A name and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Named {
    source: NameSource,
    /// The descriptor stood for the name (`AT_EMPTY_PATH`).
    by_descriptor: bool,
    /// A definition has not arrived.
    lacking: bool,
}

impl Named {
    const NOTHING: Named = Named::of(NameSource::None);

    const fn of(source: NameSource) -> Named {
        Named {
            source,
            by_descriptor: false,
            lacking: false,
        }
    }

    const PARTIAL: Named = Named::of(NameSource::Partial);
    const LACKING: Named = Named {
        lacking: true,
        ..Named::PARTIAL
    };
}

/// What an absolute name is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// The root of the mount namespace.
    Namespace,
    /// The directory `dir`: the caller's own root, or that of an openat2 with `RESOLVE_IN_ROOT`.
    Dir,
    /// Another directory, that is not known.
    Unknown,
}

impl Root {
    /// `below`: the note that says that it is the directory of the record.
    fn of(row: &types::row, below: row_note) -> Root {
        match row.notes {
            notes if notes & row_note::NOTE_OWN_ROOT.0 == 0 => Root::Namespace,
            notes if notes & below.0 != 0 => Root::Dir,
            _ => Root::Unknown,
        }
    }
}

/// One name argument: what was read, and the directory it is relative to.
struct Argument<'a> {
    bytes: &'a [u8],
    state: name_state,
    dir: u64,
    root: Root,
    /// The name is relative to nothing: a symlink's target, or a queue's name, which this comes before.
    text: Option<&'static [u8]>,
    /// An empty name, or none, means the directory's descriptor.
    may_be_empty: bool,
    /// NULL is no name, rather than one that cannot be read.
    may_be_null: bool,
}

impl Resolver {
    /// `offsets`: as they are when the trace begins.
    pub fn new(offsets: Offsets) -> Self {
        Resolver {
            offsets,
            ..Resolver::default()
        }
    }

    /// Hands the row over, or counts it as undecodable; says if it lacks a definition that is worth waiting for.
    /// `now`: the programs' clock.
    pub fn resolve(
        &mut self,
        raw: &RawRow,
        batch: &Batch,
        tables: &mut Tables,
        now: u64,
        each: &mut dyn FnMut(&Row<'_>),
    ) -> Resolved {
        let row = &raw.row;
        let Some(call) = syscall::by_call(row.call) else {
            self.undecodable += 1;
            return Resolved::Done;
        };
        let (named, has_old) = self.put_names_together(raw, batch, call, tables);
        let task = tables.task(row.task);
        let waited = now.saturating_sub(raw.exit_ns());
        if (named.lacking || task.is_none()) && waited < PATIENCE_NS {
            return Resolved::Lacking;
        }
        let Some(task) = task else {
            self.undecodable += 1;
            return Resolved::Done;
        };
        self.partial_names += u64::from(named.source == NameSource::Partial);
        self.rows += 1;
        let time_ns = row.enter_ns + self.offsets.boot_ns;
        let file = tables.found(row.file);
        let object = file.filter(|_| named.source == NameSource::Kernel);
        each(&Row {
            seq: self.rows,
            time_ns,
            wall_ns: time_ns.wrapping_add_signed(self.offsets.wall_ns),
            gap_ns: row.gap_ns,
            latency_ns: row.latency_ns,
            task,
            syscall: call,
            abi: call.abi,
            fd: descriptor(row, call, named),
            ret: row.ret,
            bytes: payload(row, call),
            file: &self.file,
            old_file: has_old.then_some(self.old_file.as_slice()),
            name_source: named.source,
            filter_epoch: 0,
            dev: object.map(|file| file.dev),
            ino: object.map(|file| file.ino),
            requested: requested(row, call),
            offset: offset(row, call, file),
            flags: flags(row, call),
            details: self.details(row, call, time_ns),
            ids: Ids {
                task: row.task,
                file: if object.is_some() { row.file } else { 0 },
            },
        });
        Resolved::Done
    }

    fn details(&self, row: &types::row, call: &Syscall, time_ns: u64) -> Details {
        if !details::has_any(call) {
            return Details::default();
        }
        details::of(
            row,
            call,
            &Now {
                monotonic_ns: row.enter_ns,
                boot_ns: time_ns,
                wall_ns: time_ns.wrapping_add_signed(self.offsets.wall_ns),
                tai_ns: time_ns.wrapping_add_signed(self.offsets.tai_ns),
            },
        )
    }

    /// Fills `file` and `old_file`; says whether the call has the second.
    fn put_names_together(
        &mut self,
        raw: &RawRow,
        batch: &Batch,
        call: &Syscall,
        tables: &mut Tables,
    ) -> (Named, bool) {
        let row = &raw.row;
        self.file.clear();
        self.old_file.clear();
        let Some(extra) = &raw.extra else {
            return (object_name(row.file, tables, &mut self.file), false);
        };
        match call.kind {
            Kind::TwoFds => {
                let old = object_name(extra.file2, tables, &mut self.old_file);
                (
                    worse(object_name(row.file, tables, &mut self.file), old),
                    old.source != NameSource::None,
                )
            }
            Kind::TwoPaths => {
                let old = argument_name(
                    &old_argument(row, extra, batch, call),
                    tables,
                    &mut self.old_file,
                );
                (
                    worse(
                        argument_name(&argument(row, extra, batch, call), tables, &mut self.file),
                        old,
                    ),
                    old.source != NameSource::None,
                )
            }
            _ => (self.one_name(row, extra, batch, call, tables), false),
        }
    }

    fn one_name(
        &mut self,
        row: &types::row,
        extra: &Extra,
        batch: &Batch,
        call: &Syscall,
        tables: &mut Tables,
    ) -> Named {
        if extra.state != name_state::NAME_BY_EXEC.0 {
            return argument_name(&argument(row, extra, batch, call), tables, &mut self.file);
        }
        let Some(exec) = tables.exec(row.task, row.enter_ns) else {
            return Named::LACKING;
        };
        let bytes = below_descriptor(&exec.name, row.fd);
        let argument = Argument {
            bytes,
            state: if exec.cut {
                name_state::NAME_CUT
            } else {
                name_state::NAME_WHOLE
            },
            dir: row.file,
            root: Root::of(row, row_note::NOTE_BELOW),
            text: None,
            may_be_empty: bytes.is_empty(),
            may_be_null: false,
        };
        argument_name(&argument, tables, &mut self.file)
    }
}

/// What execveat's descriptor form leaves of `/dev/fd/N/name` (fs/exec.c, alloc_bprm); the name itself otherwise.
fn below_descriptor(name: &[u8], dirfd: i32) -> &[u8] {
    let Some(rest) = name.strip_prefix(b"/dev/fd/").filter(|_| dirfd >= 0) else {
        return name;
    };
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = std::str::from_utf8(&rest[..digits])
        .ok()
        .and_then(|digits| digits.parse().ok());
    match (number == Some(dirfd), rest.get(digits)) {
        (true, None) => &[],
        (true, Some(b'/')) => &rest[digits + 1..],
        _ => name,
    }
}

fn argument<'a>(row: &types::row, extra: &Extra, batch: &'a Batch, call: &Syscall) -> Argument<'a> {
    let state = name_state(extra.state);
    let meant = match state {
        // No name is a descriptor's to these calls; to others where it is no fault.
        name_state::NAME_NULL => {
            (NEED_NO_NAME.contains(&call.name) && row.fd != AT_FDCWD) || row.ret != -EFAULT
        }
        _ => row.flags & empty_flags(call).0 != 0 || TAKE_EMPTY_NAME.contains(&call.name),
    };
    // An empty name that succeeds meant the descriptor.
    let meant = meant || row.ret >= 0;
    Argument {
        bytes: batch.name(&extra.name),
        state,
        dir: row.file,
        root: Root::of(row, row_note::NOTE_BELOW),
        text: call
            .roles
            .path_is_text
            .then_some(if TAKE_QUEUE_NAME.contains(&call.name) {
                b"/"
            } else {
                b""
            }),
        may_be_empty: call.roles.dir != syscall::NO_ARG && meant,
        may_be_null: row.ret != -EFAULT,
    }
}

fn old_argument<'a>(
    row: &types::row,
    extra: &Extra,
    batch: &'a Batch,
    call: &Syscall,
) -> Argument<'a> {
    Argument {
        bytes: batch.name(&extra.name2),
        state: name_state(extra.state2),
        dir: extra.file2,
        root: Root::of(row, row_note::NOTE_BELOW2),
        text: (call.roles.path2_is_text && !binds(row, call)).then_some(b""),
        may_be_empty: call.roles.dir2 != syscall::NO_ARG && row.flags & empty_flags(call).1 != 0,
        may_be_null: call.roles.path2_is_text || row.ret != -EFAULT,
    }
}

/// Whether the source of a mount is a path, rather than what the file system makes of it (fs/namespace.c, path_mount).
fn binds(row: &types::row, call: &Syscall) -> bool {
    call.name == "mount" && row.flags & MS_REMOUNT == 0 && row.flags & MS_BIND_OR_MOVE != 0
}

/// Flags with which the new name, and the old name, may be empty to mean the descriptor.
fn empty_flags(call: &Syscall) -> (u64, u64) {
    match (call.name, call.kind) {
        ("move_mount", _) => (MOVE_MOUNT_T_EMPTY_PATH, MOVE_MOUNT_F_EMPTY_PATH),
        ("fspick", _) => (FSPICK_EMPTY_PATH, 0),
        ("open_tree" | "open_tree_attr", _) | (_, Kind::Path | Kind::Exec) => (AT_EMPTY_PATH, 0),
        (_, Kind::TwoPaths) => (0, AT_EMPTY_PATH),
        _ => (0, 0),
    }
}

/// The path of an object; nothing if the id is 0.
fn object_name(id: u64, tables: &mut Tables, out: &mut Vec<u8>) -> Named {
    if id == 0 {
        return Named::NOTHING;
    }
    if id == UNDEFINED_FILE {
        return Named::PARTIAL;
    }
    let Some(file) = tables.file(id) else {
        return Named::LACKING;
    };
    out.extend_from_slice(&file.path);
    if file.cut {
        Named::PARTIAL
    } else {
        Named::of(NameSource::Kernel)
    }
}

fn argument_name(argument: &Argument<'_>, tables: &mut Tables, out: &mut Vec<u8>) -> Named {
    let empty = argument.state == name_state::NAME_NULL
        || (argument.state == name_state::NAME_WHOLE && argument.bytes.is_empty());
    if empty && argument.may_be_empty {
        return Named {
            by_descriptor: true,
            ..object_name(argument.dir, tables, out)
        };
    }
    match argument.state {
        name_state::NAME_WHOLE => {}
        name_state::NAME_CUT => {
            name::join(&[], argument.bytes, out);
            return Named::PARTIAL;
        }
        name_state::NAME_NULL if argument.may_be_null => return Named::NOTHING,
        name_state::NAME_FAULT | name_state::NAME_NULL => return Named::PARTIAL,
        _ => return Named::NOTHING,
    }
    if let Some(before) = argument.text {
        if !argument.bytes.starts_with(before) {
            out.extend_from_slice(before);
        }
        out.extend_from_slice(argument.bytes);
        return Named::of(NameSource::Argument);
    }
    let absolute = argument.bytes.first() == Some(&b'/');
    if argument.bytes.is_empty() || (absolute && argument.root != Root::Dir) {
        name::join(&[], argument.bytes, out);
        return Named::of(match argument.root {
            Root::Unknown if absolute => NameSource::Partial,
            _ => NameSource::Argument,
        });
    }
    let bytes = match argument.root {
        Root::Dir => name::below_root(argument.bytes),
        _ => argument.bytes,
    };
    // Where `..` leads is not known if that may be beyond the caller's own root.
    let unknown = argument.root != Root::Namespace && name::climbs(bytes);
    match tables.file(argument.dir) {
        Some(dir) => {
            name::join(&dir.path, bytes, out);
            if dir.cut || unknown {
                Named::PARTIAL
            } else {
                Named::of(NameSource::Argument)
            }
        }
        None => {
            name::join(&[], argument.bytes, out);
            let lacking = argument.dir > UNDEFINED_FILE; // else a bad descriptor, or a lost definition
            Named {
                lacking,
                ..Named::PARTIAL
            }
        }
    }
}

/// The row's `name_source` speaks for both names: partial if either is.
fn worse(new: Named, old: Named) -> Named {
    let source = if old.source == NameSource::Partial {
        old.source
    } else {
        new.source
    };
    Named {
        source,
        lacking: new.lacking || old.lacking,
        ..new
    }
}

/// A directory descriptor is not what a call on a name works on, unless it stands for the name.
fn descriptor(row: &types::row, call: &Syscall, named: Named) -> i32 {
    match call.kind {
        Kind::Open if row.ret < 0 && !named.by_descriptor => -1,
        Kind::Path | Kind::TwoPaths | Kind::Exec
            if !named.by_descriptor && call.roles.fd == syscall::NO_ARG =>
        {
            -1
        }
        _ => row.fd.max(-1),
    }
}

/// Payload moved (the same rule as the kernel's totals, `payload` in ior.bpf.c).
fn payload(row: &types::row, call: &Syscall) -> u64 {
    if call.bytes == ByteClass::None || row.ret <= 0 {
        return 0;
    }
    let moved = row.ret.cast_unsigned();
    let unread = call.roles.count_form.is_pointer() && is_unread(row);
    match call.bytes {
        ByteClass::Xattr if row.count == 0 => 0,
        ByteClass::Receive if row.flags & MSG_PEEK != 0 => 0,
        ByteClass::Receive if row.flags & MSG_TRUNC != 0 && !unread => moved.min(row.count),
        _ => moved,
    }
}

fn requested(row: &types::row, call: &Syscall) -> Option<u64> {
    let unread = call.roles.count_form.is_pointer() && is_unread(row);
    (call.roles.count_is == CountIs::Bytes && !unread).then_some(row.count)
}

/// As passed: of an `int` the upper half of the register means nothing.
fn flags(row: &types::row, call: &Syscall) -> Option<u64> {
    if call.roles.flags_are != FlagsAre::Flags {
        return None;
    }
    match call.roles.flags_form {
        FlagsForm::Value => Some(row.flags & u64::from(u32::MAX)),
        FlagsForm::Long => Some(row.flags),
        FlagsForm::Pointer => (!is_unread(row)).then_some(row.flags),
    }
}

/// Only what can be seeked has a position, and what is appended goes where the file ends by then.
fn offset(row: &types::row, call: &Syscall, file: Option<&FileInfo>) -> Option<i64> {
    let at_f_pos = row.notes & row_note::NOTE_F_POS.0 != 0;
    if call.name == "pwritev2" && row.flags & RWF_APPEND != 0 {
        return None;
    }
    if call.roles.offset_form == OffsetForm::FPos || at_f_pos {
        let appends = row.offset < 0;
        if appends && call.bytes == ByteClass::Write {
            return None;
        }
        let kind = file?.mode & S_IFMT;
        let position = if appends { !row.offset } else { row.offset };
        return matches!(kind, S_IFREG | S_IFDIR | S_IFBLK).then_some(position);
    }
    (call.roles.offset_is == OffsetIs::Position).then_some(row.offset)
}
