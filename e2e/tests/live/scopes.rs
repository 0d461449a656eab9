//! What is traced and what is kept: exactly the calls that were asked for, and the account holds:
//! calls = rows + filtered + lost.

use std::path::{Path, PathBuf};

use e2e::harness::compare::Compared::{self, All, Bracketed};
use e2e::harness::process::{Finished, Running, Stream};
use e2e::harness::recorder::Mode::{Alone, Attached, Command};
use e2e::harness::recorder::{Mode, Programs, Recording};
use e2e::harness::scratch::Scratch;
use e2e::harness::{Result, check};
use e2e::oracle::Call;
use e2e::scenarios::blocked::SLOW_NS;
use e2e::scenarios::scopes::{NOBODY, name_of};

use crate::Test;

/// A scenario recorded under options, and which of the calls it stated must be there. `keep` also gets the process that
/// was attached to.
pub struct Case {
    pub name: &'static str,
    scenario: &'static str,
    mode: Mode,
    options: &'static [&'static str],
    compared: Compared,
    keep: fn(&Call, Option<u32>) -> bool,
}

const fn case(
    name: &'static str,
    (scenario, mode): (&'static str, Mode),
    options: &'static [&'static str],
    compared: Compared,
    keep: fn(&Call, Option<u32>) -> bool,
) -> Case {
    Case {
        name,
        scenario,
        mode,
        options,
        compared,
        keep,
    }
}

fn is_one_of(call: &Call, names: &[&str]) -> bool {
    names.contains(&call.syscall.as_str())
}

fn on_file(call: &Call, end: &str) -> bool {
    let file = call.file.as_ref();
    file.is_some_and(|file| file.bytes().ends_with(end.as_bytes()))
}

fn failed(call: &Call) -> bool {
    let ret = call.ret.unwrap_or(0);
    (-4095..0).contains(&ret) && ![-512, -513, -514, -516].contains(&ret)
}

const SENDING: &[&str] = &[
    "socket",
    "socketpair",
    "sendto",
    "recvfrom",
    "sendmsg",
    "recvmsg",
];
const MEMORY: &[&str] = &["mmap", "munmap", "msync", "memfd_create"];
const NAMED: &[&str] = &["open", "creat", "openat", "openat2", "access", "faccessat"];

/// Options that filter rows in ior; everything else is decided in the kernel.
const FILTERS: [&str; 4] = ["--errors", "--path", "--filter", "--min-latency"];

