//! Rows written and read back with the `parquet` crate's own reader, whatever they hold; parts.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use ior_core::{Abi, Details, Dev, Ids, Loss, NameSource, SyscallTotals, Task, Totals, syscall};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row as Record};
use proptest::prelude::*;
use proptest::sample::select;

use super::super::columns::{self, Fields, Value, push_device};
use super::*;

mod disks;

/// Files of a directory, counted.
struct Numbered {
    directory: PathBuf,
    count: Arc<Mutex<u32>>,
}

impl Files for Numbered {
    fn open(&mut self) -> io::Result<File> {
        File::create(self.directory.join("pending"))
    }

    fn complete(&mut self) -> io::Result<()> {
        let mut count = self.count.lock().unwrap();
        *count += 1;
        fs::rename(
            self.directory.join("pending"),
            self.directory.join(format!("{count}.parquet")),
        )
    }
}

/// A directory of its own for a test, with a sink that writes into it.
struct Place {
    directory: PathBuf,
    count: Arc<Mutex<u32>>,
}

impl Place {
    fn new(name: &str) -> Place {
        let directory = std::env::temp_dir().join(format!("ior-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).unwrap();
        Place {
            directory,
            count: Arc::default(),
        }
    }

    fn sink(&self, rotate: Rotate) -> Parquet {
        let files = Numbered {
            directory: self.directory.clone(),
            count: Arc::clone(&self.count),
        };
        Parquet::new(Box::new(files), rotate, About::default()).unwrap()
    }

    fn count(&self) -> u32 {
        *self.count.lock().unwrap()
    }

    fn part(&self, number: u32) -> PathBuf {
        self.directory.join(format!("{number}.parquet"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
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

fn reader(path: &Path) -> SerializedFileReader<File> {
    SerializedFileReader::new(File::open(path).unwrap()).unwrap()
}

fn records(path: &Path) -> Vec<Record> {
    reader(path)
        .get_row_iter(None)
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

fn footer(path: &Path, key: &str) -> String {
    let reader = reader(path);
    let about = reader.metadata().file_metadata().key_value_metadata();
    let found = about.unwrap().iter().find(|entry| entry.key == key);
    found.unwrap().value.clone().unwrap()
}

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

fn row<'a>(seq: u64, task: &'a Task, file: &'a [u8]) -> Row<'a> {
    Row {
        seq,
        time_ns: 1_000_000_007 + 300 * seq,
        wall_ns: 1_767_225_600_000_000_042 + 300 * seq,
        gap_ns: 250 + seq % 7,
        latency_ns: 1300 + seq % 13,
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
        dev: Some(Dev { major: 8, minor: 1 }),
        ino: Some(17),
        requested: Some(1),
        offset: Some(seq.cast_signed()),
        flags: None,
        details: Details::default(),
        ids: Ids::default(),
    }
}

/// The values of a row, as the reader has them.
struct Expected(Vec<Field>);

impl Fields for Expected {
    fn field(&mut self, name: &'static str, value: Value<'_>) {
        let text = |bytes: &[u8]| Field::Str(ior_core::escape::utf8(bytes).into_owned());
        let narrow = ["pid", "tid", "ppid", "uid", "epoll_op", "epoll_events"];
        let field = match value {
            Value::Remark(_) | Value::Flags(_) => return,
            _ if matches!(name, "errno" | "flag_names") => return,
            Value::Null => Field::Null,
            Value::Unsigned(number) if narrow.contains(&name) => Field::UInt(number as u32),
            Value::Unsigned(number) => Field::ULong(number),
            Value::Signed(number) if name == "fd" || name == "epoll_target_fd" => {
                Field::Int(number as i32)
            }
            Value::Signed(number) => Field::Long(number),
            Value::Bool(value) => Field::Bool(value),
            Value::Word(word) => text(word.as_bytes()),
            Value::Text(bytes) => text(bytes),
            // The reader has no type of its own for nanoseconds.
            Value::Time(wall_ns) => Field::Long(wall_ns.cast_signed()),
            Value::Device(device) => {
                let mut out = Vec::new();
                push_device(device, &mut out);
                text(&out)
            }
        };
        self.0.push(field);
    }
}

#[track_caller]
fn check_rows(rows: &[Row<'_>], records: &[Record]) {
    assert_eq!(rows.len(), records.len());
    for (row, record) in rows.iter().zip(records) {
        let mut expected = Expected(Vec::new());
        columns::each(row, &mut expected);
        let got: Vec<Field> = record
            .get_column_iter()
            .map(|(_, field)| field.clone())
            .collect();
        assert_eq!(expected.0, got, "row {}", row.seq);
    }
}

/// What a row borrows.
#[derive(Debug, Clone)]
struct Made {
    task: usize,
    syscall: usize,
    numbers: [u64; 6],
    ret: i64,
    fd: i32,
    file: usize,
    old_file: Option<Vec<u8>>,
    source: NameSource,
    optional: [Option<u64>; 4],
    details: Details,
    has_ids: bool,
}

prop_compose! {
    fn details()(
        wide in any::<[Option<u64>; 3]>(),
        timeout_ns in any::<Option<i64>>(),
        few in any::<[Option<u32>; 2]>(),
        epoll_target_fd in any::<Option<i32>>(),
    ) -> Details {
        Details {
            requested_sleep_ns: wide[0],
            nfds: wide[1],
            timeout_ns,
            address_space_bytes: wide[2],
            epoll_op: few[0],
            epoll_target_fd,
            epoll_events: few[1],
        }
    }
}

prop_compose! {
    fn made()(
        task in 0..4usize,
        syscall in 0..syscall::SYSCALLS.len(),
        numbers in any::<[u64; 6]>(),
        ret in prop_oneof![any::<i64>(), -5..5i64],
        fd in any::<i32>(),
        file in 0..8usize,
        old_file in any::<Option<Vec<u8>>>(),
        source in select(&batch::SOURCES[..]),
        optional in any::<[Option<u64>; 4]>(),
        details in prop_oneof![Just(Details::default()), details()],
        has_ids in any::<bool>(),
    ) -> Made {
        Made { task, syscall, numbers, ret, fd, file, old_file, source, optional, details, has_ids }
    }
}

fn made_row<'a>(
    made: &'a Made,
    tasks: &'a [Task],
    files: &'a [(Vec<u8>, Option<Dev>, Option<u64>)],
) -> Row<'a> {
    let (file, dev, ino) = &files[made.file % files.len()];
    let call = &syscall::SYSCALLS[made.syscall];
    let ids = Ids {
        task: made.task as u32 + 1,
        file: made.file as u64 + 2,
    };
    Row {
        seq: made.numbers[0],
        time_ns: made.numbers[1],
        wall_ns: made.numbers[2] >> 1,
        gap_ns: made.numbers[3],
        latency_ns: made.numbers[4],
        task: &tasks[made.task],
        syscall: call,
        abi: call.abi,
        fd: made.fd,
        ret: made.ret,
        bytes: made.numbers[5],
        file,
        old_file: made.old_file.as_deref(),
        name_source: made.source,
        filter_epoch: made.numbers[5] % 3,
        dev: *dev,
        ino: *ino,
        requested: made.optional[0],
        offset: made.optional[1].map(u64::cast_signed),
        flags: made.optional[2].map(|flags| if flags % 8 == 0 { u64::MAX } else { flags }),
        details: made.details,
        ids: if made.has_ids { ids } else { Ids::default() },
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_row_reads_back(
        made in prop::collection::vec(made(), 0..100),
        comms in any::<[Vec<u8>; 4]>(),
        files in prop::collection::vec((any::<Vec<u8>>(), any::<Option<(u16, u16)>>(), any::<Option<u64>>()), 8),
    ) {
        let place = Place::new("any-row");
        let mut sink = place.sink(Rotate::Never);
        let tasks: Vec<Task> = (0..).zip(&comms).map(|(tid, comm)| task(tid, comm)).collect();
        let dev = |(major, minor): (u16, u16)| Dev { major: major.into(), minor: minor.into() };
        let files: Vec<_> = files.into_iter().map(|(name, d, ino)| (name, d.map(dev), ino)).collect();
        let rows: Vec<Row<'_>> = made.iter().map(|made| made_row(made, &tasks, &files)).collect();
        for row in &rows {
            sink.row(row).unwrap();
        }
        sink.finish(&account()).unwrap();
        check_rows(&rows, &records(&place.part(1)));
    }
}

#[test]
fn many_names_outgrow_dictionaries_and_numbers_begin_anew() {
    let place = Place::new("many-names");
    let mut sink = place.sink(Rotate::Never);
    let task = task(2, b"find");
    let names: Vec<Vec<u8>> = (0..200_000u64)
        .map(|i| {
            format!(
                "/srv/{}/{i:0width$}",
                i % 37,
                width = if i % 5000 == 0 { 4000 } else { 30 }
            )
            .into_bytes()
        })
        .collect();
    let file = |i: usize| &names[if i.is_multiple_of(3) { i / 7 } else { i }];
    let rows: Vec<Row<'_>> = (0..names.len())
        .map(|i| Row {
            ino: Some(file(i).as_ptr() as u64),
            ids: Ids {
                task: 1,
                file: if i % 2 == 0 {
                    0
                } else {
                    file(i).as_ptr() as u64
                },
            },
            ..row(i as u64 + 1, &task, file(i))
        })
        .collect();
    for row in &rows {
        sink.row(row).unwrap();
    }
    sink.finish(&account()).unwrap();
    check_rows(&rows, &records(&place.part(1)));
}

#[test]
fn the_footer_says_what_the_run_has_counted() {
    let place = Place::new("footer");
    let mut sink = place.sink(Rotate::Never);
    let write = SyscallTotals {
        calls: 3,
        errors: 1,
        bytes: 20,
        latency_ns: 900,
        ..SyscallTotals::default()
    };
    let account = Account {
        totals: Totals {
            by_syscall: vec![(syscall::by_name("write").unwrap(), write)],
        },
        loss: Loss {
            rows: 2,
            first_ns: 5,
            last_ns: 9,
            not_seen: None,
            ..Loss::default()
        },
        shed: 1,
        ..account()
    };
    sink.finish(&account).unwrap();
    let of = |key| footer(&place.part(1), key);
    assert_eq!(of("ior.version"), env!("CARGO_PKG_VERSION"));
    assert_eq!(of("ior.schema"), "1");
    assert_eq!(of("ior.started"), "1970-01-01T00:00:00.000000000Z");
    assert_eq!(of("ior.ended"), "1970-01-01T00:00:01.500000000Z");
    assert_eq!(
        of("ior.totals"),
        r#"{"write":{"bytes":20,"calls":3,"errors":1,"latency_ns":900}}"#
    );
    assert_eq!(
        of("ior.loss"),
        r#"{"first_ns":5,"last_ns":9,"not_seen":null,"partial_names":0,"rows":3,"unpaired":0}"#
    );
    assert_eq!(of("ior.complete"), "false");
    assert!(records(&place.part(1)).is_empty());
}

#[test]
fn parts_end_by_size_and_have_every_row_once() {
    let place = Place::new("size");
    let mut sink = place.sink(Rotate::Size(200_000));
    let task = task(2, b"dd");
    for seq in 1..=400_000u64 {
        // Times that do not compress.
        const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
        let gap_ns = (seq.wrapping_mul(MIX) ^ seq.wrapping_mul(MIX) >> 29).wrapping_mul(MIX) >> 32;
        let row = Row {
            gap_ns,
            ..row(seq, &task, b"/dev/zero")
        };
        sink.row(&row).unwrap();
        if seq % 10_000 == 0 {
            // The thread is behind; a part is longer by what is still on the way.
            sink.flush(&account).unwrap();
        }
    }
    sink.finish(&account()).unwrap();
    assert!(place.count() > 2, "{}", place.count());
    let mut seq = 0;
    for number in 1..=place.count() {
        for record in records(&place.part(number)) {
            seq += 1;
            assert_eq!(
                record.get_column_iter().next().unwrap().1,
                &Field::ULong(seq)
            );
        }
        assert_eq!(footer(&place.part(number), "ior.complete"), "true");
    }
    assert_eq!(seq, 400_000);
}

#[test]
fn parts_end_by_time_if_they_have_rows_and_a_loss_stays_with_its_part() {
    let place = Place::new("time");
    let mut sink = place.sink(Rotate::Time(Duration::ZERO));
    let task = task(2, b"dd");
    sink.flush(&account).unwrap();
    sink.row(&row(1, &task, b"/dev/zero")).unwrap();
    let lost = Account {
        loss: Loss {
            rows: 1,
            not_seen: Some(0),
            ..Loss::default()
        },
        ..account()
    };
    sink.flush(&|| lost.clone()).unwrap();
    sink.flush(&|| lost.clone()).unwrap();
    sink.row(&row(2, &task, b"/dev/zero")).unwrap();
    sink.finish(&lost).unwrap();
    assert_eq!(place.count(), 2);
    assert_eq!(footer(&place.part(1), "ior.complete"), "false");
    assert_eq!(footer(&place.part(2), "ior.complete"), "true");
    assert_eq!(
        footer(&place.part(2), "ior.started"),
        "1970-01-01T00:00:01.500000000Z"
    );
    assert_eq!(
        (records(&place.part(1)).len(), records(&place.part(2)).len()),
        (1, 1)
    );
}
