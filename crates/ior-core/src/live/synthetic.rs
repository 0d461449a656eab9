//! A made-up workload: what a small server might do, the same every time. For `ior --demo`, for tests and for screenshots.

mod cast;

use std::collections::HashMap;
use std::time::Duration;

use crate::batch::Batch;
use crate::syscall::{self, MAX_SLOT};
use crate::totals::LATENCY_BUCKETS;
use crate::{
    Abi, ByteClass, Details, Ids, Kind, NameSource, Row, Syscall, SyscallTotals, Task, Totals,
};
use cast::{Act, CAST, Player, Rhythm};

/// When the made-up session began: nanoseconds since the start of the machine, and since the Unix epoch.
const BOOTTIME_NS: u64 = 86_400_000_000_000;
const WALL_NS: u64 = 1_790_000_000_000_000_000;

/// Random numbers (SplitMix64); good enough for a show.
#[derive(Debug, Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// In `0..end`.
    fn below(&mut self, end: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(end)) >> 64) as u64
    }

    /// More than 0, at most 1.
    fn share(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// About normal: mean 0, deviation 1.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.share()).sum::<f64>() - 6.0
    }
}

/// A thread that makes calls.
#[derive(Debug, Clone)]
struct Thread {
    task: Task,
    /// When its last call returned, if it has made one.
    exit_ns: Option<u64>,
}

/// A process, and when it acts next.
#[derive(Debug, Clone)]
struct Process {
    player: &'static Player,
    calls: Vec<(&'static Syscall, &'static Act)>,
    shares: u64,
    /// Numbers of its threads.
    threads: std::ops::Range<usize>,
    next_ns: f64,
}

impl Process {
    fn choose(&self, random: &mut Random) -> Option<(&'static Syscall, &'static Act)> {
        let mut left = random.below(self.shares);
        let choice = self.calls.iter().find(|(_, act)| {
            let share = u64::from(act.share);
            let found = left < share;
            left = left.saturating_sub(share);
            found
        });
        choice.copied()
    }
}

/// The workload, up to some moment.
#[derive(Debug, Clone)]
pub struct Synthetic {
    random: Random,
    processes: Vec<Process>,
    threads: Vec<Thread>,
    seq: u64,
    filter_epoch: u64,
    file_ids: HashMap<Vec<u8>, u64>,
    totals: Vec<Option<(&'static Syscall, SyscallTotals)>>,
}

impl Synthetic {
    /// The same rows for the same seed.
    pub fn new(seed: u64) -> Synthetic {
        let mut threads = Vec::new();
        let processes = CAST
            .iter()
            .map(|player| {
                let begin = threads.len();
                threads.extend((0..).zip(player.threads).map(|(number, comm)| Thread {
                    task: task(player, number, comm),
                    exit_ns: None,
                }));
                // A call that the machine's table lacks is not made.
                let known = |act: &'static Act| Some((syscall::by_name(act.syscall)?, act));
                let calls: Vec<_> = player.acts.iter().filter_map(known).collect();
                Process {
                    player,
                    shares: calls.iter().map(|(_, act)| u64::from(act.share)).sum(),
                    calls,
                    threads: begin..threads.len(),
                    next_ns: 0.0,
                }
            })
            .collect();
        Synthetic {
            random: Random(seed),
            processes,
            threads,
            seq: 0,
            filter_epoch: 0,
            file_ids: HashMap::new(),
            totals: vec![None; MAX_SLOT],
        }
    }

    /// The syscalls it makes, in table order.
    pub fn syscalls(&self) -> Vec<&'static Syscall> {
        let calls = self.processes.iter().flat_map(|process| &process.calls);
        let mut syscalls: Vec<_> = calls.map(|(syscall, _)| *syscall).collect();
        syscalls.sort_unstable_by_key(|syscall| syscall.name);
        syscalls.dedup_by_key(|syscall| syscall.slot);
        syscalls
    }

