//! What filters match, and that what is shown can be typed.

use proptest::prelude::*;

use super::*;
use crate::row::{Abi, Details, Ids, NameSource, Task};
use crate::syscall;

fn task() -> Task {
    Task {
        tid: 12,
        pid: 11,
        ppid: 1,
        uid: 1000,
        cgroup_id: 0,
        cgroup: String::new(),
        comm: b"worker/3".to_vec(),
        process: b"Bash".to_vec(),
        start_ns: 0,
    }
}

/// A failed `openat` of `/etc/Passwd`, 100 µs long.
fn row(task: &Task) -> Row<'_> {
    Row {
        seq: 1,
        time_ns: 5,
        wall_ns: 6,
        gap_ns: 7,
        latency_ns: 100_000,
        task,
        syscall: syscall::by_name("openat").unwrap(),
        abi: Abi::X86_64,
        fd: -1,
        ret: -2,
        bytes: 4096,
        file: b"/etc/Passwd",
        old_file: None,
        name_source: NameSource::Argument,
        filter_epoch: 0,
        details: Details::default(),
        ids: Ids::default(),
        dev: None,
        ino: None,
        requested: None,
        offset: Some(-5),
        flags: Some(0),
    }
}

fn holds(filter: &str) -> bool {
    let filter = Filter::parse(filter).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(
        Filter::parse(&filter.to_string()).as_ref(),
        Ok(&filter),
        "{filter}"
    );
    filter.matches(&row(&task()))
}

#[test]
fn conditions_that_hold() {
    for filter in [
        "",
        "  ",
        "comm~WORK",
        "comm=worker/3",
        "comm~^worker",
        "comm~/3$",
        "comm~^worker/3$",
        "comm~/^wo.*\\d$/",
        "process~bash",
        "process!=bash",
        "process!~zsh",
        "syscall=openat",
        "family=fs",
        "family!=Network",
        "file~^/etc/",
        "file~/etc/",
        "file~passwd$",
        "file~/(passwd|shadow)$/",
        "!file~/proc",
        "file~/^.etc./",
        "!file=/etc/passwd",
        "\"file~/ETC\"",
        "pid=11",
        "tid!=11 tid=12",
        "ppid<2 uid>=1000",
        "latency>=100us",
        "latency<=0.1ms latency<1",
        "!latency>100us",
        "gap=7ns",
        "bytes=4k bytes>4095 bytes<4.1k",
        "ret=-2",
        "ret=ENOENT",
        "ret!=EPERM",
        "fd=-1 fd<0",
        "errors",
        "offset=-5 offset<0",
        "!requested>=0 requested!=5",
        "!old_file~x old_file!=x",
        "comm~work file~etc errors",
    ] {
        assert!(holds(filter), "{filter}");
    }
}

#[test]
fn conditions_that_do_not_hold() {
    for filter in [
        "comm~bash",
        "comm=worker",
        "comm~^orker",
        "comm~worker$",
        "comm~/^w$/",
        "!errors",
        "file~/proc",
        "file=",
        "file=\"\"",
        "pid=1",
        "requested>=0",
        "old_file~x",
        "old_file=\"\"",
        "syscall!=openat",
        "latency>100us",
        "comm~work pid=1",
        "file~/p.sswd/",
        "file~/^etc/",
        "comm!~work",
        "!comm!~bash",
    ] {
        assert!(!holds(filter), "{filter}");
    }
}

#[test]
fn file_means_either_name_of_a_call_with_two() {
    let task = task();
    let renamed = Row {
        old_file: Some(b"/tmp/Draft"),
        ..row(&task)
    };
    let holds = |filter: &str| Filter::parse(filter).unwrap().matches(&renamed);
    for filter in [
        "file~passwd file~draft",
        "file=/etc/Passwd file=/tmp/Draft",
        "file~^/tmp/ file!~/var",
        "old_file~draft !old_file~passwd",
        "file!=/etc",
    ] {
        assert!(holds(filter), "{filter}");
    }
    for filter in [
        "!file~passwd",
        "file!~draft",
        "file!=/tmp/Draft",
        "!file=/etc/Passwd",
        "old_file~passwd",
    ] {
        assert!(!holds(filter), "{filter}");
    }
    assert!(
        Condition::path_contains(b"draft")
            .unwrap()
            .matches(&renamed)
    );
}

#[test]
fn a_filter_is_shown_as_it_can_be_typed() {
    for (typed, shown) in [
        (
            "  latency>=100us   bytes>4k ret=-2 errors",
            "latency>=100us bytes>4k ret=-2 errors",
        ),
        (
            "!comm=a !comm!=b !comm~c comm!~d",
            "comm!=a comm=b !comm~c !comm~d",
        ),
        (
            "file~\"a b\" file=\"\" comm=\"q\\\"\\\\\"",
            "file~\"a b\" file=\"\" comm=\"q\\\"\\\\\"",
        ),
        ("file=\"\\xff\\x0a\"", "file=\"\\xff\\x0a\""),
        ("file=a\\b", "file=a\\b"),
        (
            "latency>60 family=aio ret=EIO",
            "latency>1m family=AIO ret=-5",
        ),
        ("!pid=1 !pid>1", "pid!=1 !pid>1"),
    ] {
        assert_eq!(Filter::parse(typed).unwrap().to_string(), shown);
    }
}

