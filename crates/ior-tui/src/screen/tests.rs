use crossterm::event::KeyCode;
use ior_core::snapshot::{Feed, Over, Recording};
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;

use super::*;
use crate::app::First;
use crate::dialogs::tests::eventful;
use crate::keymap::Key;
use crate::rig::{FakeWorld, HOSTILE, OwnFeed, Rig, demo, text_of};
use crate::world::Process;

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

#[test]
fn whole_screens_at_three_sizes() {
    let screens = [
        ("flame", "1", ""),
        ("overview", "2", ""),
        ("files", "4jj", "bytes>=0"),
        ("stream", "7 kk", "comm~e bytes>=0"),
    ];
    for (name, keys, filter) in screens {
        for size in SIZES {
            let mut rig = Rig::new(eventful(), First::Tabs, size);
            if !filter.is_empty() {
                rig.filter(filter);
            }
            rig.keys(keys);
            insta::assert_snapshot!(format!("{name}_{}x{}", size.0, size.1), rig.screen());
        }
    }
}

#[test]
fn what_is_missing_stands_on_every_tab() {
    for tab in "1234567".chars() {
        for width in [40, 80, 200] {
            let mut rig = Rig::new(eventful(), First::Tabs, (width, 24));
            rig.press(Key::Char(tab));
            assert!(rig.screen().contains("1.2 k lost"), "{}", rig.screen());
        }
    }
}

#[test]
fn the_line_of_facts_says_what_there_is() {
    let mut feed = eventful();
    feed.facts.notice = Some("cannot record: no space left".to_owned());
    let mut rig = Rig::new(feed, First::Tabs, (200, 24));
    let screen = rig.screen();
    for text in [
        "1.2 k lost, 12.3 k shed, not seen: unknown, 7 partial names (!)",
        "rec: ior-20261201T051205Z.parquet 12.3 M rows",
        "process 7 (seven)",
        "calls/s",
        "cannot record: no space left",
    ] {
        assert!(screen.contains(text), "{text}\n{screen}");
    }
    // A notice that was read goes.
    rig.keys("2");
    assert!(!rig.screen().contains("no space left"), "{}", rig.screen());
    rig.feed.facts.recording = Some(Recording {
        path: "a\x1b[2Jb".to_owned(),
        rows: 1,
        active: false,
    });
    rig.settle();
    assert!(
        rig.screen().contains(r"recorded: a\x1b[2Jb 1 rows"),
        "{}",
        rig.screen()
    );
}

#[test]
fn the_filter_stands_there_as_it_can_be_typed() {
    let mut rig = Rig::new(eventful(), First::Tabs, (120, 24));
    let text = r#"file="/a b\\c" comm~^x !file~/\.so$/"#;
    rig.filter(text);
    rig.filter(&format!("{text} errors"));
    let screen = rig.screen();
    assert!(
        screen.contains(&format!("filter: {text} errors")),
        "{screen}"
    );
    assert!(screen.contains("F undoes (2)"), "{screen}");
}

/// Every mode and tab, by the keys that lead there.
fn situations() -> Vec<(First, &'static str)> {
    let tabs = [
        "1", "2", "3jj", "4jj", "4dj", "5jju", "6", "7", "7 kk", "p", "pss", "5jt", "1/x", "3o",
        "3o/op", "fpid=1", "fx\n", "3H", "3!", "7 i",
    ];
    let mut all: Vec<_> = tabs.into_iter().map(|keys| (First::Tabs, keys)).collect();
    all.push((First::Picker, ""));
    all.push((First::Failed("cannot attach\nrun it as root".into()), ""));
    all
}

fn lead<F: Feed>(rig: &mut Rig<F>, keys: &str) {
    for key in keys.chars() {
        match key {
            '\n' => rig.code(KeyCode::Enter),
            character => rig.press(Key::Char(character)),
        }
    }
}

