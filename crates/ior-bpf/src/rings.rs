//! The rings between kernel and user space: drained by timer, woken only when one fills up (design D3).

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};
use std::rc::Rc;
use std::time::Duration;

use libbpf_rs::{AsRawLibbpf as _, MapCore, MapHandle, RingBuffer, RingBufferBuilder, libbpf_sys};

use crate::Error;
use crate::batch::Batch;

/// Most rows taken from one ring in one drain, so that a batch stays bounded however far the reader is behind.
const BATCH_ROWS: usize = 16_384;
/// Rows held back beyond which only the rings that are behind are read, until they have caught up.
const MAX_HELD: usize = 8 * BATCH_ROWS;

/// Definitions as they came, one after the other, each with its length.
#[derive(Debug, Default)]
pub struct Pending {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Pending {
    fn push(&mut self, record: &[u8]) {
        self.bytes.extend_from_slice(record);
        self.ends.push(self.bytes.len());
    }

    /// Hands over all records and forgets them.
    pub fn take(&mut self, mut each: impl FnMut(&[u8])) {
        let mut start = 0;
        for end in self.ends.drain(..) {
            each(&self.bytes[start..end]);
            start = end;
        }
        self.bytes.clear();
    }
}

/// One row ring and how far it has been read.
struct RowRing {
    ring: RingBuffer<'static>,
    /// Exit time of the last row taken.
    last_exit_ns: Rc<Cell<u64>>,
    /// A row that is still in the ring was put there after this, and so was every later row of its thread.
    complete_ns: u64,
    /// The last drain has taken as much as it may.
    behind: bool,
    /// Most bytes a drain has found since somebody asked.
    fullest: u64,
}

/// Readers of all rings.
pub struct Rings {
    rows: Vec<RowRing>,
    definitions: RingBuffer<'static>,
    wakeup: Wakeup,
    batch: Rc<RefCell<Batch>>,
    pending: Rc<RefCell<Pending>>,
}

impl Rings {
    /// Maps the rings.
    pub fn new(maps: &[MapHandle], definitions: &dyn MapCore) -> Result<Rings, Error> {
        let batch = Rc::new(RefCell::new(Batch::default()));
        let pending = Rc::new(RefCell::new(Pending::default()));
        let rows = maps
            .iter()
            .map(|ring| RowRing::new(ring, &batch))
            .collect::<Result<_, _>>()?;
        let records = Rc::clone(&pending);
        let wakeup = Wakeup::new(
            maps.iter()
                .map(|map| map.as_fd())
                .chain([definitions.as_fd()]),
        )?;
        let definitions = reader(definitions, move |record| records.borrow_mut().push(record))?;
        Ok(Rings {
            rows,
            definitions,
            wakeup,
            batch,
            pending,
        })
    }

    /// Waits until a ring fills up or the time is over.
    pub fn wait(&self, timeout: Duration) -> Result<(), Error> {
        if self.are_behind() {
            return Ok(());
        }
        self.wakeup.wait(timeout)
    }

    /// How full the fullest row ring was since this was last asked: 0.0 to 1.0.
    pub fn take_fill(&mut self) -> f64 {
        let fill = |row: &mut RowRing| {
            std::mem::take(&mut row.fullest) as f64 / size(&row.ring).max(1) as f64
        };
        self.rows.iter_mut().map(fill).fold(0.0, f64::max)
    }

    /// Whether rows wait in a ring.
    pub fn are_behind(&self) -> bool {
        self.rows.iter().any(|ring| ring.behind)
    }

    /// Moves rows from the rings into `batch`, and returns the exit time up to which the batch is complete: a row of a
    /// thread that returned by then has no earlier row still in a ring. `until`: a moment before the drain.
    pub fn drain_rows(&mut self, batch: &mut Batch, until: u64) -> Result<u64, Error> {
        let only_those_behind = batch.len() > MAX_HELD && self.are_behind();
        self.batch.swap(&RefCell::new(std::mem::take(batch)));
        let mut outcome = Ok(());
        for row in &mut self.rows {
            if row.behind || !only_those_behind {
                outcome = outcome.and(row.drain(until));
            }
        }
        *batch = self.batch.take();
        outcome.map(|()| {
            self.rows
                .iter()
                .map(|row| row.complete_ns)
                .min()
                .unwrap_or(until)
        })
    }

