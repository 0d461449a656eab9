//! Running other programs: shown before they run, checked afterwards, found in `PATH`, interrupted by pid.

use std::env;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::workspace;

/// A cargo command that runs in the workspace.
pub fn cargo() -> Result<Command> {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(workspace::root()?);
    Ok(command)
}

/// Builds the `ior` binary, optimised, and returns its path.
pub fn build_ior() -> Result<PathBuf> {
    run(cargo()?.args(["build", "--release", "--package", "ior", "--bin", "ior"]))?;
    workspace::release_binary("ior")
}

/// Shows the command, runs it, and fails unless it succeeds.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = shown(command);
    eprintln!("+ {shown}");
    let status = command
        .status()
        .with_context(|| format!("cannot run {shown}"))?;
    if !status.success() {
        bail!("{shown}: {status}");
    }
    Ok(())
}

/// Runs the command without showing it; its standard output, in the C locale. Fails unless it succeeds.
pub fn output(command: &mut Command) -> Result<String> {
    let shown = shown(command);
    let output = command
        .env("LC_ALL", "C")
        .output()
        .with_context(|| format!("cannot run {shown}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{shown}: {}: {}", output.status, said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The command line, for people.
pub fn shown(command: &Command) -> String {
    let program = command.get_program().to_string_lossy();
    let mut shown = program.rsplit('/').next().unwrap_or(&program).to_owned();
    for arg in command.get_args() {
        shown.push(' ');
        shown.push_str(&arg.to_string_lossy());
    }
    shown
}

/// The executable of that name in `PATH`.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| {
            fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
        })
}

/// Whether this process has root's rights.
pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0)
}

/// A child that is killed and waited for when dropped.
pub struct Guard(pub Child);

impl Guard {
    /// Sends SIGINT, unless it has ended already.
    pub fn interrupt(&mut self) -> Result<()> {
        if self.0.try_wait()?.is_none() {
            let pid = self.0.id().to_string();
            // The shell's own `kill`: the program is not on every system. Not waited for yet, so the pid is still ours.
            Command::new("sh")
                .args(["-c", "kill -INT \"$0\"", &pid])
                .stderr(Stdio::null())
                .status()
                .context("cannot run sh")?;
        }
        Ok(())
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Fails only where it has ended already, which is what is wanted.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
