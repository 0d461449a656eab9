//! `syscalls/table.toml` as written: the lines and their keys, not yet joined with the captures.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use toml::{Table as Toml, Value};

/// The roles an argument can have, in the order of `Roles` in `ior-core`.
pub const ROLES: [&str; 9] = [
    "fd", "fd2", "dir", "path", "dir2", "path2", "count", "offset", "flags",
];

/// Roles that go with every kind.
const COMMON_ROLES: [&str; 3] = ["count", "offset", "flags"];

/// What the table says.
#[derive(Debug)]
pub struct Table {
    /// Syscalls the libc crate has no number for.
    pub libc_lacks: Vec<String>,
    /// In the order of their numbers.
    pub kinds: Vec<Kind>,
    /// Name and description.
    pub families: Vec<(String, String)>,
    /// In the order written.
    pub lines: Vec<Line>,
}

/// How the objects of a call are found.
#[derive(Debug)]
pub struct Kind {
    /// Its name, `two_fds`.
    pub name: String,
    /// What it means.
    pub does: String,
    /// Roles a call of this kind must have.
    pub needs: Vec<String>,
    /// Roles it may have besides.
    pub takes: Vec<String>,
}

impl Kind {
    /// Whether a call of this kind can have that role.
    pub fn allows(&self, role: &str) -> bool {
        let listed = |roles: &[String]| roles.iter().any(|r| r == role);
        COMMON_ROLES.contains(&role) || listed(&self.needs) || listed(&self.takes)
    }
}

/// One syscall's line.
#[derive(Debug, Default)]
pub struct Line {
    /// The tracepoint's name.
    pub name: String,
    /// Number on x86_64.
    pub nr: u16,
    /// The name of the number where it differs.
    pub abi: Option<String>,
    /// One of the families.
    pub family: String,
    /// One of the kinds; none for an ignored syscall.
    pub kind: Option<String>,
    /// One of [`BYTE_CLASSES`].
    pub bytes: String,
    /// Why the syscall is not traced.
    pub ignore: Option<String>,
    /// Field names by role, as written.
    pub roles: BTreeMap<&'static str, String>,
}

/// The byte classes, in the order of their numbers.
pub const BYTE_CLASSES: [(&str, &str); 5] = [
    ("none", "a result is no payload"),
    ("read", "a positive result is bytes read"),
    ("write", "a positive result is bytes written"),
    (
        "transfer",
        "a positive result is bytes read from one file and written to another",
    ),
    (
        "receive",
        "as read, but nothing with MSG_PEEK, and at most the buffer (`count`) with MSG_TRUNC",
    ),
];

/// Parses the table.
pub fn parse(text: &str) -> Result<Table> {
    let mut toml: Toml = text.parse().context("syscall table")?;
    let mut table = Table {
        libc_lacks: strings(toml.remove("libc_lacks"), "libc_lacks")?,
        kinds: Vec::new(),
        families: Vec::new(),
        lines: Vec::new(),
    };
    for (name, value) in section(&mut toml, "kinds")? {
        table
            .kinds
            .push(kind(&name, value).with_context(|| format!("kind {name}"))?);
    }
    for (name, value) in section(&mut toml, "families")? {
        let does = string(value).with_context(|| format!("family {name}"))?;
        table.families.push((name, does));
    }
    for (name, value) in section(&mut toml, "syscalls")? {
        table
            .lines
            .push(line(&name, value).with_context(|| format!("syscall {name}"))?);
    }
    match toml.keys().next() {
        Some(key) => bail!("unknown key `{key}`"),
        None => Ok(table),
    }
}

fn section(toml: &mut Toml, name: &str) -> Result<Toml> {
    match toml.remove(name) {
        Some(Value::Table(section)) => Ok(section),
        _ => bail!("the table has no section [{name}]"),
    }
}

fn kind(name: &str, value: Value) -> Result<Kind> {
    let Value::Table(mut keys) = value else {
        bail!("not of the form {{ does = … }}");
    };
    let kind = Kind {
        name: name.to_owned(),
        does: string(keys.remove("does").context("`does` is missing")?)?,
        needs: strings(keys.remove("needs"), "needs")?,
        takes: strings(keys.remove("takes"), "takes")?,
    };
    if let Some(key) = keys.keys().next() {
        bail!("unknown key `{key}`");
    }
    for role in kind.needs.iter().chain(&kind.takes) {
        if !ROLES.contains(&role.as_str()) {
            bail!("unknown role `{role}`");
        }
    }
    Ok(kind)
}

fn line(name: &str, value: Value) -> Result<Line> {
    let Value::Table(keys) = value else {
        bail!("not of the form {{ nr = … }}");
    };
    let mut line = Line {
        name: name.to_owned(),
        bytes: "none".to_owned(),
        ..Line::default()
    };
    let mut nr = None;
    for (key, value) in keys {
        match key.as_str() {
            "nr" => nr = value.as_integer().and_then(|n| u16::try_from(n).ok()),
            "abi" => line.abi = Some(string(value)?),
            "family" => line.family = string(value)?,
            "kind" => line.kind = Some(string(value)?),
            "bytes" => line.bytes = string(value)?,
            "ignore" => line.ignore = Some(string(value)?),
            key => match ROLES.into_iter().find(|role| *role == key) {
                Some(role) => drop(line.roles.insert(role, string(value)?)),
                None => bail!("unknown key `{key}`"),
            },
        }
    }
    line.nr = nr.context("`nr` is missing or no number")?;
    Ok(line)
}

fn string(value: Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        other => bail!("{other} is no string"),
    }
}

fn strings(value: Option<Value>, key: &str) -> Result<Vec<String>> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::Array(values)) => values.into_iter().map(string).collect(),
        Some(_) => bail!("`{key}` is no list"),
    }
}
