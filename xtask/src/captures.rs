//! Captured syscall tracepoint formats: one text file a kernel, one line a syscall,
//! `NAME|exit or -|FIELD@OFFSET:SIZE|…` with the fields in argument order.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

/// One kernel's syscall tracepoints.
#[derive(Debug)]
pub struct Capture {
    /// The kernel's version, `6.18`.
    pub kernel: String,
    /// Argument names in order, by syscall.
    pub syscalls: BTreeMap<String, Vec<String>>,
    /// Arguments that are numbers of 64 bits: syscall and name.
    pub longs: BTreeSet<(String, String)>,
}

/// Reads every `linux-VERSION-ARCH.txt` of a directory, oldest kernel first.
pub fn read_all(dir: &Path) -> Result<Vec<Capture>> {
    let mut captures = Vec::new();
    for entry in fs::read_dir(dir).with_context(|| format!("cannot list {}", dir.display()))? {
        let path = entry?.path();
        let Some(kernel) = kernel_of(&path) else {
            continue;
        };
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        captures.push(parse(&kernel, &text).with_context(|| format!("in {}", path.display()))?);
    }
    if captures.is_empty() {
        bail!("no captures in {}", dir.display());
    }
    captures.sort_by_key(|capture| version(&capture.kernel));
    Ok(captures)
}

/// Parses the text of one capture.
pub fn parse(kernel: &str, text: &str) -> Result<Capture> {
    let mut syscalls = BTreeMap::new();
    let mut longs = BTreeSet::new();
    for line in text.lines() {
        let mut parts = line.split('|');
        let (Some(name), Some("exit" | "-")) = (parts.next(), parts.next()) else {
            bail!("not a capture line: {line}");
        };
        let fields = parts.clone();
        longs.extend(
            fields
                .filter_map(long_argument)
                .map(|argument| (name.to_owned(), argument)),
        );
        let arguments = parts
            .filter_map(|field| argument(field).transpose())
            .collect::<Result<Vec<_>>>()
            .with_context(|| format!("syscall {name}"))?;
        if syscalls.insert(name.to_owned(), arguments).is_some() {
            bail!("syscall {name} is there twice");
        }
    }
    Ok(Capture {
        kernel: kernel.to_owned(),
        syscalls,
        longs,
    })
}

/// The argument a field describes; none for the copied strings (`__data_loc`) newer kernels append.
fn argument(field: &str) -> Result<Option<String>> {
    let Some((declaration, _)) = field.rsplit_once('@') else {
        bail!("not a field: {field}");
    };
    if declaration.starts_with("__data_loc") {
        return Ok(None);
    }
    let word = declaration.split_whitespace().next_back().unwrap_or("");
    Ok(Some(word.trim_start_matches('*').to_owned()))
}

/// The argument a field describes, if it is a number of 64 bits.
fn long_argument(field: &str) -> Option<String> {
    let (declaration, _) = field.rsplit_once('@')?;
    let (kind, name) = declaration.rsplit_once(' ')?;
    matches!(kind, "unsigned long" | "long").then(|| name.to_owned())
}

fn kernel_of(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let version = name.strip_prefix("linux-")?.strip_suffix(".txt")?;
    Some(version.split('-').next().unwrap_or(version).to_owned())
}

fn version(kernel: &str) -> Vec<u32> {
    kernel
        .split('.')
        .map(|part| part.parse().unwrap_or(0))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_in_order_and_copied_strings_are_none() {
        let capture = parse(
            "7.2",
            "openat|exit|int dfd@16:8|const char * filename@24:8|__data_loc char[] __filename_val@32:4\nsync|exit\n",
        )
        .unwrap();
        assert_eq!(capture.syscalls["openat"], ["dfd", "filename"]);
        assert!(capture.syscalls["sync"].is_empty());
    }

    #[test]
    fn numbers_of_64_bits_are_known() {
        let text = "mount|exit|char * name@16:8|unsigned long flags@24:8|int mode@32:8\n";
        let longs = parse("6.1", text).unwrap().longs;
        assert_eq!(longs, [("mount".to_owned(), "flags".to_owned())].into());
    }

    #[test]
    fn a_broken_line_is_named() {
        for text in [
            "openat",
            "openat|maybe",
            "openat|exit|int dfd",
            "a|exit\na|-",
        ] {
            assert!(parse("6.1", text).is_err(), "{text}");
        }
    }
}
