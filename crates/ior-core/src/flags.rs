//! The flags of a call in words: `O_RDWR|O_CREAT|O_CLOEXEC`, `PROT_READ`, `F_DUPFD`, `SEEK_END`; chosen by the call's name.
//!
//! Written straight into a formatter, without allocating. Values are those of the kernel's uapi headers, data in the
//! modules below: a new call is a line in [`calls`] and, if its flags are its own, a table of names.

mod calls;
mod files;
mod ioctl;
mod ipc;
mod memory;
mod mounts;
mod processes;
mod sockets;
mod system;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::row::{Abi, Row};

/// A call's flags, to be displayed by name; bits without a name follow in hexadecimal.
#[derive(Debug, Clone, Copy)]
pub struct Flags {
    value: u64,
    abi: Abi,
    table: &'static Table,
}

impl Flags {
    /// The flags of a row, if its call has any.
    pub fn of(row: &Row<'_>) -> Option<Flags> {
        row.flags
            .map(|value| Flags::new(row.syscall.name, row.abi, value))
    }

    /// The flags `value` as the syscall of that name understands them.
    pub fn new(syscall: &str, abi: Abi, value: u64) -> Flags {
        let place = calls::CALLS.binary_search_by(|(name, _)| (*name).cmp(syscall));
        let table = place.map_or(&NAMELESS, |place| &calls::CALLS[place].1);
        Flags { value, abi, table }
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut named = 0;
        let mut separator = "";
        for part in self.table.parts(self.abi).iter().copied().flatten() {
            if named & part.mask == 0 && self.value & part.mask == part.bits {
                f.write_str(separator)?;
                f.write_str(part.name)?;
                separator = "|";
                named |= part.mask;
                if named == u64::MAX {
                    return Ok(());
                }
            }
        }
        let rest = self.value & !named;
        let octal = rest & self.table.octal;
        if octal != 0 {
            write!(f, "{separator}0{octal:03o}")?;
            separator = "|";
        }
        match (rest & !self.table.octal, separator) {
            (0, "") => f.write_str(self.table.zero),
            (0, _) => Ok(()),
            (rest, _) => write!(f, "{separator}{rest:#x}"),
        }
    }
}

/// A name that stands for `bits` among the bits of `mask`.
#[derive(Debug)]
struct Part {
    mask: u64,
    bits: u64,
    name: &'static str,
}

/// A bit, or several that have to be set together.
const fn flag(bits: u64, name: &'static str) -> Part {
    Part {
        mask: bits,
        bits,
        name,
    }
}

/// One of the values the bits of `mask` can have.
const fn one_of(mask: u64, bits: u64, name: &'static str) -> Part {
    Part { mask, bits, name }
}

/// One of the values the whole argument can have.
const fn value(value: u64, name: &'static str) -> Part {
    one_of(u64::MAX, value, name)
}

/// Names in the order they are tried; one that covers another's bits comes first, and bits are named once.
#[derive(Debug)]
struct Table {
    parts: &'static [&'static [Part]],
    on_arm64: Option<&'static [&'static [Part]]>,
    /// What 0 means, if no name is for it.
    zero: &'static str,
    /// Bits written as an octal number: permissions.
    octal: u64,
}

const NAMELESS: Table = table(&[]);

const fn table(parts: &'static [&'static [Part]]) -> Table {
    Table {
        parts,
        on_arm64: None,
        zero: "0",
        octal: 0,
    }
}

impl Table {
    const fn on_arm64(self, parts: &'static [&'static [Part]]) -> Table {
        Table {
            on_arm64: Some(parts),
            ..self
        }
    }

    const fn zero(self, zero: &'static str) -> Table {
        Table { zero, ..self }
    }

    const fn octal(self, octal: u64) -> Table {
        Table { octal, ..self }
    }

    fn parts(&self, abi: Abi) -> &'static [&'static [Part]] {
        match (abi, self.on_arm64) {
            (Abi::Aarch64, Some(parts)) => parts,
            _ => self.parts,
        }
    }
}
