//! `--plain`: eight columns for people and pipes, as CSV; the file's descriptor and open flags stand behind its name.

use std::io;

use ior_core::{Flags, Kind, Remark, Row};

use super::columns::{push_flags, push_number, push_remark};
use super::csv::{push_field, push_text, quote_from};
use super::{Account, BufferedOut, Names, Sink};

const HEADER: &[u8] = b"durationToPrevNs,durationNs,comm,pid.tid,name,ret,notice,file\n";

/// Writes rows in the plain form.
#[derive(Debug)]
pub struct Plain {
    out: BufferedOut,
    names: Names,
}

impl Plain {
    /// A sink that starts with the header line.
    pub fn new(mut out: BufferedOut, names: Names) -> Plain {
        write_header(out.buffer());
        Plain { out, names }
    }
}

impl Sink for Plain {
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
    out.extend_from_slice(HEADER);
}

/// Appends a row's line.
pub(super) fn write_row(row: &Row<'_>, names: Names, out: &mut Vec<u8>) {
    push_number(row.gap_ns, out);
    out.push(b',');
    push_number(row.latency_ns, out);
    out.push(b',');
    push_field(&row.task.comm, names, out);
    out.push(b',');
    push_number(row.task.pid, out);
    out.push(b'.');
    push_number(row.task.tid, out);
    out.push(b',');
    out.extend_from_slice(row.syscall.name.as_bytes());
    out.push(b',');
    push_number(row.ret, out);
    out.push(b',');
    push_remark(Remark::of(row), out);
    out.push(b',');
    let start = out.len();
    push_file(row, names, out);
    quote_from(start, out);
    out.push(b'\n');
}

/// `old -> new%(fd,FLAGS)`: the old name only for calls that have one, the descriptor where there is one, the flags of
/// calls that open.
fn push_file(row: &Row<'_>, names: Names, out: &mut Vec<u8>) {
    if let Some(old_file) = row.old_file {
        push_text(old_file, names, out);
        out.extend_from_slice(b" -> ");
    }
    push_text(row.file, names, out);
    let flags = Flags::of(row).filter(|_| row.syscall.kind == Kind::Open);
    if row.fd < 0 && flags.is_none() {
        return;
    }
    out.extend_from_slice(b"%(");
    push_number(row.fd, out);
    if let Some(flags) = flags {
        out.push(b',');
        push_flags(flags, out);
    }
    out.push(b')');
}
