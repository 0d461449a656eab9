//! `--csv`: every column, a header line first, fields quoted as in RFC 4180, lines ended by a line feed. An empty field is null
//! or an empty text.

use std::io;

use ior_core::{Row, escape};

use super::columns::{
    self, Fields, Value, any_byte, push_device, push_flags, push_number, push_remark, push_time,
};
use super::{Account, BufferedOut, Names, Sink};

/// Writes rows as CSV.
#[derive(Debug)]
pub struct Csv {
    out: BufferedOut,
    names: Names,
}

impl Csv {
    /// A sink that starts with the header line.
    pub fn new(mut out: BufferedOut, names: Names) -> Csv {
        write_header(out.buffer());
        Csv { out, names }
    }
}

impl Sink for Csv {
    fn row(&mut self, row: &Row<'_>) -> io::Result<()> {
        write_row(row, self.names, self.out.buffer());
        self.out.row_done()
    }

    fn flush(&mut self, _: &dyn Fn() -> Account) -> io::Result<()> {
        self.out.flush()
    }

    fn finish(&mut self, _: &Account) -> io::Result<()> {
        self.out.finish()
    }
}

/// Appends the header line.
pub(super) fn write_header(out: &mut Vec<u8>) {
    out.extend_from_slice(columns::NAMES.join(",").as_bytes());
    out.push(b'\n');
}

/// Appends a row's line.
pub(super) fn write_row(row: &Row<'_>, names: Names, out: &mut Vec<u8>) {
    columns::each(row, &mut Line { names, out });
    if let Some(last) = out.last_mut() {
        *last = b'\n';
    }
}

/// Appends each field and a comma.
struct Line<'o> {
    names: Names,
    out: &'o mut Vec<u8>,
}

impl Fields for Line<'_> {
    #[inline(always)]
    fn field(&mut self, _name: &'static str, value: Value<'_>) {
        let out = &mut *self.out;
        match value {
            Value::Null => {}
            Value::Unsigned(number) => push_number(number, out),
            Value::Signed(number) => push_number(number, out),
            Value::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
            Value::Word(word) => out.extend_from_slice(word.as_bytes()),
            Value::Text(text) => push_field(text, self.names, out),
            Value::Time(wall_ns) => push_time(wall_ns, out),
            Value::Device(device) => push_device(device, out),
            Value::Remark(remark) => push_remark(remark, out),
            Value::Flags(flags) => push_flags(flags, out),
        }
        out.push(b',');
    }
}

/// Appends a text as one field.
pub(super) fn push_field(text: &[u8], names: Names, out: &mut Vec<u8>) {
    let start = out.len();
    push_text(text, names, out);
    quote_from(start, out);
}

/// Appends a text without quoting it.
pub(super) fn push_text(text: &[u8], names: Names, out: &mut Vec<u8>) {
    match names {
        Names::Exact => out.extend_from_slice(text),
        Names::Escaped => escape::terminal_into(text, out),
    }
}

/// Puts quotes around what was appended from `start` on, where a field must have them, and doubles those in it.
pub(super) fn quote_from(start: usize, out: &mut Vec<u8>) {
    if !any_byte(&out[start..], |byte| {
        (byte == b',') | (byte == b'"') | (byte == b'\n') | (byte == b'\r')
    }) {
        return;
    }
    let quotes = out[start..].iter().filter(|&&byte| byte == b'"').count();
    let mut from = out.len();
    out.resize(from + quotes + 2, b'"');
    // From the back, so that nothing is overwritten before it was moved; the last byte is the closing quote already.
    let mut to = out.len() - 1;
    while from > start {
        from -= 1;
        to -= 1;
        out[to] = out[from];
        if out[from] == b'"' {
            to -= 1;
            out[to] = b'"';
        }
    }
    out[start] = b'"';
}
