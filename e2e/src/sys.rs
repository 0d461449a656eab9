//! Raw system calls, so that exactly the stated calls are made; the only unsafe code of the package.
//!
//! The safe wrapper is safe by convention only: a scenario passes sizes that fit its buffers, or wrong addresses on
//! purpose, which the kernel answers with an error.

use std::ffi::{CStr, CString, c_int, c_long, c_void};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicI32, Ordering};

/// A traced system call: the tracepoint's name and the number.
#[derive(Debug, Clone, Copy)]
pub struct Sys {
    /// Name as in the tracefs listing.
    pub name: &'static str,
    /// Number.
    pub nr: c_long,
}

macro_rules! calls {
    ($($name:ident = $tracepoint:literal $nr:ident;)*) => {
        $(
            #[doc = concat!("`", $tracepoint, "`")]
            pub const $name: Sys = Sys { name: $tracepoint, nr: libc::$nr };
        )*
        /// Every call the first release traces by default.
        pub const ALL: &[Sys] = &[$($name),*];
    };
}

calls! {
    OPEN = "open" SYS_open;
    OPENAT = "openat" SYS_openat;
    OPENAT2 = "openat2" SYS_openat2;
    CREAT = "creat" SYS_creat;
    CLOSE = "close" SYS_close;
    CLOSE_RANGE = "close_range" SYS_close_range;
    READ = "read" SYS_read;
    PREAD64 = "pread64" SYS_pread64;
    READV = "readv" SYS_readv;
    PREADV = "preadv" SYS_preadv;
    PREADV2 = "preadv2" SYS_preadv2;
    WRITE = "write" SYS_write;
    PWRITE64 = "pwrite64" SYS_pwrite64;
    WRITEV = "writev" SYS_writev;
    PWRITEV = "pwritev" SYS_pwritev;
    PWRITEV2 = "pwritev2" SYS_pwritev2;
    LSEEK = "lseek" SYS_lseek;
    NEWSTAT = "newstat" SYS_stat;
    NEWLSTAT = "newlstat" SYS_lstat;
    NEWFSTAT = "newfstat" SYS_fstat;
    NEWFSTATAT = "newfstatat" SYS_newfstatat;
    STATX = "statx" SYS_statx;
    STATFS = "statfs" SYS_statfs;
    FSTATFS = "fstatfs" SYS_fstatfs;
    ACCESS = "access" SYS_access;
    FACCESSAT = "faccessat" SYS_faccessat;
    FACCESSAT2 = "faccessat2" SYS_faccessat2;
    GETDENTS = "getdents" SYS_getdents;
    GETDENTS64 = "getdents64" SYS_getdents64;
    GETCWD = "getcwd" SYS_getcwd;
    CHDIR = "chdir" SYS_chdir;
    FCHDIR = "fchdir" SYS_fchdir;
    MKDIR = "mkdir" SYS_mkdir;
    MKDIRAT = "mkdirat" SYS_mkdirat;
    RMDIR = "rmdir" SYS_rmdir;
    UNLINK = "unlink" SYS_unlink;
    UNLINKAT = "unlinkat" SYS_unlinkat;
    RENAME = "rename" SYS_rename;
    RENAMEAT = "renameat" SYS_renameat;
    RENAMEAT2 = "renameat2" SYS_renameat2;
    LINK = "link" SYS_link;
    LINKAT = "linkat" SYS_linkat;
    SYMLINK = "symlink" SYS_symlink;
    SYMLINKAT = "symlinkat" SYS_symlinkat;
    READLINK = "readlink" SYS_readlink;
    READLINKAT = "readlinkat" SYS_readlinkat;
    CHMOD = "chmod" SYS_chmod;
    FCHMOD = "fchmod" SYS_fchmod;
    FCHMODAT = "fchmodat" SYS_fchmodat;
    CHOWN = "chown" SYS_chown;
    FCHOWN = "fchown" SYS_fchown;
    LCHOWN = "lchown" SYS_lchown;
    FCHOWNAT = "fchownat" SYS_fchownat;
    UTIMENSAT = "utimensat" SYS_utimensat;
    TRUNCATE = "truncate" SYS_truncate;
    FTRUNCATE = "ftruncate" SYS_ftruncate;
    FALLOCATE = "fallocate" SYS_fallocate;
    FADVISE64 = "fadvise64" SYS_fadvise64;
    FSYNC = "fsync" SYS_fsync;
    FDATASYNC = "fdatasync" SYS_fdatasync;
    SYNC = "sync" SYS_sync;
    SYNCFS = "syncfs" SYS_syncfs;
    SYNC_FILE_RANGE = "sync_file_range" SYS_sync_file_range;
    MSYNC = "msync" SYS_msync;
    MMAP = "mmap" SYS_mmap;
    MUNMAP = "munmap" SYS_munmap;
    DUP = "dup" SYS_dup;
    DUP2 = "dup2" SYS_dup2;
    DUP3 = "dup3" SYS_dup3;
    FCNTL = "fcntl" SYS_fcntl;
    IOCTL = "ioctl" SYS_ioctl;
    FLOCK = "flock" SYS_flock;
    PIPE = "pipe" SYS_pipe;
    PIPE2 = "pipe2" SYS_pipe2;
    SOCKET = "socket" SYS_socket;
    SENDTO = "sendto" SYS_sendto;
    RECVFROM = "recvfrom" SYS_recvfrom;
    SENDMSG = "sendmsg" SYS_sendmsg;
    RECVMSG = "recvmsg" SYS_recvmsg;
    SENDFILE64 = "sendfile64" SYS_sendfile;
    COPY_FILE_RANGE = "copy_file_range" SYS_copy_file_range;
    SPLICE = "splice" SYS_splice;
    TEE = "tee" SYS_tee;
    EXECVE = "execve" SYS_execve;
    EXECVEAT = "execveat" SYS_execveat;
    EXIT = "exit" SYS_exit;
    EXIT_GROUP = "exit_group" SYS_exit_group;
    IO_URING_SETUP = "io_uring_setup" SYS_io_uring_setup;
    IO_URING_ENTER = "io_uring_enter" SYS_io_uring_enter;
    IO_URING_REGISTER = "io_uring_register" SYS_io_uring_register;
    IO_SETUP = "io_setup" SYS_io_setup;
    IO_SUBMIT = "io_submit" SYS_io_submit;
    IO_GETEVENTS = "io_getevents" SYS_io_getevents;
    IO_DESTROY = "io_destroy" SYS_io_destroy;
    EVENTFD2 = "eventfd2" SYS_eventfd2;
    EPOLL_CREATE1 = "epoll_create1" SYS_epoll_create1;
    INOTIFY_INIT1 = "inotify_init1" SYS_inotify_init1;
    MEMFD_CREATE = "memfd_create" SYS_memfd_create;
}

