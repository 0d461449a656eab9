//! The table joined with the captures: field names become argument positions, and everything that does not fit is
//! a problem with a name.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};

use crate::captures::Capture;
use crate::table::{BYTE_CLASSES, Kind, Line, ROLES, Table};

/// Largest number of arguments of a syscall.
const MAX_ARGS: usize = 6;

/// The special value of the role `offset`: the file's position before the call.
const F_POS: &str = "f_pos";

/// One syscall, checked.
#[derive(Debug)]
pub struct Syscall<'a> {
    /// Its line.
    pub line: &'a Line,
    /// Its kind; the first one for an ignored syscall.
    pub kind: &'a Kind,
    /// Argument positions by role.
    pub args: BTreeMap<&'static str, usize>,
    /// The offset is the file's position.
    pub offset_is_f_pos: bool,
    /// The flags argument is a pointer.
    pub flags_by_pointer: bool,
    /// How `count` is passed: one of the variants of `CountForm`.
    pub count_form: &'static str,
    /// The old name is a text relative to nothing.
    pub path2_is_text: bool,
    /// The captured kernels that have it.
    pub kernels: Vec<&'a str>,
}

/// Joins the table with the captures; the syscalls come back sorted bytewise by name. The error lists every problem.
pub fn join<'a>(
    table: &'a Table,
    captures: &'a [Capture],
    max_nr: usize,
) -> Result<Vec<Syscall<'a>>> {
    let mut problems = missing_lines(table, captures);
    problems.extend(wrong_numbers(table, max_nr));
    problems.extend(wrong_order(table));
    let mut syscalls = Vec::new();
    for line in &table.lines {
        match join_line(table, captures, line) {
            Ok(syscall) => syscalls.push(syscall),
            Err(error) => problems.push(format!("syscall {}: {error}", line.name)),
        }
    }
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    syscalls.sort_by(|a, b| a.line.name.cmp(&b.line.name));
    Ok(syscalls)
}

fn missing_lines(table: &Table, captures: &[Capture]) -> Vec<String> {
    let lines: BTreeSet<&str> = table.lines.iter().map(|line| line.name.as_str()).collect();
    let mut missing: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for capture in captures {
        for name in capture.syscalls.keys() {
            if !lines.contains(name.as_str()) {
                missing.entry(name).or_default().push(&capture.kernel);
            }
        }
    }
    missing
        .iter()
        .map(|(name, kernels)| {
            format!("syscall {name} of linux {} has no line", kernels.join(", "))
        })
        .chain(
            table
                .libc_lacks
                .iter()
                .filter(|name| !lines.contains(name.as_str()))
                .map(|name| format!("libc_lacks names {name}, which has no line")),
        )
        .collect()
}

fn wrong_numbers(table: &Table, max_nr: usize) -> Vec<String> {
    let mut owners: BTreeMap<u16, &str> = BTreeMap::new();
    let mut problems = Vec::new();
    for line in &table.lines {
        if let Some(other) = owners.insert(line.nr, &line.name) {
            problems.push(format!(
                "syscalls {other} and {} both have nr {}",
                line.name, line.nr
            ));
        }
        if usize::from(line.nr) >= max_nr {
            problems.push(format!(
                "syscall {}: nr {} is not below MAX_NR = {max_nr}",
                line.name, line.nr
            ));
        }
    }
    problems
}

/// Lines are grouped by family, and sorted bytewise within a group.
fn wrong_order(table: &Table) -> Option<String> {
    let place = |line: &'_ Line| table.families.iter().position(|f| f.0 == line.family);
    table.lines.windows(2).find_map(|pair| {
        let [before, after] = pair else { return None };
        let sorted = (place(before), &before.name) < (place(after), &after.name);
        (!sorted).then(|| {
            format!(
                "syscall {}: its line belongs before that of {} (by family, then by name)",
                after.name, before.name
            )
        })
    })
}

