//! The file of `--flamegraph`, `.ior.zst`, written and read. `docs/recording.md` has the layout.
//!
//! A reader believes no length: memory grows with what has been read, up to the limits below.

use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};

use ior_core::totals::LATENCY_BUCKETS;
use serde_json::{Map, Value};
use thiserror::Error;
use zstd::stream::{read::Decoder, write::Encoder};

use crate::names::Names;

/// Raised when an older reader would misread the file.
pub const VERSION: u32 = 1;

/// Begins the file: the header of a zstd frame that decompressors skip, of 12 bytes; these are more magic and the version.
pub const MAGIC: [u8; 16] = *b"\x50\x2a\x4d\x18\x0c\x00\x00\x00ior-aggr";

/// Of 1 to 22.
const ZSTD_LEVEL: i32 = 3;

/// A decompressor keeps at most 2 to this many bytes.
const WINDOW_LOG: u32 = 23;

/// The longest name.
pub const NAME_MAX: usize = 64 << 10;
/// Most names, and bytes of them.
const NAMES_MAX: u64 = 4 << 20;
const NAME_BYTES_MAX: usize = 320 << 20;
/// Most records.
const RECORDS_MAX: u64 = 2 << 20;
/// The longest text about the run.
const ABOUT_MAX: u64 = 16 << 20;

/// In the first byte of a record.
const FOLDED: u8 = 1;
const HAS_FLAGS: u8 = 2;

/// Why a file cannot be read.
#[derive(Debug, Error)]
pub enum Unreadable {
    /// It is something else.
    #[error("it is no recording of ior (.ior.zst or Parquet)")]
    NotOurs,
    /// It was made by a later version.
    #[error("it was written by a newer ior (format {0}, this one reads {1}): update ior")]
    Newer(u32, u32),
    /// It ends too early.
    #[error("it is cut short")]
    Cut,
    /// It has been changed.
    #[error("it is damaged: {0}")]
    Damaged(String),
    /// The system says no.
    #[error(transparent)]
    Io(io::Error),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Unreadable {
        match error.kind() {
            ErrorKind::UnexpectedEof => Unreadable::Cut,
            _ if error.raw_os_error().is_some() => Unreadable::Io(error),
            // What the decompressor complains about.
            _ => Unreadable::Damaged(error.to_string()),
        }
    }
}

fn damaged(what: &str) -> Unreadable {
    Unreadable::Damaged(what.to_owned())
}

/// Counters of a key. Sums stop at the largest number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Calls.
    pub calls: u64,
    /// Sum of latencies, nanoseconds.
    pub latency_ns: u64,
    /// Sum of gaps, nanoseconds.
    pub gap_ns: u64,
    /// Payload bytes.
    pub bytes: u64,
    /// Calls that returned an error.
    pub errors: u64,
    /// Latencies by power of two.
    pub histogram: Histogram,
}

/// Calls by bucket, as [`ior_core::SyscallTotals`] has them; most keys use few buckets next to each other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    first: u8,
    counts: Vec<u64>,
}

impl Histogram {
    /// Adds one to a bucket.
    pub fn count(&mut self, bucket: u8) {
        self.add(bucket, 1);
    }

    fn add(&mut self, bucket: u8, calls: u64) {
        if self.counts.is_empty() {
            self.first = bucket;
        }
        while bucket < self.first {
            self.first -= 1;
            self.counts.insert(0, 0);
        }
        let place = usize::from(bucket - self.first);
        if self.counts.len() <= place {
            self.counts.resize(place + 1, 0);
        }
        self.counts[place] += calls;
    }

    /// Bucket and calls of those that have any, the lowest first.
    pub fn buckets(&self) -> impl Iterator<Item = (u8, u64)> {
        let buckets = (self.first..).zip(self.counts.iter().copied());
        buckets.filter(|(_, calls)| *calls > 0)
    }
}

/// A record as it is written: names by number.
#[derive(Debug)]
pub struct Numbered<'a> {
    /// The thread's name.
    pub comm: u32,
    /// The process.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// The call's name.
    pub syscall: u32,
    /// The calling convention's.
    pub abi: u32,
    /// The file's.
    pub file: u32,
    /// As passed.
    pub flags: Option<u64>,
    /// Whether this is everything past the bound; of the key only the call is known then.
    pub folded: bool,
    /// What it adds up to.
    pub counts: &'a Counts,
}