/// One register's worth of argument; pointers keep their buffer borrowed until the call is done.
#[derive(Debug, Clone, Copy)]
pub struct Arg<'a>(i64, PhantomData<&'a ()>);

macro_rules! integer_args {
    ($($int:ty)*) => {
        $(impl From<$int> for Arg<'_> {
            fn from(value: $int) -> Self {
                Arg(value as i64, PhantomData)
            }
        })*
    };
}
integer_args!(i32 u32 i64 u64 usize);

impl<'a> From<&'a CStr> for Arg<'a> {
    fn from(text: &'a CStr) -> Self {
        Arg(text.as_ptr() as i64, PhantomData)
    }
}

impl<'a> From<&'a CString> for Arg<'a> {
    fn from(text: &'a CString) -> Self {
        Arg::from(text.as_c_str())
    }
}

impl<'a, T: Copy, const N: usize> From<&'a [T; N]> for Arg<'a> {
    fn from(array: &'a [T; N]) -> Self {
        Arg(array.as_ptr() as i64, PhantomData)
    }
}

impl<'a, T: Copy, const N: usize> From<&'a mut [T; N]> for Arg<'a> {
    fn from(array: &'a mut [T; N]) -> Self {
        Arg(array.as_mut_ptr() as i64, PhantomData)
    }
}

impl<'a, T: Copy> From<&'a [T]> for Arg<'a> {
    fn from(slice: &'a [T]) -> Self {
        Arg(slice.as_ptr() as i64, PhantomData)
    }
}

