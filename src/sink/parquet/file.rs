//! A Parquet file: row groups, and the footer that makes it one.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataWriter,
    RowGroupMetaData,
};
use parquet::file::writer::TrackedWrite;
use parquet::schema::types::SchemaDescPtr;

use super::batch::{Batch, Known, NONE, SOURCES};
use super::chunk::{Chunk, Tools};
use super::dictionary::Cell;

/// Rows of a row group.
const GROUP_ROWS: usize = 1 << 20;

/// Bytes after which a row group ends all the same: it is kept in memory until then.
const GROUP_BYTES: usize = 16 << 20;

/// Bytes that may wait for the disk, so that little is left to do at the end.
const UNSYNCED: u64 = 64 << 20;

/// Descriptors whose dictionary numbers are looked up by index.
const USUAL_DESCRIPTORS: usize = 1024;

/// First and last bytes of a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// The row group that is being put together. Serves one file after the other.
pub struct Group {
    schema: SchemaDescPtr,
    chunks: Vec<Chunk>,
    tools: Tools,
    rows: usize,
}

/// Takes the columns of a batch one after the other, in the order of the schema.
struct Columns<'g> {
    chunks: std::slice::IterMut<'g, Chunk>,
    tools: &'g mut Tools,
    outcome: io::Result<()>,
}

impl Columns<'_> {
    fn next(&mut self, push: impl FnOnce(&mut Chunk, &mut Tools) -> io::Result<()>) {
        if let Some(chunk) = self.chunks.next()
            && self.outcome.is_ok()
        {
            self.outcome = push(chunk, self.tools);
        }
    }

    fn numbers(&mut self, numbers: &[i64]) {
        self.next(|chunk, tools| chunk.push_numbers(numbers, tools));
    }

    fn optional(&mut self, numbers: &[i64], present: &[bool]) {
        self.next(|chunk, tools| chunk.push_optional(numbers, present, tools));
    }

    fn bits(&mut self, values: &[bool]) {
        self.next(|chunk, tools| chunk.push_bits(values, tools));
    }

    fn coded<'a, C: Copy + PartialEq + Into<u64>>(
        &mut self,
        codes: &[C],
        lasting: usize,
        meaning: impl Fn(u64) -> Cell<'a>,
    ) {
        self.next(|chunk, tools| chunk.push_coded(codes, lasting, meaning, tools));
    }
}

impl Group {
    /// An empty one.
    pub fn new(schema: SchemaDescPtr) -> io::Result<Group> {
        Ok(Group {
            chunks: schema.columns().iter().cloned().map(Chunk::new).collect(),
            schema,
            tools: Tools::new()?,
            rows: 0,
        })
    }

