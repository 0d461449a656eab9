//! `--parquet`: rows as Parquet, in one file or in parts that are complete each.
//!
//! The collector puts rows into column batches ([`batch`]); a thread of its own makes pages of them ([`chunk`]), row
//! groups and files ([`file`]). A fixed number of batches goes round, so that memory is bounded: when the thread cannot
//! keep up, the collector waits, the rings fill up, and what is lost there is counted.

mod batch;
mod chunk;
mod dictionary;
mod encode;
mod file;
mod schema;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender, TryRecvError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use ior_core::Row;
use parquet::schema::types::SchemaDescPtr;

use super::{About, Account, Sink};
use batch::{Batch, Known, Numbers};
use file::{Group, Recording};
pub use schema::{SCHEMA_KEY, VERSION as SCHEMA_VERSION};

/// Batches that go round.
const BATCHES: usize = 4;

/// Where files come from, one after the other.
pub trait Files: Send {
    /// Makes the next file, under a name of its own until it is complete.
    fn open(&mut self) -> io::Result<File>;

    /// Gives the file made last its name: it is complete.
    fn complete(&mut self) -> io::Result<()>;
}

/// When a file ends and the next one begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rotate {
    /// Never: there is one file.
    Never,
    /// When it has about this many bytes.
    Size(u64),
    /// After this time, if there are rows.
    Time(Duration),
}

/// Writes rows as Parquet.
pub struct Parquet {
    batch: Box<Batch>,
    numbers: Numbers,
    /// `None` once dropped.
    to_thread: Option<SyncSender<Message>>,
    /// Batches that were written, to be filled again.
    written: Receiver<Box<Batch>>,
    /// Batches not made yet.
    unmade: usize,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<io::Result<()>>>,
    failure: Option<Failure>,
    rotate: Rotate,
    /// Files that have ended.
    ended: u64,
    /// When the file began, and whether it has rows.
    began: Instant,
    has_rows: bool,
}

/// What the thread tells beside the batches it returns.
#[derive(Debug, Default)]
struct Shared {
    /// Writing has failed.
    has_failed: AtomicBool,
    /// How many files have become as long as they may.
    long: AtomicU64,
}

enum Message {
    Rows(Box<Batch>),
    /// The file ends here; so does everything if there is no next one.
    End(Box<Account>, Next),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    File,
    Nothing,
}

/// An error to be given again.
#[derive(Debug, Clone)]
struct Failure(ErrorKind, String);

impl From<Failure> for io::Error {
    fn from(Failure(kind, text): Failure) -> io::Error {
        io::Error::new(kind, text)
    }
}

impl Parquet {
    /// Makes the first of `files` and starts the thread.
    pub fn new(files: Box<dyn Files>, rotate: Rotate, about: About) -> io::Result<Parquet> {
        let (to_thread, messages) = mpsc::sync_channel(BATCHES + 1);
        let (returned, written) = mpsc::sync_channel(BATCHES);
        let shared = Arc::new(Shared::default());
        let schema = schema::columns().map_err(io::Error::other)?;
        let limit = match rotate {
            Rotate::Size(bytes) => bytes,
            Rotate::Never | Rotate::Time(_) => u64::MAX,
        };
        let mut writer = Writer {
            files,
            recording: None,
            number: 0,
            group: Group::new(schema.clone())?,
            schema,
            known: Known::default(),
            before: None,
            about,
            limit,
            shared: Arc::clone(&shared),
        };
        writer.begin()?;
        let thread = thread::Builder::new()
            .name("ior-parquet".into())
            .spawn(move || writer.run(&messages, &returned))?;
        Ok(Parquet {
            batch: Box::default(),
            numbers: Numbers::default(),
            to_thread: Some(to_thread),
            written,
            unmade: BATCHES - 1,
            shared,
            thread: Some(thread),
            failure: None,
            rotate,
            ended: 0,
            began: Instant::now(),
            has_rows: false,
        })
    }

    /// Hands the batch over and goes on with an empty one; blocks while there is none.
    fn hand_over(&mut self) -> io::Result<()> {
        if self.batch.rows() == 0 {
            return Ok(());
        }
        let empty = match self.written.try_recv() {
            Ok(empty) => empty,
            Err(TryRecvError::Empty) if self.unmade > 0 => {
                self.unmade -= 1;
                Box::default()
            }
            _ => self.written.recv().map_err(|_| self.thread_error())?,
        };
        let full = std::mem::replace(&mut self.batch, empty);
        self.send(Message::Rows(full))?;
        self.numbers.bound(&mut self.batch);
        Ok(())
    }

    fn send(&mut self, message: Message) -> io::Result<()> {
        match &self.to_thread {
            Some(to_thread) if to_thread.send(message).is_ok() => Ok(()),
            _ => Err(self.thread_error()),
        }
    }

    fn check(&self) -> io::Result<()> {
        match &self.failure {
            Some(failure) => Err(failure.clone().into()),
            // The thread says at the end what it was.
            None if self.shared.has_failed.load(Ordering::Relaxed) => {
                Err(io::Error::other("writing has failed"))
            }
            None => Ok(()),
        }
    }

    fn is_over(&self) -> bool {
        match self.rotate {
            Rotate::Never => false,
            Rotate::Size(_) => self.shared.long.load(Ordering::Relaxed) > self.ended,
            Rotate::Time(time) => self.has_rows && self.began.elapsed() >= time,
        }
    }

