//! A program on a pseudo-terminal: what its screen shows, keys for it, and whether it leaves the terminal as it was.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::num::NonZeroU16;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use vt100::{MouseProtocolMode, Parser, Screen};

use super::Result;
use super::process::send_signal;

/// Far more than any screen takes, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program on a terminal of its own.
pub struct Terminal {
    child: Child,
    /// Our side of the terminal.
    keys: File,
    /// The program's side, open so that its settings can still be read when the program is gone.
    line: OwnedFd,
    shown: Arc<Shown>,
    reaped: bool,
}

/// What the terminal shows, and whether anything more can come.
struct Shown {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    parser: Parser,
    /// How many bytes the program has written.
    bytes: u64,
    /// How many frames it has begun, each with [`FRAME`], and the last bytes it has written, in which half a mark may be.
    frames: u64,
    last: Vec<u8>,
}

/// What begins a frame: the start of a synchronized update.
const FRAME: &[u8] = b"\x1b[?2026h";

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Terminal {
    /// Starts a command on a terminal of that size.
    ///
    /// # Errors
    /// There is no terminal, or the command could not be started.
    pub fn start(command: &Command, rows: u16, columns: u16) -> Result<Terminal> {
        let ours =
            openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).map_err(text)?;
        grantpt(&ours).map_err(text)?;
        unlockpt(&ours).map_err(text)?;
        let name = ptsname(&ours, Vec::new()).map_err(text)?;
        let name = name.to_str().map_err(text)?;
        let line = OpenOptions::new().read(true).write(true).open(name);
        let line = line.map_err(text)?;
        tcsetwinsize(&line, size(rows, columns)).map_err(text)?;
        let side = || line.try_clone().map(Stdio::from).map_err(text);
        // The terminal is to be the one its signals come from; nothing but a program of a new session can make it that.
        let mut leader = Command::new("setsid");
        leader.arg("--ctty").arg(command.get_program());
        leader.args(command.get_args());
        if let Some(dir) = command.get_current_dir() {
            leader.current_dir(dir);
        }
        leader.env("TERM", "xterm-256color").env_remove("NO_COLOR");
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => leader.env(name, value),
                None => leader.env_remove(name),
            };
        }
        leader.stdin(side()?).stdout(side()?).stderr(side()?);
        let child = leader.spawn().map_err(text)?;
        let shown = Arc::new(Shown {
            state: Mutex::new(State {
                parser: Parser::new(cells(rows)?, cells(columns)?, 0),
                bytes: 0,
                frames: 0,
                last: Vec::new(),
            }),
            changed: Condvar::new(),
        });
        let ours = File::from(ours);
        let (screen, from) = (Arc::clone(&shown), ours.try_clone().map_err(text)?);
        std::thread::spawn(move || screen.follow(from));
        Ok(Terminal {
            child,
            keys: ours,
            line: line.into(),
            shown,
            reaped: false,
        })
    }

    /// Process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Types.
    ///
    /// # Errors
    /// The terminal takes nothing.
    pub fn press(&mut self, keys: &str) -> Result<()> {
        self.keys.write_all(keys.as_bytes()).map_err(text)
    }

    /// What the screen shows now.
    pub fn contents(&self) -> String {
        self.shown.lock().parser.screen().contents()
    }

    /// How many bytes the program has written so far.
    pub fn bytes(&self) -> u64 {
        self.shown.lock().bytes
    }

    /// How many frames the program has drawn so far.
    pub fn frames(&self) -> u64 {
        self.shown.lock().frames
    }

    /// Presses and lets go the left button on the first place where `text` stands on the screen.
    ///
    /// # Errors
    /// The screen does not show it, or the terminal takes nothing.
    pub fn click(&mut self, text: &str) -> Result<()> {
        let screen = self.contents();
        let mut lines = screen.lines().zip(1..);
        let place =
            lines.find_map(|(line, row)| Some((line.split_once(text)?.0.chars().count() + 1, row)));
        let (column, row): (usize, u16) =
            place.ok_or_else(|| format!("no {text:?} to click:\n{screen}"))?;
        self.press(&format!("\x1b[<0;{column};{row}M\x1b[<0;{column};{row}m"))
    }

    /// Turns the wheel by one notch, down.
    ///
    /// # Errors
    /// The terminal takes nothing.
    pub fn wheel_down(&mut self) -> Result<()> {
        self.press("\x1b[<65;10;10M")
    }

    /// Waits until the screen is as it should be, and returns it.
    ///
    /// # Errors
    /// It is not in time.
    pub fn wait(&self, what: &str, is_so: impl Fn(&str) -> bool) -> Result<String> {
        let deadline = Instant::now() + PATIENCE;
        let mut state = self.shown.lock();
        loop {
            let contents = state.parser.screen().contents();
            if is_so(&contents) {
                return Ok(contents);
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(format!("waited for {what}; the screen:\n{contents}"));
            }
            let waited = self.shown.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits until the screen shows `text`, and returns it.
    ///
    /// # Errors
    /// It does not in time.
    pub fn wait_for(&self, text: &str) -> Result<String> {
        self.wait(&format!("{text:?}"), |screen| screen.contains(text))
    }

    /// Types, and waits until the screen shows `text`.
    ///
    /// # Errors
    /// It does not in time.
    pub fn press_for(&mut self, keys: &str, text: &str) -> Result<String> {
        self.press(keys)?;
        self.wait_for(text)
            .map_err(|error| format!("after {keys:?}: {error}"))
    }

    /// Changes the terminal's size.
    ///
    /// # Errors
    /// The terminal refuses.
    pub fn resize(&mut self, rows: u16, columns: u16) -> Result<()> {
        let mut state = self.shown.lock();
        state
            .parser
            .screen_mut()
            .set_size(cells(rows)?, cells(columns)?);
        tcsetwinsize(&self.line, size(rows, columns)).map_err(text)
    }

    /// Sends the program a signal by name.
    ///
    /// # Errors
    /// It could not be sent.
    pub fn signal(&self, name: &str) -> Result<()> {
        send_signal(name, &self.id().to_string())
    }

    /// Does something while nobody reads what the program writes, and says if the program has ended by then.
    ///
    /// # Errors
    /// It cannot be told, or `act` fails.
    pub fn while_unread(&mut self, act: impl FnOnce(u32) -> Result<()>) -> Result<bool> {
        let shown = Arc::clone(&self.shown);
        let _unread = shown.lock();
        act(self.id())?;
        self.child
            .try_wait()
            .map(|ended| ended.is_some())
            .map_err(text)
    }

    /// Waits for the program's end and returns its status and what is on the screen then.
    ///
    /// # Errors
    /// It does not end in time, or leaves the terminal otherwise than it was.
    pub fn end(mut self) -> Result<(ExitStatus, String)> {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().map_err(text)? {
                break status;
            }
            if Instant::now() > deadline {
                return Err(format!("it does not end; the screen:\n{}", self.contents()));
            }
            // There is no waiting for a child with a deadline.
            std::thread::sleep(Duration::from_millis(5));
        };
        self.reaped = true;
        let modes = tcgetattr(&self.line).map_err(text)?.local_modes;
        for (mode, what) in [
            (LocalModes::ICANON, "lines"),
            (LocalModes::ECHO, "echo"),
            (LocalModes::ISIG, "signals"),
        ] {
            if !modes.contains(mode) {
                return Err(format!("the terminal is left without {what}"));
            }
        }
        // What the program wrote last may still be on its way: nobody but us can write behind it.
        let mark = "(the end)";
        rustix::io::write(&self.line, mark.as_bytes()).map_err(text)?;
        self.wait_for(mark)?;
        let state = self.shown.lock();
        left_as_it_was(state.parser.screen())?;
        let contents = state.parser.screen().contents();
        Ok((status, contents.replace(mark, "")))
    }
}

