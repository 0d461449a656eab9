//! The command line without a trace: what is understood, what is refused and in which words, and what is left behind.
//! Nothing here needs a privilege.
#![expect(
    clippy::unwrap_used,
    reason = "clippy allows it in test functions but not in their helpers"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A directory of its own for a test, removed at the end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Directory {
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Directory(path)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn ior(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ior"));
    command
        .args(args)
        .env_remove("COLUMNS")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Runs ior, which fails with this status and nothing on standard output, and returns its complaint: one line.
#[track_caller]
fn complaint(args: &[&str], status: i32) -> String {
    let output = ior(args);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(status), "{args:?}: {stderr}");
    assert!(
        output.stdout.is_empty(),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stdout)
    );
    assert!(
        stderr.starts_with("ior: ") && stderr.ends_with('\n'),
        "{args:?}: {stderr}"
    );
    assert_eq!(stderr.lines().count(), 1, "{args:?}: {stderr}");
    stderr.trim_end().to_owned()
}

#[track_caller]
fn answer(args: &[&str]) -> String {
    let output = ior(args);
    assert_eq!(
        output.status.code(),
        Some(0),
        "{args:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(output.stderr.is_empty());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn help_is_grouped_and_fits_a_terminal() {
    let help = answer(&["--help"]);
    assert!(
        help.lines().all(|line| line.chars().count() <= 110),
        "{help}"
    );
    insta::assert_snapshot!(help);
    assert!(answer(&["-help"]) == help);
}

#[test]
fn version() {
    assert_eq!(
        answer(&["--version"]),
        format!("ior {}\n", env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn syscalls_are_listed_by_family_and_kind() {
    let list = answer(&["syscalls"]);
    assert!(
        list.lines().all(|line| line.chars().count() <= 80),
        "{list}"
    );
    insta::assert_snapshot!(list);
    let all = answer(&["syscalls", "--all"]);
    assert!(all.starts_with(&list) && all.contains("Only in 32-bit programs"));
    let json = answer(&["syscalls", "-json"]);
    let openat: Vec<_> = json
        .lines()
        .filter(|line| line.contains(r#""name":"openat""#))
        .collect();
    assert_eq!(openat.len(), 1);
}

#[test]
fn unknown_options_name_the_nearest() {
    insta::assert_snapshot!(complaint(&["--plian"], 2), @"ior: unexpected argument '--plian' found; did you mean '--plain'? (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["-bogus"], 2), @"ior: unexpected argument '--bogus' found (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["sh", "-c", "true"], 2), @"ior: unexpected argument 'sh' found; a command to trace follows '--' (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["--"], 2), @"ior: no COMMAND after '--' (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["--plain", "-q", "--"], 2), @"ior: no COMMAND after '--' (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["docter"], 2), @"ior: unexpected argument 'docter' found; a command to trace follows '--' (see 'ior --help')");
}

#[test]
fn bad_values_say_what_was_expected() {
    insta::assert_snapshot!(complaint(&["--duration", "soon"], 2), @"ior: invalid value 'soon' for '--duration <TIME>': expected a time such as 30s, 5m or 500ms (a bare number is seconds) (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["-duration", "0"], 2), @"ior: invalid value '0' for '--duration <TIME>': a run has to last (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["--duration"], 2), @"ior: a value is required for '--duration <TIME>' but none was supplied (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["--buffer-size", "3MiB"], 2), @"ior: invalid value '3MiB' for '--buffer-size <SIZE>': must be a power of two, such as 512KiB or 16MiB (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["--buffer-size", "4KiB"], 2), @"ior: invalid value '4KiB' for '--buffer-size <SIZE>': must be from 64KiB to 1GiB (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["--buffer-size", "many"], 2), @"ior: invalid value 'many' for '--buffer-size <SIZE>': expected a size such as 512KiB or 16MiB (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["-p", "1,x"], 2), @"ior: invalid value 'x' for '--pid <PID>': expected a number from 1 (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["--uid", "nobody-of-that-name"], 2), @"ior: invalid value 'nobody-of-that-name' for '--uid <USER>': no such user in /etc/passwd; a number is understood too (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["--cgroup", "no/such"], 2), @"ior: --cgroup: /sys/fs/cgroup/no/such: No such file or directory (os error 2); `systemd-cgls` lists cgroups");
    insta::assert_snapshot!(complaint(&["--min-latency", "long"], 2), @"ior: invalid value 'long' for '--min-latency <TIME>': expected a time such as 1ms, 250us or 2s (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["--filter", "size>4k"], 2), @"ior: --filter: `size>4k`: no column `size`; there are comm, process, syscall, family, file, old_file, pid, tid, ppid, uid, fd, ret, bytes, latency, gap, requested, offset, errors");
    insta::assert_snapshot!(complaint(&["--comm", ""], 2), @"ior: --comm: a thread's name is not empty");
}

#[test]
fn unknown_names_suggest_the_nearest() {
    insta::assert_snapshot!(complaint(&["--trace-syscalls", "read,opennat"], 2), @"ior: --trace-syscalls: no syscall 'opennat'; did you mean 'openat'?");
    insta::assert_snapshot!(complaint(&["-trace-families", "filez"], 2), @"ior: --trace-families: no family 'filez'; `ior syscalls` lists what there is");
    insta::assert_snapshot!(complaint(&["--no-trace-kinds", "opne"], 2), @"ior: --no-trace-kinds: no kind 'opne'; did you mean 'open'?");
}

#[test]
fn what_cannot_be_together_is_refused() {
    insta::assert_snapshot!(complaint(&["--plain", "--csv", "-"], 2), @"ior: two outputs want standard output (--plain, --csv -, --json -, --parquet -): give all but one a file");
    insta::assert_snapshot!(complaint(&["--csv", "-", "--json", "-"], 2), @"ior: two outputs want standard output (--plain, --csv -, --json -, --parquet -): give all but one a file");
    insta::assert_snapshot!(complaint(&["--csv", "x", "--json", "x"], 2), @"ior: two outputs want the file x: give each its own");
    insta::assert_snapshot!(complaint(&["-p", "1", "--", "true"], 2), @"ior: COMMAND cannot be traced together with -p or -t: run ior twice");
    insta::assert_snapshot!(complaint(&["-f"], 2), @"ior: -f follows the children of -p, -t or COMMAND: name one");
    insta::assert_snapshot!(complaint(&["--totals", "--plain"], 2), @"ior: the argument '--totals' cannot be used with '--plain' (see 'ior --help')");
}

#[test]
fn two_outputs_that_are_one_file_are_refused_however_it_is_called() {
    let directory = Directory::new("one-file");
    let path = |name: &str| directory.0.join(name).to_str().unwrap().to_owned();
    std::os::unix::fs::symlink(".", path("here")).unwrap();
    fs::write(path("there"), "").unwrap();
    std::os::unix::fs::symlink("there", path("link")).unwrap();
    for (csv, json) in [
        ("new", "./new"),
        ("new", "here/new"),
        ("there", "link"),
        ("here/link", "there"),
    ] {
        let message = complaint(&["--csv", &path(csv), "--json", &path(json)], 2);
        assert!(
            message.starts_with("ior: two outputs want the file "),
            "{message}"
        );
    }
    // Not a usage error, so that what comes next is looked at.
    let nulls = ["--csv", "/dev/null", "--json", "/dev/null"];
    complaint(&[&nulls[..], &["-p", "999999999"]].concat(), 1);
    let two = ["--csv", &path("new"), "--json", &path("there")];
    complaint(&[&two[..], &["-p", "999999999"]].concat(), 1);
}

#[test]
fn an_aggregate_has_a_name_that_fits_into_its_files() {
    insta::assert_snapshot!(complaint(&["--flamegraph", "--name", "a/b"], 2), @"ior: invalid value 'a/b' for '--name <NAME>': it becomes part of a file's name: at most 100 bytes, and no `/` (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["-flamegraph", "-max-keys", "0"], 2), @"ior: invalid value '0' for '--max-keys <NUMBER>': expected a number from 1 to 1000000 (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["--name", "x"], 2), @"ior: the following required arguments were not provided: --flamegraph (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["--totals", "--flamegraph"], 2), @"ior: the argument '--totals' cannot be used with '--flamegraph' (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["--fields", "comm"], 2), @"ior: unexpected argument '--fields' found (see 'ior --help')");
}

#[test]
fn what_is_no_recording_is_refused() {
    insta::assert_snapshot!(complaint(&["collapsed"], 2), @"ior: the following required arguments were not provided: <RECORDING> (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["collapsed", "/no/such/file"], 1), @"ior: cannot read /no/such/file: No such file or directory (os error 2)");
    insta::assert_snapshot!(complaint(&["collapsed", "/etc"], 1), @"ior: cannot read /etc: it is a directory without a part (*.parquet)");
    insta::assert_snapshot!(complaint(&["collapsed", "/etc/passwd"], 1), @"ior: cannot read /etc/passwd: it is no recording of ior (.ior.zst or Parquet)");
    insta::assert_snapshot!(complaint(&["collapsed", "/etc/passwd", "--fields", "comm,file"], 2), @"ior: invalid value 'file' for '--fields <LIST>' [possible values: comm, path, syscall, pid, tid, flags] (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["collapsed", "/etc/passwd", "-fields", "comm,comm"], 2), @"ior: --fields: a field is there twice");
    insta::assert_snapshot!(complaint(&["collapsed", "/etc/passwd", "-count", "rows"], 2), @"ior: invalid value 'rows' for '--count <WHAT>' [possible values: calls, latency, gap, bytes, errors] (see 'ior --help')");
    insta::assert_snapshot!(complaint(&["flamegraph", "/etc/passwd"], 2), @"ior: the following required arguments were not provided: --output <FILE> (see 'ior --help')");
    let directory = Directory::new("no-recording");
    let path = |name: &str| directory.0.join(name).to_str().unwrap().to_owned();
    complaint(&["flamegraph", "/etc/passwd", "-o", &path("out.svg")], 1);
    for (name, bytes) in [
        ("empty", &b""[..]),
        ("cut.ior.zst", b"\x50\x2a\x4d\x18\x0c\0\0\0ior-aggr"),
        (
            "newer.ior.zst",
            b"\x50\x2a\x4d\x18\x0c\0\0\0ior-aggr\x09\0\0\0",
        ),
        ("x.parquet", b"PAR1 and so on"),
    ] {
        fs::write(path(name), bytes).unwrap();
        let message = complaint(&["collapsed", &path(name)], 1);
        assert!(
            message.starts_with(&format!("ior: cannot read {}: it ", path(name))),
            "{message}"
        );
    }
    let names = ["cut.ior.zst", "empty", "newer.ior.zst", "x.parquet"];
    assert_eq!(directory.names(), names);
}

#[test]
fn a_process_that_does_not_exist_is_a_failure() {
    insta::assert_snapshot!(complaint(&["-p", "999999999"], 1), @"ior: no process 999999999: it has ended, or the number is of another pid namespace (see `ps -e`)");
    insta::assert_snapshot!(complaint(&["-t", "999999999"], 1), @"ior: no thread 999999999: it has ended, or the number is of another pid namespace (see `ps -eL`)");
}

#[test]
fn an_output_that_cannot_be_written_is_found_before_the_trace() {
    insta::assert_snapshot!(complaint(&["--csv", "/no/such/directory/x.csv"], 1), @"ior: cannot write /no/such/directory/x.csv: no file can be created in its directory: No such file or directory (os error 2)");
    insta::assert_snapshot!(complaint(&["--csv", "/"], 1), @"ior: cannot write /: it is a directory; name a file in it");
    insta::assert_snapshot!(complaint(&["--csv", "/tmp/no-such-directory/"], 1), @"ior: cannot write /tmp/no-such-directory/: it is a directory's name; name a file");
    let long = format!("/tmp/{}", "x".repeat(256));
    assert!(
        complaint(&["--csv", &long, "--", "true"], 125)
            .ends_with("x: File name too long (os error 36)")
    );
    // With COMMAND, which must not run then, the status says that it did not.
    let directory = Directory::new("unwritable");
    let ran = directory.0.join("ran");
    let ran = ran.to_str().unwrap();
    insta::assert_snapshot!(complaint(&["--json", "/no/such/directory/x", "--", "touch", ran], 125), @"ior: cannot write /no/such/directory/x: no file can be created in its directory: No such file or directory (os error 2)");
    assert!(directory.names().is_empty());
}

#[test]
fn a_command_that_cannot_be_run_is_found_before_the_trace() {
    insta::assert_snapshot!(complaint(&["--", "no-such-program"], 125), @"ior: cannot run no-such-program: not found in PATH");
    insta::assert_snapshot!(complaint(&["--", "/etc/passwd"], 125), @"ior: cannot run /etc/passwd: not an executable file");
}

/// The stack of a thread that no machine has room for.
fn without_threads(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ior"))
        .args(args)
        .env("RUST_MIN_STACK", (1u64 << 46).to_string())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn without_a_thread_there_is_one_line_and_no_panic() {
    for (args, status, expected) in [
        (&["--", "true"][..], 125, "ior: cannot run true: "),
        (&["--plain"], 1, "ior: cannot handle signals: "),
    ] {
        let output = without_threads(args);
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{stderr}");
        assert!(
            stderr.starts_with(expected) && stderr.lines().count() == 1,
            "{stderr}"
        );
    }
}

#[test]
fn names_in_messages_do_not_act_on_the_terminal() {
    let message = complaint(&["--csv", "/no/such/\u{1b}[31m\u{202e}x"], 1);
    assert!(
        message.contains("/no/such/\\x1b[31m\\u{202e}x: "),
        "{message}"
    );
}

/// Starts ior with an output that blocks: a fifo nobody reads. Returns when it can be signalled.
fn blocked(directory: &Directory) -> Child {
    let fifo = directory.0.join("fifo");
    let made = Command::new("mkfifo").arg(&fifo).status().unwrap();
    assert!(made.success());
    let child = Command::new(env!("CARGO_BIN_EXE_ior"))
        .arg("--json")
        .arg(directory.0.join("rows.json"))
        .arg("--csv")
        .arg(&fifo)
        .spawn()
        .unwrap();
    let has_thread = || {
        let threads = fs::read_dir(format!("/proc/{}/task", child.id())).unwrap();
        threads
            .filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("comm")).ok())
            .any(|comm| comm == "ior-signals\n")
    };
    while !has_thread() {
        std::thread::yield_now();
    }
    child
}

fn signal(child: &Child, name: &str) {
    // The shell's own: a small system has no kill program.
    let sent = Command::new("sh")
        .args([
            "-c",
            r#"kill "$1" "$2""#,
            "sh",
            name,
            &child.id().to_string(),
        ])
        .status()
        .unwrap();
    assert!(sent.success());
}

#[test]
fn one_signal_ends_a_blocked_run_after_a_while() {
    let directory = Directory::new("blocked");
    let mut child = blocked(&directory);
    signal(&child, "-TERM");
    assert_eq!(child.wait().unwrap().code(), Some(128 + 15));
    assert_eq!(directory.names(), ["fifo"]);
}

#[test]
fn a_second_interrupt_ends_a_blocked_run_at_once() {
    let directory = Directory::new("blocked-twice");
    let mut child = blocked(&directory);
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        signal(&child, "-INT");
    }
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(child.wait().unwrap().code(), Some(128 + 2));
    assert_eq!(directory.names(), ["fifo"]);
}

#[test]
fn a_run_that_fails_to_start_leaves_no_file() {
    let directory = Directory::new("leftover");
    let path = directory.0.join("x.csv");
    fs::write(&path, "old").unwrap();
    let path_text = path.to_str().unwrap();
    complaint(&["--csv", path_text, "--json", "/no/such/directory/x"], 1);
    complaint(&["--csv", path_text, "-p", "999999999"], 1);
    assert_eq!(directory.names(), ["x.csv"]);
    assert_eq!(fs::read(&path).unwrap(), b"old");
}

#[test]
fn a_closed_standard_output_is_no_panic() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ior"))
        .args(["syscalls", "--all"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}
