//! Loads the BPF object for this kernel and this scope: probes features, sets the configuration, creates the rings, attaches.

use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::path::Path;

use ior_core::syscall::{
    ByteClass, CountForm, CountIs, FlagsForm, MAX_CALL, MAX_SLOT, NO_ARG, OffsetForm, OffsetIs,
};
use ior_core::{Abi, Loss, Syscall};
use libbpf_rs::skel::{OpenSkel as _, Skel as _, SkelBuilder as _};
use libbpf_rs::{Link, MapCore as _, MapFlags, MapHandle, MapType, OpenObject, ProgramMut};

use crate::features::{Features, has_tracefs};
use crate::skeleton::{IorSkel, IorSkelBuilder, OpenIorSkel, types};
use crate::{Error, Hook, Options, Pairing, Scope, callbacks, clock, privilege};

/// Bytes of all row rings together: 250 ms of 3 M rows/s (88 bytes a row with its ring header). They are mapped twice
/// in a row, so that a record never wraps, and count twice in resident memory.
const DEFAULT_RINGS: u32 = 64 << 20;
/// Most row rings; CPUs beyond share. Eight rings carry far more than the reader can take.
const MAX_RINGS: u32 = 8;
/// Set (to anything) to see libbpf's own messages, the verifier's log among them, and each program's size to the
/// verifier, on standard error.
const SHOW_LIBBPF: &str = "IOR_SHOW_LIBBPF";
/// `MAX_COMMS` of shared.h.
const MAX_COMMS: usize = 16;
/// `TARGET_TID` of maps.h.
const TARGET_TID: u64 = 1 << 32;

/// A loaded and attached object.
pub struct Loaded {
    /// Programs, maps and configuration.
    pub skel: IorSkel<'static>,
    /// The row rings, in index order.
    pub rings: Vec<MapHandle>,
    /// Keeps the programs attached; dropping a link detaches.
    pub links: Vec<Link>,
    /// CPUs the kernel may use, the length of per-CPU tables.
    pub cpus: u32,
    /// The hook chosen.
    pub hook: Hook,
    /// The pairing chosen.
    pub pairing: Pairing,
    /// What this kernel lacks.
    pub degraded: Vec<String>,
}

/// Loads and attaches for these options.
pub fn load(options: &Options) -> Result<Loaded, Error> {
    check_limits(&options.scope)?;
    if !privilege::in_root_pid_namespace() {
        return Err(Error::PidNamespace);
    }
    if privilege::lockdown().is_some_and(|mode| mode == "confidentiality") {
        return Err(Error::Lockdown);
    }
    let features = Features::probe(&options.named)?;
    let hook = options.hook.unwrap_or(features.hook());
    if hook == Hook::RawSyscalls && !has_tracefs() {
        return Err(Error::NoTracefs);
    }
    let pairing = options.pairing.unwrap_or(features.pairing());
    let cpus = possible_cpus()?;
    let ring_count = cpus.next_power_of_two().min(MAX_RINGS);
    let ring_size = options.buffer_size.unwrap_or(DEFAULT_RINGS / ring_count);

    let mut open = open()?;
    configure(
        &mut open, options, &features, pairing, cpus, ring_count, ring_size,
    )?;
    choose_programs(&mut open, hook, pairing, &features);
    let rings = create_rings(&mut open, ring_count, ring_size)?;
    if !features.bpf_loop {
        callbacks::drop_addresses(open.open_object_mut())?;
    }
    let skel = open
        .load()
        .map_err(|source| load_error(source, "loading the BPF programs"))?;
    if std::env::var_os(SHOW_LIBBPF).is_some() {
        show_programs(&skel);
    }
    fill_maps(&skel, &rings, &options.scope)?;
    let mut loaded = Loaded {
        skel,
        rings,
        links: Vec::new(),
        cpus,
        hook,
        pairing,
        degraded: features.degraded(pairing),
    };
    loaded.attach(options)?;
    Ok(loaded)
}

