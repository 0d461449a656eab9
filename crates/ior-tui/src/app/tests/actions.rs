use std::collections::HashSet;

use crossterm::event::{Event, KeyCode, MouseEvent, MouseEventKind};
use ior_core::live::DemoFeed;
use ior_core::snapshot::{Command, Over, Pane, Target};

use super::super::*;
use crate::action::Motion;
use crate::keymap::BINDINGS;
use crate::rig::{OwnFeed, Rig, demo, event_of};

const SIZE: (u16, u16) = (120, 30);

/// Everything that can have the keys: how to get there from the first tab, and where keys are looked up there.
pub const SITUATIONS: &[(&str, &str, Place)] = &[
    ("flame", "1", Place::Flame),
    ("overview", "2", Place::Everywhere),
    ("syscalls", "3jj", Place::Tables),
    ("files", "4jj", Place::Files),
    ("processes", "5jj", Place::Processes),
    ("latency", "3j6", Place::Latency),
    ("stream", "7", Place::Stream),
    ("paused", "7 kkk", Place::Paused),
    ("picker", "p", Place::Picker),
    ("threads", "5jt", Place::Picker),
    ("probes", "3o", Place::Probes),
    ("probes search", "3o/", Place::Prompt),
    ("filter", "f", Place::Prompt),
    ("search", "1/", Place::Prompt),
    ("help", "3?", Place::Text),
    ("losses", "!", Place::Text),
    ("details", "7 i", Place::Text),
];

/// A dashboard in a situation, in which there is a filter to undo, a file to open and something selected to be used.
pub fn situation(keys: &str, size: (u16, u16)) -> Rig<OwnFeed> {
    let mut rig = Rig::new(feed(), First::Tabs, size);
    rig.filter("bytes>=0");
    rig.keys("e1k");
    rig.keys(keys);
    rig.take_effects();
    rig
}

/// A session with more files and processes than a screen has lines.
fn feed() -> OwnFeed {
    let names: Vec<Vec<u8>> = (0..100)
        .map(|number| format!("/d{}/f{number}", number % 40).into())
        .collect();
    let names: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
    OwnFeed::new(&names)
}

fn failed() -> Rig<OwnFeed> {
    Rig::new(feed(), First::Failed("cannot attach".into()), SIZE)
}

/// A session that could not trace its target.
fn over() -> Rig<OwnFeed> {
    let mut feed = OwnFeed::new(&[]);
    feed.facts.over = Some(Over::Failed("there is no process 1234".into()));
    Rig::new(feed, First::Tabs, SIZE)
}

fn every_key() -> HashSet<String> {
    let keys = BINDINGS.iter().flat_map(|binding| binding.keys);
    keys.map(|key| key.name()).collect()
}

fn key_named(name: &str) -> Key {
    let mut keys = BINDINGS.iter().flat_map(|binding| binding.keys);
    *keys.find(|key| key.name() == name).unwrap()
}

/// All that keys change, as text.
fn state(app: &App) -> String {
    let App {
        tab,
        mode,
        filters,
        tables,
        flame,
        subject,
        stream,
        paused,
        export,
        ..
    } = app;
    let paused: Vec<_> = paused.keys().collect();
    format!(
        "{tab:?} {mode:?} {filters:?} {tables:?} {flame:?} {subject:?} {stream:?} {paused:?} {export:?}"
    )
}

#[test]
fn a_key_that_means_nothing_does_nothing_and_none_panics() {
    let mut rigs: Vec<Rig<OwnFeed>> = SITUATIONS
        .iter()
        .map(|(_, keys, _)| situation(keys, SIZE))
        .collect();
    rigs.push(failed());
    rigs.push(over());
    for rig in &mut rigs {
        let places = rig.app.places();
        for name in every_key() {
            let key = key_named(&name);
            let is_typed = matches!(key, Key::Char(_)) && rig.app.mode.text_box().is_some();
            if is_typed || keymap::find(&places, key).is_some() {
                continue;
            }
            let before = state(&rig.app);
            rig.press(key);
            assert_eq!(state(&rig.app), before, "{places:?} {name}");
            assert!(rig.take_effects().is_empty(), "{places:?} {name}");
        }
    }
}

