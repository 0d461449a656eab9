//! What a running `ior` holds, from `/proc`, and whether it grows.

use std::fs;

use anyhow::{Context, Result, ensure};

/// Memory may differ so much between the middle and the last third of a run: tables are filled by then, and the
/// allocator still moves. KiB, besides a twentieth.
const SLACK: u64 = 4096;

/// One look.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sample {
    /// Resident memory, KiB.
    resident: u64,
    /// Open descriptors.
    descriptors: usize,
    /// Threads.
    threads: u64,
    /// Memory of its BPF maps, bytes.
    maps: u64,
}

impl Sample {
    /// Names the columns of [`Sample::line`].
    pub const HEADER: &str = "seconds  resident KiB  descriptors  threads  map bytes";

    /// Looks at a process.
    pub fn of(pid: u32) -> Result<Sample> {
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let (mut descriptors, mut maps) = (0, 0);
        for entry in fs::read_dir(format!("/proc/{pid}/fdinfo"))? {
            descriptors += 1;
            // A descriptor may be closed in this moment.
            let info = fs::read_to_string(entry?.path()).unwrap_or_default();
            if number(&info, "map_type:").is_some() {
                maps += number(&info, "memlock:").unwrap_or(0);
            }
        }
        Ok(Sample {
            resident: number(&status, "VmRSS:").context("no VmRSS")?,
            descriptors,
            threads: number(&status, "Threads:").context("no Threads")?,
            maps,
        })
    }

    /// As a line of the log.
    pub fn line(&self, seconds: u64) -> String {
        format!(
            "{seconds:7}  {:12}  {:11}  {:7}  {:9}",
            self.resident, self.descriptors, self.threads, self.maps
        )
    }
}

/// The number after a word that begins a line.
fn number(text: &str, word: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(word))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Something a sample counts: its name, the number, and what it may grow by.
type Held = (&'static str, fn(&Sample) -> u64, u64);

const HELD: [Held; 4] = [
    ("descriptors", |sample| sample.descriptors as u64, 0),
    ("threads", |sample| sample.threads, 0),
    ("map bytes", |sample| sample.maps, 0),
    ("resident KiB", |sample| sample.resident, SLACK),
];

/// Fails if the last third of a run holds more than the middle one.
pub fn check_growth(samples: &[Sample]) -> Result<()> {
    let third = samples.len() / 3;
    ensure!(third >= 2, "too few samples: {}", samples.len());
    let (before, last) = samples[third..].split_at(samples.len() - 2 * third);
    let most =
        |samples: &[Sample], of: fn(&Sample) -> u64| samples.iter().map(of).max().unwrap_or(0);
    for (name, of, slack) in HELD {
        let (before, last) = (most(before, of), most(last, of));
        let allowed = if slack == 0 {
            before
        } else {
            before + before / 20 + slack
        };
        ensure!(last <= allowed, "{name} grew from {before} to {last}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(resident: u64, descriptors: usize) -> Sample {
        Sample {
            resident,
            descriptors,
            threads: 2,
            maps: 1 << 20,
        }
    }

    #[test]
    fn a_process_is_looked_at() {
        let sample = Sample::of(std::process::id()).unwrap();
        assert!(sample.resident > 0 && sample.descriptors > 2 && sample.threads > 0);
    }

    #[test]
    fn growth_is_found_after_the_first_third() {
        let filled: Vec<Sample> = [1000, 90_000, 99_000, 100_000, 101_000, 100_500]
            .map(|resident| sample(resident, 20))
            .to_vec();
        check_growth(&filled).unwrap();
        let grows: Vec<Sample> = (1..7).map(|n| sample(n * 50_000, 20)).collect();
        assert!(check_growth(&grows).is_err());
        let leaks: Vec<Sample> = (1..7).map(|n| sample(100_000, n)).collect();
        assert!(check_growth(&leaks).is_err());
        assert!(check_growth(&filled[..3]).is_err());
    }
}
