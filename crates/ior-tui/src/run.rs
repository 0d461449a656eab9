//! The event loop: asks for a snapshot, draws if there is anything new to see, waits for a key.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use ior_core::snapshot::Feed;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::{App, Drawn, Effect, PanicKey, Start, Wanted};
use crate::screen;
use crate::terminal::Terminal;
use crate::theme::Theme;
use crate::world::World;

/// How long to wait for a key before looking for something new to see.
const FRAME: Duration = Duration::from_millis(50);
/// The same while an answer is due: a key that asked for another view should not have to wait, nor the first picture.
const SOON: Duration = Duration::from_millis(5);
/// After so long an answer is not expected any sooner than anything else.
const PATIENCE: Duration = Duration::from_millis(500);
/// How often a picker's list is renewed.
const LIST: Duration = Duration::from_secs(1);
/// Events taken before a frame at most, so that somebody who leans on a key sees what happens.
const BURST: usize = 256;
/// A view that changes with every answer is not followed further at once.
const ROUNDS: usize = 4;

/// What the loop needs of a terminal.
pub trait Console {
    /// The screen's size; its upper left corner is 0, 0.
    fn area(&mut self) -> io::Result<Rect>;

    /// Draws a frame of that size.
    fn draw(&mut self, area: Rect, draw: &mut dyn FnMut(&mut Buffer)) -> io::Result<()>;

    /// Waits for an event, but no longer than this. Fails with [`io::ErrorKind::UnexpectedEof`] when the terminal is gone.
    fn event(&mut self, longest: Duration) -> io::Result<Option<Event>>;

    /// Gives the terminal to a program that is to look at a file, until it ends.
    fn edit(&mut self, program: &[String], path: &str) -> io::Result<()>;

    /// A clock that does not go back.
    fn now(&self) -> Duration;
}

/// Runs the dashboard on the terminal until it is left, or until `quit` is set.
pub fn run(
    feed: &mut dyn Feed,
    world: &mut dyn World,
    start: Start,
    quit: &AtomicBool,
) -> io::Result<()> {
    let mut terminal = Terminal::open()?;
    match dashboard(&mut terminal, feed, world, start, quit) {
        // A terminal that is gone wants nothing any more.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(()),
        Err(_) if quit.load(Ordering::Relaxed) => Ok(()),
        other => other,
    }
}

/// Runs the dashboard on any console.
pub fn dashboard(
    console: &mut dyn Console,
    feed: &mut dyn Feed,
    world: &mut dyn World,
    start: Start,
    quit: &AtomicBool,
) -> io::Result<()> {
    let mut dashboard = Dashboard {
        app: App::new(&start),
        console,
        feed,
        world,
        theme: start.theme,
        panic_key: start.panic_key,
        frame: None,
        asked: Duration::ZERO,
        listed: None,
        events: VecDeque::new(),
        goes_on: GoesOn::Yes,
    };
    while dashboard.goes_on == GoesOn::Yes && !quit.load(Ordering::Relaxed) {
        let area = dashboard.console.area()?;
        dashboard.list();
        dashboard.look(area);
        dashboard.draw(area)?;
        dashboard.listen()?;
    }
    Ok(())
}

/// Whether the loop does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GoesOn {
    Yes,
    No,
}

struct Dashboard<'a> {
    app: App,
    console: &'a mut dyn Console,
    feed: &'a mut dyn Feed,
    world: &'a mut dyn World,
    theme: Theme,
    panic_key: PanicKey,
    /// What the last frame was made of: snapshot, state, size.
    frame: Option<(u64, u64, Rect)>,
    /// Since when an answer is due.
    asked: Duration,
    /// What was last listed, and when.
    listed: Option<(Wanted, Duration)>,
    /// Events that were not taken yet.
    events: VecDeque<Event>,
    goes_on: GoesOn,
}

impl Dashboard<'_> {
    /// Renews the list of an open picker.
    fn list(&mut self) {
        let Some(wanted) = self.app.wanted() else {
            self.listed = None;
            return;
        };
        let now = self.console.now();
        let is_known =
            |(listed, at): (Wanted, Duration)| listed == wanted && now.saturating_sub(at) < LIST;
        if self.listed.is_some_and(is_known) {
            return;
        }
        self.listed = Some((wanted, now));
        match wanted {
            Wanted::Processes => self.app.list_processes(self.world.processes()),
            Wanted::Threads(pid) => self.app.list_threads(pid, self.world.threads(pid)),
        }
    }

    /// Asks for what is to be seen. An answer can make something else wanted.
    fn look(&mut self, area: Rect) {
        let mut asked = None;
        for _ in 0..ROUNDS {
            let view = self.app.view(area);
            if asked.as_ref() == Some(&view) {
                return;
            }
            let snapshot = self.feed.snapshot(&view);
            asked = Some(view);
            let effects = self.app.see(&snapshot);
            self.perform(effects);
        }
    }

    /// Draws, if there is anything new to see.
    fn draw(&mut self, area: Rect) -> io::Result<()> {
        let now = self.console.now();
        if !self.app.is_answered() && now.saturating_sub(self.asked) < FRAME && self.frame.is_some()
        {
            return Ok(());
        }
        let frame = (self.app.generation(), self.app.revision(), area);
        if self.frame == Some(frame) {
            return Ok(());
        }
        let mut drawn = Drawn::default();
        let (app, theme) = (&self.app, &self.theme);
        self.console.draw(area, &mut |buffer| {
            drawn = screen::draw(buffer, area, app, theme);
        })?;
        self.frame = Some(frame);
        // This can change what is selected: there is another frame then.
        self.app.drawn(drawn);
        Ok(())
    }

    /// Waits for an event, and takes those that have come with it. They wait for a while if what they are about is not on
    /// the screen yet.
    fn listen(&mut self) -> io::Result<()> {
        let is_answered = self.app.is_answered();
        let waits = self.console.now().saturating_sub(self.asked);
        let is_due = !is_answered && waits < PATIENCE || self.app.is_attaching();
        let mut longest = match (self.events.is_empty(), is_due) {
            (true, false) => FRAME,
            _ => SOON,
        };
        while self.events.len() < BURST
            && let Some(event) = self.console.event(longest)?
        {
            longest = Duration::ZERO;
            self.events.push_back(event);
        }
        while self.app.is_ready() || waits >= FRAME {
            let Some(event) = self.events.pop_front() else {
                break;
            };
            if self.panic_key == PanicKey::On && is_panic_key(&event) {
                panic!("asked for by a key");
            }
            let effects = self.app.handle(event);
            self.perform(effects);
            if self.goes_on == GoesOn::No {
                break;
            }
        }
        if is_answered {
            // What an event asked for is due from now on.
            self.asked = self.console.now();
        }
        Ok(())
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Command(command) => self.feed.command(command),
                Effect::Export(rows) => {
                    let outcome = self.world.export(&rows);
                    self.app.exported(outcome);
                }
                Effect::Edit(path) => {
                    let outcome = self.console.edit(&self.world.editor(), &path);
                    self.frame = None;
                    if let Err(error) = outcome {
                        self.app.say(error.to_string());
                    }
                }
                Effect::Quit => self.goes_on = GoesOn::No,
            }
        }
    }
}

fn is_panic_key(event: &Event) -> bool {
    let panic_key = KeyEvent::new(KeyCode::Char('p'), KeyModifiers::CONTROL);
    matches!(event, Event::Key(key) if *key == panic_key)
}

#[cfg(test)]
mod tests;
