use std::cell::RefCell;
use std::rc::Rc;

use ratatui::style::Style;

use super::*;

/// What was written.
#[derive(Clone, Default)]
struct Written(Rc<RefCell<Vec<u8>>>);

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A picture and the terminal it is on.
struct Bench {
    picture: Picture<Written>,
    written: Written,
    terminal: vt100::Parser,
}

impl Bench {
    fn new(rows: u16, columns: u16) -> Bench {
        let written = Written::default();
        Bench {
            picture: Picture::new(written.clone()),
            terminal: vt100::Parser::new(rows.try_into().unwrap(), columns.try_into().unwrap(), 0),
            written,
        }
    }

    /// Shows these lines, and returns how many bytes that took.
    fn show(&mut self, (width, height): (u16, u16), lines: &[&str]) -> usize {
        let area = Rect::new(0, 0, width, height);
        let mut draw = |buffer: &mut Buffer| {
            for (y, line) in (0..).zip(lines) {
                buffer.set_string(0, y, line, Style::new());
            }
        };
        self.picture.draw(area, &mut draw).unwrap();
        let bytes = std::mem::take(&mut *self.written.0.borrow_mut());
        assert!(bytes.starts_with(b"\x1b[?2026h") && bytes.ends_with(b"\x1b[?2026l"));
        self.terminal.process(&bytes);
        bytes.len()
    }

    /// What is on the terminal, without spaces at the ends of lines.
    fn seen(&self) -> String {
        let contents = self.terminal.screen().contents();
        let lines = contents.lines().map(str::trim_end);
        lines.collect::<Vec<_>>().join("\n")
    }
}

#[test]
fn a_screen_becomes_the_next_one_by_what_differs() {
    let mut bench = Bench::new(3, 20);
    let first = bench.show((20, 3), &["one", "two", "日本語 e\u{301}"]);
    assert_eq!(bench.seen(), "one\ntwo\n日本語 e\u{301}");
    let same = bench.show((20, 3), &["one", "two", "日本語 e\u{301}"]);
    let other = bench.show((20, 3), &["one", "t", "日本 e\u{301}"]);
    assert_eq!(bench.seen(), "one\nt\n日本 e\u{301}");
    assert!(same < other && other < first, "{same} {other} {first}");
}

#[test]
fn another_size_and_a_screen_that_was_written_over_are_drawn_whole() {
    let mut bench = Bench::new(3, 20);
    bench.show((20, 3), &["one", "two", "three"]);
    bench
        .terminal
        .screen_mut()
        .set_size(2u16.try_into().unwrap(), 10u16.try_into().unwrap());
    bench.show((10, 2), &["one", "two"]);
    assert_eq!(bench.seen(), "one\ntwo");
    bench.terminal.process(b"\x1b[H\x1b[2Jan editor");
    bench.picture.forget();
    bench.show((10, 2), &["one", "two"]);
    assert_eq!(bench.seen(), "one\ntwo");
}