#[test]
fn every_key_does_what_it_says() {
    for (name, keys, place) in SITUATIONS {
        let places = situation(keys, SIZE).app.places();
        assert!(places.contains(place), "{name}");
        for place in places.iter().copied() {
            for binding in keymap::of(place) {
                let key = binding.keys.iter();
                let mut key =
                    key.filter(|key| keymap::find(&places, **key) == Some(binding.action));
                let Some(key) = key.next() else { continue };
                let mut rig = situation(keys, SIZE);
                let before = state(&rig.app);
                rig.press(*key);
                let what = format!("{name}: {} {}", key.name(), binding.what);
                check(binding.action, &mut rig, &before, &what);
            }
        }
    }
}

#[test]
fn every_place_is_somewhere() {
    let mut seen: Vec<Place> = Vec::new();
    for (_, keys, _) in SITUATIONS {
        seen.extend(situation(keys, SIZE).app.places());
    }
    seen.extend(failed().app.places());
    seen.extend(over().app.places());
    for place in Place::ALL {
        assert!(seen.contains(&place), "{place:?}");
    }
}

/// Whether an action has done what it stands for.
fn check(action: Action, rig: &mut Rig<OwnFeed>, before: &str, what: &str) {
    let effects = rig.take_effects();
    let has = |wanted: &dyn Fn(&Effect) -> bool| effects.iter().any(wanted);
    let commands = |wanted: &dyn Fn(&Command) -> bool| {
        has(&|effect| matches!(effect, Effect::Command(command) if wanted(command)))
    };
    let has_changed = state(&rig.app) != before;
    let mode = rig.app.mode();
    let holds = match action {
        Action::Quit => has(&|effect| matches!(effect, Effect::Quit)),
        Action::Tab(tab) => rig.app.tab() == tab,
        Action::Help => {
            matches!(mode, Mode::Text(text) if matches!(text.subject, TextSubject::Help))
        }
        Action::Losses => {
            matches!(mode, Mode::Text(text) if matches!(text.subject, TextSubject::Losses))
        }
        Action::EditFilter => {
            matches!(mode, Mode::Prompt(prompt) if prompt.text.text().starts_with("bytes>=0"))
        }
        Action::UndoFilter => {
            rig.app.filters().depth() == 0
                && commands(&|it| matches!(it, Command::Filter(filter) if filter.is_empty()))
        }
        Action::PickProcess => {
            matches!(mode, Mode::Picker(picker) if picker.among == Among::Processes)
        }
        Action::PickThread => match mode {
            Mode::Picker(picker) => matches!(picker.among, Among::Threads(_)),
            _ => rig.app.notice().is_some(),
        },
        Action::Probes => matches!(mode, Mode::Probes(_)),
        Action::ExportStream | Action::ExportView | Action::ExportRest => {
            has(&|effect| matches!(effect, Effect::Export(rows) if !rows.is_empty()))
        }
        Action::OpenExport => {
            has(&|effect| matches!(effect, Effect::Edit(path) if path == "ior-1.csv"))
        }
        Action::Record => commands(&|it| *it == Command::Record(true)),
        Action::Reset => commands(&|it| *it == Command::Reset),
        Action::Enter => enter_did_something(rig, &effects, before),
        Action::Toggle | Action::All | Action::Nothing => {
            commands(&|it| matches!(it, Command::Syscalls(_)))
        }
        Action::Accept => matches!(mode, Mode::Normal | Mode::Probes(_)),
        Action::Close => has_changed,
        Action::Search(_) => match mode {
            Mode::Prompt(prompt) => matches!(prompt.purpose, Purpose::Search(_)),
            Mode::Probes(probes) => probes.search.is_some(),
            _ => false,
        },
        Action::Again(_) => rig.app.notice().is_some(),
        Action::Details => {
            matches!(mode, Mode::Text(text) if matches!(text.subject, TextSubject::Details(_)))
        }
        Action::Latencies => rig.app.tab() == Tab::Latency && rig.app.subject != Subject::All,
        // At the end of a list, a text or a picture there is nothing further.
        Action::Move(_) | Action::Edit(_) | Action::ZoomOut => true,
        Action::NextTab
        | Action::PreviousTab
        | Action::Pause
        | Action::Sort
        | Action::Reverse
        | Action::Measure
        | Action::Group
        | Action::Unfold
        | Action::Subject(_)
        | Action::Order => has_changed,
    };
    assert!(holds, "{what}\n{}", rig.screen());
}

