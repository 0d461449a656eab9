//! One boot: the emulator, its console, and an end to it if nothing comes any more.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::fetch::Kernel;
use super::outcome::Outcome;
use crate::process::Guard;

/// A suite that says nothing for so long hangs: no single check takes a quarter of it, also beside other work. What the
/// kernel says meanwhile is no sign of life.
const SILENCE: Duration = Duration::from_secs(300);

/// Boots the kernel, runs the suite, and keeps the console in `log`. A machine that hangs is a failed suite.
pub fn run(kernel: &Kernel, image: &Path, initramfs: &Path, log: &Path) -> Result<Outcome> {
    let command_line = format!(
        "console=ttyS0 quiet loglevel=4 panic=-1 softlockup_panic=1 {}",
        kernel.options
    );
    let mut child = Command::new("qemu-system-x86_64")
        // Emulated, not virtualised: the same wherever it runs, also inside a virtual machine. In one thread: with one a
        // CPU, QEMU 7.2 now and then goes on with a breakpoint that the kernel has long taken away from a tracepoint's
        // jump, and both CPUs hang in syscall_trace_enter.
        .args([
            "-accel",
            "tcg,thread=single",
            "-cpu",
            "max",
            "-smp",
            "2",
            "-m",
            "2048",
        ])
        .args([
            "-no-reboot",
            "-display",
            "none",
            "-monitor",
            "none",
            "-nic",
            "none",
        ])
        .args(["-serial", "stdio", "-append", &command_line])
        .arg("-kernel")
        .arg(image)
        .arg("-initrd")
        .arg(initramfs)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run qemu-system-x86_64")?;
    let console = child.stdout.take().context("no console")?;
    let machine = Guard(child);
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(console).split(b'\n').map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    let mut log = File::create(log).with_context(|| log.display().to_string())?;
    let (begun, mut outcome) = (Instant::now(), Outcome::default());
    let mut heard = begun;
    loop {
        match lines.recv_timeout(SILENCE.saturating_sub(heard.elapsed())) {
            Ok(line) => {
                let line = String::from_utf8_lossy(&line).into_owned();
                writeln!(log, "{}", line.trim_end())?;
                if line.contains("@@") {
                    heard = Instant::now();
                }
                if line.contains("@@ check") {
                    let (name, seconds) = (kernel.name, begun.elapsed().as_secs());
                    eprintln!("{seconds:5} s {name}: {}", line.trim());
                }
                outcome.take(&line);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                let why = format!("silent for {} s", SILENCE.as_secs());
                outcome.checks.push(("boot".to_owned(), Err(why)));
                break;
            }
        }
    }
    drop(machine);
    outcome
        .facts
        .insert("seconds".to_owned(), begun.elapsed().as_secs().to_string());
    Ok(outcome)
}