#[test]
fn a_bad_filter_is_one_line_that_names_the_part() {
    for (filter, expected) in [
        (
            "comm~a foo=1",
            "`foo=1`: no column `foo`; there are comm, process, syscall, family, file, old_file, pid, tid, ppid, uid, fd, \
             ret, bytes, latency, gap, requested, offset, errors",
        ),
        ("comm", "`comm`: write comm=TEXT, comm!=TEXT or comm~TEXT"),
        (
            "comm>a",
            "`comm>a`: write comm=TEXT, comm!=TEXT or comm~TEXT",
        ),
        ("errors=1", "`errors=1`: write `errors` or `!errors`"),
        (
            "pid~1",
            "`pid~1`: write pid, one of = != > >= < <= and a number",
        ),
        (
            "latency",
            "`latency`: write latency, one of = != > >= < <= and a duration like 100us",
        ),
        (
            "pid=-1",
            "`pid=-1`: `-1` is no whole number from 0 to 4294967295",
        ),
        (
            "ret=EFOO",
            "`ret=EFOO`: `EFOO` is no whole number and no errno's name",
        ),
        (
            "bytes>4x",
            "`bytes>4x`: `4x` is no size: write a number and k, M, G, T (powers of 1024; without a unit: bytes)",
        ),
        (
            "syscall=opnat",
            "`syscall=opnat`: no syscall `opnat`; `ior syscalls` lists them",
        ),
        (
            "family=Disk",
            "`family=Disk`: no family `Disk`; there are FS, AIO, Network, Memory, IPC, Polling, Process, Sched, Security, \
             Signals, Time, Misc",
        ),
        ("comm~", "`comm~`: no pattern: it is empty"),
        ("comm~/(/", "`comm~/(/`: no pattern: error: unclosed group"),
        ("file=\"a", "`file=\"a`: the closing \" is missing"),
    ] {
        let error = Filter::parse(filter).unwrap_err().to_string();
        assert_eq!(error, expected);
        assert!(!error.contains('\n'));
    }
}

#[test]
fn the_command_lines_options_are_conditions() {
    let filter = Filter::default()
        .and(Condition::path_contains(b"PASS").unwrap())
        .and(Condition::errors())
        .and(Condition::min_latency(100_000));
    assert_eq!(filter.to_string(), "file~PASS errors latency>=100us");
    assert!(filter.matches(&row(&task())));
    assert!(
        !filter
            .and(Condition::min_latency(100_001))
            .matches(&row(&task()))
    );
    assert!(Condition::path_contains(b"").is_err());
}

#[test]
fn a_cell_becomes_a_condition() {
    let task = task();
    let row = row(&task);
    let shown = |column| Condition::same(column, &row).map(|condition| condition.to_string());
    assert_eq!(shown(Column::File).as_deref(), Some("file=/etc/Passwd"));
    assert_eq!(shown(Column::Latency).as_deref(), Some("latency=100us"));
    assert_eq!(shown(Column::Errors).as_deref(), Some("errors"));
    assert_eq!(shown(Column::OldFile), None);
    assert_eq!(shown(Column::Requested), None);
    for column in Column::ALL {
        if let Some(condition) = Condition::same(column, &row) {
            assert!(condition.matches(&row), "{condition}");
            assert!(!condition.negate().matches(&row));
        }
    }
}

#[test]
fn undoing_a_push_restores_the_filter() {
    let mut filter = Filter::parse("errors").unwrap();
    filter.push(Condition::min_latency(1));
    assert_eq!(filter.pop(), Some(Condition::min_latency(1)));
    assert_eq!(filter.to_string(), "errors");
}

proptest! {
    #[test]
    fn a_literal_finds_itself_and_reads_back(text in prop::collection::vec(prop_oneof![
        prop::sample::select(b"/^$\\. \"aB~!=\n\xff\xc3".to_vec()), any::<u8>()
    ], 1..12)) {
        let condition = Condition::path_contains(&text).unwrap();
        let task = task();
        let mut row = row(&task);
        row.file = &text;
        prop_assert!(condition.matches(&row), "{}", condition);
        let again = Filter::parse(&condition.to_string()).unwrap();
        prop_assert_eq!(again.conditions(), std::slice::from_ref(&condition));
        prop_assert!(again.matches(&row), "{}", condition);
        let exact = Condition::same(Column::File, &row).unwrap();
        let again = Filter::parse(&exact.to_string()).unwrap();
        prop_assert_eq!(again.conditions(), std::slice::from_ref(&exact));
    }

    #[test]
    fn any_text_is_answered_with_one_line(text: String) {
        match Filter::parse(&text) {
            Ok(filter) => prop_assert_eq!(Filter::parse(&filter.to_string()), Ok(filter)),
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }

    #[test]
    fn what_is_accepted_reads_back(
        column in prop::sample::select(Column::ALL.map(Column::name).to_vec()),
        operator in prop::sample::select(vec!["=", "!=", "~", "!~", ">", ">=", "<", "<="]),
        value in "[/^$a-c.0-9k\" ]{0,6}",
        not in "!?",
    ) {
        if let Ok(filter) = Filter::parse(&format!("{not}{column}{operator}{value}")) {
            prop_assert_eq!(Filter::parse(&filter.to_string()), Ok(filter));
        }
    }
}