    /// Waits for the thread and returns what it has failed with.
    fn join(&mut self) -> io::Result<()> {
        let outcome = match self.thread.take().map(JoinHandle::join) {
            Some(Ok(outcome)) => outcome,
            Some(Err(_)) => Err(io::Error::other("the writing thread has panicked")),
            None => {
                return self
                    .failure
                    .clone()
                    .map_or(Ok(()), |failure| Err(failure.into()));
            }
        };
        if let Err(error) = &outcome {
            self.failure = Some(Failure(error.kind(), error.to_string()));
        }
        outcome
    }

    /// Why the thread has ended.
    fn thread_error(&mut self) -> io::Error {
        self.join()
            .err()
            .unwrap_or_else(|| ErrorKind::BrokenPipe.into())
    }
}

impl Sink for Parquet {
    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        self.batch.push(row, &mut self.numbers);
        if self.batch.is_full() {
            self.check()?;
            self.has_rows = true;
            self.hand_over()?;
        }
        Ok(())
    }

    /// Rows are held back until a page is full; only the time for the next file is looked at.
    fn flush(&mut self, account: &dyn Fn() -> Account) -> io::Result<()> {
        self.check()?;
        self.has_rows |= self.batch.rows() > 0;
        if self.is_over() {
            self.hand_over()?;
            self.send(Message::End(Box::new(account()), Next::File))?;
            self.ended += 1;
            self.began = Instant::now();
            self.has_rows = false;
        }
        Ok(())
    }

    fn finish(&mut self, account: &Account) -> io::Result<()> {
        if self.thread.is_some() {
            // If the thread has failed, the rest is not wanted, but what is whole of the file is completed.
            let handed_over = self.hand_over();
            let ended = self.send(Message::End(Box::new(account.clone()), Next::Nothing));
            self.join().and(handed_over).and(ended)
        } else {
            self.join()
        }
    }
}

impl Drop for Parquet {
    /// Waits until the thread has removed what is incomplete: the process may be about to end.
    fn drop(&mut self) {
        self.to_thread = None;
        // What it has failed with was asked for by `finish`, or is not wanted.
        let _ = self.join();
    }
}

/// The thread.
struct Writer {
    files: Box<dyn Files>,
    recording: Option<Recording>,
    /// Of the file, from 1.
    number: u64,
    group: Group,
    schema: SchemaDescPtr,
    known: Known,
    about: About,
    /// What had been counted when the file began, if it is not the first.
    before: Option<Account>,
    /// Bytes a file may have.
    limit: u64,
    shared: Arc<Shared>,
}

impl Writer {
    /// Writes until it is told to end. When writing fails, what is whole of the file is completed in the end.
    fn run(
        mut self,
        messages: &Receiver<Message>,
        written: &SyncSender<Box<Batch>>,
    ) -> io::Result<()> {
        let mut failure = None;
        for message in messages {
            match message {
                Message::Rows(mut batch) => {
                    if failure.is_none() {
                        failure = self.push(&batch).err();
                    }
                    batch.clear();
                    // Nobody wants it back after the last one.
                    let _ = written.send(batch);
                }
                Message::End(account, Next::File) if failure.is_none() => {
                    failure = self.end(&account).and_then(|()| self.begin()).err();
                }
                Message::End(_, Next::File) => {}
                Message::End(account, Next::Nothing) => {
                    if failure.is_none() {
                        failure = self.end(&account).err();
                    }
                    return match failure {
                        None => Ok(()),
                        Some(error) => Err(self.save(error, &account)),
                    };
                }
            }
            if failure.is_some() {
                self.shared.has_failed.store(true, Ordering::Relaxed);
            }
        }
        // Whoever sends has gone without a word: an incomplete file gets no name.
        failure.map_or(Ok(()), Err)
    }

    fn begin(&mut self) -> io::Result<()> {
        self.number += 1;
        self.recording = Some(Recording::begin(self.files.open()?)?);
        Ok(())
    }

    fn push(&mut self, batch: &Batch) -> io::Result<()> {
        let Some(recording) = &mut self.recording else {
            return Ok(());
        };
        self.known.learn(&batch.new);
        self.group.push(batch, &self.known)?;
        if self.group.is_full() {
            recording.push(&mut self.group)?;
        }
        if recording.size() + self.group.size() as u64 >= self.limit {
            self.shared.long.store(self.number, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Completes the file.
    fn end(&mut self, account: &Account) -> io::Result<()> {
        if let Some(recording) = &mut self.recording {
            recording.push(&mut self.group)?;
        }
        self.complete(account, Rows::All)
    }

    /// After an error: completes the file with the row groups that are whole and leave room for the footer, if there are
    /// any. Says what came of it.
    fn save(&mut self, error: io::Error, account: &Account) -> io::Error {
        while let Some(recording) = &mut self.recording {
            let rows = recording.rows();
            if rows == 0 || recording.cut().is_err() {
                break;
            }
            if self.complete(account, Rows::First).is_ok() {
                let text = format!("{error}; the file has the first {rows} rows");
                return io::Error::new(error.kind(), text);
            }
            if let Some(recording) = &mut self.recording {
                recording.drop_group();
            }
        }
        error
    }

    fn complete(&mut self, account: &Account, rows: Rows) -> io::Result<()> {
        if let Some(recording) = &mut self.recording {
            let before = self.before.as_ref();
            let footer = schema::footer(&self.about, before, account, rows == Rows::First);
            recording.finish(&self.schema, footer)?;
            self.recording = None;
            self.before = Some(account.clone());
            self.files.complete()?;
        }
        Ok(())
    }
}

/// What a file has of the rows that were for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rows {
    All,
    /// Those before writing failed.
    First,
}