fn join_line<'a>(table: &'a Table, captures: &'a [Capture], line: &'a Line) -> Result<Syscall<'a>> {
    if !table.families.iter().any(|f| f.0 == line.family) {
        bail!("unknown family `{}`", line.family);
    }
    if !BYTE_CLASSES.iter().any(|class| class.0 == line.bytes) {
        bail!("unknown byte class `{}`", line.bytes);
    }
    let seen: Vec<(&str, &[String])> = captures
        .iter()
        .filter_map(|c| Some((c.kernel.as_str(), c.syscalls.get(&line.name)?.as_slice())))
        .collect();
    if seen.is_empty() {
        bail!("no capture has it");
    }
    let mut syscall = Syscall {
        line,
        kind: kind_of(table, line)?,
        args: BTreeMap::new(),
        offset_is_f_pos: false,
        flags_by_pointer: false,
        path2_is_text: false,
        count_form: "Value",
        kernels: seen.iter().map(|(kernel, _)| *kernel).collect(),
    };
    for (role, value) in &line.roles {
        if *role == "offset" && value == F_POS {
            syscall.offset_is_f_pos = true;
            continue;
        }
        let fields = match (*role, value.split_at_checked(1)) {
            ("flags", Some(("*", fields))) => {
                syscall.flags_by_pointer = true;
                fields
            }
            ("count", Some(("#", fields))) => {
                syscall.count_form = "Iovec";
                fields
            }
            ("count", Some(("@", fields))) => {
                syscall.count_form = "Msghdr";
                fields
            }
            ("path2", Some(("=", fields))) => {
                syscall.path2_is_text = true;
                fields
            }
            _ => value,
        };
        syscall.args.insert(role, position(role, fields, &seen)?);
    }
    Ok(syscall)
}

fn kind_of<'a>(table: &'a Table, line: &Line) -> Result<&'a Kind> {
    let Some(first) = table.kinds.first() else {
        bail!("there are no kinds");
    };
    let kind = match (&line.kind, &line.ignore) {
        (None, Some(_)) => first,
        (Some(name), None) => match table.kinds.iter().find(|kind| kind.name == *name) {
            Some(kind) => kind,
            None => bail!("unknown kind `{name}`"),
        },
        (Some(_), Some(_)) => bail!("has both `kind` and `ignore`"),
        (None, None) => bail!("has neither `kind` nor `ignore`"),
    };
    if line.ignore.is_some() && !line.roles.is_empty() {
        bail!("is ignored and has roles");
    }
    if line.kind.is_some() {
        if let Some(role) = kind
            .needs
            .iter()
            .find(|r| !line.roles.contains_key(r.as_str()))
        {
            bail!("kind {} needs the role `{role}`", kind.name);
        }
        if let Some(role) = ROLES
            .iter()
            .find(|r| line.roles.contains_key(*r) && !kind.allows(r))
        {
            bail!("kind {} has no use for the role `{role}`", kind.name);
        }
    }
    Ok(kind)
}

/// Where the field is in every kernel that has the syscall. `fields` are alternatives, `a|b`, in order of preference.
fn position(role: &str, fields: &str, seen: &[(&str, &[String])]) -> Result<usize> {
    for field in fields.split('|') {
        if !seen.iter().any(|(_, args)| args.iter().any(|a| a == field)) {
            bail!("role {role}: no capture has a field `{field}`");
        }
    }
    let mut found: Option<(usize, &str)> = None;
    for &(kernel, args) in seen {
        let Some(here) = fields
            .split('|')
            .find_map(|field| args.iter().position(|a| a == field))
        else {
            bail!("role {role}: linux {kernel} has no field `{fields}`");
        };
        match found {
            Some((before, other)) if before != here => bail!(
                "role {role}: `{fields}` is argument {before} in linux {other} and {here} in linux {kernel}"
            ),
            _ => found = Some((here, kernel)),
        }
    }
    match found {
        Some((at, _)) if at < MAX_ARGS => Ok(at),
        _ => bail!("role {role}: `{fields}` is no argument"),
    }
}

#[cfg(test)]
mod tests;
