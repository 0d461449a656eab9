//! Recordings in Parquet: only the columns that are wanted, a batch of rows at a time.

use std::cell::Cell;
use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};

use super::{Calls, Completeness, Count, Field, Wanted};
use crate::sink::aggregate::format::Unreadable;
use crate::sink::{SCHEMA_KEY, SCHEMA_VERSION};

/// First bytes of a Parquet file.
pub const MAGIC: &[u8] = b"PAR1";

/// Rows that are looked at together.
const ROWS: usize = 8 * 1024;

/// Most values of a page; a row group of ours has no more.
const PAGE_VALUES: usize = 1 << 20;

impl From<ParquetError> for Unreadable {
    fn from(error: ParquetError) -> Unreadable {
        match error {
            ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
                Ok(error) => (*error).into(),
                Err(cause) => Unreadable::Damaged(cause.to_string()),
            },
            ParquetError::EOF(_) => Unreadable::Cut,
            ParquetError::General(text) => Unreadable::Damaged(text),
            other => Unreadable::Damaged(other.to_string()),
        }
    }
}

/// Reads a file. The crate may panic on one that is damaged.
pub fn read(
    file: File,
    wanted: &Wanted,
    each: &mut dyn FnMut(&Calls<'_>),
) -> Result<Completeness, Unreadable> {
    let outcome = without_a_word(|| read_file(file, wanted, each));
    outcome.unwrap_or_else(|| Err(Unreadable::Damaged("its parts do not fit together".into())))
}

fn read_file(
    file: File,
    wanted: &Wanted,
    each: &mut dyn FnMut(&Calls<'_>),
) -> Result<Completeness, Unreadable> {
    let reader = SerializedFileReader::new(file)?;
    let about = reader.metadata().file_metadata();
    let fact = |key: &str| {
        let mut facts = about.key_value_metadata().into_iter().flatten();
        facts.find(|fact| fact.key == key)?.value.clone()
    };
    let version = fact(SCHEMA_KEY).ok_or(Unreadable::NotOurs)?;
    match version.parse() {
        Ok(SCHEMA_VERSION) => {}
        Ok(version) if version > SCHEMA_VERSION => {
            return Err(Unreadable::Newer(version, SCHEMA_VERSION));
        }
        _ => return Err(Unreadable::Damaged(format!("{SCHEMA_KEY} is {version:?}"))),
    }
    for number in 0..reader.num_row_groups() {
        read_group(&*reader.get_row_group(number)?, wanted, each)?;
    }
    Ok(Completeness::of(fact("ior.complete").as_deref()))
}

/// The columns of a row group that are wanted.
struct Columns {
    comm: Option<Column>,
    pid: Option<Column>,
    tid: Option<Column>,
    syscall: Option<Column>,
    abi: Option<Column>,
    file: Option<Column>,
    flags: Option<Column>,
    count: Option<Column>,
}

fn read_group(
    group: &dyn RowGroupReader,
    wanted: &Wanted,
    each: &mut dyn FnMut(&Calls<'_>),
) -> Result<(), Unreadable> {
    let column = |field, name, kind| match wanted.needs(field) {
        true => Column::open(group, name, kind).map(Some),
        false => Ok(None),
    };
    let count = |name| Column::open(group, name, Kind::Number).map(Some);
    let mut columns = Columns {
        comm: column(Field::Comm, "comm", Kind::Text)?,
        pid: column(Field::Pid, "pid", Kind::Number)?,
        tid: column(Field::Tid, "tid", Kind::Number)?,
        syscall: column(Field::Syscall, "syscall", Kind::Text)?,
        abi: column(Field::Syscall, "abi", Kind::Text)?,
        file: column(Field::Path, "file", Kind::Text)?,
        flags: column(Field::Flags, "flags", Kind::Number)?,
        count: match wanted.count {
            Count::Calls => None,
            Count::Latency => count("latency_ns")?,
            Count::Gap => count("gap_ns")?,
            Count::Bytes => count("bytes")?,
            Count::Errors => count("is_error")?,
        },
    };
    let mut left = usize::try_from(group.metadata().num_rows())
        .map_err(|_| Unreadable::Damaged("a row group has no such number of rows".into()))?;
    while left > 0 {
        let rows = left.min(ROWS);
        columns.read(rows)?;
        (0..rows).for_each(|row| each(&columns.calls(row)));
        left -= rows;
    }
    Ok(())
}

impl Columns {
    fn read(&mut self, rows: usize) -> Result<(), Unreadable> {
        let Columns {
            comm,
            pid,
            tid,
            syscall,
            abi,
            file,
            flags,
            count,
        } = self;
        [comm, pid, tid, syscall, abi, file, flags, count]
            .into_iter()
            .flatten()
            .try_for_each(|column| column.read(rows))
    }

    /// A row of those read last.
    fn calls(&self, row: usize) -> Calls<'_> {
        let number = |column: &Option<Column>| column.as_ref().and_then(|c| c.numbers[row]);
        let narrow = |column| number(column).map(|number| number as u32);
        Calls {
            comm: text(&self.comm, row),
            pid: narrow(&self.pid).unwrap_or_default(),
            tid: narrow(&self.tid).unwrap_or_default(),
            syscall: text(&self.syscall, row),
            abi: text(&self.abi, row),
            file: text(&self.file, row),
            flags: number(&self.flags),
            folded: false,
            count: match &self.count {
                None => 1,
                count => number(count).unwrap_or_default(),
            },
        }
    }
}

fn text(column: &Option<Column>, row: usize) -> &[u8] {
    column
        .as_ref()
        .map_or(&[], |column| column.texts[row].data())
}

/// One column, and the values read last: one of the two kinds, of every row.
struct Column {
    reader: ColumnReader,
    kind: Kind,
    texts: Vec<ByteArray>,
    numbers: Vec<Option<u64>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
}

impl Column {
    fn open(group: &dyn RowGroupReader, name: &str, kind: Kind) -> Result<Column, Unreadable> {
        let columns = group.metadata().columns();
        let number = columns
            .iter()
            .position(|column| column.column_path().string() == name)
            .ok_or_else(|| Unreadable::Damaged(format!("it has no column {name}")))?;
        Ok(Column {
            reader: get_column_reader(
                columns[number].column_descr_ptr(),
                Box::new(Pages(group.get_column_page_reader(number)?)),
            ),
            kind,
            texts: Vec::new(),
            numbers: Vec::new(),
        })
    }

    fn read(&mut self, rows: usize) -> Result<(), Unreadable> {
        self.texts.clear();
        match (&mut self.reader, self.kind) {
            (ColumnReader::ByteArrayColumnReader(reader), Kind::Text) => {
                let (read, values, _) =
                    reader.read_records(rows, Some(&mut Vec::new()), None, &mut self.texts)?;
                if read != rows || values != rows {
                    return Err(other_rows());
                }
            }
            (ColumnReader::Int32ColumnReader(reader), Kind::Number) => {
                self.numbers = numbers(reader, rows, |number| number.cast_unsigned().into())?;
            }
            (ColumnReader::Int64ColumnReader(reader), Kind::Number) => {
                self.numbers = numbers(reader, rows, i64::cast_unsigned)?;
            }
            (ColumnReader::BoolColumnReader(reader), Kind::Number) => {
                self.numbers = numbers(reader, rows, u64::from)?;
            }
            _ => return Err(Unreadable::Damaged("a column is of another type".into())),
        }
        Ok(())
    }
}

/// The pages of a column, none of which makes its reader take memory for values that cannot be there.
struct Pages(Box<dyn PageReader>);

impl PageReader for Pages {
    fn get_next_page(&mut self) -> parquet::errors::Result<Option<Page>> {
        let page = self.0.get_next_page()?;
        let most = match &page {
            // Of strings and numbers, which have four bytes at least.
            Some(Page::DictionaryPage { buf, .. }) => buf.len() / 4,
            _ => PAGE_VALUES,
        };
        match page {
            Some(page) if page.num_values() as usize > most => Err(ParquetError::General(
                "a page has too many values".to_owned(),
            )),
            page => Ok(page),
        }
    }

    fn peek_next_page(&mut self) -> parquet::errors::Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> parquet::errors::Result<()> {
        self.0.skip_next_page()
    }
}

impl Iterator for Pages {
    type Item = parquet::errors::Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

fn numbers<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    rows: usize,
    number: impl Fn(T::T) -> u64,
) -> Result<Vec<Option<u64>>, Unreadable> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (read, _, _) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
    if read != rows {
        return Err(other_rows());
    }
    let mut values = values.into_iter().map(number);
    // A column that is never null has no levels.
    if levels.is_empty() {
        return Ok(values.map(Some).collect());
    }
    let spread = levels.iter().map(|&level| match level {
        0 => Ok(None),
        _ => values.next().map(Some).ok_or_else(other_rows),
    });
    spread.collect()
}

fn other_rows() -> Unreadable {
    Unreadable::Damaged("its columns have different numbers of rows".into())
}

thread_local! {
    /// Whether a panic of this thread is to be silent.
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Does something that may panic; `None` if it did. The panic is not reported.
fn without_a_word<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if !SILENT.get() {
                usual(info);
            }
        }));
    });
    SILENT.set(true);
    let outcome = panic::catch_unwind(AssertUnwindSafe(work));
    SILENT.set(false);
    outcome.ok()
}