fn enter_did_something(rig: &Rig<OwnFeed>, effects: &[Effect], before: &str) -> bool {
    let narrowed = effects
        .iter()
        .any(|effect| matches!(effect, Effect::Command(Command::Filter(_))));
    narrowed || state(&rig.app) != before
}

#[test]
fn moving_leads_where_it_says() {
    for (keys, tab) in [
        ("3", Tab::Syscalls),
        ("4", Tab::Files),
        ("5", Tab::Processes),
    ] {
        let mut rig = Rig::new(demo().0, First::Tabs, SIZE);
        rig.keys(keys);
        let place = |rig: &Rig<DemoFeed>| match &rig.app.picture().unwrap().pane {
            Pane::Syscalls(window) => (window.selected, window.total),
            Pane::Files(window) => (window.selected, window.total),
            Pane::Processes(window) => (window.selected, window.total),
            _ => (None, 0),
        };
        assert_eq!(place(&rig).0, None, "{tab:?}");
        let total = place(&rig).1;
        let page = rig.app.page();
        rig.code(KeyCode::Down);
        assert_eq!(place(&rig).0, Some(0), "{tab:?}");
        rig.keys("jj");
        assert_eq!(place(&rig).0, Some(2), "{tab:?}");
        rig.keys("k");
        assert_eq!(place(&rig).0, Some(1), "{tab:?}");
        rig.code(KeyCode::PageDown);
        assert_eq!(place(&rig).0, Some((1 + page).min(total - 1)), "{tab:?}");
        rig.keys("G");
        assert_eq!(place(&rig).0, Some(total - 1), "{tab:?}");
        rig.code(KeyCode::Down);
        assert_eq!(place(&rig).0, Some(total - 1), "{tab:?}");
        rig.code(KeyCode::PageUp);
        assert_eq!(
            place(&rig).0,
            Some((total - 1).saturating_sub(page)),
            "{tab:?}"
        );
        rig.keys("g");
        assert_eq!(place(&rig).0, Some(0), "{tab:?}");
    }
}

#[test]
fn columns_are_gone_through_one_by_one() {
    let mut rig = situation("3jg", (180, 30));
    assert_eq!(rig.app.look().column, 0);
    for column in 1..=5 {
        rig.keys("l");
        assert_eq!(rig.app.look().column, column);
    }
    rig.keys("h");
    assert_eq!(rig.app.look().column, 4);
    // Columns that have no room are passed over.
    let mut narrow = situation("7 ", (60, 20));
    let shown = narrow.app.drawn.hits.headers();
    assert!(shown.len() < 11);
    narrow.keys("hhhhhhhhhhh");
    for column in shown {
        assert_eq!(narrow.app.look().column, column);
        narrow.keys("l");
    }
}

#[test]
fn a_cell_becomes_the_condition_it_stands_for() {
    let filter_of = |keys: &str| {
        let mut rig = situation(keys, (180, 30));
        rig.code(KeyCode::Enter);
        let filter = rig.app.filters().now().to_string();
        filter.strip_prefix("bytes>=0 ").map(str::to_owned)
    };
    let to_column = |tab: &str, column: usize| format!("{tab}jhhhhhhhhhhhh{}", "l".repeat(column));
    let is = |keys: String, pattern: &str| {
        let filter = filter_of(&keys).unwrap_or_default();
        let regex = regex::Regex::new(pattern).unwrap();
        assert!(regex.is_match(&filter), "{keys}: {filter}");
    };
    is(to_column("3", 0), "^syscall=[a-z0-9_]+$");
    is(to_column("3", 1), "^family=[A-Za-z]+$");
    is(to_column("3", 2), "^syscall=[a-z0-9_]+$");
    is(to_column("3", 11), "^syscall=[a-z0-9_]+ errors$");
    is(to_column("4", 0), "^file=.+$");
    is(to_column("4", 3), "^file=.+ errors$");
    is("4dj".to_owned(), r"^file~/\(\?-iu\)\^.*/\[\^/\]\*\$/$");
    is(to_column("5", 0), "^pid=[0-9]+$");
    is(to_column("5", 1), "^process=.+$");
    is(to_column("5", 7), "^pid=[0-9]+ errors$");
    is("5jhhhhhuj".to_owned(), "^tid=[0-9]+$");
    is("5jhhhhhlluhj".to_owned(), "^comm=.+$");
    for (column, pattern) in (1..).zip([
        "^gap>=.+$",
        "^latency>=.+$",
        "^comm=.+$",
        "^pid=[0-9]+$",
        "^tid=[0-9]+$",
        "^syscall=.+$",
        "^fd=-?[0-9]+$",
        "^ret=-?[0-9]+$",
        "^bytes=.+$",
        "^file=.*$",
    ]) {
        is(format!("7 hhhhhhhhhhh{}", "l".repeat(column)), pattern);
    }
}

