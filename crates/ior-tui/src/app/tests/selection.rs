use std::sync::atomic::Ordering;

use crossterm::event::KeyCode;
use ior_core::live::DemoFeed;
use ior_core::snapshot::Pane;

use super::super::*;
use crate::rig::{FakeWorld, OwnFeed, Rig, demo};

const SIZE: (u16, u16) = (100, 20);

#[test]
fn what_is_selected_stays_so_while_lines_move() {
    for keys in ["3sjjj", "4jjjjj", "4djj", "5jj"] {
        let (feed, clock) = demo();
        let mut rig = Rig::new(feed, First::Tabs, SIZE);
        rig.keys(keys);
        let selected = |rig: &Rig<DemoFeed>| {
            let tables = &rig.app.tables;
            match rig.app.tab() {
                Tab::Syscalls => format!("{:?}", tables.syscalls.selected.map(|it| it.name)),
                Tab::Files => format!("{:?}", tables.files.selected),
                _ => format!("{:?}", tables.processes.selected),
            }
        };
        let before = selected(&rig);
        assert!(before.starts_with("Some"), "{keys}");
        for seconds in 5..12 {
            clock.store(seconds, Ordering::Relaxed);
            rig.settle();
            assert_eq!(selected(&rig), before, "{keys}");
            // It is on the screen, wherever it is.
            let shows = match &rig.app.picture().unwrap().pane {
                Pane::Syscalls(window) => shows(window),
                Pane::Files(window) => shows(window),
                Pane::Processes(window) => shows(window),
                _ => false,
            };
            assert!(shows, "{keys}");
        }
        // The next line is the next one of where it is now.
        rig.keys("j");
        assert_ne!(selected(&rig), before, "{keys}");
    }
}

fn shows<L>(window: &ior_core::snapshot::Window<L>) -> bool {
    let selected = window.selected.unwrap_or(usize::MAX);
    (window.first..window.first + window.lines.len()).contains(&selected)
}

#[test]
fn what_has_vanished_is_not_selected() {
    let mut rig = Rig::new(OwnFeed::new(&[b"/a", b"/b", b"/c"]), First::Tabs, SIZE);
    rig.keys("4jjj");
    assert_eq!(rig.app.tables.files.selected.as_deref(), Some(&b"/c"[..]));
    rig.filter("file=/a");
    let Pane::Files(window) = &rig.app.picture().unwrap().pane else {
        panic!("not the files")
    };
    assert_eq!((window.selected, window.total), (None, 1));
    rig.code(KeyCode::Enter);
    assert_eq!(rig.app.filters().depth(), 1);
    assert!(
        rig.screen().contains("select a line first"),
        "{}",
        rig.screen()
    );
    // It is back with what was filtered out.
    rig.keys("F");
    rig.code(KeyCode::Enter);
    assert_eq!(rig.app.filters().now().to_string(), "file=/c");
}

#[test]
fn keys_typed_ahead_of_the_picture_wait_for_it() {
    let (feed, _) = demo();
    let mut rig = Rig::new(feed, First::Tabs, SIZE);
    assert!(rig.app.is_ready());
    rig.app.handle(crate::rig::event_of(Key::Char('4')));
    assert!(!rig.app.is_ready());
    rig.settle();
    assert!(rig.app.is_ready());
    rig.app.handle(crate::rig::event_of(Key::Char('G')));
    assert!(!rig.app.is_ready());
    rig.settle();
    assert!(rig.app.is_ready());
    rig.app.handle(crate::rig::event_of(Key::Char('p')));
    assert!(!rig.app.is_ready());
}

fn picker() -> Rig<OwnFeed> {
    Rig::new(OwnFeed::new(&[]), First::Picker, SIZE)
}

fn picked(rig: &Rig<OwnFeed>) -> String {
    let Mode::Picker(picker) = rig.app.mode() else {
        return String::new();
    };
    let id = |place: usize| match place.checked_sub(usize::from(picker.lists_all())) {
        None => 0,
        Some(place) => picker.item(place).unwrap().id(),
    };
    format!("{:?}", picker.place().map(id))
}

#[test]
fn typing_selects_the_first_match() {
    let mut rig = picker();
    assert_eq!(picked(&rig), "Some(0)");
    rig.keys("DEMO");
    assert_eq!(picked(&rig), "Some(4410)");
    rig.press(Key::Control('u'));
    assert_eq!(picked(&rig), "Some(0)");
    rig.keys("81");
    assert_eq!(picked(&rig), "Some(812)");
    rig.keys("x");
    assert_eq!(picked(&rig), "None");
    rig.code(KeyCode::Enter);
    assert!(rig.take_effects().is_empty());
    assert!(
        rig.screen().contains("nothing is selected"),
        "{}",
        rig.screen()
    );
}

