//! What only some calls have: sleeps, polls, `epoll_ctl`, changes of the address space.

use std::sync::LazyLock;

use ior_core::syscall::{CountForm, CountIs, FlagsAre, OffsetForm, OffsetIs};
use ior_core::{Details, Syscall, TIMEOUT_INFINITE, TIMEOUT_UNREADABLE};

use crate::record::is_unread;
use crate::skeleton::types;

/// `TIME_UNKNOWN`, `TIME_INVALID`, `TIME_NONE` of shared.h.
const TIME_UNKNOWN: i64 = i64::MIN;
const TIME_INVALID: i64 = i64::MIN + 1;
const TIME_NONE: i64 = i64::MIN + 2;
/// include/uapi/linux/time.h: the sleep ends at a point in time.
const TIMER_ABSTIME: u64 = 1;
/// include/uapi/linux/eventpoll.h: the events are ignored.
const EPOLL_CTL_DEL: u32 = 2;

/// When a call was entered, by the clocks a sleep can name.
#[derive(Debug, Clone, Copy)]
pub struct Now {
    pub monotonic_ns: u64,
    pub boot_ns: u64,
    pub wall_ns: u64,
    pub tai_ns: u64,
}

impl Now {
    /// By the clock of that number (include/uapi/linux/time.h).
    fn by(&self, clock: u64) -> Option<u64> {
        match clock {
            0 | 8 => Some(self.wall_ns),
            1 => Some(self.monotonic_ns),
            7 | 9 => Some(self.boot_ns),
            11 => Some(self.tai_ns),
            _ => None,
        }
    }
}

/// Whether calls of this kind have any.
pub fn has_any(call: &Syscall) -> bool {
    !matches!(call.roles.count_is, CountIs::Nothing | CountIs::Bytes)
        || !matches!(call.roles.offset_is, OffsetIs::Nothing | OffsetIs::Position)
        || call.roles.flags_are == FlagsAre::Operation
}

/// Those of one call.
pub fn of(row: &types::row, call: &Syscall, now: &Now) -> Details {
    let mut details = Details::default();
    match call.roles.count_is {
        // Of the register only the lower half counts.
        CountIs::Descriptors if call.roles.count_form == CountForm::Int => {
            details.nfds = u64::try_from(row.count as i32).ok();
        }
        CountIs::Descriptors => details.nfds = Some(row.count & u64::from(u32::MAX)),
        CountIs::Space => details.address_space_bytes = Some(space(row, call)),
        CountIs::Events if row.flags as u32 != EPOLL_CTL_DEL && !is_unread(row) => {
            details.epoll_events = Some(row.count as u32);
        }
        _ => {}
    }
    match call.roles.offset_is {
        OffsetIs::Timeout => details.timeout_ns = Some(timeout(row, call)),
        OffsetIs::Sleep => details.requested_sleep_ns = sleep(row, call, now),
        OffsetIs::Target => details.epoll_target_fd = Some(row.offset as i32),
        _ => {}
    }
    if call.roles.flags_are == FlagsAre::Operation {
        details.epoll_op = Some(row.flags as u32);
    }
    details
}

fn timeout(row: &types::row, call: &Syscall) -> i64 {
    if call.roles.offset_form == OffsetForm::Value {
        return match row.offset as i32 {
            ..0 => TIMEOUT_INFINITE,
            milliseconds => i64::from(milliseconds) * 1_000_000,
        };
    }
    match row.offset {
        TIME_NONE => TIMEOUT_INFINITE,
        TIME_UNKNOWN | TIME_INVALID => TIMEOUT_UNREADABLE,
        time => time,
    }
}

fn sleep(row: &types::row, call: &Syscall, now: &Now) -> Option<u64> {
    let time = u64::try_from(row.offset).ok()?;
    let absolute = call.roles.flags_are == FlagsAre::Flags && row.flags & TIMER_ABSTIME != 0;
    if absolute {
        return Some(time.saturating_sub(now.by(row.count)?));
    }
    Some(time)
}

/// The larger of both lengths where there are two; how far the end of the data segment has moved.
fn space(row: &types::row, call: &Syscall) -> u64 {
    static PAGE: LazyLock<u64> = LazyLock::new(|| {
        // SAFETY: asks for a constant of the system.
        let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        u64::try_from(size).unwrap_or(4096)
    });
    let pages = |bytes: u64| bytes.div_ceil(*PAGE) * *PAGE;
    if call.roles.count_form == CountForm::Brk {
        return pages(row.ret.cast_unsigned()).abs_diff(pages(row.count));
    }
    if ior_core::is_error(row.ret) {
        return 0;
    }
    match call.roles.offset_is {
        OffsetIs::Space => pages(row.count.max(row.offset.cast_unsigned())),
        _ => pages(row.count),
    }
}

