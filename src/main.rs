//! Parse, run, print one error, exit.

use std::io::Write;
use std::process::ExitCode;

fn main() -> ExitCode {
    match ior::run(std::env::args_os()) {
        Ok(status) => ExitCode::from(status),
        Err(failure) => {
            // A closed stderr is no reason to panic: the exit status still tells.
            let _ = writeln!(std::io::stderr(), "{failure}");
            ExitCode::from(failure.status)
        }
    }
}
