//! SIGINT, SIGTERM and SIGHUP ask for an orderly stop; a second one ends `ior` at once, whatever it is doing, and so does
//! the first when the stop takes too long, as when `ior` is blocked by an output.
//!
//! SIGPIPE needs nothing: the Rust runtime ignores it, and a closed pipe comes back as an error of the write. SIGXFSZ
//! gets a handler, so that a file that may not grow further is an error of the write too.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use libc::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::{flag, low_level};

/// What has been asked of us by signal.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    /// The last stop signal; 0 none.
    last: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
    at_once: Arc<AtomicBool>,
}

/// How long an orderly stop may take. COMMAND has four seconds of it before it gets SIGKILL.
const ORDERLY_STOP: Duration = Duration::from_secs(10);

/// A second SIGTERM or SIGHUP so soon after the first signal is the same request: timeout(1) signals its child and then the
/// group, and a closed terminal both the session and the foreground group.
const SAME_REQUEST: Duration = Duration::from_millis(500);

/// How long COMMAND's end may take after the second signal; the main thread looks about every 10 ms.
const LAST_CHANCE: Duration = Duration::from_millis(100);

/// How long cleaning up may take: a terminal that takes nothing more would hold it up for ever.
const CLEAN_UP: Duration = Duration::from_secs(1);

impl Signals {
    /// Takes the signals over. `clean_up` runs before the exit that a second one, or a stop that takes too long, brings.
    pub fn install(clean_up: impl FnOnce() + Send + 'static) -> io::Result<Signals> {
        let signals = Signals::default();
        survive_size_limit()?;
        let (sent, handler_end) = UnixStream::pair()?;
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // Whoever runs us under nohup means it. (A shell's `&` ignores SIGINT without meaning anything.)
            if signal != SIGHUP || !is_ignored(signal) {
                flag::register_usize(signal, Arc::clone(&signals.last), signal as usize)?;
                flag::register(signal, Arc::clone(&signals.over))?;
                low_level::pipe::register(signal, handler_end.try_clone()?)?;
            }
        }
        let watching = signals.clone();
        thread::Builder::new()
            .name("ior-signals".into())
            .spawn(move || {
                if wait_for_the_last(sent, || watching.received()).is_ok() {
                    watching.at_once.store(true, Ordering::Relaxed);
                    thread::sleep(LAST_CHANCE);
                    within(CLEAN_UP, clean_up);
                    std::process::exit(128 + watching.received().unwrap_or(SIGINT));
                }
            })?;
        Ok(signals)
    }

    /// Becomes true when the run is to end: what waits for somebody else should wait no longer.
    pub fn over(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.over)
    }

    /// Whether everything is to end now.
    pub fn at_once(&self) -> bool {
        self.at_once.load(Ordering::Relaxed)
    }

    /// The signal that asked for a stop, if one did.
    pub fn received(&self) -> Option<i32> {
        match self.last.load(Ordering::Relaxed) {
            0 => None,
            signal => i32::try_from(signal).ok(),
        }
    }
}

/// Does something, but waits for it no longer than that.
fn within(longest: Duration, act: impl FnOnce() + Send + 'static) {
    let (done, ended) = mpsc::channel();
    let started = thread::Builder::new().spawn(move || {
        act();
        // Nobody may be waiting any more.
        let _ = done.send(());
    });
    if started.is_ok() {
        let _ = ended.recv_timeout(longest);
    }
}

/// Waits for a first signal, and then until a second one comes or [`ORDERLY_STOP`] has passed. The handler writes one byte
/// a signal to `sent`, after `last` tells which.
fn wait_for_the_last(mut sent: UnixStream, last: impl Fn() -> Option<i32>) -> io::Result<()> {
    sent.read_exact(&mut [0])?;
    let first = Instant::now();
    loop {
        let left = ORDERLY_STOP.saturating_sub(first.elapsed());
        if left.is_zero() {
            return Ok(());
        }
        sent.set_read_timeout(Some(left))?;
        match sent.read_exact(&mut [0]) {
            Ok(()) if last() == Some(SIGINT) || first.elapsed() >= SAME_REQUEST => return Ok(()),
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => return Err(error),
        }
    }
}

/// Without a handler SIGXFSZ kills; with one the write fails with EFBIG.
fn survive_size_limit() -> io::Result<()> {
    flag::register(SIGXFSZ, Arc::default()).map(|_| ())
}

/// Whether we were started with this signal ignored (the mask in `/proc/self/status`, proc(5)).
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .unwrap_or(0);
    mask & (1 << (signal - 1)) != 0
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_size_limit_does_not_kill() {
        survive_size_limit().unwrap();
        low_level::raise(SIGXFSZ).unwrap();
    }

    #[test]
    fn a_second_interrupt_ends_the_wait_at_once_and_an_echo_of_the_first_signal_does_not() {
        let (sent, mut handler_end) = UnixStream::pair().unwrap();
        let began = Instant::now();
        handler_end.write_all(&[0; 2]).unwrap();
        wait_for_the_last(sent, || Some(SIGINT)).unwrap();
        assert!(began.elapsed() < SAME_REQUEST);

        let (sent, mut handler_end) = UnixStream::pair().unwrap();
        handler_end.write_all(&[0; 2]).unwrap();
        drop(handler_end);
        // Both were read: the end of the stream is reached.
        let error = wait_for_the_last(sent, || Some(SIGTERM)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
