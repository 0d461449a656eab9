//! Makes the packages again, from a copy of the sources in another directory, and compares them byte by byte.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{Packages, packages};
use crate::{process, workspace};

/// Fails if a second build differs from `first`.
pub fn run(first: &Packages, date: &str) -> Result<()> {
    let elsewhere = workspace::target_dir()?.join("reproduce");
    packages::emptied(&elsewhere)?;
    let sources = elsewhere.join("sources");
    copy_sources(&workspace::root()?, &sources)?;
    let second = packages::make(&sources, &elsewhere.join("build"), date)?;
    let mut different = Vec::new();
    for name in &first.names {
        let bytes = |packages: &Packages| {
            fs::read(packages.directory.join(name)).with_context(|| name.to_owned())
        };
        if bytes(first)? != bytes(&second)? {
            different.push(name.as_str());
        }
    }
    if fs::read(&first.binary)? != fs::read(&second.binary)? {
        different.push("the binary");
    }
    if !different.is_empty() {
        bail!(
            "a second build differs in: {} (see {})",
            different.join(", "),
            elsewhere.display()
        );
    }
    println!(
        "a second build in {} has the same bytes",
        elsewhere.display()
    );
    fs::remove_dir_all(&elsewhere).with_context(|| elsewhere.display().to_string())
}

/// Everything that git would keep, as it is now.
fn copy_sources(root: &Path, to: &Path) -> Result<()> {
    let git = |args: &[&str]| process::output(Command::new("git").args(args).current_dir(root));
    let files = git(&[
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
    ])?;
    for file in files.split('\0').filter(|file| !file.is_empty()) {
        let (from, to) = (root.join(file), to.join(file));
        if !from.exists() {
            continue; // removed, and not committed yet
        }
        let parent = to.parent().context("a file without a directory")?;
        fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        fs::copy(&from, &to).with_context(|| from.display().to_string())?;
    }
    Ok(())
}
