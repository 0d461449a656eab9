//! Bytes on their way to a file or pipe, written by a thread of its own.
//!
//! A fixed number of buffers goes round: one being filled, some waiting to be written, the rest empty. Only when all of
//! them wait does the caller block, and then it still notices the end of the run.

use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TryRecvError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A buffer is handed over at the end of the row that fills it this far, in bytes.
const FULL: usize = 256 * 1024;

/// Room for the row that overfills a buffer: two names of 4096 bytes, escaped.
const SLACK: usize = 32 * 1024;

/// Buffers that go round.
const BUFFERS: usize = 16;

/// Bytes of one write: what a pipe takes, so that the progress of a slow reader is seen.
const CHUNK: usize = 64 * 1024;

/// How often a blocked caller looks whether the run has ended.
const LOOK: Duration = Duration::from_millis(20);

/// How long, after the end of the run, an output may take nothing before it is given up.
const PATIENCE: Duration = Duration::from_secs(1);

/// A buffer in front of an output, and the thread behind it.
#[derive(Debug)]
pub struct BufferedOut {
    buffer: Vec<u8>,
    /// To the thread; `None` once finished. Has room for every buffer there is, so sending never blocks.
    full: Option<SyncSender<Vec<u8>>>,
    /// Back from the thread; closed when it has ended.
    empty: Receiver<Vec<u8>>,
    /// Buffers not made yet.
    unmade: usize,
    shared: Arc<Shared>,
    stop: Arc<AtomicBool>,
    failed: Option<Failure>,
}

/// What the thread tells beside the buffers it returns.
#[derive(Debug, Default)]
struct Shared {
    /// Bytes written so far.
    written: AtomicU64,
    /// Whether `error` was set.
    has_failed: AtomicBool,
    /// Why the thread has ended, if not because it was done.
    error: Mutex<Option<io::Error>>,
}

/// An error to be given again.
#[derive(Debug, Clone, Copy)]
enum Failure {
    Os(i32),
    Kind(ErrorKind),
    /// The run has ended and the output takes nothing.
    Stalled,
}

impl From<Failure> for io::Error {
    fn from(failure: Failure) -> io::Error {
        match failure {
            Failure::Os(errno) => io::Error::from_raw_os_error(errno),
            Failure::Kind(kind) => kind.into(),
            Failure::Stalled => io::Error::new(ErrorKind::TimedOut, "its reader takes nothing"),
        }
    }
}

impl BufferedOut {
    /// Starts the thread that writes to `output`. `stop` says that the run is over: from then on an output that takes
    /// nothing for a second fails with [`ErrorKind::TimedOut`]; before, the caller waits for it.
    pub fn new(
        output: impl Write + Send + 'static,
        stop: Arc<AtomicBool>,
    ) -> io::Result<BufferedOut> {
        let (full, to_write) = mpsc::sync_channel(BUFFERS);
        let (written, empty) = mpsc::sync_channel(BUFFERS);
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::clone(&shared);
        thread::Builder::new()
            .name("ior-writer".into())
            .spawn(move || write_buffers(output, &to_write, &written, &of_thread))?;
        let buffer = Vec::with_capacity(FULL + SLACK);
        Ok(BufferedOut {
            buffer,
            full: Some(full),
            empty,
            unmade: BUFFERS - 1,
            shared,
            stop,
            failed: None,
        })
    }

