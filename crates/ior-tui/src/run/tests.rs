use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use ior_core::Snapshot;
use ior_core::snapshot::{Command, Target};
use ior_core::view::View;

use super::*;
use crate::app::First;
use crate::keymap::Key;
use crate::rig::{FakeWorld, OwnFeed, event_of, start, text_of};

/// What happens next on the test's console.
enum Step {
    Event(Event),
    /// Nothing, for as long as the loop wants to wait.
    Idle,
    /// Something happens elsewhere.
    Do(Box<dyn FnOnce()>),
    /// The terminal is gone.
    Gone,
}

/// A console that plays a script, and then leaves.
struct Script {
    steps: VecDeque<Step>,
    now: Duration,
    area: Rect,
    frames: Vec<String>,
    edited: Vec<(Vec<String>, String)>,
}

impl Script {
    fn new(steps: impl IntoIterator<Item = Step>) -> Script {
        Script {
            steps: steps.into_iter().collect(),
            now: Duration::ZERO,
            area: Rect::new(0, 0, 80, 24),
            frames: Vec::new(),
            edited: Vec::new(),
        }
    }
}

impl Console for Script {
    fn area(&mut self) -> io::Result<Rect> {
        Ok(self.area)
    }

    fn draw(&mut self, area: Rect, draw: &mut dyn FnMut(&mut Buffer)) -> io::Result<()> {
        let mut buffer = Buffer::empty(area);
        draw(&mut buffer);
        self.frames.push(text_of(&buffer));
        Ok(())
    }

    fn event(&mut self, longest: Duration) -> io::Result<Option<Event>> {
        match self.steps.pop_front() {
            Some(Step::Event(Event::Resize(width, height))) => {
                self.area = Rect::new(0, 0, width, height);
                Ok(Some(Event::Resize(width, height)))
            }
            Some(Step::Event(event)) => Ok(Some(event)),
            Some(Step::Gone) => Err(io::ErrorKind::UnexpectedEof.into()),
            Some(step) if !longest.is_zero() => {
                self.now += longest;
                if let Step::Do(what) = step {
                    what();
                }
                Ok(None)
            }
            Some(step) => {
                // Whatever is no event ends a burst.
                self.steps.push_front(step);
                Ok(None)
            }
            None => Ok(Some(event_of(Key::Control('c')))),
        }
    }

    fn edit(&mut self, program: &[String], path: &str) -> io::Result<()> {
        self.edited.push((program.to_vec(), path.to_owned()));
        Err(io::Error::other("vi: not found"))
    }

    fn now(&self) -> Duration {
        self.now
    }
}

fn key(character: char) -> Step {
    Step::Event(event_of(Key::Char(character)))
}

fn idle(times: usize) -> impl Iterator<Item = Step> {
    (0..times).map(|_| Step::Idle)
}

fn play(script: &mut Script, feed: &mut dyn Feed, first: First) -> io::Result<()> {
    let mut world = FakeWorld::default();
    dashboard(
        script,
        feed,
        &mut world,
        start(first),
        &AtomicBool::new(false),
    )
}

/// A feed that several parts of a test look at.
#[derive(Clone)]
struct Shared(Rc<RefCell<OwnFeed>>);

impl Shared {
    fn new() -> Shared {
        Shared(Rc::new(RefCell::new(OwnFeed::new(&[b"/a", b"/b", b"/c"]))))
    }
}

impl Feed for Shared {
    fn snapshot(&mut self, view: &View) -> Arc<Snapshot> {
        self.0.borrow_mut().snapshot(view)
    }

    fn command(&mut self, command: Command) {
        self.0.borrow_mut().command(command);
    }
}

#[test]
fn nothing_is_drawn_without_a_change() {
    let feed = Shared::new();
    let change = feed.clone();
    let what = move || change.0.borrow_mut().facts.shed = 7;
    let mut steps: Vec<Step> = idle(50).collect();
    steps.push(Step::Do(Box::new(what)));
    steps.extend(idle(50));
    steps.push(Step::Event(Event::Resize(60, 20)));
    steps.extend(idle(50));
    let mut script = Script::new(steps);
    play(&mut script, &mut feed.clone(), First::Tabs).unwrap();
    // At first, when rows were shed, when the size changed.
    assert_eq!(script.frames.len(), 3, "{:#?}", script.frames);
    assert!(script.frames[1].contains("7 shed"));
    // It has waited for the whole of each frame's time.
    assert!(script.now > FRAME * 140, "{:?}", script.now);
}

#[test]
fn a_burst_of_keys_is_one_frame() {
    let mut steps: Vec<Step> = idle(2).collect();
    steps.extend("jjjjjjjjjj".chars().map(key));
    steps.extend(idle(3));
    let mut script = Script::new(steps);
    let mut feed = OwnFeed::new(&[b"/a", b"/b"]);
    play(&mut script, &mut feed, First::Tabs).unwrap();
    assert_eq!(script.frames.len(), 2, "{:#?}", script.frames);
}

