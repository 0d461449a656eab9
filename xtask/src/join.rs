//! The table joined with the captures: field names become argument positions, and everything that does not fit is
//! a problem with a name.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, bail};

use crate::captures::Capture;
use crate::table::{BYTE_CLASSES, Kind, Line, SLOTS, Table};

/// Largest number of arguments of a syscall.
const MAX_ARGS: usize = 6;

/// The special value of the role `offset`: the file's position before the call.
const F_POS: &str = "f_pos";

/// How an argument stands for the value of a slot: the prefix in the table, and the variant of `CountForm`,
/// `OffsetForm` or `FlagsForm`. Without a prefix it is the value.
const FORMS: [(&str, &str, &str); 17] = [
    ("count", "#", "Iovec"),
    ("count", "@", "Msghdr"),
    ("count", "xattr_args:", "XattrArgs"),
    ("space", "brk:", "Brk"),
    ("nfds", "int:", "Int"),
    ("flags", "*", "Pointer"),
    ("timeout", "ms:", "Value"),
    ("timeout", "timespec:", "Timespec"),
    ("timeout", "timeval:", "Timeval"),
    ("timeout", "timespec32:", "Timespec32"),
    ("timeout", "timeval32:", "Timeval32"),
    ("timeout", "ktime:", "Ktime"),
    ("timeout", "ktime32:", "Ktime32"),
    ("sleep", "timespec:", "Timespec"),
    ("sleep", "timespec32:", "Timespec32"),
    ("offset", "pages:", "Pages"),
    ("offset", "or_f_pos:", "OrFPos"),
];

/// Whose number it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Abi {
    X86_64,
    Ia32,
}

/// What fills a slot of the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filled {
    /// The argument, none if the value is not an argument's.
    pub arg: Option<usize>,
    /// The variant that says what it means.
    pub is: &'static str,
    /// The variant that says how it is passed.
    pub form: &'static str,
}

/// One syscall, checked.
#[derive(Debug)]
pub struct Syscall<'a> {
    /// Its line.
    pub line: &'a Line,
    /// Whose number `nr` is.
    pub abi: Abi,
    /// Its number.
    pub nr: u16,
    /// Its kind; the first one for an ignored syscall.
    pub kind: &'a Kind,
    /// Traced unless something is asked for.
    pub default: bool,
    /// Argument positions of objects by role.
    pub args: BTreeMap<&'static str, usize>,
    /// The slots of the record that have a value, by name.
    pub slots: BTreeMap<&'static str, Filled>,
    /// The name is a text relative to nothing.
    pub path_is_text: bool,
    /// The old name is one.
    pub path2_is_text: bool,
    /// The captured kernels that have it.
    pub kernels: Vec<&'a str>,
}

/// The families whose calls are all traced unless something is asked for.
const DEFAULT_FAMILIES: [&str; 2] = ["FS", "AIO"];

/// Joins the table with the captures; the syscalls come back sorted bytewise by name. The error lists every problem.
pub fn join<'a>(
    table: &'a Table,
    captures: &'a [Capture],
    max_nr: usize,
) -> Result<Vec<Syscall<'a>>> {
    let mut problems = missing_lines(table, captures);
    let own = table.ia32.iter().map(|line| (line.nr, &line.name));
    let shared = table
        .lines
        .iter()
        .filter_map(|line| Some((line.ia32?, &line.name)));
    let x86_64 = table.lines.iter().map(|line| (line.nr, &line.name));
    let arm64 = table
        .lines
        .iter()
        .filter_map(|line| Some((line.arm64?, &line.name)));
    problems.extend(wrong_numbers("nr", x86_64, max_nr));
    problems.extend(wrong_numbers("arm64", arm64, max_nr));
    problems.extend(wrong_numbers("ia32", own.chain(shared), max_nr));
    problems.extend(wrong_order(table, &table.lines));
    problems.extend(wrong_order(table, &table.ia32));
    let mut syscalls = Vec::new();
    for line in &table.lines {
        match join_line(table, captures, line) {
            Ok(syscall) => {
                syscalls.extend(line.ia32.map(|nr| Syscall {
                    abi: Abi::Ia32,
                    nr,
                    args: syscall.args.clone(),
                    slots: syscall.slots.clone(),
                    kernels: Vec::new(),
                    ..syscall
                }));
                syscalls.push(syscall);
            }
            Err(error) => problems.push(format!("syscall {}: {error}", line.name)),
        }
    }
    for line in &table.ia32 {
        match join_ia32(table, line) {
            Ok(syscall) => syscalls.push(syscall),
            Err(error) => problems.push(format!("32-bit call {}: {error}", line.name)),
        }
    }
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    syscalls.sort_by_key(|syscall| (&syscall.line.name, syscall.abi));
    let twice = syscalls
        .windows(2)
        .find(|pair| pair[0].line.name == pair[1].line.name && pair[0].abi == pair[1].abi);
    if let Some(pair) = twice {
        bail!(
            "32-bit call {}: it has a line of its own and `ia32` in another",
            pair[0].line.name
        );
    }
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

fn wrong_numbers<'a>(
    what: &str,
    numbers: impl Iterator<Item = (u16, &'a String)>,
    max_nr: usize,
) -> Vec<String> {
    let mut owners: BTreeMap<u16, &str> = BTreeMap::new();
    let mut problems = Vec::new();
    for (nr, name) in numbers {
        if let Some(other) = owners.insert(nr, name) {
            problems.push(format!("syscalls {other} and {name} both have {what} {nr}"));
        }
        if usize::from(nr) >= max_nr {
            problems.push(format!(
                "syscall {name}: {what} {nr} is not below MAX_NR = {max_nr}"
            ));
        }
    }
    problems
}