    /// Where the next row's bytes are appended.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.buffer
    }

    /// Says that a row is complete. Hands the buffer over if it is full, which blocks while all others are; fails with
    /// what writing failed with, however long ago.
    pub fn row_done(&mut self) -> io::Result<()> {
        if self.buffer.len() < FULL {
            return self.failed.map_or(Ok(()), |failure| Err(failure.into()));
        }
        let empty = match self.try_empty()? {
            Some(empty) => empty,
            None => self.wait()?.ok_or_else(|| self.thread_error())?,
        };
        self.hand_over(empty)
    }

    /// Hands over what has been collected, unless all other buffers still wait; never blocks.
    pub fn flush(&mut self) -> io::Result<()> {
        self.check()?;
        if self.buffer.is_empty() {
            return Ok(());
        }
        match self.try_empty()? {
            Some(empty) => self.hand_over(empty),
            None => Ok(()),
        }
    }

    /// Writes everything and waits until that is done. Nothing is written after it.
    pub fn finish(&mut self) -> io::Result<()> {
        self.check()?;
        if self.full.is_some() {
            self.hand_over(Vec::new())?;
            self.full = None;
            while self.wait()?.is_some() {}
        }
        self.check()
    }

    /// An empty buffer, if there is one.
    fn try_empty(&mut self) -> io::Result<Option<Vec<u8>>> {
        self.check()?;
        match self.empty.try_recv() {
            Ok(empty) => Ok(Some(empty)),
            Err(TryRecvError::Disconnected) => Err(self.thread_error()),
            Err(TryRecvError::Empty) if self.unmade == 0 => Ok(None),
            Err(TryRecvError::Empty) => {
                self.unmade -= 1;
                Ok(Some(Vec::with_capacity(FULL + SLACK)))
            }
        }
    }

    /// Waits for a buffer to come back; `None` if the thread has ended.
    fn wait(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut written = None;
        let mut since = Instant::now();
        loop {
            match self.empty.recv_timeout(LOOK) {
                Ok(empty) => return Ok(Some(empty)),
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
                Err(RecvTimeoutError::Timeout) if !self.stop.load(Ordering::Relaxed) => {}
                Err(RecvTimeoutError::Timeout) => {
                    let now = Some(self.shared.written.load(Ordering::Relaxed));
                    if now != written {
                        written = now;
                        since = Instant::now();
                    } else if since.elapsed() >= PATIENCE {
                        return Err(self.fail(Failure::Stalled));
                    }
                }
            }
        }
    }

    /// Sends the buffer to the thread and goes on with `empty`.
    fn hand_over(&mut self, empty: Vec<u8>) -> io::Result<()> {
        let buffer = std::mem::replace(&mut self.buffer, empty);
        match &self.full {
            Some(full) if full.send(buffer).is_ok() => Ok(()),
            _ => Err(self.thread_error()),
        }
    }

    /// Fails if writing has failed.
    fn check(&mut self) -> io::Result<()> {
        match self.failed {
            Some(failure) => Err(failure.into()),
            None if self.shared.has_failed.load(Ordering::Acquire) => Err(self.thread_error()),
            None => Ok(()),
        }
    }

    /// Why the thread has ended.
    fn thread_error(&mut self) -> io::Error {
        let error = self
            .shared
            .error
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let failure = match (&error, self.failed) {
            (_, Some(failure)) => failure,
            (Some(error), _) => error
                .raw_os_error()
                .map_or(Failure::Kind(error.kind()), Failure::Os),
            // It was told to end, by `finish`, or it panicked.
            (None, _) => Failure::Kind(ErrorKind::BrokenPipe),
        };
        let again = self.fail(failure);
        error.unwrap_or(again)
    }

    /// Remembers the failure for every later call.
    fn fail(&mut self, failure: Failure) -> io::Error {
        self.failed = Some(failure);
        failure.into()
    }
}

/// The thread: writes buffers and returns them empty, until there will be no more or writing fails.
fn write_buffers(
    mut output: impl Write,
    full: &Receiver<Vec<u8>>,
    empty: &SyncSender<Vec<u8>>,
    shared: &Shared,
) {
    for mut buffer in full {
        if let Err(error) = write_all(&mut output, &buffer, &shared.written) {
            *shared.error.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            shared.has_failed.store(true, Ordering::Release);
            return;
        }
        buffer.clear();
        // Nobody wants it back after the last one.
        let _ = empty.send(buffer);
    }
}

