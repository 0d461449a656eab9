//! `workload [--wait] SCENARIO DIR`: runs one scenario in the directory and states each call in `DIR/oracle.json`.
//!
//! With `--wait` it prepares, then waits for standard input to give a byte or to end. `--list` names the scenarios.

use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;

use e2e::scenarios::{self, Scenario};
use e2e::sys;
use e2e::tape::Tape;

fn main() -> ExitCode {
    sys::quiet_allocator();
    let mut args: Vec<_> = std::env::args_os().skip(1).collect();
    if args.iter().any(|arg| arg == "--list") {
        for scenario in scenarios::exact().chain(scenarios::SPECIAL) {
            println!("{}", scenario.name);
        }
        return ExitCode::SUCCESS;
    }
    let wait = args.first().is_some_and(|arg| arg == "--wait");
    if wait {
        args.remove(0);
    }
    let [name, dir] = &args[..] else {
        eprintln!("usage: workload [--wait] SCENARIO DIR | workload --list");
        return ExitCode::from(2);
    };
    let Some(scenario) = name.to_str().and_then(scenarios::find) else {
        eprintln!(
            "workload: no scenario {}: see workload --list",
            name.display()
        );
        return ExitCode::from(2);
    };
    let dir = match std::fs::canonicalize(dir)
        .and_then(|dir| std::env::set_current_dir(&dir).map(|()| dir))
    {
        Ok(dir) => dir.into_os_string().into_vec(),
        Err(error) => {
            eprintln!("workload: {}: {error}", dir.display());
            return ExitCode::from(2);
        }
    };
    run(scenario, dir, wait);
    ExitCode::SUCCESS
}

fn run(scenario: &Scenario, dir: Vec<u8>, wait: bool) {
    let comm = std::fs::read_to_string("/proc/self/comm").expect("own name");
    let mut tape = Tape::new(dir, comm.trim_end_matches('\n'));
    (scenario.setup)(&mut tape);
    if wait {
        sys::call(libc::SYS_read, e2e::args![0, &mut [0u8; 1], 1]);
    }
    tape.begin();
    (scenario.run)(&mut tape);
    tape.end();
    tape.flush();
}
