//! COMMAND: started as the invoking user, held before its first instruction until the trace is attached.
//!
//! The child waits on a pipe between fork and exec. `Command::spawn` returns only when exec has been tried, so it runs
//! on a thread of its own; the child tells its pid through a second pipe.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::thread::{self, JoinHandle};

use crate::Error;

/// A started COMMAND. Dropped before it was released, it ends without having run.
pub struct Child {
    program: String,
    pid: u32,
    gate: Option<File>,
    spawning: Option<JoinHandle<io::Result<std::process::Child>>>,
    running: Option<std::process::Child>,
}

impl Child {
    /// Starts a process that waits before `exec`. The program is looked up in `PATH` as `execvp` does. Under sudo
    /// (`SUDO_UID`) the command runs as the invoking user.
    ///
    /// # Errors
    /// No such program, or one that cannot be run, or no process or thread could be made, or it is not clear whom sudo
    /// was called by.
    pub fn hold(argv: &[OsString]) -> Result<Child, Error> {
        let name = argv.first().cloned().unwrap_or_default();
        let program = name.to_string_lossy().into_owned();
        let failed = |source| Error::Command {
            program: program.clone(),
            source,
        };
        let path = find_program(&name).map_err(failed)?;
        let user = invoking_user().map_err(failed)?;
        let (mut pid_reader, pid_writer) = pipe().map_err(failed)?;
        let (gate_reader, gate) = pipe().map_err(failed)?;

        let mut command = Command::new(path);
        command.arg0(&name).args(argv.iter().skip(1));
        let (report, wait) = (pid_writer.as_raw_fd(), gate_reader.as_raw_fd());
        let gate_end = gate.as_raw_fd();
        // SAFETY: the closure makes only async-signal-safe system calls and allocates nothing.
        unsafe {
            command.pre_exec(move || {
                libc::close(gate_end); // so that ior's end is the only one, and ior's death opens the gate
                become_user(user.as_ref())?;
                report_and_wait(report, wait)
            });
        }
        // The child's ends of the pipes live in the thread until exec has been tried: fork must not miss them.
        let spawning = thread::Builder::new()
            .name("ior-spawn".into())
            .spawn(move || {
                let child = command.spawn();
                drop((pid_writer, gate_reader));
                child
            })
            .map_err(failed)?;
        let mut pid = [0; 4];
        match pid_reader.read_exact(&mut pid) {
            Ok(()) => Ok(Child {
                program,
                pid: u32::from_ne_bytes(pid),
                gate: Some(gate),
                spawning: Some(spawning),
                running: None,
            }),
            Err(source) => Err(failed(join(spawning).err().unwrap_or(source))),
        }
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// What ends it at once, from any thread.
    ///
    /// # Errors
    /// `pidfd_open`'s own.
    pub fn killer(&self) -> Result<Killer, Error> {
        // SAFETY: a plain system call; the child has not been waited for, so the pid is its own.
        let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, self.pid, 0) };
        match i32::try_from(fd) {
            // SAFETY: the kernel has just given us this descriptor.
            Ok(fd) if fd >= 0 => Ok(Killer(unsafe { OwnedFd::from_raw_fd(fd) })),
            _ => Err(Error::Io {
                what: "watching the command",
                source: io::Error::last_os_error(),
            }),
        }
    }

    /// Lets it exec.
    ///
    /// # Errors
    /// The exec's own.
    pub fn release(&mut self) -> Result<(), Error> {
        let failed = |source| Error::Command {
            program: self.program.clone(),
            source,
        };
        if let Some(mut gate) = self.gate.take() {
            gate.write_all(&[1]).map_err(failed)?;
        }
        if let Some(spawning) = self.spawning.take() {
            self.running = Some(join(spawning).map_err(failed)?);
        }
        Ok(())
    }

    /// Its status, if it has ended.
    ///
    /// # Errors
    /// `waitpid`'s own.
    pub fn try_wait(&mut self) -> Result<Option<ExitStatus>, Error> {
        let Some(child) = &mut self.running else {
            return Ok(None);
        };
        child.try_wait().map_err(|source| Error::Io {
            what: "waiting for the command",
            source,
        })
    }

    /// Sends it a signal. One that has ended and was waited for gets none.
    pub fn signal(&mut self, signal: i32) {
        if matches!(self.try_wait(), Ok(None)) {
            // SAFETY: not waited for yet, so the pid is still this child's.
            unsafe { libc::kill(self.pid.cast_signed(), signal) };
        }
    }
}

/// Ends a [`Child`]; harmless when it has ended.
#[derive(Debug)]
pub struct Killer(OwnedFd);

