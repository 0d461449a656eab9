//! Both formats read back, and what is made of files that are not right.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use ior_core::{Abi, Details, Ids, Loss, NameSource, Row, Task, Totals, syscall};

use super::*;
use crate::collapsed::Stacks;
use crate::sink::{About, Account, Aggregate, Files, Parquet, Rotate, Sink};

/// Numbers that look random, the same every time (xorshift).
pub struct Random(u64);

impl Default for Random {
    fn default() -> Random {
        Random(0x9e37_79b9_7f4a_7c15)
    }
}

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound.max(1)
    }

    /// The bytes with a few of them changed, taken out, repeated or cut off.
    pub fn changed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            let end = (at + 1 + self.below(8)).min(bytes.len());
            match self.below(6) {
                0 => bytes.truncate(at),
                1 => drop(bytes.drain(at..end)),
                2 => bytes.extend_from_within(at..end),
                3 => bytes[at..end].fill(0xff),
                4 => bytes[at..end].fill(0),
                _ => bytes[at..end]
                    .iter_mut()
                    .for_each(|byte| *byte ^= 1 << self.below(8)),
            }
        }
        bytes
    }
}

/// A directory of its own for a test.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("ior-recorded-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct One(PathBuf);

impl Files for One {
    fn open(&mut self) -> std::io::Result<File> {
        File::create(&self.0)
    }

