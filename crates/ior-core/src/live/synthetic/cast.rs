//! Who does what in the made-up workload.

/// A process, with how often it acts.
#[derive(Debug)]
pub(super) struct Player {
    pub(super) process: &'static [u8],
    pub(super) pid: u32,
    pub(super) uid: u32,
    /// Names of threads; the first one leads.
    pub(super) threads: &'static [&'static [u8]],
    /// Calls a second.
    pub(super) rate: f64,
    pub(super) rhythm: Rhythm,
    pub(super) acts: &'static [Act],
}

/// When a process acts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rhythm {
    /// All the time.
    Steady,
    /// More and less, in waves of so many seconds.
    Waves(f64),
    /// Of so many seconds only the first few.
    Bursts(f64, f64),
}

/// A call, with how often it is made.
#[derive(Debug)]
pub(super) struct Act {
    pub(super) share: u32,
    pub(super) syscall: &'static str,
    /// A name; `#` in it is a number below `files`, low ones more often.
    pub(super) file: &'static [u8],
    pub(super) old_file: Option<&'static [u8]>,
    pub(super) files: u32,
    /// Payload, at most.
    pub(super) bytes: u64,
    /// Median latency, nanoseconds.
    pub(super) latency_ns: f64,
    /// How far it spreads: e to this is one standard deviation.
    pub(super) spread: f64,
    /// An errno, and of 1,000 calls how many return it.
    pub(super) error: Option<(i64, u64)>,
}

const ENOENT: i64 = 2;
const EAGAIN: i64 = 11;
const EACCES: i64 = 13;

const fn act(share: u32, syscall: &'static str, file: &'static [u8], latency_ns: f64) -> Act {
    Act {
        share,
        syscall,
        file,
        old_file: None,
        files: 1,
        bytes: 0,
        latency_ns,
        spread: 0.5,
        error: None,
    }
}

impl Act {
    const fn of(self, files: u32) -> Act {
        Act { files, ..self }
    }

    const fn up_to(self, bytes: u64) -> Act {
        Act { bytes, ..self }
    }

    const fn spread(self, spread: f64) -> Act {
        Act { spread, ..self }
    }

    const fn fails(self, errno: i64, of_1000: u64) -> Act {
        Act {
            error: Some((errno, of_1000)),
            ..self
        }
    }

    const fn from(self, old_file: &'static [u8]) -> Act {
        Act {
            old_file: Some(old_file),
            ..self
        }
    }
}

