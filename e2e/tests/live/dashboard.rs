//! The dashboard on a pseudo-terminal: what it shows of a workload whose calls are known, and how it leaves the terminal.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use e2e::harness::process::{Running, send_signal};
use e2e::harness::recorder::Programs;
use e2e::harness::scratch::Scratch;
use e2e::harness::terminal::Terminal;
use e2e::harness::{Result, check};

mod figures;
mod questions;

use crate::Test;
use crate::recordings::reader::Parquet;

pub const TESTS: &[Test] = &[
    ("picker", picker),
    ("every_tab", every_tab),
    ("exact_counts", exact_counts),
    ("filters", filters),
    ("recording", recording),
    ("export", export),
    ("resized", resized),
    ("filter_epochs", filter_epochs),
    ("ended_without_rows", ended_without_rows),
    ("mouse", mouse),
    ("writes_most", questions::writes_most),
    ("most_failed_opens", questions::most_failed_opens),
    ("slowest_fsync", questions::slowest_fsync),
    ("first_screens", figures::first_screens),
    ("full_speed", figures::full_speed),
    ("exact_at_full_speed", figures::exact_at_full_speed),
    ("idle", figures::idle),
    ("ends", ends),
    ("unread_terminal", unread_terminal),
    ("panic", panic),
    ("failed_start", failed_start),
    ("demo", demo),
];

const ROWS: u16 = 40;
const COLUMNS: u16 = 140;
const ENTER: &str = "\r";
const ESCAPE: &str = "\x1b";

/// The dashboard of a workload that waits for a byte.
struct Session {
    screen: Terminal,
    workload: Running,
    scratch: Scratch,
}

impl Session {
    /// With `ior -p` on the workload; its rows are awaited by the caller.
    fn start(programs: &Programs, scenario: &str, options: &[&str]) -> Result<Session> {
        let scratch = Scratch::new()?;
        let dir = scratch.dir("work")?;
        let workload = programs.waiting_workload(scenario, &dir)?;
        let pid = workload.id().to_string();
        let mut ior = programs.ior(["-p", &pid]);
        ior.args(options).current_dir(scratch.path());
        let screen = Terminal::start(&ior, ROWS, COLUMNS)?;
        screen.wait("the trace", |screen| {
            screen.contains("calls/s") && !screen.contains("attaching")
        })?;
        Ok(Session {
            screen,
            workload,
            scratch,
        })
    }

    fn quit(mut self) -> Result<String> {
        self.screen.press("q")?;
        let (status, left) = self.screen.end()?;
        check(status.success(), || format!("{status}: {left}"))?;
        Ok(left)
    }
}

/// From the list of processes to the rows of the one that was typed.
fn picker(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let noise = programs.noise(&scratch)?;
    let none: [&str; 0] = [];
    let mut screen = Terminal::start(&programs.ior(none), ROWS, COLUMNS)?;
    screen.wait_for("All processes")?;
    let pid = noise.id().to_string();
    screen.press(&pid)?;
    screen.wait("the process alone", |screen| {
        screen.contains(&pid) && screen.contains("workload")
    })?;
    screen.press(ENTER)?;
    screen.press_for("4", "Accesses")?;
    screen.wait_for("/noise/data")?;
    screen.press("q")?;
    let (status, _) = screen.end()?;
    check(status.success(), || status.to_string())
}

/// Each tab shows what the workload does.
fn every_tab(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let noise = programs.noise(&scratch)?;
    let pid = noise.id().to_string();
    let mut screen = Terminal::start(&programs.ior(["-p", &pid]), ROWS, COLUMNS)?;
    screen.wait_for("workload")?;
    for (key, texts) in [
        ("1", &["comm-path-syscall by calls", "workload", "all"][..]),
        ("2", &["errors/s", "workload"]),
        ("3", &["Syscall", "write", "FS"]),
        ("4", &["Path", "/noise/data", "/noise/a"]),
        ("5", &["PID", "workload", &pid]),
        ("6", &["Latency of all", "Gap"]),
        ("7", &["Time", "ENOENT", "/noise/missing"]),
    ] {
        screen.press(key)?;
        for text in texts {
            screen
                .wait_for(text)
                .map_err(|error| format!("tab {key}: {error}"))?;
        }
    }
    screen.press("q")?;
    screen.end().map(drop)
}