#[test]
fn a_picker_keeps_its_pid_when_the_list_changes() {
    let mut rig = picker();
    rig.code(KeyCode::Down);
    rig.code(KeyCode::Down);
    rig.code(KeyCode::Down);
    assert_eq!(picked(&rig), "Some(812)");
    rig.world.processes.remove(0);
    rig.settle();
    assert_eq!(picked(&rig), "Some(812)");
    rig.world.processes.retain(|process| process.pid != 812);
    rig.settle();
    assert_eq!(picked(&rig), "None");
    // Not even if it comes back: it may be another process by then.
    rig.world = FakeWorld::default();
    rig.settle();
    assert_eq!(picked(&rig), "None");
    rig.code(KeyCode::Enter);
    assert!(rig.take_effects().is_empty());
    rig.code(KeyCode::Down);
    assert_eq!(picked(&rig), "Some(0)");
}

#[test]
fn a_list_that_says_the_same_is_not_worth_a_frame() {
    let mut rig = picker();
    let before = rig.app.revision();
    rig.settle();
    assert_eq!(rig.app.revision(), before);
    rig.world.processes[0].cpu = Some(0.5);
    rig.settle();
    assert_ne!(rig.app.revision(), before);
}

#[test]
fn the_first_picker_has_nothing_behind_it() {
    let mut rig = picker();
    rig.code(KeyCode::Esc);
    assert!(matches!(rig.take_effects()[..], [Effect::Quit]));
    let mut rig = Rig::new(OwnFeed::new(&[b"a"]), First::Tabs, SIZE);
    rig.keys("p");
    rig.code(KeyCode::Esc);
    assert!(rig.take_effects().is_empty());
    assert!(matches!(rig.app.mode(), Mode::Normal));
}

#[test]
fn a_paused_picture_stays_and_its_lines_can_be_selected() {
    let (feed, clock) = demo();
    let mut rig = Rig::new(feed, First::Tabs, SIZE);
    rig.keys("4jj ");
    let before: Vec<String> = rig
        .screen()
        .lines()
        .skip(1)
        .take(15)
        .map(str::to_owned)
        .collect();
    clock.store(9, Ordering::Relaxed);
    rig.settle();
    let after: Vec<String> = rig
        .screen()
        .lines()
        .skip(1)
        .take(15)
        .map(str::to_owned)
        .collect();
    assert_eq!(before, after);
    assert!(rig.screen().contains("PAUSED"), "{}", rig.screen());
    let selected = |rig: &Rig<DemoFeed>| match &rig.app.picture().unwrap().pane {
        Pane::Files(window) => window.selected,
        _ => None,
    };
    rig.keys("j");
    assert_eq!(selected(&rig), Some(2));
    // There are no other lines.
    rig.keys("G");
    assert_eq!(selected(&rig), Some(2));
    // Another order needs another picture.
    rig.keys("b");
    assert!(!rig.app.is_paused());
    assert!(
        rig.screen().contains("no longer paused"),
        "{}",
        rig.screen()
    );
}

#[test]
fn a_measure_orders_all_tables() {
    let (feed, _) = demo();
    let mut rig = Rig::new(feed, First::Tabs, (140, 30));
    // The header with the mark of the order, in each tab.
    let sorted = |rig: &mut Rig<DemoFeed>| {
        ["3", "4", "5"].map(|tab| {
            rig.keys(tab);
            let screen = rig.screen();
            let before = screen.split('▼').next().unwrap_or_default();
            before
                .split_whitespace()
                .last()
                .unwrap_or_default()
                .to_owned()
        })
    };
    assert_eq!(sorted(&mut rig), ["Count", "Accesses", "Calls"]);
    rig.keys("3b");
    assert_eq!(sorted(&mut rig), ["Errors"; 3]);
    rig.keys("3b");
    assert_eq!(sorted(&mut rig), ["Avg", "Max", "Avg"]);
    // Which call moves most says nothing of reading or writing.
    rig.keys("3b");
    assert_eq!(sorted(&mut rig), ["Bytes", "Max", "Avg"]);
    rig.keys("5bbb");
    assert_eq!(sorted(&mut rig), ["Bytes", "Written", "Written"]);
}
