//! The workload's tape: makes each call, asserts that it ended as the scenario meant, and notes what a tracer must
//! have seen.
//!
//! Notes stay in memory and are written after the closing marker, so that nothing but the stated calls happens
//! between the markers.

use std::ffi::CStr;

use crate::args;
use crate::oracle::{BEGIN, Call, END, Name, ORACLE, Waits, errno_name, moves_payload};
use crate::sys::{self, Arg, Sys};

/// The notes of one thread.
pub struct Tape {
    /// Scratch directory, absolute, without a trailing slash; the working directory at the start.
    pub dir: Vec<u8>,
    /// Descriptors and addresses a scenario's setup hands to its run.
    pub kept: Vec<i64>,
    /// The thread's name, as a tracer must see it.
    pub comm: String,
    /// The process's name, where it is certain.
    pub process: Option<String>,
    oracle: i32,
    pid: u32,
    tid: u32,
    ppid: u32,
    uid: u32,
    calls: Vec<Call>,
}

/// A call just made: say how it must have ended.
#[must_use]
pub struct Done<'a> {
    tape: &'a mut Tape,
    ret: i64,
}

impl Tape {
    /// A tape for the calling thread, writing to the oracle file in `dir`.
    pub fn new(dir: Vec<u8>, comm: &str) -> Tape {
        let path = [&dir[..], b"/", ORACLE.as_bytes(), b"\0"].concat();
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND;
        let low = sys::call(
            libc::SYS_openat,
            args![libc::AT_FDCWD, &path[..], flags, 0o644],
        );
        assert!(low >= 0, "open oracle: {low}");
        let oracle = sys::call(libc::SYS_fcntl, args![low, libc::F_DUPFD, 900]) as i32;
        assert!(oracle >= 900, "dup oracle: {oracle}");
        sys::call(libc::SYS_close, args![low]);
        let mut tape = Tape {
            dir,
            kept: Vec::new(),
            comm: comm.to_owned(),
            process: Some(comm.to_owned()),
            oracle,
            pid: 0,
            tid: 0,
            ppid: 0,
            uid: 0,
            calls: Vec::with_capacity(1024),
        };
        tape.identify();
        tape
    }

    /// Asks again who the calling thread is: after it has changed its user.
    pub fn identify(&mut self) {
        (self.pid, self.tid) = sys::pid_and_tid();
        (self.uid, self.ppid) = sys::uid_and_parent();
    }

    /// The numbers a tracer must show where the calling process cannot ask for them: in a process namespace of its own.
    pub fn identify_as(&mut self, pid: u32, ppid: u32) {
        (self.pid, self.tid, self.ppid) = (pid, pid, ppid);
    }

    /// An empty tape for another thread or process of the scenario; it must `identify` itself there.
    fn fresh(&self) -> Tape {
        Tape {
            dir: self.dir.clone(),
            kept: self.kept.clone(),
            comm: self.comm.clone(),
            process: self.process.clone(),
            calls: Vec::with_capacity(1024),
            ..*self
        }
    }

    /// Opens the bracket.
    pub fn begin(&self) {
        self.mark(BEGIN);
    }

    /// Closes the bracket.
    pub fn end(&self) {
        self.mark(END);
    }

    fn mark(&self, path: &str) {
        let path = [path.as_bytes(), b"\0"].concat();
        let ret = sys::call(
            libc::SYS_faccessat,
            args![libc::AT_FDCWD, &path[..], libc::F_OK],
        );
        assert_eq!(ret, -i64::from(libc::ENOENT), "marker");
    }

    /// Runs `body` outside the bracket: its calls are not compared.
    pub fn outside<T>(&mut self, body: impl FnOnce(&mut Tape) -> T) -> T {
        self.end();
        let result = body(self);
        self.begin();
        result
    }

    /// Writes the notes so far; only outside the bracket. One `writev`, so that totals of `write` stay the scenario's.
    pub fn flush(&mut self) {
        let mut lines = Vec::new();
        for call in self.calls.drain(..) {
            serde_json::to_writer(&mut lines, &call).expect("serialize");
            lines.push(b'\n');
        }
        let mut rest = &mut lines[..];
        while !rest.is_empty() {
            let iovec = sys::iovec(&mut [&mut *rest]);
            let ret = sys::call(libc::SYS_writev, args![self.oracle, iovec.as_slice(), 1i32]);
            assert!(ret > 0, "write oracle: {ret}");
            rest = &mut rest[ret as usize..];
        }
    }

