//! `codegen`: writes every file that follows from the syscall table, or checks that they are fresh.

mod c;
mod doc;
mod rust;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::captures::{self, Capture};
use crate::join::{self, Syscall};
use crate::table::{self, Table};
use crate::workspace;

/// Everything a generated file is made of.
struct Input<'a> {
    table: &'a Table,
    captures: &'a [Capture],
    syscalls: &'a [Syscall<'a>],
    constants: &'a [(&'static str, usize)],
    /// Scenarios of the end-to-end tests by syscall.
    scenarios: &'a BTreeMap<String, String>,
}

/// A generated file.
struct Output {
    path: PathBuf,
    text: String,
}

/// Constants shared with the BPF programs: the Rust source that defines each one, and its name.
const CONSTANTS: [(&str, &str); 4] = [
    ("crates/ior-core/src/syscall.rs", "NO_ARG"),
    ("crates/ior-core/src/syscall.rs", MAX_NR),
    ("crates/ior-core/src/syscall.rs", "MAX_SLOT"),
    ("crates/ior-core/src/totals.rs", "LATENCY_BUCKETS"),
];

const MAX_NR: &str = "MAX_NR";

/// Runs `codegen [--check]`.
pub fn run(args: &[String]) -> Result<()> {
    let root = workspace::root()?;
    match args {
        [] => write(&outputs(&root)?),
        [flag] if flag == "--check" => check(&outputs(&root)?),
        _ => bail!("usage: cargo xtask codegen [--check]"),
    }
}

/// Joins the table with the captures and that of one more kernel, as strictly as for generating; returns the names of
/// the table that kernel lacks.
pub fn audit(running: Capture) -> Result<Vec<String>> {
    let root = workspace::root()?;
    let (table, mut captures) = sources(&root)?;
    let names = table.lines.iter().map(|line| line.name.as_str());
    let absent = names
        .filter(|name| !running.syscalls.contains_key(*name))
        .map(str::to_owned)
        .collect();
    captures.push(running);
    join::join(&table, &captures, max_nr(&constants(&root)?))?;
    Ok(absent)
}

fn sources(root: &Path) -> Result<(Table, Vec<Capture>)> {
    let path = root.join("syscalls/table.toml");
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let captures = captures::read_all(&root.join("syscalls/captures"))?;
    Ok((table::parse(&text)?, captures))
}

fn outputs(root: &Path) -> Result<Vec<Output>> {
    let (table, captures) = sources(root)?;
    let constants = constants(root)?;
    let syscalls = join::join(&table, &captures, max_nr(&constants))?;
    let input = Input {
        table: &table,
        captures: &captures,
        syscalls: &syscalls,
        constants: &constants,
        scenarios: &scenarios(root)?,
    };
    let file = |path, text| Output {
        path: root.join(path),
        text,
    };
    Ok(vec![
        file("crates/ior-core/src/syscall/table.rs", rust::table(&input)),
        file(
            "crates/ior-core/src/syscall/numbers.rs",
            rust::numbers(&input),
        ),
        file("crates/ior-bpf/bpf/kinds.gen.h", c::header(&input)),
        file("docs/syscalls.md", doc::page(&input)),
    ])
}

fn write(outputs: &[Output]) -> Result<()> {
    for output in outputs {
        if !is_fresh(output) {
            fs::write(&output.path, &output.text)
                .with_context(|| format!("cannot write {}", output.path.display()))?;
            println!("wrote {}", output.path.display());
        }
    }
    Ok(())
}

fn check(outputs: &[Output]) -> Result<()> {
    let stale: Vec<String> = outputs
        .iter()
        .filter(|output| !is_fresh(output))
        .map(|output| output.path.display().to_string())
        .collect();
    if !stale.is_empty() {
        bail!("stale, run `cargo xtask codegen`: {}", stale.join(", "));
    }
    Ok(())
}

fn is_fresh(output: &Output) -> bool {
    fs::read_to_string(&output.path).is_ok_and(|text| text == output.text)
}

/// `syscalls/scenarios.txt`, which the end-to-end tests write: `NAME: SCENARIO…`, one line a syscall.
fn scenarios(root: &Path) -> Result<BTreeMap<String, String>> {
    let path = root.join("syscalls/scenarios.txt");
    let text =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().filter_map(|line| line.split_once(": "));
    Ok(lines
        .map(|(name, scenarios)| (name.to_owned(), scenarios.to_owned()))
        .collect())
}

fn constants(root: &Path) -> Result<Vec<(&'static str, usize)>> {
    CONSTANTS
        .iter()
        .map(|&(file, name)| {
            let text = fs::read_to_string(root.join(file))
                .with_context(|| format!("cannot read {file}"))?;
            let value = constant(&text, name)
                .with_context(|| format!("{file} defines no number {name}"))?;
            Ok((name, value))
        })
        .collect()
}

fn max_nr(constants: &[(&str, usize)]) -> usize {
    constants.iter().find(|c| c.0 == MAX_NR).map_or(0, |c| c.1)
}

/// The value of `pub const NAME: TYPE = NUMBER;`.
fn constant(source: &str, name: &str) -> Option<usize> {
    let start = format!("pub const {name}:");
    let line = source.lines().find(|line| line.starts_with(&start))?;
    let (_, value) = line.strip_suffix(';')?.split_once('=')?;
    value.trim().parse().ok()
}

/// `two_fds` → `TwoFds`, `AIO` → `Aio`.
fn pascal_case(name: &str) -> String {
    name.split('_').map(sentence_case).collect()
}

/// The first letter in upper case, the others in lower case.
fn sentence_case(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters.flat_map(char::to_lowercase)).collect()
}

/// The first letter in upper case, the others as they are.
fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generated_files_are_fresh() {
        check(&outputs(&workspace::root().unwrap()).unwrap()).unwrap();
    }

    #[test]
    fn a_stale_file_is_named() {
        let stale = Output {
            path: PathBuf::from("no/such/file.rs"),
            text: String::new(),
        };
        let error = check(&[stale]).unwrap_err().to_string();
        assert!(error.contains("no/such/file.rs"), "{error}");
    }

    #[test]
    fn a_constant_is_read_from_its_definition() {
        let source = "/// Doc.\npub const OTHER: u8 = 1;\npub const MAX_NR: usize = 512;\n";
        assert_eq!(constant(source, "MAX_NR"), Some(512));
        assert_eq!(constant(source, "MAX"), None);
    }

    #[test]
    fn names_become_rust_names() {
        assert_eq!(pascal_case("two_fds"), "TwoFds");
        assert_eq!(pascal_case("AIO"), "Aio");
    }
}
