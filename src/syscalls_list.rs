//! `ior syscalls`: what is traced, by family and kind, and on request what is not and why.

use std::io::{self, Write};

use ior_core::syscall::SYSCALLS;
use ior_core::{Family, Kind, Syscall};
use serde_json::json;

use crate::cli::Form;

/// Lists the traced syscalls; with `all` the others too.
pub fn print(all: bool, form: Form, out: &mut dyn Write) -> io::Result<()> {
    match form {
        Form::Json => SYSCALLS
            .iter()
            .filter(|syscall| all || syscall.ignored.is_none())
            .try_for_each(|syscall| writeln!(out, "{}", object(syscall))),
        Form::Text => {
            print_traced(out)?;
            if all { print_ignored(out) } else { Ok(()) }
        }
    }
}

fn object(syscall: &Syscall) -> serde_json::Value {
    json!({
        "name": syscall.name,
        "nr": syscall.nr,
        "family": syscall.family.as_str(),
        "kind": syscall.ignored.is_none().then(|| syscall.kind.as_str()),
        "bytes": syscall.bytes.as_str(),
        "default": syscall.default,
        "ignored": syscall.ignored,
    })
}

fn print_traced(out: &mut dyn Write) -> io::Result<()> {
    let traced = || SYSCALLS.iter().filter(|syscall| syscall.ignored.is_none());
    let not_by_default = traced().filter(|syscall| !syscall.default).count();
    let mark = if not_by_default > 0 {
        ", * only when selected"
    } else {
        ""
    };
    writeln!(
        out,
        "Traced: {} syscalls, by family and kind{mark}",
        traced().count()
    )?;
    for family in Family::ALL {
        if !traced().any(|syscall| syscall.family == family) {
            continue;
        }
        writeln!(out, "\n{}", family.as_str())?;
        for kind in Kind::ALL {
            let names: Vec<_> = traced()
                .filter(|syscall| syscall.family == family && syscall.kind == kind)
                .map(|syscall| {
                    if syscall.default {
                        syscall.name.into()
                    } else {
                        format!("{}*", syscall.name)
                    }
                })
                .collect();
            print_names(kind.as_str(), &names, out)?;
        }
    }
    Ok(())
}

/// A kind's names, wrapped to 80 columns and aligned below each other.
fn print_names(kind: &str, names: &[String], out: &mut dyn Write) -> io::Result<()> {
    const INDENT: usize = 18;
    const WIDTH: usize = 80;
    let mut line = format!("  {kind:<16}");
    for name in names {
        if line.len() > INDENT && line.len() + name.len() > WIDTH {
            writeln!(out, "{}", line.trim_end())?;
            line = " ".repeat(INDENT);
        }
        line.push_str(name);
        line.push(' ');
    }
    if names.is_empty() {
        Ok(())
    } else {
        writeln!(out, "{}", line.trim_end())
    }
}

fn print_ignored(out: &mut dyn Write) -> io::Result<()> {
    let ignored = || {
        SYSCALLS
            .iter()
            .filter_map(|syscall| Some((syscall, syscall.ignored?)))
    };
    let width = ignored()
        .map(|(syscall, _)| syscall.name.len())
        .max()
        .unwrap_or(0);
    writeln!(
        out,
        "\nNot traced by this version: {} syscalls\n",
        ignored().count()
    )?;
    for (syscall, reason) in ignored() {
        writeln!(
            out,
            "  {:<width$}  {:<8}  {reason}",
            syscall.name,
            syscall.family.as_str()
        )?;
    }
    Ok(())
}
