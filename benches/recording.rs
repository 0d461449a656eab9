//! How fast rows become a recording: three mixes of rows, from `Row` to batch to Parquet, as rows a second of one core
//! (the CPU time of all threads, so that the figures mean the same on a busy machine), and the bytes of a row.
//!
//! `cargo bench --bench recording`

use std::fs::File;
use std::hint::black_box;
use std::io;
use std::time::{Duration, SystemTime};

use criterion::measurement::{Measurement, ValueFormatter};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ior::sink::{About, Account, Files, Parquet, Rotate, Sink};
use ior_core::{Abi, Details, Dev, Ids, Loss, NameSource, Row, Syscall, Task, Totals, syscall};
use rustix::time::{ClockId, clock_gettime};

/// Rows of one recording: more than a row group.
const ROWS: usize = 1_500_000;

/// CPU time of the process.
struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    fn end(&self, began: Duration) -> Duration {
        self.start() - began
    }

    fn add(&self, one: &Duration, other: &Duration) -> Duration {
        *one + *other
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        &Rate
    }
}

/// Nanoseconds as such, and elements as rows a second.
struct Rate;

impl ValueFormatter for Rate {
    fn scale_values(&self, _: f64, values: &mut [f64]) -> &'static str {
        values.iter_mut().for_each(|ns| *ns /= 1e6);
        "ms"
    }

    fn scale_throughputs(&self, _: f64, rows: &Throughput, values: &mut [f64]) -> &'static str {
        if let Throughput::Elements(rows) = rows {
            values
                .iter_mut()
                .for_each(|ns| *ns = *rows as f64 * 1e3 / *ns);
        }
        "M rows/s"
    }

    fn scale_for_machines(&self, _: &mut [f64]) -> &'static str {
        "ns"
    }
}

/// One file.
struct One(Option<File>);

impl Files for One {
    fn open(&mut self) -> io::Result<File> {
        self.0.take().ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn complete(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Rows and what they borrow.
struct Mix {
    name: &'static str,
    tasks: Vec<Task>,
    names: Vec<Vec<u8>>,
    calls: Vec<Call>,
}

/// What differs from row to row.
struct Call {
    task: usize,
    syscall: &'static Syscall,
    /// A name, and whether it is that of the kernel's object.
    name: (usize, bool),
    fd: i32,
    ret: i64,
    requested: Option<u64>,
    offset: Option<i64>,
    gap_ns: u64,
    latency_ns: u64,
}

/// Numbers that look random and are the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    /// About `usual`, with a tail.
    fn time(&mut self, usual: u64) -> u64 {
        let tail = if self.below(200) == 0 { 40 } else { 1 };
        usual * tail * (80 + self.below(40)) / 100
    }
}

fn call(name: &str) -> &'static Syscall {
    syscall::by_name(name).unwrap_or(&syscall::SYSCALLS[0])
}

fn task(tid: u32, comm: &str) -> Task {
    Task {
        tid,
        pid: 4242,
        ppid: 1,
        uid: 1000,
        cgroup_id: 77,
        cgroup: "/user.slice/user-1000.slice/session-3.scope".into(),
        comm: comm.into(),
        process: comm.into(),
        start_ns: 1,
    }
}

/// One thread reads a byte and writes it, all the time.
fn dd_like() -> Mix {
    let mut random = Random(88_172_645_463_325_252);
    let (read, write) = (call("read"), call("write"));
    let calls = (0..ROWS).map(|i| Call {
        task: 0,
        syscall: if i % 2 == 0 { read } else { write },
        name: (i % 2, true),
        fd: (i % 2) as i32,
        ret: 1,
        requested: Some(1),
        offset: None,
        gap_ns: random.time(180),
        latency_ns: random.time(220),
    });
    Mix {
        name: "dd-like",
        tasks: vec![task(4242, "dd")],
        calls: calls.collect(),
        names: vec![b"/dev/zero".into(), b"/dev/null".into()],
    }
}

/// One thread opens, lists and closes directories and looks at every file in them, by name.
fn find_like() -> Mix {
    let mut random = Random(88_172_645_463_325_253);
    let (mut names, mut calls) = (Vec::new(), Vec::new());
    let mut directory = 0;
    while calls.len() < ROWS {
        let path = format!(
            "/usr/lib/python3/dist-packages/{:x}/module_{directory}",
            directory % 97
        );
        let number = names.len();
        names.push(path.clone().into_bytes());
        let mut push = |syscall, name, fd, ret, requested, offset| {
            calls.push(Call {
                task: 0,
                syscall: call(syscall),
                name,
                fd,
                ret,
                requested,
                offset,
                gap_ns: random.time(900),
                latency_ns: random.time(1500),
            });
        };
        let of_directory = (number, true);
        push("openat", of_directory, 4, 4, None, None);
        push("newfstatat", of_directory, 4, 0, None, None);
        push("getdents64", of_directory, 4, 600, Some(32_768), Some(0));
        push("getdents64", of_directory, 4, 0, Some(32_768), Some(600));
        push("close", of_directory, 4, 0, None, None);
        for file in 0..directory % 23 {
            names.push(format!("{path}/file_{file}.cpython-311.pyc").into_bytes());
            push("newfstatat", (names.len() - 1, false), -1, 0, None, None);
        }
        directory += 1;
    }
    Mix {
        name: "find-like",
        tasks: vec![task(4242, "find")],
        names,
        calls,
    }
}

/// Eight threads read and write pages of twenty files anywhere, and sync now and then.
fn database_like() -> Mix {
    let mut random = Random(88_172_645_463_325_254);
    let calls = (0..ROWS).map(|_| {
        let file = random.below(20) as usize;
        let page = random.below(200_000) as i64 * 8192;
        let (syscall, ret, requested, offset, latency) = match random.below(100) {
            0 => ("fsync", 0, None, None, 900_000),
            1..=30 => ("pwrite64", 8192, Some(8192), Some(page), 6000),
            31..=40 => (
                "pread64",
                random.below(8192) as i64,
                Some(8192),
                Some(page),
                2500,
            ),
            _ => ("pread64", 8192, Some(8192), Some(page), 2500),
        };
        Call {
            task: random.below(8) as usize,
            syscall: call(syscall),
            name: (file, true),
            fd: file as i32 + 7,
            ret,
            requested,
            offset,
            gap_ns: random.time(5000),
            latency_ns: random.time(latency),
        }
    });
    let calls = calls.collect();
    let threads = (0..8).map(|i| task(4242 + i, "postgres"));
    let names =
        (0..20).map(|i| format!("/var/lib/postgresql/15/main/base/16384/{}", 24_576 + i).into());
    Mix {
        name: "database-like",
        tasks: threads.collect(),
        names: names.collect(),
        calls,
    }
}

impl Mix {
    /// Writes all rows.
    fn record(&self, file: File) -> io::Result<()> {
        let mut sink = Parquet::new(Box::new(One(Some(file))), Rotate::Never, About::default())?;
        let mut time_ns = 1_000_000_000;
        for (seq, call) in (1..).zip(&self.calls) {
            time_ns += call.gap_ns;
            sink.row(black_box(&self.row(seq, time_ns, call)))?;
            time_ns += call.latency_ns;
        }
        sink.finish(&Account {
            started: SystemTime::UNIX_EPOCH,
            now: SystemTime::UNIX_EPOCH,
            totals: Totals::default(),
            loss: Loss::default(),
            shed: 0,
        })
    }