pub const CASES: &[Case] = &[
    case(
        "pid_without_follow",
        ("copies_by_fork", Alone),
        &[],
        Bracketed,
        |call, pid| Some(call.pid) == pid,
    ),
    case(
        "uid",
        ("other_user", Attached),
        &["--uid", "65534"],
        Bracketed,
        |call, _| call.uid == NOBODY,
    ),
    case(
        "uid_by_name",
        ("other_user", Command),
        &["--uid", "nobody"],
        Bracketed,
        |call, _| call.uid == NOBODY,
    ),
    case(
        "uid_of_the_parent",
        ("other_user", Command),
        &["--uid", "0"],
        Bracketed,
        |call, _| call.uid == 0,
    ),
    case(
        "uid_and_comm",
        ("process_tree", Attached),
        &["--uid", "0,65534", "--comm", "workload", "--comm", "other"],
        Bracketed,
        |_, _| true,
    ),
    case(
        "trace_syscalls_write",
        ("read_write", Command),
        &["--trace-syscalls", "write"],
        All,
        |call, _| call.syscall == "write",
    ),
    case(
        "trace_syscalls_write_attached",
        ("copies_by_fork", Attached),
        &["--trace-syscalls", "write"],
        All,
        |call, _| call.syscall == "write",
    ),
    case(
        "trace_families_network",
        ("socket", Command),
        // Some pairs are made outside the brackets.
        &[
            "--trace-families",
            "network",
            "--no-trace-syscalls",
            "socketpair",
        ],
        All,
        |call, _| is_one_of(call, SENDING),
    ),
    case(
        "trace_families_two",
        ("mmap", Attached),
        &["--trace-families", "Memory,FS"],
        Bracketed,
        |_, _| true,
    ),
    case(
        "no_trace_families",
        ("io_uring", Command),
        &["--no-trace-families", "fs,memory,process"],
        All,
        |call, _| call.syscall.starts_with("io_"),
    ),
    case(
        "no_trace_families_memory",
        ("mmap", Command),
        &["--no-trace-families", "memory"],
        Bracketed,
        |call, _| !is_one_of(call, MEMORY),
    ),
    case(
        "no_trace_syscalls",
        ("read_write", Command),
        &["--no-trace-syscalls", "read,write"],
        Bracketed,
        |call, _| !is_one_of(call, &["read", "write"]),
    ),
    case(
        "exclusion_wins",
        ("seek_and_size", Command),
        &[
            "--trace-families",
            "fs",
            "--trace-syscalls",
            "lseek",
            "--no-trace-syscalls",
            "lseek",
        ],
        Bracketed,
        |call, _| call.syscall != "lseek",
    ),
    case(
        "trace_kinds",
        ("working_directory", Command),
        &["--trace-kinds", "open,path"],
        Bracketed,
        |call, _| is_one_of(call, NAMED) || call.syscall == "mkdir" || call.syscall == "chdir",
    ),
    case(
        "errors",
        ("read_write", Command),
        &["--errors"],
        Bracketed,
        |call, _| failed(call),
    ),
    case(
        "errors_are_no_restarts",
        ("restarted_thrice", Attached),
        &["--errors"],
        Bracketed,
        |call, _| failed(call),
    ),
    case(
        "path",
        ("copies_by_fork", Command),
        &["--path", "/work/own$"],
        All,
        |call, _| on_file(call, "/work/own"),
    ),
    case(
        "path_and_errors",
        ("working_directory", Attached),
        &["--path", "/work/d/", "--errors"],
        All,
        |call, _| failed(call) && on_file(call, "/work/d/missing"),
    ),
    case(
        "filter_errno",
        ("read_write", Command),
        &["--filter", "syscall=write ret=EBADF"],
        All,
        |call, _| call.syscall == "write" && call.ret == Some(-9),
    ),
    case(
        "filter_bytes",
        ("read_write", Attached),
        &["--filter", "file~/work/data$ bytes>=5 !errors"],
        All,
        |call, _| on_file(call, "/work/data") && call.bytes >= 5,
    ),
    case(
        "filter_within_a_selection",
        ("copies_by_fork", Attached),
        &[
            "--trace-syscalls",
            "write,dup2",
            "--filter",
            "ret>0 fd!=660",
        ],
        All,
        |call, _| is_one_of(call, &["write", "dup2"]) && call.ret > Some(0) && call.fd != 660,
    ),
];

impl Case {
    pub fn run(&self, programs: &Programs) -> Result<()> {
        let scratch = Scratch::new()?;
        let recording = programs.record(self.scenario, self.mode, &scratch, self.options)?;
        let pid = recording.pid;
        recording.check_kept(self.compared, |call| (self.keep)(call, pid))?;
        let filters = FILTERS.iter().any(|option| self.options.contains(option));
        let filtered = recording.statistics.filtered;
        check(filters == (filtered > Some(0)), || {
            format!("filtered: {filtered:?} with {:?}", self.options)
        })
    }
}

pub const TESTS: &[Test] = &[
    ("one_thread_of_four", one_thread_of_four),
    ("two_threads_of_four", two_threads_of_four),
    ("one_tree_of_three", one_tree_of_three),
    ("two_trees_of_three", two_trees_of_three),
    ("comm", comm),
    ("comm_of_the_whole_machine", comm_of_the_whole_machine),
    ("cgroup", cgroup),
    ("min_latency", min_latency),
    (
        "min_latency_of_one_nanosecond",
        min_latency_of_one_nanosecond,
    ),
    ("min_latency_beyond_all", min_latency_beyond_all),
];