    /// Appends the rows of a batch, whose numbers are `known`.
    pub fn push(&mut self, batch: &Batch, known: &Known) -> io::Result<()> {
        if batch.new.begin_anew {
            self.chunks.iter_mut().for_each(Chunk::forget);
        }
        self.rows += batch.rows();
        let task = |number: u64| &known.tasks[number as usize];
        let task_count = known.tasks.len();
        let file = |number| known.file(number, &batch.new);
        let (file_count, call_count) = (known.name_count(), known.call_count());
        let word = |word: Option<&'static str>| Cell::Text(word.unwrap_or_default().as_bytes());
        let mut columns = Columns {
            chunks: self.chunks.iter_mut(),
            tools: &mut self.tools,
            outcome: Ok(()),
        };
        columns.numbers(&batch.seq);
        columns.numbers(&batch.time_ns);
        columns.numbers(&batch.gap_ns);
        columns.numbers(&batch.latency_ns);
        columns.coded(&batch.tasks, task_count, |t| Cell::Text(&task(t).comm));
        columns.coded(&batch.tasks, task_count, |t| Cell::Narrow(task(t).pid));
        columns.coded(&batch.tasks, task_count, |t| Cell::Narrow(task(t).tid));
        columns.coded(&batch.calls, call_count, |number| {
            word(known.call(number).map(|(call, _)| call.name))
        });
        columns.coded(&batch.fd, USUAL_DESCRIPTORS, |fd| Cell::Narrow(fd as u32));
        columns.numbers(&batch.ret);
        columns.numbers(&batch.bytes);
        columns.coded(&batch.files, file_count, |f| Cell::Text(file(f).bytes));
        columns.bits(&batch.is_error);
        columns.numbers(&batch.filter_epoch);
        columns.numbers(&batch.wall_ns);
        columns.coded(&batch.calls, call_count, |number| {
            word(known.call(number).map(|(call, _)| call.family.as_str()))
        });
        columns.coded(&batch.old_files, 0, |number| {
            known
                .old_file(number, &batch.new)
                .map_or(Cell::Null, Cell::Text)
        });
        columns.coded(&batch.name_source, SOURCES.len(), |number| {
            word(SOURCES.get(number as usize).map(|source| source.as_str()))
        });
        columns.coded(&batch.tasks, task_count, |t| Cell::Text(&task(t).process));
        columns.coded(&batch.tasks, task_count, |t| Cell::Narrow(task(t).ppid));
        columns.coded(&batch.tasks, task_count, |t| Cell::Narrow(task(t).uid));
        columns.coded(&batch.tasks, task_count, |t| {
            Cell::Text(task(t).cgroup.as_bytes())
        });
        columns.coded(&batch.files, file_count, |f| {
            file(f).dev.map_or(Cell::Null, Cell::Device)
        });
        columns.coded(&batch.files, file_count, |f| {
            file(f).ino.map_or(Cell::Null, Cell::Wide)
        });
        columns.optional(&batch.requested.values, &batch.requested.present);
        columns.optional(&batch.offset.values, &batch.offset.present);
        columns.coded(&batch.flags, 0, |code| {
            batch.flags_of(code).map_or(Cell::Null, Cell::Wide)
        });
        columns.coded(&batch.calls, call_count, |number| {
            word(known.call(number).map(|(_, abi)| abi.as_str()))
        });
        push_details(batch, &mut columns);
        columns.outcome
    }

    /// Whether it should be written.
    pub fn is_full(&self) -> bool {
        self.rows >= GROUP_ROWS || self.size() >= GROUP_BYTES
    }

    /// Bytes it has by now, about.
    pub fn size(&self) -> usize {
        self.chunks.iter().map(Chunk::size).sum()
    }

    /// Writes the group, which begins `at` bytes into the file, and becomes empty.
    fn finish(&mut self, at: u64, out: &mut impl Write) -> io::Result<RowGroupMetaData> {
        let mut columns: Vec<ColumnChunkMetaData> = Vec::with_capacity(self.chunks.len());
        let (mut next, mut uncompressed) = (at, 0);
        for chunk in &mut self.chunks {
            let column = chunk.finish(next, out, &mut self.tools)?;
            next += column.compressed_size().cast_unsigned();
            uncompressed += column.uncompressed_size();
            columns.push(column);
        }
        let rows = std::mem::take(&mut self.rows);
        RowGroupMetaData::builder(self.schema.clone())
            .set_num_rows(rows as i64)
            .set_total_byte_size(uncompressed)
            .set_column_metadata(columns)
            .set_file_offset(at.cast_signed())
            .build()
            .map_err(io::Error::other)
    }
}

