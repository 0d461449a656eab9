use ior_core::snapshot::{Flame, FlameFrame, FrameKind};
use proptest::prelude::*;

use super::super::flame::{Direction, Names, Search, find, names, place, step};
use super::*;

fn frame(depth: u16, parent: u32, (start, width): (u64, u64), name: &str) -> FlameFrame {
    FlameFrame {
        depth,
        parent,
        start,
        width,
        weight: width,
        name: name.as_bytes().into(),
        kind: FrameKind::Path,
    }
}

/// Everything, `a` with `x` and `y` in it, `b` with `x` in it.
fn flame() -> Flame {
    Flame {
        total: 10,
        weight: Weight::Calls,
        frames: vec![
            frame(0, 0, (0, 10), ""),
            frame(1, 0, (0, 6), "a"),
            frame(1, 0, (6, 4), "b"),
            frame(2, 1, (0, 2), "x"),
            frame(2, 1, (2, 4), "y"),
            frame(2, 2, (6, 3), "x"),
        ],
        width: 10,
        zoomed: 0,
        hidden_frames: 0,
        hidden_weight: 0,
        folded_weight: 0,
        nodes: 6,
    }
}

fn path(names: &[&str]) -> Names {
    names.iter().map(|name| name.as_bytes().into()).collect()
}

#[test]
fn a_frame_is_found_by_its_names() {
    let flame = flame();
    for at in 0..flame.frames.len() {
        assert_eq!(place(&flame, &names(&flame, at)), Some(at));
    }
    assert_eq!(place(&flame, &path(&["b", "y"])), None);
}

#[test]
fn steps_go_to_the_widest_above_to_what_is_below_and_to_neighbours() {
    let flame = flame();
    let go = |from: &[&str], to| step(&flame, &path(from), to);
    assert_eq!(go(&[], Direction::Up), path(&["a"]));
    assert_eq!(go(&["a"], Direction::Up), path(&["a", "y"]));
    assert_eq!(go(&["a", "y"], Direction::Up), path(&["a", "y"]));
    assert_eq!(go(&["a", "y"], Direction::Right), path(&["b", "x"]));
    assert_eq!(go(&["b", "x"], Direction::Right), path(&["b", "x"]));
    assert_eq!(go(&["a", "x"], Direction::Left), path(&["a", "x"]));
    assert_eq!(go(&["b"], Direction::Left), path(&["a"]));
    assert_eq!(go(&["b"], Direction::Down), path(&[]));
    assert_eq!(go(&[], Direction::Down), path(&[]));
    // What is not shown any more: from the nearest that is.
    assert_eq!(go(&["b", "gone"], Direction::Left), path(&["a"]));
}

#[test]
fn a_search_goes_round() {
    let flame = flame();
    let x = Regex::new("x").unwrap();
    let next = |from: &[&str], way| find(&flame, &path(from), &x, way);
    assert_eq!(next(&[], Search::Forward), Some(path(&["a", "x"])));
    assert_eq!(next(&["a", "x"], Search::Forward), Some(path(&["b", "x"])));
    assert_eq!(next(&["b", "x"], Search::Forward), Some(path(&["a", "x"])));
    assert_eq!(next(&["a", "x"], Search::Backward), Some(path(&["b", "x"])));
    let none = Regex::new("none").unwrap();
    assert_eq!(find(&flame, &[], &none, Search::Forward), None);
}

proptest! {
    /// Frames of one level that share the whole width share all its cells, none of them twice.
    #[test]
    fn widths_add_up(weights in prop::collection::vec(1u64..1 << 40, 1..50), width in 1u16..300) {
        let mut start = 0;
        let mut frames = vec![frame(0, 0, (0, weights.iter().sum()), "")];
        for weight in &weights {
            frames.push(frame(1, 0, (start, *weight), "n"));
            start += weight;
        }
        let flame = Flame { total: start, width: start, frames, ..flame() };
        let view = flame_view();
        let area = Rect::new(0, 0, width, 4);
        let (mut buffer, mut hits) = (Buffer::empty(area), Hits::default());
        let (look, theme) = (Look::default(), Theme::dark());
        let mut canvas = Canvas { buffer: &mut buffer, area, look: &look, theme: &theme, hits: &mut hits };
        super::super::flame::draw(&mut canvas, &flame, &view);
        let level = hits.areas.iter().filter(|(area, _)| area.y == 2);
        prop_assert_eq!(level.clone().map(|(area, _)| area.width).sum::<u16>(), width);
        let mut ends = level.map(|(area, _)| (area.x, area.x + area.width)).collect::<Vec<_>>();
        ends.sort_unstable();
        prop_assert!(ends.windows(2).all(|pair| pair[0].1 == pair[1].0));
    }
}

#[test]
fn a_search_marks_what_it_finds_and_says_its_share() {
    let flame = flame();
    let look = Look {
        search: Some(Regex::new("x").unwrap()),
        frame: path(&["b"]),
        ..Look::default()
    };
    let area = Rect::new(0, 0, 60, 6);
    let (mut buffer, mut hits) = (Buffer::empty(area), Hits::default());
    let theme = Theme::dark();
    let mut canvas = Canvas {
        buffer: &mut buffer,
        area,
        look: &look,
        theme: &theme,
        hits: &mut hits,
    };
    super::super::flame::draw(&mut canvas, &flame, &flame_view());
    let text = text_of(&buffer);
    assert!(text.starts_with("b  40 % of all, 4 calls\n"), "{text}");
    assert!(text.contains("/x/: 50 %"), "{text}");
    assert_eq!(Some(buffer[(1, 3)].bg), theme.found.bg);
}