/// 10,000 files made and written: the counts on the screen are those of the workload, and stay when it is gone.
fn exact_counts(programs: &Programs) -> Result<()> {
    let mut session = Session::start(programs, "distinct_10000", &[])?;
    session.workload.let_go()?;
    session.screen.press("3")?;
    let shown = session.screen.wait("10,000 writes", |screen| {
        line(screen, "write").is_some_and(|line| line.contains("10.0 k"))
            && line(screen, "unlink").is_some_and(|line| line.contains("200"))
    })?;
    let unlink = line(&shown, "unlink").unwrap_or_default();
    check(unlink.trim_end().ends_with("100"), || {
        format!("half of them fail: {unlink}")
    })?;
    session.screen.press_for("4", "file-0")?;
    session.quit().map(drop)
}

/// The line of the screen that begins with a word.
fn line(screen: &str, word: &str) -> Option<String> {
    let is_it = |line: &&str| line.split_whitespace().next() == Some(word);
    screen.lines().find(is_it).map(str::to_owned)
}

/// A cell narrows, and undo widens again.
fn filters(programs: &Programs) -> Result<()> {
    let mut session = Session::start(programs, "distinct_10000", &[])?;
    session.workload.let_go()?;
    session.screen.press("3")?;
    session.screen.wait("all rows", |screen| {
        line(screen, "unlink").is_some_and(|line| line.contains("200"))
    })?;
    session.screen.press("f")?;
    session.screen.press("syscall=unlink")?;
    session.screen.press(ENTER)?;
    session.screen.wait("only unlink", |screen| {
        screen.contains("syscall=unlink")
            && line(screen, "unlink").is_some()
            && line(screen, "write").is_none()
    })?;
    session.screen.press(ESCAPE)?;
    session.screen.wait("all again", |screen| {
        !screen.contains("syscall=unlink")
            && line(screen, "write").is_some_and(|line| line.contains("10.0 k"))
    })?;
    session.quit().map(drop)
}

fn only_file(dir: &Path, extension: &str) -> Result<std::path::PathBuf> {
    let entries = std::fs::read_dir(dir).map_err(|error| error.to_string())?;
    let mut found = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|it| it == extension));
    match (found.next(), found.next()) {
        (Some(path), None) => Ok(path),
        (first, second) => Err(format!("not one .{extension}: {first:?}, {second:?}")),
    }
}

/// Recorded between two keys: as many rows as the screen says.
fn recording(programs: &Programs) -> Result<()> {
    let mut session = Session::start(programs, "read_write", &[])?;
    session.screen.press_for("R", "rec: ")?;
    session.workload.let_go()?;
    session.screen.wait_for("have ended")?;
    session.screen.press("7")?;
    let shown = session.screen.wait("rows in the stream", |screen| {
        screen.contains(" in all") && !screen.contains("0 in all")
    })?;
    let rows = shown
        .lines()
        .find_map(|line| line.trim().strip_suffix(" in all"));
    let rows: usize = rows
        .and_then(|text| text.split_whitespace().last()?.parse().ok())
        .ok_or_else(|| format!("how many rows?\n{shown}"))?;
    session.screen.press("R")?;
    session.screen.wait_for("recorded ")?;
    let path = only_file(session.scratch.path(), "parquet")?;
    let mut recorded = 0;
    Parquet::open(&path)?.visit(|_| {
        recorded += 1;
        Ok(())
    })?;
    check(recorded == rows && rows > 0, || {
        format!("{rows} rows on the screen, {recorded} in the file\n{shown}")
    })?;
    session.quit().map(drop)
}

