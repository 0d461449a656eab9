//! Rows made by hand, as every text format writes them, and read back.

use ior_core::{Abi, Details, Dev, Ids, NameSource, Row, Task, syscall};

use super::columns;
use super::{Names, csv, json, plain};

fn task(comm: &[u8]) -> Task {
    Task {
        tid: 4243,
        pid: 4242,
        ppid: 1,
        uid: 1000,
        cgroup_id: 77,
        cgroup: "/user.slice".into(),
        comm: comm.to_vec(),
        process: b"cat".to_vec(),
        start_ns: 1,
    }
}

/// A successful open; the tests change what they are about.
fn row<'a>(task: &'a Task, file: &'a [u8]) -> Row<'a> {
    Row {
        seq: 1,
        time_ns: 1_000_000_007,
        wall_ns: 1_767_225_600_000_000_042,
        gap_ns: 250,
        latency_ns: 1300,
        task,
        syscall: syscall::by_name("openat").unwrap(),
        abi: Abi::X86_64,
        fd: 3,
        ret: 3,
        bytes: 0,
        file,
        old_file: None,
        name_source: NameSource::Kernel,
        filter_epoch: 0,
        details: Details::default(),
        ids: Ids::default(),
        dev: Some(Dev { major: 8, minor: 1 }),
        ino: Some(u64::MAX),
        requested: None,
        offset: None,
        flags: Some(0o2_000_000),
    }
}

