//! A run on made-up rows: what becomes of COMMAND when an output fails.

use std::ffi::OsString;
use std::fs;
use std::os::fd::AsRawFd;
use std::path::PathBuf;

use ior_core::{Abi, Details, Ids, Loss, NameSource, Row, Task, Totals, syscall};

use super::*;
use crate::cli::{self, Request};

/// Rows without end. Makes a file when it is told to finish.
struct Endless {
    finished: PathBuf,
}

impl Source for Endless {
    fn poll(&mut self, _: Duration, each: &mut dyn FnMut(&Row<'_>)) -> Result<usize> {
        let comm = b"sh".to_vec();
        let task = Task {
            tid: 1,
            pid: 1,
            ppid: 0,
            uid: 0,
            cgroup_id: 0,
            cgroup: String::new(),
            comm: comm.clone(),
            process: comm,
            start_ns: 0,
        };
        each(&Row {
            seq: 1,
            time_ns: 0,
            wall_ns: 0,
            gap_ns: 0,
            latency_ns: 0,
            task: &task,
            syscall: syscall::by_name("read").context("a call")?,
            abi: Abi::X86_64,
            fd: 3,
            ret: 1,
            bytes: 1,
            file: b"/etc/x",
            old_file: None,
            name_source: NameSource::Kernel,
            filter_epoch: 0,
            dev: None,
            ino: None,
            requested: None,
            offset: None,
            flags: None,
            details: Details::default(),
            ids: Ids::default(),
        });
        Ok(1)
    }

    fn finish(&mut self) -> Option<Vec<InFlight>> {
        fs::write(&self.finished, "").ok();
        None
    }

    fn is_drained(&self) -> bool {
        true
    }

    fn totals(&self) -> Totals {
        Totals::default()
    }

    fn loss(&self) -> Loss {
        Loss::default()
    }

    fn evicted_files(&self) -> u64 {
        0
    }

    fn live_followed(&self) -> u64 {
        1
    }
}

/// Runs a COMMAND that goes on after the trace has stopped, makes the file `ended` and exits with 7. `prepared` is called
/// when the outputs are open. Returns the status and whether COMMAND came to its end.
fn run(name: &str, args: &[&str], prepared: impl FnOnce()) -> (Result<u8>, bool) {
    let directory = std::env::temp_dir().join(format!("ior-run-{name}-{}", std::process::id()));
    fs::create_dir_all(&directory).unwrap();
    let script =
        "while [ ! -e finished ]; do sleep 0.01; done; sleep 0.05; : > ended; exit 7".to_owned();
    let script = format!("cd {} && {script}", directory.display());
    let typed = ["ior", "-q"].iter().chain(args).map(OsString::from);
    let command = ["--", "sh", "-c", &script].map(OsString::from);
    let Request::Trace(config) = cli::parse(typed.chain(command)).unwrap() else {
        panic!("no trace")
    };
    let signals = Signals::default();
    let temporaries = Temporaries::default();
    let mut command = Command::hold(&config.command).unwrap();
    let pipeline = Pipeline::open(&config, &temporaries, &signals).unwrap();
    let answer = Destination::open(&config.answer, &temporaries).unwrap();
    let stop = Stop::new(config.duration, signals, Vec::new()).unwrap();
    prepared();
    command.release().unwrap();
    let run = Run {
        config: *config,
        source: Box::new(Endless {
            finished: directory.join("finished"),
        }),
        pipeline,
        answer,
        command: Some(command),
        stop,
        began: Began::now(),
    };
    let outcome = run.finish();
    let ended = directory.join("ended").exists();
    fs::remove_dir_all(directory).unwrap();
    (outcome, ended)
}

#[test]
fn a_full_disk_does_not_end_the_command() {
    let (outcome, ended) = run("full", &["--csv", "/dev/full"], || ());
    assert_eq!(outcome.unwrap(), 1);
    assert!(ended);
}

#[test]
fn a_closed_pipe_does_not_end_the_command_and_leaves_its_status() {
    let (reader, writer) = io::pipe().unwrap();
    let path = format!("/proc/self/fd/{}", writer.as_raw_fd());
    let (outcome, ended) = run("closed", &["--csv", &path], move || drop((reader, writer)));
    assert_eq!(outcome.unwrap(), 7);
    assert!(ended);
}

#[test]
fn the_end_of_the_time_ends_the_command() {
    let (outcome, ended) = run(
        "time",
        &["--csv", "/dev/null", "--duration", "100ms"],
        || (),
    );
    assert_eq!(outcome.unwrap(), 0);
    assert!(!ended);
}
