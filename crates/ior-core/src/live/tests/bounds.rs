//! Whatever the trace does, memory is bounded and nothing that was counted is lost.

use proptest::prelude::*;

use super::*;

const TIGHT: Bounds = Bounds {
    files: 6,
    directories: 4,
    processes: 4,
    threads: 5,
    leaves: 12,
    histogram_bytes: 4096,
};

fn rows() -> impl Strategy<Value = Vec<Vec<Made>>> {
    let call = prop::sample::select(vec![
        "read",
        "write",
        "openat",
        "close",
        "sendfile64",
        "rename",
        "fsync",
    ]);
    let name = prop_oneof![
        Just(String::new()),
        "/[a-d]{1,2}/[a-f]{1,2}",
        "/[ab](/[ab]){0,90}",
        "pipe:\\[[0-9]{1,2}\\]",
        "[a-c]{1,3}",
    ];
    let row = (
        0u32..9,
        0u32..3,
        prop::sample::select(vec!["sh", "cat", "ü"]),
        call,
        name,
        any::<bool>(),
        prop_oneof![-40i64..0, 0i64..100_000],
        0u64..1 << 34,
        prop_oneof![Just(0u64), 1u64..1 << 30],
    );
    let made = row.prop_map(
        |(pid, thread, comm, call, file, two, ret, latency_ns, gap_ns)| Made {
            pid,
            tid: pid * 10 + thread,
            comm,
            call,
            old_file: two.then(|| format!("/old{file}").into_bytes()),
            file: file.into_bytes(),
            ret,
            latency_ns,
            gap_ns,
        },
    );
    prop::collection::vec(prop::collection::vec(made, 1..40), 1..12)
}

/// What a picture must hold whatever is in it.
fn check_flame(flame: &snapshot::Flame) {
    for (place, frame) in flame.frames.iter().enumerate() {
        let children: Vec<_> = flame
            .frames
            .iter()
            .filter(|child| child.parent as usize == place && child.depth == frame.depth + 1)
            .collect();
        if place >= flame.zoomed {
            let sum: u64 = children.iter().map(|child| child.weight).sum();
            assert!(sum <= frame.weight, "{frame:?}");
            assert_eq!(frame.width, frame.weight);
            let mut left = frame.start;
            for child in &children {
                assert_eq!(child.start, left);
                left += child.width;
            }
            let names: Vec<_> = children.iter().map(|child| &child.name).collect();
            assert!(names.is_sorted());
        }
    }
    assert!(flame.frames.is_sorted_by_key(|frame| frame.depth));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn tables_and_what_is_folded_are_all_rows(batches in rows(), filtered in any::<bool>()) {
        let mut bench = Bench::new(TIGHT);
        if filtered {
            bench.filter("latency>=0ns");
        }
        for (second, batch) in (0u64..).zip(&batches) {
            bench.now = Duration::from_millis(700 * second);
            bench.add(batch);
        }
        let rows: Vec<Made> = batches.into_iter().flatten().collect();
        let count = rows.len() as u64;
        let errors = rows.iter().filter(|row| row.ret < 0).count() as u64;
        prop_assert_eq!(bench.session().rows, count);

        let window = bench.syscalls(all(SyscallColumn::Count));
        let lines = &window.lines;
        prop_assert_eq!(lines.iter().map(|line| line.calls).sum::<u64>(), count);
        prop_assert_eq!(lines.iter().map(|line| line.errors).sum::<u64>(), errors);
        let bytes: u64 = rows.iter().map(Made::bytes).sum();
        prop_assert_eq!(lines.iter().map(|line| line.bytes).sum::<u64>(), bytes);

        let accesses = rows.iter().map(|row| u64::from(!row.file.is_empty()) + u64::from(row.old_file.is_some())).sum::<u64>();
        let moved = |row: &Made| match (row.call, row.bytes()) {
            ("sendfile64", bytes) => u64::from(!row.file.is_empty()) * bytes + u64::from(row.old_file.is_some()) * bytes,
            (_, bytes) => u64::from(!row.file.is_empty()) * bytes,
        };
        let moved: u64 = rows.iter().map(moved).sum();
        for (grouping, most) in [(Grouping::File, TIGHT.files), (Grouping::Directory, TIGHT.directories)] {
            let window = bench.files(all(FileColumn::Accesses), grouping);
            prop_assert!(window.lines.len() <= most && window.total == window.lines.len());
            prop_assert_eq!(window.lines.iter().map(|line| line.accesses).sum::<u64>() + window.folded.calls, accesses);
            prop_assert_eq!(window.lines.iter().map(|line| line.read + line.written).sum::<u64>() + window.folded.bytes, moved);
            prop_assert_eq!(window.folded.calls > 0, window.folded.keys > 0);
        }

        let pids: Vec<u32> = (0..9).collect();
        let window = bench.processes(all(ProcessColumn::Calls), &pids);
        let processes = window.lines.iter().filter(|line| line.key.tid.is_none());
        prop_assert!(processes.clone().count() <= TIGHT.processes);
        prop_assert_eq!(processes.map(|line| line.calls).sum::<u64>() + window.folded.calls, count);

        let all = bench.latency(Subject::All);
        prop_assert_eq!(all.latency.iter().sum::<u64>(), count);
        prop_assert_eq!(all.gap.unwrap().iter().sum::<u64>(), rows.iter().filter(|row| row.gap_ns > 0).count() as u64);
        prop_assert_eq!(all.heat.iter().flatten().map(|count| u64::from(*count)).sum::<u64>(), count);

        for (weight, exact) in [
            (Weight::Calls, count),
            (Weight::Latency, rows.iter().map(|row| row.latency_ns).sum()),
            (Weight::Bytes, bytes),
            (Weight::Gap, rows.iter().map(|row| row.gap_ns).sum()),
            (Weight::Errors, errors),
        ] {
            for order in FlameOrder::ALL {
                let flame = bench.flame(whole(order, weight));
                prop_assert_eq!((flame.total, flame.width, flame.hidden_weight, flame.hidden_frames), (exact, exact, 0, 0));
                prop_assert!(flame.nodes <= 2 * TIGHT.leaves + 1 + syscall::MAX_SLOT);
                check_flame(&flame);
                let top = flame.frames.iter().filter(|frame| frame.depth == 1);
                prop_assert_eq!(top.map(|frame| frame.weight).sum::<u64>(), exact);
                prop_assert!(flame.folded_weight <= exact);
            }
        }
    }

    #[test]
    fn what_is_not_shown_of_a_flame_graph_is_said(batches in rows(), share in 0.0f64..0.3, most in 1usize..6) {
        let mut bench = Bench::new(Bounds::default());
        batches.iter().for_each(|batch| bench.add(batch));
        for order in FlameOrder::ALL {
            let whole = bench.flame(whole(order, Weight::Calls));
            let zoom = whole.frames.iter().rfind(|frame| frame.depth == 1).map(|frame| (*frame.name).into());
            let part = bench.flame(FlameView {
                order,
                weight: Weight::Calls,
                zoom: zoom.into_iter().collect(),
                min_share: share,
                max_frames: NonZeroUsize::new(most).unwrap(),
            });
            check_flame(&part);
            prop_assert_eq!(part.zoomed, 1);
            prop_assert_eq!((part.frames[0].width, part.frames[0].weight), (part.width, whole.total));
            for depth in 2..80 {
                prop_assert!(part.frames.iter().filter(|frame| frame.depth == depth).count() <= most);
            }
            // Only the tops of what is hidden are weighed: with them every frame's weight is that of its children and its own.
            let zoomed = &part.frames[1];
            let shown: u64 = part.frames[2..].iter().map(|frame| frame.weight).max().unwrap_or(0);
            prop_assert!(shown + part.hidden_weight <= zoomed.weight * 2);
            prop_assert_eq!(part.hidden_frames == 0, part.hidden_weight == 0);
            prop_assert!(part.frames[2..].iter().all(|frame| frame.weight as f64 >= zoomed.weight as f64 * share));
        }
    }
}

