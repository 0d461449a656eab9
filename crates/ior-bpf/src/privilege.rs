//! What this process may do, and where it is.

use std::fs;

/// include/uapi/linux/capability.h
const CAP_DAC_READ_SEARCH: u32 = 2;
const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;
/// include/linux/proc_ns.h: PROC_PID_INIT_INO, the inode of the first pid namespace.
const ROOT_PID_NAMESPACE: &str = "pid:[4026531836]";

/// Whether the effective capabilities suffice to load tracing programs. Unknown counts as sufficient, so that the
/// kernel's own words are shown.
pub fn is_sufficient() -> bool {
    effective()
        .is_none_or(|set| has(set, CAP_SYS_ADMIN) || (has(set, CAP_BPF) && has(set, CAP_PERFMON)))
}

/// Whether a file can be opened by its handle, as a cgroup is by its id. Unknown counts as able.
pub fn opens_by_handle() -> bool {
    effective().is_none_or(|set| has(set, CAP_DAC_READ_SEARCH))
}

/// The effective capabilities; `None` if they cannot be read.
fn effective() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let hex = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))?;
    u64::from_str_radix(hex.trim(), 16).ok()
}

fn has(set: u64, capability: u32) -> bool {
    set >> capability & 1 == 1
}

/// How far the kernel is locked down (`none`, `integrity`, `confidentiality`); `None` where securityfs is not mounted.
pub fn lockdown() -> Option<String> {
    let modes = fs::read_to_string("/sys/kernel/security/lockdown").ok()?;
    Some(chosen(&modes).unwrap_or("none").to_owned())
}

/// The word in brackets.
fn chosen(modes: &str) -> Option<&str> {
    modes
        .split_whitespace()
        .find_map(|word| word.strip_prefix('[')?.strip_suffix(']'))
}

/// Whether the pids we see are those the kernel side sees.
pub fn in_root_pid_namespace() -> bool {
    fs::read_link("/proc/self/ns/pid").map_or(true, |link| link.as_os_str() == ROOT_PID_NAMESPACE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lockdown_is_the_word_in_brackets() {
        assert_eq!(
            chosen("none integrity [confidentiality]\n"),
            Some("confidentiality")
        );
        assert_eq!(chosen("[none] integrity confidentiality\n"), Some("none"));
        assert_eq!(chosen(""), None);
    }
}
