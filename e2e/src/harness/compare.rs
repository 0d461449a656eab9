//! Compares the rows between a thread's markers with the calls it stated: the whole list, in order.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use super::rows::{Row, shown};
use super::{Result, check};
use crate::oracle::{BEGIN, Call, END, MARKER, Name};

/// Reads the workload's statements.
///
/// # Errors
/// The file cannot be read, is empty, or holds something else.
pub fn read_oracle(path: &Path) -> Result<Vec<Call>> {
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    check(!text.is_empty(), || {
        format!("{}: nothing was stated", path.display())
    })?;
    text.lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{error}: {line}")))
        .collect()
}

/// `abi` of a call of the machine's own kind.
const NATIVE: &str = std::env::consts::ARCH;

/// Which rows are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Compared {
    /// Those between a thread's markers.
    #[default]
    Bracketed,
    /// All but the markers, where what was asked for leaves no others.
    All,
}

/// Rows of one thread, inside and outside its brackets.
#[derive(Default)]
struct Thread {
    pid: u32,
    ppid: u32,
    open: bool,
    marked: bool,
    rows: Vec<Row>,
}

impl Thread {
    fn add(&mut self, row: Row, compared: Compared) {
        self.pid = row.pid;
        self.ppid = row.ppid.unwrap_or(0);
        // Below another root its name has more in front.
        let begins = row.file.ends_with(BEGIN);
        if row.syscall == MARKER && (begins || row.file.ends_with(END)) {
            self.open = begins;
            self.marked = true;
            return;
        }
        // The new program's start is not stated.
        let replaced = matches!(row.syscall.as_str(), "execve" | "execveat") && row.ret == 0;
        if self.open || compared == Compared::All {
            self.rows.push(row);
            self.open = !replaced;
        }
    }
}

/// All rows of a run, by thread.
#[derive(Default)]
pub struct Comparison {
    compared: Compared,
    threads: BTreeMap<u32, Thread>,
}

impl Comparison {
    /// One without rows.
    pub fn new(compared: Compared) -> Comparison {
        Comparison {
            compared,
            ..Comparison::default()
        }
    }

    /// Takes the next row.
    pub fn add(&mut self, row: Row) {
        let thread = self.threads.entry(row.tid).or_default();
        thread.add(row, self.compared);
    }

    /// Compares with everything that was stated.
    ///
    /// # Errors
    /// A diff of the first thread whose rows differ, or the processes and threads that should not be there.
    pub fn check(mut self, stated: &[Call]) -> Result<()> {
        // A parent may leave all stating to its children.
        let pids: BTreeSet<u32> = stated
            .iter()
            .flat_map(|call| [call.pid, call.ppid])
            .collect();
        let strangers: Vec<_> = self
            .threads
            .iter()
            .filter(|(_, thread)| !pids.contains(&thread.pid) && !pids.contains(&thread.ppid))
            .map(|(tid, thread)| format!("thread {tid} of process {}", thread.pid))
            .collect();
        check(strangers.is_empty(), || {
            format!("rows of others: {strangers:?}")
        })?;
        let mut lists: BTreeMap<u32, Vec<&Call>> = BTreeMap::new();
        for call in stated {
            let list = lists.entry(call.tid).or_default();
            list.extend((0..call.repeat).map(|_| call));
        }
        for (tid, list) in lists {
            let thread = self.threads.remove(&tid).unwrap_or_default();
            compare_lists(&list, &thread.rows).map_err(|diff| format!("thread {tid}: {diff}"))?;
        }
        for (tid, thread) in self.threads {
            let may_be_silent = thread.marked || !pids.contains(&thread.pid);
            check(may_be_silent && thread.rows.is_empty(), || {
                format!(
                    "thread {tid} stated nothing but has rows: {:?}",
                    thread.rows.first()
                )
            })?;
        }
        Ok(())
    }
}

fn compare_lists(stated: &[&Call], rows: &[Row]) -> Result<()> {
    let equal = stated
        .iter()
        .zip(rows)
        .take_while(|(call, row)| differences(call, row).is_empty());
    let first = equal.count();
    if first == stated.len() && first == rows.len() {
        return Ok(());
    }
    let mut text = format!(
        "{} calls stated, {} rows; the first difference is at {}",
        stated.len(),
        rows.len(),
        first + 1
    );
    if let (Some(call), Some(row)) = (stated.get(first), rows.get(first)) {
        let _ = write!(text, " ({})", differences(call, row).join(", "));
    }
    text += "\n  - stated, + recorded\n";
    for row in &rows[first.saturating_sub(5)..first] {
        let _ = writeln!(text, "    {}", row_line(row));
    }
    diff(&stated[first..], &rows[first..], &mut text);
    Err(text)
}

const SHOWN: usize = 40;

