//! cgroup-v2 paths by cgroup id, looked up once an id.
//!
//! The id is the inode number of the cgroup's directory, which the kernel lets us open by handle; when the cgroup is
//! already gone the path is unknown and stays empty.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;

use rustc_hash::FxHashMap;

const ROOTS: [&str; 2] = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"];
/// include/linux/exportfs.h: the handle is a 64-bit kernfs node id.
const FILEID_KERNFS: i32 = 0xfe;
/// Ids kept; beyond them paths are looked up anew.
const MAX_IDS: usize = 10_000;

/// Paths found so far.
#[derive(Debug, Default)]
pub struct Cgroups {
    root: Option<(File, &'static str)>,
    paths: FxHashMap<u64, String>,
}

#[repr(C)]
struct Handle {
    bytes: u32,
    kind: i32,
    id: u64,
}

impl Cgroups {
    /// The path below the hierarchy's root (`/` the root itself); empty if unknown.
    pub fn path(&mut self, id: u64) -> String {
        if let Some(path) = self.paths.get(&id) {
            return path.clone();
        }
        let path = self.look_up(id).unwrap_or_default();
        if self.paths.len() >= MAX_IDS {
            self.paths.clear();
        }
        self.paths.insert(id, path.clone());
        path
    }

    fn look_up(&mut self, id: u64) -> Option<String> {
        if self.root.is_none() {
            let root = ROOTS
                .into_iter()
                .find(|root| fs::exists(format!("{root}/cgroup.procs")).unwrap_or(false))?;
            self.root = Some((File::open(root).ok()?, root));
        }
        let (dir, root) = self.root.as_ref()?;
        let opened = open_by_id(dir, id).ok()?;
        let link = fs::read_link(format!("/proc/self/fd/{}", opened.as_raw_fd())).ok()?;
        let below = link.as_os_str().as_bytes().strip_prefix(root.as_bytes())?;
        let below = String::from_utf8_lossy(below).into_owned();
        Some(if below.is_empty() {
            "/".to_owned()
        } else {
            below
        })
    }
}

fn open_by_id(dir: &File, id: u64) -> io::Result<OwnedFd> {
    let mut handle = Handle {
        bytes: 8,
        kind: FILEID_KERNFS,
        id,
    };
    // SAFETY: `handle` is a struct file_handle with its 8 bytes of f_handle and outlives the call.
    let fd = unsafe {
        libc::open_by_handle_at(
            dir.as_raw_fd(),
            (&raw mut handle).cast(),
            libc::O_PATH | libc::O_CLOEXEC,
        )
    };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just given us this descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}
