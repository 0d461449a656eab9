//! Ordinary programs under ior: what a shell, cat, tee and cp did, by the sums that must come out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use e2e::harness::process::{Finished, run};
use e2e::harness::recorder::Programs;
use e2e::harness::rows::{self, Row};
use e2e::harness::scratch::Scratch;
use e2e::harness::statistics::Statistics;
use e2e::harness::{Result, check};
use e2e::sys;

use crate::Test;

pub const TESTS: &[Test] = &[
    ("tee", tee),
    ("syscall_list", syscall_list),
    ("answered_calls", answered_calls),
    ("cp_64_mib", cp_64_mib),
    ("grandchildren", grandchildren),
    ("hundred_programs", hundred_programs),
    ("missing_file", missing_file),
    ("exit_status_of_a_signal", exit_status_of_a_signal),
];

/// A shell script in a directory of its own, recorded while noise is made beside it.
struct Run {
    dir: PathBuf,
    finished: Finished,
    rows: Vec<Row>,
    _scratch: Scratch,
}

fn script(programs: &Programs, text: &str, prepare: impl FnOnce(&Path)) -> Result<Run> {
    let scratch = Scratch::new()?;
    let (dir, json) = (scratch.dir("work")?, scratch.path().join("rows.json"));
    prepare(&dir);
    let noise = programs.noise(&scratch)?;
    let mut ior = programs.ior(["--json"]);
    ior.arg(&json)
        .args(["--", "sh", "-c", text])
        .current_dir(&dir);
    let finished = run(&mut ior)?;
    let mut rows = Vec::new();
    let count = rows::for_each(&json, |row| {
        check(row.pid != noise.id(), || {
            format!("a row of the noise: {row:?}")
        })?;
        rows.push(row);
        Ok(())
    })?;
    let statistics = Statistics::parse(&finished.err);
    statistics
        .check_complete()
        .map_err(|problem| format!("{problem}\n{}", finished.err))?;
    statistics.check_sum(count)?;
    Ok(Run {
        dir,
        finished,
        rows,
        _scratch: scratch,
    })
}

fn write_file(dir: &Path, name: &str, len: usize) {
    std::fs::write(dir.join(name), vec![b'x'; len]).expect("write a file");
}

const TRANSFERS: [&str; 5] = ["copy_file_range", "sendfile64", "splice", "tee", "vmsplice"];

impl Run {
    fn path(&self, name: &str) -> String {
        self.dir
            .join(name)
            .to_str()
            .expect("UTF-8 scratch directory")
            .to_owned()
    }

    fn rows_of(&self, syscall: &str, name: &str) -> Vec<&Row> {
        let path = self.path(name);
        self.rows
            .iter()
            .filter(|row| row.syscall == syscall && row.file == path)
            .collect()
    }

    /// Bytes written to a file: by writes, and as the destination of transfers.
    fn written(&self, name: &str) -> u64 {
        let path = self.path(name);
        let writes = ["write", "pwrite64", "writev", "pwritev", "pwritev2"];
        let into = |row: &&Row| {
            let call = row.syscall.as_str();
            row.file == path && (writes.contains(&call) || TRANSFERS.contains(&call))
        };
        self.rows.iter().filter(into).map(|row| row.bytes).sum()
    }

    /// Bytes read from a file: by reads, and as the source of transfers.
    fn read(&self, name: &str) -> u64 {
        let path = self.path(name);
        let reads = ["read", "pread64", "readv", "preadv", "preadv2"];
        let from = |row: &&Row| {
            let call = row.syscall.as_str();
            (row.file == path && reads.contains(&call))
                || (row.old_file.as_ref() == Some(&path) && TRANSFERS.contains(&call))
        };
        self.rows.iter().filter(from).map(|row| row.bytes).sum()
    }

    fn check_status(&self, code: i32) -> Result<()> {
        check(self.finished.status.code() == Some(code), || {
            format!("{:?}", self.finished)
        })
    }
}

fn tee(programs: &Programs) -> Result<()> {
    const SIZE: u64 = 10 * 1024 * 1024 + 123;
    let prepare = |dir: &Path| write_file(dir, "big", SIZE as usize);
    let run = script(programs, "cat big | tee x y >/dev/null", prepare)?;
    run.check_status(0)?;
    for (what, bytes) in [
        ("read from big", run.read("big")),
        ("to x", run.written("x")),
        ("to y", run.written("y")),
    ] {
        check(bytes == SIZE, || format!("{bytes} of {SIZE} bytes {what}"))?;
    }
    let writers: BTreeSet<_> = run
        .rows_of("write", "x")
        .iter()
        .map(|row| &row.comm)
        .collect();
    check(writers.iter().all(|comm| *comm == "tee"), || {
        format!("written by {writers:?}")
    })
}

fn cp_64_mib(programs: &Programs) -> Result<()> {
    const SIZE: u64 = 64 << 20;
    let prepare = |dir: &Path| write_file(dir, "big", SIZE as usize);
    let run = script(
        programs,
        "cp big copy; cp missing copy2 2>/dev/null; exit 0",
        prepare,
    )?;
    run.check_status(0)?;
    // A file system that shares blocks copies without moving bytes.
    let cloned = run.rows_of("ioctl", "copy").iter().any(|row| row.ret == 0);
    let (read, written) = (run.read("big"), run.written("copy"));
    check(cloned || (read == SIZE && written == SIZE), || {
        format!("{read} bytes read from big, {written} written to copy")
    })?;
    check(run.written("copy2") == 0, || {
        "nothing was copied to copy2".to_owned()
    })
}

