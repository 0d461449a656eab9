//! `screenshots`: pictures of the dashboard for the README, drawn by its own code.

use anyhow::{Result, bail};

use crate::{process, workspace};

/// Where they go, below the workspace.
const DIRECTORY: &str = "docs/screenshots";

/// Runs `screenshots`.
pub fn run(args: &[String]) -> Result<()> {
    if !args.is_empty() {
        bail!("usage: cargo xtask screenshots");
    }
    let mut cargo = process::cargo()?;
    cargo
        .args([
            "run",
            "--quiet",
            "--package",
            "ior-tui",
            "--example",
            "screenshots",
            "--",
            DIRECTORY,
        ])
        .current_dir(workspace::root()?);
    process::run(&mut cargo)
}
