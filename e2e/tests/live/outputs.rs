//! `--csv` and `--plain` as another program's CSV reader understands them, compared with the JSON rows of the same run.

use std::path::Path;
use std::process::Command;

use e2e::harness::process::run;
use e2e::harness::recorder::Programs;
use e2e::harness::rows::{Row, decode};
use e2e::harness::scratch::Scratch;
use e2e::harness::statistics::Statistics;
use e2e::harness::{Result, check};
use e2e::oracle::errno_name;
use serde_json::{Map, Value};

use crate::Test;

pub const TESTS: &[Test] = &[
    ("odd_names", odd_names),
    ("open_flags", open_flags),
    ("two_names", two_names),
    ("two_descriptors", two_descriptors),
    ("renamed_thread", renamed_thread),
    ("restarted", restarted),
    ("exit", exit),
];

/// Prints each record as a JSON list; a character is a byte. Strict: a quote in the wrong place is an error.
const READER: &str = "
import csv, json, sys
with open(sys.argv[1], newline='', encoding='latin-1') as file:
    for record in csv.reader(file, strict=True):
        print(json.dumps(record))
";

type Record = Vec<Vec<u8>>;
type JsonRow = Map<String, Value>;

fn read_csv(path: &Path) -> Result<Vec<Record>> {
    let python = run(Command::new("python3").args(["-c", READER]).arg(path))?;
    check(python.status.success(), || python.err.clone())?;
    let bytes = |text: String| {
        text.chars()
            .map(|c| u8::try_from(c).unwrap_or(b'?'))
            .collect()
    };
    let text = String::from_utf8_lossy(&python.out).into_owned();
    text.lines()
        .map(|line| {
            let fields: Vec<String> =
                serde_json::from_str(line).map_err(|error| format!("{line}: {error}"))?;
            Ok(fields.into_iter().map(bytes).collect())
        })
        .collect()
}

fn read_json(path: &Path) -> Result<Vec<JsonRow>> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    text.lines()
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{line}: {error}")))
        .collect()
}

/// CSV holds the very bytes of every name; JSON does of `file` alone, in `file_raw`.
fn is_same(name: &str, csv: &[u8], json: &[u8]) -> bool {
    csv == json || (name == "old_file" && e2e::harness::rows::shown(csv).as_bytes() == json)
}

/// A column as CSV must hold it: nothing for null, the very bytes of a name.
fn column(row: &JsonRow, name: &str) -> Vec<u8> {
    let raw = row.get(&format!("{name}_raw")).and_then(Value::as_str);
    if let Some(raw) = raw.and_then(decode) {
        return raw;
    }
    match row.get(name) {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(text)) => text.as_bytes().to_vec(),
        Some(other) => other.to_string().into_bytes(),
    }
}

/// The first fourteen are the stable core.
const COLUMNS: &str = "seq,time_ns,gap_ns,latency_ns,comm,pid,tid,syscall,fd,ret,bytes,file,is_error,filter_epoch,\
                       time,family,old_file,name_source,process,ppid,uid,cgroup,dev,ino,requested,offset,flags,abi,\
                       requested_sleep_ns,nfds,timeout_ns,address_space_bytes,epoll_op,epoll_target_fd,epoll_events,\
                       errno,flag_names";
const PLAIN: &str = "durationToPrevNs,durationNs,comm,pid.tid,name,ret,notice,file";

fn shown(record: &[Vec<u8>]) -> String {
    let fields: Vec<_> = record
        .iter()
        .map(|field| String::from_utf8_lossy(field))
        .collect();
    format!("{fields:?}")
}

fn split_header(mut records: Vec<Record>, header: &str) -> Result<Vec<Record>> {
    check(!records.is_empty(), || "no header".to_owned())?;
    let first = records.remove(0).join(&b',');
    check(first == header.as_bytes(), || {
        format!("header {}", String::from_utf8_lossy(&first))
    })?;
    Ok(records)
}

fn check_csv(records: &[Record], rows: &[JsonRow]) -> Result<()> {
    check(records.len() == rows.len(), || {
        format!("{} records, {} rows", records.len(), rows.len())
    })?;
    for (record, row) in records.iter().zip(rows) {
        let expected: Record = COLUMNS.split(',').map(|name| column(row, name)).collect();
        let same = COLUMNS
            .split(',')
            .zip(record.iter().zip(&expected))
            .all(|(name, (csv, json))| is_same(name, csv, json));
        check(same && record.len() == expected.len(), || {
            format!("CSV  {}\nJSON {}", shown(record), shown(&expected))
        })?;
        let unknown: Vec<_> = row
            .keys()
            .filter(|key| {
                !COLUMNS
                    .split(',')
                    .any(|name| key.trim_end_matches("_raw") == name)
            })
            .collect();
        check(unknown.is_empty(), || format!("only in JSON: {unknown:?}"))?;
    }
    Ok(())
}

/// Names of open flags, in the order of their bits; what the scenarios pass.
const FLAGS: [(i32, &str); 8] = [
    (libc::O_CREAT, "O_CREAT"),
    (libc::O_EXCL, "O_EXCL"),
    (libc::O_TRUNC, "O_TRUNC"),
    (libc::O_APPEND, "O_APPEND"),
    (libc::O_NONBLOCK, "O_NONBLOCK"),
    (libc::O_DIRECTORY, "O_DIRECTORY"),
    (libc::O_NOFOLLOW, "O_NOFOLLOW"),
    (libc::O_CLOEXEC, "O_CLOEXEC"),
];

