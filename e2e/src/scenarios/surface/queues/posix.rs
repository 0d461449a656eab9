//! POSIX message queues: descriptors of files that are named by a text.

use libc::{EACCES, EAGAIN, EBADF, EBUSY, EEXIST, EFAULT, EINVAL, EMSGSIZE, ENOENT, ETIMEDOUT};
use libc::{O_CREAT, O_EXCL, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY, SIGEV_NONE};

use super::in_own_namespace;
use crate::args;
use crate::scenarios::files::CLOSED;
use crate::sys::*;
use crate::tape::Tape;

const SIZE: usize = 64;
/// A `struct mq_attr`: flags, most messages, their size, and how many there are.
const ATTRIBUTES: [i64; 8] = [0, 2, SIZE as i64, 0, 0, 0, 0, 0];
/// The queue's file.
const FILE: &str = "/queue";

fn make_queue(t: &mut Tape, flags: i32) -> i32 {
    let flags = flags | O_CREAT;
    t.create(MQ_OPEN, FILE, args![c"queue", flags, 0o600, &ATTRIBUTES])
        .flags(flags)
        .ok() as i32
}

/// `mq_open` and `mq_unlink`: the text passed, or the open queue's file.
pub fn names(t: &mut Tape) {
    in_own_namespace(t, |t| {
        let fd = make_queue(t, O_RDWR);
        let exclusive = O_CREAT | O_EXCL | O_RDWR;
        t.text(MQ_OPEN, "/queue", args![c"queue", exclusive, 0o600, 0])
            .flags(exclusive)
            .fails(EEXIST);
        t.text(MQ_OPEN, "/missing", args![c"missing", O_RDWR])
            .flags(O_RDWR)
            .fails(ENOENT);
        t.text(MQ_OPEN, "/queue", args![c"/queue", O_RDWR])
            .flags(O_RDWR)
            .fails(EACCES);
        t.text(MQ_OPEN, "", args![8, O_RDWR])
            .partial(b"")
            .flags(O_RDWR)
            .fails(EFAULT);
        let args = args![c"queue", O_CREAT | O_RDWR, 0o600, 8];
        t.text(MQ_OPEN, "/queue", args)
            .flags(O_CREAT | O_RDWR)
            .fails(EFAULT);
        let again = t
            .create(MQ_OPEN, FILE, args![c"queue", O_RDONLY])
            .flags(O_RDONLY)
            .ok() as i32;
        t.text(MQ_UNLINK, "/queue", args![c"queue"]).is(0);
        t.text(MQ_UNLINK, "/queue", args![c"queue"]).fails(ENOENT);
        t.text(MQ_UNLINK, "", args![8]).partial(b"").fails(EFAULT);
        // An unlinked queue keeps its name and its messages.
        t.fd(MQ_TIMEDSEND, fd, FILE, args![fd, b"after", 5, 0, 0])
            .requested(5)
            .is(0);
        t.fd(CLOSE, fd, FILE, args![fd]).is(0);
        let buffer = &mut [0u8; SIZE];
        let args = args![again, &mut *buffer, SIZE, 0, 0];
        t.fd(MQ_TIMEDRECEIVE, again, FILE, args)
            .requested(SIZE as u64)
            .is(5);
        t.fd(CLOSE, again, FILE, args![again]).is(0);
    });
}

