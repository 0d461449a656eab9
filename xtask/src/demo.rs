//! `demo`: builds `ior` and shows it at work on a small job: first its rows, then its summary.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::{process, setup};

/// Rows shown of the first run.
const ROWS: usize = 25;

/// Writes, copies, archives, asks for a file that is not there, and removes it all.
const JOB: &str = r#"
set -e
dir=$(mktemp -d)
cd "$dir"
echo 'first line' > notes.txt
cat notes.txt notes.txt > twice.txt
cp twice.txt copy.txt
stat missing.txt 2> /dev/null || true
tar -cf all.tar notes.txt twice.txt copy.txt
mv all.tar done.tar
rm -r "$dir"
"#;

/// Runs `demo`.
pub fn run(args: &[String]) -> Result<()> {
    if !args.is_empty() {
        bail!("usage: cargo xtask demo");
    }
    if !process::is_root() && process::find("sudo").is_none() {
        bail!("tracing needs root, and sudo is not here: run `cargo xtask demo` as root");
    }
    setup::ensure()?;
    let ior = process::build_ior()?;
    println!("\n# ior --plain -- sh -c '…'    (the first {ROWS} rows)\n");
    show_rows(&ior)?;
    println!("\n# ior -- sh -c '…'    (no output option: the summary)\n");
    let status = as_root(&ior).args(["--", "sh", "-c", JOB]).status()?;
    if !status.success() {
        bail!("ior: {status}");
    }
    Ok(())
}

fn show_rows(ior: &Path) -> Result<()> {
    let mut child = as_root(ior)
        .args(["--plain", "--", "sh", "-c", JOB])
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run ior")?;
    let rows = child.stdout.take().context("ior has no output")?;
    let mut count = 0;
    // Names are bytes, so lines are too. A name with a newline would be two lines here; the job has none.
    for row in BufReader::new(rows).split(b'\n') {
        let row = row?;
        if count <= ROWS {
            println!("{}", String::from_utf8_lossy(&row));
        }
        count += 1;
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("ior: {status}");
    }
    println!("… {} more rows", count.saturating_sub(ROWS + 1));
    Ok(())
}

/// `ior` as root: directly, or through sudo.
fn as_root(ior: &Path) -> Command {
    if process::is_root() {
        return Command::new(ior);
    }
    let mut command = Command::new("sudo");
    command.arg("--").arg(ior);
    command
}