/// The columns of [`ior_core::Details`], in their order.
fn push_details(batch: &Batch, columns: &mut Columns<'_>) {
    if batch.details.is_empty() {
        for _ in 0..7 {
            columns.next(|chunk, tools| chunk.push_nulls(batch.rows(), tools));
        }
        return;
    }
    let mut wide = |of: fn(&ior_core::Details) -> Option<i64>| {
        let (mut values, mut present) = (vec![0; batch.rows()], vec![false; batch.rows()]);
        for (row, details) in &batch.details {
            if let Some(value) = of(details) {
                values[*row as usize] = value;
                present[*row as usize] = true;
            }
        }
        columns.optional(&values, &present);
    };
    wide(|details| details.requested_sleep_ns.map(u64::cast_signed));
    wide(|details| details.nfds.map(u64::cast_signed));
    wide(|details| details.timeout_ns);
    wide(|details| details.address_space_bytes.map(u64::cast_signed));
    let mut few = |of: fn(&ior_core::Details) -> Option<u32>| {
        let mut codes = vec![NONE; batch.rows()];
        for (row, details) in &batch.details {
            codes[*row as usize] = of(details).map_or(NONE, u64::from);
        }
        columns.coded(&codes, 0, narrow);
    };
    few(|details| details.epoll_op);
    few(|details| details.epoll_target_fd.map(i32::cast_unsigned));
    few(|details| details.epoll_events);
}

/// A number of 32 bits that is its own code, or none.
fn narrow(code: u64) -> Cell<'static> {
    u32::try_from(code).map_or(Cell::Null, Cell::Narrow)
}

/// A file being written.
pub struct Recording {
    out: File,
    /// Nothing else is in it.
    is_ours: bool,
    /// Bytes up to the end of the last whole row group.
    whole: u64,
    synced: u64,
    groups: Vec<RowGroupMetaData>,
}

impl Recording {
    /// Begins a file.
    pub fn begin(mut out: File) -> io::Result<Recording> {
        out.write_all(MAGIC)?;
        let position = out.stream_position();
        Ok(Recording {
            out,
            is_ours: position.is_ok_and(|position| position == MAGIC.len() as u64),
            whole: MAGIC.len() as u64,
            synced: 0,
            groups: Vec::new(),
        })
    }

    /// Rows in whole row groups.
    pub fn rows(&self) -> u64 {
        self.groups
            .iter()
            .map(|group| group.num_rows().cast_unsigned())
            .sum()
    }

    /// Bytes of whole row groups.
    pub fn size(&self) -> u64 {
        self.whole
    }

    /// Writes the row group, if it has rows.
    pub fn push(&mut self, group: &mut Group) -> io::Result<()> {
        if group.rows == 0 {
            return Ok(());
        }
        let written = group.finish(self.whole, &mut self.out)?;
        self.whole += written.compressed_size().cast_unsigned();
        self.groups.push(written);
        if self.whole - self.synced >= UNSYNCED {
            self.synced = self.whole;
            self.sync()?;
        }
        Ok(())
    }

    /// Drops what was written after the last whole row group, so that the file can be finished.
    ///
    /// # Errors
    /// It cannot be cut: a pipe, or a file of somebody else that we append to.
    pub fn cut(&mut self) -> io::Result<()> {
        if !self.is_ours {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.out.set_len(self.whole)?;
        self.out.seek(SeekFrom::Start(self.whole)).map(drop)
    }

    /// Takes the last row group back.
    pub fn drop_group(&mut self) {
        if let Some(group) = self.groups.pop() {
            self.whole -= group.compressed_size().cast_unsigned();
        }
    }

    /// Writes the footer and waits until everything is on the disk.
    pub fn finish(&mut self, schema: &SchemaDescPtr, footer: Vec<KeyValue>) -> io::Result<()> {
        let about = FileMetaData::new(
            2,
            self.rows().cast_signed(),
            Some(concat!("ior ", env!("CARGO_PKG_VERSION")).to_owned()),
            Some(footer),
            schema.clone(),
            None,
        );
        let metadata = ParquetMetaData::new(about, self.groups.clone());
        let mut bytes = Vec::new();
        ParquetMetaDataWriter::new_with_tracked(TrackedWrite::new(&mut bytes), &metadata)
            .finish()
            .map_err(io::Error::other)?;
        self.out.write_all(&bytes)?;
        self.sync()
    }

    /// Pipes and devices have no disk to wait for.
    fn sync(&self) -> io::Result<()> {
        if self.out.metadata()?.is_file() {
            self.out.sync_data()?;
        }
        Ok(())
    }
}
