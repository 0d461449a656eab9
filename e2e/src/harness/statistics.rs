//! The end-of-run statistics on ior's standard error, found by key whatever surrounds them.

use super::{Result, check};

/// The counters of one session; none: not printed, or printed as unknown.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Statistics {
    /// Calls in scope.
    pub calls: Option<u64>,
    /// Rows emitted.
    pub rows: Option<u64>,
    /// Rows a filter took out.
    pub filtered: Option<u64>,
    /// Rows lost.
    pub lost: Option<u64>,
    /// Calls the kernel did not show to a program.
    pub not_seen: Option<u64>,
    /// Exits without an enter, or the other way round.
    pub unpaired: Option<u64>,
    /// Names that were cut or unreadable.
    pub partial_names: Option<u64>,
}

impl Statistics {
    /// Reads the counters from everything ior said.
    pub fn parse(text: &str) -> Statistics {
        let number = |key| number_after(text, key);
        Statistics {
            calls: number("calls"),
            rows: number("rows"),
            filtered: number("filtered"),
            lost: number("lost"),
            not_seen: number("not seen"),
            unpaired: number("unpaired"),
            partial_names: number("partial names"),
        }
    }

    /// Rows and calls that are counted as missing.
    ///
    /// # Errors
    /// One of the counters is not known.
    pub fn losses(&self) -> Result<u64> {
        let (lost, not_seen) = self.lost.zip(self.not_seen).ok_or("losses are unknown")?;
        Ok(lost + not_seen)
    }

    /// Calls in scope = rows + filtered + lost + not seen, and the rows are those in the file.
    ///
    /// # Errors
    /// The sum is wrong, or a counter is not known.
    pub fn check_sum(&self, rows_in_file: u64) -> Result<()> {
        let sum = [self.rows, self.filtered, self.lost, self.not_seen]
            .into_iter()
            .try_fold(0u64, |sum, part| Some(sum + part?));
        check(sum.is_some() && sum == self.calls, || {
            format!("calls are not rows + filtered + lost + not seen: {self:?}")
        })?;
        check(self.rows == Some(rows_in_file), || {
            format!("{rows_in_file} rows in the file, statistics say {self:?}")
        })
    }

    /// Nothing lost, not seen or unpaired.
    ///
    /// # Errors
    /// Something was, or is not known.
    pub fn check_complete(&self) -> Result<()> {
        let complete = self.lost == Some(0) && self.not_seen == Some(0);
        check(complete, || format!("not complete: {self:?}"))
    }
}

/// The last number that follows `key`, as in `lost 0`, `lost: 1,000` or `lost = 7`.
fn number_after(text: &str, key: &str) -> Option<u64> {
    text.match_indices(key)
        .filter(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric()))
        .filter_map(|(at, _)| leading_number(&text[at + key.len()..]))
        .last()
}

fn leading_number(text: &str) -> Option<u64> {
    let text = text.trim_start_matches([' ', ':', '=', '\t']);
    let mut digits = String::new();
    let mut rest = text;
    loop {
        let group: String = rest.chars().take_while(char::is_ascii_digit).collect();
        rest = &rest[group.len()..];
        digits += &group;
        // A thousands separator has a digit on both sides.
        match rest.strip_prefix([',', '_']) {
            Some(after) if !group.is_empty() && after.starts_with(|c: char| c.is_ascii_digit()) => {
                rest = after;
            }
            _ => return digits.parse().ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_found_by_key() {
        let text = "ior: attached\nior: 1.2 s, calls 1,000,012, rows 1000010, filtered 0, lost 2, not seen 0, \
                    unpaired 1, partial names 3\n";
        let statistics = Statistics::parse(text);
        assert_eq!(statistics.calls, Some(1_000_012));
        assert_eq!(statistics.rows, Some(1_000_010));
        assert_eq!(statistics.lost, Some(2));
        assert_eq!(statistics.not_seen, Some(0));
        assert_eq!(statistics.unpaired, Some(1));
        assert_eq!(statistics.partial_names, Some(3));
        assert_eq!(statistics.check_sum(1_000_010), Ok(()));
        assert!(statistics.check_sum(1_000_011).is_err());
        assert!(statistics.check_complete().is_err());
    }

    #[test]
    fn an_unknown_counter_is_no_zero() {
        let statistics = Statistics::parse("calls 7, rows 7, filtered 0, lost unknown, not seen 0");
        assert_eq!(statistics.lost, None);
        assert!(statistics.check_sum(7).is_err());
    }
}
