//! What the kernel has defined: files, tasks and the names of executed programs, by id.
//!
//! Bounded whatever the trace does. The kernel keeps an epoch: when many files are known, user space raises it, and the
//! kernel defines anew whatever it uses from then on. A row may still need a file of the epoch before (its call was
//! entered then), so that one is kept; what is older goes as soon as every row that returned before is resolved.

use std::collections::VecDeque;
use std::rc::Rc;

use ior_core::{Dev, Task, name};
use rustc_hash::FxHashMap;

use crate::cgroup::Cgroups;
use crate::record;
use crate::skeleton::types::{self, record_type};

/// Files of one epoch.
const MAX_FILES: usize = 200_000;
/// Bytes of paths of one epoch.
const MAX_PATH_BYTES: usize = 32 << 20;
/// Tasks known, gone ones whose last word was lost among them.
const MAX_TASKS: usize = 200_000;
/// Names of executed programs kept; each is needed once, when the exec returns.
const MAX_EXECS: usize = 10_000;

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
    files: FxHashMap<u64, FileInfo>,
    /// Of the epoch before.
    old: FxHashMap<u64, FileInfo>,
    /// Of the one before that, and the time its last rows may have returned.
    older: Option<(u64, FxHashMap<u64, FileInfo>)>,
    /// Bytes of the paths in `files`.
    path_bytes: usize,
    max_files: usize,
    /// With the epoch each was defined in.
    tasks: FxHashMap<u32, (u32, Task)>,
    epoch: u32,
    current: FxHashMap<u32, u32>,
    execs: FxHashMap<(u32, u64), Rc<ExecName>>,
    gone: VecDeque<(u64, u32)>,
    exec_order: VecDeque<(u32, u64)>,
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
            files: FxHashMap::default(),
            old: FxHashMap::default(),
            older: None,
            path_bytes: 0,
            max_files,
            epoch: 0,
            tasks: FxHashMap::default(),
            current: FxHashMap::default(),
            execs: FxHashMap::default(),
            gone: VecDeque::new(),
            exec_order: VecDeque::new(),
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
                self.keep_file(def.id, file);
            }
            record_type::RECORD_TASK => {
                let (def, _) = record::split::<types::task_def>(bytes)?;
                self.define_task(&def);
            }
            record_type::RECORD_TASK_GONE => {
                let (gone, _) = record::split::<types::task_gone>(bytes)?;
                self.gone.push_back((gone.at_ns, gone.id));
            }
            record_type::RECORD_EXEC_NAME => {
                let (exec, rest) = record::split::<types::exec_name>(bytes)?;
                let name = rest.get(..usize::from(exec.len))?.to_vec();
                let key = (exec.task, exec.enter_ns);
                self.keep_exec(
                    key,
                    ExecName {
                        name,
                        cut: exec.cut != 0,
                    },
                );
            }
            _ => return None,
        }
        Some(())
    }

    fn keep_file(&mut self, id: u64, file: FileInfo) {
        self.path_bytes += file.path.len();
        self.files.insert(id, file);
    }

    fn keep_exec(&mut self, key: (u32, u64), exec: ExecName) {
        self.execs.insert(key, Rc::new(exec));
        self.exec_order.push_back(key);
        if self.exec_order.len() > MAX_EXECS
            && let Some(oldest) = self.exec_order.pop_front()
        {
            self.execs.remove(&oldest);
        }
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
            self.gone.push_back((def.at_ns, before));
        }
        self.tasks.insert(def.id, (self.epoch, task));
    }

    /// The file of an id.
    pub fn file(&mut self, id: u64) -> Option<&FileInfo> {
        if !self.files.contains_key(&id) {
            let file = self
                .old
                .remove(&id)
                .or_else(|| self.older.as_mut()?.1.remove(&id))?;
            self.keep_file(id, file);
        }
        self.files.get(&id)
    }

    /// A file that [`Tables::file`] has found since the last epoch began.
    pub fn found(&self, id: u64) -> Option<&FileInfo> {
        self.files.get(&id)
    }

    /// The task of an id.
    pub fn task(&self, id: u32) -> Option<&Task> {
        self.tasks.get(&id).map(|(_, task)| task)
    }

    /// The program name of an exec.
    pub fn exec(&self, task: u32, enter_ns: u64) -> Option<Rc<ExecName>> {
        self.execs.get(&(task, enter_ns)).cloned()
    }

    /// Forgets what no row can need any more: all that returned at `until` (`CLOCK_MONOTONIC`) or before are resolved.
    pub fn forget(&mut self, until: u64) {
        while let Some((at_ns, id)) = self.gone.front().copied()
            && at_ns <= until
        {
            self.gone.pop_front();
            if let Some((_, task)) = self.tasks.remove(&id)
                && self.current.get(&task.tid) == Some(&id)
            {
                self.current.remove(&task.tid);
            }
        }
        if let Some((_, files)) = self.older.take_if(|(at_ns, _)| *at_ns <= until) {
            self.evicted += files.len() as u64;
            // A thread that has made a call since is defined anew; the others are gone, or are defined when they do.
            let oldest = self.epoch - 1;
            self.tasks.retain(|_, (epoch, _)| *epoch >= oldest);
            let tasks = &self.tasks;
            self.current.retain(|_, id| tasks.contains_key(id));
        }
    }

    /// Whether the kernel's epoch should be raised.
    pub fn is_full(&self) -> bool {
        let full = self.files.len() >= self.max_files
            || self.path_bytes >= MAX_PATH_BYTES
            || self.tasks.len() >= MAX_TASKS;
        full && self.older.is_none()
    }

    /// The kernel's epoch was raised; `now` was read after that.
    pub fn begin_epoch(&mut self, now: u64) {
        let before = std::mem::replace(&mut self.old, std::mem::take(&mut self.files));
        self.older = Some((now, before));
        self.path_bytes = 0;
        self.epoch += 1;
    }
}