/// `-t`: the other threads make the same calls and must not appear; the run ends when the threads are gone.
fn threads(programs: &Programs, wanted: usize) -> Result<()> {
    let scratch = Scratch::new()?;
    let (dir, json) = (scratch.dir("work")?, scratch.path().join("rows.json"));
    let noise = programs.noise(&scratch)?;
    let mut workload = programs.waiting_workload("three_threads", &dir)?;
    let line = workload.wait_for(Stream::Out, "tids ")?;
    let tids: Vec<u32> = line
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    check(tids.len() == 3, || format!("three threads: {line}"))?;
    let tids = &tids[..wanted];
    let mut ior = programs.ior(["--json"]);
    ior.arg(&json);
    for tid in tids {
        ior.arg("-t").arg(tid.to_string());
    }
    let mut ior = Running::start(&mut ior)?;
    ior.wait_for(Stream::Err, "attached")?;
    workload.let_go()?;
    workload.succeed()?;
    let finished = ior.finish()?;
    drop(noise);
    let recording = Recording::read(json, &[&dir], finished)?;
    recording.check_kept(Bracketed, |call| tids.contains(&call.tid))
}

fn one_thread_of_four(programs: &Programs) -> Result<()> {
    threads(programs, 1)
}

fn two_threads_of_four(programs: &Programs) -> Result<()> {
    threads(programs, 2)
}

/// Some of three equal process trees, forked after the attach; the other trees must not appear.
fn trees(programs: &Programs, wanted: usize) -> Result<()> {
    let scratch = Scratch::new()?;
    let json = scratch.path().join("rows.json");
    let mut workloads = Vec::new();
    let mut dirs = Vec::new();
    for name in ["one", "two", "three"] {
        let dir = scratch.dir(name)?;
        workloads.push(programs.waiting_workload("process_tree", &dir)?);
        dirs.push(dir);
    }
    let mut ior = programs.ior(["-f", "--json"]);
    ior.arg(&json);
    for workload in &workloads[..wanted] {
        ior.arg("-p").arg(workload.id().to_string());
    }
    let mut ior = Running::start(&mut ior)?;
    ior.wait_for(Stream::Err, "attached")?;
    for workload in &mut workloads {
        workload.let_go()?;
    }
    // The last one of the traced ends last: ior must not end with the first.
    for workload in workloads {
        workload.succeed()?;
    }
    let dirs: Vec<&Path> = dirs[..wanted].iter().map(PathBuf::as_path).collect();
    Recording::read(json, &dirs, ior.finish()?)?.check_exactly()
}

fn one_tree_of_three(programs: &Programs) -> Result<()> {
    trees(programs, 1)
}

fn two_trees_of_three(programs: &Programs) -> Result<()> {
    trees(programs, 2)
}

/// Attaches to whatever `options` say, lets the workloads go and interrupts ior when they have ended.
fn until_interrupted(
    programs: &Programs,
    options: &[&str],
    json: &Path,
    workloads: Vec<Running>,
) -> Result<Finished> {
    let mut ior = Running::start(programs.ior(options).arg("--json").arg(json))?;
    ior.wait_for(Stream::Err, "attached")?;
    for mut workload in workloads {
        workload.let_go()?;
        workload.succeed()?;
    }
    ior.signal("INT")?;
    ior.finish()
}

/// Exactly that name, from the call after the renaming on; names that begin like it are others.
fn by_name(programs: &Programs, in_the_tree: &[&str]) -> Result<()> {
    let scratch = Scratch::new()?;
    let (dir, json) = (scratch.dir("work")?, scratch.path().join("rows.json"));
    let noise = programs.noise(&scratch)?;
    let workload = programs.waiting_workload("names_in_and_out", &dir)?;
    let (pid, name) = (workload.id().to_string(), name_of(workload.id()));
    let mut options = vec!["--comm", &name];
    for option in in_the_tree {
        options.push(if *option == "PID" { &pid } else { option });
    }
    let finished = until_interrupted(programs, &options, &json, vec![workload])?;
    drop(noise);
    let recording = Recording::read(json, &[&dir], finished)?;
    recording.check_kept(Bracketed, |call| call.comm == name)
}

fn comm(programs: &Programs) -> Result<()> {
    by_name(programs, &["-p", "PID", "-f"])
}

fn comm_of_the_whole_machine(programs: &Programs) -> Result<()> {
    by_name(programs, &[])
}

/// Directories of the cgroup-v2 hierarchy, removed when dropped.
struct Cgroups(Vec<PathBuf>);

