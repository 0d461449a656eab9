//! The rings between kernel and user space: drained by timer, woken only when one fills up (design D3).

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::time::Duration;

use libbpf_rs::{MapCore, MapHandle, RingBuffer, RingBufferBuilder};

use crate::Error;
use crate::batch::Batch;

/// Most rows taken from one ring in one drain, so that a batch stays bounded however far the reader is behind.
const BATCH_ROWS: usize = 16_384;
/// Rows held back beyond which only the rings that are behind are read, until they have caught up.
const MAX_HELD: usize = 8 * BATCH_ROWS;
/// Row rings (`MAX_RINGS` of loader.rs) and the definitions ring.
const MAX_POLLED: usize = 9;

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
    /// The last drain has left rows in it.
    behind: bool,
}

/// Readers of all rings.
pub struct Rings {
    rows: Vec<RowRing>,
    definitions: RingBuffer<'static>,
    batch: Rc<RefCell<Batch>>,
    pending: Rc<RefCell<Pending>>,
}

impl Rings {
    /// Maps the rings.
    pub fn new(rows: &[MapHandle], definitions: &dyn MapCore) -> Result<Rings, Error> {
        let batch = Rc::new(RefCell::new(Batch::default()));
        let pending = Rc::new(RefCell::new(Pending::default()));
        let rows = rows
            .iter()
            .map(|ring| RowRing::new(ring, &batch))
            .collect::<Result<_, _>>()?;
        let records = Rc::clone(&pending);
        let definitions = reader(definitions, move |record| records.borrow_mut().push(record))?;
        Ok(Rings {
            rows,
            definitions,
            batch,
            pending,
        })
    }

    /// Waits until a ring fills up or the time is over.
    pub fn wait(&self, timeout: Duration) -> Result<(), Error> {
        if self.rows.iter().any(|ring| ring.behind) {
            return Ok(());
        }
        let rings = self
            .rows
            .iter()
            .map(|row| &row.ring)
            .chain([&self.definitions]);
        let watch = |ring: &RingBuffer<'_>| libc::pollfd {
            fd: ring.epoll_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        let mut polled = [libc::pollfd {
            fd: -1,
            events: 0,
            revents: 0,
        }; MAX_POLLED];
        for (slot, ring) in polled.iter_mut().zip(rings) {
            *slot = watch(ring);
        }
        let millis = i32::try_from(timeout.as_millis()).unwrap_or(i32::MAX);
        // SAFETY: as many pollfds as said, which outlive the call.
        let ready = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as _, millis) };
        if ready < 0 {
            let source = io::Error::last_os_error();
            if source.kind() != io::ErrorKind::Interrupted {
                return Err(Error::Io {
                    what: "waiting for rows",
                    source,
                });
            }
        }
        Ok(())
    }

    /// Moves rows from the rings into `batch`, and returns the exit time up to which the batch is complete: a row of a
    /// thread that returned by then has no earlier row still in a ring.
    ///
    /// `until`: the moment before the drain began. What is still in a ring that was not emptied was put there after the
    /// last row taken from it, and so every later row of the same thread returned after that row.
    pub fn drain_rows(&mut self, batch: &mut Batch, until: u64) -> Result<u64, Error> {
        let crowded = batch.len() > MAX_HELD;
        self.batch.swap(&RefCell::new(std::mem::take(batch)));
        let mut complete = until;
        let mut outcome = Ok(());
        for row in &mut self.rows {
            if crowded && !row.behind {
                complete = complete.min(row.last_exit_ns.get());
                continue;
            }
            let taken = row.ring.consume_raw_n(BATCH_ROWS);
            row.behind = usize::try_from(taken).is_ok_and(|taken| taken >= BATCH_ROWS);
            if row.behind {
                complete = complete.min(row.last_exit_ns.get());
            }
            outcome = outcome.and(check(taken, "reading the row rings"));
        }
        *batch = self.batch.take();
        outcome.map(|()| complete)
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
            behind: false,
        })
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
