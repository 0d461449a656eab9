//! Whether the root tests can run here at all, and if not, why.

use std::path::{Path, PathBuf};

const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;

/// The binary under test: `IOR_BIN`, else `release/ior` of the target directory this test was built in.
pub fn ior_binary() -> PathBuf {
    if let Some(path) = std::env::var_os("IOR_BIN") {
        return PathBuf::from(path);
    }
    let test = std::env::current_exe().unwrap_or_default();
    // <target>/<profile>/deps/<test>
    let target = test.ancestors().nth(3).unwrap_or(Path::new("target"));
    target.join("release").join("ior")
}

/// The workload: `IOR_WORKLOAD`, where the tests run on another system than the one they were built on, else `built`.
pub fn workload(built: &str) -> PathBuf {
    std::env::var_os("IOR_WORKLOAD").map_or_else(|| PathBuf::from(built), PathBuf::from)
}

/// What is missing for a test that traces; none: it can run.
pub fn missing(ior: &Path) -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let effective = status
        .lines()
        .find_map(|line| line.strip_prefix("CapEff:"))
        .and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok())
        .unwrap_or(0);
    let has = |capability: u32| effective & (1 << capability) != 0;
    let may_trace = has(CAP_SYS_ADMIN) || (has(CAP_BPF) && has(CAP_PERFMON));
    if !may_trace {
        return Some("needs root (CAP_BPF and CAP_PERFMON)".to_owned());
    }
    if !Path::new("/sys/kernel/btf/vmlinux").exists() {
        return Some("needs kernel BTF (/sys/kernel/btf/vmlinux)".to_owned());
    }
    if !ior.exists() {
        return Some(format!(
            "needs {} (cargo build --release, or IOR_BIN)",
            ior.display()
        ));
    }
    None
}

/// Whether a test that cannot run must fail (`IOR_REQUIRE_BPF=1`).
pub fn required() -> bool {
    std::env::var_os("IOR_REQUIRE_BPF").is_some_and(|value| value == "1")
}
