//! A recording as a reader of Parquet that knows nothing of ior sees it.

use std::fs::File;
use std::path::{Path, PathBuf};

use e2e::harness::{Result, check};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Map, Value};

pub type Object = Map<String, Value>;

/// A recording, opened by a reader that knows nothing of ior. Only a complete file can be opened.
pub struct Parquet {
    path: PathBuf,
    file: SerializedFileReader<File>,
}

pub fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Parquet {
    pub fn open(path: &Path) -> Result<Parquet> {
        let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let file = File::open(path).map_err(|error| named(&error))?;
        let file = SerializedFileReader::new(file).map_err(|error| named(&error))?;
        Ok(Parquet {
            path: path.to_owned(),
            file,
        })
    }

    /// What the footer counts; [`Parquet::visit`] reads them.
    pub fn rows(&self) -> u64 {
        self.file.metadata().file_metadata().num_rows() as u64
    }

    pub fn columns(&self) -> Vec<String> {
        let schema = self.file.metadata().file_metadata().schema_descr();
        let columns = schema.columns().iter();
        columns.map(|column| column.name().to_owned()).collect()
    }

    pub fn footer(&self, key: &str) -> Result<&str> {
        let pairs = self.file.metadata().file_metadata().key_value_metadata();
        let mut pairs = pairs.into_iter().flatten();
        let pair = pairs.find(|pair| pair.key == key);
        let value = pair.and_then(|pair| pair.value.as_deref());
        value.ok_or_else(|| format!("{}: no {key}", self.path.display()))
    }

    pub fn footer_json(&self, key: &str) -> Result<Value> {
        serde_json::from_str(self.footer(key)?).map_err(|error| format!("{key}: {error}"))
    }

    pub fn is_complete(&self) -> Result<bool> {
        match self.footer("ior.complete")? {
            "true" => Ok(true),
            "false" => Ok(false),
            other => Err(format!("ior.complete is {other}")),
        }
    }

    /// Hands every row to `visit`, nulls left out; the footer has counted them.
    pub fn visit(&self, mut visit: impl FnMut(Object) -> Result<()>) -> Result<()> {
        let mut count = 0;
        for row in self.file.get_row_iter(None).map_err(text)? {
            let row = row.map_err(text)?;
            let columns = row.get_column_iter();
            let values = columns
                .filter(|(_, field)| **field != Field::Null)
                .map(|(name, field)| Ok((name.clone(), value(field)?)));
            visit(values.collect::<Result<_>>()?)?;
            count += 1;
        }
        check(count == self.rows(), || {
            format!("{count} rows, the footer says {}", self.rows())
        })
    }

    /// Reads every row; `seq` goes on from `before`. Returns the last.
    pub fn read_on(&self, before: u64) -> Result<u64> {
        let mut last = before;
        self.visit(|row| {
            last += 1;
            check(row["seq"] == last, || {
                format!("{}: not row {last}: {row:?}", self.path.display())
            })
        })?;
        Ok(last)
    }
}

fn value(field: &Field) -> Result<Value> {
    Ok(match field {
        Field::Bool(value) => (*value).into(),
        Field::Int(value) => (*value).into(),
        Field::Long(value) => (*value).into(),
        Field::UInt(value) => (*value).into(),
        Field::ULong(value) => (*value).into(),
        Field::Str(value) => value.as_str().into(),
        other => return Err(format!("no column is of the type of {other:?}")),
    })
}
