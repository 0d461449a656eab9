//! Writes pictures of the dashboard on made-up calls, drawn by the code that draws it on a terminal.
//!
//! `cargo xtask screenshots`

mod svg;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ior_core::Filter;
use ior_core::live::DemoFeed;
use ior_core::snapshot::Feed;
use ior_tui::app::{App, Effect, First, PanicKey, Start};
use ior_tui::{Theme, screen};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// File, title, and the keys that lead there from the first tab.
const PICTURES: [(&str, &str, &str); 5] = [
    ("flame", "Flame graph of latency", "bkkk"),
    ("overview", "Overview", "2"),
    ("files", "Files, by bytes written", "4bb"),
    ("latency", "Latency", "6"),
    ("stream", "The paused stream", "7 kk"),
];

const SIZE: Rect = Rect::new(0, 0, 120, 32);
/// How old the session is.
const SECONDS: u64 = 40;

fn main() -> std::io::Result<()> {
    let directory = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "docs/screenshots".to_owned());
    let directory = Path::new(&directory);
    std::fs::create_dir_all(directory)?;
    for (name, title, keys) in PICTURES {
        let picture = svg::picture(&screen_after(keys), &svg::DARK, title);
        std::fs::write(directory.join(format!("{name}.svg")), picture)?;
    }
    Ok(())
}

/// The screen after these keys.
fn screen_after(keys: &str) -> Buffer {
    let seconds = Arc::new(AtomicU64::new(0));
    let clock = Arc::clone(&seconds);
    let mut feed = DemoFeed::new(7, move || {
        Duration::from_secs(clock.load(Ordering::Relaxed))
    });
    let start = Start {
        first: First::Tabs,
        filter: Filter::default(),
        scope: "all processes".to_owned(),
        theme: Theme::dark(),
        panic_key: PanicKey::Off,
    };
    let mut app = App::new(&start);
    let mut buffer = Buffer::empty(SIZE);
    for second in 1..=SECONDS {
        seconds.store(second, Ordering::Relaxed);
        draw(&mut app, &mut feed, &mut buffer, &start.theme);
    }
    for key in keys.chars() {
        let event = KeyEvent::new(KeyCode::Char(key), KeyModifiers::NONE);
        let effects = app.handle(Event::Key(event));
        perform(&mut feed, effects);
        draw(&mut app, &mut feed, &mut buffer, &start.theme);
    }
    buffer
}

fn draw(app: &mut App, feed: &mut DemoFeed, buffer: &mut Buffer, theme: &Theme) {
    // What is seen can make something else wanted.
    for _ in 0..3 {
        let view = app.view(SIZE);
        let snapshot = feed.snapshot(&view);
        let effects = app.see(&snapshot);
        perform(feed, effects);
    }
    buffer.reset();
    let drawn = screen::draw(buffer, SIZE, app, theme);
    app.drawn(drawn);
}

fn perform(feed: &mut DemoFeed, effects: Vec<Effect>) {
    for effect in effects {
        if let Effect::Command(command) = effect {
            feed.command(command);
        }
    }
}