/// Rows say under which of the session's filters they came, in the recording and in the export.
fn filter_epochs(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let noise = programs.noise(&scratch)?;
    let mut ior = programs.ior(["-p", &noise.id().to_string()]);
    ior.current_dir(scratch.path());
    let mut screen = Terminal::start(&ior, ROWS, COLUMNS)?;
    screen.wait_for("workload")?;
    screen.press_for("R", "rec: ")?;
    screen.press("3")?;
    screen.wait("rows without a filter", |screen| {
        line(screen, "write").is_some()
    })?;
    let only = |screen: &str, there: &str, gone: &str| {
        line(screen, there).is_some() && line(screen, gone).is_none()
    };
    screen.press("f")?;
    screen.press("syscall=read\r")?;
    screen.wait("only read", |screen| only(screen, "read", "write"))?;
    screen.press("f\x15")?;
    screen.press("syscall=write\r")?;
    screen.wait("only write", |screen| only(screen, "write", "read"))?;
    screen.press(ESCAPE)?;
    screen.wait("read again", |screen| only(screen, "read", "write"))?;
    // New rows of this filter, and no other.
    let before = screen.contents();
    screen.wait("another picture", |screen| screen != before)?;
    screen.press_for("e", ".csv")?;
    screen.press_for("R", "recorded ")?;
    screen.press("q")?;
    screen.end()?;
    let mut epochs: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
    Parquet::open(&only_file(scratch.path(), "parquet")?)?.visit(|row| {
        let epoch = row["filter_epoch"].as_u64().ok_or("no epoch")?;
        let syscall = row["syscall"].as_str().ok_or("no syscall")?;
        epochs.entry(epoch).or_default().insert(syscall.to_owned());
        Ok(())
    })?;
    let syscalls = |epoch: u64| {
        epochs
            .get(&epoch)
            .map(|it| it.iter().map(String::as_str).collect())
    };
    let read = Some(vec!["read"]);
    check(
        epochs.len() == 4
            && syscalls(0).is_some_and(|it: Vec<&str>| it.len() >= 4)
            && (syscalls(1), syscalls(2), syscalls(3)) == (read.clone(), Some(vec!["write"]), read),
        || format!("{epochs:?}"),
    )?;
    let csv =
        std::fs::read_to_string(only_file(scratch.path(), "csv")?).map_err(|e| e.to_string())?;
    let mut lines = csv.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap_or_default();
    let column = header.iter().position(|name| *name == "filter_epoch");
    let column = column.ok_or_else(|| format!("{header:?}"))?;
    let last = lines.next_back().unwrap_or_default();
    check(last.get(column) == Some(&"3"), || format!("{last:?}"))
}

/// A target that ends without a row was traced all the same.
fn ended_without_rows(programs: &Programs) -> Result<()> {
    let quiet = Running::start(Command::new("sleep").arg("600"))?;
    let pid = quiet.id().to_string();
    let ior = programs.ior(["-p", &pid, "--trace-syscalls", "fsync"]);
    let mut screen = Terminal::start(&ior, ROWS, COLUMNS)?;
    screen.wait_for(&format!("process {pid} (sleep)"))?;
    screen.wait("the trace", |screen| !screen.contains("attaching"))?;
    quiet.signal("TERM")?;
    let shown = screen.wait_for("over: the traced processes have ended")?;
    check(!shown.contains("Nothing is traced"), || shown)?;
    screen.press_for("4", "Accesses")?;
    screen.press("q")?;
    screen.end().map(drop)
}

/// Clicks choose, open, sort and narrow; the wheel moves.
fn mouse(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let noise = programs.noise(&scratch)?;
    let pid = noise.id().to_string();
    let none: [&str; 0] = [];
    let mut screen = Terminal::start(&programs.ior(none), ROWS, COLUMNS)?;
    screen.wait_for("All processes")?;
    screen.press(&pid)?;
    screen.wait("the process alone", |screen| {
        screen.contains("workload") && !screen.contains("All processes")
    })?;
    // It is selected: a click is Enter.
    screen.click("workload")?;
    screen.wait_for(&format!("process {pid} (workload)"))?;
    screen.click("4 Files")?;
    screen.wait_for("Accesses▼")?;
    screen.click("Written")?;
    screen.wait_for("Written▼")?;
    screen.click("Written▼")?;
    screen.wait_for("Written▲")?;
    screen.wait_for("/noise/data")?;
    screen.click("/noise/data")?;
    screen.click("/noise/data")?;
    let shown = screen.wait("the file alone", |screen| {
        screen.contains("filter: file=") && !screen.contains("/noise/missing")
    })?;
    check(shown.contains("/noise/data"), || shown)?;
    screen.press_for(ESCAPE, "/noise/missing")?;
    // The stream holds where the wheel turns.
    screen.click("7 Stream")?;
    screen.wait_for("/noise/data")?;
    screen.press("\x1b[<64;10;10M")?;
    screen.wait_for("PAUSED")?;
    screen.click("1 Flame")?;
    screen.wait_for("comm-path-syscall by calls")?;
    screen.click("noise")?;
    screen.press_for("u", "all")?;
    screen.press("q")?;
    let (status, left) = screen.end()?;
    check(status.success(), || left)
}