/// Draws into the middle of a larger buffer and says what is wrong with it.
fn drawn_outside(app: &App, (width, height): (u16, u16), theme: &Theme) -> Option<String> {
    const LEFT: u16 = 3;
    const TOP: u16 = 2;
    let whole = Rect::new(0, 0, width + 7, height + 5);
    let area = Rect::new(LEFT, TOP, width, height);
    let mut buffer = Buffer::filled(whole, Cell::new("¤"));
    draw(&mut buffer, area, app, theme);
    for position in whole.positions() {
        let is_inside = area.contains(position);
        if !is_inside && buffer[position] != Cell::new("¤") {
            return Some(format!("{position} is outside"));
        }
    }
    let mut inner = Buffer::empty(area);
    for position in area.positions() {
        inner[position] = buffer[position].clone();
    }
    let last = Rect::new(LEFT, TOP + height - 1, width, 1);
    let has_hint = last.positions().any(|position| {
        let symbol = buffer[position].symbol();
        symbol != "¤" && symbol != " "
    });
    if !has_hint {
        return Some(format!("no hint\n{}", text_of(&inner)));
    }
    None
}

fn sizes() -> Vec<(u16, u16)> {
    let widths = (1..=60)
        .chain((61..=200).step_by(9))
        .flat_map(|width| [1, 3, 6, 24].map(|height| (width, height)));
    let heights = (1..=60).flat_map(|height| [1, 5, 12, 80].map(|width| (width, height)));
    widths.chain(heights).collect()
}

#[test]
fn nothing_is_drawn_outside_and_keys_are_seen_at_any_size() {
    for (first, keys) in situations() {
        let mut rig = Rig::new(OwnFeed::new(HOSTILE), first, (100, 30));
        if matches!(rig.app.mode(), Mode::Normal) {
            rig.filter("bytes>=0");
        }
        lead(&mut rig, keys);
        for size in sizes() {
            if let Some(wrong) = drawn_outside(&rig.app, size, &rig.theme) {
                panic!("{keys} at {size:?}: {wrong}");
            }
        }
    }
}

#[test]
fn a_screen_that_shrinks_keeps_going() {
    for (first, keys) in situations() {
        let mut rig = Rig::new(eventful(), first, (100, 30));
        lead(&mut rig, keys);
        for (width, height) in [(1, 1), (5, 3), (200, 60), (30, 2), (80, 24)] {
            rig.area = Rect::new(0, 0, width, height);
            rig.settle();
            for key in [KeyCode::Down, KeyCode::PageDown, KeyCode::Up, KeyCode::End] {
                rig.code(key);
            }
        }
    }
}

#[test]
fn names_neither_act_nor_are_mistaken_for_others() {
    let processes = (1u32..)
        .zip(HOSTILE)
        .map(|(pid, name)| Process {
            pid,
            name: name.to_vec(),
            user: String::from_utf8_lossy(name).into_owned(),
            cpu: None,
            command: name.repeat(300),
        })
        .collect();
    let world = FakeWorld {
        processes,
        ..FakeWorld::default()
    };
    for (first, keys) in situations() {
        let mut rig = Rig::new(OwnFeed::new(HOSTILE), first, (120, 40));
        rig.world = world.clone();
        rig.feed.facts.notice = Some("\x1b[2J\u{202e}notice\nline".to_owned());
        rig.feed.facts.over = Some(Over::Ended("\x1b[2J\u{202e}over".to_owned()));
        rig.settle();
        lead(&mut rig, keys);
        for cell in &rig.buffer.content {
            let hostile = cell
                .symbol()
                .chars()
                .find(|c| ior_core::escape::is_hostile(*c));
            // The joiner inside of an emoji takes no room of its own.
            let hostile = hostile.filter(|c| *c != '\u{200d}');
            assert_eq!(hostile, None, "{keys}: {:?}", cell.symbol());
        }
    }
}

#[test]
fn what_is_pasted_is_harmless_on_the_screen() {
    for name in HOSTILE {
        let text = String::from_utf8_lossy(name).into_owned();
        let mut rig = Rig::new(eventful(), First::Tabs, (80, 24));
        rig.keys("f");
        rig.event(crossterm::event::Event::Paste(text));
        for cell in &rig.buffer.content {
            assert!(!cell.symbol().contains(['\x1b', '\u{202e}', '\u{200b}']));
        }
    }
}

#[test]
fn the_first_key_is_how_to_leave() {
    let (feed, _) = demo();
    let mut rig = Rig::new(feed, First::Tabs, (100, 24));
    for tab in "1234567".chars() {
        rig.press(Key::Char(tab));
        let screen = rig.screen();
        let last = screen.lines().last().unwrap();
        assert!(last.starts_with("q quit  ? help"), "{last}");
    }
    rig.keys(" ");
    assert!(
        rig.screen()
            .lines()
            .last()
            .unwrap()
            .starts_with("q quit  H help")
    );
}
