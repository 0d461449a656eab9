//! All about a row, as names and values. Names of columns are those of the outputs.

use ior_core::units::{Bytes, Nanos};
use ior_core::{Flags, NameSource, Remark, Row, TIMEOUT_INFINITE, TIMEOUT_UNREADABLE, escape};

/// What a row holds, in reading order; what its call does not have is left out.
pub fn of(row: &Row<'_>) -> Vec<(&'static str, String)> {
    let mut lines = call(row);
    lines.extend(file(row));
    lines.extend(arguments(row));
    lines.extend(task(row));
    lines
}

fn shown(bytes: &[u8]) -> String {
    escape::terminal(bytes).into_owned()
}

fn time(ns: u64) -> String {
    match ns {
        0..1000 => Nanos(ns).to_string(),
        _ => format!("{} ({ns} ns)", Nanos(ns)),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => Bytes(bytes).to_string(),
        _ => format!("{} ({bytes} B)", Bytes(bytes)),
    }
}

fn call(row: &Row<'_>) -> Vec<(&'static str, String)> {
    let ret = match Remark::of(row) {
        Remark::None => row.ret.to_string(),
        remark => match explanation(row.ret) {
            Some(text) => format!("{} {remark}: {text}", row.ret),
            None => format!("{} {remark}", row.ret),
        },
    };
    let mut lines = vec![
        ("syscall", row.syscall.name.to_owned()),
        ("family", row.syscall.family.as_str().to_owned()),
        ("ret", ret),
        ("time", clock(row.wall_ns)),
        ("latency", time(row.latency_ns)),
        ("gap", time(row.gap_ns)),
        ("bytes", size(row.bytes)),
    ];
    if row.fd >= 0 {
        lines.push(("fd", row.fd.to_string()));
    }
    lines
}

fn file(row: &Row<'_>) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    match row.name_source {
        NameSource::None if row.file.is_empty() => {}
        source => {
            lines.push(("file", shown(row.file)));
            let meaning = match source {
                NameSource::None => "none: the call has no file",
                NameSource::Kernel => "kernel: the kernel object's own path",
                NameSource::Argument => "argument: the path passed, joined to its directory",
                NameSource::Partial => "partial: the name was cut or a part could not be read",
            };
            lines.push(("name_source", meaning.to_owned()));
        }
    }
    if let Some(old_file) = row.old_file {
        lines.push(("old_file", shown(old_file)));
    }
    if let Some(dev) = row.dev {
        lines.push(("dev", dev.to_string()));
    }
    if let Some(ino) = row.ino {
        lines.push(("ino", ino.to_string()));
    }
    lines
}

fn arguments(row: &Row<'_>) -> Vec<(&'static str, String)> {
    let details = &row.details;
    let timeout = details.timeout_ns.map(|ns| match ns {
        TIMEOUT_INFINITE => "without end".to_owned(),
        TIMEOUT_UNREADABLE => "unknown".to_owned(),
        ns => u64::try_from(ns).map_or_else(|_| format!("{ns} ns"), time),
    });
    let operation = details.epoll_op.map(|operation| match operation {
        1 => "EPOLL_CTL_ADD".to_owned(),
        2 => "EPOLL_CTL_DEL".to_owned(),
        3 => "EPOLL_CTL_MOD".to_owned(),
        other => other.to_string(),
    });
    let flags = row.flags.zip(Flags::of(row));
    let flags = flags.map(|(value, flags)| format!("{flags} ({value:#x})"));
    let lines = [
        ("requested", row.requested.map(size)),
        ("offset", row.offset.map(|offset| offset.to_string())),
        ("flags", flags),
        ("requested_sleep", details.requested_sleep_ns.map(time)),
        ("nfds", details.nfds.map(|count| count.to_string())),
        ("timeout", timeout),
        ("address_space", details.address_space_bytes.map(size)),
        ("epoll_op", operation),
        (
            "epoll_target_fd",
            details.epoll_target_fd.map(|fd| fd.to_string()),
        ),
        (
            "epoll_events",
            details.epoll_events.map(|events| format!("{events:#x}")),
        ),
    ];
    let lines = lines.into_iter();
    lines
        .filter_map(|(name, value)| Some((name, value?)))
        .collect()
}

fn task(row: &Row<'_>) -> Vec<(&'static str, String)> {
    let task = row.task;
    let mut lines = vec![
        ("comm", shown(&task.comm)),
        ("process", shown(&task.process)),
        ("pid", task.pid.to_string()),
        ("tid", task.tid.to_string()),
        ("ppid", task.ppid.to_string()),
        ("uid", task.uid.to_string()),
    ];
    if !task.cgroup.is_empty() {
        lines.push(("cgroup", shown(task.cgroup.as_bytes())));
    }
    lines.push(("abi", row.abi.as_str().to_owned()));
    lines.push(("seq", row.seq.to_string()));
    lines.push(("filter_epoch", row.filter_epoch.to_string()));
    lines
}

/// What the C library says of an error; of a restart code what it means.
fn explanation(ret: i64) -> Option<String> {
    if ior_core::errno::restart_name(ret).is_some() {
        return Some("interrupted; the kernel restarts the call or answers EINTR".to_owned());
    }
    let errno = i32::try_from(ret.checked_neg()?).ok()?;
    // The kernel's own codes have no text.
    if !(1..512).contains(&errno) {
        return None;
    }
    let text = std::io::Error::from_raw_os_error(errno).to_string();
    let end = text.rfind(" (os error").unwrap_or(text.len());
    Some(text[..end].to_owned())
}

/// A point in time, nanoseconds since the Unix epoch, as `2026-09-21 14:13:20.123456789 UTC`.
pub fn clock(ns: u64) -> String {
    let (seconds, rest) = (ns / 1_000_000_000, ns % 1_000_000_000);
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!(
        "{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{:02}.{rest:09} UTC",
        second % 60
    )
}

/// The date so many days after 1970-01-01 (Gregorian), counted in years that begin in March.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    match month {
        0..10 => (era * 400 + year, month + 3, date),
        _ => (era * 400 + year + 1, month - 9, date),
    }
}

#[cfg(test)]
mod tests;