    /// Runs `body` in a forked child, between markers of its own; the child's process id.
    pub fn child(&mut self, body: impl FnOnce(&mut Tape)) -> i32 {
        let pid = sys::fork();
        if pid == 0 {
            self.be_child(body);
        }
        pid
    }

    /// Runs `body` in a child and waits for its end, which must be a clean one.
    pub fn child_and_wait(&mut self, body: impl FnOnce(&mut Tape)) {
        let pid = self.child(body);
        assert_eq!(sys::wait(pid), 0, "exit status of the child");
    }

    /// [`Tape::child_and_wait`] where making and awaiting the child would be rows: outside this thread's bracket.
    pub fn apart(&mut self, body: impl FnOnce(&mut Tape)) {
        self.outside(|tape| tape.child_and_wait(body));
    }

    /// A call that returns twice (`fork` and its like): its row, and in the child `body` between markers of its own.
    pub fn fork(&mut self, sys: Sys, args: &[Arg<'_>], body: impl FnOnce(&mut Tape)) -> Done<'_> {
        let ret = sys::call(sys.nr, args);
        if ret == 0 {
            self.be_child(body);
        }
        self.note(sys, ret, -1, b"", "")
    }

    fn be_child(&self, body: impl FnOnce(&mut Tape)) -> ! {
        let mut tape = self.fresh();
        tape.identify();
        tape.begin();
        body(&mut tape);
        tape.end();
        tape.flush();
        sys::call(libc::SYS_exit_group, args![0i32]);
        std::process::abort();
    }

    /// Runs `body` in a child made as `vfork` makes it, which ends or replaces its program; the child's process id.
    pub fn vfork_child(&mut self, body: impl FnOnce(&mut Tape)) -> i32 {
        let mut tape = self.fresh();
        sys::vfork(move || {
            tape.identify();
            tape.begin();
            body(&mut tape);
            tape.end();
            tape.flush();
        })
    }

    /// Starts a thread that runs `body` between markers of its own; only outside the bracket (stacks are mapped).
    pub fn thread(&self, body: impl FnOnce(&mut Tape) + Send + 'static) -> sys::Thread {
        let mut tape = self.fresh();
        sys::Thread::start(move || {
            tape.identify();
            tape.begin();
            body(&mut tape);
            tape.end();
            tape.flush();
        })
    }

    /// The full name: `""` none; absolute and kernel-made names (`pipe:[1]`) as they are, others inside the scratch
    /// directory.
    pub fn full(&self, name: impl AsRef<[u8]>) -> Vec<u8> {
        let name = name.as_ref();
        let made = [
            &b"pipe:"[..],
            b"socket:",
            b"anon_inode:",
            b"memfd:",
            b"uts:[",
        ];
        if name.is_empty() || name[0] == b'/' || made.iter().any(|made| name.starts_with(made)) {
            return name.to_vec();
        }
        [&self.dir[..], b"/", name].concat()
    }

    fn note(&mut self, sys: Sys, ret: i64, fd: i32, file: &[u8], source: &str) -> Done<'_> {
        let bytes = if moves_payload(sys.name) {
            ret.max(0) as u64
        } else {
            0
        };
        self.calls.push(Call {
            pid: self.pid,
            tid: self.tid,
            ppid: self.ppid,
            uid: self.uid,
            comm: self.comm.clone(),
            process: self.process.clone(),
            syscall: sys.name.to_owned(),
            ret: Some(ret),
            errno: (ret < 0).then(|| errno_name(-ret as i32)),
            bytes,
            fd,
            file: Some(Name::from(file)),
            file_end: None,
            old_file: Some(Name::Text(String::new())),
            name_source: Some(source.to_owned()),
            offset: None,
            requested: None,
            flags: None,
            nulls: Vec::new(),
            abi: (sys.nr & sys::COMPAT != 0).then(|| "ia32".to_owned()),
            address_space_bytes: None,
            sleep_at_most: None,
            waits: Waits::default(),
            repeat: 1,
        });
        Done { tape: self, ret }
    }

    /// A call without a file.
    pub fn bare(&mut self, sys: Sys, args: &[Arg<'_>]) -> Done<'_> {
        let ret = sys::call(sys.nr, args);
        self.note(sys, ret, -1, b"", "")
    }

    /// A call on a descriptor; an empty `file` if the descriptor is not open.
    pub fn fd(&mut self, sys: Sys, fd: i32, file: impl AsRef<[u8]>, args: &[Arg<'_>]) -> Done<'_> {
        let ret = sys::call(sys.nr, args);
        let file = self.full(file);
        let source = if file.is_empty() { "" } else { "kernel" };
        self.note(sys, ret, fd, &file, source)
    }

    /// A call on a name.
    pub fn path(&mut self, sys: Sys, file: impl AsRef<[u8]>, args: &[Arg<'_>]) -> Done<'_> {
        let ret = sys::call(sys.nr, args);
        let file = self.full(file);
        self.note(sys, ret, -1, &file, "argument")
    }

    /// A call on a name that is relative to nothing.
    pub fn text(&mut self, sys: Sys, name: &str, args: &[Arg<'_>]) -> Done<'_> {
        let ret = sys::call(sys.nr, args);
        self.note(sys, ret, -1, name.as_bytes(), "argument")
    }

    /// A call that opens a name: the kernel's path if it succeeds, else the name passed.
    pub fn open(&mut self, sys: Sys, file: impl AsRef<[u8]>, args: &[Arg<'_>]) -> Done<'_> {
        let ret = sys::call(sys.nr, args);
        let file = self.full(file);
        if ret < 0 {
            self.note(sys, ret, -1, &file, "argument")
        } else {
            self.note(sys, ret, ret as i32, &file, "kernel")
        }
    }

    /// A call that makes a descriptor from nothing.
    pub fn create(&mut self, sys: Sys, file: &str, args: &[Arg<'_>]) -> Done<'_> {
        let ret = sys::call(sys.nr, args);
        if ret < 0 {
            self.note(sys, ret, -1, b"", "")
        } else {
            self.note(sys, ret, ret as i32, file.as_bytes(), "kernel")
        }
    }

    /// A call on two names; `old` as it must be shown.
    pub fn two_paths(
        &mut self,
        sys: Sys,
        new: impl AsRef<[u8]>,
        old: impl AsRef<[u8]>,
        args: &[Arg<'_>],
    ) -> Done<'_> {
        let old = self.full(old);
        let done = self.path(sys, new, args);
        done.tape.last().old_file = Some(Name::from(old));
        done
    }

    /// A call on two descriptors; `fd` and `file` are the destination's.
    pub fn two_fds(
        &mut self,
        sys: Sys,
        fd: i32,
        file: impl AsRef<[u8]>,
        old: impl AsRef<[u8]>,
        args: &[Arg<'_>],
    ) -> Done<'_> {
        let old = self.full(old);
        let done = self.fd(sys, fd, file, args);
        done.tape.last().old_file = Some(Name::from(old));
        done
    }

    /// Notes a call made later or elsewhere: by a signal handler, or one that never returns (no result).
    pub fn planned(
        &mut self,
        sys: Sys,
        ret: Option<i64>,
        fd: i32,
        file: impl AsRef<[u8]>,
        source: &str,
    ) -> &mut Call {
        let file = self.full(file);
        self.note(sys, ret.unwrap_or(0), fd, &file, source).done();
        let call = self.last();
        call.ret = ret;
        call
    }

    /// Writes all notes, the planned ones included, and opens the bracket again: what follows was stated before.
    pub fn commit(&mut self) {
        self.end();
        self.flush();
        self.begin();
    }

    /// The last call noted, to correct what is only known later.
    pub fn last(&mut self) -> &mut Call {
        self.calls.last_mut().expect("a call was made")
    }

    /// What `/proc/self/fd` calls the descriptor; only outside the bracket.
    pub fn proc_name(&self, fd: i32) -> String {
        let link = std::fs::read_link(format!("/proc/self/fd/{fd}")).expect("readlink");
        link.to_str().expect("ASCII name").to_owned()
    }

    /// Renames the thread, and the process if it is the leader.
    pub fn rename_thread(&mut self, comm: &CStr) {
        sys::set_comm(comm);
        comm.to_str().expect("ASCII").clone_into(&mut self.comm);
        if self.pid == self.tid {
            self.process = Some(self.comm.clone());
        }
    }

    /// This thread's process id and thread id.
    pub fn ids(&self) -> (u32, u32) {
        (self.pid, self.tid)
    }
}

impl Done<'_> {
    /// It must have succeeded; the result.
    #[track_caller]
    pub fn ok(self) -> i64 {
        assert!(self.ret >= 0, "unexpected error: {:?}", self.tape.last());
        self.ret
    }

    /// It must have succeeded and returned `value`.
    #[track_caller]
    pub fn is(self, value: i64) {
        assert_eq!(self.ret, value, "{:?}", self.tape.last());
    }

    /// It must have failed with `errno`.
    #[track_caller]
    pub fn fails(self, errno: i32) {
        assert_eq!(self.ret, -i64::from(errno), "{:?}", self.tape.last());
    }

    /// Whatever the kernel answered is right.
    pub fn done(self) -> i64 {
        self.ret
    }

    /// The file position at which it worked.
    pub fn offset(self, offset: i64) -> Self {
        self.tape.last().offset = Some(offset);
        self
    }

    /// The number of bytes asked for.
    pub fn requested(self, bytes: u64) -> Self {
        self.tape.last().requested = Some(bytes);
        self
    }

    /// A column whose value nobody can know: `offset`, `requested` or `flags`.
    pub fn null(self, column: &str) -> Self {
        self.tape.last().nulls.push(column.to_owned());
        self
    }

    /// The flags passed, of 64 bits.
    pub fn long_flags(self, flags: u64) -> Self {
        self.tape.last().flags = Some(flags);
        self
    }

    /// The flags passed.
    pub fn flags(self, flags: i32) -> Self {
        self.tape.last().flags = Some(u64::from(flags as u32));
        self
    }

    /// The sleep asked for, nanoseconds.
    pub fn sleep_ns(self, sleep: u64) -> Self {
        self.tape.last().waits.requested_sleep_ns = Some(sleep);
        self
    }

    /// A sleep to a point in time: at most that many nanoseconds, and less than a second less.
    pub fn sleep_at_most(self, sleep: u64) -> Self {
        self.tape.last().sleep_at_most = Some(sleep);
        self
    }

    /// The number of descriptors polled.
    pub fn nfds(self, nfds: u64) -> Self {
        self.tape.last().waits.nfds = Some(nfds);
        self
    }

    /// The longest wait, nanoseconds; -1 infinite, -2 unreadable.
    pub fn timeout_ns(self, timeout: i64) -> Self {
        self.tape.last().waits.timeout_ns = Some(timeout);
        self
    }

    /// What `epoll_ctl` was told; `events` as far as they could be read.
    pub fn epoll(self, op: i64, target: i64, events: Option<u64>) -> Self {
        let waits = &mut self.tape.last().waits;
        (waits.epoll_op, waits.epoll_target_fd) = (Some(op), Some(target));
        waits.epoll_events = events;
        self
    }

    /// A call on a name that works on a descriptor besides, open or not.
    pub fn on(self, fd: i32) -> Self {
        self.tape.last().fd = fd;
        self
    }

    /// The old name where it is a text, relative to nothing.
    pub fn old_text(self, old: &[u8]) -> Self {
        self.tape.last().old_file = Some(Name::from(old));
        self
    }

    /// Bytes of address space made, freed or moved.
    pub fn address_space(self, bytes: u64) -> Self {
        self.tape.last().address_space_bytes = Some(bytes);
        self
    }

    /// The payload, where it is not simply the result.
    pub fn bytes(self, bytes: u64) -> Self {
        self.tape.last().bytes = bytes;
        self
    }

    /// Only `partial` is certain of the name, and its end (possibly empty).
    pub fn partial(self, end: &[u8]) -> Self {
        let call = self.tape.last();
        call.file = None;
        call.file_end = Some(Name::from(end));
        call.name_source = Some("partial".to_owned());
        self
    }

    /// The specification leaves the name open: do not compare it.
    pub fn any_name(self) -> Self {
        let call = self.tape.last();
        call.file = None;
        call.name_source = None;
        self
    }
}
