//! `ior`: what file I/O a Linux machine is doing, by whom, on which files, how slow, and what fails.
//!
//! The binary is a thin wrapper around [`run`].

#![forbid(unsafe_code)]

mod argv;
pub mod cli;
mod collapsed;
mod dashboard;
mod doctor;
mod flamegraph;
mod names;
pub mod recorded;
mod session;
mod signals;
pub mod sink;
pub mod source;
mod summary;
mod syscalls_list;

use std::ffi::OsString;
use std::fmt::{self, Write as _};
use std::io::{self, BufWriter, Write};
use std::time::Instant;

use anyhow::Error;
use cli::{Recording, Request};
use collapsed::Stacks;
use flamegraph::Caption;
use ior_core::escape;
use recorded::Completeness;

/// Exit status of a usage error.
const USAGE: u8 = 2;

/// The exit status and the one line that explains it.
#[derive(Debug)]
pub struct Failure {
    /// 1 failed, 2 usage, 125 failed before COMMAND ran.
    pub status: u8,
    /// What, which, why and the remedy.
    pub error: Error,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::from("ior");
        for cause in self.error.chain().map(ToString::to_string) {
            // Some causes already say what caused them.
            if !text.contains(&cause) {
                text.push_str(": ");
                text.push_str(&cause);
            }
        }
        // A cause may have its own ideas about lines.
        let words: Vec<_> = text.split_whitespace().collect();
        // Names in it must not act on a terminal. Backslashes stay: some causes are escaped already.
        words.join(" ").chars().try_for_each(|character| {
            if escape::is_hostile(character) {
                let mut bytes = [0; 4];
                f.write_str(&escape::terminal(
                    character.encode_utf8(&mut bytes).as_bytes(),
                ))
            } else {
                f.write_char(character)
            }
        })
    }
}

/// Does what the command line, program name first, asks for and returns the exit status.
pub fn run(args: impl IntoIterator<Item = OsString>) -> Result<u8, Failure> {
    let launched = Instant::now();
    match cli::parse(args).map_err(|error| Failure {
        status: USAGE,
        error,
    })? {
        Request::Trace(config) => session::run(*config, launched),
        Request::Print(text) => printed(
            io::stdout()
                .lock()
                .write_all(text.as_bytes())
                .map(|()| true),
        ),
        Request::Collapsed(recording) => {
            let stacks = stacks(&recording)?;
            let mut out = BufWriter::new(io::stdout().lock());
            printed(
                stacks
                    .write(&mut out)
                    .and_then(|()| out.flush())
                    .map(|()| true),
            )
        }
        Request::Flamegraph {
            recording,
            output,
            title,
        } => {
            let caption = Caption::new(title, &recording.wanted);
            let drawn = flamegraph::write(&stacks(&recording)?, &caption, &output);
            drawn
                .or_else(session::unless_closed)
                .map(|()| 0)
                .map_err(failed)
        }
        Request::Doctor(form) => printed(doctor::print(
            &ior_bpf::doctor::examine(),
            form,
            &mut io::stdout().lock(),
        )),
        Request::Syscalls { all, form } => {
            printed(syscalls_list::print(all, form, &mut io::stdout().lock()).map(|()| true))
        }
    }
}

fn failed(error: Error) -> Failure {
    Failure { status: 1, error }
}

/// The stacks of a recording. Says so if it is incomplete.
fn stacks(recording: &Recording) -> Result<Stacks, Failure> {
    let mut stacks = Stacks::new(&recording.wanted);
    let read = recorded::read(&recording.path, &recording.wanted, &mut |calls| {
        stacks.add(calls);
    });
    if read.map_err(failed)? == Completeness::Incomplete {
        let path = escape::terminal(recording.path.as_os_str().as_encoded_bytes()).into_owned();
        let _ = writeln!(
            io::stderr(),
            "ior: warning: {path} is incomplete: calls or names were lost when it was recorded"
        );
    }
    Ok(stacks)
}

/// The exit status of something printed that says whether all is well. Whoever closed the pipe has read enough.
fn printed(outcome: io::Result<bool>) -> Result<u8, Failure> {
    match outcome.and_then(|well| io::stdout().flush().map(|()| well)) {
        Ok(true) => Ok(0),
        Ok(false) => Ok(1),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(0),
        Err(error) => Err(Failure {
            status: 1,
            error: Error::new(error).context("cannot write standard output"),
        }),
    }
}