impl Cgroups {
    /// Where the hierarchy is mounted, if ior can be told a directory of it.
    fn root() -> Option<PathBuf> {
        let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
        let mut roots = mounts.lines().filter_map(|line| {
            let mut fields = line.split(' ').skip(1);
            let (path, kind) = (fields.next()?, fields.next()?);
            (kind == "cgroup2" && path.starts_with("/sys/fs/cgroup")).then(|| path.into())
        });
        roots.next_back()
    }

    fn make(&mut self, path: PathBuf) -> Result<&Path> {
        std::fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        self.0.push(path);
        Ok(self.0[self.0.len() - 1].as_path())
    }
}

impl Drop for Cgroups {
    fn drop(&mut self) {
        for path in self.0.iter().rev() {
            if let Err(error) = std::fs::remove_dir(path) {
                eprintln!("could not remove {}: {error}", path.display());
            }
        }
    }
}

/// In the cgroup and below it; not beside it, also where the name begins alike.
fn cgroup(programs: &Programs) -> Result<()> {
    let Some(root) = Cgroups::root() else {
        eprintln!("SKIPPED: scopes::cgroup: no cgroup-v2 hierarchy is mounted in /sys/fs/cgroup");
        return Ok(());
    };
    let scratch = Scratch::new()?;
    let json = scratch.path().join("rows.json");
    let name = format!("ior-e2e-{}", std::process::id());
    let mut cgroups = Cgroups(Vec::new());
    let (mut workloads, mut dirs) = (Vec::new(), Vec::new());
    for (number, below) in ["", "/below", "-beside"].iter().enumerate() {
        let directory = cgroups.make(root.join(format!("{name}{below}")))?;
        let dir = scratch.dir(&number.to_string())?;
        let workload = programs.waiting_workload("process_tree", &dir)?;
        let procs = directory.join("cgroup.procs");
        std::fs::write(&procs, workload.id().to_string())
            .map_err(|error| format!("{}: {error}", procs.display()))?;
        workloads.push(workload);
        dirs.push(dir);
    }
    let path = root.join(&name);
    let options = ["--cgroup", path.to_str().ok_or("UTF-8")?];
    let finished = until_interrupted(programs, &options, &json, workloads)?;
    let recording = Recording::read(json, &[&dirs[0], &dirs[1]], finished)?;
    recording.check_exactly()?;
    recording.visit(|row| {
        let cgroup = row.cgroup.as_deref().unwrap_or_default();
        let right = [format!("/{name}"), format!("/{name}/below")];
        check(right.iter().any(|right| right == cgroup), || {
            format!("cgroup {cgroup:?}, not one of {right:?}")
        })
    })
}

fn min_latency(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let limit = format!("{SLOW_NS}ns");
    let options = ["--min-latency", &limit];
    let recording = programs.record("slow_read", Command, &scratch, &options)?;
    let mut slow = 0;
    recording.visit(|row| {
        let kept = row.latency_ns >= SLOW_NS;
        slow += u64::from(row.syscall == "read" && row.file.starts_with("pipe:") && row.ret == 4);
        check(kept, || format!("a quick call: {row:?}"))
    })?;
    recording.statistics.check_complete()?;
    check(slow == 1, || format!("{slow} rows of the slow read"))
}

/// Every call takes longer, but those that never return.
fn min_latency_of_one_nanosecond(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let recording = programs.record("exit", Command, &scratch, &["--min-latency", "1ns"])?;
    recording.check_kept(Bracketed, |call| call.ret.is_some())?;
    // Two children and a thread that end as stated, and the workload itself.
    let filtered = recording.statistics.filtered;
    check(filtered == Some(4), || {
        format!("filtered: {filtered:?}, not the 4 ends")
    })
}

fn min_latency_beyond_all(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let recording = programs.record("read_write", Command, &scratch, &["--min-latency", "1h"])?;
    recording.visit(|row| Err(format!("a row: {row:?}")))?;
    let statistics = recording.statistics;
    let all = statistics.calls == statistics.filtered;
    let enough = statistics.calls >= Some(recording.stated.len() as u64);
    check(all && enough, || format!("{statistics:?}"))
}
