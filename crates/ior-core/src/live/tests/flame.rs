//! Pictures of flame graphs.

use super::*;
use crate::snapshot::FrameKind;

fn some() -> Bench {
    let mut rows = vec![
        made(1, "openat", "/usr/lib/a", 3),
        made(1, "read", "/usr/lib/a", 70),
        made(2, "read", "/usr/b", 30),
        made(2, "getpid", "", 2),
        made(2, "read", "pipe:[7]", 0),
    ];
    rows[2].comm = "cat";
    rows[1].latency_ns = 1_000;
    Bench::of(&rows)
}

fn stacks(flame: &snapshot::Flame) -> Vec<String> {
    let line = |frame: &snapshot::FlameFrame| {
        let name = String::from_utf8_lossy(&frame.name);
        format!("{} {name} {} {}", frame.depth, frame.start, frame.weight)
    };
    flame.frames.iter().map(line).collect()
}

#[test]
fn frames_are_a_component_of_a_path_and_lie_by_name() {
    let flame = some().flame(whole(FlameOrder::CommPathSyscall, Weight::Calls));
    assert_eq!(
        stacks(&flame),
        [
            "0 all 0 5",
            "1 cat 0 1",
            "1 sh 1 4",
            "2 /usr 0 1",
            "2 /usr 1 2",
            "2 [none] 3 1",
            "2 pipe:[7] 4 1",
            "3 /b 0 1",
            "3 /lib 1 2",
            "3 getpid 3 1",
            "3 read 4 1",
            "4 read 0 1",
            "4 /a 1 2",
            "5 openat 1 1",
            "5 read 2 1",
        ]
    );
    let kinds: Vec<FrameKind> = flame.frames.iter().map(|frame| frame.kind).collect();
    assert_eq!(
        kinds[..4],
        [
            FrameKind::Root,
            FrameKind::Comm,
            FrameKind::Comm,
            FrameKind::Path
        ]
    );
    assert_eq!(
        (kinds[14], flame.nodes, flame.folded_weight),
        (FrameKind::Syscall, 15, 0)
    );
}

#[test]
fn other_orders_and_weights_are_of_the_same_rows() {
    let mut bench = some();
    let flame = bench.flame(whole(FlameOrder::SyscallPath, Weight::Bytes));
    assert_eq!(
        stacks(&flame),
        [
            "0 all 0 100",
            "1 read 0 100",
            "2 /usr 0 100",
            "3 /b 0 30",
            "3 /lib 30 70",
            "4 /a 30 70"
        ]
    );
    let flame = bench.flame(whole(FlameOrder::ProcessPathSyscall, Weight::Latency));
    assert_eq!(
        stacks(&flame)[..3],
        ["0 all 0 1400", "1 p1 (1) 0 1100", "1 p2 (2) 1100 300"]
    );
    let flame = bench.flame(whole(FlameOrder::PathCommSyscall, Weight::Calls));
    assert_eq!(
        stacks(&flame)[1..4],
        ["1 /usr 0 3", "1 [none] 3 1", "1 pipe:[7] 4 1"]
    );
    assert_eq!(
        bench
            .flame(whole(FlameOrder::PathCommSyscall, Weight::Errors))
            .frames
            .len(),
        1
    );
}

#[test]
fn a_zoom_keeps_what_it_stands_on_and_outlives_its_frame() {
    let mut bench = some();
    let zoomed = |names: &[&str]| FlameView {
        zoom: names.iter().map(|name| name.as_bytes().into()).collect(),
        ..whole(FlameOrder::CommPathSyscall, Weight::Calls)
    };
    let flame = bench.flame(zoomed(&["sh", "/usr"]));
    assert_eq!((flame.zoomed, flame.width, flame.total), (2, 2, 5));
    let widths: Vec<u64> = flame.frames.iter().map(|frame| frame.width).collect();
    assert_eq!(widths, [2, 2, 2, 2, 2, 1, 1]);
    assert_eq!(stacks(&flame)[..3], ["0 all 0 5", "1 sh 0 4", "2 /usr 0 2"]);
    let flame = bench.flame(zoomed(&["sh", "/gone", "/usr"]));
    assert_eq!((flame.zoomed, flame.width), (1, 4));
    bench.model.reset(&Facts::default(), bench.now);
    let flame = bench.flame(zoomed(&["sh", "/usr"]));
    assert_eq!((flame.zoomed, flame.width, flame.frames.len()), (0, 0, 1));
}

#[test]
fn small_frames_are_hidden_and_weighed() {
    let mut rows = vec![made(1, "read", "/big/file", 0); 98];
    rows.extend([
        made(1, "read", "/small/x", 0),
        made(1, "read", "/tiny/y", 0),
    ]);
    let mut bench = Bench::of(&rows);
    let view = FlameView {
        min_share: 0.02,
        ..whole(FlameOrder::CommPathSyscall, Weight::Calls)
    };
    let flame = bench.flame(view.clone());
    assert_eq!((flame.hidden_frames, flame.hidden_weight), (6, 2));
    assert_eq!(stacks(&flame).last().unwrap(), "4 read 0 98");
    let flame = bench.flame(FlameView {
        min_share: 0.0,
        max_frames: NonZeroUsize::new(2).unwrap(),
        ..view
    });
    assert_eq!((flame.hidden_frames, flame.hidden_weight), (3, 1));
}

#[test]
fn frames_follow_rows_whatever_is_in_view() {
    let mut bench = Bench::new(Bounds::default());
    for number in 0..9_000 {
        bench.add(&[made(1, "read", &format!("/d{}/f{number}", number % 7), 1)]);
        if number % 1_000 == 0 {
            bench.overview();
        }
    }
    let flame = bench.flame(whole(FlameOrder::CommPathSyscall, Weight::Bytes));
    assert_eq!((flame.total, flame.nodes), (9_000, 2 + 7 + 2 * 9_000));
}