/// A record as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record<'a> {
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
    /// Whether this is everything past the bound; of the key only the call is known then.
    pub folded: bool,
    /// What it adds up to.
    pub counts: Counts,
}

/// Sums of all records, the same in any order.
#[derive(Debug, Default, PartialEq, Eq)]
struct Totals([u64; 5]);

impl Totals {
    fn add(&mut self, counts: &Counts) {
        for (sum, value) in self.0.iter_mut().zip(counts.sums()) {
            *sum = sum.saturating_add(value);
        }
    }
}

impl Counts {
    fn sums(&self) -> [u64; 5] {
        [
            self.calls,
            self.latency_ns,
            self.gap_ns,
            self.bytes,
            self.errors,
        ]
    }
}

/// Writes a file and returns `out`.
pub fn write<'a, W: Write>(
    mut out: W,
    about: &[u8],
    names: &Names,
    records: impl ExactSizeIterator<Item = Numbered<'a>>,
) -> io::Result<W> {
    out.write_all(&MAGIC)?;
    out.write_all(&VERSION.to_le_bytes())?;
    let mut zip = Encoder::new(out, ZSTD_LEVEL)?;
    zip.include_checksum(true)?;
    let mut bytes = Vec::new();
    push_bytes(about, &mut bytes);
    push_number(names.len() as u64, &mut bytes);
    for name in names.iter() {
        push_bytes(name, &mut bytes);
        hand_on(&mut bytes, &mut zip)?;
    }
    push_number(records.len() as u64, &mut bytes);
    let mut totals = Totals::default();
    for record in records {
        totals.add(record.counts);
        push_record(&record, &mut bytes);
        hand_on(&mut bytes, &mut zip)?;
    }
    totals
        .0
        .iter()
        .for_each(|&sum| push_number(sum, &mut bytes));
    zip.write_all(&bytes)?;
    zip.finish()
}

/// Writes what has been put together once it is enough.
fn hand_on(bytes: &mut Vec<u8>, out: &mut impl Write) -> io::Result<()> {
    const ENOUGH: usize = 64 << 10;
    if bytes.len() >= ENOUGH {
        out.write_all(bytes)?;
        bytes.clear();
    }
    Ok(())
}

fn push_record(record: &Numbered<'_>, out: &mut Vec<u8>) {
    let has_flags = record.flags.map_or(0, |_| HAS_FLAGS);
    let folded = if record.folded { FOLDED } else { 0 };
    out.push(has_flags | folded);
    for number in [
        record.comm,
        record.pid,
        record.tid,
        record.syscall,
        record.abi,
        record.file,
    ] {
        push_number(number.into(), out);
    }
    if let Some(flags) = record.flags {
        push_number(flags, out);
    }
    for sum in record.counts.sums() {
        push_number(sum, out);
    }
    out.push(record.counts.histogram.buckets().count() as u8);
    for (bucket, calls) in record.counts.histogram.buckets() {
        out.push(bucket);
        push_number(calls, out);
    }
}

