//! Threads, names and users for the scopes: what is in and what is out, in one process tree.

use std::sync::{Barrier, Mutex};

use libc::{EACCES, ENOENT, O_CREAT, O_RDWR};

use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

static GO: Barrier = Barrier::new(4);
static READY: Barrier = Barrier::new(4);
static THREADS: Mutex<Vec<Thread>> = Mutex::new(Vec::new());
static TIDS: Mutex<Vec<u32>> = Mutex::new(Vec::new());

fn look(t: &mut Tape) {
    t.path(ACCESS, "/", args![c"/", libc::F_OK]).is(0);
    t.path(ACCESS, "missing", args![c"missing", libc::F_OK])
        .fails(ENOENT);
}

fn own_file(t: &mut Tape) {
    let name = format!("thread-{}", t.ids().1);
    let path = std::ffi::CString::new(name.clone()).expect("no NUL");
    let fd = t
        .open(OPEN, &name, args![&path, O_CREAT | O_RDWR, 0o644])
        .ok() as i32;
    for offset in 0..100 {
        t.fd(WRITE, fd, &name, args![fd, b"x", 1])
            .offset(offset)
            .is(1);
    }
    t.fd(CLOSE, fd, &name, args![fd]).is(0);
    look(t);
}

/// Starts three threads that wait for [`three_threads`], and says their ids: `tids A B C`.
pub fn start_threads(t: &mut Tape) {
    for _ in 0..3 {
        let thread = t.thread(|t| {
            TIDS.lock().expect("no panic").push(t.ids().1);
            READY.wait();
            GO.wait();
            // The first one was before the trace.
            t.begin();
            own_file(t);
        });
        THREADS.lock().expect("no panic").push(thread);
    }
    READY.wait();
    let tids = TIDS.lock().expect("no panic").clone();
    let tids: Vec<_> = tids.iter().map(u32::to_string).collect();
    sys::say(&format!("tids {}", tids.join(" ")));
}

/// Three threads and their leader at once, the same calls.
pub fn three_threads(t: &mut Tape) {
    GO.wait();
    own_file(t);
    t.outside(|_| {
        for thread in THREADS.lock().expect("no panic").drain(..) {
            thread.join();
        }
    });
}

/// The name the scope asks for, made of the process id so that no other process has it.
pub fn name_of(pid: u32) -> String {
    format!("e2e-{pid}")
}

fn look_as(t: &mut Tape, name: &str) {
    let name = std::ffi::CString::new(name).expect("no NUL");
    // Brackets are made under both names, so that each is whole in its scope.
    t.end();
    t.rename_thread(&name);
    t.begin();
    look(t);
    t.end();
    t.rename_thread(c"out-of-scope");
    t.begin();
}

/// Threads renamed into the name of [`name_of`] and out of it again, and into names that only begin like it or are the
/// beginning of it.
pub fn names_in_and_out(t: &mut Tape) {
    let name = name_of(t.ids().0);
    let names = [
        name.clone(),
        format!("{name}x"),
        name[..name.len() - 1].to_owned(),
        name.to_uppercase(),
        name.clone(),
    ];
    look(t);
    t.outside(|t| {
        let names = names.clone();
        let thread = t.thread(move |t| {
            look(t);
            names.iter().for_each(|name| look_as(t, name));
            look(t);
        });
        thread.join();
    });
    look(t);
    names.iter().for_each(|name| look_as(t, name));
    // A child has its parent's name from its first call on.
    let inherited = std::ffi::CString::new(name.clone()).expect("no NUL");
    t.end();
    t.rename_thread(&inherited);
    t.begin();
    t.child_and_wait(|t| {
        look(t);
        look_as(t, &name);
        look(t);
    });
    look(t);
    t.end();
    t.rename_thread(c"out-of-scope");
    t.begin();
    look(t);
}

/// The user of [`other_user`].
pub const NOBODY: u32 = 65534;

/// A child that becomes another user, and has children as that one.
pub fn other_user(t: &mut Tape) {
    look(t);
    t.child_and_wait(|t| {
        look(t);
        let ret = sys::call(libc::SYS_setresuid, args![NOBODY, NOBODY, NOBODY]);
        assert_eq!(ret, 0, "setresuid");
        t.identify();
        t.begin();
        look(t);
        t.path(MKDIR, "d", args![c"d", 0o755]).fails(EACCES);
        t.child_and_wait(look);
        look(t);
    });
    look(t);
}
