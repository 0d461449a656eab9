use std::collections::HashSet;

use super::*;

#[test]
fn no_key_means_two_things_in_a_place() {
    for place in Place::ALL {
        let mut seen = HashSet::new();
        for key in of(place).flat_map(|binding| binding.keys) {
            assert!(seen.insert(key.name()), "{place:?} {}", key.name());
        }
        assert!(!seen.is_empty(), "{place:?}");
    }
    let explained: usize = Place::ALL.iter().map(|place| of(*place).count()).sum();
    assert_eq!(explained, BINDINGS.len());
}

#[test]
fn a_text_box_leaves_no_printable_key_to_anyone_else() {
    let boxes = [Place::Picker, Place::Prompt, Place::TextBox];
    for binding in boxes.into_iter().flat_map(of) {
        for key in binding.keys {
            assert!(!matches!(key, Key::Char(_)), "{binding:?}");
        }
    }
}

#[test]
fn the_more_particular_place_wins() {
    let flame = [Place::Flame, Place::Everywhere];
    assert_eq!(find(&flame, Key::Char('o')), Some(Action::Order));
    assert_eq!(find(&flame[1..], Key::Char('o')), Some(Action::Probes));
    assert!(!hints(&flame).contains(&("o".into(), "probes")));
}

#[test]
fn keys_are_told_from_events() {
    let key = |code, modifiers| Key::of(&KeyEvent::new(code, modifiers));
    let none = KeyModifiers::NONE;
    assert_eq!(
        key(KeyCode::Char('C'), KeyModifiers::CONTROL),
        Some(Key::Control('c'))
    );
    assert_eq!(
        key(KeyCode::Char('G'), KeyModifiers::SHIFT),
        Some(Key::Char('G'))
    );
    assert_eq!(
        key(KeyCode::Tab, KeyModifiers::SHIFT),
        Some(Key::Code(KeyCode::BackTab))
    );
    assert_eq!(key(KeyCode::Char('q'), KeyModifiers::ALT), None);
    assert_eq!(key(KeyCode::Esc, none), Some(Key::Code(KeyCode::Esc)));
}

#[test]
fn the_list_for_the_readme_has_every_key() {
    insta::assert_snapshot!(markdown());
}

/// `IOR_WRITE_KEYS=1 cargo test -p ior-tui readme` writes it.
#[test]
fn the_readme_lists_every_key() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(path).unwrap();
    let (begin, end) = ("<!-- keys: begin -->\n", "<!-- keys: end -->");
    let from = readme.find(begin).unwrap() + begin.len();
    let to = readme.find(end).unwrap();
    let wanted = markdown();
    if std::env::var_os("IOR_WRITE_KEYS").is_some() {
        let text = format!("{}{wanted}{}", &readme[..from], &readme[to..]);
        std::fs::write(path, text).unwrap();
    } else {
        assert_eq!(&readme[from..to], wanted);
    }
}
