//! End-to-end tests against the running kernel: the real binary records, the workload's statements are the truth.
//!
//! Without the privilege to trace they are ignored, and say why; with `IOR_REQUIRE_BPF=1` they run and fail.

mod cli;
mod command;
mod dashboard;
mod degraded;
mod in_flight;
mod ordering;
mod outputs;
mod program32;
mod recordings;
mod scopes;
mod tools;
mod volume;

use std::process::ExitCode;

use e2e::harness::recorder::{Mode, Programs};
use e2e::harness::requirements;
use e2e::harness::scratch::Scratch;
use e2e::harness::{Result, check};
use e2e::scenarios::{self, Scenario, Traced};
use e2e::sys;
use libtest_mimic::{Arguments, Trial};

/// A test by name.
type Test = (&'static str, fn(&Programs) -> Result<()>);

fn main() -> ExitCode {
    sys::heed_signals();
    let ior = requirements::ior_binary();
    let missing = requirements::missing(&ior);
    let ignored = missing.is_some() && !requirements::required();
    if let (true, Some(missing)) = (ignored, &missing) {
        eprintln!("SKIPPED: every live test: {missing} (IOR_REQUIRE_BPF=1 makes this a failure)");
    }
    let programs = Programs {
        ior,
        workload: requirements::workload(env!("CARGO_BIN_EXE_workload")),
    };
    let trials = exact(&programs).into_iter().chain(groups(&programs));
    let trials = trials
        .map(|trial| trial.with_ignored_flag(ignored))
        .collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// A way to trace the scenarios of [`scenarios::EVERYDAY`]: its name, and ior's options for it.
type Variant = (&'static str, Mode, &'static [&'static str]);

const BOTH: &str = "raw_syscalls_hash";

const VARIANTS: [Variant; 5] = [
    ("command", Mode::Command, &[]),
    ("attached", Mode::Attached, &[]),
    ("raw_syscalls", Mode::Command, &["--hook", "raw_syscalls"]),
    ("hash", Mode::Command, &["--pairing", "hash"]),
    (
        BOTH,
        Mode::Command,
        &["--hook", "raw_syscalls", "--pairing", "hash"],
    ),
];

/// Much of what others have too: not once more under both.
const LARGE: [&str; 2] = ["distinct_10000", "copy_64_mib"];

/// The ways to trace the scenarios of the whole surface.
const SURFACE_VARIANTS: [usize; 2] = [0, 4];

/// ior's options for a scenario that must be traced with everything there is.
const ALL: [&str; 2] = ["--trace-families", "all"];

fn exact(programs: &Programs) -> Vec<Trial> {
    let mut trials = Vec::new();
    let everyday = VARIANTS.iter().flat_map(|variant| {
        let both = variant.0 == BOTH;
        let few = scenarios::EVERYDAY
            .iter()
            .filter(move |scenario| !both || !LARGE.contains(&scenario.name));
        few.map(move |scenario| (*variant, scenario))
    });
    let surface = SURFACE_VARIANTS
        .iter()
        .flat_map(|&at| scenarios::surface().map(move |scenario| (VARIANTS[at], scenario)));
    for ((prefix, mode, options), scenario) in everyday.chain(surface) {
        let programs = programs.clone();
        let name = format!("{prefix}::{}", scenario.name);
        trials.push(Trial::test(name, move || {
            Ok(exactly(&programs, scenario, mode, options)?)
        }));
    }
    trials
}

/// Every row that was stated and no other, by the hook and the pairing that were asked for.
fn exactly(programs: &Programs, scenario: &Scenario, mode: Mode, options: &[&str]) -> Result<()> {
    let scratch = Scratch::new()?;
    let mut all_options = options.to_vec();
    if scenario.traced == Traced::All {
        all_options.extend(ALL);
    }
    let recording = programs.record(scenario.name, mode, &scratch, &all_options)?;
    let mut lines = recording.ior.err.lines();
    let attached = lines.find(|line| line.contains("attached"));
    for chosen in options.iter().skip(1).step_by(2) {
        check(attached.is_some_and(|line| line.contains(chosen)), || {
            format!("not {chosen}: {attached:?}")
        })?;
    }
    recording.check_exactly()
}

fn groups(programs: &Programs) -> Vec<Trial> {
    let mut trials = Vec::new();
    for case in scopes::CASES {
        let programs = programs.clone();
        let name = format!("scopes::{}", case.name);
        trials.push(Trial::test(name, move || Ok(case.run(&programs)?)));
    }
    for (group, tests) in [
        ("scopes", scopes::TESTS),
        ("in_flight", in_flight::TESTS),
        ("ordering", ordering::TESTS),
        ("outputs", outputs::TESTS),
        ("child", command::TESTS),
        ("volume", volume::TESTS),
        ("tools", tools::TESTS),
        ("cli", cli::TESTS),
        ("degraded", degraded::TESTS),
        ("dashboard", dashboard::TESTS),
        ("ia32", program32::TESTS),
    ]
    .into_iter()
    .chain(recordings::TESTS.map(|tests| ("recordings", tests)))
    {
        for &(name, test) in tests {
            let programs = programs.clone();
            trials.push(Trial::test(format!("{group}::{name}"), move || {
                Ok(test(&programs)?)
            }));
        }
    }
    trials
}
