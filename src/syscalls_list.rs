//! `ior syscalls`: what can be traced, by family and kind, and what of it is traced when nothing is selected. On request also
//! the names only 32-bit programs have.

use std::io::{self, Write};

use ior_core::syscall::SYSCALLS;
use ior_core::{Abi, Family, Kind, Syscall};
use serde_json::json;

use crate::cli::Form;

/// Lists the machine's own syscalls; with `all` the 32-bit ones too.
pub fn print(all: bool, form: Form, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Json => SYSCALLS
            .iter()
            .filter(|syscall| all || is_native(syscall))
            .try_for_each(|syscall| writeln!(out, "{}", object(syscall))),
        Form::Text => {
            print_heading(out)?;
            let native: Vec<_> = SYSCALLS.iter().filter(|s| is_native(s)).collect();
            print_families(&native, out)?;
            if !all {
                return Ok(());
            }
            let only_32_bit: Vec<_> = SYSCALLS.iter().filter(|s| is_only_32_bit(s)).collect();
            writeln!(
                out,
                "\nOnly in 32-bit programs: {} syscalls",
                only_32_bit.len()
            )?;
            print_families(&only_32_bit, out)
        }
    }
}

fn is_native(syscall: &Syscall) -> bool {
    syscall.abi != Abi::Ia32
}

/// Whether a name is in the 32-bit table alone.
fn is_only_32_bit(syscall: &Syscall) -> bool {
    ior_core::syscall::by_name(syscall.name).is_some_and(|first| !is_native(first))
}

fn object(syscall: &Syscall) -> serde_json::Value {
    json!({
        "name": syscall.name,
        "abi": syscall.abi.as_str(),
        "nr": syscall.nr,
        "family": syscall.family.as_str(),
        "kind": syscall.kind.as_str(),
        "bytes": syscall.bytes.as_str(),
        "default": syscall.default,
    })
}

fn print_heading(out: &mut dyn Write) -> io::Result<()> {
    let native = || SYSCALLS.iter().filter(|syscall| is_native(syscall));
    let by_default = native().filter(|syscall| syscall.default).count();
    write!(
        out,
        "\
{} syscalls by family and kind: {by_default} traced by default, and on lines marked
with + {} that are traced on request (--trace-families, --trace-kinds and
--trace-syscalls; `--trace-families all` is every one).
",
        native().count(),
        native().count() - by_default,
    )
}

/// A block a family, in it for each kind what is traced by default and then, marked, what is not.
fn print_families(syscalls: &[&Syscall], out: &mut dyn Write) -> io::Result<()> {
    for family in Family::ALL {
        let members = || syscalls.iter().filter(|syscall| syscall.family == family);
        let (count, by_default) = (members().count(), members().filter(|s| s.default).count());
        if count == 0 {
            continue;
        }
        writeln!(
            out,
            "\n{}: {by_default} of {count} by default",
            family.as_str()
        )?;
        for kind in Kind::ALL {
            for (default, mark) in [(true, ' '), (false, '+')] {
                let names: Vec<_> = members()
                    .filter(|syscall| syscall.kind == kind && syscall.default == default)
                    .map(|syscall| syscall.name)
                    .collect();
                print_names(mark, kind, &names, out)?;
            }
        }
    }
    Ok(())
}

/// Names, wrapped to 80 columns and aligned below each other behind a mark and their kind; nothing if there are none.
fn print_names(mark: char, kind: Kind, names: &[&str], out: &mut dyn Write) -> io::Result<()> {
    const INDENT: usize = 18;
    const WIDTH: usize = 80;
    if names.is_empty() {
        return Ok(());
    }
    let mut line = format!("{mark} {:<16}", kind.as_str());
    for name in names {
        if line.len() > INDENT && line.len() + name.len() > WIDTH {
            writeln!(out, "{}", line.trim_end())?;
            line = " ".repeat(INDENT);
        }
        line.push_str(name);
        line.push(' ');
    }
    writeln!(out, "{}", line.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(all: bool, form: Form) -> String {
        let mut out = Vec::new();
        print(all, form, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_name_is_listed_once_within_80_columns() {
        let text = printed(true, Form::Text);
        assert!(text.lines().all(|line| line.len() <= 80), "{text}");
        let words: Vec<_> = text
            .lines()
            .filter_map(|line| line.get(18..).filter(|_| line.starts_with([' ', '+'])))
            .flat_map(str::split_whitespace)
            .collect();
        let mut names: Vec<_> = SYSCALLS.iter().map(|syscall| syscall.name).collect();
        names.dedup();
        for name in &names {
            let times = words.iter().filter(|word| *word == name).count();
            assert_eq!(times, 1, "{name}");
        }
        assert_eq!(words.len(), names.len());
        assert!(text.starts_with(&printed(false, Form::Text)));
    }

    #[test]
    fn what_is_not_traced_by_default_is_marked() {
        let text = printed(false, Form::Text);
        let marked = |name: &str| {
            let mut mark = None;
            for line in text.lines() {
                if !line.starts_with("   ") {
                    mark = line.chars().next();
                }
                if line.split_whitespace().any(|word| word == name) {
                    return mark == Some('+');
                }
            }
            panic!("{name} is not listed");
        };
        assert!(marked("getpid") && marked("clock_gettime"));
        assert!(!marked("openat") && !marked("read"));
    }

    #[test]
    fn json_has_an_object_a_call() {
        let native = printed(false, Form::Json);
        let openat: Vec<_> = native
            .lines()
            .filter(|line| line.contains(r#""name":"openat""#))
            .collect();
        assert_eq!(openat.len(), 1);
        let openat: serde_json::Value = serde_json::from_str(openat[0]).unwrap();
        assert_eq!(openat["family"], "FS");
        assert_eq!(openat["kind"], "open");
        assert_eq!(openat["default"], true);
        assert_eq!(printed(true, Form::Json).lines().count(), SYSCALLS.len());
    }
}
