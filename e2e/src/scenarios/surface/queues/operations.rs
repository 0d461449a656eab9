//! Operations that a program queues: the calls that queue them and wait for them are rows, the operations are not.

use libc::{AT_FDCWD, EBADF, EFAULT, EINPROGRESS, EINVAL, MAP_POPULATE, MAP_SHARED, O_CREAT};
use libc::{O_RDWR, POLLIN, PROT_READ, PROT_WRITE};

use crate::args;
use crate::sys::{self, *};
use crate::tape::Tape;

const EVENTFD: &str = "anon_inode:[eventfd]";
const MILLISECOND: i64 = 1_000_000;

/// A `struct iocb`: what to do, with which descriptor, buffer and length.
fn control_block(opcode: u64, fd: i32, buffer: u64, length: u64) -> [u64; 8] {
    let descriptor = opcode | (fd as u64) << 32;
    [0, 0, descriptor, buffer, length, 0, 0, 0]
}

const IOCB_CMD_PREAD: u64 = 0;
const IOCB_CMD_POLL: u64 = 5;

/// `io_getevents` and `io_pgetevents` with every kind of timeout. Only what cannot be read is an error.
pub fn aio_events(t: &mut Tape) {
    let context = &mut [0u64];
    t.bare(IO_SETUP, args![8, &mut *context]).is(0);
    let id = context[0] as i64;
    let fd = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(WRITE, fd, "f", args![fd, b"operation", 9]).is(9);
    let buffer = &mut [0u8; 16];
    let address = buffer.as_mut_ptr() as u64;
    let operation = control_block(IOCB_CMD_PREAD, fd, address, 16);
    let list = [operation.as_ptr() as usize; 5];
    t.bare(IO_SUBMIT, args![id, 5, &list]).is(5);

    let mask = [0u64];
    let masked = [mask.as_ptr() as usize, 8];
    let events = &mut [[0u64; 4]; 5];
    let args = args![id, 1, 1, &mut *events, 0, &masked];
    t.bare(IO_PGETEVENTS, args).timeout_ns(-1).is(1);
    assert_eq!(events[0][2], 9, "bytes that the operation read");
    let args = args![id, 1, 1, &mut *events, &[3i64, 4], 0];
    t.bare(IO_PGETEVENTS, args).timeout_ns(3_000_000_004).is(1);
    t.bare(IO_GETEVENTS, args![id, 1, 1, &mut *events, 0])
        .timeout_ns(-1)
        .is(1);
    t.bare(IO_GETEVENTS, args![id, 1, 1, &mut *events, &[5i64, 6]])
        .timeout_ns(5_000_000_006)
        .is(1);
    t.bare(IO_GETEVENTS, args![id, 0, 1, &mut *events, &[0i64, 0]])
        .timeout_ns(0)
        .is(1);
    for sys in [IO_GETEVENTS, IO_PGETEVENTS] {
        let args = args![id, 1, 1, &mut *events, &[0i64, MILLISECOND], 0];
        t.bare(sys, args).timeout_ns(MILLISECOND).is(0);
        // The kernel takes that, and would wait for ever if it had to wait.
        let args = args![id, 0, 1, &mut *events, &[-1i64, 0], 0];
        t.bare(sys, args).timeout_ns(-1).is(0);
        t.bare(sys, args![id, 1, 1, &mut *events, 8, 0])
            .timeout_ns(-2)
            .fails(EFAULT);
        t.bare(sys, args![id, 2, 1, &mut *events, 0, 0])
            .timeout_ns(-1)
            .fails(EINVAL);
    }
    t.bare(IO_PGETEVENTS, args![id, 1, 1, &mut *events, 0, 8])
        .timeout_ns(-1)
        .fails(EFAULT);
    let short = [masked[0], 3];
    t.bare(IO_PGETEVENTS, args![id, 1, 1, &mut *events, 0, &short])
        .timeout_ns(-1)
        .fails(EINVAL);
    t.bare(IO_DESTROY, args![id]).is(0);
    t.bare(IO_PGETEVENTS, args![id, 1, 1, &mut *events, &[1i64, 0], 0])
        .timeout_ns(1_000_000_000)
        .fails(EINVAL);
    t.fd(CLOSE, fd, "f", args![fd]).is(0);
}

