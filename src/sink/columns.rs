//! The columns of a row, once: names, order and values for every output that has all of them.

use std::io::Write;

use ior_core::{Dev, Flags, Remark, Row};

/// A column's value in one row.
#[derive(Debug, Clone, Copy)]
pub enum Value<'r> {
    /// None in this row.
    Null,
    /// A number from 0.
    Unsigned(u64),
    /// A number.
    Signed(i64),
    /// A truth value.
    Bool(bool),
    /// A word of ours: printable ASCII without quotes, commas and backslashes.
    Word(&'static str),
    /// Bytes from elsewhere.
    Text(&'r [u8]),
    /// A point in time, nanoseconds since the Unix epoch.
    Time(u64),
    /// A device number.
    Device(Dev),
    /// What the call returned, by name.
    Remark(Remark),
    /// Flags, by name.
    Flags(Flags),
}

impl<'r> Value<'r> {
    fn unsigned(value: Option<u64>) -> Value<'r> {
        value.map_or(Value::Null, Value::Unsigned)
    }

    fn signed(value: Option<i64>) -> Value<'r> {
        value.map_or(Value::Null, Value::Signed)
    }

    fn remark(remark: Remark) -> Value<'r> {
        match remark {
            Remark::None => Value::Null,
            remark => Value::Remark(remark),
        }
    }
}

/// Receives the columns of a row, in order. Implementations are inlined into [`each`] once a column, where the kind of
/// value is known: that makes a row a third cheaper than a table of functions.
pub trait Fields {
    /// Takes one column's value.
    fn field(&mut self, name: &'static str, value: Value<'_>);
}

macro_rules! columns {
    ($row:ident: $($name:literal => $value:expr,)*) => {
        /// The name of every column, in order: the header, and the keys of JSON.
        pub const NAMES: &[&str] = &[$($name),*];

        /// Gives every column's value in a row to `fields`, in order.
        #[inline(always)]
        pub fn each($row: &Row<'_>, fields: &mut impl Fields) {
            $(fields.field($name, $value);)*
        }
    };
}

// New columns are only ever appended; the first fourteen are never null.
columns! { row:
    "seq" => Value::Unsigned(row.seq),
    "time_ns" => Value::Unsigned(row.time_ns),
    "gap_ns" => Value::Unsigned(row.gap_ns),
    "latency_ns" => Value::Unsigned(row.latency_ns),
    "comm" => Value::Text(&row.task.comm),
    "pid" => Value::Unsigned(row.task.pid.into()),
    "tid" => Value::Unsigned(row.task.tid.into()),
    "syscall" => Value::Word(row.syscall.name),
    "fd" => Value::Signed(row.fd.into()),
    "ret" => Value::Signed(row.ret),
    "bytes" => Value::Unsigned(row.bytes),
    "file" => Value::Text(row.file),
    "is_error" => Value::Bool(row.is_error()),
    "filter_epoch" => Value::Unsigned(row.filter_epoch),
    "time" => Value::Time(row.wall_ns),
    "family" => Value::Word(row.syscall.family.as_str()),
    "old_file" => row.old_file.map_or(Value::Null, Value::Text),
    "name_source" => Value::Word(row.name_source.as_str()),
    "process" => Value::Text(&row.task.process),
    "ppid" => Value::Unsigned(row.task.ppid.into()),
    "uid" => Value::Unsigned(row.task.uid.into()),
    "cgroup" => Value::Text(row.task.cgroup.as_bytes()),
    "dev" => row.dev.map_or(Value::Null, Value::Device),
    "ino" => Value::unsigned(row.ino),
    "requested" => Value::unsigned(row.requested),
    "offset" => Value::signed(row.offset),
    "flags" => Value::unsigned(row.flags),
    "abi" => Value::Word(row.abi.as_str()),
    "requested_sleep_ns" => Value::unsigned(row.details.requested_sleep_ns),
    "nfds" => Value::unsigned(row.details.nfds),
    "timeout_ns" => Value::signed(row.details.timeout_ns),
    "address_space_bytes" => Value::unsigned(row.details.address_space_bytes),
    "epoll_op" => Value::unsigned(row.details.epoll_op.map(u64::from)),
    "epoll_target_fd" => Value::signed(row.details.epoll_target_fd.map(i64::from)),
    "epoll_events" => Value::unsigned(row.details.epoll_events.map(u64::from)),
    "errno" => Value::remark(Remark::of(row)),
    "flag_names" => Flags::of(row).map_or(Value::Null, Value::Flags),
}

