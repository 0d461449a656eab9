//! A running trace: attached programs, the rings they write to, and what has been defined so far.

use std::io::Read as _;
use std::time::Duration;

use ior_core::{Loss, Row, Syscall, Totals, syscall};
use libbpf_rs::Iter;

use crate::batch::Batch;
use crate::clock::{self, Offsets};
use crate::counters::Counters;
use crate::loader::{self, Loaded};
use crate::resolve::{Resolved, Resolver};
use crate::rings::Rings;
use crate::skeleton::types;
use crate::tables::Tables;
use crate::{Error, Hook, Options, Pairing, record};

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
pub struct Tracer {
    loaded: Loaded,
    variant: Variant,
    rings: Rings,
    counters: Counters,
    tables: Tables,
    resolver: Resolver,
    batch: Batch,
    later: Batch,
    skipped: Option<u64>,
}

impl Tracer {
    /// Loads and attaches. When this returns, every call in scope is seen.
    ///
    /// # Errors
    /// No privilege, no BTF, a pid, tid or cgroup of the scope that does not exist, or the kernel's refusal.
    pub fn attach(options: &Options) -> Result<Tracer, Error> {
        check_tasks(options)?;
        let loaded = loader::load(options)?;
        let maps = &loaded.skel.maps;
        let rings = Rings::new(&loaded.rings, &maps.definitions)?;
        let counters = Counters::new(&maps.totals, &maps.counters, loaded.cpus)?;
        let variant = Variant {
            hook: loaded.hook,
            pairing: loaded.pairing,
            degraded: loaded.degraded.clone(),
        };
        let resolver = Resolver::new(Offsets::now());
        Ok(Tracer {
            loaded,
            variant,
            rings,
            counters,
            tables: Tables::default(),
            resolver,
            batch: Batch::default(),
            later: Batch::default(),
            skipped: Some(0),
        })
    }