/// `io_cancel`: a poll that nothing would have ended.
pub fn aio_cancelled(t: &mut Tape) {
    let context = &mut [0u64];
    let events = &mut [[0u64; 4]];
    t.bare(IO_SETUP, args![4, &mut *context]).is(0);
    let id = context[0] as i64;
    let fd = t.create(EVENTFD2, EVENTFD, args![0, 0]).ok() as i32;
    let operation = control_block(IOCB_CMD_POLL, fd, POLLIN as u64, 0);
    let list = [operation.as_ptr() as usize];
    t.bare(IO_SUBMIT, args![id, 1, &list]).is(1);
    t.bare(IO_GETEVENTS, args![id, 0, 1, &mut *events, &[0i64, 0]])
        .timeout_ns(0)
        .is(0);
    // The event says how it ended.
    t.bare(IO_CANCEL, args![id, &operation, &mut *events])
        .fails(EINPROGRESS);
    t.bare(IO_GETEVENTS, args![id, 1, 1, &mut *events, 0])
        .timeout_ns(-1)
        .is(1);
    t.bare(IO_CANCEL, args![id, &operation, &mut *events])
        .fails(EINVAL);
    t.bare(IO_CANCEL, args![id, 8, &mut *events]).fails(EFAULT);
    t.bare(IO_CANCEL, args![8, &operation, &mut *events])
        .fails(EINVAL);
    t.bare(IO_DESTROY, args![id]).is(0);
    t.fd(CLOSE, fd, EVENTFD, args![fd]).is(0);
}

const RING: &str = "anon_inode:[io_uring]";
/// Operations that fit the ring; twice as many results do.
const ENTRIES: u32 = 4;
const IORING_OFF_SQES: i64 = 0x1000_0000;
const IORING_ENTER_GETEVENTS: i32 = 1;
const IORING_OP_READV: u8 = 1;
const IORING_OP_OPENAT: u8 = 18;
const IORING_OP_CLOSE: u8 = 19;
const IORING_OP_READ: u8 = 22;
const IORING_OP_WRITE: u8 = 23;

/// A mapped ring: where its parts are.
struct Ring {
    fd: i32,
    entries: usize,
    submitted: usize,
    array: usize,
    tail: usize,
    completions: usize,
    head: usize,
    done: u32,
}

/// What a `struct io_uring_sqe` holds.
#[derive(Default)]
struct Entry {
    opcode: u8,
    fd: i32,
    offset: u64,
    address: u64,
    length: u32,
    flags: u32,
}

impl Ring {
    /// Maps a ring just set up; outside the bracket.
    fn map(fd: i32, parameters: &[u32; 30]) -> Ring {
        let map = |offset: i64| {
            let (prot, flags) = (PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE);
            let address = call(MMAP.nr, args![0, 4096, prot, flags, fd, offset]);
            assert!(address > 0, "map the ring: {address}");
            address as usize
        };
        // Queues of a few entries are on one page, whichever of them is mapped.
        let rings = map(0);
        let part = |index: usize| rings + parameters[index] as usize;
        Ring {
            fd,
            entries: map(IORING_OFF_SQES),
            submitted: 0,
            tail: part(11),
            array: part(16),
            head: part(20),
            completions: part(25),
            done: 0,
        }
    }

    /// Queues one operation, not yet submitted.
    fn queue(&mut self, entry: &Entry) {
        let mut words = [0u64; 8];
        words[0] = u64::from(entry.opcode) | (entry.fd as u64) << 32;
        words[1] = entry.offset;
        words[2] = entry.address;
        words[3] = u64::from(entry.length) | u64::from(entry.flags) << 32;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let index = self.submitted % ENTRIES as usize;
        sys::poke(self.entries + index * bytes.len(), &bytes);
        sys::poke(self.array + index * 4, &(index as u32).to_ne_bytes());
        self.submitted += 1;
        sys::poke(self.tail, &(self.submitted as u32).to_ne_bytes());
    }