#[cfg(test)]
mod tests {
    use ior_core::syscall::by_name;

    use super::*;
    use crate::skeleton::types::row_note;

    const NOW: Now = Now {
        monotonic_ns: 1000,
        boot_ns: 5000,
        wall_ns: 1_000_000,
        tai_ns: 37_000_000,
    };

    fn details(name: &str, ret: i64, count: u64, offset: i64, flags: u64) -> Details {
        let row = types::row {
            ret,
            count,
            offset,
            flags,
            ..Default::default()
        };
        let call = by_name(name).unwrap();
        assert!(has_any(call), "{name}");
        of(&row, call, &NOW)
    }

    #[test]
    fn polls() {
        let of = |name, nfds, timeout| {
            let details = details(name, 0, nfds, timeout, 0);
            (details.nfds, details.timeout_ns)
        };
        assert_eq!(of("poll", 2, 5), (Some(2), Some(5_000_000)));
        assert_eq!(of("poll", 2, 0xffff_ffff), (Some(2), Some(-1)));
        assert_eq!(of("poll", u64::MAX, 0), (Some(u32::MAX.into()), Some(0)));
        assert_eq!(of("select", 0xffff_ffff, TIME_NONE), (None, Some(-1)));
        assert_eq!(of("ppoll", 1, TIME_UNKNOWN), (Some(1), Some(-2)));
        assert_eq!(of("ppoll", 1, TIME_INVALID), (Some(1), Some(-2)));
        assert_eq!(of("epoll_wait", 0, 1), (None, Some(1_000_000)));
        assert_eq!(of("io_getevents", 0, 7), (None, Some(7)));
    }

    #[test]
    fn sleeps() {
        let of = |name, clock, time, flags| details(name, 0, clock, time, flags).requested_sleep_ns;
        assert_eq!(of("nanosleep", 0, 70, 0), Some(70));
        for nothing in [TIME_NONE, TIME_UNKNOWN, TIME_INVALID] {
            assert_eq!(of("nanosleep", 0, nothing, 0), None);
        }
        assert_eq!(of("clock_nanosleep", 1, 70, 0), Some(70));
        assert_eq!(of("clock_nanosleep", 1, 1070, TIMER_ABSTIME), Some(70));
        assert_eq!(of("clock_nanosleep", 1, 70, TIMER_ABSTIME), Some(0));
        assert_eq!(of("clock_nanosleep", 0, 1_000_070, TIMER_ABSTIME), Some(70));
        assert_eq!(of("clock_nanosleep", 7, 5070, TIMER_ABSTIME), Some(70));
        assert_eq!(
            of("clock_nanosleep", 11, 37_000_070, TIMER_ABSTIME),
            Some(70)
        );
        // A clock of CPU time: how far it was is not known.
        assert_eq!(of("clock_nanosleep", 2, 70, TIMER_ABSTIME), None);
    }

    #[test]
    fn address_space_is_in_whole_pages() {
        let of = |name, ret, count, offset| details(name, ret, count, offset, 0);
        let space = |details: Details| details.address_space_bytes;
        assert_eq!(space(of("mmap", 0x7000, 1, 0)), Some(4096));
        assert_eq!(space(of("mmap", -22, 1, 0)), Some(0));
        assert_eq!(space(of("munmap", 0, 8192, 0)), Some(8192));
        assert_eq!(space(of("mremap", 0x7000, 4096, 10_000)), Some(12_288));
        assert_eq!(space(of("mremap", 0x7000, 10_000, 4096)), Some(12_288));
        assert_eq!(space(of("brk", 0x5000, 0x3001, 0)), Some(4096));
        assert_eq!(space(of("brk", 0x3000, 0x5000, 0)), Some(8192));
        assert_eq!(space(of("brk", 0x3000, 0x3000, 0)), Some(0));
    }

    #[test]
    fn epoll_ctl_says_what_is_watched_for_what() {
        let of = |op: u32, events| {
            let details = details("epoll_ctl", 0, events, -1, op.into());
            assert_eq!(details.epoll_target_fd, Some(-1));
            (details.epoll_op, details.epoll_events)
        };
        assert_eq!(of(1, 0x8000_0001), (Some(1), Some(0x8000_0001)));
        assert_eq!(of(EPOLL_CTL_DEL, 5), (Some(2), None));
        let unread = types::row {
            flags: 1,
            notes: row_note::NOTE_UNREAD.0,
            ..Default::default()
        };
        let details = super::of(&unread, by_name("epoll_ctl").unwrap(), &NOW);
        assert_eq!(details.epoll_events, None);
    }

    #[test]
    fn most_calls_have_none() {
        for name in ["read", "openat", "pread64", "close", "getpid"] {
            assert!(!has_any(by_name(name).unwrap()), "{name}");
        }
    }
}
