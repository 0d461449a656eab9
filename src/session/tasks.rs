//! The processes and threads of `-p` and `-t`: do they exist, and are they still there?

use std::fs;

use anyhow::{Result, bail};
use ior_bpf::Scope;

/// A process or thread that was there when the run began. A later one with the same number is another.
#[derive(Debug)]
pub struct Watched {
    stat: String,
    start: u64,
    /// A process whose leader has ended lives on in its other threads; a thread does not.
    is_process: bool,
}

/// What one line of `/proc/…/stat` says (proc_pid_stat(5)).
struct Stat {
    is_dead: bool,
    threads: u64,
    start: u64,
}

impl Watched {
    /// The process `pid`.
    pub fn process(pid: u32) -> Result<Watched> {
        if let Some(leader) = leader_of(pid).filter(|leader| *leader != pid) {
            bail!("no process {pid}: it is a thread of process {leader}; use -t {pid}");
        }
        Watched::new(format!("/proc/{pid}/stat"), true)
            .ok_or_else(|| anyhow::anyhow!("no process {pid}: it has ended, or the number is of another pid namespace (see `ps -e`)"))
    }

    /// The thread `tid`.
    pub fn thread(tid: u32) -> Result<Watched> {
        Watched::new(format!("/proc/{tid}/task/{tid}/stat"), false)
            .ok_or_else(|| anyhow::anyhow!("no thread {tid}: it has ended, or the number is of another pid namespace (see `ps -eL`)"))
    }

    fn new(stat: String, is_process: bool) -> Option<Watched> {
        let start = read(&stat)?.start;
        let watched = Watched {
            stat,
            start,
            is_process,
        };
        watched.is_alive().then_some(watched)
    }

    /// Whether it can still make a call. A zombie cannot.
    pub fn is_alive(&self) -> bool {
        read(&self.stat).is_some_and(|now| {
            now.start == self.start && (!now.is_dead || self.is_process && now.threads > 1)
        })
    }
}

/// The processes and threads the run is about exist; without COMMAND it ends with them.
pub fn watch(scope: &Scope) -> Result<Vec<Watched>> {
    let processes = scope.pids.iter().map(|pid| Watched::process(*pid));
    let threads = scope.tids.iter().map(|tid| Watched::thread(*tid));
    processes.chain(threads).collect()
}

fn read(path: &str) -> Option<Stat> {
    parse(&fs::read(path).ok()?)
}

fn parse(stat: &[u8]) -> Option<Stat> {
    // The name, field 2, is in parentheses and may hold any byte, parentheses too.
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = std::str::from_utf8(&stat[end + 1..])
        .ok()?
        .split_ascii_whitespace();
    let state = fields.next()?;
    let threads = fields.nth(16)?.parse().ok()?;
    let start = fields.nth(1)?.parse().ok()?;
    Some(Stat {
        is_dead: matches!(state, "Z" | "X" | "x"),
        threads,
        start,
    })
}

fn leader_of(tid: u32) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{tid}/status")).ok()?;
    status
        .lines()
        .find_map(|line| line.strip_prefix("Tgid:"))?
        .trim()
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn we_are_alive() {
        let pid = std::process::id();
        assert!(Watched::process(pid).unwrap().is_alive());
        assert!(Watched::thread(pid).unwrap().is_alive());
    }

    #[test]
    fn a_zombie_is_gone_and_so_is_a_reaped_process() {
        let mut child = Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let watched = Watched::process(child.id()).unwrap();
        assert!(watched.is_alive());
        drop(child.stdin.take());
        while watched.is_alive() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
        assert!(!watched.is_alive());
    }

    #[test]
    fn a_thread_is_no_process() {
        let (tell, told) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            let link = fs::read_link("/proc/thread-self").unwrap();
            tell.send(
                link.file_name()
                    .unwrap()
                    .to_str()
                    .unwrap()
                    .parse::<u32>()
                    .unwrap(),
            )
            .unwrap();
            let _ = ended.recv();
        });
        let tid = told.recv().unwrap();
        assert!(Watched::thread(tid).unwrap().is_alive());
        let message = Watched::process(tid).unwrap_err().to_string();
        assert!(message.contains(&format!("use -t {tid}")), "{message}");
        drop(end);
        thread.join().unwrap();
    }

    #[test]
    fn names_may_hold_parentheses() {
        let stat = parse(b"7 (a) Z (b) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 3 0 4711 0 0").unwrap();
        assert!(!stat.is_dead);
        assert_eq!((stat.threads, stat.start), (3, 4711));
    }
}
