//! The three questions of the tutorial, answered with the keys it names, six at most, on processes that really do these things.

use std::path::Path;
use std::process::Command;

use e2e::harness::process::Running;
use e2e::harness::recorder::Programs;
use e2e::harness::scratch::Scratch;
use e2e::harness::terminal::Terminal;
use e2e::harness::{Result, check};

use super::{COLUMNS, ENTER, ROWS, only_file};
use crate::recordings::reader::Parquet;

/// What the processes do once the byte has come: one writes much, one syncs a large file, some look for files that are not there.
const WORK: &str = "
head -c1 >/dev/null
head -c 3000000 /dev/zero | dd of=little bs=64k status=none
dd if=/dev/zero of=much bs=64k count=200 status=none
for i in 1 2 3 4 5 6 7 8 9 10; do
    dd if=/dev/zero of=quick bs=1 count=1 conv=fsync status=none
done
dd if=/dev/zero of=slow bs=1M count=24 conv=fsync status=none
dd if=/dev/zero of=quick bs=1 count=1 conv=fsync status=none
for i in 1 2 3; do cat absent-1 absent-2 2>/dev/null; done
i=0; while [ $i -lt 40 ]; do cat absent-often absent-often absent-often 2>/dev/null; i=$((i+1)); done
echo done
head -c1 >/dev/null
";

/// The dashboard of a shell and what it starts, which have done their work; all of it is recorded.
struct Worked {
    screen: Terminal,
    shell: Running,
    scratch: Scratch,
}

impl Worked {
    fn start(programs: &Programs) -> Result<Worked> {
        let scratch = Scratch::new()?;
        let dir = scratch.dir("work")?;
        let mut shell = Command::new("sh");
        // Nothing else is looked for that is not there: no locale, and no library where cargo says that some are. A filter
        // begins with the last 10,000 rows.
        shell
            .args(["-c", WORK])
            .current_dir(&dir)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("LC_ALL", "C");
        let mut shell = Running::start(&mut shell)?;
        let mut ior = programs.ior(["-f", "-p", &shell.id().to_string()]);
        ior.current_dir(scratch.path());
        let mut screen = Terminal::start(&ior, ROWS, COLUMNS)?;
        screen.wait("the trace", |screen| {
            screen.contains("calls/s") && !screen.contains("attaching")
        })?;
        screen.press_for("R", "rec: ")?;
        shell.let_go()?;
        shell.wait_for(e2e::harness::process::Stream::Out, "done")?;
        screen.press_for("R", "recorded ")?;
        Ok(Worked {
            screen,
            shell,
            scratch,
        })
    }

    /// Presses keys, six at most; the first line of the table that is ordered as its header says must be about `what`.
    fn ask(&mut self, keys: &[&str], header: &str, what: &str) -> Result<()> {
        check(keys.len() <= 6, || format!("{} keys", keys.len()))?;
        for key in keys {
            self.screen.press(key)?;
        }
        let is_answered = |screen: &str| {
            let mut lines = screen.lines().skip_while(|line| !line.contains(header));
            let words = lines.nth(1).unwrap_or_default().split_whitespace();
            words
                .into_iter()
                .any(|word| word == what || Path::new(word).ends_with(what))
        };
        self.screen
            .wait(
                &format!("{what} in the first line under {header}"),
                is_answered,
            )
            .map(drop)
    }

    /// The rows of the recording as (syscall, file, number).
    fn largest(
        &self,
        of: impl Fn(&serde_json::Map<String, serde_json::Value>) -> Option<(String, u64)>,
        by: fn(u64, u64) -> u64,
    ) -> Result<String> {
        let mut sums = std::collections::BTreeMap::<String, u64>::new();
        Parquet::open(&only_file(self.scratch.path(), "parquet")?)?.visit(|row| {
            if let Some((key, number)) = of(&row) {
                let sum = sums.entry(key).or_default();
                *sum = by(*sum, number);
            }
            Ok(())
        })?;
        let most = sums.into_iter().max_by_key(|(_, number)| *number);
        most.map(|(key, _)| key)
            .ok_or_else(|| "nothing of the kind was recorded".to_owned())
    }

    fn end(mut self) -> Result<()> {
        self.shell.end_input();
        self.screen.press("q")?;
        self.screen.end().map(drop)
    }
}

/// Which process writes most?
pub fn writes_most(programs: &Programs) -> Result<()> {
    let mut worked = Worked::start(programs)?;
    let pid = worked.largest(
        |row| {
            let is_write = row["syscall"] == "write";
            is_write.then(|| Some((row["pid"].to_string(), row["bytes"].as_u64()?)))?
        },
        |sum, number| sum + number,
    )?;
    worked.ask(&["5", "b", "b"], "Written▼", &pid)?;
    worked.end()
}

/// Which file has the most failed opens?
pub fn most_failed_opens(programs: &Programs) -> Result<()> {
    let mut worked = Worked::start(programs)?;
    let file = worked.largest(
        |row| {
            let failed = row["syscall"] == "openat" && row["is_error"] == true;
            failed.then(|| Some((row["file"].as_str()?.to_owned(), 1)))?
        },
        |sum, number| sum + number,
    )?;
    check(file.ends_with("/absent-often"), || file.clone())?;
    worked.ask(&["3", "b", "j", ENTER, "4"], "Errors▼", "absent-often")?;
    worked.end()
}

/// Which fsync was slowest, and on which file?
pub fn slowest_fsync(programs: &Programs) -> Result<()> {
    let mut worked = Worked::start(programs)?;
    let file = worked.largest(
        |row| {
            let is_it = row["syscall"] == "fsync";
            is_it.then(|| {
                Some((
                    row["file"].as_str()?.to_owned(),
                    row["latency_ns"].as_u64()?,
                ))
            })?
        },
        u64::max,
    )?;
    let name = file.rsplit('/').next().unwrap_or_default();
    worked.ask(&["3", "b", "b", "j", ENTER, "4"], "Max▼", name)?;
    worked.end()
}