/// The rows of the golden tests: an open, a failed open, an interrupted read, a copy, a close of a nameless descriptor, and an
/// exit.
fn with_rows(check: impl FnOnce(&[Row<'_>])) {
    let (cat, hostile) = (task(b"cat"), task(b"a,\"b\"\n"));
    let open = row(&cat, b"/etc/passwd");
    let none = Row {
        fd: -1,
        dev: None,
        ino: None,
        flags: None,
        ..open
    };
    let call = |name| syscall::by_name(name).unwrap();
    let failed = Row {
        fd: -1,
        ret: -2,
        dev: None,
        ino: None,
        file: b"/no,such\xff;\n\"x\"",
        ..open
    };
    check(&[
        open,
        Row {
            seq: 2,
            task: &hostile,
            name_source: NameSource::Argument,
            ..failed
        },
        Row {
            seq: 3,
            syscall: call("read"),
            ret: -512,
            offset: Some(-1),
            requested: Some(4096),
            flags: None,
            ..open
        },
        Row {
            seq: 4,
            syscall: call("copy_file_range"),
            fd: 4,
            ret: 64,
            bytes: 64,
            file: b"/tmp/to",
            old_file: Some(b"/tmp/from"),
            flags: Some(0),
            ..open
        },
        Row {
            seq: 5,
            syscall: call("close"),
            fd: 9,
            ret: -9,
            file: b"",
            name_source: NameSource::None,
            ..none
        },
        Row {
            seq: 6,
            syscall: call("exit"),
            latency_ns: 0,
            ret: 0,
            file: b"",
            name_source: NameSource::None,
            ..none
        },
    ]);
}

fn written(names: Names, write: fn(&Row<'_>, Names, &mut Vec<u8>)) -> Vec<u8> {
    let mut out = Vec::new();
    with_rows(|rows| rows.iter().for_each(|row| write(row, names, &mut out)));
    out
}

/// The records of RFC 4180 text whose lines end in a line feed.
fn parse_csv(mut text: &[u8]) -> Vec<Vec<Vec<u8>>> {
    let mut records = Vec::new();
    let mut record = vec![Vec::new()];
    while let [byte, rest @ ..] = text {
        text = rest;
        match byte {
            b'"' => loop {
                match text {
                    [b'"', b'"', rest @ ..] => {
                        record.last_mut().unwrap().push(b'"');
                        text = rest;
                    }
                    [b'"', rest @ ..] => {
                        text = rest;
                        break;
                    }
                    [byte, rest @ ..] => {
                        record.last_mut().unwrap().push(*byte);
                        text = rest;
                    }
                    [] => panic!("an open quote"),
                }
            },
            b',' => record.push(Vec::new()),
            b'\n' => records.push(std::mem::replace(&mut record, vec![Vec::new()])),
            byte => record.last_mut().unwrap().push(*byte),
        }
    }
    assert_eq!(record, [b""], "the last line has its end");
    records
}

#[test]
fn plain_rows_to_a_pipe_are_exact() {
    let mut out = Vec::new();
    plain::write_header(&mut out);
    out.extend(written(Names::Exact, plain::write_row));
    let expected: &[u8] = b"durationToPrevNs,durationNs,comm,pid.tid,name,ret,notice,file
250,1300,cat,4242.4243,openat,3,,\"/etc/passwd%(3,O_RDONLY|O_CLOEXEC)\"
250,1300,\"a,\"\"b\"\"
\",4242.4243,openat,-2,ENOENT,\"/no,such\xff;
\"\"x\"\"%(-1,O_RDONLY|O_CLOEXEC)\"
250,1300,cat,4242.4243,read,-512,ERESTARTSYS,/etc/passwd%(3)
250,1300,cat,4242.4243,copy_file_range,64,,/tmp/from -> /tmp/to%(4)
250,1300,cat,4242.4243,close,-9,EBADF,%(9)
250,0,cat,4242.4243,exit,0,,
";
    assert_eq!(
        out.escape_ascii().to_string(),
        expected.escape_ascii().to_string()
    );
    assert!(parse_csv(&out).iter().all(|record| record.len() == 8));
}

#[test]
fn plain_rows_on_a_terminal_take_one_line_each() {
    let out = String::from_utf8(written(Names::Escaped, plain::write_row)).unwrap();
    assert_eq!(out.lines().count(), 6);
    assert_eq!(
        out.lines().nth(1).unwrap(),
        r#"250,1300,"a,""b""\n",4242.4243,openat,-2,ENOENT,"/no,such\xff;\n""x""%(-1,O_RDONLY|O_CLOEXEC)""#
    );
}

#[test]
fn csv_rows_have_every_column() {
    let mut out = Vec::new();
    csv::write_header(&mut out);
    out.extend(written(Names::Exact, csv::write_row));
    let expected: &[u8] = b"seq,time_ns,gap_ns,latency_ns,comm,pid,tid,syscall,fd,ret,bytes,file,is_error,filter_epoch,time,\
family,old_file,name_source,process,ppid,uid,cgroup,dev,ino,requested,offset,flags,abi,requested_sleep_ns,nfds,timeout_ns,\
address_space_bytes,epoll_op,epoll_target_fd,epoll_events,errno,flag_names
1,1000000007,250,1300,cat,4242,4243,openat,3,3,0,/etc/passwd,false,0,2026-01-01T00:00:00.000000042Z,FS,,kernel,cat,1,1000,\
/user.slice,8:1,18446744073709551615,,,524288,x86_64,,,,,,,,,O_RDONLY|O_CLOEXEC
2,1000000007,250,1300,\"a,\"\"b\"\"
\",4242,4243,openat,-1,-2,0,\"/no,such\xff;
\"\"x\"\"\",true,0,2026-01-01T00:00:00.000000042Z,FS,,argument,cat,1,1000,/user.slice,,,,,524288,x86_64,,,,,,,,ENOENT,O_RDONLY|O_CLOEXEC
3,1000000007,250,1300,cat,4242,4243,read,3,-512,0,/etc/passwd,false,0,2026-01-01T00:00:00.000000042Z,FS,,kernel,cat,1,1000,\
/user.slice,8:1,18446744073709551615,4096,-1,,x86_64,,,,,,,,ERESTARTSYS,
4,1000000007,250,1300,cat,4242,4243,copy_file_range,4,64,64,/tmp/to,false,0,2026-01-01T00:00:00.000000042Z,FS,/tmp/from,\
kernel,cat,1,1000,/user.slice,8:1,18446744073709551615,,,0,x86_64,,,,,,,,,0
5,1000000007,250,1300,cat,4242,4243,close,9,-9,0,,true,0,2026-01-01T00:00:00.000000042Z,FS,,,cat,1,1000,/user.slice,,,,,,\
x86_64,,,,,,,,EBADF,
6,1000000007,250,0,cat,4242,4243,exit,-1,0,0,,false,0,2026-01-01T00:00:00.000000042Z,Process,,,cat,1,1000,/user.slice,,,,,,\
x86_64,,,,,,,,,
";
    assert_eq!(
        out.escape_ascii().to_string(),
        expected.escape_ascii().to_string()
    );
}

#[test]
fn json_rows_leave_nulls_out() {
    let out = String::from_utf8(written(Names::Exact, json::write_row)).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 6);
    assert_eq!(
        lines[0],
        r#"{"seq":1,"time_ns":1000000007,"gap_ns":250,"latency_ns":1300,"comm":"cat","pid":4242,"tid":4243,"syscall":"openat","fd":3,"ret":3,"bytes":0,"file":"/etc/passwd","is_error":false,"filter_epoch":0,"time":"2026-01-01T00:00:00.000000042Z","family":"FS","name_source":"kernel","process":"cat","ppid":1,"uid":1000,"cgroup":"/user.slice","dev":"8:1","ino":18446744073709551615,"flags":524288,"abi":"x86_64","flag_names":"O_RDONLY|O_CLOEXEC"}"#
    );
    assert_eq!(
        lines[1],
        r#"{"seq":2,"time_ns":1000000007,"gap_ns":250,"latency_ns":1300,"comm":"a,\"b\"\n","pid":4242,"tid":4243,"syscall":"openat","fd":-1,"ret":-2,"bytes":0,"file":"/no,such\\xff;\n\"x\"","is_error":true,"filter_epoch":0,"time":"2026-01-01T00:00:00.000000042Z","family":"FS","name_source":"argument","process":"cat","ppid":1,"uid":1000,"cgroup":"/user.slice","flags":524288,"abi":"x86_64","errno":"ENOENT","flag_names":"O_RDONLY|O_CLOEXEC","file_raw":"L25vLHN1Y2j/OwoieCI="}"#
    );
}

#[test]
fn what_has_no_name_is_a_number() {
    let cat = task(b"cat");
    let row = Row {
        ret: -4000,
        flags: Some(0x8000_0000),
        ..row(&cat, b"/etc/passwd")
    };
    let mut out = Vec::new();
    json::write_row(&row, Names::Exact, &mut out);
    let object: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(object["errno"], "errno 4000");
    assert_eq!(object["flag_names"], "O_RDONLY|0x80000000");
}

/// Names that have tripped a format before, and every single byte.
fn hostile_names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![b'a', byte, b'b']).collect();
    for name in [
        "",
        "\"",
        "\"\"",
        ",",
        "\r\n",
        "a;b",
        "\\",
        "\u{202e}",
        "\u{e0041}\u{2028}",
        "日本\u{9b}",
        "\x1b[2J",
    ] {
        names.push(name.as_bytes().to_vec());
    }
    names.push(b"\xed\xa0\x80\xf0\x9f".to_vec());
    names.push([b'"'; 4096].to_vec());
    names
}

