//! SIGINT, SIGTERM and SIGHUP ask for an orderly stop; a second SIGINT ends `ior` at once, whatever it is doing.
//!
//! SIGPIPE needs nothing: the Rust runtime ignores it, and a closed pipe comes back as an error of the write.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use libc::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

/// What has been asked of us by signal.
#[derive(Debug, Clone, Default)]
pub struct Signals {
    /// The last stop signal; 0 none.
    last: Arc<AtomicUsize>,
    over: Arc<AtomicBool>,
    at_once: Arc<AtomicBool>,
}

/// How long COMMAND's end may take after the second SIGINT; the main thread looks about every 10 ms.
const LAST_CHANCE: Duration = Duration::from_millis(100);

impl Signals {
    /// Takes the signals over. `clean_up` runs before the exit that a second SIGINT brings.
    pub fn install(clean_up: impl FnOnce() + Send + 'static) -> io::Result<Signals> {
        let signals = Signals::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // Whoever runs us under nohup means it. (A shell's `&` ignores SIGINT without meaning anything.)
            if signal != SIGHUP || !is_ignored(signal) {
                flag::register_usize(signal, Arc::clone(&signals.last), signal as usize)?;
                flag::register(signal, Arc::clone(&signals.over))?;
            }
        }
        let at_once = Arc::clone(&signals.at_once);
        let (interrupts, handler_end) = UnixStream::pair()?;
        low_level::pipe::register(SIGINT, handler_end)?;
        thread::Builder::new()
            .name("ior-interrupt".into())
            .spawn(move || exit_at_second(interrupts, &at_once, clean_up))?;
        Ok(signals)
    }

    /// Becomes true when the run is to end: what waits for somebody else should wait no longer.
    pub fn over(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.over)
    }

    /// Whether a second SIGINT wants everything to end now.
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

fn exit_at_second(mut interrupts: UnixStream, at_once: &AtomicBool, clean_up: impl FnOnce()) {
    // The handler writes one byte a signal.
    if interrupts.read_exact(&mut [0; 2]).is_ok() {
        at_once.store(true, Ordering::Relaxed);
        thread::sleep(LAST_CHANCE);
        clean_up();
        std::process::exit(128 + SIGINT);
    }
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
