//! What this kernel's BPF can do, looked up in its BTF before anything is loaded.

use std::path::Path;

use ior_core::{Abi, Syscall};
use libbpf_rs::btf::Btf;
use libbpf_rs::btf::types::{Func, Struct};
use rustc_hash::FxHashSet;

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

/// The kernel's symbols. Its BTF does not do: that lacks calls without arguments, and has those left out of the build.
const SYMBOLS: &str = "/proc/kallsyms";
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
            return Err(match Path::new("/sys/kernel").exists() {
                true => Error::NoBtf,
                false => Error::NotMounted("/sys"),
            });
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
            lacking: lacking(named, &without),
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
        if !privilege::opens_by_handle() {
            lines.push("no CAP_DAC_READ_SEARCH: the column cgroup stays empty".to_owned());
        }
        lines
    }
}

/// Those of the calls that the kernel has no code for, as far as that can be known: 32-bit calls have other names there.
fn lacking(named: &[&'static Syscall], without: &str) -> Vec<&'static str> {
    let asked = || named.iter().filter(|call| call.abi != Abi::Ia32);
    if asked().next().is_none() {
        return Vec::new();
    }
    let Ok(symbols) = std::fs::read_to_string(SYMBOLS) else {
        return Vec::new();
    };
    let there = entries(&symbols);
    let is_there = |name| there.contains(name) && !without.split(',').any(|gone| gone == name);
    match there.is_empty() {
        true => Vec::new(),
        false => asked()
            .map(|call| call.name)
            .filter(|name| !is_there(*name))
            .collect(),
    }
}

/// The names of the calls that have code. What only answers ENOSYS (`COND_SYSCALL`) is a weak symbol.
fn entries(symbols: &str) -> FxHashSet<&str> {
    let entry = |line| {
        let mut words = str::split_ascii_whitespace(line);
        let (_, kind, name) = (words.next()?, words.next()?, words.next()?);
        (!kind.eq_ignore_ascii_case("w"))
            .then(|| name.strip_prefix(ENTRY))
            .flatten()
    };
    symbols.lines().filter_map(entry).collect()
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

#[cfg(test)]
mod tests {
    use ior_core::syscall::by_name;

    use super::*;

    #[test]
    fn a_call_is_there_if_it_has_code_of_its_own() {
        let symbols = format!(
            "ffff0 T {ENTRY}sync\nffff1 W {ENTRY}kexec_load\nffff2 t {ENTRY}getpid\n\
             ffff3 T __pfx_{ENTRY}fork\nffff4 T something [module]\nnothing\n"
        );
        let there = entries(&symbols);
        assert_eq!(there, ["sync", "getpid"].into_iter().collect());
    }

    #[test]
    fn calls_of_this_kernel() {
        let of = |names: &[&str], without| {
            let named: Vec<_> = names.iter().filter_map(|name| by_name(name)).collect();
            lacking(&named, without)
        };
        assert!(of(&["read", "getpid", "newstat", "rt_sigreturn"], "").is_empty());
        assert_eq!(of(&["read", "getpid"], "getpid,bpf_loop"), ["getpid"]);
        assert!(of(&[], "read").is_empty());
    }
}