    /// The result of the next operation done.
    fn result(&mut self) -> i32 {
        let index = (self.done % (2 * ENTRIES)) as usize;
        let mut result = [0; 4];
        sys::peek(self.completions + index * 16 + 8, &mut result);
        self.done += 1;
        sys::poke(self.head, &self.done.to_ne_bytes());
        i32::from_ne_bytes(result)
    }

    /// Submits one operation and waits for its end: one row. The operation's result.
    fn run(&mut self, t: &mut Tape, entry: &Entry) -> i32 {
        self.queue(entry);
        let args = args![self.fd, 1, 1, IORING_ENTER_GETEVENTS, 0, 0];
        t.fd(IO_URING_ENTER, self.fd, RING, args).is(1);
        self.result()
    }
}

/// Operations of an io_uring: `io_uring_enter` is the row, and a descriptor that the ring opened has its file's name.
pub fn ring_operations(t: &mut Tape) {
    let parameters = &mut [0u32; 30];
    let fd = t
        .create(IO_URING_SETUP, RING, args![ENTRIES, &mut *parameters])
        .done() as i32;
    if fd < 0 {
        return;
    }
    let mut ring = t.outside(|_| Ring::map(fd, parameters));
    let file = t.open(OPEN, "f", args![c"f", O_CREAT | O_RDWR, 0o644]).ok() as i32;
    t.fd(WRITE, file, "f", args![file, b"ring operation", 14])
        .is(14);
    let mut buffer = [0u8; 16];
    let read = Entry {
        opcode: IORING_OP_READ,
        fd: file,
        address: buffer.as_mut_ptr() as u64,
        length: 16,
        ..Entry::default()
    };
    assert_eq!(ring.run(t, &read), 14, "read");
    let iovec = sys::iovec(&mut [&mut buffer]);
    let vector = Entry {
        opcode: IORING_OP_READV,
        address: iovec.as_ptr() as u64,
        length: 1,
        ..read
    };
    assert_eq!(ring.run(t, &vector), 14, "readv");
    let open = Entry {
        opcode: IORING_OP_OPENAT,
        fd: AT_FDCWD,
        address: c"by-ring".as_ptr() as u64,
        length: 0o644,
        flags: (O_CREAT | O_RDWR) as u32,
        ..Entry::default()
    };
    let opened = ring.run(t, &open);
    assert!(opened >= 0, "openat: {opened}");
    let write = Entry {
        opcode: IORING_OP_WRITE,
        fd: opened,
        address: b"by ring".as_ptr() as u64,
        length: 7,
        ..Entry::default()
    };
    assert_eq!(ring.run(t, &write), 7, "write");
    t.fd(WRITE, opened, "by-ring", args![opened, b"by call", 7])
        .offset(0)
        .is(7);
    let close = Entry {
        opcode: IORING_OP_CLOSE,
        fd: opened,
        ..Entry::default()
    };
    assert_eq!(ring.run(t, &close), 0, "close");
    t.fd(WRITE, opened, "", args![opened, b"no", 2])
        .fails(EBADF);
    assert_eq!(ring.run(t, &close), -EBADF, "second close");
    // Two by one call.
    ring.queue(&read);
    ring.queue(&vector);
    let args = args![fd, 2, 2, IORING_ENTER_GETEVENTS, 0, 0];
    t.fd(IO_URING_ENTER, fd, RING, args).is(2);
    assert_eq!([ring.result(), ring.result()], [14, 14], "both reads");
    t.fd(CLOSE, file, "f", args![file]).is(0);
    t.fd(CLOSE, fd, RING, args![fd]).is(0);
}
