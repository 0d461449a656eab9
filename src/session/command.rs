//! COMMAND of `ior -- COMMAND`: held until the trace is attached, and never left behind.

use std::ffi::OsString;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::Result;
use ior_bpf::child::{Child, Killer};
use libc::{SIGINT, SIGKILL, SIGTERM};

/// How long COMMAND has to end after a signal before it gets SIGTERM, and then SIGKILL.
const GRACE: Duration = Duration::from_secs(2);

/// A started COMMAND.
pub struct Command {
    child: Child,
    running: bool,
    status: Option<ExitStatus>,
    ending: Option<Ending>,
}

/// COMMAND has been asked to end.
struct Ending {
    next_at: Instant,
    next_signal: i32,
}

impl Command {
    /// Starts the process, which waits before its `exec`.
    pub fn hold(argv: &[OsString]) -> Result<Command> {
        Ok(Command {
            child: Child::hold(argv)?,
            running: false,
            status: None,
            ending: None,
        })
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.pid()
    }

    /// What ends it at once, from any thread.
    pub fn killer(&self) -> Result<Killer> {
        Ok(self.child.killer()?)
    }

    /// Lets it run.
    pub fn release(&mut self) -> Result<()> {
        self.child.release()?;
        self.running = true;
        Ok(())
    }

    /// Whether it has ended.
    pub fn has_ended(&mut self) -> Result<bool> {
        if self.running && self.status.is_none() {
            self.status = self.child.try_wait()?;
            self.escalate();
        }
        Ok(self.status.is_some())
    }

    /// Its exit status as a shell would put it; `None` while it runs.
    pub fn exit_status(&self) -> Option<u8> {
        let status = self.status?;
        let code = status
            .code()
            .or_else(|| status.signal().map(|signal| 128 + signal));
        Some(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
    }

    /// Passes a stop signal on. If that does not end it, SIGTERM and SIGKILL follow.
    pub fn interrupt(&mut self, signal: i32) {
        if self.ending.is_some() {
            return;
        }
        // The terminal sends Ctrl-C to us both, and to some programs a second one means "at once".
        if signal != SIGINT || !in_foreground() {
            self.child.signal(signal);
        }
        self.ending = Some(Ending {
            next_at: Instant::now() + GRACE,
            next_signal: SIGTERM,
        });
    }

    /// Ends it, whatever it is doing.
    pub fn kill(&mut self) {
        self.child.signal(SIGKILL);
    }

    /// Ends it if it still runs.
    pub fn end(&mut self) {
        self.interrupt(SIGTERM);
        while let Ok(false) = self.has_ended() {
            thread::sleep(Duration::from_millis(2));
        }
    }

    fn escalate(&mut self) {
        let Some(ending) = &mut self.ending else {
            return;
        };
        if self.status.is_none() && Instant::now() >= ending.next_at {
            self.child.signal(ending.next_signal);
            *ending = Ending {
                next_at: ending.next_at + GRACE,
                next_signal: SIGKILL,
            };
        }
    }
}

impl Drop for Command {
    /// A COMMAND that was never released is killed by its own drop.
    fn drop(&mut self) {
        if self.running {
            self.end();
        }
    }
}

/// Whether our process group is the terminal's foreground one (pgrp and tpgid of proc_pid_stat(5)).
fn in_foreground() -> bool {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let mut fields = fields.split(' ').skip(2);
    let (pgrp, tpgid) = (fields.next(), fields.nth(2));
    pgrp.is_some() && pgrp == tpgid
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(script: &str) -> Command {
        let mut command = Command::hold(&["sh", "-c", script].map(OsString::from)).unwrap();
        assert!(!command.has_ended().unwrap());
        command.release().unwrap();
        command
    }

    fn wait(command: &mut Command) -> u8 {
        while !command.has_ended().unwrap() {
            thread::sleep(Duration::from_millis(1));
        }
        command.exit_status().unwrap()
    }

    fn exists(pid: u32) -> bool {
        fs::exists(format!("/proc/{pid}")).unwrap()
    }

    #[test]
    fn its_exit_status_is_ours() {
        assert_eq!(wait(&mut started("exit 7")), 7);
        assert_eq!(wait(&mut started("kill -9 $$")), 137);
    }

    #[test]
    fn a_stop_signal_is_passed_on() {
        let mut command = started("exec sleep 100");
        command.interrupt(SIGTERM);
        assert_eq!(wait(&mut command), 143);
    }

    #[test]
    fn whoever_ignores_it_is_killed() {
        let (mut reader, writer) = std::io::pipe().unwrap();
        // The script says through the pipe when it ignores the signal.
        let fd = std::os::fd::AsRawFd::as_raw_fd(&writer);
        let script = format!(
            "trap '' TERM; echo > /proc/{}/fd/{fd}; while :; do sleep 1; done",
            std::process::id()
        );
        let mut command = started(&script);
        std::io::Read::read_exact(&mut reader, &mut [0]).unwrap();
        let began = Instant::now();
        command.interrupt(SIGTERM);
        assert_eq!(wait(&mut command), 137);
        assert!(began.elapsed() >= 2 * GRACE);
    }

    #[test]
    fn nothing_is_left_behind() {
        let running = started("exec sleep 100");
        let held = Command::hold(&["true".into()]).unwrap();
        let pids = [running.pid(), held.pid()];
        assert!(pids.into_iter().all(exists));
        drop((running, held));
        assert!(!pids.into_iter().any(exists));
    }
}