/// Lines are grouped by family, and sorted bytewise within a group.
fn wrong_order(table: &Table, lines: &[Line]) -> Option<String> {
    let place = |line: &'_ Line| table.families.iter().position(|f| f.0 == line.family);
    lines.windows(2).find_map(|pair| {
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
    let seen: Vec<(&str, &[String])> = captures
        .iter()
        .filter_map(|c| Some((c.kernel.as_str(), c.syscalls.get(&line.name)?.as_slice())))
        .collect();
    if seen.is_empty() {
        bail!("no capture has it");
    }
    let mut syscall = start(table, line, Abi::X86_64)?;
    syscall.kernels = seen.iter().map(|(kernel, _)| *kernel).collect();
    fill(&mut syscall, |role, fields| {
        Ok((position(role, fields, &seen)?, None))
    })?;
    widen_flags(&mut syscall, captures);
    Ok(syscall)
}

/// Flags have 64 bits where the kernel takes as many.
fn widen_flags(syscall: &mut Syscall<'_>, captures: &[Capture]) {
    let name = &syscall.line.name;
    let is_long = |fields: &str| {
        captures.iter().any(|capture| {
            fields
                .split('|')
                .any(|field| capture.longs.contains(&(name.clone(), field.to_owned())))
        })
    };
    if let Some(flags) = syscall.slots.get_mut("flags")
        && flags.form == "Value"
        && syscall
            .line
            .roles
            .get("flags")
            .is_some_and(|fields| is_long(fields))
    {
        flags.form = "Long";
    }
}

/// A line whose roles are argument positions: no capture has the 32-bit calls.
fn join_ia32<'a>(table: &'a Table, line: &'a Line) -> Result<Syscall<'a>> {
    if line.arm64.is_some() || line.ia32.is_some() {
        bail!("`nr` is its only number");
    }
    let mut syscall = start(table, line, Abi::Ia32)?;
    fill(&mut syscall, |role, positions| {
        let number = |text: &str| text.parse().ok().filter(|at| *at < MAX_ARGS);
        let places = match positions.split_once(':') {
            Some((low, high)) => number(low).zip(number(high).map(Some)),
            None => number(positions).zip(Some(None)),
        };
        match places {
            Some(places) => Ok(places),
            None => bail!("role {role}: `{positions}` is no argument position"),
        }
    })?;
    Ok(syscall)
}

fn start<'a>(table: &'a Table, line: &'a Line, abi: Abi) -> Result<Syscall<'a>> {
    if !table.families.iter().any(|f| f.0 == line.family) {
        bail!("unknown family `{}`", line.family);
    }
    if !BYTE_CLASSES.iter().any(|class| class.0 == line.bytes) {
        bail!("unknown byte class `{}`", line.bytes);
    }
    let by_family = DEFAULT_FAMILIES.contains(&line.family.as_str());
    if line.default == Some(by_family) {
        bail!("`default = {by_family}` is what its family says");
    }
    Ok(Syscall {
        line,
        abi,
        nr: line.nr,
        kind: kind_of(table, line)?,
        default: line.ignore.is_none() && line.default.unwrap_or(by_family),
        args: BTreeMap::new(),
        slots: BTreeMap::new(),
        path_is_text: false,
        path2_is_text: false,
        kernels: Vec::new(),
    })
}

/// Puts every role of the line into its place. `position` finds an argument, and the second one of a pair of registers.
fn fill(
    syscall: &mut Syscall<'_>,
    position: impl Fn(&str, &str) -> Result<(usize, Option<usize>)>,
) -> Result<()> {
    for (role, value) in &syscall.line.roles {
        let slot = SLOTS
            .iter()
            .find_map(|slot| Some((slot, slot.roles.iter().find(|known| known.0 == *role)?.1)));
        let Some((slot, is)) = slot else {
            let text = value.strip_prefix('=');
            match *role {
                "path" => syscall.path_is_text = text.is_some(),
                "path2" => syscall.path2_is_text = text.is_some(),
                _ => {}
            }
            let (at, _) = position(role, text.unwrap_or(value))?;
            syscall.args.insert(role, at);
            continue;
        };
        let filled = if *role == "offset" && value == F_POS {
            Filled {
                arg: None,
                is,
                form: "FPos",
            }
        } else {
            let (form, fields) = form_of(role, value);
            match position(role, fields)? {
                (at, None) => Filled {
                    arg: Some(at),
                    is,
                    form,
                },
                (low, Some(high))
                    if matches!(form, "Value" | "OrFPos")
                        && slot.name != "flags"
                        && high == low + 1 =>
                {
                    Filled {
                        arg: Some(low),
                        is,
                        form: if form == "Value" {
                            "Pair"
                        } else {
                            "PairOrFPos"
                        },
                    }
                }
                _ => bail!("role {role}: `{value}` is no value in two registers"),
            }
        };
        if syscall.slots.insert(slot.name, filled).is_some() {
            bail!("role {role}: another role has its place in the record already");
        }
    }
    Ok(())
}

/// How the argument is passed, and the rest of the text. The events of `epoll_ctl` have one form.
fn form_of<'v>(role: &str, value: &'v str) -> (&'static str, &'v str) {
    let prefixed = FORMS
        .iter()
        .filter(|form| form.0 == role)
        .find_map(|form| Some((form.2, value.strip_prefix(form.1)?)));
    match (role, prefixed) {
        (_, Some(found)) => found,
        ("events", None) => ("EpollEvents", value),
        (_, None) => ("Value", value),
    }
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
        if let Some(role) = line.roles.keys().find(|role| !kind.allows(role)) {
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