#[test]
fn the_wheel_and_clicks_do_what_keys_do() {
    let mut rig = Rig::new(demo().0, First::Tabs, SIZE);
    let tab = rig.screen().lines().next().unwrap().find("Files").unwrap();
    rig.click(u16::try_from(tab).unwrap(), 0);
    assert_eq!(rig.app.tab(), Tab::Files);
    // A header sorts, and once more reverses.
    let lines = |rig: &Rig<DemoFeed>| rig.screen().lines().nth(1).unwrap().to_owned();
    let read = u16::try_from(lines(&rig).find("Read").unwrap()).unwrap();
    rig.click(read, 1);
    assert!(lines(&rig).contains("Read▼"), "{}", rig.screen());
    rig.click(read, 1);
    assert!(lines(&rig).contains("Read▲"), "{}", rig.screen());
    // A cell is selected, and once more is entered.
    rig.click(read, 4);
    assert!(rig.app.tables.files.selected.is_some());
    let depth = rig.app.filters().depth();
    rig.click(read, 4);
    assert_eq!(rig.app.filters().depth(), depth + 1);
    let wheel = |kind| {
        Event::Mouse(MouseEvent {
            kind,
            column: 5,
            row: 5,
            modifiers: crossterm::event::KeyModifiers::NONE,
        })
    };
    rig.keys("F3g");
    rig.event(wheel(MouseEventKind::ScrollDown));
    let Pane::Syscalls(window) = &rig.app.picture().unwrap().pane else {
        panic!("not the syscalls")
    };
    assert_eq!(window.selected, Some(3));
    // A frame is zoomed into, and out of again.
    rig.keys("1");
    rig.click(40, rig.line_with("all").map_or(0, |_| 26));
    let zoom = |rig: &Rig<DemoFeed>| format!("{:?}", rig.app.flame);
    let before = zoom(&rig);
    for row in (4..27).rev() {
        rig.click(40, row);
    }
    assert_ne!(zoom(&rig), before);
}

#[test]
fn moving_the_mouse_is_not_worth_a_frame() {
    let mut rig = situation("1", SIZE);
    let before = rig.app.revision();
    for kind in [MouseEventKind::Moved, MouseEventKind::ScrollLeft] {
        let event = Event::Mouse(MouseEvent {
            kind,
            column: 5,
            row: 5,
            modifiers: crossterm::event::KeyModifiers::NONE,
        });
        assert!(rig.app.handle(event).is_empty());
    }
    assert_eq!(rig.app.revision(), before);
    rig.app.handle(event_of(Key::Char('j')));
    assert_ne!(rig.app.revision(), before);
}

#[test]
fn what_is_chosen_is_traced() {
    let mut rig = Rig::new(feed(), First::Picker, SIZE);
    rig.keys("NGIN");
    rig.code(KeyCode::Enter);
    let target = |rig: &mut Rig<OwnFeed>| {
        let effects = rig.take_effects().into_iter();
        let mut targets = effects.filter_map(|effect| match effect {
            Effect::Command(Command::Target(target)) => Some(target),
            _ => None,
        });
        targets.next()
    };
    assert_eq!(target(&mut rig), Some(Target::Process(812)));
    rig.keys("t");
    rig.code(KeyCode::Down);
    rig.code(KeyCode::Down);
    rig.code(KeyCode::Enter);
    assert_eq!(target(&mut rig), Some(Target::Thread(813)));
    // Of the same process another thread can be chosen.
    rig.keys("t");
    assert!(rig.screen().contains("process 812"), "{}", rig.screen());
    rig.code(KeyCode::Enter);
    assert_eq!(target(&mut rig), Some(Target::Process(812)));
    rig.keys("p");
    rig.code(KeyCode::Enter);
    assert_eq!(target(&mut rig), Some(Target::All));
}