    /// Moves definitions from their ring to `each`.
    pub fn drain_definitions(&mut self, each: impl FnMut(&[u8])) -> Result<(), Error> {
        let taken = self.definitions.consume_raw();
        self.pending.borrow_mut().take(each);
        check(taken, "reading the definitions ring")
    }
}

impl RowRing {
    fn new(map: &MapHandle, batch: &Rc<RefCell<Batch>>) -> Result<RowRing, Error> {
        let last_exit_ns = Rc::new(Cell::new(0));
        let (batch, last) = (Rc::clone(batch), Rc::clone(&last_exit_ns));
        let ring = reader(map, move |record| {
            if let Some(exit_ns) = batch.borrow_mut().push(record) {
                last.set(exit_ns);
            }
        })?;
        Ok(RowRing {
            ring,
            last_exit_ns,
            complete_ns: 0,
            behind: false,
            fullest: 0,
        })
    }

    fn drain(&mut self, until: u64) -> Result<(), Error> {
        self.fullest = self.fullest.max(available(&self.ring));
        let taken = self.ring.consume_raw_n(BATCH_ROWS);
        self.behind = usize::try_from(taken).is_ok_and(|taken| taken >= BATCH_ROWS);
        self.complete_ns = match available(&self.ring) {
            0 => until,
            _ => self.complete_ns.max(self.last_exit_ns.get()),
        };
        check(taken, "reading the row rings")
    }
}

/// Bytes in a ring: rows, or one that is just being written and what is behind it.
fn available(ring: &RingBuffer<'_>) -> u64 {
    // SAFETY: the manager is alive and has exactly one ring, which lives as long.
    unsafe {
        libbpf_sys::ring__avail_data_size(libbpf_sys::ring_buffer__ring(
            ring.as_libbpf_object().as_ptr(),
            0,
        ))
    }
}

/// Bytes a ring has room for.
fn size(ring: &RingBuffer<'_>) -> u64 {
    // SAFETY: as in `available`.
    unsafe {
        let ring = libbpf_sys::ring_buffer__ring(ring.as_libbpf_object().as_ptr(), 0);
        libbpf_sys::ring__size(ring)
    }
}

/// Wakes the reader when the kernel says so. Edge-triggered, on the maps themselves: libbpf's own epoll descriptor is
/// ready as long as there is any data, which would make a busy ring a busy loop.
struct Wakeup {
    epoll: OwnedFd,
}

impl Wakeup {
    fn new<'a>(maps: impl Iterator<Item = BorrowedFd<'a>>) -> Result<Wakeup, Error> {
        let failed = || Error::Io {
            what: "watching the rings",
            source: io::Error::last_os_error(),
        };
        // SAFETY: a plain system call.
        let epoll = unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) };
        if epoll < 0 {
            return Err(failed());
        }
        // SAFETY: the kernel has just given us this descriptor.
        let epoll = unsafe { OwnedFd::from_raw_fd(epoll) };
        for map in maps {
            let mut event = libc::epoll_event {
                events: (libc::EPOLLIN | libc::EPOLLET) as u32,
                u64: 0,
            };
            // SAFETY: both descriptors are open and `event` outlives the call.
            let added = unsafe {
                libc::epoll_ctl(
                    epoll.as_raw_fd(),
                    libc::EPOLL_CTL_ADD,
                    map.as_raw_fd(),
                    &raw mut event,
                )
            };
            if added != 0 {
                return Err(failed());
            }
        }
        Ok(Wakeup { epoll })
    }

    fn wait(&self, timeout: Duration) -> Result<(), Error> {
        let mut events = [libc::epoll_event { events: 0, u64: 0 }; 16];
        let millis = i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX);
        // SAFETY: as many events as said, which outlive the call.
        let ready =
            unsafe { libc::epoll_wait(self.epoll.as_raw_fd(), events.as_mut_ptr(), 16, millis) };
        let source = io::Error::last_os_error();
        if ready < 0 && source.kind() != io::ErrorKind::Interrupted {
            return Err(Error::Io {
                what: "waiting for rows",
                source,
            });
        }
        Ok(())
    }
}

fn reader(
    map: &dyn MapCore,
    mut each: impl FnMut(&[u8]) + 'static,
) -> Result<RingBuffer<'static>, Error> {
    let bpf = |source| Error::Bpf {
        what: "mapping the rings",
        source,
    };
    let mut builder = RingBufferBuilder::new();
    builder
        .add(map, move |record| {
            each(record);
            0
        })
        .map_err(bpf)?;
    builder.build().map_err(bpf)
}

fn check(taken: i32, what: &'static str) -> Result<(), Error> {
    if taken >= 0 || taken == -libc::EINTR {
        return Ok(());
    }
    Err(Error::Io {
        what,
        source: io::Error::from_raw_os_error(-taken),
    })
}
