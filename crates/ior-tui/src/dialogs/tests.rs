use std::sync::Arc;

use crossterm::event::KeyCode;
use ior_core::snapshot::{Cost, Recording};
use ior_core::{Loss, Totals};

use crate::app::First;
use crate::keymap::Key;
use crate::rig::{OwnFeed, Rig};

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

/// A session in which everything has happened.
pub(crate) fn eventful() -> OwnFeed {
    let names: [&[u8]; 4] = [
        b"/etc/passwd",
        b"/var/log/syslog",
        b"/tmp/x",
        b"/usr/lib/libc.so.6",
    ];
    let mut feed = OwnFeed::new(&names);
    let mut totals = Totals::default();
    for place in 0..3 {
        totals.count(&crate::rig::rows(&names).row(place));
    }
    feed.facts.totals = Arc::new(totals);
    feed.facts.loss = Loss {
        rows: 1234,
        first_ns: 1_500_000_000,
        last_ns: 2_700_000_000,
        not_seen: None,
        unpaired: 0,
        answered: 5,
        partial_names: 7,
        definitions: 0,
        undecodable: 0,
    };
    feed.facts.shed = 12_300;
    feed.facts.recording = Some(Recording {
        path: "ior-20261201T051205Z.parquet".to_owned(),
        rows: 12_300_000,
        active: true,
    });
    feed.facts.cost = Cost {
        cpu: Some(0.02),
        memory: Some(30 << 20),
        ring_fill: Some(0.5),
    };
    let traced = ["openat", "read", "write", "close"];
    let traced = traced.into_iter().filter_map(ior_core::syscall::by_name);
    feed.facts.syscalls = traced.collect();
    feed
}

/// Each dialog: its name, what is seen first, and the keys that open it.
fn dialogs() -> Vec<(&'static str, First, &'static str)> {
    vec![
        ("picker_first", First::Picker, ""),
        ("picker_typed", First::Picker, "ss"),
        ("picker_again", First::Tabs, "4p"),
        ("threads", First::Tabs, "5jt"),
        ("filter", First::Tabs, "4flatency>=1xs\n"),
        ("search", First::Tabs, "1/etc"),
        ("search_back", First::Tabs, "7 ?etc"),
        ("probes", First::Tabs, "3ojjj"),
        ("probes_search", First::Tabs, "3o/open"),
        ("probes_found", First::Tabs, "3o/open\n "),
        ("help", First::Tabs, "3H"),
        ("help_end", First::Tabs, "3HG"),
        ("losses", First::Tabs, "3!"),
        ("details", First::Tabs, "7 gi"),
        ("failed", First::Failed(CAUSE.to_owned()), ""),
    ]
}

const CAUSE: &str = "cannot load the BPF programs: Operation not permitted\nrun ior as root, or give it CAP_BPF and CAP_PERFMON";

fn open(first: First, keys: &str, size: (u16, u16)) -> Rig<OwnFeed> {
    let mut rig = Rig::new(eventful(), first, size);
    for key in keys.chars() {
        match key {
            '\n' => rig.code(KeyCode::Enter),
            character => rig.press(Key::Char(character)),
        }
    }
    rig
}

#[test]
fn every_dialog_at_three_sizes() {
    for (name, first, keys) in dialogs() {
        for size in SIZES {
            let rig = open(first.clone(), keys, size);
            insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), rig.screen());
        }
    }
}

#[test]
fn a_session_is_attached_to() {
    for size in SIZES {
        let mut feed = eventful();
        feed.facts.notice = Some("attaching…".to_owned());
        let rig = Rig::new(feed, First::Tabs, size);
        insta::assert_snapshot!(format!("attaching_{}x{}", size.0, size.1), rig.screen());
    }
}

#[test]
fn a_text_is_scrolled_no_further_than_to_its_end() {
    let mut rig = open(First::Tabs, "3H", (60, 10));
    rig.code(KeyCode::End);
    let end = rig.screen();
    assert!(end.contains("another process"), "{end}");
    for _ in 0..5 {
        rig.code(KeyCode::PageDown);
    }
    assert_eq!(rig.screen(), end);
    rig.code(KeyCode::Up);
    assert_ne!(rig.screen(), end);
    rig.code(KeyCode::Home);
    assert!(rig.screen().contains("1234 lost"), "{}", rig.screen());
}

#[test]
fn every_key_is_in_the_help() {
    let help = open(First::Tabs, "3H", (120, 200)).screen();
    for binding in crate::keymap::BINDINGS {
        assert!(help.contains(&binding.keys()), "{}", binding.keys());
    }
}

#[test]
fn times_of_losses_are_those_on_the_wall_once_a_row_was_seen() {
    // A row's times tell how the clocks differ; it is asked for only then.
    let rig = open(First::Tabs, "3!", (120, 40));
    assert!(
        rig.screen().contains("first 2026-09-21 14:13:20.5"),
        "{}",
        rig.screen()
    );
    let mut feed = OwnFeed::new(&[]);
    feed.facts.loss.rows = 3;
    feed.facts.loss.first_ns = 7_200_000_000_000;
    feed.facts.loss.last_ns = 7_200_000_000_000;
    let mut rig = Rig::new(feed, First::Tabs, (120, 40));
    rig.keys("!");
    assert!(
        rig.screen().contains("2h00m after the machine was started"),
        "{}",
        rig.screen()
    );
    let before = rig.app.view(rig.area);
    assert!(!matches!(before, ior_core::view::View::Stream));
}

#[test]
fn a_long_text_is_shown_around_its_cursor() {
    let mut rig = open(First::Tabs, "4f", (40, 12));
    rig.keys(&"abcdefghij".repeat(20));
    assert!(rig.screen().contains("fghij"), "{}", rig.screen());
    rig.code(KeyCode::Home);
    assert!(rig.screen().contains("│ abcdefghij"), "{}", rig.screen());
    rig.code(KeyCode::Delete);
    assert!(rig.screen().contains("│ bcdefghij"), "{}", rig.screen());
}

#[test]
fn a_click_in_a_list_selects_and_a_second_one_takes() {
    let mut rig = open(First::Picker, "", (80, 24));
    let line = rig.line_with("nginx").unwrap();
    rig.click(20, line);
    assert!(rig.take_effects().is_empty());
    rig.click(20, line);
    assert_eq!(rig.take_effects().len(), 1);
    let mut rig = open(First::Tabs, "3o", (80, 24));
    let line = rig.line_with("]    access").unwrap();
    rig.click(20, line);
    assert!(rig.take_effects().is_empty());
    assert!(rig.screen().contains("[ ]    access"), "{}", rig.screen());
    rig.click(20, line);
    assert_eq!(rig.take_effects().len(), 1);
    assert!(rig.screen().contains("[x]    access"), "{}", rig.screen());
    // What is behind a dialog is not clicked.
    let mut rig = open(First::Tabs, "3f", (80, 24));
    rig.click(2, 0);
    rig.click(2, 5);
    assert!(rig.take_effects().is_empty());
    assert!(rig.screen().contains("Filter"), "{}", rig.screen());
}
