//! For tests: a dashboard without a terminal, over the made-up workload or over facts of the test's own.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ior_core::batch::{Batch, Tail};
use ior_core::live::{DemoFeed, Facts, Model};
use ior_core::snapshot::{Command, Feed, Snapshot};
use ior_core::view::View;
use ior_core::{Abi, Details, Filter, Ids, NameSource, Row, Task, syscall};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::{App, Effect, First, PanicKey, Start, Wanted};
use crate::keymap::Key;
use crate::screen;
use crate::theme::Theme;
use crate::world::{Process, Thread, World};

/// What could be in a name.
pub const HOSTILE: &[&[u8]] = &[
    b"\x1b[2J\x1b]0;owned\x07",
    "\u{202e}gpj.exe\u{200b}".as_bytes(),
    b"\xff\xfe invalid \x80",
    "日本語/👩‍👩‍👧/e\u{301}\u{301}".as_bytes(),
    b"line\nbreak\tand\rreturn \\ quote\"",
];

/// A machine that is always the same.
#[derive(Debug, Clone)]
pub struct FakeWorld {
    pub processes: Vec<Process>,
    pub exports: Vec<usize>,
}

impl Default for FakeWorld {
    fn default() -> FakeWorld {
        let process = |pid: u32, name: &str, command: &str| Process {
            pid,
            name: name.into(),
            user: if pid < 1000 { "root" } else { "ada" }.to_owned(),
            cpu: (pid != 1).then_some(f64::from(pid % 7) / 100.0),
            command: command.into(),
        };
        FakeWorld {
            processes: vec![
                process(1, "systemd", "/sbin/init splash"),
                process(2, "kthreadd", ""),
                process(812, "nginx", "nginx: worker process"),
                process(
                    1033,
                    "postgres",
                    "/usr/lib/postgresql/16/bin/postgres -D /var/lib",
                ),
                process(4410, "rustc", "rustc --crate-name Demo src/lib.rs"),
            ],
            exports: Vec::new(),
        }
    }
}

impl World for FakeWorld {
    fn processes(&mut self) -> Vec<Process> {
        self.processes.clone()
    }

    fn threads(&mut self, pid: u32) -> Vec<Thread> {
        let thread = |tid, name: &str| Thread {
            tid,
            name: name.into(),
        };
        vec![thread(pid, "main"), thread(pid + 1, "worker")]
    }

    fn export(&mut self, rows: &Tail) -> Result<String, String> {
        self.exports.push(rows.len());
        Ok(format!("ior-{}.csv", self.exports.len()))
    }

    fn editor(&self) -> Vec<String> {
        vec!["vi".to_owned()]
    }
}

/// A session of the test's own making.
pub struct OwnFeed {
    pub model: Model,
    pub facts: Facts,
    pub commands: Vec<Command>,
}

impl OwnFeed {
    /// With rows on these files, made by threads of these names.
    pub fn new(names: &[&[u8]]) -> OwnFeed {
        let mut model = Model::default();
        model.add(&Arc::new(rows(names)), Duration::from_secs(1));
        OwnFeed {
            model,
            facts: Facts::default(),
            commands: Vec::new(),
        }
    }
}

impl Feed for OwnFeed {
    fn snapshot(&mut self, view: &View) -> Arc<Snapshot> {
        self.model
            .snapshot(view, &self.facts, Duration::from_secs(3))
    }

    fn command(&mut self, command: Command) {
        match &command {
            Command::Filter(filter) => self
                .model
                .set_filter(filter.clone(), Duration::from_secs(2)),
            Command::Target(target) => self.facts.target = target.clone(),
            _ => {}
        }
        self.commands.push(command);
    }
}

/// One row for each name, which is the file's and the thread's.
pub fn rows(names: &[&[u8]]) -> Batch {
    let mut batch = Batch::default();
    for (number, name) in (1u32..).zip(names) {
        let task = Task {
            tid: number,
            pid: number,
            ppid: 1,
            uid: 0,
            cgroup_id: 1,
            cgroup: "/\u{202e}x".to_owned(),
            comm: name.to_vec(),
            process: name.to_vec(),
            start_ns: 0,
        };
        let is_open = number % 2 == 1;
        let syscall = syscall::by_name(if is_open { "openat" } else { "read" });
        batch.push(&Row {
            seq: number.into(),
            time_ns: 1_000_000_000 + u64::from(number),
            wall_ns: 1_790_000_000_000_000_000 + u64::from(number),
            gap_ns: 1_500,
            latency_ns: 2_500_000,
            task: &task,
            syscall: syscall.unwrap(),
            abi: Abi::X86_64,
            fd: 3,
            ret: if is_open { -2 } else { 4096 },
            bytes: if is_open { 0 } else { 4096 },
            file: name,
            old_file: Some(name),
            name_source: NameSource::Partial,
            filter_epoch: 0,
            dev: None,
            ino: Some(7),
            requested: Some(8192),
            offset: Some(-1),
            flags: is_open.then_some(0o2_000_102),
            details: Details {
                timeout_ns: Some(-1),
                ..Details::default()
            },
            ids: Ids::default(),
        });
    }
    batch
}

