//! POSIX and System V queues, shared memory and semaphores; queues of operations.

mod operations;
mod posix;
mod system_v;

use super::{Scenario, of_all, plain};
use crate::args;
use crate::sys::call;
use crate::tape::Tape;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[
    of_all("posix_queue", posix::queue),
    of_all("posix_queue_names", posix::names),
    of_all("posix_queue_notice", posix::notice),
    of_all("message_queue", system_v::messages),
    of_all("removed_queue", system_v::removed),
    of_all("semaphores", system_v::semaphores),
    of_all("shared_memory", system_v::shared_memory),
    plain("aio_events", operations::aio_events),
    plain("aio_cancelled", operations::aio_cancelled),
    plain("ring_operations", operations::ring_operations),
];

/// Runs `body` in a child whose queues are its own and end with it.
fn in_own_namespace(t: &mut Tape, body: impl FnOnce(&mut Tape)) {
    t.apart(|t| {
        t.outside(|_| {
            let ret = call(libc::SYS_unshare, args![libc::CLONE_NEWIPC]);
            assert_eq!(ret, 0, "unshare");
        });
        body(t);
    });
}
