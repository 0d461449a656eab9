//! Starting a tracer on a process, knowing when it is attached, stopping it, and what it says it counted.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::process::Guard;
use crate::workspace;

/// Longest wait for a tracer to attach, and for it to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who traces the loop.
pub enum Tracer {
    /// Nobody.
    None,
    /// `ior` traces the loop, with these options.
    Ior(&'static [&'static str]),
    /// `ior` records all rows of the loop as Parquet, in a file.
    IorParquet,
    /// `ior` traces a process that sleeps.
    IorElsewhere,
    /// `strace -f`, output discarded.
    Strace,
    /// `perf trace`, output to a file.
    PerfTrace,
    /// `bpftrace`, counting enters and exits.
    Bpftrace,
}

/// What a tracer says it counted; none where it does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls.
    pub calls: Option<u64>,
    /// Records of calls.
    pub rows: Option<u64>,
    /// Records lost.
    pub lost: Option<u64>,
    /// Calls the kernel did not show.
    pub not_seen: Option<u64>,
}

impl Counts {
    /// The sum of the runs; unknown in one is unknown in all.
    pub fn sum(runs: impl Iterator<Item = Counts>) -> Counts {
        let add = |a: Option<u64>, b: Option<u64>| Some(a? + b?);
        runs.reduce(|a, b| Counts {
            calls: add(a.calls, b.calls),
            rows: add(a.rows, b.rows),
            lost: add(a.lost, b.lost),
            not_seen: add(a.not_seen, b.not_seen),
        })
        .unwrap_or_default()
    }
}

/// How a tracer tells that it is attached.
enum Ready {
    /// It prints a line with this in it.
    Says(&'static str),
    /// It says nothing, but its perf events show in `/proc`.
    HoldsPerfEvents,
}

/// An attached tracer, or nobody.
pub struct Session {
    running: Option<(Guard, Receiver<String>)>,
    count: fn(&[String]) -> Counts,
    /// A file the tool writes its records to.
    records: Option<PathBuf>,
}

/// Starts the tracer on `pid` (or on `bystander`), and returns when it is attached.
pub fn start(tracer: &Tracer, ior: &Path, pid: u32, bystander: u32) -> Result<Session> {
    let on = |program: &Path, args: &[&str], pid: u32| {
        let mut command = Command::new(program);
        command.args(args).args(["-p", &pid.to_string()]);
        command
    };
    let ior_says = Ready::Says("attached");
    match tracer {
        Tracer::None => Ok(Session {
            running: None,
            count: |_| Counts::default(),
            records: None,
        }),
        Tracer::Ior(args) => spawn(on(ior, args, pid), ior_says, count_ior),
        Tracer::IorParquet => {
            let recording = workspace::target_dir()?.join("overhead.parquet");
            let mut command = on(ior, &[], pid);
            command.arg("--parquet").arg(recording);
            spawn(command, ior_says, count_ior)
        }
        Tracer::IorElsewhere => spawn(on(ior, &["--discard"], bystander), ior_says, count_ior),
        Tracer::Strace => {
            let command = on("strace".as_ref(), &["-f", "-o", "/dev/null"], pid);
            spawn(command, Ready::Says("attached"), |_| Counts::default())
        }
        Tracer::PerfTrace => {
            let records = workspace::target_dir()?.join("overhead-perf-trace.txt");
            let mut command = on("perf".as_ref(), &["trace"], pid);
            command.arg("-o").arg(&records);
            let mut session = spawn(command, Ready::HoldsPerfEvents, count_perf_trace)?;
            session.records = Some(records);
            Ok(session)
        }
        Tracer::Bpftrace => {
            let mut command = Command::new("bpftrace");
            command.args(["-e", &bpftrace_program(pid)]);
            // bpftrace's own tests learn by this variable when its probes are attached.
            command.env("__BPFTRACE_NOTIFY_PROBES_ATTACHED", "1");
            spawn(command, Ready::Says("PROBES_ATTACHED"), count_bpftrace)
        }
    }
}

impl Session {
    /// Ends the tracer and returns what it counted.
    pub fn stop(self) -> Result<Counts> {
        let Some((mut child, output)) = self.running else {
            return Ok(Counts::default());
        };
        child.interrupt()?;
        let mut lines = Vec::new();
        let deadline = Instant::now() + PATIENCE;
        loop {
            match output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => lines.push(line),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => bail!("did not end when interrupted"),
            }
        }
        child.0.wait()?;
        if let Some(path) = &self.records {
            let text = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
            lines = String::from_utf8_lossy(&text)
                .lines()
                .map(str::to_owned)
                .collect();
        }
        Ok((self.count)(&lines))
    }
}

fn spawn(mut command: Command, ready: Ready, count: fn(&[String]) -> Counts) -> Result<Session> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    let (sender, output) = mpsc::channel();
    if let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) {
        forward(out, sender.clone());
        forward(err, sender);
    }
    let child = Guard(child);
    match ready {
        Ready::Says(word) => wait_for_word(&output, word)?,
        Ready::HoldsPerfEvents => wait_for_perf_events(child.0.id())?,
    }
    Ok(Session {
        running: Some((child, output)),
        count,
        records: None,
    })
}