impl Killer {
    /// Sends SIGKILL.
    pub fn kill(&self) {
        // SAFETY: a plain system call on a descriptor of our own; the null pointer asks for the default siginfo.
        unsafe {
            libc::syscall(
                libc::SYS_pidfd_send_signal,
                self.0.as_raw_fd(),
                libc::SIGKILL,
                std::ptr::null::<()>(),
                0,
            )
        };
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // A closed gate makes a held child give up before exec; reap it.
        self.gate = None;
        if let Some(spawning) = self.spawning.take()
            && let Ok(mut child) = join(spawning)
        {
            let _ = child.wait();
        }
    }
}

fn join(spawning: JoinHandle<io::Result<std::process::Child>>) -> io::Result<std::process::Child> {
    spawning
        .join()
        .unwrap_or_else(|_| Err(io::Error::other("the spawning thread panicked")))
}

fn pipe() -> io::Result<(File, File)> {
    let (reader, writer) = io::pipe()?;
    Ok((OwnedFd::from(reader).into(), OwnedFd::from(writer).into()))
}

/// In the child: tell the pid, then wait for a byte. End of file means that ior gave up.
fn report_and_wait(report: RawFd, wait: RawFd) -> io::Result<()> {
    // SAFETY: plain system calls on descriptors this process has inherited, with buffers of the given sizes.
    unsafe {
        let pid = libc::getpid().to_ne_bytes();
        if libc::write(report, pid.as_ptr().cast(), pid.len()) != pid.len() as isize {
            return Err(io::Error::last_os_error());
        }
        let mut byte = 0u8;
        loop {
            match libc::read(wait, (&raw mut byte).cast(), 1) {
                1 => return Ok(()),
                0 => return Err(io::Error::from_raw_os_error(libc::ECANCELED)),
                _ if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
                _ => return Err(io::Error::last_os_error()),
            }
        }
    }
}

/// Whom sudo was called by.
#[derive(Debug, PartialEq, Eq)]
struct User {
    uid: libc::uid_t,
    gid: libc::gid_t,
    groups: Vec<libc::gid_t>,
}

fn invoking_user() -> io::Result<Option<User>> {
    // SAFETY: always succeeds.
    if unsafe { libc::geteuid() } != 0 {
        return Ok(None);
    }
    let read = |path| {
        std::fs::read(path)
            .map(|table| String::from_utf8_lossy(&table).into_owned())
            .unwrap_or_default()
    };
    sudo_user(
        |name| std::env::var_os(name),
        &read("/etc/passwd"),
        &read("/etc/group"),
    )
}

/// Whom sudo was called by, from its variables and the tables of users (passwd(5)) and groups; `None` without sudo, or if
/// root called it. What cannot be understood is an error: COMMAND must not run as root by mistake.
fn sudo_user(
    variable: impl Fn(&str) -> Option<OsString>,
    passwd: &str,
    groups: &str,
) -> io::Result<Option<User>> {
    let number = |name| match variable(name) {
        None => Ok(None),
        Some(value) => match value.to_str().and_then(|value| value.parse().ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(io::Error::other(format!(
                "{name} is no number: {}; unset SUDO_UID to run it as root",
                value.to_string_lossy()
            ))),
        },
    };
    let Some(uid) = number("SUDO_UID")?.filter(|uid| *uid != 0) else {
        return Ok(None);
    };
    let entry = passwd.lines().find_map(|line| {
        let fields: Vec<_> = line.split(':').collect();
        let [name, _, of, gid, ..] = fields[..] else {
            return None;
        };
        (of.parse() == Ok(uid)).then_some((name, gid.parse().ok()?))
    });
    let gid = number("SUDO_GID")?
        .or(entry.map(|(_, gid)| gid))
        .ok_or_else(|| {
            io::Error::other(format!(
                "the group of user {uid} (SUDO_UID) is unknown: SUDO_GID is not set, and /etc/passwd does not say; \
                 unset SUDO_UID to run it as root"
            ))
        })?;
    let name = match variable("SUDO_USER") {
        Some(name) => name.to_string_lossy().into_owned(),
        None => entry.map(|(name, _)| name.to_owned()).unwrap_or_default(),
    };
    let groups = groups_of(&name, gid, groups);
    Ok(Some(User { uid, gid, groups }))
}

/// The groups of a user by `/etc/group` (group(5)), the primary one included.
fn groups_of(user: &str, primary: libc::gid_t, table: &str) -> Vec<libc::gid_t> {
    let member_of = table.lines().filter_map(|line| {
        let mut fields = line.split(':').skip(2);
        let gid = fields.next()?.parse().ok()?;
        fields
            .next()?
            .split(',')
            .any(|member| member == user)
            .then_some(gid)
    });
    std::iter::once(primary)
        .chain(member_of.filter(|gid| *gid != primary))
        .collect()
}

