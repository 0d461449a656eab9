//! The end-of-run statistics on standard error: the account of every call, and what the trace itself cost.
//!
//! The first two lines have a fixed shape, `key value` parts between commas, for scripts to read.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::Duration;

use ior_bpf::InFlight;
use ior_core::units::{Bytes, Nanos};
use ior_core::{Loss, escape};

/// In-flight calls listed one by one.
const LISTED: usize = 10;

/// What became of the calls of one run.
#[derive(Debug)]
pub struct Statistics {
    /// From attached to detached.
    pub elapsed: Duration,
    /// When that began, nanoseconds of `CLOCK_BOOTTIME`; `None` unknown.
    pub began_ns: Option<u64>,
    /// Calls in scope by the kernel's own count.
    pub calls: u64,
    /// Rows were made (not only totals).
    pub made_rows: bool,
    /// Rows that passed the filter and went to the outputs.
    pub rows: u64,
    /// Rows that did not pass the filter.
    pub filtered: u64,
    /// Rows no output took because it had failed or was closed.
    pub shed: u64,
    /// What did not become a row.
    pub loss: Loss,
    /// Calls that had not returned at the end; `None` unknown.
    pub in_flight: Option<Vec<InFlight>>,
    /// Files forgotten to stay within bounds.
    pub evicted_files: u64,
    /// What ior itself used.
    pub usage: Usage,
}

/// What ior itself used; `None` unknown.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// User and system time.
    pub cpu: Option<Duration>,
    /// Largest resident set, bytes.
    pub memory: Option<u64>,
}

impl Statistics {
    /// Writes all of it.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let loss = &self.loss;
        writeln!(
            out,
            "ior: {:.3} s, calls {}, rows {}, filtered {}, lost {}, not seen {}, unpaired {}, partial names {}, in flight {}",
            self.elapsed.as_secs_f64(),
            self.calls,
            self.rows,
            self.filtered,
            self.lost(),
            known(loss.not_seen),
            loss.unpaired,
            loss.partial_names,
            known(self.in_flight.as_ref().map(Vec::len)),
        )?;
        writeln!(
            out,
            "ior: {:.0} calls/s, cpu {}, memory {}",
            self.calls as f64 / self.elapsed.as_secs_f64().max(1e-9),
            known(
                self.usage
                    .cpu
                    .map(|cpu| format!("{:.2} s", cpu.as_secs_f64()))
            ),
            known(self.usage.memory.map(Bytes)),
        )?;
        self.write_losses(out)?;
        if self.loss.answered > 0 {
            writeln!(
                out,
                "ior: answered by a seccomp filter or a tracer without being run: {}",
                self.loss.answered
            )?;
        }
        self.write_in_flight(out)
    }

    /// Writes what is wrong, if anything is: what must be said even when nothing else is wanted.
    pub fn write_losses(&self, out: &mut dyn Write) -> io::Result<()> {
        let loss = &self.loss;
        if loss.rows > 0 {
            write!(
                out,
                "ior: {} rows did not fit into the ring buffer",
                loss.rows
            )?;
            if let Some(began) = self.began_ns {
                let after = |time: u64| time.saturating_sub(began) as f64 / 1e9;
                write!(
                    out,
                    ", from {:.3} s to {:.3} s after the start",
                    after(loss.first_ns),
                    after(loss.last_ns)
                )?;
            }
            writeln!(
                out,
                ": use a larger --buffer-size or trace less (the totals are exact)"
            )?;
        }
        for (count, what) in [
            (
                self.shed,
                "rows were shed: their output had failed or was closed",
            ),
            (
                loss.not_seen.unwrap_or(0),
                "calls were not seen: the kernel skipped the programs' runs",
            ),
            (loss.undecodable, "records could not be decoded"),
            (
                loss.definitions,
                "definitions did not fit into their ring buffer and were sent again at the next use",
            ),
            (
                self.evicted_files,
                "files were forgotten to bound memory and named again at their next use",
            ),
        ] {
            if count > 0 {
                writeln!(out, "ior: {count} {what}")?;
            }
        }
        let unaccounted = self.unaccounted();
        if unaccounted != 0 {
            writeln!(
                out,
                "ior: BUG: calls are not rows + filtered + lost: unaccounted {unaccounted}; please report it"
            )?;
        }
        Ok(())
    }

    fn write_in_flight(&self, out: &mut dyn Write) -> io::Result<()> {
        let calls = self.in_flight.as_deref().unwrap_or_default();
        for call in calls.iter().take(LISTED) {
            writeln!(
                out,
                "ior: in flight: {} (pid {}, tid {}) {} {} for {}",
                escape::terminal(&call.comm),
                call.pid,
                call.tid,
                call.syscall.name,
                if call.file.is_empty() {
                    "-".into()
                } else {
                    escape::terminal(&call.file)
                },
                Nanos(call.age_ns),
            )?;
        }
        match calls.len().checked_sub(LISTED) {
            None | Some(0) => Ok(()),
            Some(more) => writeln!(out, "ior: in flight: and {more} more"),
        }
    }

    /// Calls that were counted, were wanted as rows and did not become any.
    fn lost(&self) -> u64 {
        self.loss.rows + self.shed
    }

    /// Calls less rows, filtered and lost: 0, or something is wrong with ior.
    fn unaccounted(&self) -> i128 {
        if !self.made_rows {
            return 0;
        }
        let accounted = i128::from(self.rows) + i128::from(self.filtered) + i128::from(self.lost());
        let unaccounted = i128::from(self.calls) - accounted;
        // A record that could not be decoded may have been a row or a definition.
        let explained = (0..=i128::from(self.loss.undecodable)).contains(&unaccounted);
        if explained { 0 } else { unaccounted }
    }
}

