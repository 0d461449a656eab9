//! Rows as ior's `--json` writes them: one object a line, null columns left out.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use base64::Engine;
use serde::Deserialize;

use super::{Result, check};
use crate::oracle::Waits;

/// One row. The first fourteen columns are never null; the others may be left out.
#[derive(Debug, Clone, Default, Deserialize)]
#[expect(
    missing_docs,
    reason = "the columns of the specification, under its names"
)]
pub struct Row {
    pub seq: u64,
    pub time_ns: u64,
    pub gap_ns: u64,
    pub latency_ns: u64,
    pub comm: String,
    pub pid: u32,
    pub tid: u32,
    pub syscall: String,
    pub fd: i32,
    pub ret: i64,
    pub bytes: u64,
    pub file: String,
    pub is_error: bool,
    pub filter_epoch: u64,
    pub time: Option<String>,
    pub file_raw: Option<String>,
    pub old_file: Option<String>,
    pub old_file_raw: Option<String>,
    pub name_source: Option<String>,
    pub process: Option<String>,
    pub ppid: Option<u32>,
    pub uid: Option<u32>,
    pub cgroup: Option<String>,
    pub dev: Option<String>,
    pub ino: Option<u64>,
    pub requested: Option<u64>,
    pub offset: Option<i64>,
    pub flags: Option<u64>,
    pub abi: Option<String>,
    pub address_space_bytes: Option<u64>,
    #[serde(flatten)]
    pub waits: Waits,
}

impl Row {
    /// The file's name as bytes.
    pub fn file_bytes(&self) -> Vec<u8> {
        raw(&self.file, self.file_raw.as_deref())
    }

    /// The source's name as bytes; empty if there is none.
    pub fn old_file_bytes(&self) -> Vec<u8> {
        raw(
            self.old_file.as_deref().unwrap_or_default(),
            self.old_file_raw.as_deref(),
        )
    }
}

fn raw(text: &str, base64: Option<&str>) -> Vec<u8> {
    base64
        .and_then(decode)
        .unwrap_or_else(|| text.as_bytes().to_vec())
}

/// Bytes of a base64 text, if it is one.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    base64::engine::general_purpose::STANDARD.decode(text).ok()
}

/// A name as a UTF-8 column shows it: bytes that are not UTF-8 as `\xHH`.
pub fn shown(name: &[u8]) -> String {
    name.utf8_chunks()
        .map(|chunk| {
            let escaped = chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}"));
            chunk.valid().to_owned() + &escaped.collect::<String>()
        })
        .collect()
}

/// Hands every row of the file to `visit`; the number of rows.
///
/// # Errors
/// A line that is no row, an incomplete last line, or what `visit` says.
pub fn for_each(path: &Path, mut visit: impl FnMut(Row) -> Result<()>) -> Result<u64> {
    let file = File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut reader = BufReader::with_capacity(1 << 20, file);
    let mut line = String::new();
    let mut count = 0;
    loop {
        line.clear();
        let length = reader
            .read_line(&mut line)
            .map_err(|error| format!("row {count}: {error}"))?;
        if length == 0 {
            return Ok(count);
        }
        check(line.ends_with('\n'), || {
            format!("the last row is incomplete: {line}")
        })?;
        let row = serde_json::from_str(&line)
            .map_err(|error| format!("row {}: {error}: {line}", count + 1))?;
        count += 1;
        visit(row)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_utf8_are_shown_escaped() {
        assert_eq!(shown(b"a\xff\xc3"), "a\\xff\\xc3");
        assert_eq!(shown("é\n".as_bytes()), "é\n");
        assert_eq!(shown(b"\xed\xa0\x80"), "\\xed\\xa0\\x80");
    }

    #[test]
    fn the_raw_name_wins() {
        let row = Row {
            file: "\\xff".into(),
            file_raw: Some("/w==".into()),
            ..Row::default()
        };
        assert_eq!(row.file_bytes(), b"\xff");
    }
}