/// Whether a test holds for any byte. Looks at 16 at a time without an early exit in between, which compilers turn into
/// vector instructions.
#[inline]
pub fn any_byte(bytes: &[u8], test: impl Fn(u8) -> bool) -> bool {
    let (blocks, rest) = bytes.as_chunks::<16>();
    blocks
        .iter()
        .any(|block| block.iter().fold(false, |any, &byte| any | test(byte)))
        || rest.iter().any(|&byte| test(byte))
}

/// Appends an integer.
pub fn push_number(number: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// Appends a device number, `8:1`.
pub fn push_device(device: Dev, out: &mut Vec<u8>) {
    push_number(device.major, out);
    out.push(b':');
    push_number(device.minor, out);
}

/// Appends the name of what a call returned, or the number of an errno without a name: printable ASCII without quotes,
/// commas and backslashes.
pub fn push_remark(remark: Remark, out: &mut Vec<u8>) {
    match remark {
        Remark::Unknown(errno) => {
            out.extend_from_slice(b"errno ");
            push_number(errno, out);
        }
        named => out.extend_from_slice(named.as_str().as_bytes()),
    }
}

/// Appends the names of flags, `O_RDWR|O_CREAT`: as harmless as those of remarks.
pub fn push_flags(flags: Flags, out: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = write!(out, "{flags}");
}

/// Appends a point in time (nanoseconds since the Unix epoch) in the form of RFC 3339, in UTC with nine decimals.
pub fn push_time(wall_ns: u64, out: &mut Vec<u8>) {
    const DAY: u64 = 86_400;
    let (seconds, nanos) = (wall_ns / 1_000_000_000, (wall_ns % 1_000_000_000) as u32);
    // The last day 64 bits of nanoseconds reach has the number 213,503.
    let (year, month, day) = date((seconds / DAY) as u32);
    let second = (seconds % DAY) as u32;
    let mut text = *b"0000-00-00T00:00:00.000000000Z";
    set_digits(&mut text[0..4], year);
    set_digits(&mut text[5..7], month);
    set_digits(&mut text[8..10], day);
    set_digits(&mut text[11..13], second / 3600);
    set_digits(&mut text[14..16], second / 60 % 60);
    set_digits(&mut text[17..19], second % 60);
    set_digits(&mut text[20..29], nanos);
    out.extend_from_slice(&text);
}

/// A point in time (seconds since the Unix epoch) in the form `20261201T120000Z`, for file names.
pub fn compact_time(seconds: u64) -> String {
    let mut text = Vec::new();
    push_time(seconds.saturating_mul(1_000_000_000), &mut text);
    let seconds = text.iter().take_while(|byte| **byte != b'.');
    let digits = seconds.filter(|byte| !matches!(byte, b'-' | b':'));
    digits.map(|&byte| char::from(byte)).chain(['Z']).collect()
}

/// Fills `digits` with those of `value`, the last one last.
#[inline]
fn set_digits(digits: &mut [u8], value: u32) {
    let mut rest = value;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}

/// Year, month and day of a day since 1970-01-01. Counted in years that start in March, so that a leap day is the last
/// of its year; 400 of them have 146,097 days.
fn date(days_since_epoch: u32) -> (u32, u32, u32) {
    const TO_MARCH_OF_YEAR_0: u32 = 719_468;
    let days = days_since_epoch + TO_MARCH_OF_YEAR_0;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // From March on, five months always have 153 days.
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = era * 400 + year_of_era + u32::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(wall_ns: u64) -> String {
        let mut out = Vec::new();
        push_time(wall_ns, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn times_are_those_of_jiff() {
        assert_eq!(time(0), "1970-01-01T00:00:00.000000000Z");
        assert_eq!(
            time(951_782_400_000_000_001),
            "2000-02-29T00:00:00.000000001Z"
        );
        assert_eq!(time(u64::MAX), "2554-07-21T23:34:33.709551615Z");
        for day in 0..200_000u64 {
            let wall_ns = day * 86_400_000_000_000 + day * 431_999_999;
            let timestamp = jiff::Timestamp::from_nanosecond(wall_ns.into()).unwrap();
            assert_eq!(time(wall_ns), format!("{timestamp:.9}"));
        }
    }

    #[test]
    fn a_time_in_a_file_name() {
        assert_eq!(compact_time(951_782_401), "20000229T000001Z");
    }

    #[test]
    fn names_are_unique() {
        let mut names = NAMES.to_vec();
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
