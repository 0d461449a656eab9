//! System V message queues, semaphores and shared memory: known by numbers, without a file.

use libc::{E2BIG, EAGAIN, EEXIST, EFAULT, EFBIG, EIDRM, EINVAL, ENOENT, ENOMSG, GETVAL};
use libc::{IPC_CREAT, IPC_EXCL, IPC_NOWAIT, IPC_PRIVATE, IPC_RMID, IPC_SET, IPC_STAT};
use libc::{MSG_NOERROR, SETVAL, SHM_RDONLY};

use super::super::polling::wait_until_asleep;
use super::in_own_namespace;
use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

/// Only this namespace knows it.
const KEY: i32 = 0x10e2e;
const UNKNOWN: i32 = 999_999;

/// A message: its kind and text.
fn message(kind: u64, text: &[u8; 8]) -> [u64; 2] {
    [kind, u64::from_ne_bytes(*text)]
}

/// `msgget`, `msgsnd`, `msgrcv`, `msgctl`.
pub fn messages(t: &mut Tape) {
    in_own_namespace(t, |t| {
        let made = IPC_CREAT | IPC_EXCL | 0o600;
        let id = t.bare(MSGGET, args![KEY, made]).ok();
        t.bare(MSGGET, args![KEY, made]).fails(EEXIST);
        t.bare(MSGGET, args![KEY, 0]).is(id);
        t.bare(MSGGET, args![KEY + 1, 0]).fails(ENOENT);
        let buffer = &mut [0u64; 9];
        let receive = |t: &mut Tape, size: u64, kind: i32, flags: i32, ret: i64| {
            t.bare(MSGRCV, args![id, &mut *buffer, size, kind, flags])
                .requested(size)
                .flags(flags)
                .is(ret);
        };
        let mut receive = receive;
        let hello = message(7, b"messages");
        receive(t, 64, 0, IPC_NOWAIT, -i64::from(ENOMSG));
        for (length, flags) in [(8, 0), (3, IPC_NOWAIT), (0, 0)] {
            t.bare(MSGSND, args![id, &hello, length, flags])
                .requested(length)
                .flags(flags)
                .is(0);
        }
        receive(t, 64, 0, 0, 8);
        receive(t, 2, 7, IPC_NOWAIT, -i64::from(E2BIG));
        receive(t, 2, 7, MSG_NOERROR, 2);
        receive(t, 64, 8, IPC_NOWAIT, -i64::from(ENOMSG));
        receive(t, 64, 0, 0, 0);

        let found = &mut [0u64; 15];
        t.bare(MSGCTL, args![id, IPC_STAT, &mut *found]).is(0);
        // Room for as many bytes as one message has.
        found[11] = 8;
        t.bare(MSGCTL, args![id, IPC_SET, &mut *found]).is(0);
        t.bare(MSGSND, args![id, &hello, 8, 0])
            .requested(8)
            .flags(0)
            .is(0);
        t.bare(MSGSND, args![id, &hello, 8, IPC_NOWAIT])
            .requested(8)
            .flags(IPC_NOWAIT)
            .fails(EAGAIN);
        t.bare(MSGSND, args![id, &message(0, b"no kind!"), 8, 0])
            .requested(8)
            .flags(0)
            .fails(EINVAL);
        t.bare(MSGSND, args![id, 8, 8, 0])
            .requested(8)
            .flags(0)
            .fails(EFAULT);
        t.bare(MSGRCV, args![id, 8, 64, 0, 0])
            .requested(64)
            .flags(0)
            .fails(EFAULT);
        t.bare(MSGCTL, args![id, IPC_STAT, 8]).fails(EFAULT);
        t.bare(MSGCTL, args![id, 9999, 0]).fails(EINVAL);
        t.bare(MSGCTL, args![id, IPC_RMID, 0]).is(0);
        t.bare(MSGCTL, args![id, IPC_RMID, 0]).fails(EINVAL);
        t.bare(MSGSND, args![id, &hello, 8, 0])
            .requested(8)
            .flags(0)
            .fails(EINVAL);
        receive(t, 64, 0, 0, -i64::from(EINVAL));
    });
}

/// What waits for a queue and a semaphore is told that they were removed.
pub fn removed(t: &mut Tape) {
    in_own_namespace(t, |t| {
        let queue = t.bare(MSGGET, args![IPC_PRIVATE, 0o600]).ok();
        let semaphore = t.bare(SEMGET, args![IPC_PRIVATE, 1, 0o600]).ok();
        let child = t.outside(|t| {
            t.child(|t| {
                t.bare(MSGRCV, args![queue, &mut [0u64; 9], 64, 0, 0])
                    .requested(64)
                    .flags(0)
                    .fails(EIDRM);
                t.bare(SEMOP, args![semaphore, &[[0i16, -1, 0]], 1])
                    .fails(EIDRM);
            })
        });
        t.outside(|_| wait_until_asleep(child, MSGRCV));
        t.bare(MSGCTL, args![queue, IPC_RMID, 0]).is(0);
        t.outside(|_| wait_until_asleep(child, SEMOP));
        t.bare(SEMCTL, args![semaphore, 0, IPC_RMID, 0]).is(0);
        t.outside(|_| assert_eq!(sys::wait(child), 0, "exit status"));
    });
}

/// A `struct sembuf`: which, by how much, flags.
type Operation = [i16; 3];