impl<'a, T: Copy> From<&'a mut [T]> for Arg<'a> {
    fn from(slice: &'a mut [T]) -> Self {
        Arg(slice.as_mut_ptr() as i64, PhantomData)
    }
}

/// Up to six arguments of any kind.
#[macro_export]
macro_rules! args {
    ($($arg:expr),* $(,)?) => { &[$($crate::sys::Arg::from($arg)),*] };
}

/// Makes the call; a negative result is the negated errno.
pub fn call(nr: c_long, args: &[Arg<'_>]) -> i64 {
    let arg = |index: usize| args.get(index).map_or(0, |arg| arg.0);
    // SAFETY: pointers among the arguments come from borrows that outlive the call, or are wrong on purpose; each
    // scenario passes lengths that fit its buffers.
    let ret = unsafe { libc::syscall(nr, arg(0), arg(1), arg(2), arg(3), arg(4), arg(5)) };
    if ret == -1 {
        // SAFETY: the location of this thread's errno is always valid.
        -i64::from(unsafe { *libc::__errno_location() })
    } else {
        ret
    }
}

/// Scatter list of some buffers.
pub fn iovec(parts: &mut [&mut [u8]]) -> Vec<[usize; 2]> {
    parts
        .iter_mut()
        .map(|part| [part.as_mut_ptr() as usize, part.len()])
        .collect()
}

/// A `struct msghdr` without address and control data.
pub fn msghdr(iovec: &[[usize; 2]]) -> [usize; 7] {
    [0, 0, iovec.as_ptr() as usize, iovec.len(), 0, 0, 0]
}

/// Keeps the allocator from calling mmap and munmap between the markers: one arena, grown by brk only.
pub fn quiet_allocator() {
    // SAFETY: plain settings, made before any thread exists.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
        libc::mallopt(libc::M_MMAP_MAX, 0);
        libc::mallopt(libc::M_TRIM_THRESHOLD, c_int::MAX);
    }
}

/// Forks; 0 in the child.
pub fn fork() -> i32 {
    // SAFETY: scenarios fork while their process has one thread.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork failed");
    pid
}

/// Waits for one child; its exit status.
pub fn wait(pid: i32) -> i32 {
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    let waited = unsafe { libc::waitpid(pid, &raw mut status, 0) };
    assert_eq!(waited, pid, "waitpid");
    status
}

/// Real user id and parent process id.
pub fn uid_and_parent() -> (u32, u32) {
    // SAFETY: no arguments, cannot fail.
    unsafe { (libc::getuid(), libc::getppid() as u32) }
}

/// Process id and thread id, asked of the kernel (no cached value after fork).
pub fn pid_and_tid() -> (u32, u32) {
    let id = |nr| call(nr, &[]) as u32;
    (id(libc::SYS_getpid), id(libc::SYS_gettid))
}

/// Renames the calling thread.
pub fn set_comm(name: &CStr) {
    let ret = call(
        libc::SYS_prctl,
        args![libc::PR_SET_NAME, name, 0i32, 0i32, 0i32],
    );
    assert_eq!(ret, 0, "prctl");
}

/// A thread that ends with a raw `exit`, without the clean-up calls of a library.
pub struct Thread(libc::pthread_t);

type Body = Box<dyn FnOnce() + Send>;

extern "C" fn thread_main(body: *mut c_void) -> *mut c_void {
    // SAFETY: `body` is the box leaked by `Thread::start`, handed to this thread alone.
    let body = unsafe { Box::from_raw(body.cast::<Body>()) };
    body();
    call(libc::SYS_exit, args![0i32]);
    std::process::abort();
}

impl Thread {
    /// Starts a thread that runs `body`.
    pub fn start(body: impl FnOnce() + Send + 'static) -> Thread {
        let body: Box<Body> = Box::new(Box::new(body));
        let mut thread = 0;
        // SAFETY: `thread_main` takes the box over; null attributes are the defaults.
        let error = unsafe {
            libc::pthread_create(
                &raw mut thread,
                std::ptr::null(),
                thread_main,
                Box::into_raw(body).cast(),
            )
        };
        assert_eq!(error, 0, "pthread_create");
        Thread(thread)
    }

    /// Waits for its end.
    pub fn join(self) {
        // SAFETY: a thread started by `start`, joined once.
        let error = unsafe { libc::pthread_join(self.0, std::ptr::null_mut()) };
        assert_eq!(error, 0, "pthread_join");
    }
}

