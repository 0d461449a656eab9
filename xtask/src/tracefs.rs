//! The running kernel's syscall tracepoints: `audit` compares them with the table, `capture` prints them in the
//! format of `syscalls/captures`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{captures, codegen, process};

const TRACEFS: &str = "/sys/kernel/tracing";

/// Runs `capture`: prints the running kernel's capture.
pub fn capture(args: &[String]) -> Result<()> {
    if !args.is_empty() {
        bail!("usage: cargo xtask capture > syscalls/captures/linux-VERSION-ARCH.txt");
    }
    print!("{}", running_kernel()?);
    Ok(())
}

/// Runs `audit`: fails, listing them, if the running kernel has syscalls or argument positions the table does not know.
pub fn audit(args: &[String]) -> Result<()> {
    if !args.is_empty() {
        bail!("usage: cargo xtask audit");
    }
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").context("kernel release")?;
    let running = captures::parse(release.trim(), &running_kernel()?)?;
    let count = running.syscalls.len();
    let absent = codegen::audit(running)?;
    if !absent.is_empty() {
        println!(
            "in the table, not in this kernel ({}): {}",
            absent.len(),
            absent.join(" ")
        );
    }
    println!("every one of this kernel's {count} syscalls has a line");
    Ok(())
}

/// The text of the running kernel's capture.
fn running_kernel() -> Result<String> {
    let dir = events()?;
    let mut lines = Vec::new();
    for entry in fs::read_dir(&dir).with_context(|| format!("cannot list {}", dir.display()))? {
        let entry = entry?.file_name();
        let Some(name) = entry.to_str().and_then(|e| e.strip_prefix("sys_enter_")) else {
            continue;
        };
        let path = dir.join(&entry).join("format");
        let format =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let has_exit = dir.join(format!("sys_exit_{name}")).exists();
        let line = line(name, has_exit, &format);
        lines.push(line.with_context(|| format!("in {}", path.display()))?);
    }
    if lines.is_empty() {
        bail!("{} has no syscall tracepoints", dir.display());
    }
    lines.sort();
    Ok(lines.concat())
}

/// The directory of the syscall tracepoints, mounting tracefs if need be.
pub fn events() -> Result<PathBuf> {
    let dir = Path::new(TRACEFS).join("events/syscalls");
    if dir.exists() {
        return Ok(dir);
    }
    if !process::is_root() {
        bail!("{TRACEFS} is not readable: run as root");
    }
    process::run(Command::new("mount").args(["-t", "tracefs", "tracefs", TRACEFS]))?;
    if !dir.exists() {
        bail!("this kernel has no syscall tracepoints (CONFIG_FTRACE_SYSCALLS)");
    }
    Ok(dir)
}

/// One line of a capture, from a tracepoint's `format` file.
fn line(name: &str, has_exit: bool, format: &str) -> Result<String> {
    let mut line = format!("{name}|{}", if has_exit { "exit" } else { "-" });
    for field in format
        .lines()
        .filter_map(|l| l.trim().strip_prefix("field:"))
    {
        let mut parts = field.split(';').map(str::trim);
        let declaration = parts.next().unwrap_or("");
        let mut number = |key: &str| {
            let value = parts.next().and_then(|part| part.strip_prefix(key));
            value.with_context(|| format!("no {key} in {field}"))
        };
        let (offset, size) = (number("offset:")?, number("size:")?);
        let last = declaration.rsplit(' ').next().unwrap_or("");
        if !last.starts_with("common_") && last != "__syscall_nr" {
            line.push_str(&format!("|{declaration}@{offset}:{size}"));
        }
    }
    line.push('\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DUP3: &str = "name: sys_enter_dup3
ID: 700
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;
\tfield:unsigned int oldfd;\toffset:16;\tsize:8;\tsigned:0;
\tfield:unsigned int newfd;\toffset:24;\tsize:8;\tsigned:0;

print fmt: \"oldfd: 0x%08lx\"
";

    #[test]
    fn a_format_becomes_a_line() {
        assert_eq!(
            line("dup3", true, DUP3).unwrap(),
            "dup3|exit|unsigned int oldfd@16:8|unsigned int newfd@24:8\n"
        );
        assert_eq!(line("sync", false, "").unwrap(), "sync|-\n");
    }
}