/// What the maps of maps.h have room for.
fn check_limits(scope: &Scope) -> Result<(), Error> {
    let limits = [
        ("thread names", scope.comms.len(), MAX_COMMS),
        ("users", scope.uids.len(), 256),
        ("cgroups", scope.cgroups.len(), 16),
        (
            "processes and threads",
            scope.pids.len() + scope.tids.len(),
            4096,
        ),
    ];
    match limits.into_iter().find(|(_, count, most)| count > most) {
        Some((what, count, most)) => Err(Error::TooMany { what, count, most }),
        None => Ok(()),
    }
}

fn open() -> Result<OpenIorSkel<'static>, Error> {
    if std::env::var_os(SHOW_LIBBPF).is_none() {
        libbpf_rs::set_print(None);
    }
    // The object must outlive the skeleton that borrows it; a trace is made once a run, so its few bytes are leaked.
    let object: &'static mut MaybeUninit<OpenObject> = Box::leak(Box::new(MaybeUninit::uninit()));
    IorSkelBuilder::default()
        .open(object)
        .map_err(|source| Error::Bpf {
            what: "opening the BPF object",
            source,
        })
}

/// A refusal is for want of privilege only where there is none: the verifier's own has the same errno.
fn load_error(source: libbpf_rs::Error, what: &'static str) -> Error {
    match source.kind() {
        libbpf_rs::ErrorKind::PermissionDenied if !privilege::is_sufficient() => Error::Privilege,
        _ => Error::Bpf { what, source },
    }
}

fn configure(
    open: &mut OpenIorSkel<'_>,
    options: &Options,
    features: &Features,
    pairing: Pairing,
    cpus: u32,
    rings: u32,
    ring_size: u32,
) -> Result<(), Error> {
    let bpf = |source| Error::Bpf {
        what: "configuring the BPF object",
        source,
    };
    let rodata = open
        .maps
        .rodata_data
        .as_deref_mut()
        .ok_or(Error::Missing("rodata"))?;
    for syscall in options.syscalls.iter().chain(&options.selectable) {
        rodata.syscalls[usize::from(syscall.call()) % MAX_CALL] = describe(syscall, options.rows);
    }
    rodata.scope = scope_record(&options.scope);
    rodata.want_rows = options.rows;
    rodata.use_task_storage = pairing == Pairing::TaskStorage;
    rodata.use_cast = features.cast;
    rodata.use_loop = features.bpf_loop;
    rodata.use_typed_task = features.typed_task;
    rodata.cpu_count = cpus;
    rodata.ring_mask = rings - 1;
    rodata.wake_at = u64::from(ring_size) / 4;
    let bss = open
        .maps
        .bss_data
        .as_deref_mut()
        .ok_or(Error::Missing("bss"))?;
    for syscall in &options.syscalls {
        bss.wanted[usize::from(syscall.call()) % MAX_CALL] = 1;
    }
    open.maps
        .totals
        .set_max_entries(cpus * MAX_SLOT as u32)
        .map_err(bpf)?;
    open.maps.counters.set_max_entries(cpus).map_err(bpf)?;
    open.maps.rows.set_max_entries(rings).map_err(bpf)?;
    Ok(())
}

/// `rows`: there are rows, which have all values; totals need only those that say what was payload.
fn describe(syscall: &Syscall, rows: bool) -> types::syscall_desc {
    let roles = &syscall.roles;
    let is_time = matches!(roles.offset_is, OffsetIs::Timeout | OffsetIs::Sleep)
        && roles.offset_form != OffsetForm::Value;
    let by_pointer = roles.flags_form == FlagsForm::Pointer && roles.flags != NO_ARG;
    let pointed = by_pointer || roles.count_form.is_pointer();
    let wanted = rows || matches!(syscall.bytes, ByteClass::Xattr | ByteClass::Receive);
    types::syscall_desc {
        kind: syscall.kind.code(),
        bytes: syscall.bytes.code(),
        fd: roles.fd,
        fd2: roles.fd2,
        dir: roles.dir,
        path: roles.path,
        dir2: roles.dir2,
        path2: roles.path2,
        out: roles.out,
        count: roles.count,
        offset: roles.offset,
        flags: roles.flags,
        count_form: roles.count_form as u8,
        offset_form: roles.offset_form as u8,
        flags_by_pointer: by_pointer.into(),
        pointed: pointed.into(),
        noted: (pointed || roles.offset_form.may_be_f_pos()).into(),
        compat: (syscall.abi == Abi::Ia32).into(),
        early: (wanted && (is_time || pointed || roles.count_form == CountForm::Brk)).into(),
        late: late(syscall).0 as u8,
        slot: syscall.slot,
    }
}

