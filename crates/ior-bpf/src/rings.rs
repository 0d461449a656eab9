//! The rings between kernel and user space: drained by timer, woken only when one fills up (design D3).

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::time::Duration;

use libbpf_rs::{MapCore, MapHandle, RingBuffer, RingBufferBuilder};

use crate::Error;
use crate::batch::Batch;

/// Most rows taken in one drain, so that a batch stays bounded however far the reader is behind.
const BATCH_ROWS: usize = 65_536;

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

/// Readers of all rings.
pub struct Rings {
    rows: RingBuffer<'static>,
    definitions: RingBuffer<'static>,
    batch: Rc<RefCell<Batch>>,
    pending: Rc<RefCell<Pending>>,
}

impl Rings {
    /// Maps the rings.
    pub fn new(rows: &[MapHandle], definitions: &dyn MapCore) -> Result<Rings, Error> {
        let bpf = |source| Error::Bpf {
            what: "mapping the rings",
            source,
        };
        let batch = Rc::new(RefCell::new(Batch::default()));
        let pending = Rc::new(RefCell::new(Pending::default()));

        let mut builder = RingBufferBuilder::new();
        for ring in rows {
            let batch = Rc::clone(&batch);
            builder
                .add(ring, move |record| {
                    batch.borrow_mut().push(record);
                    0
                })
                .map_err(bpf)?;
        }
        let row_rings = builder.build().map_err(bpf)?;

        let mut builder = RingBufferBuilder::new();
        let records = Rc::clone(&pending);
        builder
            .add(definitions, move |record| {
                records.borrow_mut().push(record);
                0
            })
            .map_err(bpf)?;
        let definitions = builder.build().map_err(bpf)?;
        Ok(Rings {
            rows: row_rings,
            definitions,
            batch,
            pending,
        })
    }

    /// Waits until a ring fills up or the time is over.
    pub fn wait(&self, timeout: Duration) -> Result<(), Error> {
        let watch = |ring: &RingBuffer<'_>| libc::pollfd {
            fd: ring.epoll_fd(),
            events: libc::POLLIN,
            revents: 0,
        };
        let mut polled = [watch(&self.rows), watch(&self.definitions)];
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

    /// Moves rows from the rings into `batch`.
    pub fn drain_rows(&mut self, batch: &mut Batch) -> Result<(), Error> {
        self.batch.swap(&RefCell::new(std::mem::take(batch)));
        let taken = self.rows.consume_raw_n(BATCH_ROWS);
        *batch = self.batch.take();
        check(taken, "reading the row rings")
    }

    /// Moves definitions from their ring to `each`.
    pub fn drain_definitions(&mut self, each: impl FnMut(&[u8])) -> Result<(), Error> {
        let taken = self.definitions.consume_raw();
        self.pending.borrow_mut().take(each);
        check(taken, "reading the definitions ring")
    }
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
