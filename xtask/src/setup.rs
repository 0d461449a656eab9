//! `setup`: finds the build tools the BPF programs and the vendored C libraries need, and installs what is missing.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Result, bail};

use crate::process;

/// Something the build needs.
struct Need {
    /// A program in `PATH`, or the absolute path of a file.
    probe: &'static str,
    /// The Debian package that has it.
    apt: &'static str,
    /// The Fedora package that has it.
    dnf: &'static str,
}

const fn need(probe: &'static str, apt: &'static str, dnf: &'static str) -> Need {
    Need { probe, apt, dnf }
}

/// clang compiles the BPF programs; the others build the vendored libelf and zlib.
const NEEDS: [Need; 12] = [
    need("clang", "clang", "clang"),
    need("gcc", "gcc", "gcc"),
    need("/usr/include/stdio.h", "libc6-dev", "glibc-devel"),
    need("make", "make", "make"),
    need("autoconf", "autoconf", "autoconf"),
    need("automake", "automake", "automake"),
    need("autopoint", "autopoint", "gettext-devel"),
    need("msgfmt", "gettext", "gettext"),
    need("libtoolize", "libtool", "libtool"),
    need("flex", "flex", "flex"),
    need("bison", "bison", "bison"),
    need("gawk", "gawk", "gawk"),
];

/// Either name of the tool will do, so it is no plain [`Need`].
const PKG_CONFIG: [&str; 2] = ["pkg-config", "pkgconf"];

/// What some end-to-end tests compare with; without them those tests say that they are skipped.
const TEST_NEEDS: [Need; 2] = [
    need("strace", "strace", "strace"),
    need("python3", "python3", "python3"),
];

/// What the checks of the packages need besides.
const SYSTEM_NEEDS: [Need; 3] = [
    need("rpm", "rpm", "rpm"),
    need("debootstrap", "debootstrap", "debootstrap"),
    need("busybox", "busybox-static", "busybox"),
];

/// What boots other kernels.
const KERNEL_NEEDS: [Need; 3] = [
    need(
        "qemu-system-x86_64",
        "qemu-system-x86",
        "qemu-system-x86-core",
    ),
    need("busybox", "busybox-static", "busybox"),
    need("cpio", "cpio", "cpio"),
];

/// Runs `setup`.
pub fn run(args: &[String]) -> Result<()> {
    if !args.is_empty() {
        bail!("usage: cargo xtask setup");
    }
    ensure()
}

/// Installs what the build misses; says so, and does nothing, if nothing is missing.
pub fn ensure() -> Result<()> {
    let missing = missing();
    if missing.is_empty() {
        println!("setup: every build tool is there");
        return Ok(());
    }
    install(&missing)?;
    match self::missing().first() {
        Some(need) => bail!(
            "{} is still not there after installing {}",
            need.probe,
            need.apt
        ),
        None => Ok(()),
    }
}

/// Installs what the build and the tests miss; a user who is not root tests without the latter.
pub fn ensure_for_tests() -> Result<()> {
    ensure()?;
    let missing: Vec<Need> = TEST_NEEDS
        .into_iter()
        .filter(|need| !is_there(need.probe))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    if !process::is_root() {
        let names: Vec<&str> = missing.iter().map(|need| need.apt).collect();
        println!(
            "setup: not there, some tests are skipped: {}",
            names.join(" ")
        );
        return Ok(());
    }
    install(&missing)
}

/// Installs what small systems are made of.
pub fn ensure_for_systems() -> Result<()> {
    ensure_all(SYSTEM_NEEDS)
}

/// Installs what boots other kernels.
pub fn ensure_for_kernels() -> Result<()> {
    ensure_all(KERNEL_NEEDS)
}

fn ensure_all(needs: impl IntoIterator<Item = Need>) -> Result<()> {
    let missing: Vec<Need> = needs
        .into_iter()
        .filter(|need| !is_there(need.probe))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    install(&missing)?;
    match missing.iter().find(|need| !is_there(need.probe)) {
        Some(need) => bail!(
            "{} is still not there after installing {}",
            need.probe,
            need.apt
        ),
        None => Ok(()),
    }
}

/// Installs what makes Python's virtual environments, which Debian has in a package of its own.
pub fn ensure_venv() -> Result<()> {
    let is_there = || {
        let mut python = Command::new("python3");
        python
            .args(["-c", "import ensurepip, venv"])
            .stderr(Stdio::null());
        python.status().is_ok_and(|status| status.success())
    };
    if !is_there() {
        install(&[need("python3", "python3-venv", "python3")])?;
    }
    match is_there() {
        true => Ok(()),
        false => bail!("python3 cannot make virtual environments (python3-venv)"),
    }
}

fn install(missing: &[Need]) -> Result<()> {
    let (apt, dnf): (Vec<&str>, Vec<&str>) = missing.iter().map(|n| (n.apt, n.dnf)).unzip();
    println!("setup: missing: {}", apt.join(" "));
    if !process::is_root() {
        bail!("installing needs root; as root, install: {}", apt.join(" "));
    }
    if process::find("apt-get").is_some() {
        return install_by_apt(&apt);
    }
    if process::find("dnf").is_some() {
        return process::run(
            Command::new("dnf")
                .args(["install", "--assumeyes"])
                .args(&dnf),
        );
    }
    bail!(
        "neither apt-get nor dnf is here; install: {}",
        apt.join(" ")
    )
}

fn install_by_apt(packages: &[&str]) -> Result<()> {
    let apt = || {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    process::run(apt().args(["--quiet", "update"]))?;
    process::run(
        apt()
            .args(["--quiet", "--yes", "--no-install-recommends", "install"])
            .args(packages),
    )
}

fn missing() -> Vec<Need> {
    let pkg_config = PKG_CONFIG
        .iter()
        .all(|name| process::find(name).is_none())
        .then_some(need("pkg-config", "pkg-config", "pkgconf-pkg-config"));
    NEEDS
        .into_iter()
        .filter(|need| !is_there(need.probe))
        .chain(pkg_config)
        .collect()
}

fn is_there(probe: &str) -> bool {
    match probe.starts_with('/') {
        true => Path::new(probe).exists(),
        false => process::find(probe).is_some(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_probe_is_a_program_or_a_file() {
        assert!(is_there("sh"));
        assert!(is_there("/"));
        assert!(!is_there("no-such-program"));
        assert!(!is_there("/no/such/file"));
    }
}
