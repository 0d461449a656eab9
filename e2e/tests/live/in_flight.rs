//! Calls that have not returned when the trace ends: listed in the statistics, and no rows.

use e2e::harness::process::{Finished, Running, Stream};
use e2e::harness::recorder::{Programs, Recording};
use e2e::harness::scratch::Scratch;
use e2e::harness::{Result, check};

use crate::Test;

pub const TESTS: &[Test] = &[
    ("interrupted", interrupted),
    ("time_is_up", time_is_up),
    ("not_selected", not_selected),
    ("one_thread", one_thread),
    ("command", command),
];

/// The blocked ones, as the workload says them.
struct Blocked {
    pid: u32,
    tid: u32,
    child: u32,
    pipe: String,
}

impl Blocked {
    fn wait(process: &mut Running) -> Result<Blocked> {
        let line = process.wait_for(Stream::Out, "blocked ")?;
        let words: Vec<&str> = line.split(' ').collect();
        let number = |index: usize| -> Result<u32> {
            let number = words.get(index).and_then(|word| word.parse().ok());
            number.ok_or_else(|| format!("no number {index} in {line:?}"))
        };
        Ok(Blocked {
            pid: number(1)?,
            tid: number(2)?,
            child: number(3)?,
            pipe: (*words.last().ok_or("an empty line")?).to_owned(),
        })
    }

    /// The lines that must be there, up to the age.
    fn lines(&self) -> [String; 2] {
        let line = |pid, tid| {
            let pipe = &self.pipe;
            format!("ior: in flight: workload (pid {pid}, tid {tid}) read {pipe} for ")
        };
        [line(self.pid, self.tid), line(self.child, self.child)]
    }
}

/// Exactly the expected lines, each with an age, and the same number in the account.
fn check_listed(finished: &Finished, expected: &[String]) -> Result<()> {
    let text = &finished.err;
    let listed: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("ior: in flight"))
        .collect();
    let right = listed.len() == expected.len()
        && expected
            .iter()
            .all(|line| listed.iter().any(|listed| is_aged(listed, line)));
    check(right, || {
        format!("listed {listed:#?}\nexpected {expected:#?}")
    })?;
    let counted = format!(", in flight {}\n", expected.len());
    check(text.contains(&counted), || {
        format!("no {counted:?} in\n{text}")
    })
}

/// Whether it is that line with a duration behind it.
fn is_aged(listed: &str, line: &str) -> bool {
    let age = listed
        .strip_prefix(line)
        .and_then(|age| age.split_once(' '));
    age.is_some_and(|(number, unit)| {
        number.parse::<f64>().is_ok_and(|number| number > 0.0)
            && ["ns", "us", "µs", "ms", "s"].contains(&unit)
    })
}

/// Attached to the workload until it is blocked and ior has ended; then the workload goes on.
fn attached(
    programs: &Programs,
    options: &[&str],
    end: impl FnOnce(&Running) -> Result<()>,
) -> Result<(Scratch, Recording, Blocked)> {
    let scratch = Scratch::new()?;
    let (dir, json) = (scratch.dir("work")?, scratch.path().join("rows.json"));
    let noise = programs.noise(&scratch)?;
    let mut workload = programs.waiting_workload("in_flight", &dir)?;
    let mut ior = programs.ior(options);
    ior.arg("--json").arg(&json);
    let mut ior = Running::start(ior.arg("-p").arg(workload.id().to_string()))?;
    ior.wait_for(Stream::Err, "attached")?;
    workload.let_go()?;
    let blocked = Blocked::wait(&mut workload)?;
    end(&ior)?;
    let finished = ior.finish()?;
    drop(noise);
    let recording = Recording::read(json, &[&dir], finished)?;
    workload.end_input();
    workload.succeed()?;
    Ok((scratch, recording, blocked))
}

fn interrupt(ior: &Running) -> Result<()> {
    ior.signal("INT")
}

fn interrupted(programs: &Programs) -> Result<()> {
    let (_scratch, recording, blocked) = attached(programs, &["-f"], interrupt)?;
    recording.check_exactly()?;
    check_listed(&recording.ior, &blocked.lines())
}

/// The workload needs a fraction of that time to be blocked.
fn time_is_up(programs: &Programs) -> Result<()> {
    let options = ["-f", "--duration", "8s"];
    let (_scratch, recording, blocked) = attached(programs, &options, |_| Ok(()))?;
    recording.check_exactly()?;
    check_listed(&recording.ior, &blocked.lines())
}

/// A call that is not traced is not in flight either.
fn not_selected(programs: &Programs) -> Result<()> {
    let options = ["-f", "--no-trace-syscalls", "read"];
    let (_scratch, recording, _) = attached(programs, &options, interrupt)?;
    recording.check_exactly()?;
    check_listed(&recording.ior, &[])
}

/// The child is out of scope.
fn one_thread(programs: &Programs) -> Result<()> {
    let (_scratch, recording, blocked) = attached(programs, &[], interrupt)?;
    let (pid, [line, _]) = (blocked.pid, blocked.lines());
    recording.check_kept(e2e::harness::compare::Compared::Bracketed, |call| {
        call.pid == pid
    })?;
    check_listed(&recording.ior, &[line])
}

/// `ior -- COMMAND`: an interrupted COMMAND is gone, its child is blocked still.
fn command(programs: &Programs) -> Result<()> {
    let scratch = Scratch::new()?;
    let (dir, json) = (scratch.dir("work")?, scratch.path().join("rows.json"));
    let noise = programs.noise(&scratch)?;
    let mut ior = programs.ior(["--json"]);
    ior.arg(&json).arg("--").arg(&programs.workload);
    let mut ior = Running::start(ior.arg("in_flight").arg(&dir))?;
    let blocked = Blocked::wait(&mut ior)?;
    ior.signal("INT")?;
    ior.wait_for(Stream::Err, "in flight")?;
    // The child holds ior's standard output: no end of file before it ends too.
    e2e::harness::process::send_signal("KILL", &blocked.child.to_string())?;
    let finished = ior.finish()?;
    drop(noise);
    let code = finished.status.code();
    check(code == Some(130), || format!("{finished:?}"))?;
    let [_, line] = blocked.lines();
    check_listed(&finished, &[line])
}
