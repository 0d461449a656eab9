//! The running machine, through the BPF programs.

use std::time::Duration;

use anyhow::Result;
use ior_bpf::{InFlight, Options, Tracer, Variant};
use ior_core::{Loss, Row, Syscall, Totals};

use super::Source;

/// An attached trace.
pub struct Live {
    tracer: Tracer,
}

impl Live {
    /// Loads and attaches: when this returns, every call in scope is seen.
    pub fn attach(options: &Options) -> Result<Live> {
        Ok(Live {
            tracer: Tracer::attach(options)?,
        })
    }

    /// Selects these syscalls and no others, from now on.
    pub fn select(&mut self, syscalls: &[&'static Syscall]) {
        self.tracer.select(syscalls);
    }

    /// How full the fullest ring was since this was last asked: 0.0 to 1.0.
    pub fn take_ring_fill(&mut self) -> f64 {
        self.tracer.take_ring_fill()
    }

    /// What was chosen for this kernel.
    pub fn variant(&self) -> &Variant {
        self.tracer.variant()
    }
}

impl Source for Live {
    fn poll(&mut self, timeout: Duration, each: &mut dyn FnMut(&Row<'_>)) -> Result<usize> {
        Ok(self.tracer.poll(timeout, each)?)
    }

    fn finish(&mut self) -> Option<Vec<InFlight>> {
        self.tracer.detach();
        self.tracer.in_flight()
    }

    fn is_drained(&self) -> bool {
        self.tracer.is_drained()
    }

    fn totals(&self) -> Totals {
        self.tracer.totals()
    }

    fn loss(&self) -> Loss {
        self.tracer.loss()
    }

    fn evicted_files(&self) -> u64 {
        self.tracer.evicted_files()
    }

    fn live_followed(&self) -> u64 {
        self.tracer.live_followed()
    }
}
