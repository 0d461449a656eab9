//! The clocks: programs read `CLOCK_MONOTONIC`, the cheapest; rows carry `CLOCK_BOOTTIME`; people read wall-clock time.

/// Differences between the clocks, which change when the machine was suspended or its time was set.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Offsets {
    /// `CLOCK_BOOTTIME` minus `CLOCK_MONOTONIC`, nanoseconds: the time suspended.
    pub boot_ns: u64,
    /// `CLOCK_REALTIME` minus `CLOCK_BOOTTIME`, nanoseconds.
    pub wall_ns: i64,
    /// `CLOCK_TAI` minus `CLOCK_BOOTTIME`, nanoseconds.
    pub tai_ns: i64,
}

impl Offsets {
    /// As they are now.
    pub fn now() -> Offsets {
        let boot = difference(libc::CLOCK_BOOTTIME, libc::CLOCK_MONOTONIC);
        Offsets {
            boot_ns: u64::try_from(boot).unwrap_or(0),
            wall_ns: difference(libc::CLOCK_REALTIME, libc::CLOCK_BOOTTIME),
            tai_ns: difference(libc::CLOCK_TAI, libc::CLOCK_BOOTTIME),
        }
    }

    /// Takes in that the machine was suspended. Rows of the moment before, which are still in a ring, are then late
    /// by the time suspended.
    pub fn update(&mut self) {
        let boot = difference(libc::CLOCK_BOOTTIME, libc::CLOCK_MONOTONIC);
        self.boot_ns = self
            .boot_ns
            .max(u64::try_from(boot).unwrap_or(0).saturating_sub(SLACK_NS));
    }
}

/// Reading two clocks one after the other is not exact; only a larger jump of their difference is a suspend.
const SLACK_NS: u64 = 1_000_000;

/// Nanoseconds of `CLOCK_MONOTONIC`, as the programs see it.
pub fn monotonic_ns() -> u64 {
    now(libc::CLOCK_MONOTONIC)
}

/// One clock minus another, nanoseconds; by the closest of a few readings.
fn difference(minuend: libc::clockid_t, subtrahend: libc::clockid_t) -> i64 {
    let reading = || {
        let before = now(subtrahend);
        let value = now(minuend);
        let after = now(subtrahend);
        (
            after - before,
            value
                .wrapping_sub(before + (after - before) / 2)
                .cast_signed(),
        )
    };
    (0..5)
        .map(|_| reading())
        .min()
        .map_or(0, |(_, offset)| offset)
}

fn now(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` outlives the call; the three clocks always exist.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}

/// Returns when every program run that began before has ended: programs run inside RCU read-side sections, and a global
/// memory barrier waits for those (membarrier(2), kernel/sched/membarrier.c).
pub fn wait_for_running_programs() {
    // SAFETY: a plain system call without pointers. A kernel without it leaves the wait to the last drains.
    unsafe { libc::syscall(libc::SYS_membarrier, libc::MEMBARRIER_CMD_GLOBAL, 0, 0) };
}