#[test]
fn a_session_that_is_over_before_it_began_says_why_and_can_be_left() {
    for key in [Key::Char('q'), Key::Code(KeyCode::Esc), Key::Control('c')] {
        let mut feed = OwnFeed::new(&[]);
        feed.facts.over = Some(Over::Failed(
            "cannot load the programs: permission denied".into(),
        ));
        let mut rig = Rig::new(feed, First::Tabs, SIZE);
        assert!(
            rig.screen().contains("permission denied"),
            "{}",
            rig.screen()
        );
        assert!(rig.screen().contains("ior doctor"), "{}", rig.screen());
        rig.press(key);
        let effects = rig.take_effects();
        assert!(matches!(effects[..], [Effect::Quit]), "{effects:?}");
    }
    // Another target can be chosen where there is a session.
    let mut rig = over();
    rig.keys("p");
    rig.keys("nginx");
    rig.code(KeyCode::Enter);
    assert_eq!(rig.feed.commands, [Command::Target(Target::Process(812))]);
    assert!(rig.screen().contains("│ attaching… │"), "{}", rig.screen());
}

#[test]
fn a_target_that_has_ended_was_traced_whether_or_not_it_had_rows() {
    for names in [&[][..], &[&b"a"[..]]] {
        let mut feed = OwnFeed::new(names);
        feed.facts.over = Some(Over::Ended("the traced processes have ended".into()));
        let mut rig = Rig::new(feed, First::Tabs, SIZE);
        for tab in "1234567".chars() {
            rig.press(Key::Char(tab));
            assert!(matches!(rig.app.mode(), Mode::Normal));
            assert!(
                rig.screen().contains("over: the traced"),
                "{}",
                rig.screen()
            );
        }
        // The next target may fail although this one had rows.
        rig.feed.facts.over = Some(Over::Failed("there is no process 1234".into()));
        rig.settle();
        assert!(
            rig.screen().contains("there is no process 1234"),
            "{}",
            rig.screen()
        );
    }
}

#[test]
fn what_is_traced_is_told_by_its_name() {
    let mut rig = Rig::new(OwnFeed::new(&[b"a"]), First::Tabs, SIZE);
    assert!(rig.screen().contains("process 7 (seven)"));
    for (keys, shown) in [
        ("pnginx\n", "process 812 (nginx)"),
        ("tworker\n", "thread 813 (worker)"),
        ("t\n", "process 812 (main)"),
        ("p\n", "all processes"),
    ] {
        for key in keys.chars() {
            match key {
                '\n' => rig.code(KeyCode::Enter),
                character => rig.press(Key::Char(character)),
            }
        }
        assert!(rig.screen().contains(shown), "{shown}\n{}", rig.screen());
    }
}

#[test]
fn while_it_is_attached_to_a_target_that_is_said() {
    let mut rig = Rig::new(OwnFeed::new(&[]), First::Tabs, SIZE);
    assert!(!rig.screen().contains("attaching"));
    rig.feed.facts.notice = Some("attaching…".into());
    rig.settle();
    assert!(rig.screen().contains("│ attaching… │"), "{}", rig.screen());
    rig.feed.facts.notice = None;
    rig.settle();
    assert!(!rig.screen().contains("attaching"));
}

#[test]
fn motions_end_at_the_ends() {
    assert_eq!(Motion::Up.from(0, 5, 3), Some(0));
    assert_eq!(Motion::Last.from(0, 5, 3), Some(4));
    assert_eq!(Motion::PageDown.from(3, 5, 3), Some(4));
    assert_eq!(Motion::PageUp.from(2, 5, 0), Some(1));
    assert_eq!(Motion::Left.from(2, 5, 3), None);
}