    /// The calls entered from where it stands to `to`, of those that `wanted` says to look at.
    pub fn advance(
        &mut self,
        to: Duration,
        wanted: impl Fn(&Task, &'static Syscall) -> bool,
    ) -> Batch {
        let end = to.as_nanos() as f64;
        let mut batch = Batch::default();
        while let Some((number, at)) = self.next_process()
            && at < end
        {
            let free_ns = self.free_thread(number).1;
            if free_ns as f64 > at {
                // All of its threads are in a call.
                self.processes[number].next_ns = free_ns as f64;
                continue;
            }
            self.act(number, at as u64, &wanted, &mut batch);
            let player = self.processes[number].player;
            let pause = -self.random.share().ln() * 1e9 / player.rate;
            self.processes[number].next_ns = next_time(player.rhythm, at, pause);
        }
        batch
    }

    fn next_process(&self) -> Option<(usize, f64)> {
        let times = self.processes.iter().map(|process| process.next_ns);
        times
            .enumerate()
            .min_by(|(_, one), (_, other)| one.total_cmp(other))
    }

    /// The thread of a process whose last call returned first, and when.
    fn free_thread(&self, number: usize) -> (usize, u64) {
        let threads = self.processes[number].threads.clone();
        let free = threads.map(|thread| (thread, self.threads[thread].exit_ns.unwrap_or(0)));
        free.min_by_key(|(_, exit)| *exit).unwrap_or((0, 0))
    }

    /// A thread of a process that is not in a call, the first ones more often.
    fn pick_thread(&mut self, number: usize, at_ns: u64) -> usize {
        let threads = &self.processes[number].threads;
        let picked = threads.start + low(&mut self.random, threads.len() as u64) as usize;
        if self.threads[picked].exit_ns <= Some(at_ns) {
            return picked;
        }
        self.free_thread(number).0
    }

    fn act(
        &mut self,
        number: usize,
        at_ns: u64,
        wanted: &impl Fn(&Task, &'static Syscall) -> bool,
        batch: &mut Batch,
    ) {
        let thread = self.pick_thread(number, at_ns);
        let random = &mut self.random;
        let process = &self.processes[number];
        let Some((syscall, act)) = process.choose(random) else {
            return;
        };
        let latency_ns = (act.latency_ns * (random.normal() * act.spread).exp()) as u64;
        let file_number = low(random, act.files.into());
        let error = act
            .error
            .filter(|(_, of_1000)| random.below(1000) < *of_1000);
        let moved = match act.bytes {
            0 => 0,
            most => most - random.below(most.min(most / 2 + 1)),
        };
        let thread = &mut self.threads[thread];
        let enter_ns = at_ns;
        let gap_ns = thread.exit_ns.map_or(0, |exit| enter_ns - exit);
        thread.exit_ns = Some(enter_ns + latency_ns);
        if !wanted(&thread.task, syscall) {
            return;
        }
        self.seq += 1;
        let file = named(act.file, file_number);
        let old_file = act.old_file.map(|name| named(name, file_number));
        let ids = self.file_ids.len() as u64 + 1;
        let file_id = *self.file_ids.entry(file.clone()).or_insert(ids);
        let row = Row {
            seq: self.seq,
            time_ns: BOOTTIME_NS + enter_ns,
            wall_ns: WALL_NS + enter_ns,
            gap_ns,
            latency_ns,
            task: &thread.task,
            syscall,
            abi: Abi::X86_64,
            fd: if syscall.roles.fd == syscall::NO_ARG {
                -1
            } else {
                3 + file_number as i32 % 29
            },
            ret: match error {
                Some((errno, _)) => -errno,
                None if syscall.kind == Kind::Open => 3 + file_number as i64 % 29,
                None => moved as i64,
            },
            bytes: match (error, syscall.bytes) {
                (Some(_), _) | (None, ByteClass::None) => 0,
                (None, _) => moved,
            },
            file: &file,
            old_file: old_file.as_deref(),
            name_source: if syscall.roles.fd == syscall::NO_ARG {
                NameSource::Argument
            } else {
                NameSource::Kernel
            },
            filter_epoch: self.filter_epoch,
            dev: None,
            ino: None,
            requested: (act.bytes > 0).then_some(act.bytes),
            offset: None,
            flags: None,
            details: Details::default(),
            ids: Ids {
                task: thread.task.tid,
                file: file_id,
            },
        };
        count(&mut self.totals, &row);
        batch.push(&row);
    }

    /// The filter is another one for the rows made from now on.
    pub fn filter_changed(&mut self) {
        self.filter_epoch += 1;
    }

    /// What the kernel's counters would say of the rows made so far.
    pub fn totals(&self) -> Totals {
        let mut by_syscall: Vec<_> = self.totals.iter().flatten().copied().collect();
        by_syscall.sort_unstable_by_key(|(syscall, _)| syscall.name);
        Totals { by_syscall }
    }
}

fn task(player: &Player, number: u32, comm: &[u8]) -> Task {
    Task {
        tid: player.pid + number,
        pid: player.pid,
        ppid: 1,
        uid: player.uid,
        cgroup_id: 1,
        cgroup: "/".to_owned(),
        comm: comm.to_vec(),
        process: player.process.to_vec(),
        start_ns: BOOTTIME_NS - 1_000_000_000 * u64::from(10_000 - player.pid),
    }
}

fn count(totals: &mut [Option<(&'static Syscall, SyscallTotals)>], row: &Row<'_>) {
    let slot = &mut totals[usize::from(row.syscall.slot)];
    let (_, own) = slot.get_or_insert((row.syscall, SyscallTotals::default()));
    own.calls += 1;
    own.errors += u64::from(row.is_error());
    own.bytes += row.bytes;
    own.latency_ns += row.latency_ns;
    let bucket = row.latency_ns.max(1).ilog2() as usize;
    own.histogram[bucket.min(LATENCY_BUCKETS - 1)] += 1;
}

/// A number below `end`, low ones more often.
fn low(random: &mut Random, end: u64) -> u64 {
    let share = random.share();
    ((share * share * share * end as f64) as u64).min(end.saturating_sub(1))
}

/// A name with a number for its `#`.
fn named(pattern: &[u8], number: u64) -> Vec<u8> {
    match pattern.iter().position(|byte| *byte == b'#') {
        Some(at) => [
            &pattern[..at],
            number.to_string().as_bytes(),
            &pattern[at + 1..],
        ]
        .concat(),
        None => pattern.to_vec(),
    }
}

/// When a process acts next that would after a `pause` if it were steady, nanoseconds.
fn next_time(rhythm: Rhythm, at: f64, pause: f64) -> f64 {
    match rhythm {
        Rhythm::Steady => at + pause,
        Rhythm::Waves(seconds) => {
            let wave = (at / (seconds * 1e9) * std::f64::consts::TAU).sin();
            at + pause / (1.0 + 0.7 * wave)
        }
        Rhythm::Bursts(every, of_it) => {
            let (every, of_it) = (every * 1e9, of_it * 1e9);
            let next = at + pause;
            if next % every < of_it {
                next
            } else {
                (next / every).ceil() * every
            }
        }
    }
}