/// Whether the call writes to memory, so that a value in it must have been read before.
fn late(syscall: &Syscall) -> types::late {
    let roles = &syscall.roles;
    match (syscall.bytes, roles.offset_is, roles.count_is) {
        // They write back what is left of the time.
        (_, OffsetIs::Timeout, CountIs::Descriptors) => types::late::LATE_NEVER,
        // A datagram of no bytes has an address, too.
        (ByteClass::Receive, ..) => types::late::LATE_IF_FAILED,
        (ByteClass::Read | ByteClass::Xattr, ..) | (_, OffsetIs::Timeout | OffsetIs::Sleep, _) => {
            types::late::LATE_IF_NOTHING
        }
        // The new thread's number may be written where the flags are.
        _ if syscall.name == "clone3" => types::late::LATE_IF_FAILED,
        _ => types::late::LATE_ALWAYS,
    }
}

fn scope_record(scope: &Scope) -> types::scope {
    let only = match (scope.pids.as_slice(), scope.tids.as_slice()) {
        ([pid], []) => *pid,
        _ => 0,
    };
    let mut record = types::scope {
        slf: std::process::id(),
        tasks: (!scope.pids.is_empty() || !scope.tids.is_empty()).into(),
        follow: scope.follow.into(),
        n_comms: scope.comms.len().min(MAX_COMMS) as u8,
        uids: (!scope.uids.is_empty()).into(),
        n_cgroup: scope.cgroups.len() as u32,
        only,
        ..Default::default()
    };
    for (words, comm) in record.comms.iter_mut().zip(&scope.comms) {
        let mut name = [0u8; 16];
        let len = comm.len().min(15);
        name[..len].copy_from_slice(&comm[..len]);
        let (first, second) = name.split_at(8);
        words[0] = u64::from_ne_bytes(first.try_into().unwrap_or_default());
        words[1] = u64::from_ne_bytes(second.try_into().unwrap_or_default());
    }
    record
}

/// Only the programs and maps this kernel can take and this run needs are loaded.
fn choose_programs(open: &mut OpenIorSkel<'_>, hook: Hook, pairing: Pairing, features: &Features) {
    let tp_btf = hook == Hook::TpBtf;
    open.progs.enter_tp_btf.set_autoload(tp_btf);
    open.progs.leave_tp_btf.set_autoload(tp_btf);
    open.progs.enter_raw_syscalls.set_autoload(!tp_btf);
    open.progs.leave_raw_syscalls.set_autoload(!tp_btf);
    let can_list = pairing == Pairing::TaskStorage && features.task_iter;
    open.progs.list_in_flight.set_autoload(can_list);
    open.progs.list_followed.set_autoload(can_list);
    for copy in [
        &mut open.progs.task_forked_2,
        &mut open.progs.task_forked_3,
        &mut open.progs.task_forked_4,
        &mut open.progs.task_execed_2,
        &mut open.progs.task_execed_3,
        &mut open.progs.task_execed_4,
        &mut open.progs.task_exited_2,
        &mut open.progs.task_exited_3,
        &mut open.progs.task_exited_4,
    ] {
        copy.set_autoload(!tp_btf);
    }
    // A map that cannot be created here must not be; nothing refers to it then (the verifier drops the branch).
    let _ = open
        .maps
        .states
        .set_autocreate(pairing == Pairing::TaskStorage);
    let _ = open
        .maps
        .states_by_tid
        .set_autocreate(pairing == Pairing::Hash);
}