fn grandchildren(programs: &Programs) -> Result<()> {
    let text = r#"cat a >/dev/null; (cat b >out; sh -c "cat c >>out; exit 5"; exit 3); exit 7"#;
    let run = script(programs, text, |dir| {
        for (name, len) in [("a", 100), ("b", 200), ("c", 300)] {
            write_file(dir, name, len);
        }
    })?;
    run.check_status(7)?;
    let mut pids = BTreeSet::new();
    for (name, len) in [("a", 100), ("b", 200), ("c", 300)] {
        check(run.read(name) == len, || {
            format!("{} bytes read from {name}", run.read(name))
        })?;
        let opens = run.rows_of("openat", name);
        check(opens.len() == 1 && opens[0].comm == "cat", || {
            format!("opens of {name}: {opens:?}")
        })?;
        let pid = opens[0].pid;
        pids.insert(pid);
        let own = || run.rows.iter().filter(|row| row.pid == pid);
        let executed =
            own().any(|row| row.syscall == "execve" && row.ret == 0 && row.file.ends_with("/cat"));
        let ended = own().filter(|row| row.syscall == "exit_group").count() == 1;
        check(executed && ended, || {
            format!("process {pid} (cat {name}) is not whole")
        })?;
    }
    check(pids.len() == 3, || format!("three processes, not {pids:?}"))?;
    check(run.written("out") == 500, || {
        format!("{} bytes written to out", run.written("out"))
    })
}

fn hundred_programs(programs: &Programs) -> Result<()> {
    let text = "i=0; while [ $i -lt 100 ]; do /bin/true; i=$((i+1)); done; /bin/false";
    let run = script(programs, text, |_| {})?;
    run.check_status(1)?;
    let mut ended: BTreeMap<u32, u32> = BTreeMap::new();
    for row in run
        .rows
        .iter()
        .filter(|row| row.syscall == "exit_group" && row.comm == "true")
    {
        *ended.entry(row.pid).or_default() += 1;
    }
    let executed: BTreeSet<u32> = run
        .rows
        .iter()
        .filter(|row| row.syscall == "execve" && row.file == "/bin/true" && row.ret == 0)
        .map(|row| row.pid)
        .collect();
    let once = ended.len() == 100 && ended.values().all(|count| *count == 1);
    check(once && executed.iter().eq(ended.keys()), || {
        format!("{} programs started, {} ended", executed.len(), ended.len())
    })
}

fn missing_file(programs: &Programs) -> Result<()> {
    let run = script(programs, "cat missing 2>/dev/null", |_| {})?;
    run.check_status(1)?;
    let opens = run.rows_of("openat", "missing");
    let right = |row: &&Row| row.ret == -2 && row.is_error && row.fd == -1 && row.comm == "cat";
    check(opens.len() == 1 && opens.iter().all(right), || {
        format!("{opens:?}")
    })
}

fn exit_status_of_a_signal(programs: &Programs) -> Result<()> {
    let run = script(programs, "kill -TERM $$", |_| {})?;
    // As shells say it: 128 + 15.
    run.check_status(143)
}

/// What can be traced, and what is traced by default, is what the scenarios were written for: a call that is added to
/// the table needs one.
fn syscall_list(programs: &Programs) -> Result<()> {
    #[derive(serde::Deserialize)]
    struct Listed {
        name: String,
        abi: String,
        default: bool,
    }
    let listed = run(&mut programs.ior(["syscalls", "--all", "--json"]))?;
    let mut traced = BTreeMap::new();
    for call in serde_json::Deserializer::from_slice(&listed.out).into_iter::<Listed>() {
        let call = call.map_err(|error| error.to_string())?;
        if call.abi != "ia32" {
            traced.insert(call.name, call.default);
        }
    }
    let known: BTreeMap<String, bool> = sys::DEFAULT
        .iter()
        .map(|sys| (sys.name.to_owned(), true))
        .chain(sys::OTHERS.iter().map(|sys| (sys.name.to_owned(), false)))
        .collect();
    let differing: Vec<_> = traced
        .iter()
        .filter(|(name, default)| known.get(*name) != Some(default))
        .chain(known.iter().filter(|(name, _)| !traced.contains_key(*name)))
        .collect();
    check(differing.is_empty(), || {
        format!("no scenario is written for, or not traced as stated: {differing:?}")
    })
}

/// Calls that never ran are counted: four kinds of answers of a filter (two of them twice), and one of a tracer.
fn answered_calls(programs: &Programs) -> Result<()> {
    for (scenario, count) in [("answered_by_filter", 6), ("changed_by_tracer", 1)] {
        let scratch = Scratch::new()?;
        let mut ior = programs.ior(["--trace-families", "all", "--discard", "--"]);
        let finished = run(ior
            .arg(&programs.workload)
            .arg(scenario)
            .arg(scratch.path()))?;
        let line = format!("answered by a seccomp filter or a tracer without being run: {count}");
        check(
            finished.err.lines().any(|said| said.ends_with(&line)),
            || format!("{scenario}: no line {line:?} in:\n{}", finished.err),
        )?;
    }
    Ok(())
}
