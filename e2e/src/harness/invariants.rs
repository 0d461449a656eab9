//! What holds for every list of rows, whatever was traced.

use std::collections::HashMap;

use super::rows::{Row, decode, shown};
use super::{Result, check};

const RESTART_CODES: [i64; 4] = [-512, -513, -514, -516];

/// Previous row of a thread: enough to check the gap of the next.
enum Last {
    Exit(u64),
    /// The thread's exit is not in its rows (an exec took the id over).
    Unknown,
}

/// Checks row after row.
#[derive(Default)]
pub struct Checker {
    seq: u64,
    threads: HashMap<u32, Last>,
    entered: HashMap<u32, u64>,
    /// Number of rows whose name is partial.
    pub partial: u64,
}

impl Checker {
    /// The next row. `complete`: nothing was lost, so that gaps can be recomputed from the rows.
    ///
    /// # Errors
    /// The first rule the row breaks.
    pub fn row(&mut self, row: &Row, complete: Completeness) -> Result<()> {
        let broken = |rule: &str| format!("{rule}: {row:?}");
        self.seq += 1;
        check(row.seq == self.seq, || broken("seq counts the rows"))?;
        let error = (-4095..0).contains(&row.ret) && !RESTART_CODES.contains(&row.ret);
        check(row.is_error == error, || {
            broken("is_error follows from ret")
        })?;
        check(row.filter_epoch == 0, || broken("no filter was changed"))?;
        check(row.time.as_deref().is_none_or(is_rfc3339), || {
            broken("time is RFC 3339 in UTC")
        })?;
        let abi = row.abi.as_deref();
        let known = [std::env::consts::ARCH, "ia32"];
        check(abi.is_none_or(|abi| known.contains(&abi)), || {
            broken("a calling convention of this machine")
        })?;
        check_names(row).map_err(|rule| broken(&rule))?;
        let before = self.entered.insert(row.tid, row.time_ns);
        check(before.is_none_or(|before| before <= row.time_ns), || {
            broken("rows of a thread are in the order of their enters")
        })?;
        if let Completeness::Complete = complete {
            self.gap(row).map_err(|rule| broken(&rule))?;
        }
        self.partial += u64::from(row.name_source.as_deref() == Some("partial"));
        Ok(())
    }

    fn gap(&mut self, row: &Row) -> Result<()> {
        let never_returns = matches!(row.syscall.as_str(), "exit" | "exit_group");
        match self.threads.get(&row.tid) {
            None => check(row.gap_ns == 0, || {
                "a thread's first row has no gap".to_owned()
            })?,
            Some(Last::Unknown) => {}
            Some(Last::Exit(exit)) => {
                let gap = row.time_ns.checked_sub(*exit);
                check(gap == Some(row.gap_ns), || {
                    format!("the gap should be {gap:?}")
                })?;
            }
        }
        if never_returns {
            check(row.latency_ns == 0, || {
                "a call that never returns has no latency".to_owned()
            })?;
            self.threads.remove(&row.tid);
            self.entered.remove(&row.tid);
        } else {
            self.threads
                .insert(row.tid, Last::Exit(row.time_ns + row.latency_ns));
        }
        let replaced = matches!(row.syscall.as_str(), "execve" | "execveat") && row.ret == 0;
        if replaced && row.tid != row.pid {
            self.threads.insert(row.pid, Last::Unknown);
        }
        Ok(())
    }
}

/// Whether a run lost anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completeness {
    /// Nothing was lost.
    Complete,
    /// Rows may be missing.
    Lossy,
}

fn check_names(row: &Row) -> Result<()> {
    let source = row.name_source.as_deref().unwrap_or_default();
    match source {
        "" => check(row.file.is_empty(), || "a name has a source".to_owned())?,
        "kernel" => check(!row.file.is_empty(), || "a source has a name".to_owned())?,
        "argument" | "partial" => {}
        _ => return Err("unknown name_source".to_owned()),
    }
    for (text, raw) in [
        (Some(&row.file), &row.file_raw),
        (row.old_file.as_ref(), &row.old_file_raw),
    ] {
        let Some(raw) = raw else { continue };
        let bytes = decode(raw).ok_or("raw names are base64")?;
        let text = text.map(String::as_str).unwrap_or_default();
        check(shown(&bytes) == text, || {
            "a raw name is the shown one".to_owned()
        })?;
        check(std::str::from_utf8(&bytes).is_err(), || {
            "only odd names are raw".to_owned()
        })?;
    }
    Ok(())
}

fn is_rfc3339(time: &str) -> bool {
    let pattern = "0000-00-00T00:00:00.000000000Z";
    time.len() == pattern.len()
        && time
            .bytes()
            .zip(pattern.bytes())
            .all(|(byte, expected)| match expected {
                b'0' => byte.is_ascii_digit(),
                other => byte == other,
            })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(seq: u64, time_ns: u64, gap_ns: u64) -> Row {
        Row {
            seq,
            time_ns,
            gap_ns,
            latency_ns: 5,
            pid: 1,
            tid: 1,
            ..Row::default()
        }
    }

    #[test]
    fn gaps_are_recomputed() {
        let mut checker = Checker::default();
        assert_eq!(checker.row(&row(1, 100, 0), Completeness::Complete), Ok(()));
        assert_eq!(checker.row(&row(2, 110, 5), Completeness::Complete), Ok(()));
        assert!(
            checker
                .row(&row(3, 120, 9), Completeness::Complete)
                .is_err()
        );
    }

    #[test]
    fn a_missing_row_is_noticed() {
        let mut checker = Checker::default();
        assert!(
            checker
                .row(&row(2, 100, 0), Completeness::Complete)
                .is_err()
        );
    }

    #[test]
    fn times_have_nanoseconds_and_a_zone() {
        assert!(is_rfc3339("2026-01-02T03:04:05.123456789Z"));
        assert!(!is_rfc3339("2026-01-02T03:04:05.123Z"));
    }
}