fn create_rings(
    open: &mut OpenIorSkel<'_>,
    count: u32,
    size: u32,
) -> Result<Vec<MapHandle>, Error> {
    let bpf = |source| Error::Bpf {
        what: "creating the row rings (a smaller --buffer-size needs less memory)",
        source,
    };
    let opts = libbpf_rs::libbpf_sys::bpf_map_create_opts {
        sz: size_of::<libbpf_rs::libbpf_sys::bpf_map_create_opts>() as _,
        ..Default::default()
    };
    let rings = (0..count)
        .map(|_| MapHandle::create(MapType::RingBuf, Some("ior_rows"), 0, 0, size, &opts))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|source| {
            load_error(
                source,
                "creating the row rings (a smaller --buffer-size needs less memory)",
            )
        })?;
    open.maps
        .rows
        .set_inner_map_fd(rings[0].as_fd())
        .map_err(bpf)?;
    Ok(rings)
}

fn fill_maps(skel: &IorSkel<'_>, rings: &[MapHandle], scope: &Scope) -> Result<(), Error> {
    let bpf = |source| Error::Bpf {
        what: "filling the BPF maps",
        source,
    };
    for (index, ring) in rings.iter().enumerate() {
        let fd = ring.as_fd().as_raw_fd();
        skel.maps
            .rows
            .update(
                &(index as u32).to_ne_bytes(),
                &fd.to_ne_bytes(),
                MapFlags::ANY,
            )
            .map_err(bpf)?;
    }
    let pids = scope.pids.iter().map(|pid| u64::from(*pid));
    let tids = scope.tids.iter().map(|tid| u64::from(*tid) | TARGET_TID);
    for target in pids.chain(tids) {
        skel.maps
            .targets
            .update(&target.to_ne_bytes(), &[1], MapFlags::ANY)
            .map_err(bpf)?;
    }
    for uid in &scope.uids {
        skel.maps
            .uids
            .update(&uid.to_ne_bytes(), &[1], MapFlags::ANY)
            .map_err(bpf)?;
    }
    for (index, path) in scope.cgroups.iter().enumerate() {
        let dir = open_cgroup(path)?;
        skel.maps
            .cgroups
            .update(
                &(index as u32).to_ne_bytes(),
                &dir.as_fd().as_raw_fd().to_ne_bytes(),
                MapFlags::ANY,
            )
            .map_err(bpf)?;
    }
    Ok(())
}

fn open_cgroup(path: &Path) -> Result<File, Error> {
    File::open(path).map_err(|source| Error::Cgroup {
        path: path.display().to_string(),
        source,
    })
}

impl Loaded {
    /// Attaches: tasks first, so that no child is missed, exits before enters, so that no enter waits in vain.
    fn attach(&mut self, options: &Options) -> Result<(), Error> {
        let progs = &self.skel.progs;
        let [forked, execed, exited] = self.lifecycle();
        let mut order = [exited, execed].concat();
        if options.scope.follow {
            order.extend(forked);
        }
        match self.hook {
            Hook::TpBtf => order.extend([&progs.leave_tp_btf, &progs.enter_tp_btf]),
            Hook::RawSyscalls => {
                order.extend([&progs.leave_raw_syscalls, &progs.enter_raw_syscalls])
            }
        }
        let links = order.iter().map(|program| {
            program
                .attach()
                .map_err(|source| load_error(source, "attaching the BPF programs"))
        });
        self.links = links.collect::<Result<_, _>>()?;
        self.settle(true);
        Ok(())
    }

