use crossterm::event::{Event, KeyCode};
use ior_core::Filter;
use ior_core::snapshot::Command;
use proptest::prelude::*;

use super::super::*;
use crate::keymap::BINDINGS;
use crate::rig::{OwnFeed, Rig};

const SIZE: (u16, u16) = (100, 30);

/// A dashboard with each of the text boxes open.
fn boxes() -> Vec<Rig<OwnFeed>> {
    let open = ["f", "1/", "7 /", "7 ?", "p", "5jt", "o/", "3o/"];
    open.into_iter()
        .map(|keys| {
            let mut rig = Rig::new(OwnFeed::new(&[b"/a", b"/b"]), First::Tabs, SIZE);
            rig.keys(keys);
            if rig.app.mode.text_box().is_none() {
                // On the first tab the key for the probes is the one for the order of frames.
                rig.keys("3o/");
            }
            rig.press(Key::Control('u'));
            rig.take_effects();
            rig
        })
        .collect()
}

#[test]
fn a_text_box_owns_every_printable_key() {
    let keys = BINDINGS.iter().flat_map(|binding| binding.keys);
    let mut characters: Vec<char> = keys
        .filter_map(|key| match key {
            Key::Char(character) => Some(*character),
            _ => None,
        })
        .collect();
    characters.extend("äß日\"'\\/".chars());
    for mut rig in boxes() {
        let mut expected = String::new();
        for character in &characters {
            rig.press(Key::Char(*character));
            expected.push(*character);
            let text = rig.app.mode.text_box().map(|text| text.text().to_owned());
            assert_eq!(text.as_deref(), Some(expected.as_str()));
        }
        assert!(rig.take_effects().is_empty());
    }
}

#[test]
fn pasting_goes_into_the_text_box_and_nowhere_else() {
    for mut rig in boxes() {
        rig.event(Event::Paste("pid=1\ncomm=q\r\n".into()));
        let text = rig.app.mode.text_box().map(|text| text.text().to_owned());
        assert_eq!(text.as_deref(), Some("pid=1 comm=q "));
    }
    let mut rig = Rig::new(OwnFeed::new(&[b"/a"]), First::Tabs, SIZE);
    rig.event(Event::Paste("q3p".into()));
    assert!(rig.take_effects().is_empty());
    assert_eq!(rig.app.tab(), Tab::Flame);
}

#[test]
fn a_filter_that_is_not_understood_stays_open_and_says_why() {
    let mut rig = Rig::new(OwnFeed::new(&[b"a"]), First::Tabs, SIZE);
    rig.filter("latency>=1xs");
    assert!(matches!(rig.app.mode(), Mode::Prompt(_)));
    assert!(rig.screen().contains("no duration"), "{}", rig.screen());
    assert!(rig.feed.commands.is_empty());
    rig.code(KeyCode::Backspace);
    assert!(!rig.screen().contains("no duration"), "{}", rig.screen());
    rig.code(KeyCode::Backspace);
    rig.keys("s");
    rig.code(KeyCode::Enter);
    let expected = Command::Filter(Filter::parse("latency>=1s").unwrap());
    assert_eq!(rig.feed.commands, [expected]);
    assert!(
        rig.screen().contains("filter: latency>=1s"),
        "{}",
        rig.screen()
    );
}

#[test]
fn a_search_that_is_no_expression_stays_open_and_says_why() {
    let mut rig = Rig::new(OwnFeed::new(&[b"a"]), First::Tabs, SIZE);
    rig.keys("7 /[a");
    rig.code(KeyCode::Enter);
    assert!(
        rig.screen().contains("unclosed character class"),
        "{}",
        rig.screen()
    );
    rig.code(KeyCode::Esc);
    assert!(matches!(rig.app.mode(), Mode::Normal));
}

#[test]
fn leaving_a_box_leaves_everything_as_it_was() {
    let mut rig = Rig::new(OwnFeed::new(&[b"a"]), First::Tabs, SIZE);
    rig.filter("errors");
    rig.feed.commands.clear();
    rig.keys("fpid=1");
    rig.code(KeyCode::Esc);
    assert_eq!(rig.app.filters().now().to_string(), "errors");
    assert!(rig.feed.commands.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Cells that are entered, filters that are typed, and what takes them back.
    #[test]
    fn undo_restores_exactly(steps in prop::collection::vec(0usize..6, 1..40)) {
        let mut rig = Rig::new(OwnFeed::new(&[b"/a", b"/b", b"c d\"e", b"\xff"]), First::Tabs, SIZE);
        let mut before = Vec::new();
        for (number, step) in steps.into_iter().enumerate() {
            let now = rig.app.filters().now().clone();
            match step {
                0 | 1 => {
                    rig.keys("F");
                    let expected = before.pop().unwrap_or(now);
                    prop_assert_eq!(rig.app.filters().now(), &expected);
                    continue;
                }
                2 => rig.filter(&format!("bytes>={number}")),
                tab => {
                    rig.keys(["4", "5", "3"][tab - 3]);
                    rig.keys("j");
                    rig.code(KeyCode::Enter);
                }
            }
            if *rig.app.filters().now() != now {
                before.push(now);
                let last = rig.feed.commands.last().cloned();
                prop_assert_eq!(last, Some(Command::Filter(rig.app.filters().now().clone())));
            }
            prop_assert_eq!(rig.app.filters().depth(), before.len());
            prop_assert_eq!(&rig.app.session().unwrap().filter, rig.app.filters().now());
        }
    }
}
