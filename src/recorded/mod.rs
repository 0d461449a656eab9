//! Recordings read again, whichever of the two formats it is: the content tells.

mod parquet;
#[cfg(test)]
pub mod tests;

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use ior_core::escape;

use crate::sink::aggregate::format::{self, Counts, Unreadable};

/// What a stack is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Field {
    /// The thread's name.
    Comm,
    /// The file, a frame a component.
    Path,
    /// The call.
    Syscall,
    /// The process.
    Pid,
    /// The thread.
    Tid,
    /// The flags in words.
    Flags,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Count {
    /// Calls.
    Calls,
    /// Time in calls, nanoseconds.
    Latency,
    /// Time between calls, nanoseconds.
    Gap,
    /// Payload bytes.
    Bytes,
    /// Calls that failed.
    Errors,
}

/// What is to be read of a recording.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// From the bottom to the top; others are empty.
    pub fields: Vec<Field>,
    /// What is counted.
    pub count: Count,
}

impl Wanted {
    /// Whether a field is wanted, or another one cannot do without it.
    fn needs(&self, field: Field) -> bool {
        // The name of a flag depends on the call.
        let for_flags = field == Field::Syscall && self.fields.contains(&Field::Flags);
        for_flags || self.fields.contains(&field)
    }
}

/// A call or a number of them. What is not wanted is empty.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls<'a> {
    /// The thread's name.
    pub comm: &'a [u8],
    /// The process.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// The call's name.
    pub syscall: &'a [u8],
    /// The calling convention's.
    pub abi: &'a [u8],
    /// The file's.
    pub file: &'a [u8],
    /// As passed.
    pub flags: Option<u64>,
    /// Of the key only the call is known.
    pub folded: bool,
    /// What was to be counted.
    pub count: u64,
}

impl Counts {
    fn of(&self, count: Count) -> u64 {
        match count {
            Count::Calls => self.calls,
            Count::Latency => self.latency_ns,
            Count::Gap => self.gap_ns,
            Count::Bytes => self.bytes,
            Count::Errors => self.errors,
        }
    }
}

/// Whether a recording has everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// It has.
    Complete,
    /// It says that something was lost.
    Incomplete,
}

impl Completeness {
    /// What a value of `ior.complete` says.
    fn of(text: Option<&str>) -> Completeness {
        match text {
            Some("true") => Completeness::Complete,
            _ => Completeness::Incomplete,
        }
    }
}

/// Reads a recording, which may be a directory of parts. What was handed over before an error means nothing.
pub fn read(
    path: &Path,
    wanted: &Wanted,
    each: &mut dyn FnMut(&Calls<'_>),
) -> Result<Completeness> {
    let parts = match path.is_dir() {
        true => parts(path).with_context(|| format!("cannot read {}", path.display()))?,
        false => vec![path.to_owned()],
    };
    let mut complete = Completeness::Complete;
    for path in parts {
        let cannot_read = || format!("cannot read {}", path.display());
        let file = File::open(&path).with_context(cannot_read)?;
        if read_file(file, wanted, each).with_context(cannot_read)? == Completeness::Incomplete {
            complete = Completeness::Incomplete;
        }
    }
    Ok(complete)
}

/// The recordings in a directory that `DIR/*.parquet` stands for: hidden files are parts that are not complete.
fn parts(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut parts = Vec::new();
    for entry in directory.read_dir()? {
        let name = entry?.file_name();
        let bytes = name.as_encoded_bytes();
        if bytes.ends_with(b".parquet") && !bytes.starts_with(b".") {
            parts.push(directory.join(name));
        }
    }
    if parts.is_empty() {
        bail!("it is a directory without a part (*.parquet)");
    }
    parts.sort();
    Ok(parts)
}

fn read_file(
    mut file: File,
    wanted: &Wanted,
    each: &mut dyn FnMut(&Calls<'_>),
) -> Result<Completeness, Unreadable> {
    let mut beginning = Vec::new();
    let most = format::MAGIC.len() as u64;
    file.by_ref().take(most).read_to_end(&mut beginning)?;
    if beginning.starts_with(parquet::MAGIC) {
        return parquet::read(file, wanted, each);
    }
    if !format::is_ours(&beginning) {
        return Err(Unreadable::NotOurs);
    }
    file.rewind()?;
    // Names are the text that Parquet has of them, so that both formats give the same stacks.
    let about = format::read(BufReader::new(file), &mut |record| {
        each(&Calls {
            comm: escape::utf8(record.comm).as_bytes(),
            pid: record.pid,
            tid: record.tid,
            syscall: record.syscall,
            abi: record.abi,
            file: escape::utf8(record.file).as_bytes(),
            flags: record.flags,
            folded: record.folded,
            count: record.counts.of(wanted.count),
        });
    })?;
    let complete = about.get("ior.complete").and_then(|value| value.as_str());
    Ok(Completeness::of(complete))
}
