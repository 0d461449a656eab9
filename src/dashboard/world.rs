//! What the screens ask of this machine: its processes and threads, files for exports, an editor.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::Instant;

use ior_core::batch::Tail;
use ior_core::escape;
use ior_tui::World;
use ior_tui::world::{Process, Thread};

use super::export::export;
use crate::session::Temporaries;

/// Clock ticks a second in `/proc/PID/stat`: 100 for all programs (`USER_HZ`).
const TICKS: f64 = 100.0;

/// This machine.
#[derive(Debug)]
pub struct Machine {
    temporaries: Temporaries,
    users: HashMap<u32, String>,
    /// Ticks that a process had used when it was last asked for, by pid and start time.
    used: HashMap<(u32, u64), (Instant, u64)>,
}

/// What `/proc/PID/stat` says (proc_pid_stat(5)).
#[derive(Debug, PartialEq)]
struct Stat {
    name: Vec<u8>,
    ticks: u64,
    start: u64,
}

impl Machine {
    /// Users are those of `/etc/passwd`: the binary is static, and other directories cannot be asked.
    pub fn new(temporaries: Temporaries) -> Machine {
        Machine {
            temporaries,
            users: users(&fs::read_to_string("/etc/passwd").unwrap_or_default()),
            used: HashMap::new(),
        }
    }

    fn process(&self, pid: u32, now: Instant) -> Option<(Process, (u32, u64), u64)> {
        let directory = Path::new("/proc").join(pid.to_string());
        let stat = stat(&fs::read(directory.join("stat")).ok()?)?;
        let mut command = fs::read(directory.join("cmdline")).unwrap_or_default();
        while command.last() == Some(&0) {
            command.pop();
        }
        command
            .iter_mut()
            .filter(|byte| **byte == 0)
            .for_each(|byte| *byte = b' ');
        let uid = uid(&fs::read_to_string(directory.join("status")).unwrap_or_default());
        let key = (pid, stat.start);
        let cpu = self.used.get(&key).map(|(at, before)| {
            let seconds = now.duration_since(*at).as_secs_f64().max(1.0 / TICKS);
            stat.ticks.saturating_sub(*before) as f64 / TICKS / seconds
        });
        let process = Process {
            pid,
            name: stat.name,
            user: uid.map_or_else(
                || "?".into(),
                |uid| {
                    let known = self.users.get(&uid);
                    known.cloned().unwrap_or_else(|| uid.to_string())
                },
            ),
            cpu,
            command,
        };
        Some((process, key, stat.ticks))
    }
}

impl World for Machine {
    fn processes(&mut self) -> Vec<Process> {
        let now = Instant::now();
        let mut pids = numbers(Path::new("/proc"));
        pids.retain(|pid| *pid != std::process::id());
        let found: Vec<_> = pids
            .into_iter()
            .filter_map(|pid| self.process(pid, now))
            .collect();
        let mut used = HashMap::with_capacity(found.len());
        let mut processes = Vec::with_capacity(found.len());
        for (process, key, ticks) in found {
            used.insert(key, (now, ticks));
            processes.push(process);
        }
        self.used = used;
        processes
    }

    fn threads(&mut self, pid: u32) -> Vec<Thread> {
        let tasks = Path::new("/proc").join(pid.to_string()).join("task");
        let thread = |tid: u32| {
            let mut name = fs::read(tasks.join(tid.to_string()).join("comm")).ok()?;
            if name.last() == Some(&b'\n') {
                name.pop();
            }
            Some(Thread { tid, name })
        };
        numbers(&tasks).into_iter().filter_map(thread).collect()
    }

    fn export(&mut self, rows: &Tail) -> Result<String, String> {
        match export(rows, &self.temporaries) {
            Ok(path) => Ok(escape::terminal(path.as_os_str().as_encoded_bytes()).into_owned()),
            Err(error) => Err(format!("{error:#}")),
        }
    }

    fn editor(&self) -> Vec<String> {
        let named = |name: &str| {
            std::env::var(name)
                .ok()
                .filter(|value| !value.trim().is_empty())
        };
        let command = named("VISUAL").or_else(|| named("EDITOR"));
        let command = command.unwrap_or_else(|| "vi".into());
        command.split_whitespace().map(str::to_owned).collect()
    }
}

/// The entries of a directory whose names are numbers, the smallest first.
fn numbers(directory: &Path) -> Vec<u32> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let number = |entry: fs::DirEntry| entry.file_name().to_str()?.parse().ok();
    let mut numbers: Vec<u32> = entries.flatten().filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// Names by number, from the text of passwd(5).
fn users(passwd: &str) -> HashMap<u32, String> {
    let user = |line: &str| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let uid = fields.nth(1)?.parse().ok()?;
        Some((uid, name.to_owned()))
    };
    // Of several names of a number the first counts.
    passwd.lines().rev().filter_map(user).collect()
}

/// The real user id in `/proc/PID/status`.
fn uid(status: &str) -> Option<u32> {
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn stat(bytes: &[u8]) -> Option<Stat> {
    let open = bytes.iter().position(|byte| *byte == b'(')?;
    let close = bytes.iter().rposition(|byte| *byte == b')')?;
    let after = std::str::from_utf8(bytes.get(close + 1..)?).ok()?;
    // Field 3 is the first after the name.
    let field = |number: usize| {
        after
            .split_whitespace()
            .nth(number - 3)?
            .parse::<u64>()
            .ok()
    };
    Some(Stat {
        name: bytes.get(open + 1..close)?.to_vec(),
        ticks: field(14)? + field(15)?,
        start: field(22)?,
    })
}

#[cfg(test)]
mod tests;