/// A dashboard, what it has asked for, and what it shows.
pub struct Rig<F> {
    pub app: App,
    pub feed: F,
    pub world: FakeWorld,
    pub area: Rect,
    pub buffer: Buffer,
    pub theme: Theme,
    /// What was to be done outside since the last look at it.
    pub effects: Vec<Effect>,
}

/// How to begin.
pub fn start(first: First) -> Start {
    Start {
        first,
        filter: Filter::default(),
        scope: "process 7 (seven)".to_owned(),
        theme: Theme::plain(),
        panic_key: PanicKey::Off,
    }
}

/// The made-up workload, with its clock: seconds, which a test moves on.
pub fn demo() -> (DemoFeed, Arc<AtomicU64>) {
    let seconds = Arc::new(AtomicU64::new(1));
    let clock = Arc::clone(&seconds);
    let now = move || Duration::from_secs(clock.load(Ordering::Relaxed));
    (DemoFeed::new(7, now), seconds)
}

impl<F: Feed> Rig<F> {
    /// A dashboard that has been looked at once.
    pub fn new(feed: F, first: First, (width, height): (u16, u16)) -> Rig<F> {
        let area = Rect::new(0, 0, width, height);
        let mut rig = Rig {
            app: App::new(&start(first)),
            feed,
            world: FakeWorld::default(),
            area,
            buffer: Buffer::empty(area),
            theme: Theme::plain(),
            effects: Vec::new(),
        };
        rig.settle();
        rig
    }

    /// Lists, looks and draws as the event loop does.
    pub fn settle(&mut self) {
        match self.app.wanted() {
            Some(Wanted::Processes) => self.app.list_processes(self.world.processes()),
            Some(Wanted::Threads(pid)) => {
                let threads = self.world.threads(pid);
                self.app.list_threads(pid, threads);
            }
            None => {}
        }
        let mut asked = None;
        for _ in 0..8 {
            let view = self.app.view(self.area);
            if asked.as_ref() == Some(&view) {
                break;
            }
            asked = Some(view.clone());
            let snapshot = self.feed.snapshot(&view);
            let effects = self.app.see(&snapshot);
            self.perform(effects);
        }
        self.buffer = Buffer::empty(self.area);
        let drawn = screen::draw(&mut self.buffer, self.area, &self.app, &self.theme);
        self.app.drawn(drawn);
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match &effect {
                Effect::Command(command) => self.feed.command(command.clone()),
                Effect::Export(rows) => {
                    let outcome = self.world.export(rows);
                    self.app.exported(outcome);
                }
                Effect::Edit(_) | Effect::Quit => {}
            }
            self.effects.push(effect);
        }
    }

    /// Takes an event.
    pub fn event(&mut self, event: Event) {
        let effects = self.app.handle(event);
        self.perform(effects);
        self.settle();
    }

    /// Presses a key.
    pub fn press(&mut self, key: Key) {
        self.event(event_of(key));
    }

    /// Presses a key that is no character.
    pub fn code(&mut self, code: KeyCode) {
        self.press(Key::Code(code));
    }

    /// Types a text.
    pub fn keys(&mut self, text: &str) {
        for character in text.chars() {
            self.press(Key::Char(character));
        }
    }

    /// Presses the left button.
    pub fn click(&mut self, column: u16, row: u16) {
        self.event(Event::Mouse(MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column,
            row,
            modifiers: KeyModifiers::NONE,
        }));
    }

    /// Puts a filter in force by typing it.
    pub fn filter(&mut self, text: &str) {
        self.keys("f");
        self.press(Key::Control('u'));
        self.keys(text);
        self.code(KeyCode::Enter);
    }

    /// What was to be done outside since the last call.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    /// What is on the screen, without spaces at the ends of lines.
    pub fn screen(&self) -> String {
        text_of(&self.buffer)
    }

    /// The line of the screen that has a text in it.
    pub fn line_with(&self, text: &str) -> Option<u16> {
        let place = self.screen().lines().position(|line| line.contains(text))?;
        u16::try_from(place).ok()
    }
}

/// The event of a key.
pub fn event_of(key: Key) -> Event {
    Event::Key(match key {
        Key::Char(character) => KeyEvent::new(KeyCode::Char(character), KeyModifiers::NONE),
        Key::Control(letter) => KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL),
        Key::Code(code) => KeyEvent::new(code, KeyModifiers::NONE),
    })
}

/// What a buffer shows.
pub fn text_of(buffer: &Buffer) -> String {
    let width = usize::from(buffer.area.width).max(1);
    let lines = buffer.content.chunks(width).map(|line| {
        let mut text = String::new();
        let mut skipped = 0;
        for cell in line {
            if skipped > 0 {
                skipped -= 1;
                continue;
            }
            text.push_str(cell.symbol());
            skipped = crate::text::cells(cell.symbol()).saturating_sub(1);
        }
        text.trim_end().to_owned()
    });
    lines.collect::<Vec<_>>().join("\n")
}