/// `mq_timedsend` and `mq_timedreceive`.
pub fn queue(t: &mut Tape) {
    in_own_namespace(t, |t| {
        let size = SIZE as u64;
        let buffer = &mut [0u8; SIZE];
        let fd = make_queue(t, O_RDWR | O_NONBLOCK);
        let patient = make_queue(t, O_RDWR);
        let reader = make_queue(t, O_RDONLY);
        let writer = make_queue(t, O_WRONLY);
        let file = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;

        let args = args![fd, &mut *buffer, SIZE, 0, 0];
        t.fd(MQ_TIMEDRECEIVE, fd, FILE, args)
            .requested(size)
            .fails(EAGAIN);
        // Times of day: long past, and no time at all.
        let args = args![patient, &mut *buffer, SIZE, 0, &[1i64, 0]];
        t.fd(MQ_TIMEDRECEIVE, patient, FILE, args)
            .requested(size)
            .fails(ETIMEDOUT);
        let args = args![patient, &mut *buffer, SIZE, 0, &[-1i64, 0]];
        t.fd(MQ_TIMEDRECEIVE, patient, FILE, args)
            .requested(size)
            .fails(EINVAL);
        let args = args![patient, &mut *buffer, SIZE, 0, 8];
        t.fd(MQ_TIMEDRECEIVE, patient, FILE, args)
            .requested(size)
            .fails(EFAULT);
        t.fd(MQ_TIMEDSEND, fd, FILE, args![fd, b"hello", 5, 1, 0])
            .requested(5)
            .is(0);
        t.fd(MQ_TIMEDSEND, writer, FILE, args![writer, b"", 0, 9, 0])
            .requested(0)
            .is(0);
        t.fd(MQ_TIMEDSEND, fd, FILE, args![fd, b"full", 4, 0, 0])
            .requested(4)
            .fails(EAGAIN);
        let args = args![patient, b"full", 4, 0, &[1i64, 0]];
        t.fd(MQ_TIMEDSEND, patient, FILE, args)
            .requested(4)
            .fails(ETIMEDOUT);
        let args = args![fd, &[0u8; SIZE + 1], SIZE + 1, 0, 0];
        t.fd(MQ_TIMEDSEND, fd, FILE, args)
            .requested(size + 1)
            .fails(EMSGSIZE);
        t.fd(MQ_TIMEDSEND, fd, FILE, args![fd, b"hello", 5, 1 << 20, 0])
            .requested(5)
            .fails(EINVAL);
        t.fd(MQ_TIMEDRECEIVE, fd, FILE, args![fd, &mut *buffer, 5, 0, 0])
            .requested(5)
            .fails(EMSGSIZE);
        let priority = &mut [0u32];
        for (length, wanted) in [(0, 9), (5, 1)] {
            let args = args![reader, &mut *buffer, SIZE, &mut *priority, 0];
            t.fd(MQ_TIMEDRECEIVE, reader, FILE, args)
                .requested(size)
                .is(length);
            assert_eq!(priority[0], wanted, "the highest priority first");
        }
        for (fd, name) in [(reader, FILE), (file, "f"), (CLOSED, ""), (-1, "")] {
            t.fd(MQ_TIMEDSEND, fd, name, args![fd, b"no", 2, 0, 0])
                .requested(2)
                .fails(EBADF);
        }
        for (fd, name) in [(writer, FILE), (file, "f"), (CLOSED, ""), (-1, "")] {
            let args = args![fd, &mut *buffer, SIZE, 0, 0];
            t.fd(MQ_TIMEDRECEIVE, fd, name, args)
                .requested(size)
                .fails(EBADF);
        }
        t.text(MQ_UNLINK, "/queue", args![c"queue"]).is(0);
    });
}

/// A `struct sigevent` of that kind.
fn event(notify: i32) -> [u64; 8] {
    [0, (notify as u64) << 32, 0, 0, 0, 0, 0, 0]
}

/// `mq_notify` and `mq_getsetattr`.
pub fn notice(t: &mut Tape) {
    in_own_namespace(t, |t| {
        let fd = make_queue(t, O_RDWR);
        let none = event(SIGEV_NONE);
        t.fd(MQ_NOTIFY, fd, FILE, args![fd, &none]).is(0);
        t.fd(MQ_NOTIFY, fd, FILE, args![fd, &none]).fails(EBUSY);
        t.fd(MQ_NOTIFY, fd, FILE, args![fd, 0]).is(0);
        t.fd(MQ_NOTIFY, fd, FILE, args![fd, &event(99)])
            .fails(EINVAL);
        t.fd(MQ_NOTIFY, fd, FILE, args![fd, 8]).fails(EFAULT);
        let found = &mut [0i64; 8];
        t.fd(MQ_GETSETATTR, fd, FILE, args![fd, 0, &mut *found])
            .is(0);
        assert_eq!(found[1..3], ATTRIBUTES[1..3], "size of the queue");
        let mut changed = ATTRIBUTES;
        changed[0] = i64::from(O_NONBLOCK);
        let args = args![fd, &changed, &mut *found];
        t.fd(MQ_GETSETATTR, fd, FILE, args).is(0);
        let buffer = &mut [0u8; SIZE];
        let args = args![fd, &mut *buffer, SIZE, 0, 0];
        t.fd(MQ_TIMEDRECEIVE, fd, FILE, args)
            .requested(SIZE as u64)
            .fails(EAGAIN);
        changed[0] = 1;
        t.fd(MQ_GETSETATTR, fd, FILE, args![fd, &changed, 0])
            .fails(EINVAL);
        t.fd(MQ_GETSETATTR, fd, FILE, args![fd, 8, 0]).fails(EFAULT);
        t.fd(MQ_GETSETATTR, fd, FILE, args![fd, 0, 8]).fails(EFAULT);
        let file = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
        for (fd, name) in [(file, "f"), (CLOSED, ""), (-1, "")] {
            t.fd(MQ_NOTIFY, fd, name, args![fd, &none]).fails(EBADF);
            t.fd(MQ_GETSETATTR, fd, name, args![fd, 0, &mut *found])
                .fails(EBADF);
        }
        t.fd(CLOSE, file, "f", args![file]).is(0);
        t.fd(CLOSE, fd, FILE, args![fd]).is(0);
        t.text(MQ_UNLINK, "/queue", args![c"queue"]).is(0);
    });
}
