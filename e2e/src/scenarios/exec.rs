//! Programs replaced: `execve` and `execveat`, from the leader and from another thread.

use std::ffi::{CStr, CString};

use libc::{
    AT_EMPTY_PATH, AT_FDCWD, EACCES, EBADF, ENOENT, ENOTDIR, O_CLOEXEC, O_DIRECTORY, O_RDONLY,
};

use super::files::CLOSED;
use super::make_file;
use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

/// Calls of the program that replaced another; its thread's name is the new program's.
pub fn image(t: &mut Tape) {
    t.path(ACCESS, "image-ran", args![c"image-ran", libc::F_OK])
        .fails(ENOENT);
    let fd = t
        .open(OPEN, "/dev/null", args![c"/dev/null", O_RDONLY])
        .ok() as i32;
    t.fd(CLOSE, fd, "/dev/null", args![fd]).is(0);
}

/// How this program is started again to run [`image`]: a symbolic link to it in the scratch directory, so that the
/// thread's name changes.
fn link_program(t: &mut Tape) {
    let program = std::env::current_exe().expect("current_exe");
    std::os::unix::fs::symlink(program, "other-program").expect("symlink");
    make_file(t, "no-program", 10);
    std::fs::create_dir("programs").expect("mkdir");
    std::os::unix::fs::symlink("../other-program", "programs/inner").expect("symlink");
}

/// Writes the statements, then replaces the program; never comes back.
fn become_image(t: &mut Tape, sys: Sys, call: impl FnOnce(&[usize; 4]) -> i64) {
    t.commit();
    let dir = CString::new(t.dir.clone()).expect("no NUL");
    let argument = |text: &CStr| text.as_ptr() as usize;
    let argv = [argument(c"other"), argument(c"image"), argument(&dir), 0];
    let ret = call(&argv);
    panic!("{} came back: {ret}", sys.name);
}

/// `execve` and `execveat`, failing and succeeding.
pub fn exec(t: &mut Tape) {
    t.outside(link_program);
    t.path(EXECVE, "missing", args![c"missing", 0, 0])
        .fails(ENOENT);
    t.path(EXECVE, "no-program", args![c"no-program", 0, 0])
        .fails(EACCES);
    t.path(EXECVE, "no-program/x", args![c"no-program/x", 0, 0])
        .fails(ENOTDIR);
    t.path(EXECVEAT, "missing", args![AT_FDCWD, c"missing", 0, 0, 0])
        .fails(ENOENT);
    t.fd(
        EXECVEAT,
        CLOSED,
        "",
        args![CLOSED, c"", 0, 0, AT_EMPTY_PATH],
    )
    .fails(EBADF);

    t.child_and_wait(|t| {
        t.planned(EXECVE, Some(0), -1, "other-program", "argument");
        become_image(t, EXECVE, |argv| {
            call(EXECVE.nr, args![c"other-program", argv, 0])
        });
    });
    t.child_and_wait(|t| {
        let dir = t
            .open(OPEN, "programs", args![c"programs", O_RDONLY | O_DIRECTORY])
            .ok() as i32;
        t.path(EXECVEAT, "programs/no", args![dir, c"no", 0, 0, 0])
            .fails(ENOENT);
        t.planned(EXECVEAT, Some(0), -1, "programs/inner", "argument");
        become_image(t, EXECVEAT, |argv| {
            call(EXECVEAT.nr, args![dir, c"inner", argv, 0, 0])
        });
    });
    t.child_and_wait(|t| {
        let program = t.outside(|_| std::fs::canonicalize("other-program"));
        let program = program
            .expect("canonicalize")
            .into_os_string()
            .into_encoded_bytes();
        let flags = O_RDONLY | O_CLOEXEC;
        let fd = t
            .open(OPEN, &program, args![c"other-program", flags])
            .flags(flags)
            .ok() as i32;
        t.planned(EXECVEAT, Some(0), fd, &program, "kernel");
        become_image(t, EXECVEAT, |argv| {
            call(EXECVEAT.nr, args![fd, c"", argv, 0, AT_EMPTY_PATH])
        });
    });
}

/// The call is entered by a thread that is not the leader, and returns under the leader's id.
pub fn exec_by_thread(t: &mut Tape) {
    t.outside(link_program);
    t.child_and_wait(|t| {
        t.path(ACCESS, "leader", args![c"leader", libc::F_OK])
            .fails(ENOENT);
        t.end();
        t.flush();
        let thread = t.thread(|t| {
            t.rename_thread(c"not-leader");
            t.path(EXECVE, "missing", args![c"missing", 0, 0])
                .fails(ENOENT);
            t.planned(EXECVE, Some(0), -1, "other-program", "argument");
            become_image(t, EXECVE, |argv| {
                sys::call(EXECVE.nr, args![c"other-program", argv, 0])
            });
        });
        thread.join();
    });
}

/// A child that shares its parent's memory until it replaces the program, and one that just ends.
pub fn vforked(t: &mut Tape) {
    t.outside(link_program);
    let child = t.vfork_child(|t| {
        t.path(ACCESS, "child", args![c"child", libc::F_OK])
            .fails(ENOENT);
        t.path(EXECVE, "missing", args![c"missing", 0, 0])
            .fails(ENOENT);
        t.planned(EXECVE, Some(0), -1, "other-program", "argument");
        become_image(t, EXECVE, |argv| {
            call(EXECVE.nr, args![c"other-program", argv, 0])
        });
    });
    t.path(ACCESS, "parent", args![c"parent", libc::F_OK])
        .fails(ENOENT);
    assert_eq!(sys::wait(child), 0, "exit status");
    let child = t.vfork_child(|t| {
        let fd = t
            .open(OPEN, "/dev/null", args![c"/dev/null", O_RDONLY])
            .ok() as i32;
        t.fd(CLOSE, fd, "/dev/null", args![fd]).is(0);
        t.fd(CLOSE, fd, "", args![fd]).fails(EBADF);
    });
    assert_eq!(sys::wait(child), 0, "exit status");
    t.path(ACCESS, "parent", args![c"parent", libc::F_OK])
        .fails(ENOENT);
}
