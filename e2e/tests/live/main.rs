//! End-to-end tests against the running kernel: the real binary records, the workload's statements are the truth.
//!
//! Without the privilege to trace they are ignored, and say why; with `IOR_REQUIRE_BPF=1` they run and fail.

mod cli;
mod tools;
mod volume;

use std::path::PathBuf;
use std::process::ExitCode;

use e2e::harness::Result;
use e2e::harness::recorder::{Mode, Programs};
use e2e::harness::requirements;
use e2e::harness::scratch::Scratch;
use e2e::scenarios::{self, Scenario};
use libtest_mimic::{Arguments, Trial};

/// A test by name.
type Test = (&'static str, fn(&Programs) -> Result<()>);

fn main() -> ExitCode {
    let ior = requirements::ior_binary();
    let missing = requirements::missing(&ior);
    let ignored = missing.is_some() && !requirements::required();
    if let (true, Some(missing)) = (ignored, &missing) {
        eprintln!("SKIPPED: every live test: {missing} (IOR_REQUIRE_BPF=1 makes this a failure)");
    }
    let programs = Programs { ior, workload: PathBuf::from(env!("CARGO_BIN_EXE_workload")) };
    let mut trials = Vec::new();
    for scenario in scenarios::EXACT {
        for (mode, prefix) in [(Mode::Command, "command"), (Mode::Attached, "attached")] {
            let programs = programs.clone();
            let name = format!("{prefix}::{}", scenario.name);
            trials.push(Trial::test(name, move || Ok(exactly(&programs, scenario, mode)?)));
        }
    }
    for (group, tests) in [("volume", volume::TESTS), ("tools", tools::TESTS), ("cli", cli::TESTS)]
    {
        for &(name, test) in tests {
            let programs = programs.clone();
            trials.push(Trial::test(format!("{group}::{name}"), move || Ok(test(&programs)?)));
        }
    }
    let trials = trials.into_iter().map(|trial| trial.with_ignored_flag(ignored)).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// Every row that was stated, and no other.
fn exactly(programs: &Programs, scenario: &Scenario, mode: Mode) -> Result<()> {
    let scratch = Scratch::new()?;
    programs.record(scenario.name, mode, &scratch, &[])?.check_exactly()
}
