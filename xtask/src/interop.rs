//! `interop`: a recording read by DuckDB, ClickHouse, polars and pyarrow, from a virtual environment below `target`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{process, setup, workspace};

/// Runs `interop`.
pub fn run(args: &[String]) -> Result<()> {
    if !args.is_empty() {
        bail!("usage: cargo xtask interop");
    }
    setup::ensure()?;
    process::build_ior()?;
    check()
}

/// Runs the checks with the binary that is there; where they cannot be run, says so, or fails if they are required.
pub fn check() -> Result<()> {
    if !process::is_root() {
        return skipped("recording needs root");
    }
    let interop = workspace::root()?.join("e2e").join("interop");
    match environment(&interop.join("requirements.txt")) {
        Ok(python) => process::run(
            Command::new(python)
                .arg(interop.join("interop.py"))
                .arg(workspace::release_binary("ior")?)
                .arg(workspace::root()?.join("docs").join("recording.md")),
        ),
        Err(error) => skipped(&format!("{error:#}")),
    }
}

fn skipped(why: &str) -> Result<()> {
    if env::var_os("IOR_REQUIRE_BPF").is_some_and(|value| value == "1") {
        bail!("interop: {why}");
    }
    let line = "*".repeat(80);
    eprintln!("\n{line}\n* skipped: the readers of Parquet (cargo xtask interop): {why}");
    eprintln!("* IOR_REQUIRE_BPF=1 makes this a failure.\n{line}");
    Ok(())
}

/// The Python of the environment, which has what is required; made only where that has changed.
fn environment(requirements: &Path) -> Result<PathBuf> {
    let dir = workspace::target_dir()?.join("interop-venv");
    let python = dir.join("bin").join("python");
    let wanted = fs::read(requirements).with_context(|| requirements.display().to_string())?;
    let installed = dir.join("installed.txt");
    let is_there = fs::read(&installed).is_ok_and(|there| there == wanted);
    if is_there && python.exists() {
        return Ok(python);
    }
    setup::ensure_venv()?;
    process::run(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(&dir),
    )?;
    // Only what is built already: nothing is to be compiled here.
    process::run(
        Command::new(&python)
            .args(["-m", "pip", "install", "--quiet"])
            .args(["--disable-pip-version-check", "--only-binary", ":all:"])
            .args(["--retries", "2", "--requirement"])
            .arg(requirements),
    )
    .context("the readers cannot be installed from PyPI")?;
    fs::write(&installed, wanted).with_context(|| installed.display().to_string())?;
    Ok(python)
}