#[test]
fn keys_typed_ahead_of_the_picture_are_about_what_comes() {
    let mut steps: Vec<Step> = idle(1).collect();
    steps.extend("4jjG".chars().map(key));
    steps.push(Step::Event(event_of(Key::Code(KeyCode::Enter))));
    steps.extend(idle(3));
    let mut feed = OwnFeed::new(&[b"/a", b"/b", b"/c"]);
    play(&mut Script::new(steps), &mut feed, First::Tabs).unwrap();
    let filters: Vec<String> = feed
        .commands
        .iter()
        .map(|command| match command {
            Command::Filter(filter) => filter.to_string(),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(filters, ["file=/c"]);
    let mut steps: Vec<Step> = idle(1).collect();
    steps.extend("pngin".chars().map(key));
    steps.push(Step::Event(event_of(Key::Code(KeyCode::Enter))));
    steps.extend(idle(3));
    let mut feed = OwnFeed::new(&[b"/a"]);
    play(&mut Script::new(steps), &mut feed, First::Tabs).unwrap();
    assert_eq!(feed.commands, [Command::Target(Target::Process(812))]);
}

/// A feed that answers what it was asked the time before.
struct Slow {
    feed: OwnFeed,
    asked: VecDeque<View>,
    lag: usize,
}

impl Feed for Slow {
    fn snapshot(&mut self, view: &View) -> Arc<Snapshot> {
        self.asked.push_back(view.clone());
        while self.asked.len() > self.lag + 1 {
            self.asked.pop_front();
        }
        let asked = self.asked[0].clone();
        self.feed.snapshot(&asked)
    }

    fn command(&mut self, command: Command) {
        self.feed.command(command);
    }
}

#[test]
fn an_answer_is_waited_for_but_not_for_long() {
    for lag in [0, 1, 7, 1_000_000] {
        let mut steps: Vec<Step> = idle(20).collect();
        steps.push(key('3'));
        steps.extend(idle(40));
        let mut script = Script::new(steps);
        let mut feed = Slow {
            feed: OwnFeed::new(&[b"/a"]),
            asked: VecDeque::new(),
            lag,
        };
        play(&mut script, &mut feed, First::Tabs).unwrap();
        let last = script.frames.last().unwrap();
        let answers = lag < 1_000_000;
        assert_eq!(last.contains("openat"), answers, "{lag}\n{last}");
        // Without an answer the tab is open nevertheless, and nothing spins.
        assert!(last.contains("3 Syscalls"), "{last}");
        let blank = script
            .frames
            .iter()
            .filter(|frame| frame.lines().nth(1) == Some("…"))
            .count();
        assert_eq!(blank > 0, !answers, "{lag}\n{:#?}", script.frames);
        assert!(script.now > FRAME * 20, "{:?}", script.now);
    }
}

#[test]
fn a_signal_ends_it() {
    let quit = AtomicBool::new(true);
    let mut script = Script::new(idle(3));
    let mut feed = OwnFeed::new(&[]);
    let mut world = FakeWorld::default();
    dashboard(
        &mut script,
        &mut feed,
        &mut world,
        start(First::Tabs),
        &quit,
    )
    .unwrap();
    assert_eq!(script.steps.len(), 3);
}

#[test]
fn a_terminal_that_is_gone_ends_it() {
    let mut script = Script::new([Step::Idle, Step::Gone]);
    let error = play(&mut script, &mut OwnFeed::new(&[]), First::Tabs).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
}

#[test]
fn an_export_is_opened_in_the_editor_and_its_failure_said() {
    let mut steps: Vec<Step> = idle(1).collect();
    steps.extend("eE".chars().map(key));
    steps.extend(idle(2));
    let mut script = Script::new(steps);
    play(&mut script, &mut OwnFeed::new(&[b"/a"]), First::Tabs).unwrap();
    assert_eq!(
        script.edited,
        [(vec!["vi".to_owned()], "ior-1.csv".to_owned())]
    );
    assert!(script.frames.last().unwrap().contains("vi: not found"));
}

#[test]
fn the_picker_asks_for_processes_once_a_second() {
    struct Counting(FakeWorld, usize);
    impl World for Counting {
        fn processes(&mut self) -> Vec<crate::world::Process> {
            self.1 += 1;
            self.0.processes()
        }
        fn threads(&mut self, pid: u32) -> Vec<crate::world::Thread> {
            self.0.threads(pid)
        }
        fn export(&mut self, rows: &ior_core::batch::Tail) -> Result<String, String> {
            self.0.export(rows)
        }
        fn editor(&self) -> Vec<String> {
            self.0.editor()
        }
    }
    let mut world = Counting(FakeWorld::default(), 0);
    // Three and a half seconds.
    let mut script = Script::new(idle((3_500 / FRAME.as_millis()) as usize));
    let quit = AtomicBool::new(false);
    let mut feed = OwnFeed::new(&[]);
    dashboard(
        &mut script,
        &mut feed,
        &mut world,
        start(First::Picker),
        &quit,
    )
    .unwrap();
    assert_eq!(world.1, 4);
    assert_eq!(script.frames.len(), 1);
    assert!(feed.commands.is_empty());
}

#[test]
#[should_panic(expected = "asked for by a key")]
fn a_key_panics_if_a_test_wants_it() {
    let mut script = Script::new([Step::Idle, Step::Event(event_of(Key::Control('p')))]);
    let start = Start {
        panic_key: PanicKey::On,
        ..start(First::Tabs)
    };
    let quit = AtomicBool::new(false);
    let _ = dashboard(
        &mut script,
        &mut OwnFeed::new(&[]),
        &mut FakeWorld::default(),
        start,
        &quit,
    );
}
