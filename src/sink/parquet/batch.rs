//! Rows on their way to the writing thread, column by column.
//!
//! Threads, calls and names are numbers here; what they stand for travels once, with the batch that first uses it
//! ([`New`]), and is kept by the other side ([`Known`]) until a batch says that the numbers begin anew.

use std::ops::Range;

use ior_core::syscall::MAX_CALL;
use ior_core::{Abi, Details, Dev, Ids, NameSource, Row, Syscall, Task};
use rustc_hash::FxHashMap;

/// Rows of a batch: one page of every column.
pub const ROWS: usize = 16 * 1024;

/// Bytes of names after which a batch is full.
const NAME_BYTES: usize = 1 << 20;

/// Numbers given out before they begin anew: names, bytes of names, threads.
const MAX_NAMES: usize = 65_536;
const MAX_NAME_BYTES: usize = 4 << 20;
const MAX_TASKS: usize = 16_384;

/// In [`Batch::files`]: what follows is a number in [`New::texts`], which means something in this batch only.
const TEXT: u64 = 1 << 32;
/// No value.
pub const NONE: u64 = u64::MAX;

/// Set in a code of flags that is a place in [`Batch::huge_flags`]: no call knows this bit, but any may be passed.
const HUGE: u64 = 1 << 63;
/// The name of a call without a file.
const EMPTY: u64 = 0;

/// One column a field. Numbers are bit patterns: unsigned ones of 64 bits are kept as signed ones.
#[derive(Debug, Default)]
pub struct Batch {
    pub seq: Vec<i64>,
    pub time_ns: Vec<i64>,
    pub gap_ns: Vec<i64>,
    pub latency_ns: Vec<i64>,
    pub ret: Vec<i64>,
    pub bytes: Vec<i64>,
    pub filter_epoch: Vec<i64>,
    pub wall_ns: Vec<i64>,
    pub requested: Optional,
    pub offset: Optional,
    pub is_error: Vec<bool>,
    /// As the unsigned number of the same bits.
    pub fd: Vec<u32>,
    /// [`NONE`] if there are none; [`HUGE`] and a place in `huge_flags`.
    pub flags: Vec<u64>,
    /// Flags that are no code of their own.
    pub huge_flags: Vec<u64>,
    pub name_source: Vec<u8>,
    pub calls: Vec<u32>,
    pub tasks: Vec<u32>,
    pub files: Vec<u64>,
    /// A number in [`New::texts`], or [`NONE`].
    pub old_files: Vec<u64>,
    /// Of the few rows that have any: by row.
    pub details: Vec<(u32, Details)>,
    /// What the numbers stand for.
    pub new: New,
}

/// Numbers that not every row has.
#[derive(Debug, Default)]
pub struct Optional {
    /// Of every row; 0 where there is none.
    pub values: Vec<i64>,
    /// Whether the row has one.
    pub present: Vec<bool>,
}

impl Optional {
    fn push(&mut self, value: Option<i64>) {
        self.values.push(value.unwrap_or(0));
        self.present.push(value.is_some());
    }
}

/// What was first used by a batch.
#[derive(Debug, Default)]
pub struct New {
    /// The numbers of threads and names begin anew.
    pub begin_anew: bool,
    /// Their numbers go on from those before.
    tasks: Vec<Task>,
    /// Their numbers go on from those before.
    names: Names,
    /// With their numbers.
    calls: Vec<(u32, &'static Syscall, Abi)>,
    /// Names without a number that lasts.
    texts: Names,
}

/// What the numbers of a batch stand for.
#[derive(Debug)]
pub struct Known {
    pub tasks: Vec<Task>,
    names: Names,
    calls: Vec<Option<(&'static Syscall, Abi)>>,
}

/// Names, one after the other.
#[derive(Debug, Default)]
struct Names {
    bytes: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    bytes: Range<u32>,
    dev: Option<Dev>,
    ino: Option<u64>,
}

/// A name, and the object it is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Name<'a> {
    pub bytes: &'a [u8],
    pub dev: Option<Dev>,
    pub ino: Option<u64>,
}

/// What has been given a number.
#[derive(Debug)]
pub struct Numbers {
    tasks: FxHashMap<u32, u32>,
    /// The last one, and its number.
    last_task: Option<(Ids, u32)>,
    task_count: u32,
    files: FxHashMap<u64, u32>,
    name_bytes: usize,
    calls: Vec<bool>,
}

impl Batch {
    /// How many rows it has.
    pub fn rows(&self) -> usize {
        self.seq.len()
    }

