//! Which syscalls are traced: `--trace-families`, `--trace-kinds`, `--trace-syscalls` and their `--no-…` counterparts.
//!
//! What is included adds up, exclusion wins, and a name nobody knows is an error that suggests the nearest.

use anyhow::{Result, bail};
use ior_core::Syscall;
use ior_core::syscall::SYSCALLS;

use super::args::CallArgs;

/// What a list of names is matched against.
#[derive(Clone, Copy)]
enum By {
    Family,
    Kind,
    Name,
}

impl By {
    fn what(self) -> &'static str {
        match self {
            By::Family => "family",
            By::Kind => "kind",
            By::Name => "syscall",
        }
    }

    fn of(self, syscall: &'static Syscall) -> &'static str {
        match self {
            By::Family => syscall.family.as_str(),
            By::Kind => syscall.kind.as_str(),
            By::Name => syscall.name,
        }
    }
}

/// The syscalls meant by the options, in table order; not empty.
pub fn syscalls(args: &CallArgs) -> Result<Vec<&'static Syscall>> {
    let included = [
        ("--trace-families", By::Family, &args.trace_families),
        ("--trace-kinds", By::Kind, &args.trace_kinds),
        ("--trace-syscalls", By::Name, &args.trace_syscalls),
    ];
    let excluded = [
        ("--no-trace-families", By::Family, &args.no_trace_families),
        ("--no-trace-kinds", By::Kind, &args.no_trace_kinds),
        ("--no-trace-syscalls", By::Name, &args.no_trace_syscalls),
    ];
    for (option, by, names) in included.iter().chain(&excluded) {
        names.iter().try_for_each(|name| check(option, *by, name))?;
    }
    for (option, by, names) in included {
        names
            .iter()
            .try_for_each(|name| check_traced(option, by, name))?;
    }
    let matches = |lists: &[(&str, By, &Vec<String>)], syscall| {
        lists.iter().any(|(_, by, names)| {
            names
                .iter()
                .any(|name| name.eq_ignore_ascii_case(by.of(syscall)))
        })
    };
    let nothing_included = included.iter().all(|(_, _, names)| names.is_empty());
    let selected: Vec<_> = traced()
        .filter(|syscall| {
            if nothing_included {
                syscall.default
            } else {
                matches(&included, syscall)
            }
        })
        .filter(|syscall| !matches(&excluded, syscall))
        .collect();
    if selected.is_empty() {
        bail!(
            "no syscall is left to trace: the --no-trace options exclude all that the others select"
        );
    }
    Ok(selected)
}

/// Every syscall this version can trace.
pub fn traced() -> impl Iterator<Item = &'static Syscall> {
    SYSCALLS.iter().filter(|syscall| syscall.ignored.is_none())
}

/// The name exists.
fn check(option: &str, by: By, name: &str) -> Result<()> {
    if SYSCALLS
        .iter()
        .any(|syscall| by.of(syscall).eq_ignore_ascii_case(name))
    {
        return Ok(());
    }
    let what = by.what();
    match nearest(name, SYSCALLS.iter().map(|syscall| by.of(syscall))) {
        Some(nearest) => bail!("{option}: no {what} '{name}'; did you mean '{nearest}'?"),
        None => bail!("{option}: no {what} '{name}'; `ior syscalls` lists what there is"),
    }
}

/// The name includes something that is not ignored by this version.
fn check_traced(option: &str, by: By, name: &str) -> Result<()> {
    let named = || {
        SYSCALLS
            .iter()
            .filter(|syscall| by.of(syscall).eq_ignore_ascii_case(name))
    };
    if named().any(|syscall| syscall.ignored.is_none()) {
        return Ok(());
    }
    match (by, named().next().and_then(|syscall| syscall.ignored)) {
        (By::Name, Some(reason)) => bail!("{option}: this version does not trace {name}: {reason}"),
        _ => bail!(
            "{option}: this version traces no call of the {} {name}; `ior syscalls --all` says why",
            by.what()
        ),
    }
}