/// Sends every line of a stream, and hangs up at its end.
fn forward(stream: impl Read + Send + 'static, lines: Sender<String>) {
    thread::spawn(move || {
        for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
            if lines
                .send(String::from_utf8_lossy(&line).into_owned())
                .is_err()
            {
                break;
            }
        }
    });
}

fn wait_for_word(output: &Receiver<String>, word: &str) -> Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let mut said = Vec::new();
    loop {
        match output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) if line.contains(word) => return Ok(()),
            Ok(line) => said.push(line),
            Err(_) => bail!("did not attach: {}", said.join(" / ")),
        }
    }
}

/// Waits until the process holds perf events and their number has stopped growing.
fn wait_for_perf_events(pid: u32) -> Result<()> {
    const STEP: Duration = Duration::from_millis(50);
    const STEADY: u32 = 8;
    let deadline = Instant::now() + PATIENCE;
    let (mut before, mut steady) = (0, 0);
    while steady < STEADY {
        let now = perf_events(pid).with_context(|| format!("process {pid} ended"))?;
        steady = if now > 0 && now == before {
            steady + 1
        } else {
            0
        };
        before = now;
        if Instant::now() > deadline {
            bail!("did not attach");
        }
        thread::sleep(STEP);
    }
    Ok(())
}

fn perf_events(pid: u32) -> Result<usize> {
    let links = fs::read_dir(format!("/proc/{pid}/fd"))?
        .filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    Ok(links
        .filter(|to| to.as_os_str() == "anon_inode:[perf_event]")
        .count())
}

/// From `ior`'s statistics: `…, calls N, rows N, …, lost N, not seen N, …`.
fn count_ior(lines: &[String]) -> Counts {
    let statistics = lines
        .iter()
        .find(|line| number_after(line, "calls").is_some() && number_after(line, "rows").is_some());
    statistics.map_or_else(Counts::default, |line| Counts {
        calls: number_after(line, "calls"),
        rows: number_after(line, "rows"),
        lost: number_after(line, "lost"),
        not_seen: number_after(line, "not seen"),
    })
}

/// `perf trace` writes a line a call, and a line with `LOST n events!` for a loss.
fn count_perf_trace(lines: &[String]) -> Counts {
    let lost = lines.iter().filter_map(|line| number_after(line, "LOST"));
    let rows = lines.iter().filter(|line| line.contains("): "));
    Counts {
        calls: None,
        rows: Some(rows.count() as u64),
        lost: Some(lost.sum()),
        not_seen: None,
    }
}

fn bpftrace_program(pid: u32) -> String {
    format!(
        "tracepoint:raw_syscalls:sys_enter /pid == {pid}/ {{ @[probe] = count(); }} \
         tracepoint:raw_syscalls:sys_exit /pid == {pid}/ {{ @[probe] = count(); }}"
    )
}

fn count_bpftrace(lines: &[String]) -> Counts {
    Counts {
        calls: lines
            .iter()
            .find_map(|line| number_after(line, "@[tracepoint:raw_syscalls:sys_exit]:")),
        ..Counts::default()
    }
}

/// The number that follows the word and a blank.
fn number_after(text: &str, word: &str) -> Option<u64> {
    text.match_indices(word).find_map(|(at, _)| {
        let begins = !text[..at].ends_with(|c: char| c.is_alphanumeric());
        let rest = text[at + word.len()..]
            .strip_prefix(' ')
            .filter(|_| begins)?;
        let end = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        rest[..end].parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_statistics_of_ior_are_read() {
        let said = "ior: attached\nior: 2.003 s, calls 1000, rows 990, filtered 0, lost 10, not seen 3, unpaired 0";
        let expected = Counts {
            calls: Some(1000),
            rows: Some(990),
            lost: Some(10),
            not_seen: Some(3),
        };
        assert_eq!(count_ior(&lines(said)), expected);
        assert_eq!(count_ior(&lines("ior: attached")), Counts::default());
    }

    #[test]
    fn the_output_of_other_tools_is_read() {
        let perf =
            "     0.000 ( 0.001 ms): loop/1 read(fd: 3) = 1\nLOST 12 events!\nLOST 3 events!";
        let counts = count_perf_trace(&lines(perf));
        assert_eq!((counts.rows, counts.lost), (Some(1), Some(15)));
        let bpftrace =
            "@[tracepoint:raw_syscalls:sys_enter]: 7\n@[tracepoint:raw_syscalls:sys_exit]: 8";
        assert_eq!(count_bpftrace(&lines(bpftrace)).calls, Some(8));
    }

    #[test]
    fn an_unknown_count_makes_the_sum_unknown() {
        let known = Counts {
            calls: Some(1),
            ..Counts::default()
        };
        let sum = Counts::sum([known, known].into_iter());
        assert_eq!((sum.calls, sum.rows), (Some(2), None));
        let sum = Counts::sum([known, Counts::default()].into_iter());
        assert_eq!(sum.calls, None);
    }
}
