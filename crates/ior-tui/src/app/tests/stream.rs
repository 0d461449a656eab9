use std::sync::atomic::Ordering;

use crossterm::event::KeyCode;
use ior_core::batch::Tail;
use ior_core::snapshot::Pane;

use super::super::*;
use crate::rig::{OwnFeed, Rig, demo};

const SIZE: (u16, u16) = (140, 20);

fn files(rig: &Rig<OwnFeed>) -> Vec<Vec<u8>> {
    match &rig.app.picture().unwrap().pane {
        Pane::Stream(rows) => (0..rows.len())
            .map(|place| rows.row(place).unwrap().file.to_vec())
            .collect(),
        _ => Vec::new(),
    }
}

fn selected(rig: &Rig<OwnFeed>) -> Vec<u8> {
    rig.app.selected_row().unwrap().file.to_vec()
}

fn paused() -> Rig<OwnFeed> {
    let names: [&[u8]; 5] = [b"/etc/a", b"/etc/b", b"/tmp/c", b"/tmp/d", b"/var/e"];
    let mut rig = Rig::new(OwnFeed::new(&names), First::Tabs, SIZE);
    rig.keys("7 ");
    rig
}

#[test]
fn a_paused_stream_keeps_its_rows() {
    let (feed, clock) = demo();
    let mut rig = Rig::new(feed, First::Tabs, SIZE);
    rig.keys("7 ");
    let newest = rig.app.selected_row().unwrap().seq;
    clock.store(9, Ordering::Relaxed);
    rig.settle();
    assert_eq!(rig.app.selected_row().unwrap().seq, newest);
    // Other tabs go on, and it is still there when one comes back.
    rig.keys("37");
    assert_eq!(rig.app.selected_row().unwrap().seq, newest);
    rig.keys(" ");
    assert!(!rig.app.is_paused());
    rig.code(KeyCode::Down);
    assert!(!rig.app.is_paused());
    // Going up in a stream that goes on pauses it.
    rig.code(KeyCode::Up);
    assert!(rig.app.is_paused());
    assert!(rig.app.selected_row().unwrap().seq > newest);
}

#[test]
fn a_filter_narrows_the_kept_rows_and_undo_brings_them_back() {
    let mut rig = paused();
    rig.keys("k");
    assert_eq!(selected(&rig), b"/tmp/d");
    rig.filter("file~^/tmp/");
    assert_eq!(files(&rig), [b"/tmp/c", b"/tmp/d"]);
    assert_eq!(selected(&rig), b"/tmp/d");
    rig.keys("F");
    assert_eq!(files(&rig).len(), 5);
    assert_eq!(selected(&rig), b"/tmp/d");
    rig.filter("file=nothing");
    assert!(rig.app.selected_row().is_none());
    rig.code(KeyCode::Enter);
    rig.keys("ix");
    assert!(
        rig.take_effects()
            .iter()
            .all(|effect| matches!(effect, Effect::Command(_)))
    );
}

#[test]
fn a_search_goes_both_ways_and_round_the_ends() {
    let mut rig = paused();
    rig.keys("g/^/ETC");
    rig.code(KeyCode::Enter);
    assert_eq!(selected(&rig), b"/etc/b");
    rig.keys("n");
    assert_eq!(selected(&rig), b"/etc/a");
    assert!(rig.screen().contains("past the end"), "{}", rig.screen());
    rig.keys("N");
    assert_eq!(selected(&rig), b"/etc/b");
    rig.keys("G?etc");
    rig.code(KeyCode::Enter);
    assert_eq!(selected(&rig), b"/etc/b");
    rig.keys("n");
    assert_eq!(selected(&rig), b"/etc/a");
    rig.keys("N");
    assert_eq!(selected(&rig), b"/etc/b");
    rig.keys("/ENOENT");
    rig.code(KeyCode::Enter);
    assert_eq!(selected(&rig), b"/tmp/c");
    rig.keys("/no such thing");
    rig.code(KeyCode::Enter);
    assert_eq!(selected(&rig), b"/tmp/c");
    assert!(rig.screen().contains("no row matches"), "{}", rig.screen());
    // An empty search is none.
    rig.keys("/");
    rig.code(KeyCode::Enter);
    assert!(rig.app.look().search.is_none());
}

#[test]
fn kept_rows_are_exported_all_or_from_the_selected_one_on() {
    let mut rig = paused();
    rig.keys("kx");
    rig.keys("X");
    rig.keys("e");
    assert_eq!(rig.world.exports, [5, 2, 5]);
    rig.take_effects();
    rig.keys("E");
    assert!(matches!(&rig.take_effects()[..], [Effect::Edit(path)] if path == "ior-3.csv"));
}

#[test]
fn an_export_is_of_what_passes_the_filter() {
    let mut rig = paused();
    rig.keys("3");
    rig.filter("file~tmp");
    rig.keys("e");
    assert_eq!(rig.world.exports, [2]);
    assert_eq!(rig.app.tab(), Tab::Syscalls);
    rig.filter("file=nothing");
    rig.keys("e");
    assert_eq!(rig.world.exports, [2]);
    assert!(
        rig.screen().contains("no rows to export"),
        "{}",
        rig.screen()
    );
}

#[test]
fn time_opens_the_details_as_does_a_key() {
    for keys in ["hhhhhhhhhhhh", "lllllll"] {
        let mut rig = paused();
        rig.keys("g");
        rig.keys(keys);
        match keys.starts_with('h') {
            true => rig.code(KeyCode::Enter),
            false => rig.keys("i"),
        }
        let screen = rig.screen();
        for text in [
            "-2 ENOENT: No such file or directory",
            "O_RDWR|O_CREAT|O_CLOEXEC",
            "/etc/a",
        ] {
            assert!(screen.contains(text), "{text}\n{screen}");
        }
    }
}

#[test]
fn a_short_tail_is_copied_as_it_is() {
    let empty = Tail::default();
    assert!(super::super::stream::copy(&empty, 3, &Filter::default()).is_empty());
}
