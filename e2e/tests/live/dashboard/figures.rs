//! What the dashboard promises in figures, each printed as measured: how soon there is something to see, frames and
//! exactness at full speed, and what it takes when nothing happens.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use e2e::harness::recorder::Programs;
use e2e::harness::scratch::Scratch;
use e2e::harness::terminal::Terminal;
use e2e::harness::{Result, check};

use super::{COLUMNS, ROWS, Session, line, only_file};
use crate::recordings::reader::Parquet;

/// Starts that are timed: the fastest tells what the program takes, the others what else the machine did.
const STARTS: usize = 3;
/// How long nothing happens.
const IDLE: Duration = Duration::from_secs(10);

/// How soon there is a list of processes, and the first rows of a scope. Printed, not judged: other work on the machine
/// counts too.
pub fn first_screens(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let noise = programs.noise(&scratch)?;
    let pid = noise.id().to_string();
    let picker = fastest(programs, &[], |screen| {
        screen.contains("All processes") && screen.contains("kthreadd")
    })?;
    let scope = fastest(programs, &["-p", &pid], |screen| {
        // A frame of the flame graph below the thread's.
        screen.contains("/noise") || screen.contains("data")
    })?;
    eprintln!("first screen: picker {picker:?}, with a scope {scope:?}");
    Ok(())
}

/// The shortest time from a start to a screen.
fn fastest(
    programs: &Programs,
    options: &[&str],
    is_so: impl Fn(&str) -> bool,
) -> Result<Duration> {
    let mut shortest = Duration::MAX;
    for _ in 0..STARTS {
        let began = Instant::now();
        let mut screen = Terminal::start(&programs.ior(options), ROWS, COLUMNS)?;
        screen.wait("the first screen", &is_so)?;
        shortest = shortest.min(began.elapsed());
        screen.press("\x03")?;
        screen.end()?;
    }
    Ok(shortest)
}

/// A workload that does nothing but calls: every one is counted on the screen. How fast that is drawn is printed, not judged.
pub fn full_speed(programs: &Programs) -> Result<()> {
    const CALLS: f64 = 5_000_000.0;
    let mut session = Session::start(programs, "writes_5000000", &[])?;
    session.screen.press_for("3", "Syscall")?;
    session.workload.let_go()?;
    session
        .screen
        .wait("the first writes", |screen| line(screen, "write").is_some())?;
    let (began, frames) = (Instant::now(), session.screen.frames());
    let shown = session.screen.wait("5,000,000 writes", |screen| {
        line(screen, "write").is_some_and(|line| line.contains("5.0 M"))
    })?;
    let took = began.elapsed().as_secs_f64();
    let drawn = session.screen.frames() - frames;
    let (frames, calls) = (drawn as f64 / took, CALLS / took);
    let lost = shown
        .lines()
        .find(|line| line.contains(" lost"))
        .unwrap_or("nothing lost");
    eprintln!(
        "full speed: {calls:.0} calls/s for {took:.2} s, {frames:.1} frames/s, {}",
        lost.trim()
    );
    session.quit().map(drop)
}

/// The sums in the footer of a recording at full speed are those of the calls; rows and what was lost make them up, and a
/// loss is on the screen.
pub fn exact_at_full_speed(programs: &Programs) -> Result<()> {
    let mut session = Session::start(programs, "writes_1000000", &[])?;
    session.screen.press_for("R", "rec: ")?;
    session.workload.let_go()?;
    let shown = session.screen.wait_for("have ended")?;
    session.screen.press_for("R", "recorded ")?;
    let recording = Parquet::open(&only_file(session.scratch.path(), "parquet")?)?;
    let totals = recording.footer_json("ior.totals")?;
    let writes = totals["write"]["calls"].as_u64().unwrap_or_default();
    let all: u64 = totals
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(_, it)| it["calls"].as_u64())
        .sum();
    let lost = recording.footer_json("ior.loss")?["rows"]
        .as_u64()
        .unwrap_or_default();
    eprintln!(
        "full speed, recorded: {writes} writes, {all} calls, {} rows, {lost} lost",
        recording.rows()
    );
    check(
        writes >= 1_000_000 && all == recording.rows() + lost,
        || {
            format!(
                "{writes} writes, {all} calls, {} rows, {lost} lost",
                recording.rows()
            )
        },
    )?;
    check((lost > 0) == shown.contains(" lost"), || {
        format!("{lost} lost:\n{shown}")
    })?;
    session.quit().map(drop)
}

/// Nothing is drawn when nothing happens but the clock, and hardly any time is used: 2 % of a core.
pub fn idle(programs: &Programs) -> Result<()> {
    let session = Session::start(programs, "read_write", &[])?;
    let ior = session.screen.id();
    // What the start has left to be done.
    std::thread::sleep(Duration::from_secs(1));
    let (before, frames, began) = (cpu(ior)?, session.screen.frames(), Instant::now());
    std::thread::sleep(IDLE);
    let (used, took) = (cpu(ior)? - before, began.elapsed());
    let share = used.as_secs_f64() / took.as_secs_f64();
    let drawn = session.screen.frames() - frames;
    eprintln!(
        "idle: {:.2} % of a CPU and {drawn} frames in {took:.1?}",
        share * 100.0
    );
    check(share <= 0.02, || format!("{share:.4} of a CPU in {took:?}"))?;
    session.quit().map(drop)
}

/// CPU time of all threads of a process, from the scheduler's own account.
fn cpu(pid: u32) -> Result<Duration> {
    let text = |error: std::io::Error| error.to_string();
    let tasks =
        fs::read_dir(Path::new("/proc").join(pid.to_string()).join("task")).map_err(text)?;
    let mut sum = Duration::ZERO;
    for task in tasks {
        let account =
            fs::read_to_string(task.map_err(text)?.path().join("schedstat")).map_err(text)?;
        let on_cpu = account.split(' ').next().and_then(|it| it.parse().ok());
        sum += Duration::from_nanos(on_cpu.ok_or("no schedstat")?);
    }
    Ok(sum)
}
