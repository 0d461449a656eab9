//! `process_vm_readv` and `process_vm_writev`.

use libc::{EFAULT, EINVAL, ESRCH, SIGKILL};

use super::super::polling::wait_until_asleep;
use super::NOBODY;
use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

/// Within the own process: whole, in parts, as far as it can be read, and not at all.
pub fn of_self(t: &mut Tape) {
    let pid = t.ids().0;
    let (mut theirs, mut first, mut second) = ([7u8; 300], [0u8; 100], [0u8; 50]);
    let remote = sys::iovec(&mut [&mut theirs]);
    let mine = sys::iovec(&mut [&mut first, &mut second]);
    let half = [remote[0], [8, 100]];
    for sys in [PROCESS_VM_READV, PROCESS_VM_WRITEV] {
        let transfer = |t: &mut Tape, args: &[Arg], requested, ret: i64| {
            t.bare(sys, args).requested(requested).is(ret);
        };
        let none = [0usize; 2];
        let args = args![pid, &mine[..], 2, &remote[..], 1, 0];
        transfer(t, args, 150, 150);
        transfer(t, args![pid, &mine[..], 1, &remote[..], 1, 0], 100, 100);
        transfer(t, args![pid, &none, 1, &remote[..], 1, 0], 0, 0);
        transfer(t, args![pid, &mine[..], 0, &remote[..], 1, 0], 0, 0);
        // More is asked for than there is to be had.
        let short = [[remote[0][0], 70], [8, 30]];
        transfer(t, args![pid, &mine[..], 2, &short, 1, 0], 150, 70);
        transfer(t, args![pid, &mine[..], 2, &short, 2, 0], 150, 70);
        transfer(
            t,
            args![pid, &mine[..], 2, &half[1..], 1, 0],
            150,
            -i64::from(EFAULT),
        );
        transfer(
            t,
            args![pid, &mine[..], 2, 8, 1, 0],
            150,
            -i64::from(EFAULT),
        );
        transfer(
            t,
            args![NOBODY, &mine[..], 2, &remote[..], 1, 0],
            150,
            -i64::from(ESRCH),
        );
        transfer(
            t,
            args![pid, &mine[..], 2, &remote[..], 1, 1],
            150,
            -i64::from(EINVAL),
        );
        t.bare(sys, args![pid, 8, 2, &remote[..], 1, 0])
            .fails(EFAULT);
        t.bare(sys, args![pid, &mine[..], 9999, &remote[..], 1, 0])
            .fails(EINVAL);
    }
}

/// The memory of a child, which starts as a copy of the parent's.
pub fn of_another(t: &mut Tape) {
    let mut page = vec![b'c'; 64];
    let place = sys::iovec(&mut [&mut page]);
    let child = t.outside(|t| {
        let child = t.child(|t| {
            t.end();
            call(PAUSE.nr, &[]);
        });
        wait_until_asleep(child, PAUSE);
        child
    });
    page.fill(b'p');
    let mut buffer = [b'w'; 20];
    let mine = sys::iovec(&mut [&mut buffer]);
    t.bare(
        PROCESS_VM_WRITEV,
        args![child, &mine[..], 1, &place[..], 1, 0],
    )
    .requested(20)
    .is(20);
    let mut found = [0u8; 100];
    let mine = sys::iovec(&mut [&mut found]);
    t.bare(
        PROCESS_VM_READV,
        args![child, &mine[..], 1, &place[..], 1, 0],
    )
    .requested(100)
    .is(64);
    assert_eq!(found[19..21], *b"wc", "the child's memory");
    t.bare(KILL, args![child, SIGKILL]).is(0);
    t.outside(|_| assert_eq!(sys::wait(child), SIGKILL, "status of the child"));
    t.bare(
        PROCESS_VM_READV,
        args![child, &mine[..], 1, &place[..], 1, 0],
    )
    .requested(100)
    .fails(ESRCH);
}
