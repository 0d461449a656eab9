//! What the kernel has defined: files, tasks and the names of executed programs, by id.
//!
//! Bounded whatever the trace does. Files are kept in two generations: when the young one is full the kernel is told to
//! forget what it has defined (it raises its epoch and defines again what it uses), the young generation becomes the
//! old one, and the old one goes. A row still in a ring finds its file in one of the two.

use std::collections::VecDeque;

use ior_core::{Dev, Task, name};
use rustc_hash::FxHashMap;

use crate::cgroup::Cgroups;
use crate::record;
use crate::skeleton::types::{self, record_type};

/// Files of one generation.
const MAX_FILES: usize = 200_000;
/// Tasks and program names kept, beyond which the oldest go.
const MAX_TASKS: usize = 200_000;
/// Drains a thread that is gone stays known: its last rows may still be in a ring or held back.
const GRACE: u64 = 3;

/// A file object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileInfo {
    /// Its path, or what `/proc/PID/fd` calls it.
    pub path: Box<[u8]>,
    /// Only the last components are known.
    pub cut: bool,
    /// Device.
    pub dev: Dev,
    /// Inode number.
    pub ino: u64,
    /// File type and permissions, as `st_mode`.
    pub mode: u16,
}

/// All definitions.
#[derive(Debug)]
pub struct Tables {
    young: FxHashMap<u64, FileInfo>,
    old: FxHashMap<u64, FileInfo>,
    max_files: usize,
    tasks: FxHashMap<u32, Task>,
    current: FxHashMap<u32, u32>,
    execs: FxHashMap<(u32, u64), ExecName>,
    gone: VecDeque<(u64, u32)>,
    drains: u64,
    cgroups: Cgroups,
    scratch: Vec<u8>,
    /// Records that could not be understood.
    pub undecodable: u64,
    /// Files forgotten to stay within bounds.
    pub evicted: u64,
}

/// The name of an executed program.
#[derive(Debug, Clone)]
pub struct ExecName {
    /// As passed to exec (or `/dev/fd/N/…` for a descriptor).
    pub name: Vec<u8>,
    /// Longer than fits.
    pub cut: bool,
}

impl Default for Tables {
    fn default() -> Self {
        Tables::with_capacity(MAX_FILES)
    }
}

impl Tables {
    /// Tables that keep `max_files` files a generation.
    pub fn with_capacity(max_files: usize) -> Self {
        Tables {
            young: FxHashMap::default(),
            old: FxHashMap::default(),
            max_files,
            tasks: FxHashMap::default(),
            current: FxHashMap::default(),
            execs: FxHashMap::default(),
            gone: VecDeque::new(),
            drains: 0,
            cgroups: Cgroups::default(),
            scratch: Vec::new(),
            undecodable: 0,
            evicted: 0,
        }
    }

    /// Takes in one record of the definitions ring.
    pub fn define(&mut self, bytes: &[u8]) {
        if self.decode(bytes).is_none() {
            self.undecodable += 1;
        }
    }

    fn decode(&mut self, bytes: &[u8]) -> Option<()> {
        match record_type(u32::from(*bytes.first()?)) {
            record_type::RECORD_FILE => {
                let (def, rest) = record::split::<types::file_def>(bytes)?;
                let file = self.file_info(&def, rest.get(..def.len as usize)?);
                self.young.insert(def.id, file);
            }
            record_type::RECORD_TASK => {
                let (def, _) = record::split::<types::task_def>(bytes)?;
                self.define_task(&def);
            }
            record_type::RECORD_TASK_GONE => {
                let (gone, _) = record::split::<types::task_gone>(bytes)?;
                self.gone.push_back((self.drains, gone.id));
            }
            record_type::RECORD_EXEC_NAME => {
                let (exec, rest) = record::split::<types::exec_name>(bytes)?;
                let name = rest.get(..usize::from(exec.len))?.to_vec();
                if self.execs.len() < MAX_TASKS {
                    self.execs.insert(
                        (exec.task, exec.enter_ns),
                        ExecName {
                            name,
                            cut: exec.cut != 0,
                        },
                    );
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// `components`: the path's parts, the last one first, each with its NUL.
    fn file_info(&mut self, def: &types::file_def, components: &[u8]) -> FileInfo {
        let parts = || {
            components
                .strip_suffix(b"\0")
                .unwrap_or(components)
                .split(|byte| *byte == 0)
        };
        let leaf = parts().next().unwrap_or_default();
        let path = &mut self.scratch;
        if def.internal == 0 || !name::object_name(def.magic, def.ino, leaf, path) {
            name::kernel_path(parts(), path);
        }
        let known = if def.cut == 0 {
            path.as_slice()
        } else {
            path.strip_prefix(b"/").unwrap_or(path)
        };
        FileInfo {
            path: known.into(),
            cut: def.cut != 0,
            dev: Dev {
                major: def.dev >> 20,
                minor: def.dev & 0xf_ffff,
            },
            ino: def.ino,
            mode: def.mode,
        }
    }

    fn define_task(&mut self, def: &types::task_def) {
        let task = Task {
            tid: def.tid,
            pid: def.pid,
            ppid: def.ppid,
            uid: def.uid,
            cgroup_id: def.cgroup_id,
            cgroup: self.cgroups.path(def.cgroup_id),
            comm: record::comm(&def.comm),
            process: record::comm(&def.process),
            start_ns: def.start_ns,
        };
        if let Some(before) = self.current.insert(def.tid, def.id) {
            self.gone.push_back((self.drains, before));
        }
        self.tasks.insert(def.id, task);
    }

    /// The file of an id.
    pub fn file(&mut self, id: u64) -> Option<&FileInfo> {
        if !self.young.contains_key(&id) {
            let file = self.old.remove(&id)?;
            self.young.insert(id, file);
        }
        self.young.get(&id)
    }

    /// A file that [`Tables::file`] has found since the last [`Tables::end_drain`].
    pub fn found(&self, id: u64) -> Option<&FileInfo> {
        self.young.get(&id)
    }

    /// The task of an id.
    pub fn task(&self, id: u32) -> Option<&Task> {
        self.tasks.get(&id)
    }

    /// Whether the program name of an exec has arrived.
    pub fn has_exec(&self, task: u32, enter_ns: u64) -> bool {
        self.execs.contains_key(&(task, enter_ns))
    }

    /// Takes the program name of an exec.
    pub fn take_exec(&mut self, task: u32, enter_ns: u64) -> Option<ExecName> {
        self.execs.remove(&(task, enter_ns))
    }

    /// Ends a drain: forgets threads that are long gone. True if the kernel must be told to forget its definitions.
    #[must_use]
    pub fn end_drain(&mut self) -> bool {
        self.drains += 1;
        while let Some((when, id)) = self.gone.front().copied()
            && when + GRACE <= self.drains
        {
            self.gone.pop_front();
            if let Some(task) = self.tasks.remove(&id)
                && self.current.get(&task.tid) == Some(&id)
            {
                self.current.remove(&task.tid);
            }
        }
        if self.young.len() < self.max_files {
            return false;
        }
        self.evicted += self.old.len() as u64;
        self.old = std::mem::take(&mut self.young);
        true
    }
}
