//! Quantities for people: sizes, durations and counts with units, and the way back from what was typed.

use std::fmt;

/// A size in bytes, shown in binary units: `512 B`, `1.2 MiB`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 7] = [" B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB"];
        scaled(f, self.0, 1024, &UNITS)
    }
}

/// A duration in nanoseconds: `850 ns`, `3.4 ms`, `2.0 s`, `1h02m`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nanos(pub u64);

impl fmt::Display for Nanos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0 / SECOND;
        match seconds {
            0..120 => scaled(f, self.0, 1000, &[" ns", " µs", " ms", " s"]),
            120..3600 => pad(f, format_args!("{}m{:02}s", seconds / 60, seconds % 60)),
            _ => pad(
                f,
                format_args!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
            ),
        }
    }
}

/// A count, in decimal units: `999`, `12.3 k`, `4.5 M`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(pub u64);

impl fmt::Display for Count {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        scaled(f, self.0, 1000, &["", " k", " M", " G", " T", " P", " E"])
    }
}

/// `value` with one decimal in the largest unit that leaves it at least 1, rounded half up; whole in the smallest unit.
fn scaled(f: &mut fmt::Formatter<'_>, value: u64, base: u64, units: &[&str]) -> fmt::Result {
    let mut unit = 0;
    let mut size = 1u128;
    let (value, base) = (u128::from(value), u128::from(base));
    // 999.95 rounds up to 1000.0, which is 1.0 of the next unit.
    while unit + 1 < units.len()
        && value * 20 >= size * base * 20 - if unit == 0 { 0 } else { size }
    {
        unit += 1;
        size *= base;
    }
    if unit == 0 {
        return pad(f, format_args!("{value}{}", units[0]));
    }
    let tenths = (value * 20 + size) / (size * 2);
    pad(
        f,
        format_args!("{}.{}{}", tenths / 10, tenths % 10, units[unit]),
    )
}

/// Honours the width and alignment asked for, without allocating: the longest text above has 27 bytes.
fn pad(f: &mut fmt::Formatter<'_>, text: fmt::Arguments<'_>) -> fmt::Result {
    use fmt::Write;
    let mut buffer = Short {
        bytes: [0; 40],
        len: 0,
    };
    buffer.write_fmt(text)?;
    f.pad(std::str::from_utf8(&buffer.bytes[..buffer.len]).unwrap_or(""))
}

struct Short {
    bytes: [u8; 40],
    len: usize,
}

impl fmt::Write for Short {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        self.bytes
            .get_mut(self.len..end)
            .ok_or(fmt::Error)?
            .copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

const SECOND: u64 = 1_000_000_000;

/// Units of a typed duration, in nanoseconds.
const TIMES: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", SECOND),
    ("m", 60 * SECOND),
    ("h", 3_600 * SECOND),
    ("d", 86_400 * SECOND),
];

/// Units of a typed size, in bytes; each also as `KiB` and `KB`, in either case. All are powers of 1024.
const SIZES: [(&str, u64); 5] = [
    ("k", 1 << 10),
    ("m", 1 << 20),
    ("g", 1 << 30),
    ("t", 1 << 40),
    ("p", 1 << 50),
];

/// Why a quantity was not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// Not a duration.
    #[error(
        "`{0}` is no duration: write a number and ns, us, ms, s, m, h or d (without a unit: seconds)"
    )]
    Duration(String),
    /// Not a size.
    #[error(
        "`{0}` is no size: write a number and k, M, G, T (powers of 1024; without a unit: bytes)"
    )]
    Size(String),
    /// More than 64 bits hold.
    #[error("`{0}` is too large")]
    TooLarge(String),
}

/// Nanoseconds of a typed duration: `30s`, `1.5ms`, `100us`, `10m`; a bare number is seconds.
pub fn parse_duration(text: &str) -> Result<u64, UnitError> {
    let error = || UnitError::Duration(text.to_owned());
    let (number, unit) = split(text).ok_or_else(error)?;
    let factor = match unit {
        "" => SECOND,
        _ => {
            TIMES
                .iter()
                .find(|(name, _)| *name == unit)
                .ok_or_else(error)?
                .1
        }
    };
    multiply(text, number, factor, error)
}

/// Bytes of a typed size: `16MiB`, `64K`, `4k`, `1.5G`, `100`; every unit is a power of 1024.
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    let error = || UnitError::Size(text.to_owned());
    let (number, unit) = split(text).ok_or_else(error)?;
    let unit = unit.to_ascii_lowercase();
    let letter = unit
        .strip_suffix("ib")
        .or(unit.strip_suffix('b'))
        .unwrap_or(&unit);
    let factor = match (unit.as_str(), letter) {
        ("" | "b", _) => 1,
        _ => {
            SIZES
                .iter()
                .find(|(name, _)| *name == letter)
                .ok_or_else(error)?
                .1
        }
    };
    multiply(text, number, factor, error)
}

/// Number and unit; `None` if it does not start with a digit.
fn split(text: &str) -> Option<(&str, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    number
        .starts_with(|c: char| c.is_ascii_digit())
        .then(|| (number, unit.trim_start()))
}

