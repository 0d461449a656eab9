//! Rows added up, written and read back; and what a reader makes of files that are not right.

use std::collections::BTreeMap;
use std::fs;
use std::io::Cursor;
use std::time::{Duration, Instant, SystemTime};

use ior_core::{Abi, Details, Ids, Loss, NameSource, Task, Totals, syscall};
use proptest::prelude::*;

use super::format::{Counts, Record, Unreadable};
use super::*;
use crate::names::Names;

/// What a row is counted as: (comm, pid, tid, call, ABI, file, flags).
type Key = (Vec<u8>, u32, u32, String, String, Vec<u8>, Option<u64>);

/// Counters by key, and whether it is that of everything folded.
type Records = BTreeMap<(bool, Key), Counts>;

fn task(tid: u32, comm: &[u8]) -> Task {
    Task {
        tid,
        pid: tid / 2,
        ppid: 1,
        uid: 1000,
        cgroup_id: 77,
        cgroup: "/user.slice".into(),
        comm: comm.to_vec(),
        process: b"cat".to_vec(),
        start_ns: 1,
    }
}

fn row<'a>(task: &'a Task, file: &'a [u8]) -> Row<'a> {
    Row {
        seq: 1,
        time_ns: 1_000_000_007,
        wall_ns: 1_767_225_600_000_000_042,
        gap_ns: 250,
        latency_ns: 1300,
        task,
        syscall: syscall::by_name("read").unwrap(),
        abi: Abi::X86_64,
        fd: 3,
        ret: 1,
        bytes: 1,
        file,
        old_file: None,
        name_source: NameSource::Kernel,
        filter_epoch: 0,
        dev: None,
        ino: None,
        requested: None,
        offset: None,
        flags: None,
        details: Details::default(),
        ids: Ids::default(),
    }
}

fn account() -> Account {
    Account {
        started: SystemTime::UNIX_EPOCH,
        now: SystemTime::UNIX_EPOCH + Duration::from_millis(1_500),
        totals: Totals::default(),
        loss: Loss {
            not_seen: Some(0),
            ..Loss::default()
        },
        shed: 0,
    }
}

