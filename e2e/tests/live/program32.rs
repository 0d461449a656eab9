//! A 32-bit program: its calls have the names of their own table, and are never taken for 64-bit ones of their numbers.

use std::path::Path;
use std::process::Command;

use e2e::harness::process::run;
use e2e::harness::recorder::Programs;
use e2e::harness::scratch::Scratch;
use e2e::harness::{Result, check, rows};

use crate::Test;

pub const TESTS: &[Test] = &[
    ("program", |programs| program(programs, &[])),
    ("program_by_raw_syscalls", |programs| {
        program(programs, &["--hook", "raw_syscalls"])
    }),
];

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/live/program32.c");

/// Name, abi, result, bytes, file inside the directory (empty: none).
type Expected = (&'static str, &'static str, i64, u64, &'static str);

const EXPECTED: [Expected; 10] = [
    ("execve", "x86_64", 0, 0, "program"),
    ("open", "ia32", 3, 0, "out"),
    ("write", "ia32", 5, 5, "out"),
    ("pread64", "ia32", 4, 4, "out"),
    ("stat64", "ia32", 0, 0, "out"),
    ("stat64", "ia32", -2, 0, "none"),
    ("openat", "ia32", -2, 0, "none"),
    ("close", "ia32", 0, 0, "out"),
    ("unlink", "ia32", 0, 0, "out"),
    ("exit", "ia32", 0, 0, ""),
];

fn compile(program: &Path) -> Result<()> {
    // No library, so that no package beside the compiler is needed.
    let options = [
        "-m32",
        "-O1",
        "-static",
        "-nostdlib",
        "-ffreestanding",
        "-fno-pie",
    ];
    let built = run(Command::new("cc")
        .args(options)
        .args(["-no-pie", "-fno-stack-protector", "-o"])
        .arg(program)
        .arg(SOURCE))?;
    check(built.status.success(), || format!("cc -m32: {}", built.err))
}

fn program(programs: &Programs, options: &[&str]) -> Result<()> {
    let scratch = Scratch::new()?;
    let dir = scratch.dir("work")?;
    let (binary, json) = (dir.join("program"), scratch.path().join("rows.json"));
    compile(&binary)?;
    let mut ior = programs.ior(options);
    ior.arg("--json").arg(&json).arg("--").arg(&binary);
    let finished = run(ior.current_dir(&dir))?;
    check(finished.status.success(), || finished.err.clone())?;
    let mut recorded = Vec::new();
    rows::for_each(&json, |row| {
        recorded.push(row);
        Ok(())
    })?;
    let seen: Vec<_> = recorded
        .iter()
        .map(|row| {
            let file = Path::new(&row.file);
            let name = file.strip_prefix(&dir).unwrap_or(file).display();
            let abi = row.abi.as_deref().unwrap_or_default();
            let syscall = row.syscall.as_str();
            format!("{syscall} {abi} = {} {} {name}", row.ret, row.bytes)
        })
        .collect();
    let expected: Vec<_> = EXPECTED
        .iter()
        .map(|(syscall, abi, ret, bytes, name)| format!("{syscall} {abi} = {ret} {bytes} {name}"))
        .collect();
    check(seen == expected, || {
        format!("expected {expected:#?}\nrecorded {seen:#?}")
    })?;
    // Split into two registers: the position is one number.
    check(recorded[3].offset == Some(1), || {
        format!("offset of pread64: {:?}", recorded[3].offset)
    })
}