/// All of them.
pub(super) const CAST: &[Player] = &[
    Player {
        process: b"nginx",
        pid: 812,
        uid: 33,
        threads: &[b"nginx"],
        rate: 1400.0,
        rhythm: Rhythm::Waves(60.0),
        acts: &[
            act(20, "openat", b"/var/www/html/assets/img-#.webp", 2_600.0)
                .of(80)
                .fails(ENOENT, 45),
            act(30, "read", b"/var/www/html/assets/img-#.webp", 1_900.0)
                .of(80)
                .up_to(65_536),
            act(18, "sendfile64", b"socket:[48213]", 14_000.0)
                .from(b"/var/www/html/assets/img-#.webp")
                .of(80)
                .up_to(262_144),
            act(12, "write", b"/var/log/nginx/access.log", 3_100.0).up_to(320),
            act(4, "read", b"socket:[48213]", 1_200.0)
                .up_to(2_048)
                .fails(EAGAIN, 300),
            act(16, "close", b"/var/www/html/assets/img-#.webp", 420.0).of(80),
        ],
    },
    Player {
        process: b"postgres",
        pid: 1033,
        uid: 114,
        threads: &[b"postgres"],
        rate: 900.0,
        rhythm: Rhythm::Waves(45.0),
        acts: &[
            act(
                50,
                "pread64",
                b"/var/lib/postgresql/16/main/base/16384/#",
                5_200.0,
            )
            .of(40)
            .up_to(8_192)
            .spread(1.1),
            act(
                24,
                "pwrite64",
                b"/var/lib/postgresql/16/main/base/16384/#",
                7_900.0,
            )
            .of(40)
            .up_to(8_192),
            act(
                10,
                "lseek",
                b"/var/lib/postgresql/16/main/base/16384/#",
                380.0,
            )
            .of(40),
            act(
                12,
                "pwrite64",
                b"/var/lib/postgresql/16/main/pg_wal/00000001000000000000004#",
                11_000.0,
            )
            .of(9)
            .up_to(32_768),
            act(
                4,
                "fdatasync",
                b"/var/lib/postgresql/16/main/pg_wal/00000001000000000000004#",
                3_800_000.0,
            )
            .of(9)
            .spread(1.0),
        ],
    },
    Player {
        process: b"checkpointer",
        pid: 1036,
        uid: 114,
        threads: &[b"postgres"],
        rate: 160.0,
        rhythm: Rhythm::Bursts(30.0, 4.0),
        acts: &[
            act(
                30,
                "pwrite64",
                b"/var/lib/postgresql/16/main/base/16384/#",
                9_000.0,
            )
            .of(40)
            .up_to(8_192),
            act(
                6,
                "fsync",
                b"/var/lib/postgresql/16/main/base/16384/#",
                24_000_000.0,
            )
            .of(40)
            .spread(1.2),
            act(
                1,
                "rename",
                b"/var/lib/postgresql/16/main/pg_wal/archive_status/#.done",
                31_000.0,
            )
            .from(b"/var/lib/postgresql/16/main/pg_wal/archive_status/#.ready")
            .of(20),
        ],
    },
    Player {
        process: b"cargo",
        pid: 4410,
        uid: 1000,
        threads: &[
            b"cargo",
            b"rustc",
            b"rustc",
            b"opt cgu.0",
            b"opt cgu.1",
            b"ld.lld",
        ],
        rate: 2600.0,
        rhythm: Rhythm::Bursts(20.0, 13.0),
        acts: &[
            act(
                26,
                "openat",
                b"/home/ada/.cargo/registry/src/index.crates.io/crate-#/src/lib.rs",
                3_400.0,
            )
            .of(60)
            .fails(ENOENT, 120),
            act(
                26,
                "read",
                b"/home/ada/.cargo/registry/src/index.crates.io/crate-#/src/lib.rs",
                2_100.0,
            )
            .of(60)
            .up_to(32_768),
            act(
                18,
                "statx",
                b"/home/ada/project/target/debug/deps/lib#.rmeta",
                1_500.0,
            )
            .of(60)
            .fails(ENOENT, 260),
            act(
                12,
                "write",
                b"/home/ada/project/target/debug/deps/lib#.rlib",
                9_700.0,
            )
            .of(60)
            .up_to(131_072),
            act(
                6,
                "mmap",
                b"/home/ada/project/target/debug/deps/lib#.rmeta",
                4_300.0,
            )
            .of(60),
            act(
                10,
                "close",
                b"/home/ada/project/target/debug/deps/lib#.rlib",
                510.0,
            )
            .of(60),
            act(
                2,
                "renameat",
                b"/home/ada/project/target/debug/incremental/s-#",
                17_000.0,
            )
            .from(b"/home/ada/project/target/debug/incremental/s-#-working")
            .of(20),
        ],
    },
    Player {
        process: b"rsync",
        pid: 5127,
        uid: 0,
        threads: &[b"rsync"],
        rate: 700.0,
        rhythm: Rhythm::Bursts(48.0, 34.0),
        acts: &[
            act(40, "read", b"/srv/photos/2026/IMG_#.jpg", 41_000.0)
                .of(120)
                .up_to(262_144)
                .spread(1.3),
            act(
                36,
                "write",
                b"/mnt/backup/photos/2026/.IMG_#.jpg.part",
                62_000.0,
            )
            .of(120)
            .up_to(262_144)
            .spread(1.0),
            act(
                12,
                "newfstatat",
                b"/mnt/backup/photos/2026/IMG_#.jpg",
                1_900.0,
            )
            .of(120)
            .fails(ENOENT, 400),
            act(6, "rename", b"/mnt/backup/photos/2026/IMG_#.jpg", 23_000.0)
                .from(b"/mnt/backup/photos/2026/.IMG_#.jpg.part")
                .of(120),
            act(
                6,
                "utimensat",
                b"/mnt/backup/photos/2026/IMG_#.jpg",
                2_800.0,
            )
            .of(120)
            .fails(EACCES, 20),
        ],
    },
    Player {
        process: b"git",
        pid: 6003,
        uid: 1000,
        threads: &[b"git", b"git"],
        rate: 1900.0,
        rhythm: Rhythm::Bursts(27.0, 3.0),
        acts: &[
            act(
                60,
                "newfstatat",
                b"/home/ada/project/src/module_#/mod.rs",
                1_250.0,
            )
            .of(50)
            .fails(ENOENT, 15),
            act(
                20,
                "openat",
                b"/home/ada/project/.git/objects/pack/pack-#.idx",
                2_900.0,
            )
            .of(12),
            act(
                12,
                "pread64",
                b"/home/ada/project/.git/objects/pack/pack-#.pack",
                3_800.0,
            )
            .of(12)
            .up_to(16_384),
            act(8, "getdents64", b"/home/ada/project/src/module_#", 5_100.0).of(50),
        ],
    },
    Player {
        process: b"systemd-journal",
        pid: 301,
        uid: 0,
        threads: &[b"systemd-journal"],
        rate: 120.0,
        rhythm: Rhythm::Steady,
        acts: &[
            act(30, "recvmsg", b"socket:[12044]", 1_600.0).up_to(1_024),
            act(
                12,
                "pwrite64",
                b"/var/log/journal/8f2c/system.journal",
                8_800.0,
            )
            .up_to(4_096),
            act(10, "openat", b"/proc/#/cgroup", 6_100.0)
                .of(40)
                .fails(ENOENT, 90),
            act(
                1,
                "fsync",
                b"/var/log/journal/8f2c/system.journal",
                12_000_000.0,
            )
            .spread(0.9),
        ],
    },
    Player {
        process: b"Web Content",
        pid: 7777,
        uid: 1000,
        threads: &[b"Web Content", b"DOM Worker", b"ImageIO \xe2\x9c\xa8"],
        rate: 240.0,
        rhythm: Rhythm::Waves(33.0),
        acts: &[
            act(
                20,
                "openat",
                b"/home/ada/.cache/mozilla/cache2/entries/#",
                3_700.0,
            )
            .of(60)
            .fails(ENOENT, 200),
            act(
                14,
                "write",
                b"/home/ada/.cache/mozilla/cache2/entries/#",
                6_600.0,
            )
            .of(60)
            .up_to(16_384),
            act(20, "read", b"pipe:[90121]", 900.0)
                .up_to(64)
                .fails(EAGAIN, 350),
            // Names that would like to act on the terminal.
            act(
                2,
                "openat",
                b"/tmp/\x1b[2J\x1b[31mred \xe2\x80\xae gpj.exe",
                2_500.0,
            )
            .fails(EACCES, 500),
            act(2, "unlink", b"/tmp/line\nbreak;and \xff\xfe bytes", 4_400.0).fails(ENOENT, 500),
            act(
                2,
                "read",
                "/home/ada/\u{5199}\u{771f}/\u{1f469}\u{200d}\u{1f680} e\u{301}te\u{301}.png"
                    .as_bytes(),
                5_000.0,
            )
            .up_to(4_096),
        ],
    },
];