fn known(value: Option<impl Display>) -> String {
    value.map_or_else(|| "unknown".into(), |value| value.to_string())
}

impl Usage {
    /// Of this process so far.
    pub fn now() -> Usage {
        Usage {
            cpu: std::fs::read("/proc/self/stat")
                .ok()
                .and_then(|stat| cpu(&stat)),
            memory: std::fs::read_to_string("/proc/self/status")
                .ok()
                .and_then(|status| memory(&status)),
        }
    }
}

/// utime and stime of proc_pid_stat(5), in ticks of USER_HZ, which is 100 on x86 and ARM.
fn cpu(stat: &[u8]) -> Option<Duration> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = std::str::from_utf8(&stat[end + 1..])
        .ok()?
        .split_ascii_whitespace()
        .skip(11);
    let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some(Duration::from_millis(10 * (user + system)))
}

/// The high-water mark of the resident set, proc_pid_status(5).
fn memory(status: &str) -> Option<u64> {
    let kib = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?
        .trim()
        .strip_suffix(" kB")?;
    Some(kib.parse::<u64>().ok()? << 10)
}

/// `CLOCK_BOOTTIME` to a hundredth of a second (proc_uptime(5)).
pub fn boottime_ns() -> Option<u64> {
    let uptime = std::fs::read_to_string("/proc/uptime").ok()?;
    ior_core::units::parse_duration(uptime.split(' ').next()?).ok()
}

#[cfg(test)]
mod tests {
    use ior_core::syscall::by_name;

    use super::*;

    fn statistics() -> Statistics {
        Statistics {
            elapsed: Duration::from_millis(2003),
            began_ns: Some(5_000_000_000),
            calls: 1_000_000,
            made_rows: true,
            rows: 1_000_000,
            filtered: 0,
            shed: 0,
            loss: Loss {
                not_seen: Some(0),
                ..Loss::default()
            },
            in_flight: Some(Vec::new()),
            evicted_files: 0,
            usage: Usage {
                cpu: Some(Duration::from_millis(310)),
                memory: Some(48 << 20),
            },
        }
    }

    fn text(statistics: &Statistics) -> String {
        let mut out = Vec::new();
        statistics.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_run_without_loss_takes_two_lines() {
        insta::assert_snapshot!(text(&statistics()), @r"
        ior: 2.003 s, calls 1000000, rows 1000000, filtered 0, lost 0, not seen 0, unpaired 0, partial names 0, in flight 0
        ior: 499251 calls/s, cpu 0.31 s, memory 48.0 MiB
        ");
    }

    #[test]
    fn every_loss_is_said_and_unknown_is_not_zero() {
        let call = |tid| InFlight {
            tid,
            pid: 41,
            comm: b"sh\x1b".to_vec(),
            syscall: by_name("read").unwrap(),
            file: if tid == 42 {
                b"/dev/tty\n".to_vec()
            } else {
                Vec::new()
            },
            age_ns: 3_200_000_000,
        };
        let statistics = Statistics {
            rows: 900_000,
            filtered: 99_000,
            shed: 3,
            loss: Loss {
                rows: 990,
                first_ns: 5_520_000_000,
                last_ns: 6_310_000_000,
                not_seen: None,
                answered: 2,
                ..Loss::default()
            },
            in_flight: Some((42..53).map(call).collect()),
            usage: Usage::default(),
            ..statistics()
        };
        let text = text(&statistics);
        let lines: Vec<_> = text.lines().collect();
        insta::assert_snapshot!(lines[..7].join("\n"), @r"
        ior: 2.003 s, calls 1000000, rows 900000, filtered 99000, lost 993, not seen unknown, unpaired 0, partial names 0, in flight 11
        ior: 499251 calls/s, cpu unknown, memory unknown
        ior: 990 rows did not fit into the ring buffer, from 0.520 s to 1.310 s after the start: use a larger --buffer-size or trace less (the totals are exact)
        ior: 3 rows were shed: their output had failed or was closed
        ior: BUG: calls are not rows + filtered + lost: unaccounted 7; please report it
        ior: answered by a seccomp filter or a tracer without being run: 2
        ior: in flight: sh\x1b (pid 41, tid 42) read /dev/tty\n for 3.2 s
        ");
        assert_eq!(lines[7..].len(), 10);
        assert_eq!(lines[16], "ior: in flight: and 1 more");
    }

    #[test]
    fn totals_alone_have_no_rows_to_account_for() {
        assert_eq!(
            Statistics {
                made_rows: false,
                rows: 0,
                ..statistics()
            }
            .unaccounted(),
            0
        );
        assert_eq!(
            Statistics {
                rows: 1_000_001,
                ..statistics()
            }
            .unaccounted(),
            -1
        );
    }

    #[test]
    fn our_own_usage_is_known() {
        let usage = Usage::now();
        assert!(usage.cpu.is_some());
        assert!(usage.memory.is_some_and(|bytes| bytes > 1 << 20));
        assert!(boottime_ns().is_some_and(|now| now > 0));
        assert_eq!(
            cpu(b"1 (a) b) R 1 1 1 0 -1 0 0 0 0 0 12 3 0 0"),
            Some(Duration::from_millis(150))
        );
    }
}