fn cells(count: u16) -> Result<NonZeroU16> {
    NonZeroU16::new(count).ok_or_else(|| "a terminal without cells".into())
}

fn size(rows: u16, columns: u16) -> Winsize {
    Winsize {
        ws_row: rows,
        ws_col: columns,
        ws_xpixel: 0,
        ws_ypixel: 0,
    }
}

/// The screen that was there before, a cursor, and no reports of what the mouse does.
fn left_as_it_was(screen: &Screen) -> Result<()> {
    let left = [
        (screen.alternate_screen(), "on its own screen"),
        (screen.hide_cursor(), "without a cursor"),
        (
            screen.mouse_protocol_mode() != MouseProtocolMode::None,
            "with the mouse captured",
        ),
        (screen.bracketed_paste(), "with bracketed paste"),
    ];
    match left.iter().find(|(is_left, _)| *is_left) {
        Some((_, how)) => Err(format!("the terminal is left {how}")),
        None => Ok(()),
    }
}

impl State {
    fn count_frames(&mut self, bytes: &[u8]) {
        self.last.extend_from_slice(bytes);
        let begun = self.last.windows(FRAME.len()).filter(|it| *it == FRAME);
        self.frames += begun.count() as u64;
        // Less than a whole mark is kept: none is counted twice.
        let kept = self.last.len().min(FRAME.len() - 1);
        self.last.drain(..self.last.len() - kept);
    }
}

impl Shown {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads until both sides are closed.
    fn follow(&self, mut from: File) {
        let mut buffer = [0; 65536];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            let mut state = self.lock();
            state.parser.process(&buffer[..length]);
            state.bytes += length as u64;
            state.count_frames(&buffer[..length]);
            drop(state);
            self.changed.notify_all();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if !self.reaped {
            // Not yet waited for, so the id is still ours.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