    /// Selects these syscalls and no others, from now on.
    pub fn select(&mut self, syscalls: &[&'static Syscall]) {
        let Some(bss) = self.skel.maps.bss_data.as_deref_mut() else {
            return;
        };
        let mut wanted = [0; MAX_CALL];
        for syscall in syscalls {
            wanted[usize::from(syscall.call()) % MAX_CALL] = 1;
        }
        // First the time: an exit whose enter was not looked at is none that was missed.
        bss.selected_at = clock::monotonic_ns();
        bss.wanted = wanted;
    }

    /// Tells the programs whether all of them are attached. While some are not, an unpaired exit is no loss.
    pub fn settle(&mut self, settled: bool) {
        if let Some(bss) = self.skel.maps.bss_data.as_deref_mut() {
            bss.settled = settled.into();
        }
    }

    /// The programs that follow forks, execs and ends, with their copies where tracepoints are preemptible.
    fn lifecycle(&self) -> [Vec<&ProgramMut<'static>>; 3] {
        let progs = &self.skel.progs;
        let all = [
            [
                &progs.task_forked,
                &progs.task_forked_2,
                &progs.task_forked_3,
                &progs.task_forked_4,
            ],
            [
                &progs.task_execed,
                &progs.task_execed_2,
                &progs.task_execed_3,
                &progs.task_execed_4,
            ],
            [
                &progs.task_exited,
                &progs.task_exited_2,
                &progs.task_exited_3,
                &progs.task_exited_4,
            ],
        ];
        let copies = match self.hook {
            Hook::TpBtf => 1,
            Hook::RawSyscalls => 4,
        };
        all.map(|programs| programs[..copies].to_vec())
    }

    /// Ends of threads that no copy of the program has seen, at most; `None` if a counter cannot be read.
    pub fn missed_ends(&self) -> Option<u64> {
        let [_, _, exited] = self.lifecycle();
        missed_by_all(&exited)
    }

    /// Program runs the kernel skipped, of all our programs; `None` if a counter cannot be read.
    pub fn skipped_runs(&self) -> Option<u64> {
        let progs = &self.skel.progs;
        let pair = match self.hook {
            Hook::TpBtf => [&progs.enter_tp_btf, &progs.leave_tp_btf],
            Hook::RawSyscalls => [&progs.enter_raw_syscalls, &progs.leave_raw_syscalls],
        };
        let calls = pair.into_iter().map(recursion_misses);
        let tasks = self.lifecycle();
        let tasks = tasks.iter().map(|copies| missed_by_all(copies));
        calls.chain(tasks).sum()
    }
}

/// What every copy of a program has missed is at most what the best of them has missed.
fn missed_by_all(copies: &[&ProgramMut<'_>]) -> Option<u64> {
    let misses: Option<Vec<u64>> = copies.iter().map(|copy| recursion_misses(copy)).collect();
    misses?.into_iter().min()
}

/// Says how much the verifier looked at, for whoever asked for libbpf's messages. Kernels before 5.16 do not tell.
fn show_programs(skel: &IorSkel<'_>) {
    let said = skel.object().progs().filter(|program| program.autoload());
    for program in said {
        let count = match info(program.as_fd()).map(|info| info.verified_insns) {
            Some(count) if count > 0 => count.to_string(),
            _ => "unknown".to_owned(),
        };
        eprintln!(
            "ior: program {}: {count} instructions verified",
            program.name().to_string_lossy()
        );
    }
}

fn recursion_misses(program: &ProgramMut<'_>) -> Option<u64> {
    info(program.as_fd()).map(|info| info.recursion_misses)
}

/// What the kernel says about a program; fields it does not know are 0.
fn info(program: BorrowedFd<'_>) -> Option<libbpf_rs::libbpf_sys::bpf_prog_info> {
    let mut info = libbpf_rs::libbpf_sys::bpf_prog_info::default();
    let mut len = size_of_val(&info) as u32;
    // SAFETY: `info` is a plain struct of `len` bytes that outlives the call.
    let error = unsafe {
        libbpf_rs::libbpf_sys::bpf_prog_get_info_by_fd(program.as_raw_fd(), &mut info, &mut len)
    };
    (error == 0).then_some(info)
}

fn possible_cpus() -> Result<u32, Error> {
    libbpf_rs::num_possible_cpus()
        .map(|cpus| cpus as u32)
        .map_err(|source| Error::Bpf {
            what: "counting the CPUs",
            source,
        })
}

/// Adds what the kernel side lost to an account.
pub fn add_cpu_counters(loss: &mut Loss, counters: &types::cpu_counters) {
    if counters.lost_rows > 0 {
        loss.first_ns = if loss.rows == 0 {
            counters.lost_first_ns
        } else {
            loss.first_ns.min(counters.lost_first_ns)
        };
        loss.last_ns = loss.last_ns.max(counters.lost_last_ns);
    }
    loss.rows += counters.lost_rows;
    loss.definitions += counters.lost_definitions;
    loss.unpaired += counters.unpaired;
    loss.answered += counters.answered;
    loss.not_seen = loss.not_seen.map(|n| n + counters.no_state);
}
