//! `soak`: a long run under a mixed load. What `ior` holds is written down every ten seconds and must not grow; every call
//! must be accounted for.

mod sample;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use self::sample::Sample;
use crate::process::Guard;
use crate::{process, setup, workspace};

/// Between two samples.
const INTERVAL: Duration = Duration::from_secs(10);

/// The shortest run that says anything about growth.
const LEAST_MINUTES: u64 = 3;

/// Longer than ending takes after the load has ended.
const GRACE: Duration = Duration::from_secs(60);

/// Runs `soak --minutes N`.
pub fn run(args: &[String]) -> Result<()> {
    let minutes = parse(args)?;
    if !process::is_root() {
        bail!("tracing needs root: run `cargo xtask soak` as root");
    }
    setup::ensure()?;
    let ior = process::build_ior()?;
    let directory = workspace::target_dir()?.join("soak");
    let load = build(&directory)?;
    let work = directory.join("work");
    if work.exists() {
        fs::remove_dir_all(&work).with_context(|| work.display().to_string())?;
    }
    fs::create_dir_all(&work)?;
    let files = Files {
        summary: directory.join("summary"),
        messages: directory.join("messages"),
    };
    let child = start(&ior, &load, minutes * 60, &work, &files)?;
    let samples = watch(child, Duration::from_secs(minutes * 60) + GRACE)?;
    judge(&samples, &work, &files)?;
    println!("nothing grew, and every call is accounted for");
    Ok(())
}

fn parse(args: &[String]) -> Result<u64> {
    let minutes = match args {
        [option, value] if option == "--minutes" => value.parse::<u64>().ok(),
        _ => None,
    };
    match minutes {
        Some(minutes) if minutes >= LEAST_MINUTES => Ok(minutes),
        _ => bail!("usage: cargo xtask soak --minutes N (from {LEAST_MINUTES})"),
    }
}

fn build(directory: &Path) -> Result<PathBuf> {
    fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
    let load = directory.join("load");
    process::run(
        Command::new("gcc")
            .args(["-O2", "-Wall", "-pthread", "-o"])
            .arg(&load)
            .arg(workspace::root()?.join("xtask/soak.c")),
    )?;
    Ok(load)
}

/// Where ior's answer and its messages go.
struct Files {
    summary: PathBuf,
    messages: PathBuf,
}

fn start(ior: &Path, load: &Path, seconds: u64, work: &Path, files: &Files) -> Result<Child> {
    let mut command = Command::new(ior);
    command
        .args(["--trace-families", "all", "--"])
        .arg(load)
        .arg(seconds.to_string())
        .arg(work)
        .stdin(Stdio::null())
        .stdout(fs::File::create(&files.summary)?)
        .stderr(fs::File::create(&files.messages)?);
    eprintln!("+ {}", process::shown(&command));
    command.spawn().context("cannot run ior")
}

/// Takes samples until the run ends, which it must by itself.
fn watch(child: Child, longest: Duration) -> Result<Vec<Sample>> {
    let (begun, mut running, mut samples) = (Instant::now(), Guard(child), Vec::new());
    println!("{}", Sample::HEADER);
    let mut next = begun + INTERVAL;
    loop {
        if let Some(status) = running.0.try_wait()? {
            ensure!(status.success(), "ior: {status}");
            return Ok(samples);
        }
        ensure!(begun.elapsed() < longest, "ior did not end");
        if Instant::now() >= next {
            next += INTERVAL;
            // It may have ended in this moment.
            if let Ok(sample) = Sample::of(running.0.id()) {
                println!("{}", sample.line(begun.elapsed().as_secs()));
                samples.push(sample);
            }
        }
        thread::sleep(Duration::from_millis(100));
    }
}

fn judge(samples: &[Sample], work: &Path, files: &Files) -> Result<()> {
    let messages = fs::read_to_string(&files.messages)?;
    print!("{messages}");
    ensure!(!messages.contains("BUG"), "calls are unaccounted");
    sample::check_growth(samples)?;
    let made = fs::read_to_string(work.join("made"))?;
    let made: u64 = made.trim().parse().context("made")?;
    let summary = fs::read_to_string(&files.summary)?;
    let seen = calls_of(&summary, "pwrite64").context("the summary has no pwrite64")?;
    let missed = number_after(&messages, "not seen ").context("not seen: unknown")?
        + number_after(&messages, "unpaired ").context("unpaired: unknown")?;
    println!("pwrite64: {made} made, {seen} seen; {missed} calls not seen or unpaired in all");
    ensure!(
        seen <= made && made - seen <= missed,
        "calls are missing that nothing accounts for"
    );
    Ok(())
}

/// The calls in the summary's line of a syscall.
fn calls_of(summary: &str, syscall: &str) -> Option<u64> {
    summary.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next()? == syscall).then(|| words.next()?.parse().ok())?
    })
}

fn number_after(text: &str, word: &str) -> Option<u64> {
    let (_, after) = text.split_once(word)?;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_are_asked_for() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(parse(&words("--minutes 30")).unwrap(), 30);
        assert!(parse(&[]).is_err());
        assert!(parse(&words("--minutes 2")).is_err());
    }

    #[test]
    fn numbers_are_found() {
        let messages = "ior: 2.0 s, calls 9, rows 9, lost 0, not seen 3, unpaired 12, in flight 0";
        assert_eq!(number_after(messages, "not seen "), Some(3));
        assert_eq!(number_after(messages, "unpaired "), Some(12));
        assert_eq!(number_after("not seen unknown", "not seen "), None);
        let summary = "Syscall  Calls\nread  7  0\npwrite64  41  0  1.2 µs";
        assert_eq!(calls_of(summary, "pwrite64"), Some(41));
        assert_eq!(calls_of(summary, "close"), None);
    }
}
