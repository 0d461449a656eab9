//! What this process may do, and where it is.

use std::fs;

/// include/uapi/linux/capability.h
const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;
/// include/linux/proc_ns.h: PROC_PID_INIT_INO, the inode of the first pid namespace.
const ROOT_PID_NAMESPACE: &str = "pid:[4026531836]";

/// Whether the effective capabilities suffice to load tracing programs. Unknown counts as sufficient, so that the
/// kernel's own words are shown.
pub fn is_sufficient() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let Some(set) = effective.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()) else {
        return true;
    };
    let has = |capability: u32| set >> capability & 1 == 1;
    has(CAP_SYS_ADMIN) || (has(CAP_BPF) && has(CAP_PERFMON))
}

/// Whether the pids we see are those the kernel side sees.
pub fn in_root_pid_namespace() -> bool {
    fs::read_link("/proc/self/ns/pid").map_or(true, |link| link.as_os_str() == ROOT_PID_NAMESPACE)
}
