//! `--json`: one object a line with every column that is not null. Strings are UTF-8: bytes that are none become `\xHH`, and
//! `file_raw` or `old_file_raw` then holds the exact name in base64.

use std::io;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use ior_core::{Row, escape};

use super::columns::{
    self, Fields, Value, any_byte, push_device, push_flags, push_number, push_remark, push_time,
};
use super::{Account, BufferedOut, Names, Sink};

/// Writes rows as JSON lines.
#[derive(Debug)]
pub struct Json {
    out: BufferedOut,
    names: Names,
}

impl Json {
    /// A sink. [`Names::Escaped`] escapes, in ways every JSON reader undoes, what could act on a terminal.
    pub fn new(out: BufferedOut, names: Names) -> Json {
        Json { out, names }
    }
}

impl Sink for Json {
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

/// Appends a row's line.
pub(super) fn write_row(row: &Row<'_>, names: Names, out: &mut Vec<u8>) {
    let mut object = Object {
        before: b'{',
        names,
        out,
    };
    columns::each(row, &mut object);
    object.raw("file_raw", row.file);
    object.raw("old_file_raw", row.old_file.unwrap_or_default());
    out.extend_from_slice(b"}\n");
}

/// Appends each member that is not null.
struct Object<'o> {
    /// What stands before the next key.
    before: u8,
    names: Names,
    out: &'o mut Vec<u8>,
}

impl Object<'_> {
    #[inline(always)]
    fn key(&mut self, name: &str) {
        self.out.extend_from_slice(&[self.before, b'"']);
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.before = b',';
    }

    /// The exact bytes of a name that is no UTF-8.
    fn raw(&mut self, key: &str, name: &[u8]) {
        if std::str::from_utf8(name).is_err() {
            self.key(key);
            quoted(self.out, |out| push_base64(name, out));
        }
    }
}

impl Fields for Object<'_> {
    #[inline(always)]
    fn field(&mut self, name: &'static str, value: Value<'_>) {
        if matches!(value, Value::Null) {
            return;
        }
        self.key(name);
        let out = &mut *self.out;
        match value {
            Value::Null => {}
            Value::Unsigned(number) => push_number(number, out),
            Value::Signed(number) => push_number(number, out),
            Value::Bool(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
            Value::Word(word) => quoted(out, |out| out.extend_from_slice(word.as_bytes())),
            Value::Text(text) => quoted(out, |out| push_string(text, self.names, out)),
            Value::Time(wall_ns) => quoted(out, |out| push_time(wall_ns, out)),
            Value::Device(device) => quoted(out, |out| push_device(device, out)),
            Value::Remark(remark) => quoted(out, |out| push_remark(remark, out)),
            Value::Flags(flags) => quoted(out, |out| push_flags(flags, out)),
        }
    }
}

fn quoted(out: &mut Vec<u8>, content: impl FnOnce(&mut Vec<u8>)) {
    out.push(b'"');
    content(out);
    out.push(b'"');
}

/// Appends the content of a JSON string.
fn push_string(text: &[u8], names: Names, out: &mut Vec<u8>) {
    if !any_byte(text, |byte| {
        !(b' '..=b'~').contains(&byte) | (byte == b'"') | (byte == b'\\')
    }) {
        out.extend_from_slice(text);
        return;
    }
    for chunk in text.utf8_chunks() {
        for character in chunk.valid().chars() {
            push_character(character, names, out);
        }
        for byte in chunk.invalid() {
            out.extend_from_slice(&[b'\\', b'\\', b'x', hex(byte >> 4), hex(byte & 0xf)]);
        }
    }
}

fn push_character(character: char, names: Names, out: &mut Vec<u8>) {
    match character {
        '"' => out.extend_from_slice(b"\\\""),
        '\\' => out.extend_from_slice(b"\\\\"),
        '\n' => out.extend_from_slice(b"\\n"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\t' => out.extend_from_slice(b"\\t"),
        '\0'..' ' => push_unit(u16::from(character as u8), out),
        _ if names == Names::Escaped && escape::is_hostile(character) => {
            for &mut unit in character.encode_utf16(&mut [0; 2]) {
                push_unit(unit, out);
            }
        }
        _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// Appends the escape `\uHHHH` of a UTF-16 unit.
fn push_unit(unit: u16, out: &mut Vec<u8>) {
    let [high, low] = unit.to_be_bytes();
    out.extend_from_slice(&[
        b'\\',
        b'u',
        hex(high >> 4),
        hex(high & 0xf),
        hex(low >> 4),
        hex(low & 0xf),
    ]);
}

fn hex(digit: u8) -> u8 {
    b"0123456789abcdef"[usize::from(digit & 0xf)]
}

fn push_base64(bytes: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + bytes.len().div_ceil(3) * 4, b'=');
    // The room is exactly what padded base64 takes.
    let written = BASE64.encode_slice(bytes, &mut out[start..]).unwrap_or(0);
    out.truncate(start + written);
}
