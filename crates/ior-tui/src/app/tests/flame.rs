use crossterm::event::KeyCode;
use ior_core::snapshot::Pane;
use ior_core::view::View;

use super::super::*;
use crate::rig::{OwnFeed, Rig};

const SIZE: (u16, u16) = (120, 30);

fn rig() -> Rig<OwnFeed> {
    let names: [&[u8]; 4] = [b"/etc/a", b"/etc/b", b"/tmp/c", b"/etc/a"];
    Rig::new(OwnFeed::new(&names), First::Tabs, SIZE)
}

fn zoom(rig: &mut Rig<OwnFeed>) -> Vec<Box<[u8]>> {
    match rig.app.view(rig.area) {
        View::Flame(view) => view.zoom,
        _ => Vec::new(),
    }
}

#[test]
fn a_frame_is_zoomed_into_and_out_of() {
    let mut rig = rig();
    // comm, path, syscall become path, comm, syscall.
    rig.keys("okk");
    let selected = rig.app.look().frame;
    assert_eq!(selected.len(), 2);
    rig.code(KeyCode::Enter);
    assert_eq!(zoom(&mut rig), selected);
    assert_eq!(rig.app.look().frame, selected);
    // The frame below stays as context.
    let Pane::Flame(flame) = &rig.app.picture().unwrap().pane else {
        panic!("not the flame graph")
    };
    assert_eq!(flame.zoomed, 2);
    rig.keys("u");
    assert_eq!(zoom(&mut rig), selected[..1]);
    assert_eq!(rig.app.look().frame, selected);
    rig.code(KeyCode::Backspace);
    assert!(zoom(&mut rig).is_empty());
    rig.keys("u");
    assert!(zoom(&mut rig).is_empty());
    // Esc is for filters.
    rig.code(KeyCode::Enter);
    rig.code(KeyCode::Esc);
    assert!(!zoom(&mut rig).is_empty());
}

#[test]
fn another_order_has_other_frames() {
    let mut rig = rig();
    rig.keys("kk");
    rig.code(KeyCode::Enter);
    let before = rig.screen();
    rig.keys("o");
    assert!(zoom(&mut rig).is_empty());
    assert!(rig.app.look().frame.is_empty());
    rig.keys("ooo");
    assert_ne!(rig.screen(), before);
    // Another weight has the same frames.
    rig.keys("kk");
    rig.code(KeyCode::Enter);
    let at = zoom(&mut rig);
    rig.keys("b");
    assert_eq!(zoom(&mut rig), at);
}

#[test]
fn frames_are_searched_round_the_ends() {
    let mut rig = rig();
    rig.keys("o/^/[BC]$");
    rig.code(KeyCode::Enter);
    let name = |rig: &Rig<OwnFeed>| rig.app.look().frame.last().cloned().unwrap_or_default();
    let first = name(&rig);
    rig.keys("n");
    let second = name(&rig);
    assert_ne!(first, second);
    rig.keys("n");
    assert_eq!(name(&rig), first);
    rig.keys("N");
    assert_eq!(name(&rig), second);
    rig.keys("/nothing");
    rig.code(KeyCode::Enter);
    assert_eq!(name(&rig), second);
    assert!(
        rig.screen().contains("no frame on the screen matches"),
        "{}",
        rig.screen()
    );
}

#[test]
fn latencies_are_those_of_what_is_selected() {
    let mut rig = rig();
    rig.keys("6l");
    assert!(
        rig.screen().contains("select a syscall"),
        "{}",
        rig.screen()
    );
    rig.keys("3j4j5j6");
    let mut subjects = Vec::new();
    for _ in 0..4 {
        subjects.push(rig.app.subject.clone());
        rig.keys("l");
    }
    assert!(
        matches!(
            subjects[..],
            [
                Subject::All,
                Subject::Syscall(_),
                Subject::File(_),
                Subject::Process(_)
            ]
        ),
        "{subjects:?}"
    );
    assert_eq!(rig.app.subject, Subject::All);
    rig.keys("h");
    assert!(matches!(rig.app.subject, Subject::Process(_)));
    rig.keys("4L");
    assert_eq!(rig.app.subject, subjects[2]);
    // Of a directory there are none.
    rig.keys("4djL");
    assert_eq!(rig.app.tab(), Tab::Files);
}