/// `number`, which may have decimals, times `factor`; what is below one unit is cut off.
fn multiply(
    text: &str,
    number: &str,
    factor: u64,
    error: impl Fn() -> UnitError,
) -> Result<u64, UnitError> {
    let too_large = || UnitError::TooLarge(text.to_owned());
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    if decimals.is_empty() || decimals.len() > 9 || decimals.contains('.') {
        return Err(error());
    }
    let whole: u64 = whole.parse().map_err(|_| too_large())?;
    let decimals_value: u128 = decimals.parse().map_err(|_| error())?;
    let part = decimals_value * u128::from(factor) / 10u128.pow(decimals.len() as u32);
    whole
        .checked_mul(factor)
        .and_then(|product| product.checked_add(u64::try_from(part).ok()?))
        .ok_or_else(too_large)
}

/// A duration in nanoseconds as [`parse_duration`] reads it back, exactly: `100us`, `1500ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypedDuration(pub u64);

impl fmt::Display for TypedDuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = TIMES.iter().filter(|(name, _)| name.is_ascii());
        typed(f, self.0, units, "s")
    }
}

/// A size in bytes as [`parse_size`] reads it back, exactly: `4k`, `1000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypedSize(pub u64);

impl fmt::Display for TypedSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        typed(f, self.0, SIZES.iter(), "")
    }
}

/// `value` in the largest of `units` that divides it; `zero` is the unit of 0, and no unit fits a remainder.
fn typed<'a>(
    f: &mut fmt::Formatter<'_>,
    value: u64,
    units: impl DoubleEndedIterator<Item = &'a (&'a str, u64)>,
    zero: &str,
) -> fmt::Result {
    if value == 0 {
        return write!(f, "0{zero}");
    }
    match units
        .rev()
        .find(|(_, factor)| value.is_multiple_of(*factor))
    {
        Some((unit, factor)) => write!(f, "{}{unit}", value / factor),
        None => write!(f, "{value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn quantities_read_well() {
        let bytes = |n| Bytes(n).to_string();
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1024), "1.0 KiB");
        assert_eq!(bytes(1_258_291), "1.2 MiB");
        assert_eq!(bytes(1024 * 1024 - 1), "1.0 MiB");
        assert_eq!(bytes(u64::MAX), "16.0 EiB");
        let nanos = |n| Nanos(n).to_string();
        assert_eq!(nanos(850), "850 ns");
        assert_eq!(nanos(3_400_000), "3.4 ms");
        assert_eq!(nanos(999_950), "1.0 ms");
        assert_eq!(nanos(999_949), "999.9 µs");
        assert_eq!(nanos(2_000_000_000), "2.0 s");
        assert_eq!(nanos(125_000_000_000), "2m05s");
        assert_eq!(nanos(3_720_000_000_000), "1h02m");
        let count = |n| Count(n).to_string();
        assert_eq!(count(999), "999");
        assert_eq!(count(12_345_678), "12.3 M");
        assert_eq!(count(999_999), "1.0 M");
        assert_eq!(
            format!("{:>9}|{:<9}|", Bytes(2048), Nanos(5)),
            "  2.0 KiB|5 ns     |"
        );
    }

    #[test]
    fn typed_quantities_are_understood() {
        for (text, expected) in [
            ("30s", 30 * SECOND),
            ("30", 30 * SECOND),
            ("1ms", 1_000_000),
            ("100us", 100_000),
            ("100µs", 100_000),
            ("1.5ms", 1_500_000),
            ("10m", 600 * SECOND),
            ("1h", 3600 * SECOND),
            ("7 ns", 7),
            ("0", 0),
        ] {
            assert_eq!(parse_duration(text), Ok(expected), "{text}");
        }
        for (text, expected) in [
            ("16MiB", 16 << 20),
            ("64K", 64 << 10),
            ("4k", 4096),
            ("4KB", 4096),
            ("1.5G", 3 << 29),
            ("100", 100),
            ("100B", 100),
            ("2 TiB", 2 << 40),
        ] {
            assert_eq!(parse_size(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn the_rest_is_refused() {
        for text in [
            "",
            "s",
            "-1",
            "1x",
            "1.",
            "1.2.3",
            ".5",
            "1e3",
            "five",
            "1.0000000001s",
        ] {
            assert!(
                matches!(parse_duration(text), Err(UnitError::Duration(_))),
                "{text}"
            );
            assert!(
                matches!(parse_size(text), Err(UnitError::Size(_))),
                "{text}"
            );
        }
        for text in ["1ib", "5ii", "1 ki b"] {
            assert!(
                matches!(parse_size(text), Err(UnitError::Size(_))),
                "{text}"
            );
        }
        assert_eq!(
            parse_duration("999999999999"),
            Err(UnitError::TooLarge("999999999999".into()))
        );
        assert_eq!(
            parse_size("99999999999999999999"),
            Err(UnitError::TooLarge("99999999999999999999".into()))
        );
    }

    proptest! {
        #[test]
        fn what_is_shown_as_typed_reads_back(value: u64) {
            prop_assert_eq!(parse_duration(&TypedDuration(value).to_string()), Ok(value));
            prop_assert_eq!(parse_size(&TypedSize(value).to_string()), Ok(value));
        }

        #[test]
        fn any_text_is_answered(text: String) {
            let _ = (parse_duration(&text), parse_size(&text));
        }

        #[test]
        fn no_quantity_overflows_its_text(value: u64) {
            prop_assert!(!Bytes(value).to_string().is_empty());
            prop_assert!(!Nanos(value).to_string().is_empty());
            prop_assert!(!Count(value).to_string().is_empty());
        }
    }
}
