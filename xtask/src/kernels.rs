//! `kernels`: boots the static binary on other kernels in an emulator, runs the smoke suite there, and shows kernel × check.

mod boot;
mod fetch;
mod outcome;
mod report;
mod system;

use std::env;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail};

use self::fetch::{KERNELS, Kernel};
use self::outcome::Outcome;
use crate::{process, setup, workspace};

/// Runs `kernels [NAME...]`.
pub fn run(args: &[String]) -> Result<()> {
    let wanted = wanted(args)?;
    setup::ensure()?;
    if let Err(error) = setup::ensure_for_kernels() {
        return skipped(&format!("{error:#}"));
    }
    let directory = workspace::target_dir()?.join("kernels");
    fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
    let system = system::make(&directory)?;
    let (mut machines, mut absent) = (Vec::new(), Vec::new());
    for kernel in wanted {
        match fetch::image(kernel, &directory) {
            Ok(image) => machines.push((kernel, image)),
            Err(error) => absent.push(format!("{}: {error:#}", kernel.name)),
        }
    }
    let mut outcomes = boot_all(&machines, &system.initramfs, &directory)?;
    for (_, outcome) in &mut outcomes {
        read_recording(outcome, &system.ior, &directory)?;
    }
    print!("{}", report::table(&outcomes));
    if !absent.is_empty() {
        skipped(&absent.join("; "))?;
    }
    let failures: Vec<String> = outcomes
        .iter()
        .flat_map(|(name, outcome)| outcome.failures().map(move |why| format!("{name}: {why}")))
        .collect();
    match failures.is_empty() {
        true => Ok(()),
        false => bail!("on other kernels:\n{}", failures.join("\n")),
    }
}

/// Boots as many at a time as there are CPUs: an emulated machine is one thread.
fn boot_all(
    machines: &[(&'static Kernel, PathBuf)],
    initramfs: &Path,
    directory: &Path,
) -> Result<Vec<(&'static str, Outcome)>> {
    let (next, outcomes) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || -> Result<()> {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((kernel, image)) = machines.get(at) else {
                return Ok(());
            };
            eprintln!("+ boot {}", kernel.name);
            let log = directory.join(format!("{}.log", kernel.name));
            let mut outcome = boot::run(kernel, image, initramfs, &log)?;
            outcome.expect_kernel(kernel.version());
            if let Ok(mut outcomes) = outcomes.lock() {
                outcomes.push((at, kernel.name, outcome));
            }
        }
    };
    thread::scope(|scope| {
        let cpus = thread::available_parallelism().map_or(1, NonZero::get);
        let workers: Vec<_> = (0..cpus.min(machines.len()))
            .map(|_| scope.spawn(work))
            .collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| bail!("a worker panicked")))
    })?;
    let mut outcomes = outcomes.into_inner().unwrap_or_default();
    outcomes.sort_by_key(|(at, _, _)| *at);
    Ok(outcomes
        .into_iter()
        .map(|(_, name, outcome)| (name, outcome))
        .collect())
}

fn wanted(args: &[String]) -> Result<Vec<&'static Kernel>> {
    if args.is_empty() {
        return Ok(KERNELS.iter().collect());
    }
    let find = |name: &String| {
        let names = || KERNELS.map(|kernel| kernel.name).join(" | ");
        let found = KERNELS.iter().find(|kernel| kernel.name == name);
        found.with_context(|| format!("usage: cargo xtask kernels [{}]...", names()))
    };
    args.iter().map(find).collect()
}

fn skipped(why: &str) -> Result<()> {
    if env::var_os("IOR_REQUIRE_KERNELS").is_some_and(|value| value == "1") {
        bail!("kernels: {why}");
    }
    let line = "*".repeat(80);
    eprintln!("\n{line}\n* skipped: other kernels: {why}");
    eprintln!("* IOR_REQUIRE_KERNELS=1 makes this a failure.\n{line}");
    Ok(())
}

/// The recording that was brought out has as many rows as were counted there.
fn read_recording(outcome: &mut Outcome, ior: &Path, directory: &Path) -> Result<()> {
    let Some(encoded) = outcome.files.get("rows.parquet") else {
        return Ok(());
    };
    let (text, file) = (
        directory.join("rows.base64"),
        directory.join("rows.parquet"),
    );
    fs::write(&text, encoded)?;
    let decoded = Command::new("base64")
        .arg("--decode")
        .arg(&text)
        .output()
        .context("cannot run base64")?;
    fs::write(&file, decoded.stdout)?;
    let mut collapsed = Command::new(ior);
    let said = process::output(
        collapsed
            .args(["collapsed", "--fields", "syscall"])
            .arg(&file),
    );
    let counted = outcome.facts.get("parquet_rows").cloned();
    let verdict = match said.map(|stacks| sum(&stacks)) {
        Ok(sum) if sum > 0 && Some(sum.to_string()) == counted => Ok(()),
        Ok(sum) => Err(format!("{sum} rows in the file, counted {counted:?}")),
        Err(error) => Err(format!("{error:#}")),
    };
    outcome.checks.push(("parquet".to_owned(), verdict));
    Ok(())
}

/// The counts of collapsed stacks, together.
fn sum(stacks: &str) -> u64 {
    stacks
        .lines()
        .filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_named() {
        assert_eq!(wanted(&[]).unwrap().len(), KERNELS.len());
        assert_eq!(wanted(&["7.2".to_owned()]).unwrap()[0].name, "7.2");
        assert!(wanted(&["2.6".to_owned()]).is_err());
    }

    #[test]
    fn stacks_are_added_up() {
        assert_eq!(sum("open 3\nread 40\n"), 43);
    }
}
