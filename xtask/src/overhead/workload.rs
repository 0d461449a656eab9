//! The measured loop, and a sleeping process for tracing something else.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::process::{self, Guard};
use crate::workspace;

/// The compiled loop and the bystander.
pub struct Workload {
    binary: PathBuf,
    bystander: Guard,
}

/// A loop that waits to be told to go.
pub struct Running {
    child: Guard,
}

impl Workload {
    /// Compiles the loop and starts the bystander.
    pub fn build() -> Result<Workload> {
        let binary = workspace::target_dir()?.join("overhead-loop");
        process::run(
            Command::new("cc")
                .args(["-O2", "-Wall", "-o"])
                .arg(&binary)
                .arg(workspace::root()?.join("xtask/loop.c")),
        )?;
        let bystander = Command::new("sleep").arg("1000").spawn();
        Ok(Workload {
            binary,
            bystander: Guard(bystander.context("cannot run sleep")?),
        })
    }

    /// The pid of a process that sleeps all the while.
    pub fn bystander(&self) -> u32 {
        self.bystander.0.id()
    }

    /// Starts the loop; it waits for [`Running::go`].
    pub fn start(&self, pairs: u64) -> Result<Running> {
        let child = Command::new(&self.binary)
            .arg(pairs.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run the loop")?;
        Ok(Running {
            child: Guard(child),
        })
    }
}

impl Running {
    /// The loop's pid.
    pub fn pid(&self) -> u32 {
        self.child.0.id()
    }

    /// Lets the loop run to its end; nanoseconds per call.
    pub fn go(mut self) -> Result<f64> {
        let child = &mut self.child.0;
        child
            .stdin
            .take()
            .context("the loop has no input")?
            .write_all(b"g")?;
        let mut answer = String::new();
        child
            .stdout
            .take()
            .context("the loop has no output")?
            .read_to_string(&mut answer)?;
        answer
            .trim()
            .parse()
            .with_context(|| format!("the loop printed `{answer}`"))
    }
}