static HANDLER_FD: AtomicI32 = AtomicI32::new(-1);

extern "C" fn write_a_byte(_signal: c_int) {
    let fd = HANDLER_FD.load(Ordering::Relaxed);
    if fd >= 0 {
        call(libc::SYS_write, args![fd, b"!", 1i32]);
    }
}

/// Handles SIGUSR1 by writing one byte to `fd` (nothing if negative), restarting the interrupted call if `flags`
/// has `SA_RESTART`.
pub fn handle_usr1(fd: i32, flags: c_int) {
    HANDLER_FD.store(fd, Ordering::Relaxed);
    // SAFETY: an all-zero `sigaction` is a valid value; the handler makes one system call and no other.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = write_a_byte as *const () as usize;
        action.sa_flags = flags;
        let ret = libc::sigaction(libc::SIGUSR1, &raw const action, std::ptr::null_mut());
        assert_eq!(ret, 0, "sigaction");
    }
}

/// Makes a 32-bit `getpid` (number 20, which is `writev` among the 64-bit calls).
#[cfg(target_arch = "x86_64")]
pub fn getpid32() -> i32 {
    let pid: i32;
    // SAFETY: the call takes no arguments; the kernel clobbers r8 to r11 on this way in.
    unsafe {
        std::arch::asm!(
            "int 0x80",
            inlateout("eax") 20 => pid,
            out("r8") _, out("r9") _, out("r10") _, out("r11") _,
        );
    }
    pid
}

/// Copies bytes to an address of a mapping made by the scenario.
pub fn poke(address: usize, bytes: &[u8]) {
    // SAFETY: the scenario mapped at least that much there, writable.
    unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), address as *mut u8, bytes.len()) }
}

const VFORK_STACK: usize = 256 << 10;

type ChildBody<'a> = Box<dyn FnOnce() + 'a>;

extern "C" fn vfork_main(body: *mut c_void) -> c_int {
    // SAFETY: `body` is the box leaked by `vfork`, handed to this child alone.
    let body = unsafe { Box::from_raw(body.cast::<ChildBody<'_>>()) };
    body();
    call(libc::SYS_exit_group, args![0i32]);
    std::process::abort();
}

/// Runs `body` as `vfork` does: in a child that shares the memory, while this thread waits for its exec or its end; the
/// child's process id.
pub fn vfork<'a>(body: impl FnOnce() + 'a) -> i32 {
    let body: Box<ChildBody<'a>> = Box::new(Box::new(body));
    let mut stack = vec![0u128; VFORK_STACK / size_of::<u128>()];
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    // SAFETY: the stack and what `body` borrows outlive the child's use of this memory, because the call returns only
    // when the child has left it; the process has one thread.
    let pid = unsafe {
        let top = stack.as_mut_ptr_range().end.cast();
        libc::clone(vfork_main, top, flags, Box::into_raw(body).cast())
    };
    assert!(pid > 0, "clone failed");
    pid
}

/// The processors the calling thread may run on, as bits.
pub fn processors() -> [u64; 16] {
    let mut set = [0; 16];
    let ret = call(
        libc::SYS_sched_getaffinity,
        args![0i32, size_of_val(&set), &mut set],
    );
    assert!(ret > 0, "sched_getaffinity: {ret}");
    set
}

/// Moves the calling thread to one processor.
pub fn run_on(processor: usize) {
    let mut set = [0u64; 16];
    set[processor / 64] = 1 << (processor % 64);
    let ret = call(
        libc::SYS_sched_setaffinity,
        args![0i32, size_of_val(&set), &set],
    );
    assert_eq!(ret, 0, "sched_setaffinity");
}

/// Nanoseconds of `CLOCK_MONOTONIC`.
pub fn now_ns() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `now` outlives the call.
    let ret = unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    assert_eq!(ret, 0, "clock_gettime");
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// Says a line on standard output.
pub fn say(line: &str) {
    let line = format!("{line}\n");
    let ret = call(libc::SYS_write, args![1i32, line.as_bytes(), line.len()]);
    assert_eq!(ret, line.len() as i64, "write to standard output");
}
