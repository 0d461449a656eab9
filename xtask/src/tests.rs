//! `test`: everything there is, from a machine with only a Rust toolchain.

use anyhow::{Result, bail};

use crate::{interop, process, setup, tracefs, workspace};

/// Runs `test`.
pub fn run(args: &[String]) -> Result<()> {
    if !args.is_empty() {
        bail!("usage: cargo xtask test");
    }
    setup::ensure_for_tests()?;
    process::build_ior()?;
    process::run(process::cargo()?.args([
        "build",
        "--release",
        "--package",
        "e2e",
        "--bin",
        "workload",
    ]))?;
    process::run(process::cargo()?.args(["test", "--workspace", "--exclude", "e2e"]))?;
    if !process::is_root() {
        eprintln!("{NOT_ROOT}");
    } else {
        tracefs::events()?; // for the tests of the raw_syscalls hook
    }
    process::run(
        process::cargo()?
            .args(["test", "--release", "--package", "e2e"])
            .env("IOR_BIN", workspace::release_binary("ior")?)
            .env("IOR_WORKLOAD", workspace::release_binary("workload")?),
    )?;
    interop::check()?;
    if !process::is_root() {
        eprintln!("{NOT_ROOT}");
    } else {
        tracefs::events()?; // for the tests of the raw_syscalls hook
    }
    Ok(())
}

const NOT_ROOT: &str = "
********************************************************************************
* NOT ROOT: the end-to-end tests that trace are IGNORED. Run as root to run them.
********************************************************************************
";