/// The file a sink makes of the rows, and its remark.
fn written(rows: &[Row<'_>], max_keys: usize, name: &str) -> (Vec<u8>, Option<String>) {
    let path = std::env::temp_dir().join(format!("ior-aggregate-{name}-{}", std::process::id()));
    let out = File::create(&path).unwrap();
    let mut sink = Aggregate::new(out, About::default(), max_keys);
    for row in rows {
        sink.row(row).unwrap();
    }
    sink.finish(&account()).unwrap();
    let bytes = fs::read(&path).unwrap();
    fs::remove_file(path).unwrap();
    (bytes, sink.remark())
}

fn read(bytes: &[u8]) -> Result<(Map<String, Value>, Records), Unreadable> {
    let mut records = BTreeMap::new();
    let mut twice = false;
    let about = format::read(Cursor::new(bytes), &mut |record| {
        twice |= records
            .insert((record.folded, key(record)), record.counts.clone())
            .is_some();
    })?;
    assert!(!twice, "a key is there twice");
    Ok((about, records))
}

fn key(record: &Record<'_>) -> Key {
    (
        record.comm.to_vec(),
        record.pid,
        record.tid,
        String::from_utf8(record.syscall.to_vec()).unwrap(),
        String::from_utf8(record.abi.to_vec()).unwrap(),
        record.file.to_vec(),
        record.flags,
    )
}

fn key_of(row: &Row<'_>) -> Key {
    (
        row.task.comm.clone(),
        row.task.pid,
        row.task.tid,
        row.syscall.name.to_owned(),
        row.abi.as_str().to_owned(),
        row.file.to_vec(),
        row.flags,
    )
}

/// The counters of rows, computed another way.
fn counts_of(rows: &[&Row<'_>]) -> ([u64; 5], Vec<(u8, u64)>) {
    let sum = |of: fn(&Row<'_>) -> u64| {
        rows.iter()
            .fold(0, |sum: u64, row| sum.saturating_add(of(row)))
    };
    let mut buckets = BTreeMap::new();
    for row in rows {
        let bucket = (0..39)
            .find(|bucket| row.latency_ns < 2 << bucket)
            .unwrap_or(39);
        *buckets.entry(bucket).or_default() += 1;
    }
    let sums = [
        rows.len() as u64,
        sum(|row| row.latency_ns),
        sum(|row| row.gap_ns),
        sum(|row| row.bytes),
        sum(|row| u64::from(row.is_error())),
    ];
    (sums, buckets.into_iter().collect())
}

fn as_computed(counts: &Counts) -> ([u64; 5], Vec<(u8, u64)>) {
    let sums = [
        counts.calls,
        counts.latency_ns,
        counts.gap_ns,
        counts.bytes,
        counts.errors,
    ];
    (sums, counts.histogram.buckets().collect())
}

/// What a row borrows.
#[derive(Debug, Clone)]
struct Made {
    task: usize,
    syscall: usize,
    numbers: [u64; 3],
    ret: i64,
    file: usize,
    flags: Option<u64>,
    has_ids: bool,
}

prop_compose! {
    fn made()(
        task in 0..4usize,
        syscall in prop_oneof![0..4usize, 0..syscall::SYSCALLS.len()],
        numbers in prop_oneof![any::<[u64; 3]>(), [0..9u64, 0..9_000u64, 0..9u64]],
        ret in prop_oneof![any::<i64>(), -5..5i64],
        file in 0..4usize,
        flags in prop_oneof![Just(None), any::<Option<u64>>(), (0..3u64).prop_map(Some)],
        has_ids in any::<bool>(),
    ) -> Made {
        Made { task, syscall, numbers, ret, file, flags, has_ids }
    }
}

fn made_row<'a>(made: &Made, tasks: &'a [Task], files: &'a [Vec<u8>]) -> Row<'a> {
    let call = &syscall::SYSCALLS[made.syscall];
    let ids = Ids {
        task: made.task as u32 + 1,
        file: made.file as u64 + 2,
    };
    Row {
        syscall: call,
        abi: call.abi,
        gap_ns: made.numbers[0],
        latency_ns: made.numbers[1],
        bytes: made.numbers[2],
        ret: made.ret,
        flags: made.flags,
        ids: if made.has_ids { ids } else { Ids::default() },
        ..row(&tasks[made.task], &files[made.file])
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn any_rows_add_up_and_read_back(
        made in prop::collection::vec(made(), 0..60),
        comms in any::<[Vec<u8>; 4]>(),
        files in any::<[Vec<u8>; 4]>(),
        max_keys in prop_oneof![Just(1000usize), 1..20usize],
    ) {
        let tasks: Vec<Task> = (0..).zip(&comms).map(|(tid, comm)| task(tid, comm)).collect();
        let rows: Vec<Row<'_>> = made.iter().map(|made| made_row(made, &tasks, &files)).collect();
        let (bytes, remark) = written(&rows, max_keys, "any");
        let (about, records) = read(&bytes).unwrap();
        let mut folded: BTreeMap<(String, String), Vec<&Row<'_>>> = BTreeMap::new();
        let mut found = 0;
        for key in rows.iter().map(key_of).collect::<std::collections::BTreeSet<_>>() {
            let of_key = rows.iter().filter(|row| key_of(row) == key);
            match records.get(&(false, key.clone())) {
                Some(counts) => {
                    found += 1;
                    prop_assert_eq!(as_computed(counts), counts_of(&of_key.collect::<Vec<_>>()));
                }
                None => folded.entry((key.3.clone(), key.4.clone())).or_default().extend(of_key),
            }
        }
        for ((call, abi), rows) in &folded {
            let key = (Vec::new(), 0, 0, call.clone(), abi.clone(), Vec::new(), None);
            prop_assert_eq!(as_computed(&records[&(true, key)]), counts_of(rows));
        }
        prop_assert_eq!(records.len(), found + folded.len());
        prop_assert!(found <= max_keys);
        let calls: usize = folded.values().map(Vec::len).sum();
        prop_assert_eq!(calls > 0, remark.is_some());
        let said = format!(r#"{{"calls":{calls},"max_keys":{max_keys}}}"#);
        prop_assert_eq!(about["ior.folded"].as_str(), Some(said.as_str()));
    }

    #[test]
    fn any_bytes_are_no_panic(bytes: Vec<u8>) {
        prop_assert!(read(&bytes).is_err());
        prop_assert!(read(&with_body(&bytes)).is_err());
    }
}

/// A file with this in its compressed part.
fn with_body(body: &[u8]) -> Vec<u8> {
    let zip = zstd::stream::encode_all(body, 1).unwrap();
    [&format::MAGIC[..], &format::VERSION.to_le_bytes(), &zip].concat()
}

fn body_of(bytes: &[u8]) -> Vec<u8> {
    zstd::stream::decode_all(&bytes[format::MAGIC.len() + 4..]).unwrap()
}

/// A file with a bit of everything.
fn small() -> Vec<u8> {
    let (cat, other) = (task(4, b"cat"), task(5, b"\xff;\n 1"));
    let openat = syscall::by_name("openat").unwrap();
    let failed = Row {
        syscall: openat,
        flags: Some(0o2_000_000),
        ret: -2,
        bytes: 0,
        ..row(&cat, b"/no/such")
    };
    let slow = Row {
        latency_ns: u64::MAX / 3,
        ..row(&other, b"/etc/passwd")
    };
    written(&[row(&cat, b"/etc/passwd"), failed, slow, slow], 2, "small").0
}

#[test]
fn facts_are_those_of_the_run() {
    let (about, records) = read(&small()).unwrap();
    assert_eq!(about["ior.version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(about["ior.ended"], "1970-01-01T00:00:01.500000000Z");
    assert_eq!(about["ior.complete"], "true");
    assert_eq!(about["ior.folded"], r#"{"calls":2,"max_keys":2}"#);
    assert_eq!(records.len(), 3);
}

#[test]
fn decompressors_skip_what_is_before_the_frame() {
    let bytes = small();
    assert_eq!(zstd::stream::decode_all(&*bytes).unwrap(), body_of(&bytes));
}

#[test]
fn a_file_that_was_cut_is_an_error() {
    let bytes = small();
    for len in 0..bytes.len() {
        let error = read(&bytes[..len]).unwrap_err();
        assert!(matches!(error, Unreadable::Cut), "{len}: {error}");
    }
    let body = body_of(&bytes);
    for len in 0..body.len() {
        let error = read(&with_body(&body[..len])).unwrap_err();
        assert!(matches!(error, Unreadable::Cut), "{len}: {error}");
    }
}

#[test]
fn a_flipped_bit_is_an_error_or_changes_nothing() {
    let bytes = small();
    let right = read(&bytes).unwrap();
    let mut harmless = 0;
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        match read(&flipped) {
            Err(_) => {}
            Ok(got) => {
                assert_eq!(got, right, "bit {bit}");
                harmless += 1;
            }
        }
    }
    // The frame's reserved bits, and those of the window's size.
    assert!(harmless < 32, "{harmless}");
}

#[test]
fn what_is_of_another_kind_version_or_length_is_refused() {
    let bytes = small();
    let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert!(matches!(
        read(b"seventeen bytes.."),
        Err(Unreadable::NotOurs)
    ));
    let mut newer = bytes.clone();
    newer[format::MAGIC.len()] = 2;
    assert_eq!(
        message(&newer),
        "it was written by a newer ior (format 2, this one reads 1): update ior"
    );
    newer[format::MAGIC.len()] = 0;
    assert_eq!(message(&newer), "it is damaged: it has no version");
    let longer = [&bytes[..], &zstd::stream::encode_all(&b"x"[..], 1).unwrap()].concat();
    assert_eq!(message(&longer), "it is damaged: something follows its end");
    assert!(read(&[&bytes[..], b"x"].concat()).is_err());
    let body = |body: &[u8]| message(&with_body(body));
    // Lengths that nothing stands behind: 2^63, and as much as is allowed.
    let huge = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1];
    assert_eq!(
        body(&huge),
        "it is damaged: the text about the run is too long"
    );
    assert_eq!(body(&[0x80, 0x80, 0x80, 8, b'{']), "it is cut short");
    assert_eq!(
        body(b"\x01x"),
        "it is damaged: the text about the run is no JSON object"
    );
    assert_eq!(
        body(&[&b"\x02{}"[..], &huge].concat()),
        "it is damaged: too many names"
    );
    assert_eq!(body(b"\x02{}\x80\x80\x80\x02"), "it is cut short");
    assert_eq!(
        body(&[&b"\x02{}\x01"[..], &huge].concat()),
        "it is damaged: a name is too long"
    );
    assert_eq!(
        body(&[&b"\x02{}\0"[..], &huge].concat()),
        "it is damaged: too many records"
    );
    assert_eq!(
        body(b"\x02{}\0\x01\0\0"),
        "it is damaged: a name is missing"
    );
    assert_eq!(
        body(b"\x02{}\0\x01\x04"),
        "it is damaged: a record of no known kind"
    );
    assert_eq!(body(&[0xff; 12]), "it is damaged: a number is too large");
    assert_eq!(
        body(b"\x02{}\0\0\x01\0\0\0\0"),
        "it is damaged: the records are not what they add up to"
    );
    assert!(read(&with_body(b"\x02{}\0\0\0\0\0\0\0")).is_ok());
}

#[test]
fn a_bomb_is_refused() {
    // A record count that is allowed, and then names without end.
    let mut zip = zstd::stream::Encoder::new(Vec::new(), 1).unwrap();
    zip.write_all(b"\x02{}\x80\x80\x80\x02").unwrap();
    let name = [&[0x80, 0x80, 4][..], &vec![b'x'; 64 << 10]].concat();
    for _ in 0..(321 << 20) / name.len() {
        zip.write_all(&name).unwrap();
    }
    let zip = zip.finish().unwrap();
    let bytes = [&format::MAGIC[..], &format::VERSION.to_le_bytes(), &zip].concat();
    assert!(bytes.len() < 100_000);
    let error = read(&bytes).unwrap_err().to_string();
    assert_eq!(error, "it is damaged: the names are too long");
}

/// Changes files at random for `IOR_FUZZ_SECONDS` (2 if it is not set), compressed or not: an error, or an answer.
#[test]
fn changed_files_are_no_panic() {
    let seconds = std::env::var("IOR_FUZZ_SECONDS").ok();
    let seconds: u64 = seconds.map_or(2, |seconds| seconds.parse().unwrap());
    let file = small();
    let body = body_of(&file);
    let mut random = crate::recorded::tests::Random::default();
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(seconds) {
        let _ = read_any(&random.changed(&file));
        let _ = read_any(&with_body(&random.changed(&body)));
    }
}

/// Unlike [`read`] takes a key twice.
fn read_any(bytes: &[u8]) -> Result<(), Unreadable> {
    format::read(Cursor::new(bytes), &mut |_| ()).map(drop)
}

#[test]
fn names_do_not_fill_the_memory() {
    let task = task(2, b"find");
    let names: Vec<Vec<u8>> = (0..10u8).map(|i| vec![b'a' + i; 4000]).collect();
    let rows: Vec<Row<'_>> = names.iter().map(|name| row(&task, name)).collect();
    let (bytes, remark) = written(&rows, 100, "long-names");
    let (_, records) = read(&bytes).unwrap();
    // 100 keys have 256 bytes each; one entry is that of all others.
    assert_eq!(records.len(), 100 * table::NAME_BYTES / 4000 + 1);
    assert_eq!(
        remark.unwrap(),
        "4 calls are in [other]: more than 100 keys of thread, call, file and flags (--max-keys)"
    );
}

#[test]
fn a_full_device_is_an_error() {
    let out = File::options().write(true).open("/dev/full").unwrap();
    let mut sink = Aggregate::new(out, About::default(), 10);
    let error = sink.finish(&account()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
    assert!(sink.finish(&account()).is_err());
}

#[test]
fn an_empty_run_is_a_file() {
    let (bytes, remark) = written(&[], 10, "empty");
    assert_eq!((read(&bytes).unwrap().1.len(), remark), (0, None));
    let names = Names::default();
    assert!(format::write(Vec::new(), b"{}", &names, std::iter::empty()).is_ok());
}