    fn complete(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The same rows in both formats: `x.ior.zst` and `x.parquet`.
fn record(place: &Place) {
    let account = Account {
        started: SystemTime::UNIX_EPOCH,
        now: SystemTime::UNIX_EPOCH,
        totals: Totals::default(),
        loss: Loss {
            not_seen: Some(0),
            ..Loss::default()
        },
        shed: 0,
    };
    let parquet = Box::new(One(place.file("x.parquet")));
    let aggregate = File::create(place.file("x.ior.zst")).unwrap();
    let mut sinks: [Box<dyn Sink>; 2] = [
        Box::new(Parquet::new(parquet, Rotate::Never, About::default()).unwrap()),
        Box::new(Aggregate::new(aggregate, About::default(), 1000)),
    ];
    let tasks = ["cat", "a;b 5", ""].map(|comm| Task {
        tid: 7 + comm.len() as u32,
        pid: 7,
        ppid: 1,
        uid: 0,
        cgroup_id: 0,
        cgroup: String::new(),
        comm: comm.into(),
        process: b"cat".to_vec(),
        start_ns: 0,
    });
    let files = [
        "",
        "/",
        "/etc/passwd",
        "/etc",
        "/etc-x",
        "/a;\n b/c d/ 7",
        "pipe:[1]",
    ];
    let calls = ["read", "openat", "write", "mmap", "stat64"];
    for i in 0..30_000u64 {
        let pick = |of: usize| (i as usize * 7 + i as usize / 13) % of;
        let call = syscall::by_name(calls[pick(calls.len())]).unwrap();
        let row = Row {
            seq: i + 1,
            time_ns: i * 300,
            wall_ns: i * 300,
            gap_ns: i % 50,
            latency_ns: i % 999,
            task: &tasks[pick(tasks.len())],
            syscall: call,
            abi: if i % 11 == 0 { Abi::Ia32 } else { Abi::X86_64 },
            fd: 3,
            ret: i.cast_signed() % 5 - 2,
            bytes: i % 3,
            file: files[pick(files.len())].as_bytes(),
            old_file: None,
            name_source: NameSource::Kernel,
            filter_epoch: 0,
            dev: None,
            ino: None,
            requested: None,
            offset: None,
            flags: (i % 4 > 0).then_some(i % 4),
            details: Details::default(),
            ids: Ids::default(),
        };
        for sink in &mut sinks {
            sink.row(&row).unwrap();
        }
    }
    for mut sink in sinks {
        sink.finish(&account).unwrap();
    }
}

fn collapsed(path: &Path, wanted: &Wanted) -> Result<String> {
    let mut stacks = Stacks::new(wanted);
    read(path, wanted, &mut |calls| stacks.add(calls))?;
    let mut out = Vec::new();
    stacks.write(&mut out)?;
    Ok(String::from_utf8(out)?)
}

const COUNTS: [Count; 5] = [
    Count::Calls,
    Count::Latency,
    Count::Gap,
    Count::Bytes,
    Count::Errors,
];

fn all_wanted() -> impl Iterator<Item = Wanted> {
    use Field::*;
    let fields: [&[Field]; 6] = [
        &[Comm, Path, Syscall],
        &[Syscall, Flags, Pid],
        &[Flags],
        &[Tid],
        &[Path],
        &[Flags, Tid, Pid, Syscall, Path, Comm],
    ];
    COUNTS.into_iter().flat_map(move |count| {
        fields.map(|fields| Wanted {
            fields: fields.to_vec(),
            count,
        })
    })
}

#[test]
fn both_formats_give_the_same_stacks_and_the_right_sums() {
    let place = Place::new("same");
    record(&place);
    let sums = [
        30_000,
        (0..30_000).map(|i| i % 999).sum::<u64>(),
        (0..30_000).map(|i| i % 50).sum(),
        30_000,
        12_000,
    ];
    for wanted in all_wanted() {
        let text = collapsed(&place.file("x.parquet"), &wanted).unwrap();
        assert_eq!(text, collapsed(&place.file("x.ior.zst"), &wanted).unwrap());
        let counts = text.lines().map(|line| line.rsplit_once(' ').unwrap().1);
        let sum: u64 = counts.map(|count| count.parse::<u64>().unwrap()).sum();
        let place = COUNTS.iter().position(|count| *count == wanted.count);
        assert_eq!(sum, sums[place.unwrap()], "{wanted:?}");
    }
}

#[test]
fn what_is_no_recording_is_refused_in_a_line() {
    let place = Place::new("refused");
    let wanted = all_wanted().next().unwrap();
    let path = place.file("x");
    let message = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let error = collapsed(&path, &wanted).unwrap_err();
        assert_eq!(error.chain().count(), 2, "{error:#}");
        error.root_cause().to_string()
    };
    let no_recording = "it is no recording of ior (.ior.zst or Parquet)";
    for bytes in [
        &b""[..],
        b"P",
        b"text\n",
        b"(\xb5/\xfd",
        &format::MAGIC[..15],
    ] {
        assert_eq!(message(bytes), no_recording);
    }
    assert_eq!(message(&format::MAGIC), "it is cut short");
    assert!(message(b"PAR1").starts_with("it is "));
    record(&place);
    let ours = fs::read(place.file("x.parquet")).unwrap();
    let other = |from: &str, to: &str| {
        // The footer is not compressed, and the lengths stay.
        let at = ours
            .windows(from.len())
            .rposition(|bytes| bytes == from.as_bytes());
        let mut bytes = ours.clone();
        bytes[at.unwrap()..][..to.len()].copy_from_slice(to.as_bytes());
        bytes
    };
    assert_eq!(message(&other("ior.schema", "not.schema")), no_recording);
    assert_eq!(
        message(&other("ior.schema\x18\x011", "ior.schema\x18\x012")),
        "it was written by a newer ior (format 2, this one reads 1): update ior"
    );
    assert!(
        message(&other("ior.schema\x18\x011", "ior.schema\x18\x01x"))
            .starts_with("it is damaged: ")
    );
    assert!(read(&place.0, &wanted, &mut |_| ()).is_err());
    assert!(read(&place.file("none"), &wanted, &mut |_| ()).is_err());
}

/// Changes Parquet files at random for `IOR_FUZZ_SECONDS` (2 if it is not set): an error, or an answer.
#[test]
fn changed_parquet_files_are_no_panic() {
    let seconds = std::env::var("IOR_FUZZ_SECONDS").ok();
    let seconds: u64 = seconds.map_or(2, |seconds| seconds.parse().unwrap());
    let place = Place::new("changed");
    record(&place);
    let wanted: Vec<Wanted> = all_wanted().collect();
    let bytes = fs::read(place.file("x.parquet")).unwrap();
    let mut random = Random::default();
    let began = Instant::now();
    for wanted in wanted.iter().cycle() {
        if began.elapsed() >= Duration::from_secs(seconds) {
            break;
        }
        fs::write(place.file("changed"), random.changed(&bytes)).unwrap();
        let _ = collapsed(&place.file("changed"), wanted);
    }
    for len in (0..bytes.len()).step_by(bytes.len() / 300) {
        fs::write(place.file("cut"), &bytes[..len]).unwrap();
        assert!(collapsed(&place.file("cut"), &wanted[0]).is_err(), "{len}");
    }
}
