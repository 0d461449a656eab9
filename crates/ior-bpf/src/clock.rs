//! The two clocks: rows carry `CLOCK_BOOTTIME`, people read wall-clock time.

/// Nanoseconds of `CLOCK_BOOTTIME`, as the programs see it.
pub fn boottime_ns() -> u64 {
    now(libc::CLOCK_BOOTTIME)
}

/// `CLOCK_REALTIME` minus `CLOCK_BOOTTIME`, nanoseconds; the closest of a few readings.
pub fn wall_offset_ns() -> i64 {
    let reading = || {
        let before = boottime_ns();
        let wall = now(libc::CLOCK_REALTIME);
        let after = boottime_ns();
        let middle = before + (after - before) / 2;
        (after - before, wall.wrapping_sub(middle).cast_signed())
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
    // SAFETY: `time` outlives the call; the two clocks always exist.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_nsec.cast_unsigned()
}