#[test]
fn csv_reads_back_exactly() {
    for name in hostile_names() {
        let comm = task(&name);
        let row = Row {
            old_file: Some(&name),
            ..row(&comm, &name)
        };
        let mut out = Vec::new();
        csv::write_row(&row, Names::Exact, &mut out);
        let records = parse_csv(&out);
        assert_eq!(
            (records.len(), records[0].len()),
            (1, columns::NAMES.len()),
            "{}",
            out.escape_ascii()
        );
        for column in ["comm", "file", "old_file"] {
            let place = columns::NAMES
                .iter()
                .position(|&name| name == column)
                .unwrap();
            assert_eq!(records[0][place], name, "{column}");
        }
    }
}

#[test]
fn json_reads_back_exactly() {
    use base64::Engine;
    for names in [Names::Exact, Names::Escaped] {
        for name in hostile_names() {
            let comm = task(&name);
            let mut out = Vec::new();
            let row = Row {
                old_file: Some(&name),
                ..row(&comm, &name)
            };
            json::write_row(&row, names, &mut out);
            let object: serde_json::Value = serde_json::from_slice(&out).unwrap();
            assert_eq!(object["file"], &*ior_core::escape::utf8(&name));
            assert_eq!(object["comm"], object["file"]);
            for key in ["file_raw", "old_file_raw"] {
                match object.get(key).and_then(|raw| raw.as_str()) {
                    Some(raw) => assert_eq!(
                        base64::engine::general_purpose::STANDARD
                            .decode(raw)
                            .unwrap(),
                        name
                    ),
                    None => assert!(std::str::from_utf8(&name).is_ok()),
                }
            }
            assert_eq!(out.iter().filter(|&&byte| byte == b'\n').count(), 1);
        }
    }
}

#[test]
fn nothing_a_terminal_gets_can_act_on_it() {
    for write in [csv::write_row, plain::write_row, json::write_row] {
        for name in hostile_names() {
            let comm = task(&name);
            let mut out = Vec::new();
            write(
                &Row {
                    old_file: Some(&name),
                    ..row(&comm, &name)
                },
                Names::Escaped,
                &mut out,
            );
            let text = String::from_utf8(out).unwrap();
            assert_eq!(
                text.trim_end_matches('\n')
                    .find(ior_core::escape::is_hostile),
                None,
                "{text:?}"
            );
        }
    }
}