    fn row(&self, seq: u64, time_ns: u64, call: &Call) -> Row<'_> {
        let (name, is_object) = call.name;
        Row {
            seq,
            time_ns,
            wall_ns: time_ns + 1_767_225_600_000_000_000,
            gap_ns: call.gap_ns,
            latency_ns: call.latency_ns,
            task: &self.tasks[call.task],
            syscall: call.syscall,
            abi: Abi::X86_64,
            fd: call.fd,
            ret: call.ret,
            bytes: if call.offset.is_some() || call.requested.is_some() {
                call.ret.unsigned_abs()
            } else {
                0
            },
            file: &self.names[name],
            old_file: None,
            name_source: if is_object {
                NameSource::Kernel
            } else {
                NameSource::Argument
            },
            filter_epoch: 0,
            dev: is_object.then_some(Dev { major: 8, minor: 1 }),
            ino: is_object.then_some(1_048_576 + name as u64),
            requested: call.requested,
            offset: call.offset,
            flags: None,
            details: Details::default(),
            ids: Ids {
                task: call.task as u32 + 1,
                // As the kernel makes them.
                file: if is_object {
                    (name as u64 + 2).wrapping_mul(0x9e37_79b9_7f4a_7c15)
                } else {
                    0
                },
            },
        }
    }

    /// Bytes of the file.
    fn size(&self) -> io::Result<u64> {
        let path = std::env::temp_dir().join(format!("ior-bench-{}.parquet", std::process::id()));
        self.record(File::create(&path)?)?;
        let size = std::fs::metadata(&path)?.len();
        std::fs::remove_file(path)?;
        Ok(size)
    }
}

fn recordings(criterion: &mut Criterion<CpuTime>) {
    let mut group = criterion.benchmark_group("parquet");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(ROWS as u64));
    for mix in [dd_like(), find_like(), database_like()] {
        match mix.size() {
            Ok(size) => println!(
                "{}: {:.2} bytes a row",
                mix.name,
                size as f64 / mix.calls.len() as f64
            ),
            Err(error) => println!("{}: {error}", mix.name),
        }
        group.bench_function(mix.name, |bencher| {
            bencher.iter(|| {
                let written = File::create("/dev/null").and_then(|file| mix.record(file));
                assert!(written.is_ok(), "{written:?}");
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().with_measurement(CpuTime);
    targets = recordings
}
criterion_main!(benches);