    /// What was chosen for this kernel.
    pub fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Waits up to `timeout` for rows, hands over all there are, and returns how many.
    ///
    /// # Errors
    /// The rings cannot be read.
    pub fn poll(
        &mut self,
        timeout: Duration,
        each: &mut dyn FnMut(&Row<'_>),
    ) -> Result<usize, Error> {
        self.rings.wait(timeout)?;
        self.resolver.offsets.update();
        // Rows first, then definitions: a row's definition was submitted before the row.
        let now = clock::monotonic_ns();
        let begun = if self.loaded.links.is_empty() {
            u64::MAX
        } else {
            now
        };
        let mut until = self.rings.drain_rows(&mut self.batch, begun)?;
        drain_definitions(&mut self.rings, &mut self.tables)?;
        self.batch.sort();
        let before = self.resolver.rows;
        let mut done = 0;
        for raw in self.batch.ready(until) {
            if self
                .resolver
                .resolve(raw, &self.batch, &mut self.tables, now, each)
                == Resolved::Lacking
            {
                drain_definitions(&mut self.rings, &mut self.tables)?;
                if self
                    .resolver
                    .resolve(raw, &self.batch, &mut self.tables, now, each)
                    == Resolved::Lacking
                {
                    until = raw.exit_ns() - 1;
                    break;
                }
            }
            done += 1;
        }
        self.batch.carry(done, &mut self.later);
        std::mem::swap(&mut self.batch, &mut self.later);
        self.tables.forget(until);
        self.begin_epoch_when_full();
        Ok((self.resolver.rows - before) as usize)
    }

    fn begin_epoch_when_full(&mut self) {
        if self.tables.is_full()
            && let Some(data) = self.loaded.skel.maps.data_data.as_deref_mut()
        {
            data.epoch += 1;
            self.tables.begin_epoch(clock::monotonic_ns());
        }
    }

    /// Selects these syscalls and no others, from now on; each is one of [`Options::syscalls`] or
    /// [`Options::selectable`]. A call that is in flight then stays one.
    pub fn select(&mut self, syscalls: &[&'static Syscall]) {
        self.loaded.select(syscalls);
    }

    /// How full the fullest row ring was since this was last asked: 0.0 to 1.0.
    pub fn take_ring_fill(&mut self) -> f64 {
        self.rings.take_fill()
    }

    /// Detaches the programs: no call is seen after this. What is still in the rings can be polled, until
    /// [`Tracer::is_drained`].
    pub fn detach(&mut self) {
        self.loaded.settle(false);
        // In the reverse order of attaching: the enters first, so that no enter waits for an exit nobody sees.
        while let Some(link) = self.loaded.links.pop() {
            drop(link);
        }
        clock::wait_for_running_programs();
        self.skipped = self.loaded.skipped_runs();
    }

    /// Whether every row the kernel has sent was handed over or counted. Ask after [`Tracer::detach`].
    pub fn is_drained(&self) -> bool {
        let sent: u64 = self.counters.by_cpu().map(|cpu| cpu.rows).sum();
        sent <= self.resolver.rows + self.resolver.undecodable + self.batch.undecodable
    }

    /// The kernel's exact counters so far.
    pub fn totals(&self) -> Totals {
        self.counters.totals()
    }

    /// Everything that did not become a row so far.
    pub fn loss(&self) -> Loss {
        let attached = !self.loaded.links.is_empty();
        let mut loss = Loss {
            not_seen: if attached {
                self.loaded.skipped_runs()
            } else {
                self.skipped
            },
            partial_names: self.resolver.partial_names,
            undecodable: self.tables.undecodable,
            ..Loss::default()
        };
        for counters in self.counters.by_cpu() {
            loader::add_cpu_counters(&mut loss, &counters);
        }
        loss.rows += self.batch.undecodable + self.resolver.undecodable;
        loss.first_ns += self.resolver.offsets.boot_ns;
        loss.last_ns += self.resolver.offsets.boot_ns;
        loss
    }

    /// Files forgotten to stay within bounds; they are named again when next used.
    pub fn evicted_files(&self) -> u64 {
        self.tables.evicted
    }

    /// Calls that have not returned yet; `None` where this kernel cannot list them.
    ///
    /// After [`Tracer::detach`] these are the calls the trace has left open: neither rows nor losses.
    pub fn in_flight(&mut self) -> Option<Vec<InFlight>> {
        if self.variant.pairing != Pairing::TaskStorage {
            return None;
        }
        let link = self.loaded.skel.progs.list_in_flight.attach().ok()?;
        let mut bytes = Vec::new();
        Iter::new(&link).ok()?.read_to_end(&mut bytes).ok()?;
        drain_definitions(&mut self.rings, &mut self.tables).ok()?;
        let tables = &mut self.tables;
        let now = clock::monotonic_ns();
        let mut calls = Vec::new();
        let mut rest = bytes.as_slice();
        while let Some((call, tail)) = record::split::<types::in_flight>(rest) {
            rest = tail;
            let Some(syscall) = syscall::by_call(call.call as u16) else {
                continue;
            };
            calls.push(InFlight {
                tid: call.tid,
                pid: call.pid,
                comm: record::comm(&call.comm),
                syscall,
                file: tables
                    .file(call.file)
                    .map(|file| file.path.to_vec())
                    .unwrap_or_default(),
                age_ns: now.saturating_sub(call.enter_ns),
            });
        }
        Some(calls)
    }

    /// Followed threads (children of the scope's processes) that are still alive.
    pub fn live_followed(&self) -> u64 {
        let live = self
            .loaded
            .skel
            .maps
            .bss_data
            .as_deref()
            .map_or(0, |bss| bss.live_followed);
        match u64::try_from(live).unwrap_or(0) {
            0 => 0,
            live if self.loaded.missed_ends() == Some(0) => live,
            live => self.count_followed().unwrap_or(live),
        }
    }

    /// The same by looking at every thread; `None` where this kernel cannot list them.
    fn count_followed(&self) -> Option<u64> {
        let program = &self.loaded.skel.progs.list_followed;
        let link = program.attach().ok()?;
        let mut threads = Vec::new();
        Iter::new(&link).ok()?.read_to_end(&mut threads).ok()?;
        Some(threads.len() as u64)
    }
}

fn drain_definitions(rings: &mut Rings, tables: &mut Tables) -> Result<(), Error> {
    rings.drain_definitions(|record| tables.define(record))
}

fn check_tasks(options: &Options) -> Result<(), Error> {
    let scope = &options.scope;
    if !std::fs::exists("/proc/self").unwrap_or(false) {
        return Err(Error::NotMounted("/proc"));
    }
    let processes = scope.pids.iter().map(|id| ("process", id));
    let threads = scope.tids.iter().map(|id| ("thread", id));
    for (what, id) in processes.chain(threads) {
        if !std::fs::exists(format!("/proc/{id}/stat")).unwrap_or(false) {
            return Err(Error::NoSuchTask { what, id: *id });
        }
    }
    Ok(())
}
