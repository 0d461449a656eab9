//! The kernel's counters, read through memory maps: a look-up by system call would take the guard that
//! `tp/raw_syscalls` programs need, and make the kernel skip them.

use std::io;
use std::os::fd::AsRawFd as _;
use std::ptr::NonNull;

use ior_core::syscall::{self, MAX_SLOT};
use ior_core::{SyscallTotals, Totals};
use libbpf_rs::MapCore;

use crate::Error;
use crate::skeleton::types;

/// An array map of `T` mapped for reading.
struct MappedArray<T> {
    start: NonNull<T>,
    len: usize,
    bytes: usize,
}

impl<T: Copy> MappedArray<T> {
    fn new(map: &dyn MapCore, len: usize) -> Result<Self, Error> {
        let page = 4096;
        let bytes = (len * size_of::<T>()).next_multiple_of(page);
        // SAFETY: a new shared mapping of a map of that many bytes (mmapable arrays are whole pages); nothing is replaced.
        let start = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                bytes,
                libc::PROT_READ,
                libc::MAP_SHARED,
                map.as_fd().as_raw_fd(),
                0,
            )
        };
        let failed = || Error::Io {
            what: "mapping the counters",
            source: io::Error::last_os_error(),
        };
        if start == libc::MAP_FAILED {
            return Err(failed());
        }
        let start = NonNull::new(start.cast()).ok_or_else(failed)?;
        Ok(MappedArray { start, len, bytes })
    }

    /// A copy of one entry. The kernel may be writing to it: each counter is whole, together they may be a moment apart.
    fn get(&self, index: usize) -> Option<T> {
        // SAFETY: within the mapping, aligned (array values are multiples of 8 bytes), and of integers only.
        (index < self.len).then(|| unsafe { self.start.add(index).read_volatile() })
    }
}

impl<T> Drop for MappedArray<T> {
    fn drop(&mut self) {
        // SAFETY: unmaps what `new` has mapped; no reference into it exists.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes) };
    }
}

/// The kernel's counters.
pub struct Counters {
    totals: MappedArray<types::call_totals>,
    cpus: MappedArray<types::cpu_counters>,
}

impl Counters {
    /// Maps the counters of this many CPUs.
    pub fn new(totals: &dyn MapCore, counters: &dyn MapCore, cpus: u32) -> Result<Counters, Error> {
        let cpus = cpus as usize;
        Ok(Counters {
            totals: MappedArray::new(totals, cpus * MAX_SLOT)?,
            cpus: MappedArray::new(counters, cpus)?,
        })
    }

    /// What each CPU has counted beside the totals.
    pub fn by_cpu(&self) -> impl Iterator<Item = types::cpu_counters> {
        (0..self.cpus.len).filter_map(|cpu| self.cpus.get(cpu))
    }

    /// The exact counts of every syscall that was called, by name.
    pub fn totals(&self) -> Totals {
        let by_syscall = syscall::SYSCALLS
            .chunk_by(|a, b| a.slot == b.slot)
            .filter_map(|same_name| same_name.first())
            .map(|call| (call, self.of(usize::from(call.slot))))
            .filter(|(_, totals)| totals.calls > 0)
            .collect();
        Totals { by_syscall }
    }

    fn of(&self, slot: usize) -> SyscallTotals {
        let mut sum = SyscallTotals::default();
        for cpu in 0..self.cpus.len {
            if let Some(counts) = self.totals.get(cpu * MAX_SLOT + slot) {
                sum.add(&SyscallTotals {
                    calls: counts.calls,
                    errors: counts.errors,
                    bytes: counts.bytes,
                    latency_ns: counts.latency_ns,
                    histogram: counts.histogram,
                });
            }
        }
        sum
    }
}