fn flag_names(flags: i32) -> String {
    let access = ["O_RDONLY", "O_WRONLY", "O_RDWR", "O_ACCMODE"];
    let mut names = vec![access[(flags & libc::O_ACCMODE) as usize]];
    names.extend(
        FLAGS
            .iter()
            .filter(|(bit, _)| flags & bit == *bit)
            .map(|(_, name)| name),
    );
    names.join("|")
}

fn opens(typed: &Row) -> bool {
    matches!(typed.syscall.as_str(), "open" | "openat" | "openat2")
}

/// `old -> new%(fd,FLAGS)`; the old name as the CSV has it.
fn plain_file(row: &JsonRow, typed: &Row, old_file: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    if row.contains_key("old_file") {
        text.extend(old_file);
        text.extend(b" -> ");
    }
    text.extend(column(row, "file"));
    let flags = typed
        .flags
        .filter(|_| opens(typed))
        .map(|flags| flag_names(flags as i32));
    let detail = match flags {
        Some(flags) => format!("%({},{flags})", typed.fd),
        None if typed.fd >= 0 => format!("%({})", typed.fd),
        None => String::new(),
    };
    text.extend(detail.into_bytes());
    text
}

fn notice(typed: &Row) -> String {
    match typed.ret {
        -4095..0 => errno_name(-typed.ret as i32),
        _ => String::new(),
    }
}

/// `errno` and `flag_names` are there exactly where they mean something, and say what the numbers do.
fn check_names(rows: &[JsonRow]) -> Result<()> {
    for row in rows {
        let typed: Row = serde_json::from_value(Value::Object(row.clone()))
            .map_err(|error| error.to_string())?;
        let errno = Some(notice(&typed)).filter(|name| !name.is_empty());
        check(
            row.get("errno").and_then(Value::as_str) == errno.as_deref(),
            || format!("errno is not {errno:?}: {row:?}"),
        )?;
        let names = row.get("flag_names").and_then(Value::as_str);
        let right = match typed.flags {
            Some(flags) if opens(&typed) => names == Some(flag_names(flags as i32).as_str()),
            flags => names.is_some_and(|names| !names.is_empty()) == flags.is_some(),
        };
        check(right, || format!("flag names: {row:?}"))?;
    }
    Ok(())
}

fn check_plain(records: &[Record], csv: &[Record], rows: &[JsonRow]) -> Result<()> {
    check(records.len() == rows.len(), || {
        format!("{} records, {} rows", records.len(), rows.len())
    })?;
    let old_file = COLUMNS.split(',').position(|name| name == "old_file");
    let old_file = old_file.ok_or("no such column")?;
    for ((record, row), csv) in records.iter().zip(rows).zip(csv) {
        let typed: Row = serde_json::from_value(Value::Object(row.clone()))
            .map_err(|error| error.to_string())?;
        let expected = [
            column(row, "gap_ns"),
            column(row, "latency_ns"),
            column(row, "comm"),
            format!("{}.{}", typed.pid, typed.tid).into_bytes(),
            column(row, "syscall"),
            column(row, "ret"),
            notice(&typed).into_bytes(),
            plain_file(row, &typed, &csv[old_file]),
        ];
        check(*record == expected, || {
            format!("plain {}\nJSON  {}", shown(record), shown(&expected))
        })?;
    }
    Ok(())
}

/// One run with all three outputs.
fn compare(programs: &Programs, scenario: &str) -> Result<()> {
    if Command::new("python3").arg("-V").output().is_err() {
        eprintln!("SKIPPED: outputs::{scenario}: needs python3");
        return Ok(());
    }
    let scratch = Scratch::new()?;
    let dir = scratch.dir("work")?;
    let file = |name| scratch.path().join(name);
    let noise = programs.noise(&scratch)?;
    let mut ior = programs.ior(["--plain", "--csv"]);
    ior.arg(file("csv")).arg("--json").arg(file("json"));
    let finished = run(ior
        .arg("--")
        .arg(&programs.workload)
        .arg(scenario)
        .arg(&dir))?;
    check(finished.status.success(), || finished.err.clone())?;
    std::fs::write(file("plain"), &finished.out).map_err(|error| error.to_string())?;
    let rows = read_json(&file("json"))?;
    let statistics = Statistics::parse(&finished.err);
    statistics.check_sum(rows.len() as u64)?;
    statistics.check_complete()?;
    let of_noise = rows
        .iter()
        .find(|row| row.get("pid") == Some(&noise.id().into()));
    check(of_noise.is_none(), || {
        format!("a row of the noise: {of_noise:?}")
    })?;
    check_agree(&file("json"), &file("csv"), &file("plain"))
}

/// CSV and plain text of a run have the rows of its JSON.
pub fn check_agree(json: &Path, csv: &Path, plain: &Path) -> Result<()> {
    let rows = read_json(json)?;
    let csv = split_header(read_csv(csv)?, COLUMNS)?;
    check_csv(&csv, &rows)?;
    check_names(&rows)?;
    let plain = split_header(read_csv(plain)?, PLAIN)?;
    check_plain(&plain, &csv, &rows)
}

fn odd_names(programs: &Programs) -> Result<()> {
    compare(programs, "odd_names")
}

fn open_flags(programs: &Programs) -> Result<()> {
    compare(programs, "openat")
}

fn two_names(programs: &Programs) -> Result<()> {
    compare(programs, "symlink")
}

fn two_descriptors(programs: &Programs) -> Result<()> {
    compare(programs, "two_descriptors")
}

fn renamed_thread(programs: &Programs) -> Result<()> {
    compare(programs, "renamed_thread")
}

fn restarted(programs: &Programs) -> Result<()> {
    compare(programs, "restarted")
}

fn exit(programs: &Programs) -> Result<()> {
    compare(programs, "exit")
}