/// The candidate with the fewest edits, if they are few for its length.
fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_ascii_lowercase();
    let (distance, nearest) = candidates
        .map(|candidate| (edits(&name, &candidate.to_ascii_lowercase()), candidate))
        .min_by_key(|(distance, candidate)| (*distance, candidate.len()))?;
    (distance <= 1 + name.len() / 3).then_some(nearest)
}

/// Insertions, deletions, substitutions and swaps of neighbours that make `b` of `a`, in bytes.
fn edits(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let substituted = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut fewest = substituted.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                fewest = fewest.min(before[j - 2] + 1);
            }
            row.push(fewest);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none() -> CallArgs {
        CallArgs {
            trace_families: Vec::new(),
            trace_kinds: Vec::new(),
            trace_syscalls: Vec::new(),
            no_trace_families: Vec::new(),
            no_trace_kinds: Vec::new(),
            no_trace_syscalls: Vec::new(),
        }
    }

    fn list(names: &str) -> Vec<String> {
        names.split(',').map(String::from).collect()
    }

    fn names(args: &CallArgs) -> Vec<&'static str> {
        syscalls(args)
            .unwrap()
            .iter()
            .map(|syscall| syscall.name)
            .collect()
    }

    #[test]
    fn without_options_it_is_the_default_set() {
        let names = names(&none());
        assert!(names.contains(&"openat"));
        assert_eq!(
            names.len(),
            traced().filter(|syscall| syscall.default).count()
        );
    }

    #[test]
    fn inclusion_adds_up_and_exclusion_wins() {
        let args = CallArgs {
            trace_syscalls: list("READ,openat,write"),
            no_trace_syscalls: list("openat"),
            ..none()
        };
        assert_eq!(names(&args), ["read", "write"]);
        let args = CallArgs {
            trace_families: list("fs"),
            trace_syscalls: list("pipe2"),
            ..none()
        };
        let names = names(&args);
        assert!(names.contains(&"pipe2") && names.contains(&"openat"));
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        let message = |args| syscalls(&args).unwrap_err().to_string();
        let unknown = message(CallArgs {
            trace_syscalls: list("opennat"),
            ..none()
        });
        assert_eq!(
            unknown,
            "--trace-syscalls: no syscall 'opennat'; did you mean 'openat'?"
        );
        let unknown = message(CallArgs {
            no_trace_families: list("nettwork"),
            ..none()
        });
        assert_eq!(
            unknown,
            "--no-trace-families: no family 'nettwork'; did you mean 'Network'?"
        );
        let unknown = message(CallArgs {
            trace_kinds: list("zzzzzzzzzzzz"),
            ..none()
        });
        assert_eq!(
            unknown,
            "--trace-kinds: no kind 'zzzzzzzzzzzz'; `ior syscalls` lists what there is"
        );
    }

    #[test]
    fn ignored_names_say_why() {
        let ignored = SYSCALLS
            .iter()
            .find(|syscall| syscall.ignored.is_some())
            .unwrap();
        let args = CallArgs {
            trace_syscalls: list(ignored.name),
            ..none()
        };
        let message = syscalls(&args).unwrap_err().to_string();
        assert!(message.ends_with(ignored.ignored.unwrap()), "{message}");
        // Excluding what is not traced anyway is no mistake.
        assert!(
            syscalls(&CallArgs {
                no_trace_syscalls: list(ignored.name),
                ..none()
            })
            .is_ok()
        );
    }

    #[test]
    fn nothing_left_is_an_error() {
        let args = CallArgs {
            trace_syscalls: list("read"),
            no_trace_syscalls: list("read"),
            ..none()
        };
        assert!(syscalls(&args).is_err());
    }

    #[test]
    fn edit_distances() {
        assert_eq!(edits("openat", "openat"), 0);
        assert_eq!(edits("opennat", "openat"), 1);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("opne", "open"), 1);
    }
}
