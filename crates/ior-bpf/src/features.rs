//! What this kernel's BPF can do, looked up in its BTF before anything is loaded.

use std::path::Path;

use ior_core::{Abi, Syscall};
use libbpf_rs::btf::Btf;
use libbpf_rs::btf::types::{Func, Struct};

use crate::{Error, Hook, Pairing, privilege};

const KERNEL_BTF: &str = "/sys/kernel/btf/vmlinux";
/// Set (to anything) for tests: behave as on a kernel without BTF.
const NO_BTF: &str = "IOR_TEST_NO_BTF";
/// Set, for tests, to names of kernel functions (`bpf_loop,bpf_rdonly_cast`): behave as on a kernel without them.
const WITHOUT: &str = "IOR_TEST_WITHOUT";

/// What the object can be tuned to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Features {
    /// Syscall tracepoints run with preemption on (7.x): tp_btf programs are skipped when preempted.
    pub preemptible: bool,
    /// Task-local storage for tracing programs (5.11).
    pub task_storage: bool,
    /// `bpf_get_current_task_btf` (5.11).
    pub typed_task: bool,
    /// `bpf_rdonly_cast` (6.2).
    pub cast: bool,
    /// `bpf_loop` (5.17).
    pub bpf_loop: bool,
    /// Task iterators that can read task storage (5.11).
    pub task_iter: bool,
    /// Syscalls asked for by name that this kernel does not have.
    pub lacking: Vec<&'static str>,
}

/// The last number of the oldest kernel this works on (5.10), and two later ones below it: older calls are there.
const OLD_NR: u16 = 440;
const NEW_BELOW: [u16; 2] = [335, 336];
/// What the kernel puts before a syscall's name (`SYSCALL_DEFINE`).
const ENTRY: &str = if cfg!(target_arch = "aarch64") {
    "__arm64_sys_"
} else {
    "__x64_sys_"
};

impl Features {
    /// Reads the kernel's BTF. `named`: the syscalls asked for by name.
    pub fn probe(named: &[&'static Syscall]) -> Result<Features, Error> {
        if !kernel_has_btf() {
            return Err(Error::NoBtf);
        }
        let btf = Btf::from_vmlinux().map_err(|source| match source.kind() {
            libbpf_rs::ErrorKind::PermissionDenied if !privilege::is_sufficient() => {
                Error::Privilege
            }
            _ => Error::Bpf {
                what: "reading the kernel's BTF",
                source,
            },
        })?;
        let without = std::env::var(WITHOUT).unwrap_or_default();
        let has =
            |name: &str| has_function(&btf, name) && !without.split(',').any(|gone| gone == name);
        Ok(Features {
            preemptible: has("trace_call_bpf_faultable"),
            task_storage: has("bpf_task_storage_get"),
            typed_task: has("bpf_get_current_task_btf"),
            cast: has("bpf_rdonly_cast"),
            bpf_loop: has("bpf_loop"),
            task_iter: btf.type_by_name::<Struct<'_>>("bpf_iter__task").is_some(),
            lacking: named
                .iter()
                .filter(|call| call.nr > OLD_NR || NEW_BELOW.contains(&call.nr))
                .filter(|call| call.abi != Abi::Ia32 && !has(&format!("{ENTRY}{}", call.name)))
                .map(|call| call.name)
                .collect(),
        })
    }

    /// The hook that loses nothing on this kernel, at the lowest cost.
    pub fn hook(&self) -> Hook {
        if self.preemptible {
            Hook::RawSyscalls
        } else {
            Hook::TpBtf
        }
    }

    /// The pairing this kernel has.
    pub fn pairing(&self) -> Pairing {
        if self.task_storage && self.typed_task {
            Pairing::TaskStorage
        } else {
            Pairing::Hash
        }
    }

    /// One line for each missing optional feature: what it is and what is lost.
    pub fn degraded(&self, pairing: Pairing) -> Vec<String> {
        let mut lines = Vec::new();
        if pairing == Pairing::Hash {
            lines.push("no task storage (Linux 5.11): calls are paired in a hash map, which costs more and holds 65536 threads; calls in flight at the end are not listed".to_owned());
        }
        if !self.lacking.is_empty() {
            lines.push(format!(
                "this kernel does not have {}: nothing can be traced there (a call fails with ENOSYS)",
                self.lacking.join(", ")
            ));
        }
        if !self.bpf_loop {
            lines.push(
                "no bpf_loop (Linux 5.17): paths of more than 32 components are cut".to_owned(),
            );
        }
        lines
    }
}

fn has_function(btf: &Btf<'_>, name: &str) -> bool {
    btf.type_by_name::<Func<'_>>(name).is_some()
}

/// Whether the classic tracepoints can be found, where libbpf looks for them.
pub fn has_tracefs() -> bool {
    ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"]
        .iter()
        .any(|root| Path::new(root).join("events/raw_syscalls").exists())
}

/// Whether the kernel describes its types.
pub fn kernel_has_btf() -> bool {
    std::env::var_os(NO_BTF).is_none() && Path::new(KERNEL_BTF).exists()
}
