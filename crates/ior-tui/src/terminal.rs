//! The owner of the terminal: raw mode, the alternate screen, the mouse, pasting, the cursor. Whatever happens, the
//! terminal is given back as it was: when the owner is dropped, when a thread panics, while an editor runs.
//!
//! ratatui's own `Terminal` is not used: dropping it panics where the terminal is gone.

mod picture;

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Stdout};
use std::os::fd::AsFd;
use std::panic::{self, PanicHookInfo};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crossterm::event::{
    self, DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
    Event,
};
use crossterm::terminal::{
    EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode,
    enable_raw_mode,
};
use crossterm::{cursor, execute};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::run::Console;
use picture::Picture;

/// Whether the terminal is ours. A panic of any thread takes it away.
static OURS: AtomicBool = AtomicBool::new(false);

type Hook = dyn Fn(&PanicHookInfo<'_>) + Send + Sync;

/// The terminal, for as long as it lives.
pub struct Terminal {
    picture: Picture<BufWriter<Stdout>>,
    /// Where keys come from, if standard input is no terminal.
    keys: Option<File>,
    /// What panics were answered with before.
    hook: Arc<Hook>,
    began: Instant,
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terminal").finish_non_exhaustive()
    }
}

impl Terminal {
    /// Takes the terminal over. Standard output must be one.
    pub fn open() -> io::Result<Terminal> {
        let keys = match io::stdin().is_terminal() {
            true => None,
            false => Some(File::open("/dev/tty")?),
        };
        let hook: Arc<Hook> = Arc::from(panic::take_hook());
        let before = Arc::clone(&hook);
        panic::set_hook(Box::new(move |info| {
            give_back();
            before(info);
        }));
        let terminal = Terminal {
            picture: Picture::new(BufWriter::with_capacity(1 << 16, io::stdout())),
            keys,
            hook,
            began: Instant::now(),
        };
        // Dropped if this fails half-way.
        take()?;
        Ok(terminal)
    }

    /// Waits until there is something to read. Fails when the terminal is gone, which crossterm does not notice: it would
    /// read nothing again and again.
    fn wait(&self, longest: Duration) -> io::Result<Ready> {
        let stdin = io::stdin();
        let keys = match &self.keys {
            Some(file) => file.as_fd(),
            None => stdin.as_fd(),
        };
        let mut polled = [PollFd::from_borrowed_fd(keys, PollFlags::IN)];
        let longest = Timespec::try_from(longest).unwrap_or(Timespec {
            tv_sec: 1,
            tv_nsec: 0,
        });
        match poll(&mut polled, Some(&longest)) {
            Ok(0) => return Ok(Ready::No),
            Ok(_) => {}
            // A signal: perhaps the window's size has changed, or the end is asked for.
            Err(rustix::io::Errno::INTR) => return Ok(Ready::Perhaps),
            Err(error) => return Err(error.into()),
        }
        let gone = PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL;
        match polled[0].revents().intersects(gone) {
            true => Err(io::ErrorKind::UnexpectedEof.into()),
            false => Ok(Ready::Yes),
        }
    }
}

/// Whether there is something to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ready {
    Yes,
    Perhaps,
    No,
}

impl Console for Terminal {
    fn area(&mut self) -> io::Result<Rect> {
        let (width, height) = crossterm::terminal::size()?;
        Ok(Rect::new(0, 0, width, height))
    }

    fn draw(&mut self, area: Rect, draw: &mut dyn FnMut(&mut Buffer)) -> io::Result<()> {
        if !OURS.load(Ordering::Relaxed) {
            return Err(io::Error::other("a part of the program has panicked"));
        }
        self.picture.draw(area, draw)
    }

    fn event(&mut self, longest: Duration) -> io::Result<Option<Event>> {
        if !OURS.load(Ordering::Relaxed) {
            return Err(io::Error::other("a part of the program has panicked"));
        }
        let began = Instant::now();
        self.wait(Duration::ZERO)?;
        // Of what was read at once events may be left.
        if event::poll(Duration::ZERO)? {
            return event::read().map(Some);
        }
        let ready = self.wait(longest)?;
        let left = match ready {
            Ready::No => return Ok(None),
            Ready::Perhaps => Duration::ZERO,
            // What can be read need not be a whole event.
            Ready::Yes => longest.saturating_sub(began.elapsed()),
        };
        match event::poll(left)? {
            true => event::read().map(Some),
            false => Ok(None),
        }
    }

    fn edit(&mut self, program: &[String], path: &str) -> io::Result<()> {
        let Some((name, arguments)) = program.split_first() else {
            return Err(io::Error::other("no editor is set"));
        };
        give_back();
        // A name that begins with a dash is no option.
        let path = match path.starts_with('-') {
            true => format!("./{path}"),
            false => path.to_owned(),
        };
        let status = Command::new(name).args(arguments).arg(path).status();
        take()?;
        self.picture.forget();
        let status =
            status.map_err(|error| io::Error::new(error.kind(), format!("{name}: {error}")))?;
        match status.success() {
            true => Ok(()),
            false => Err(io::Error::other(format!("{name}: {status}"))),
        }
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        give_back();
        // While a panic goes on the hook cannot be changed, and need not be.
        if !std::thread::panicking() {
            let hook = Arc::clone(&self.hook);
            panic::set_hook(Box::new(move |info| hook(info)));
        }
    }
}

/// Makes the terminal ours.
fn take() -> io::Result<()> {
    OURS.store(true, Ordering::Relaxed);
    enable_raw_mode()?;
    execute!(
        io::stdout(),
        EnterAlternateScreen,
        EnableMouseCapture,
        EnableBracketedPaste,
        cursor::Hide
    )
}

/// Makes the terminal what it was, if it is ours: for an end of the program that drops nothing, too. Nothing is done about
/// failures: the terminal may be gone.
pub fn give_back() {
    if !OURS.swap(false, Ordering::Relaxed) {
        return;
    }
    // First, since writing may block.
    let _ = disable_raw_mode();
    let _ = execute!(
        io::stdout(),
        EndSynchronizedUpdate,
        DisableBracketedPaste,
        DisableMouseCapture,
        LeaveAlternateScreen,
        cursor::Show
    );
}
