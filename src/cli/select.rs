//! Which syscalls are traced: `--trace-families`, `--trace-kinds`, `--trace-syscalls` and their `--no-…` counterparts.
//!
//! What is included adds up, `all` includes everything, exclusion wins, and a name nobody knows is an error that suggests
//! the nearest.

use anyhow::{Result, bail};
use ior_core::Syscall;
use ior_core::syscall::SYSCALLS;

use super::args::CallArgs;

/// The word that includes every syscall, in each list of what to trace.
const ALL: &str = "all";

/// Names of the numbers, which strace and libc go by, where the kernel's own is another. Most are in the 32-bit table too:
/// there they are what the name says, and the machine's own call is meant as well.
const ABI_NAMES: [(&str, &str); 6] = [
    ("fstat", "newfstat"),
    ("lstat", "newlstat"),
    ("sendfile", "sendfile64"),
    ("stat", "newstat"),
    ("umount2", "umount"),
    ("uname", "newuname"),
];

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

    fn matches(self, name: &str, syscall: &'static Syscall) -> bool {
        let is = |abi_name: &str| name.eq_ignore_ascii_case(abi_name);
        is(self.of(syscall))
            || (matches!(self, By::Name)
                && ABI_NAMES
                    .iter()
                    .any(|&(abi_name, own)| own == syscall.name && is(abi_name)))
    }
}

/// Every syscall that can be traced.
pub fn all() -> Vec<&'static Syscall> {
    let can_be = |syscall: &&Syscall| syscall.ignored.is_none();
    SYSCALLS.iter().filter(can_be).collect()
}

/// The syscalls meant by the options, in table order; not empty. A name means the calls of every calling convention.
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
    for (option, by, names) in included {
        let mut named = names.iter().filter(|name| !is_all(name));
        named.try_for_each(|name| check(option, by, name))?;
    }
    for (option, by, names) in excluded {
        if names.iter().any(|name| is_all(name)) {
            bail!("{option}: '{ALL}' would leave nothing to trace");
        }
        names.iter().try_for_each(|name| check(option, by, name))?;
    }
    let matches = |lists: &[(&str, By, &Vec<String>)], syscall| {
        lists
            .iter()
            .any(|(_, by, names)| names.iter().any(|name| by.matches(name, syscall)))
    };
    let everything = included
        .iter()
        .any(|(_, _, names)| names.iter().any(|name| is_all(name)));
    let nothing_included = included.iter().all(|(_, _, names)| names.is_empty());
    let selected: Vec<_> = SYSCALLS
        .iter()
        .filter(|syscall| {
            if nothing_included {
                syscall.default
            } else {
                everything || matches(&included, syscall)
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

fn is_all(name: &str) -> bool {
    name.eq_ignore_ascii_case(ALL)
}

/// The name exists.
fn check(option: &str, by: By, name: &str) -> Result<()> {
    if SYSCALLS.iter().any(|syscall| by.matches(name, syscall)) {
        return Ok(());
    }
    let what = by.what();
    match nearest(name, SYSCALLS.iter().map(|syscall| by.of(syscall))) {
        Some(nearest) => bail!("{option}: no {what} '{name}'; did you mean '{nearest}'?"),
        None => bail!("{option}: no {what} '{name}'; `ior syscalls` lists what there is"),
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

    /// The names selected, each once: most are in the table of two calling conventions.
    fn names(args: &CallArgs) -> Vec<&'static str> {
        let mut names: Vec<_> = syscalls(args).unwrap().iter().map(|s| s.name).collect();
        names.dedup();
        names
    }

    #[test]
    fn without_options_it_is_the_default_set() {
        let selected = syscalls(&none()).unwrap();
        assert!(selected.iter().any(|syscall| syscall.name == "openat"));
        assert_eq!(
            selected.len(),
            SYSCALLS.iter().filter(|syscall| syscall.default).count()
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
    fn names_of_the_numbers_mean_the_machines_own_call_too() {
        for (abi_name, own) in ABI_NAMES {
            let args = CallArgs {
                trace_syscalls: list(abi_name),
                ..none()
            };
            assert!(names(&args).contains(&own), "{abi_name}");
        }
        let args = CallArgs {
            trace_syscalls: list("newstat,stat"),
            no_trace_syscalls: list("Stat"),
            ..none()
        };
        assert!(syscalls(&args).is_err());
    }

    #[test]
    fn all_includes_everything() {
        for args in [
            CallArgs {
                trace_families: list("all"),
                ..none()
            },
            CallArgs {
                trace_kinds: list("fd,ALL"),
                ..none()
            },
            CallArgs {
                trace_syscalls: list("all"),
                ..none()
            },
        ] {
            assert_eq!(syscalls(&args).unwrap().len(), SYSCALLS.len());
        }
        let args = CallArgs {
            trace_families: list("all"),
            no_trace_syscalls: list("futex"),
            ..none()
        };
        let names = names(&args);
        assert!(names.contains(&"getpid") && !names.contains(&"futex"));
    }

    #[test]
    fn all_excludes_nothing() {
        let args = CallArgs {
            no_trace_families: list("all"),
            ..none()
        };
        let message = syscalls(&args).unwrap_err().to_string();
        assert_eq!(
            message,
            "--no-trace-families: 'all' would leave nothing to trace"
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
