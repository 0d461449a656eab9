use super::*;

const NAMES: [&[u8]; 8] = [
    b"\x1b[2J\x1b]0;owned\x07",
    "/left\u{202e}thgir/\u{2066}x".as_bytes(),
    b"/not/utf8/\xff\xfe",
    "/日本語/とても長い名前のファイル".as_bytes(),
    "/e\u{301}\u{302}\u{303}/👩‍👩‍👧‍👦/🏳️‍🌈".as_bytes(),
    b"/line\nbreak\tand\rmore",
    b"",
    b"/",
];

fn rows() -> Model {
    let long: Vec<u8> = b"/0123456789abcde".repeat(256);
    let mut batch = Batch::default();
    let names = NAMES.iter().copied().chain([&*long]);
    for (at, name) in names.enumerate() {
        let task = Task {
            tid: 100 + at as u32,
            pid: 100,
            ppid: 1,
            uid: 0,
            cgroup_id: 0,
            cgroup: String::new(),
            comm: name.iter().copied().take(15).collect(),
            process: name.iter().copied().take(15).collect(),
            start_ns: 1,
        };
        batch.push(&Row {
            seq: at as u64 + 1,
            time_ns: 1_000,
            wall_ns: 1_000,
            gap_ns: 5,
            latency_ns: 1_000 << at,
            task: &task,
            syscall: syscall::by_name("renameat2").unwrap(),
            abi: Abi::X86_64,
            fd: -1,
            ret: -2,
            bytes: 0,
            file: name,
            old_file: Some(name),
            name_source: NameSource::Argument,
            filter_epoch: 0,
            dev: None,
            ino: None,
            requested: None,
            offset: None,
            flags: None,
            details: Details::default(),
            ids: Ids::default(),
        });
    }
    let mut model = Model::default();
    model.add(&Arc::new(batch), Duration::from_millis(10));
    model
}

#[test]
fn names_neither_act_nor_leave_their_place() {
    let mut model = rows();
    let facts = Facts::default();
    for (width, height) in [(1, 1), (13, 5), (40, 12), (80, 24), (200, 60)] {
        for (name, view) in views(height) {
            let snapshot = model.snapshot(&view, &facts, Duration::from_secs(1));
            stays_inside(name, &snapshot, (width, height));
            let buffer = draw_all(&snapshot, (width, height), &Look::default(), &Theme::dark());
            for cell in &buffer.content {
                let hostile = cell.symbol().chars().find(|it| escape::is_hostile(*it));
                assert_eq!(hostile, None, "{name} at {width}x{height}");
                assert!(
                    crate::text::cells(cell.symbol()) <= 2,
                    "{name}: {:?}",
                    cell.symbol()
                );
            }
        }
    }
}

#[test]
fn errors_have_their_names() {
    let mut model = rows();
    let snapshot = model.snapshot(&View::Stream, &Facts::default(), Duration::from_secs(1));
    let text = text_of(&draw_all(
        &snapshot,
        (120, 20),
        &Look::default(),
        &Theme::dark(),
    ));
    assert!(text.contains("ENOENT"), "{text}");
}
