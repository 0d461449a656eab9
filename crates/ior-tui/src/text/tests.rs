use super::*;

#[test]
fn what_fits_stays_and_what_does_not_is_cut_where_it_may_be() {
    assert_eq!(fit("abc", 3, Cut::End), "abc");
    assert_eq!(fit("abcd", 3, Cut::End), "ab…");
    assert_eq!(fit("/usr/lib/x.so", 6, Cut::Front), "…/x.so");
    assert_eq!(fit("abcd", 1, Cut::End), "…");
    assert_eq!(fit("abcd", 0, Cut::End), "");
    assert_eq!(fit("", 0, Cut::End), "");
}

#[test]
fn wide_characters_are_not_split() {
    assert_eq!(cells("日本語"), 6);
    assert_eq!(fit("日本語", 6, Cut::End), "日本語");
    assert_eq!(fit("日本語", 5, Cut::End), "日本…");
    assert_eq!(fit("日本語", 4, Cut::End), "日…");
    assert_eq!(fit("日本語", 4, Cut::Front), "…語");
    assert_eq!(fit("日本語", 2, Cut::End), "…");
    // An accent stays with its letter.
    assert_eq!(fit("e\u{301}e\u{301}e\u{301}", 2, Cut::End), "e\u{301}…");
}

#[test]
fn nothing_is_written_outside_the_area() {
    for width in 0..9 {
        for x in 0..9 {
            let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 2));
            let area = Rect::new(x, 1, width, 1);
            for text in ["日本語", "a日本語", "abcdefghij", "\u{301}", "👩🏽"] {
                for align in [Align::Left, Align::Right] {
                    for cut in [Cut::End, Cut::Front] {
                        put(&mut buffer, area, text, (align, cut), Style::new());
                    }
                }
            }
            for y in 0..2 {
                for at in 0..8 {
                    let inside = area.contains((at, y).into());
                    assert!(
                        inside || buffer[(at, y)].symbol() == " ",
                        "{area}: {buffer:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn names_cannot_act() {
    let text = harmless(b"a\x1b[2J\xff\xe2\x80\xae");
    assert!(text.chars().all(|character| !escape::is_hostile(character)));
}
