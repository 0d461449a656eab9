//! Option values: text to number, and a few words on what was expected instead.

use std::fs;
use std::ops::RangeInclusive;
use std::time::Duration;

use ior_core::units;

use crate::sink::Rotate;
use crate::sink::aggregate::MAX_KEYS;

const BUFFER_SIZES: RangeInclusive<u32> = 64 << 10..=1 << 30;

/// A pid or tid: 1 and up.
pub fn task_id(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("expected a number from 1".into()),
        Ok(id) => Ok(id),
    }
}

/// How long to run; a bare number is seconds. Not zero.
pub fn duration(text: &str) -> Result<Duration, String> {
    match units::parse_duration(text) {
        Ok(0) => Err("a run has to last".into()),
        Ok(nanoseconds) => Ok(Duration::from_nanos(nanoseconds)),
        Err(_) => Err("expected a time such as 30s, 5m or 500ms (a bare number is seconds)".into()),
    }
}

/// A latency in nanoseconds.
pub fn latency(text: &str) -> Result<u64, String> {
    units::parse_duration(text).map_err(|_| "expected a time such as 1ms, 250us or 2s".into())
}

/// When another part begins: a size, or a time. A lower-case `m` is minutes, as everywhere where a time can stand.
pub fn rotate(text: &str) -> Result<Rotate, String> {
    let bare = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    match (units::parse_duration(text), units::parse_size(text)) {
        (Ok(nanoseconds), _) if !bare && nanoseconds > 0 => {
            Ok(Rotate::Time(Duration::from_nanos(nanoseconds)))
        }
        (_, Ok(bytes)) if !bare && bytes > 0 => Ok(Rotate::Size(bytes)),
        _ => Err("expected a size such as 1GiB, or a time such as 10m".into()),
    }
}

/// Part of the name of a file.
pub fn file_name_part(text: &str) -> Result<String, String> {
    /// A file's name may have 255 bytes, and a host's 64.
    const MOST: usize = 100;
    let fits = !text.is_empty() && text.len() <= MOST;
    if !fits || text.contains(|character: char| character == '/' || character.is_control()) {
        return Err(format!(
            "it becomes part of a file's name: at most {MOST} bytes, and no `/`"
        ));
    }
    Ok(text.to_owned())
}

/// Keys of an aggregate.
pub fn max_keys(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(keys @ 1..=MAX_KEYS) => Ok(keys),
        _ => Err(format!("expected a number from 1 to {MAX_KEYS}")),
    }
}

/// Bytes of one ring buffer: a power of two from 64 KiB to 1 GiB.
pub fn buffer_size(text: &str) -> Result<u32, String> {
    let bytes = units::parse_size(text).map_err(|_| "expected a size such as 512KiB or 16MiB")?;
    if !bytes.is_power_of_two() {
        return Err("must be a power of two, such as 512KiB or 16MiB".into());
    }
    match u32::try_from(bytes) {
        Ok(size) if BUFFER_SIZES.contains(&size) => Ok(size),
        _ => Err("must be from 64KiB to 1GiB".into()),
    }
}

/// A uid: a number, or a name of `/etc/passwd`.
pub fn user(text: &str) -> Result<u32, String> {
    if let Ok(uid) = text.parse() {
        return Ok(uid);
    }
    let passwd =
        fs::read("/etc/passwd").map_err(|error| format!("/etc/passwd: {error}; use the number"))?;
    uid_of(text, &String::from_utf8_lossy(&passwd))
        .ok_or_else(|| "no such user in /etc/passwd; a number is understood too".into())
}

fn uid_of(name: &str, passwd: &str) -> Option<u32> {
    // name:password:uid:… (passwd(5))
    passwd.lines().find_map(|line| {
        let mut fields = line.split(':');
        let uid = (fields.next()? == name).then(|| fields.nth(1))??;
        uid.parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_has_to_last() {
        assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
        assert_eq!(duration("5"), Ok(Duration::from_secs(5)));
        assert_eq!(duration("1m"), Ok(Duration::from_secs(60)));
        for text in ["", "0", "0s", "-1", "five"] {
            assert!(duration(text).is_err(), "{text}");
        }
        assert_eq!(latency("0ms"), Ok(0));
        assert_eq!(latency("250us"), Ok(250_000));
    }

    #[test]
    fn buffer_sizes_are_powers_of_two_within_limits() {
        for (text, expected) in [
            ("64KiB", 64 << 10),
            ("16MiB", 16 << 20),
            ("1GiB", 1 << 30),
            ("65536", 65536),
        ] {
            assert_eq!(buffer_size(text), Ok(expected), "{text}");
        }
        for text in ["", "0", "32KiB", "2GiB", "3MiB", "4096GiB", "big"] {
            assert!(buffer_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_part_has_a_size_or_a_time() {
        assert_eq!(rotate("1GiB"), Ok(Rotate::Size(1 << 30)));
        assert_eq!(rotate("64M"), Ok(Rotate::Size(64 << 20)));
        assert_eq!(rotate("10m"), Ok(Rotate::Time(Duration::from_secs(600))));
        assert_eq!(
            rotate("1.5s"),
            Ok(Rotate::Time(Duration::from_millis(1500)))
        );
        for text in ["", "0s", "0k", "10", "1.5", "-1s", "often"] {
            assert!(rotate(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_part_of_a_file_name_is_one() {
        assert_eq!(file_name_part("a b.c"), Ok("a b.c".to_owned()));
        for text in ["", "a/b", "../x", "a\nb", &"x".repeat(101)] {
            assert!(file_name_part(text).is_err(), "{text}");
        }
        assert_eq!((max_keys("1"), max_keys("1000000")), (Ok(1), Ok(1_000_000)));
        for text in ["", "0", "1000001", "many"] {
            assert!(max_keys(text).is_err(), "{text}");
        }
    }

    #[test]
    fn users_come_from_passwd() {
        let passwd = "root:x:0:0:root:/root:/bin/sh\nanna:x:1000:1000::/home/anna:/bin/sh\nodd:x\n";
        assert_eq!(uid_of("anna", passwd), Some(1000));
        assert_eq!(uid_of("odd", passwd), None);
        assert_eq!(uid_of("ann", passwd), None);
        assert_eq!(user("17"), Ok(17));
    }

    #[test]
    fn task_ids_start_at_one() {
        assert_eq!(task_id("1"), Ok(1));
        for text in ["0", "-1", "x", "", "99999999999"] {
            assert!(task_id(text).is_err(), "{text}");
        }
    }
}
