//! A child process whose output is read while it runs, with a deadline; it is killed with its own process group only.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use super::Result;

/// Far more than any test needs, also on a slow machine.
pub const TIMEOUT: Duration = Duration::from_secs(300);

/// Standard output or standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

enum Event {
    Line(Stream, Vec<u8>),
    End,
}

/// A process that was started and not yet waited for.
pub struct Running {
    child: Child,
    what: String,
    events: Receiver<Event>,
    open_streams: u32,
    out: Vec<u8>,
    err: Vec<u8>,
    deadline: Instant,
    reaped: bool,
}

/// A process that ended.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// All of its standard output.
    pub out: Vec<u8>,
    /// All of its standard error.
    pub err: String,
}

fn forward(stream: Stream, input: impl Read, events: &Sender<Event>) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        match input.read_until(b'\n', &mut line) {
            Ok(length) if length > 0 => {
                if events.send(Event::Line(stream, line)).is_err() {
                    return;
                }
            }
            _ => break,
        }
    }
    let _ = events.send(Event::End);
}

impl Running {
    /// Starts the command in a process group of its own. Standard input is a pipe, open until [`Running::let_go`] or
    /// the end.
    ///
    /// # Errors
    /// It could not be started.
    pub fn start(command: &mut Command) -> Result<Running> {
        let what = format!("{command:?}");
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command.process_group(0);
        let mut child = command
            .spawn()
            .map_err(|error| format!("{what}: {error}"))?;
        let (sender, events) = channel();
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let other = sender.clone();
        std::thread::spawn(move || out.map(|out| forward(Stream::Out, out, &sender)));
        std::thread::spawn(move || err.map(|err| forward(Stream::Err, err, &other)));
        Ok(Running {
            child,
            what,
            events,
            open_streams: 2,
            out: Vec::new(),
            err: Vec::new(),
            deadline: Instant::now() + TIMEOUT,
            reaped: false,
        })
    }

    /// Process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Gives one byte on standard input and keeps it open.
    ///
    /// # Errors
    /// The process no longer reads.
    pub fn let_go(&mut self) -> Result<()> {
        let input = self
            .child
            .stdin
            .as_mut()
            .ok_or("standard input is closed")?;
        input
            .write_all(b"g")
            .map_err(|error| format!("{}: {error}", self.what))
    }

    /// Ends standard input.
    pub fn end_input(&mut self) {
        self.child.stdin = None;
    }

    /// Takes one event; the line, if it was one.
    fn next(&mut self) -> Result<Option<(Stream, Vec<u8>)>> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        match self.events.recv_timeout(left) {
            Ok(Event::Line(stream, line)) => {
                match stream {
                    Stream::Out => self.out.extend_from_slice(&line),
                    Stream::Err => self.err.extend_from_slice(&line),
                }
                Ok(Some((stream, line)))
            }
            Ok(Event::End) => {
                self.open_streams -= 1;
                Ok(None)
            }
            Err(error) => Err(self.report(&format!("gave up: {error}"))),
        }
    }

    fn report(&self, problem: &str) -> String {
        let out = String::from_utf8_lossy(&self.out[..self.out.len().min(2000)]);
        let err = String::from_utf8_lossy(&self.err);
        format!(
            "{}: {problem}\n-- stdout (start):\n{out}\n-- stderr:\n{err}",
            self.what
        )
    }

    /// Waits for a line that contains `text`; the line.
    ///
    /// # Errors
    /// The output ended, or the deadline passed, without it.
    pub fn wait_for(&mut self, stream: Stream, text: &str) -> Result<String> {
        while self.open_streams > 0 {
            if let Some((from, line)) = self.next()?
                && from == stream
                && let line = String::from_utf8_lossy(&line)
                && line.contains(text)
            {
                return Ok(line.trim_end().to_owned());
            }
        }
        Err(self.report(&format!("ended without saying {text:?}")))
    }

    /// Sends a signal by name to the process alone.
    ///
    /// # Errors
    /// The signal could not be sent.
    pub fn signal(&self, name: &str) -> Result<()> {
        send_signal(name, &self.id().to_string())
    }

    /// Waits for both streams and the process to end.
    ///
    /// # Errors
    /// The deadline passed; the process group is killed then.
    pub fn finish(mut self) -> Result<Finished> {
        while self.open_streams > 0 {
            self.next()?;
        }
        let status = self
            .child
            .wait()
            .map_err(|error| format!("{}: {error}", self.what))?;
        self.reaped = true;
        let err = String::from_utf8_lossy(&self.err).into_owned();
        Ok(Finished {
            status,
            out: std::mem::take(&mut self.out),
            err,
        })
    }
}

impl Running {
    /// Waits for its end, which must be a success.
    ///
    /// # Errors
    /// It failed, or the deadline passed.
    pub fn succeed(self) -> Result<Finished> {
        let what = self.what.clone();
        let finished = self.finish()?;
        super::check(finished.status.success(), || {
            format!("{what} failed: {finished:?}")
        })?;
        Ok(finished)
    }
}

/// Sends a signal by name to a process, or to a process group (`-ID`).
///
/// # Errors
/// The signal could not be sent.
pub fn send_signal(name: &str, target: &str) -> Result<()> {
    let mut kill = Command::new("sh");
    kill.args(["-c", r#"kill -s "$1" -- "$2""#, "sh", name, target])
        .stderr(Stdio::null());
    let status = kill.status().map_err(|error| format!("kill: {error}"))?;
    super::check(status.success(), || {
        format!("kill -{name} {target}: {status}")
    })
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.reaped {
            // Not yet waited for, so the id is still ours.
            let _ = send_signal("KILL", &format!("-{}", self.id()));
            let _ = self.child.wait();
        }
    }
}

/// Runs a command to its end, its standard input empty.
///
/// # Errors
/// It could not be started or did not end in time.
pub fn run(command: &mut Command) -> Result<Finished> {
    let mut running = Running::start(command)?;
    running.end_input();
    running.finish()
}