/// In the child: groups first, the user last, since only root may change groups.
fn become_user(user: Option<&User>) -> io::Result<()> {
    let Some(user) = user else { return Ok(()) };
    // SAFETY: plain system calls; the group list is as long as said.
    let done = unsafe {
        libc::setgroups(user.groups.len(), user.groups.as_ptr()) == 0
            && libc::setgid(user.gid) == 0
            && libc::setuid(user.uid) == 0
    };
    if done {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// The file `execvp` would run: a name with a slash is a path, else the first executable in `PATH`.
fn find_program(name: &OsString) -> io::Result<PathBuf> {
    if name.as_bytes().contains(&b'/') {
        return executable(Path::new(name)).map(|()| PathBuf::from(name));
    }
    let search =
        std::env::var_os("PATH").unwrap_or_else(|| OsString::from("/usr/local/bin:/usr/bin:/bin"));
    let mut denied = None;
    for dir in std::env::split_paths(&search).filter(|_| !name.is_empty()) {
        let candidate = dir.join(name);
        match executable(&candidate) {
            Ok(()) => return Ok(candidate),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => denied = Some(error),
            Err(_) => {}
        }
    }
    Err(denied.unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, "not found in PATH")))
}

fn executable(path: &Path) -> io::Result<()> {
    let metadata = std::fs::metadata(path)?;
    if metadata.is_file() && metadata.permissions().mode() & 0o111 != 0 {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        "not an executable file",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argv(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    fn wait(child: &mut Child) -> ExitStatus {
        child
            .running
            .as_mut()
            .expect("released")
            .wait()
            .expect("a child of ours")
    }

    #[test]
    fn a_held_child_runs_only_when_released() {
        let mut child = Child::hold(&argv(&["sh", "-c", "exit 7"])).unwrap();
        assert!(child.pid() > 0);
        assert_eq!(child.try_wait().unwrap(), None);
        child.release().unwrap();
        assert_eq!(wait(&mut child).code(), Some(7));
    }

    #[test]
    fn a_child_dropped_before_its_release_never_runs() {
        let child = Child::hold(&argv(&["sh", "-c", "exit 0"])).unwrap();
        let pid = child.pid();
        drop(child);
        assert!(!std::fs::exists(format!("/proc/{pid}/stat")).unwrap());
    }

    #[test]
    fn a_program_that_is_not_there_or_no_program_is_an_error_at_once() {
        for name in [
            "no-such-program-anywhere",
            "/no/such/program",
            "/etc/passwd",
            "/tmp",
            "",
        ] {
            assert!(
                matches!(Child::hold(&argv(&[name])), Err(Error::Command { .. })),
                "{name}"
            );
        }
    }

    #[test]
    fn whom_sudo_was_called_by_is_known_or_an_error() {
        let user = |variables: &[(&str, &str)]| {
            let variable = |name: &str| {
                let found = variables.iter().find(|(of, _)| *of == name);
                found.map(|(_, value)| OsString::from(value))
            };
            let passwd = "root:x:0:0::/root:/bin/sh\nbad line\nann:x:1000:30::/:/bin/sh\n";
            sudo_user(variable, passwd, "audio:x:20:ann\n").map_err(|error| error.to_string())
        };
        let ann = |gid, groups: &[u32]| {
            Ok(Some(User {
                uid: 1000,
                gid,
                groups: groups.to_vec(),
            }))
        };
        assert_eq!(user(&[]), Ok(None));
        assert_eq!(user(&[("SUDO_UID", "0"), ("SUDO_GID", "0")]), Ok(None));
        let all = [
            ("SUDO_UID", "1000"),
            ("SUDO_GID", "31"),
            ("SUDO_USER", "bob"),
        ];
        assert_eq!(user(&all), ann(31, &[31]));
        assert_eq!(user(&all[..1]), ann(30, &[30, 20]));
        for (variables, expected) in [
            (
                [("SUDO_UID", "ann"), ("SUDO_GID", "30")],
                "SUDO_UID is no number: ann;",
            ),
            (
                [("SUDO_UID", "1000"), ("SUDO_GID", "")],
                "SUDO_GID is no number: ;",
            ),
            (
                [("SUDO_UID", "1001"), ("SUDO_USER", "ann")],
                "the group of user 1001 ",
            ),
        ] {
            let message = user(&variables).unwrap_err();
            assert!(message.starts_with(expected), "{message}");
        }
    }

    #[test]
    fn groups_come_from_the_table_with_the_primary_first() {
        let table =
            "root:x:0:\nwheel:x:10:ann,bob\naudio:x:20:bob\nbob:x:30:\nbad line\nbobs:x:40:bobby\n";
        assert_eq!(groups_of("bob", 30, table), [30, 10, 20]);
    }
}