#[test]
fn what_comes_late_and_is_used_much_has_a_line() {
    let mut bench = Bench::new(TIGHT);
    for number in 0..1000 {
        bench.add(&[made(number + 100, "openat", &format!("/tmp/{number}"), -2)]);
    }
    for _ in 0..50 {
        bench.add(&[made(5, "write", "/late/log", 10)]);
    }
    let window = bench.files(all(FileColumn::Written), Grouping::File);
    assert_eq!(
        (text(&window.lines[0].path), window.lines[0].written),
        ("/late/log", 500)
    );
    assert!(
        window.folded.keys.abs_diff(1000) < 100,
        "{:?}",
        window.folded
    );
    let processes = bench.processes(all(ProcessColumn::Written), &[]);
    assert_eq!(
        (processes.lines[0].key.pid, processes.lines[0].written),
        (5, 500)
    );
    let flame = bench.flame(whole(FlameOrder::CommPathSyscall, Weight::Bytes));
    assert!(
        flame
            .frames
            .iter()
            .any(|frame| text(&frame.name) == "/log" && frame.weight >= 450)
    );
    let flame = bench.flame(whole(FlameOrder::ProcessPathSyscall, Weight::Calls));
    assert_eq!(flame.total, 1050);
    assert!(flame.folded_weight >= 900);
}

#[test]
fn long_names_and_deep_paths_do_not_fill_the_memory() {
    let mut bench = Bench::new(Bounds {
        files: 50,
        leaves: 300,
        ..Bounds::default()
    });
    for number in 0..60 {
        let deep = format!("/{number}{}", "/x".repeat(2_000));
        let long = format!("/{number}{}", "y".repeat(4_000));
        bench.add(&[made(1, "read", &deep, 1), made(1, "read", &long, 1)]);
    }
    let window = bench.files(all(FileColumn::Accesses), Grouping::File);
    let bytes: usize = window.lines.iter().map(|line| line.path.len()).sum();
    assert!(bytes <= 50 * 256);
    let flame = bench.flame(whole(FlameOrder::CommPathSyscall, Weight::Calls));
    assert_eq!(flame.total, 120);
    assert!(flame.nodes <= 601 && flame.frames.iter().all(|frame| frame.depth <= 67));
}
