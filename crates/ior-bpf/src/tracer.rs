//! A running trace. (Interface first; being filled in.)

use std::time::Duration;

use ior_core::{Loss, Row, Syscall, Totals};

use crate::{Error, Hook, Options, Pairing};

/// What was chosen for this kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variant {
    /// The hook in use.
    pub hook: Hook,
    /// The pairing in use.
    pub pairing: Pairing,
    /// Optional features this kernel lacks, each with what is lost; one warning line each.
    pub degraded: Vec<String>,
}

/// A call that had not returned when asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InFlight {
    /// Thread.
    pub tid: u32,
    /// Process.
    pub pid: u32,
    /// The thread's name.
    pub comm: Vec<u8>,
    /// The call.
    pub syscall: &'static Syscall,
    /// Its file; empty if it has none or it is unknown.
    pub file: Vec<u8>,
    /// How long it has been blocked, nanoseconds.
    pub age_ns: u64,
}

/// A running trace: attached programs and the rings they write to.
pub struct Tracer {}

impl Tracer {
    /// Loads and attaches. When this returns, every call in scope is seen.
    pub fn attach(_options: &Options) -> Result<Tracer, Error> {
        Err(Error::Privilege)
    }

    /// What was chosen for this kernel.
    pub fn variant(&self) -> &Variant {
        unimplemented!()
    }

    /// Waits up to `timeout` for rows, hands over all there are, and returns how many.
    pub fn poll(&mut self, _timeout: Duration, _each: &mut dyn FnMut(&Row<'_>)) -> Result<usize, Error> {
        unimplemented!()
    }

    /// Detaches the programs: no call is seen after this. What is still in the rings can be polled.
    pub fn detach(&mut self) {}

    /// The kernel's exact counters so far.
    pub fn totals(&self) -> Totals {
        unimplemented!()
    }

    /// Everything that did not become a row so far.
    pub fn loss(&self) -> Loss {
        unimplemented!()
    }

    /// Calls that have not returned yet. Ask before `detach`.
    pub fn in_flight(&mut self) -> Vec<InFlight> {
        unimplemented!()
    }

    /// Followed threads (children of the scope's processes) that are still alive.
    pub fn live_followed(&self) -> u64 {
        unimplemented!()
    }
}