    /// Whether it should be handed over.
    pub fn is_full(&self) -> bool {
        self.rows() >= ROWS || self.new.names.bytes.len() + self.new.texts.bytes.len() >= NAME_BYTES
    }

    /// Appends a row.
    pub fn push(&mut self, row: &Row<'_>, numbers: &mut Numbers) {
        self.seq.push(row.seq.cast_signed());
        self.time_ns.push(row.time_ns.cast_signed());
        self.gap_ns.push(row.gap_ns.cast_signed());
        self.latency_ns.push(row.latency_ns.cast_signed());
        self.ret.push(row.ret);
        self.bytes.push(row.bytes.cast_signed());
        self.filter_epoch.push(row.filter_epoch.cast_signed());
        self.wall_ns.push(row.wall_ns.cast_signed());
        self.requested.push(row.requested.map(u64::cast_signed));
        self.offset.push(row.offset);
        self.is_error.push(row.is_error());
        self.fd.push(row.fd.cast_unsigned());
        self.push_flags(row.flags);
        self.name_source.push(source_number(row.name_source));
        self.calls.push(numbers.call(row, &mut self.new));
        self.tasks.push(numbers.task(row, &mut self.new));
        self.files.push(numbers.file(row, &mut self.new));
        let old_file = row.old_file.map_or(NONE, |name| {
            self.new.texts.push(Name {
                bytes: name,
                dev: None,
                ino: None,
            })
        });
        self.old_files.push(old_file);
        if row.details != Details::default() {
            self.details.push((self.seq.len() as u32 - 1, row.details));
        }
    }

    fn push_flags(&mut self, flags: Option<u64>) {
        let code = match flags {
            Some(flags) if flags & HUGE != 0 => {
                self.huge_flags.push(flags);
                HUGE | (self.huge_flags.len() as u64 - 1)
            }
            flags => flags.unwrap_or(NONE),
        };
        self.flags.push(code);
    }

    /// The flags that a code of `flags` stands for.
    pub fn flags_of(&self, code: u64) -> Option<u64> {
        match code {
            NONE => None,
            code if code & HUGE != 0 => self.huge_flags.get((code & !HUGE) as usize).copied(),
            code => Some(code),
        }
    }

    /// Makes it empty, and keeps its room.
    pub fn clear(&mut self) {
        let Batch {
            seq,
            time_ns,
            gap_ns,
            latency_ns,
            ret,
            bytes,
            filter_epoch,
            wall_ns,
            requested,
            offset,
            is_error,
            fd,
            flags,
            huge_flags,
            name_source,
            calls,
            tasks,
            files,
            old_files,
            details,
            new,
        } = self;
        for column in [
            seq,
            time_ns,
            gap_ns,
            latency_ns,
            ret,
            bytes,
            filter_epoch,
            wall_ns,
            &mut requested.values,
            &mut offset.values,
        ] {
            column.clear();
        }
        for column in [is_error, &mut requested.present, &mut offset.present] {
            column.clear();
        }
        [fd, calls, tasks].into_iter().for_each(Vec::clear);
        [flags, huge_flags, files, old_files]
            .into_iter()
            .for_each(Vec::clear);
        name_source.clear();
        details.clear();
        new.begin_anew = false;
        new.tasks.clear();
        new.names.clear();
        new.calls.clear();
        new.texts.clear();
    }
}

impl Names {
    fn push(&mut self, name: Name<'_>) -> u64 {
        let start = self.bytes.len() as u32;
        self.bytes.extend_from_slice(name.bytes);
        self.entries.push(Entry {
            bytes: start..self.bytes.len() as u32,
            dev: name.dev,
            ino: name.ino,
        });
        self.entries.len() as u64 - 1
    }

    fn get(&self, number: u64) -> Name<'_> {
        let entry = &self.entries[number as usize];
        Name {
            bytes: &self.bytes[entry.bytes.start as usize..entry.bytes.end as usize],
            dev: entry.dev,
            ino: entry.ino,
        }
    }

    fn append(&mut self, other: &Names) {
        for number in 0..other.entries.len() as u64 {
            self.push(other.get(number));
        }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.entries.clear();
    }
}

impl Default for Numbers {
    fn default() -> Numbers {
        Numbers {
            tasks: FxHashMap::default(),
            last_task: None,
            task_count: 0,
            files: FxHashMap::default(),
            name_bytes: 0,
            calls: vec![false; Abi::COUNT * MAX_CALL],
        }
    }
}