/// The last rows as CSV, all columns.
fn export(programs: &Programs) -> Result<()> {
    let mut session = Session::start(programs, "read_write", &[])?;
    session.workload.let_go()?;
    session.screen.wait_for("have ended")?;
    session.screen.press("7")?;
    session.screen.wait_for("/work/")?;
    session.screen.press("e")?;
    session.screen.wait_for(".csv")?;
    let path = only_file(session.scratch.path(), "csv")?;
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    check(
        text.lines().count() > 3 && text.contains("latency_ns"),
        || format!("not what was on the screen:\n{text}"),
    )?;
    session.quit().map(drop)
}

/// Every size shows something, and the first one everything again.
fn resized(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let noise = programs.noise(&scratch)?;
    let mut screen = Terminal::start(
        &programs.ior(["-p", &noise.id().to_string()]),
        ROWS,
        COLUMNS,
    )?;
    screen.wait_for("workload")?;
    screen.press_for("4", "/noise/data")?;
    screen.resize(5, 20)?;
    screen.wait("a small screen", |screen| {
        screen.lines().all(|line| line.len() <= 80)
    })?;
    screen.resize(1, 1)?;
    screen.resize(60, 200)?;
    screen.wait_for("/noise/data")?;
    screen.press("q")?;
    screen.end().map(drop)
}

/// Keys and signals that end it leave the terminal as it was.
fn ends(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let noise = programs.noise(&scratch)?;
    let pid = noise.id().to_string();
    for (how, code) in [("q", 0), ("\x03", 0), ("TERM", 143), ("HUP", 129)] {
        let mut screen = Terminal::start(&programs.ior(["-p", &pid]), ROWS, COLUMNS)?;
        screen.wait_for("workload")?;
        match how {
            "TERM" | "HUP" => screen.signal(how)?,
            key => screen.press(key)?,
        }
        let (status, left) = screen.end().map_err(|error| format!("{how:?}: {error}"))?;
        check(status.code() == Some(code), || {
            format!("{how:?}: {status}\n{left}")
        })?;
    }
    Ok(())
}

/// A terminal that takes nothing more, as of a stopped ssh, does not keep it from ending.
fn unread_terminal(programs: &Programs) -> Result<()> {
    let mut screen = Terminal::start(&programs.ior(["--demo"]), 200, 250)?;
    screen.wait_for("postgres")?;
    let ended = screen.while_unread(|pid| {
        let pid = pid.to_string();
        // The terminal's buffer is full long before; the second signal means at once.
        std::thread::sleep(Duration::from_secs(2));
        send_signal("TERM", &pid)?;
        std::thread::sleep(Duration::from_secs(1));
        send_signal("TERM", &pid)?;
        std::thread::sleep(Duration::from_secs(4));
        Ok(())
    })?;
    check(ended, || "it is blocked by its terminal".to_owned())
}

/// A bug in the dashboard leaves a terminal that can be used, and says what happened.
fn panic(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let noise = programs.noise(&scratch)?;
    let mut ior = programs.ior(["-p", &noise.id().to_string()]);
    ior.env("IOR_TEST_PANIC_KEY", "1");
    let mut screen = Terminal::start(&ior, ROWS, COLUMNS)?;
    screen.wait_for("workload")?;
    // Ctrl-P.
    screen.press("\x10")?;
    let (status, left) = screen.end()?;
    check(!status.success() && left.contains("panicked"), || {
        format!("{status}\n{left}")
    })
}

/// What cannot be traced is said on the screen, with a way out.
fn failed_start(programs: &Programs) -> Result<()> {
    // A number no process has: pid_max is at most 4194304.
    let mut screen = Terminal::start(&programs.ior(["-p", "4194303"]), ROWS, COLUMNS)?;
    screen.wait_for("4194303")?;
    screen.press("q")?;
    screen.end().map(drop)
}

/// Without any trace.
fn demo(programs: &Programs) -> Result<()> {
    let mut screen = Terminal::start(&programs.ior(["--demo"]), ROWS, COLUMNS)?;
    screen.wait_for("postgres")?;
    for (key, text) in [
        ("2", "errors/s"),
        ("3", "openat"),
        ("4", "/var/www"),
        ("5", "nginx"),
        ("7", "ENOENT"),
    ] {
        screen.press_for(key, text)?;
    }
    screen.press("q")?;
    let (status, _) = screen.end()?;
    check(status.success(), || status.to_string())
}