fn write_all(output: &mut impl Write, mut bytes: &[u8], written: &AtomicU64) -> io::Result<()> {
    while !bytes.is_empty() {
        match output.write(&bytes[..bytes.len().min(CHUNK)]) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => {
                bytes = &bytes[count..];
                written.fetch_add(count as u64, Ordering::Relaxed);
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // Whoever gave us this descriptor made it non-blocking; its reader is slow.
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                thread::sleep(Duration::from_millis(1))
            }
            Err(error) => return Err(error),
        }
    }
    output.flush()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn stop() -> Arc<AtomicBool> {
        Arc::default()
    }

    fn row(out: &mut BufferedOut, byte: u8) -> io::Result<()> {
        out.buffer().extend_from_slice(&[byte; 1000]);
        out.row_done()
    }

    /// Takes nothing until told, and counts what it is given.
    struct Gate(Receiver<()>, Arc<AtomicU64>);

    impl Write for Gate {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.recv().map_err(|_| ErrorKind::BrokenPipe)?;
            self.1.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn everything_arrives_in_order_and_buffers_go_round() {
        let (mut reader, writer) = io::pipe().unwrap();
        let reader = thread::spawn(move || {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).unwrap();
            all
        });
        let mut out = BufferedOut::new(writer, stop()).unwrap();
        for i in 0..20_000u32 {
            row(&mut out, (i % 251) as u8).unwrap();
        }
        out.flush().unwrap();
        out.finish().unwrap();
        out.finish().unwrap();
        let all = reader.join().unwrap();
        assert_eq!(all.len(), 20_000_000);
        assert!(
            all.chunks(1000)
                .enumerate()
                .all(|(i, row)| row.iter().all(|&byte| usize::from(byte) == i % 251))
        );
    }

    #[test]
    fn a_flush_hands_over_what_there_is() {
        let (mut reader, writer) = io::pipe().unwrap();
        let mut out = BufferedOut::new(writer, stop()).unwrap();
        out.buffer().extend_from_slice(b"one row");
        out.row_done().unwrap();
        out.flush().unwrap();
        let mut bytes = [0; 7];
        reader.read_exact(&mut bytes).unwrap();
        assert_eq!(&bytes, b"one row");
    }

    #[test]
    fn a_closed_pipe_is_an_error_of_its_kind_again_and_again() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut out = BufferedOut::new(writer, stop()).unwrap();
        let error = (0..1_000_000).find_map(|_| row(&mut out, 0).err()).unwrap();
        assert_eq!(error.raw_os_error(), Some(libc::EPIPE));
        for again in [row(&mut out, 0), out.flush(), out.finish()] {
            assert_eq!(again.unwrap_err().kind(), ErrorKind::BrokenPipe);
        }
    }

    #[test]
    fn a_full_device_is_noticed_at_the_end_at_the_latest() {
        let full = std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap();
        let mut out = BufferedOut::new(full, stop()).unwrap();
        row(&mut out, 0).unwrap();
        assert_eq!(out.finish().unwrap_err().kind(), ErrorKind::StorageFull);
    }

    #[test]
    fn a_stalled_reader_is_given_up_only_after_the_end_of_the_run() {
        let (open, gate) = mpsc::channel();
        let taken = Arc::new(AtomicU64::new(0));
        let stop = stop();
        let mut out = BufferedOut::new(Gate(gate, Arc::clone(&taken)), Arc::clone(&stop)).unwrap();
        let rows = FULL.div_ceil(1000) * (BUFFERS - 1);
        for _ in 0..rows {
            row(&mut out, 0).unwrap();
        }
        out.flush().unwrap();
        stop.store(true, Ordering::Relaxed);
        let began = Instant::now();
        let error = (0..rows).find_map(|_| row(&mut out, 0).err()).unwrap();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(began.elapsed() >= PATIENCE);
        assert_eq!(out.finish().unwrap_err().kind(), ErrorKind::TimedOut);
        drop(open);
        assert_eq!(taken.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_slow_reader_gets_everything_after_the_end_of_the_run() {
        let (open, gate) = mpsc::channel();
        let taken = Arc::new(AtomicU64::new(0));
        let stop = stop();
        stop.store(true, Ordering::Relaxed);
        let mut out = BufferedOut::new(Gate(gate, Arc::clone(&taken)), stop).unwrap();
        let reader = thread::spawn(move || {
            while open.send(()).is_ok() {
                thread::sleep(Duration::from_micros(300));
            }
        });
        for _ in 0..6_000 {
            row(&mut out, 0).unwrap();
        }
        out.finish().unwrap();
        drop(out);
        assert_eq!(taken.load(Ordering::Relaxed), 6_000_000);
        reader.join().unwrap();
    }
}