/// `semget`, `semop`, `semtimedop`, `semctl`.
pub fn semaphores(t: &mut Tape) {
    const UP: Operation = [0, 2, 0];
    const DOWN: Operation = [0, -1, 0];
    const DOWN_NOW: Operation = [0, -9, IPC_NOWAIT as i16];
    in_own_namespace(t, |t| {
        let made = IPC_CREAT | IPC_EXCL | 0o600;
        let id = t.bare(SEMGET, args![KEY, 2, made]).ok();
        t.bare(SEMGET, args![KEY, 2, made]).fails(EEXIST);
        t.bare(SEMGET, args![KEY, 3, 0]).fails(EINVAL);
        t.bare(SEMGET, args![KEY + 1, 2, 0]).fails(ENOENT);
        t.bare(SEMCTL, args![id, 1, SETVAL, 5]).is(0);
        t.bare(SEMCTL, args![id, 1, GETVAL, 0]).is(5);
        t.bare(SEMCTL, args![id, 2, GETVAL, 0]).fails(EINVAL);
        t.bare(SEMCTL, args![id, 0, IPC_STAT, 8]).fails(EFAULT);

        t.bare(SEMOP, args![id, &[UP, DOWN], 2]).is(0);
        t.bare(SEMOP, args![id, &[DOWN_NOW], 1]).fails(EAGAIN);
        t.bare(SEMOP, args![id, &[[7i16, 1, 0]], 1]).fails(EFBIG);
        t.bare(SEMOP, args![id, &[UP], 9999]).fails(E2BIG);
        t.bare(SEMOP, args![id, &[UP], 0]).fails(EINVAL);
        t.bare(SEMOP, args![id, 8, 1]).fails(EFAULT);
        t.bare(SEMOP, args![UNKNOWN, &[UP], 1]).fails(EINVAL);

        let timed = |t: &mut Tape, id: i64, op: Operation, time: [i64; 2], ns, ret: i32| {
            t.bare(SEMTIMEDOP, args![id, &[op], 1, &time])
                .timeout_ns(ns)
                .is(i64::from(ret));
        };
        t.bare(SEMTIMEDOP, args![id, &[UP], 1, 0])
            .timeout_ns(-1)
            .is(0);
        timed(t, id, DOWN, [1, 1], 1_000_000_001, 0);
        timed(t, id, DOWN, [0, 0], 0, 0);
        timed(t, id, DOWN_NOW, [5, 0], 5_000_000_000, -EAGAIN);
        timed(t, id, [0, -9, 0], [0, 1_000_000], 1_000_000, -EAGAIN);
        timed(t, id, DOWN, [-1, 0], -2, -EINVAL);
        timed(t, id, DOWN, [0, 1_000_000_000], -2, -EINVAL);
        timed(t, UNKNOWN.into(), DOWN, [1, 0], 1_000_000_000, -EINVAL);
        t.bare(SEMTIMEDOP, args![id, &[DOWN], 1, 8])
            .timeout_ns(-2)
            .fails(EFAULT);
        t.bare(SEMTIMEDOP, args![id, 8, 1, 0])
            .timeout_ns(-1)
            .fails(EFAULT);
        t.bare(SEMCTL, args![id, 0, IPC_RMID, 0]).is(0);
        t.bare(SEMCTL, args![id, 0, IPC_RMID, 0]).fails(EINVAL);
    });
}

/// `shmget`, `shmat`, `shmdt`, `shmctl`.
pub fn shared_memory(t: &mut Tape) {
    const SIZE: usize = 8192;
    in_own_namespace(t, |t| {
        let made = IPC_CREAT | IPC_EXCL | 0o600;
        let id = t.bare(SHMGET, args![KEY, SIZE, made]).ok();
        t.bare(SHMGET, args![KEY, SIZE, made]).fails(EEXIST);
        t.bare(SHMGET, args![KEY, SIZE * 2, 0]).fails(EINVAL);
        t.bare(SHMGET, args![KEY + 1, SIZE, 0]).fails(ENOENT);
        t.bare(SHMGET, args![IPC_PRIVATE, 0, 0o600]).fails(EINVAL);
        let memory = t.bare(SHMAT, args![id, 0, 0]).ok();
        sys::poke(memory as usize, b"shared");
        let other = t.bare(SHMAT, args![id, 0, SHM_RDONLY]).ok();
        t.bare(SHMAT, args![id, 1, 0]).fails(EINVAL);
        t.bare(SHMAT, args![UNKNOWN, 0, 0]).fails(EINVAL);
        let found = &mut [0u64; 14];
        t.bare(SHMCTL, args![id, IPC_STAT, &mut *found]).is(0);
        t.bare(SHMCTL, args![id, IPC_STAT, 8]).fails(EFAULT);
        t.bare(SHMCTL, args![id, 9999, 0]).fails(EINVAL);
        t.bare(SHMDT, args![other]).is(0);
        t.bare(SHMDT, args![other]).fails(EINVAL);
        t.bare(SHMCTL, args![id, IPC_RMID, 0]).is(0);
        // Removed, but attached still.
        sys::poke(memory as usize, b"still");
        t.bare(SHMDT, args![memory]).is(0);
        t.bare(SHMAT, args![id, 0, 0]).fails(EINVAL);
        t.bare(SHMCTL, args![id, IPC_RMID, 0]).fails(EINVAL);
    });
}