impl Numbers {
    /// Begins anew if too many have been given out. Ask before the first row of a batch.
    pub fn bound(&mut self, batch: &mut Batch) {
        if self.files.len() >= MAX_NAMES
            || self.name_bytes >= MAX_NAME_BYTES
            || self.task_count as usize >= MAX_TASKS
        {
            self.tasks.clear();
            self.last_task = None;
            self.task_count = 0;
            self.files.clear();
            self.name_bytes = 0;
            batch.new.begin_anew = true;
        }
    }

    #[inline]
    fn call(&mut self, row: &Row<'_>, new: &mut New) -> u32 {
        let number = row.abi as u32 * MAX_CALL as u32 + u32::from(row.syscall.call());
        let known = &mut self.calls[number as usize];
        if !*known {
            *known = true;
            new.calls.push((number, row.syscall, row.abi));
        }
        number
    }

    #[inline]
    fn task(&mut self, row: &Row<'_>, new: &mut New) -> u32 {
        match self.last_task {
            Some((ids, number)) if ids.task == row.ids.task && ids.task != 0 => number,
            _ => self.other_task(row, new),
        }
    }

    fn other_task(&mut self, row: &Row<'_>, new: &mut New) -> u32 {
        let known = self.tasks.get(&row.ids.task).copied();
        let number = match known.filter(|_| row.ids.task != 0) {
            Some(number) => number,
            None => {
                let number = self.task_count;
                self.task_count += 1;
                self.tasks.insert(row.ids.task, number);
                new.tasks.push(row.task.clone());
                number
            }
        };
        self.last_task = Some((row.ids, number));
        number
    }

    #[inline]
    fn file(&mut self, row: &Row<'_>, new: &mut New) -> u64 {
        let name = Name {
            bytes: row.file,
            dev: row.dev,
            ino: row.ino,
        };
        if row.ids.file == 0 {
            return if name == Name::EMPTY {
                EMPTY
            } else {
                TEXT | new.texts.push(name)
            };
        }
        let next = self.files.len() as u32 + 1;
        let number = *self.files.entry(row.ids.file).or_insert_with(|| {
            self.name_bytes += name.bytes.len();
            new.names.push(name);
            next
        });
        number.into()
    }
}

impl Name<'_> {
    const EMPTY: Name<'static> = Name {
        bytes: b"",
        dev: None,
        ino: None,
    };
}

impl Default for Known {
    fn default() -> Known {
        Known {
            tasks: Vec::new(),
            names: Names::default(),
            calls: vec![None; Abi::COUNT * MAX_CALL],
        }
    }
}

impl Known {
    /// Takes in what a batch brings.
    pub fn learn(&mut self, new: &New) {
        if new.begin_anew {
            self.tasks.clear();
            self.names.clear();
        }
        if self.names.entries.is_empty() {
            self.names.push(Name::EMPTY);
        }
        self.tasks.extend(new.tasks.iter().cloned());
        self.names.append(&new.names);
        for &(number, call, abi) in &new.calls {
            self.calls[number as usize] = Some((call, abi));
        }
    }

    /// The call of a number.
    pub fn call(&self, number: u64) -> Option<(&'static Syscall, Abi)> {
        self.calls[number as usize]
    }

    /// The name of a number in [`Batch::files`].
    pub fn file<'k>(&'k self, number: u64, new: &'k New) -> Name<'k> {
        if number & TEXT == 0 {
            self.names.get(number)
        } else {
            new.texts.get(number & !TEXT)
        }
    }

    /// The name of a number in [`Batch::old_files`].
    pub fn old_file<'k>(&'k self, number: u64, new: &'k New) -> Option<&'k [u8]> {
        (number != NONE).then(|| new.texts.get(number).bytes)
    }

    /// How many names have a number that lasts.
    pub fn name_count(&self) -> usize {
        self.names.entries.len()
    }

    /// How many calls can have a number.
    pub fn call_count(&self) -> usize {
        self.calls.len()
    }
}

/// Every [`NameSource`], by its number.
pub const SOURCES: [NameSource; 4] = [
    NameSource::None,
    NameSource::Kernel,
    NameSource::Argument,
    NameSource::Partial,
];

fn source_number(source: NameSource) -> u8 {
    match source {
        NameSource::None => 0,
        NameSource::Kernel => 1,
        NameSource::Argument => 2,
        NameSource::Partial => 3,
    }
}