fn push_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    push_number(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// LEB128: seven bits a byte, the lowest first, the highest bit where more follow.
fn push_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Whether a file that begins like this claims to be one of ours.
pub fn is_ours(beginning: &[u8]) -> bool {
    beginning.starts_with(&MAGIC)
}

/// Reads a file: every record, and what it says about itself. Records that were handed over before an error mean nothing.
pub fn read(
    mut input: impl BufRead,
    each: &mut dyn FnMut(&Record<'_>),
) -> Result<Map<String, Value>, Unreadable> {
    let mut magic = [0; MAGIC.len()];
    input.read_exact(&mut magic)?;
    if !is_ours(&magic) {
        return Err(Unreadable::NotOurs);
    }
    let mut version = [0; 4];
    input.read_exact(&mut version)?;
    match u32::from_le_bytes(version) {
        VERSION => {}
        newer if newer > VERSION => return Err(Unreadable::Newer(newer, VERSION)),
        _ => return Err(damaged("it has no version")),
    }
    let mut zip = Decoder::with_buffer(input)?;
    zip.window_log_max(WINDOW_LOG)?;
    let mut body = Body {
        input: BufReader::with_capacity(64 << 10, zip),
    };
    let about = body.about()?;
    let names = body.names()?;
    body.records(&names, each)?;
    body.end()?;
    Ok(about)
}

/// What was compressed.
struct Body<R> {
    input: R,
}

impl<R: BufRead> Body<R> {
    fn about(&mut self) -> Result<Map<String, Value>, Unreadable> {
        let len = self.bounded(ABOUT_MAX, "the text about the run is too long")?;
        let mut text = Vec::new();
        self.input.by_ref().take(len).read_to_end(&mut text)?;
        if (text.len() as u64) < len {
            return Err(Unreadable::Cut);
        }
        serde_json::from_slice(&text)
            .map_err(|_| damaged("the text about the run is no JSON object"))
    }

    fn names(&mut self) -> Result<Vec<Box<[u8]>>, Unreadable> {
        let count = self.bounded(NAMES_MAX, "too many names")?;
        let mut names = Vec::new();
        let mut total = 0;
        for _ in 0..count {
            let len = self.bounded(NAME_MAX as u64, "a name is too long")? as usize;
            total += len;
            if total > NAME_BYTES_MAX {
                return Err(damaged("the names are too long"));
            }
            let mut name = vec![0; len].into_boxed_slice();
            self.input.read_exact(&mut name)?;
            names.push(name);
        }
        Ok(names)
    }

    fn records(
        &mut self,
        names: &[Box<[u8]>],
        each: &mut dyn FnMut(&Record<'_>),
    ) -> Result<(), Unreadable> {
        let count = self.bounded(RECORDS_MAX, "too many records")?;
        let mut totals = Totals::default();
        for _ in 0..count {
            let record = self.record(names)?;
            totals.add(&record.counts);
            each(&record);
        }
        if totals != Totals(self.numbers()?) {
            return Err(damaged("the records are not what they add up to"));
        }
        Ok(())
    }

    fn record<'n>(&mut self, names: &'n [Box<[u8]>]) -> Result<Record<'n>, Unreadable> {
        let what = self.byte()?;
        if what & !(FOLDED | HAS_FLAGS) != 0 {
            return Err(damaged("a record of no known kind"));
        }
        let comm = self.name(names)?;
        let (pid, tid) = (self.narrow()?, self.narrow()?);
        let (syscall, abi) = (self.name(names)?, self.name(names)?);
        let file = self.name(names)?;
        let flags = match what & HAS_FLAGS {
            0 => None,
            _ => Some(self.number()?),
        };
        let [calls, latency_ns, gap_ns, bytes, errors] = self.numbers()?;
        Ok(Record {
            comm,
            pid,
            tid,
            syscall,
            abi,
            file,
            flags,
            folded: what & FOLDED != 0,
            counts: Counts {
                calls,
                latency_ns,
                gap_ns,
                bytes,
                errors,
                histogram: self.histogram()?,
            },
        })
    }

    fn histogram(&mut self) -> Result<Histogram, Unreadable> {
        let mut histogram = Histogram::default();
        let mut least = 0;
        for _ in 0..self.byte()? {
            let bucket = self.byte()?;
            let calls = self.number()?;
            if bucket < least || usize::from(bucket) >= LATENCY_BUCKETS || calls == 0 {
                return Err(damaged("a histogram has no such bucket"));
            }
            histogram.add(bucket, calls);
            least = bucket + 1;
        }
        Ok(histogram)
    }

    /// Nothing follows; the decompressor compares its checksum here.
    fn end(&mut self) -> Result<(), Unreadable> {
        if self.input.fill_buf()?.is_empty() {
            Ok(())
        } else {
            Err(damaged("something follows its end"))
        }
    }

    fn name<'n>(&mut self, names: &'n [Box<[u8]>]) -> Result<&'n [u8], Unreadable> {
        let number = usize::try_from(self.number()?).ok();
        let name = number.and_then(|number| names.get(number));
        name.map(|name| &**name)
            .ok_or_else(|| damaged("a name is missing"))
    }

    fn numbers<const N: usize>(&mut self) -> Result<[u64; N], Unreadable> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Ok(numbers)
    }

    fn bounded(&mut self, most: u64, otherwise: &str) -> Result<u64, Unreadable> {
        let number = self.number()?;
        if number > most {
            return Err(damaged(otherwise));
        }
        Ok(number)
    }

    fn narrow(&mut self) -> Result<u32, Unreadable> {
        u32::try_from(self.number()?).map_err(|_| damaged("a number is too large"))
    }

    fn number(&mut self) -> Result<u64, Unreadable> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            number |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(damaged("a number is too large"))
    }

    fn byte(&mut self) -> Result<u8, Unreadable> {
        let mut byte = [0];
        self.input.read_exact(&mut byte)?;
        Ok(byte[0])
    }
}
