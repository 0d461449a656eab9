//! `syscalls/table.toml` as written: the lines and their keys, not yet joined with the captures.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use toml::{Table as Toml, Value};

/// The roles that say which objects a call works on, in the order of `Roles` in `ior-core`.
pub const OBJECT_ROLES: [&str; 7] = ["fd", "fd2", "dir", "path", "dir2", "path2", "out"];

/// A value of a call's record, and the roles of which one may fill it.
#[derive(Debug)]
pub struct Slot {
    /// Its name in `Roles` and in `struct syscall_desc`.
    pub name: &'static str,
    /// Role, and the variant of the slot's enum that says so.
    pub roles: &'static [(&'static str, &'static str)],
}

/// The values of a record; their roles go with every kind.
pub const SLOTS: [Slot; 3] = [
    Slot {
        name: "count",
        roles: &[
            ("count", "Bytes"),
            ("nfds", "Descriptors"),
            ("clock", "Clock"),
            ("space", "Space"),
            ("events", "Events"),
        ],
    },
    Slot {
        name: "offset",
        roles: &[
            ("offset", "Position"),
            ("timeout", "Timeout"),
            ("sleep", "Sleep"),
            ("space2", "Space"),
            ("target", "Target"),
        ],
    },
    Slot {
        name: "flags",
        roles: &[("flags", "Flags"), ("op", "Operation")],
    },
];

/// Every role, in the order in which documents list them.
pub fn roles() -> impl Iterator<Item = &'static str> {
    let values = SLOTS.iter().flat_map(|slot| slot.roles).map(|role| role.0);
    OBJECT_ROLES.into_iter().chain(values)
}

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
    /// 32-bit calls of x86 that have no like among the 64-bit ones.
    pub ia32: Vec<Line>,
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
        !OBJECT_ROLES.contains(&role) || listed(&self.needs) || listed(&self.takes)
    }
}

/// One syscall's line.
#[derive(Debug, Default)]
pub struct Line {
    /// The tracepoint's name.
    pub name: String,
    /// Number on x86_64, or among the 32-bit calls.
    pub nr: u16,
    /// Number on aarch64, if that has it.
    pub arm64: Option<u16>,
    /// Number among the 32-bit calls of x86, where that is the same call with the same arguments.
    pub ia32: Option<u16>,
    /// Whether it is traced unless something is asked for; where it is not said, the family decides.
    pub default: Option<bool>,
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
pub const BYTE_CLASSES: [(&str, &str); 6] = [
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
    (
        "xattr",
        "as read, but nothing where `count` is 0: a size probe",
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
        ia32: Vec::new(),
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
    for (name, value) in section(&mut toml, "ia32")? {
        table
            .ia32
            .push(line(&name, value).with_context(|| format!("32-bit call {name}"))?);
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
        if !OBJECT_ROLES.contains(&role.as_str()) {
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
            "nr" => nr = Some(number(value)?),
            "arm64" => line.arm64 = Some(number(value)?),
            "ia32" => line.ia32 = Some(number(value)?),
            "default" => line.default = Some(value.as_bool().context("`default` is no bool")?),
            "abi" => line.abi = Some(string(value)?),
            "family" => line.family = string(value)?,
            "kind" => line.kind = Some(string(value)?),
            "bytes" => line.bytes = string(value)?,
            "ignore" => line.ignore = Some(string(value)?),
            key => match roles().find(|role| *role == key) {
                Some(role) => drop(line.roles.insert(role, string(value)?)),
                None => bail!("unknown key `{key}`"),
            },
        }
    }
    line.nr = nr.context("`nr` is missing")?;
    Ok(line)
}

fn number(value: Value) -> Result<u16> {
    value
        .as_integer()
        .and_then(|number| u16::try_from(number).ok())
        .with_context(|| format!("{value} is no syscall number"))
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