/// Longest common subsequence of the next entries, as lines.
fn diff(stated: &[&Call], rows: &[Row], text: &mut String) {
    let (stated, rows) = (
        &stated[..stated.len().min(SHOWN)],
        &rows[..rows.len().min(SHOWN)],
    );
    let same = |i: usize, j: usize| differences(stated[i], &rows[j]).is_empty();
    let mut common = vec![vec![0; rows.len() + 1]; stated.len() + 1];
    for i in (0..stated.len()).rev() {
        for j in (0..rows.len()).rev() {
            common[i][j] = if same(i, j) {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < stated.len() || j < rows.len() {
        let _ = if i < stated.len() && j < rows.len() && same(i, j) {
            (i, j) = (i + 1, j + 1);
            writeln!(text, "    {}", row_line(&rows[j - 1]))
        } else if i < stated.len() && (j == rows.len() || common[i + 1][j] >= common[i][j + 1]) {
            i += 1;
            writeln!(text, "  - {}", call_line(stated[i - 1]))
        } else {
            j += 1;
            writeln!(text, "  + {}", row_line(&rows[j - 1]))
        };
    }
}

/// The columns in which a row is not what was stated.
pub fn differences(call: &Call, row: &Row) -> Vec<String> {
    let mut found = Vec::new();
    let mut column = |name: &str, stated: Option<String>, recorded: String| {
        if let Some(stated) = stated
            && stated != recorded
        {
            found.push(format!("{name}: stated {stated:?}, recorded {recorded:?}"));
        }
    };
    fn number<T: ToString>(value: Option<T>) -> String {
        value.map_or_else(|| "null".to_owned(), |value| value.to_string())
    }
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let stated = |name: &str, value: Option<String>| {
        let is_null = call.nulls.iter().any(|null| null == name);
        if is_null {
            Some("null".to_owned())
        } else {
            value
        }
    };
    column("syscall", Some(call.syscall.clone()), row.syscall.clone());
    column(
        "ret",
        call.ret.map(|ret| ret.to_string()),
        row.ret.to_string(),
    );
    column("pid", Some(call.pid.to_string()), row.pid.to_string());
    column("comm", Some(call.comm.clone()), row.comm.clone());
    column("bytes", Some(call.bytes.to_string()), row.bytes.to_string());
    column("fd", Some(call.fd.to_string()), row.fd.to_string());
    column(
        "file",
        call.file.as_ref().map(name),
        shown(&row.file_bytes()),
    );
    column(
        "old_file",
        call.old_file.as_ref().map(name),
        shown(&row.old_file_bytes()),
    );
    column(
        "name_source",
        call.name_source.clone(),
        text(&row.name_source),
    );
    column(
        "offset",
        stated("offset", call.offset.map(|value| value.to_string())),
        number(row.offset),
    );
    column(
        "requested",
        stated("requested", call.requested.map(|value| value.to_string())),
        number(row.requested),
    );
    column(
        "flags",
        stated("flags", call.flags.map(|value| value.to_string())),
        number(row.flags),
    );
    column(
        "abi",
        call.abi.clone().or_else(|| Some(NATIVE.to_owned())),
        text(&row.abi),
    );
    column(
        "address_space_bytes",
        call.address_space_bytes.map(|value| value.to_string()),
        number(row.address_space_bytes),
    );
    let (stated, recorded) = (&call.waits, &row.waits);
    let sleep = recorded.requested_sleep_ns;
    let bounded = call
        .sleep_at_most
        .zip(sleep)
        .is_some_and(|(most, sleep)| (most.saturating_sub(1_000_000_000)..=most).contains(&sleep));
    column(
        "requested_sleep_ns",
        (!bounded).then(|| number(stated.requested_sleep_ns)),
        number(sleep),
    );
    column("nfds", Some(number(stated.nfds)), number(recorded.nfds));
    column(
        "timeout_ns",
        Some(number(stated.timeout_ns)),
        number(recorded.timeout_ns),
    );
    column(
        "epoll_op",
        Some(number(stated.epoll_op)),
        number(recorded.epoll_op),
    );
    column(
        "epoll_target_fd",
        Some(number(stated.epoll_target_fd)),
        number(recorded.epoll_target_fd),
    );
    column(
        "epoll_events",
        Some(number(stated.epoll_events)),
        number(recorded.epoll_events),
    );
    column("process", call.process.clone(), text(&row.process));
    column("ppid", Some(call.ppid.to_string()), number(row.ppid));
    column("uid", Some(call.uid.to_string()), number(row.uid));
    // Where the escaped forms are equal the bytes may still differ.
    if let Some(stated) = &call.file
        && found.is_empty()
        && stated.bytes() != row.file_bytes()
    {
        found.push("file: the bytes differ (file_raw)".to_owned());
    }
    if let Some(end) = &call.file_end
        && !row.file_bytes().ends_with(end.bytes())
    {
        found.push(format!(
            "file: must end in {:?}, recorded {:?}",
            name(end),
            row.file
        ));
    }
    found
}

fn name(name: &Name) -> String {
    shown(name.bytes())
}

fn call_line(call: &Call) -> String {
    let file = call
        .file
        .as_ref()
        .or(call.file_end.as_ref())
        .map(name)
        .unwrap_or_default();
    let old = call.old_file.as_ref().map(name).unwrap_or_default();
    let ret = call.ret.map_or("?".to_owned(), |ret| ret.to_string());
    let source = call.name_source.as_deref().unwrap_or("?");
    line(
        &call.comm,
        &call.syscall,
        &ret,
        call.fd,
        call.bytes,
        [&file, &old, source],
    )
}

fn row_line(row: &Row) -> String {
    let old = row.old_file.as_deref().unwrap_or_default();
    let source = row.name_source.as_deref().unwrap_or_default();
    let names = [row.file.as_str(), old, source];
    line(
        &row.comm,
        &row.syscall,
        &row.ret.to_string(),
        row.fd,
        row.bytes,
        names,
    )
}

fn line(comm: &str, syscall: &str, ret: &str, fd: i32, bytes: u64, names: [&str; 3]) -> String {
    let [file, old, source] = names;
    format!("{comm} {syscall} = {ret}  fd={fd} bytes={bytes} file={file:?} old={old:?} {source}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(tid: u32, syscall: &str) -> Call {
        let line = format!(
            r#"{{"pid":1,"tid":{tid},"ppid":0,"uid":0,"comm":"c","process":null,"syscall":"{syscall}","ret":0,
                "bytes":0,"fd":-1,"file":"","old_file":"","name_source":""}}"#
        );
        serde_json::from_str(&line).unwrap()
    }

    fn row(tid: u32, syscall: &str, file: &str) -> Row {
        let (syscall, file, comm) = (syscall.into(), file.into(), "c".into());
        let (ppid, uid) = (Some(0), Some(0));
        Row {
            pid: 1,
            tid,
            fd: -1,
            syscall,
            file,
            comm,
            ppid,
            uid,
            abi: Some(NATIVE.into()),
            ..Row::default()
        }
    }

    fn compare(stated: &[Call], rows: &[(u32, &str, &str)]) -> Result<()> {
        let mut comparison = Comparison::default();
        for (tid, syscall, file) in rows {
            comparison.add(row(*tid, syscall, file));
        }
        comparison.check(stated)
    }

    const OPEN: (u32, &str, &str) = (1, MARKER, BEGIN);
    const CLOSE: (u32, &str, &str) = (1, MARKER, END);

    #[test]
    fn only_the_bracket_is_compared() {
        let rows = [
            (1, "mmap", ""),
            OPEN,
            (1, "sync", ""),
            CLOSE,
            (1, "writev", ""),
        ];
        assert_eq!(compare(&[call(1, "sync")], &rows), Ok(()));
    }

    #[test]
    fn a_missing_an_extra_and_a_wrong_row_are_found() {
        assert!(compare(&[call(1, "sync")], &[OPEN, CLOSE]).is_err());
        let extra = [OPEN, (1, "sync", ""), (1, "sync", ""), CLOSE];
        assert!(compare(&[call(1, "sync")], &extra).is_err());
        let diff = compare(&[call(1, "sync")], &[OPEN, (1, "sync", "/f"), CLOSE]).unwrap_err();
        assert!(
            diff.contains("file: stated \"\", recorded \"/f\""),
            "{diff}"
        );
    }

    #[test]
    fn another_process_and_an_unknown_thread_are_found() {
        let mut stranger = row(7, "sync", "");
        (stranger.pid, stranger.ppid) = (7, Some(6));
        let mut comparison = Comparison::default();
        comparison.add(stranger);
        assert!(
            comparison
                .check(&[call(1, "sync")])
                .unwrap_err()
                .contains("process 7")
        );
        let rows = [OPEN, (1, "sync", ""), CLOSE, (2, "sync", "")];
        assert!(
            compare(&[call(1, "sync")], &rows)
                .unwrap_err()
                .contains("thread 2")
        );
    }

    #[test]
    fn repeated_calls_are_counted() {
        let mut twice = call(1, "sync");
        twice.repeat = 2;
        assert!(
            compare(
                std::slice::from_ref(&twice),
                &[OPEN, (1, "sync", ""), CLOSE]
            )
            .is_err()
        );
        let rows = [OPEN, (1, "sync", ""), (1, "sync", ""), CLOSE];
        assert_eq!(compare(&[twice], &rows), Ok(()));
    }
}
