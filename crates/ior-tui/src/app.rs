//! The dashboard's state: what is open, what is selected, what was typed. Events go in and effects come out; nothing here
//! waits, draws, or knows where snapshots come from.

mod attaching;
mod filters;
mod flame;
mod losses;
mod mode;
mod mouse;
mod normal;
mod picker;
mod probes;
mod prompt;
mod stream;
mod tab;
mod tables;
mod text;
mod textbox;
mod views;

use std::collections::BTreeMap;
use std::sync::Arc;

use crossterm::event::{Event, KeyEvent, KeyEventKind};
use ior_core::batch::Tail;
use ior_core::snapshot::{Command, Session, Target};
use ior_core::view::Subject;
use ior_core::{Filter, Snapshot};
use ratatui::layout::Rect;

use crate::action::Action;
use crate::keymap::{self, Key, Place};
use crate::panes::Hits;
use crate::text::harmless;
use crate::theme::Theme;
use attaching::Attaching;
pub use filters::Filters;
pub use losses::{Missing, counter, losses};
pub use mode::Mode;
pub use picker::{Among, Chosen, Item, Picker};
pub use probes::{Entry, Probes, Traced};
pub use prompt::{Prompt, Purpose};
pub use tab::Tab;
pub use text::{Subject as TextSubject, Text};
pub use textbox::{TextBox, shown};
pub use views::Layout;

/// How the dashboard begins.
#[derive(Debug, Clone)]
pub struct Start {
    /// What is seen first.
    pub first: First,
    /// The filter that is in force already.
    pub filter: Filter,
    /// What the command line says is traced, in words.
    pub scope: String,
    /// Colours.
    pub theme: Theme,
    /// Whether a key panics.
    pub panic_key: PanicKey,
}

/// What is seen first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum First {
    /// The process picker: nothing is traced before something was chosen.
    Picker,
    /// The tabs: the feed begins by itself.
    Tabs,
    /// Why nothing can be traced, with the remedy.
    Failed(String),
}

/// Whether Ctrl-P panics, for tests of what is left of the terminal then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PanicKey {
    /// It does not.
    Off,
    /// It does.
    On,
}

impl Start {
    /// A dashboard that shows why nothing can be traced.
    pub fn failed(cause: impl Into<String>, theme: Theme) -> Start {
        Start {
            first: First::Failed(cause.into()),
            filter: Filter::default(),
            scope: String::new(),
            theme,
            panic_key: PanicKey::Off,
        }
    }
}

/// What is to be done outside.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Ask the feed for this.
    Command(Command),
    /// Write these rows into a file, and tell [`App::exported`].
    Export(Tail),
    /// Open this file in an editor.
    Edit(String),
    /// End.
    Quit,
}

/// What an open picker needs a list of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The processes.
    Processes,
    /// The threads of a process.
    Threads(u32),
}

/// What a frame has shown, for the mouse and for moving by pages.
#[derive(Debug, Clone, Default)]
pub struct Drawn {
    /// What can be clicked.
    pub hits: Hits,
    /// Lines of the open dialog's list or text that are on the screen.
    pub page: usize,
    /// Lines of its text in all.
    pub lines: usize,
}

/// The state.
#[derive(Debug)]
pub struct App {
    tab: Tab,
    mode: Mode,
    filters: Filters,
    tables: tables::Tables,
    flame: flame::Flame,
    subject: Subject,
    stream: stream::Stream,
    /// The newest snapshot, whatever it shows.
    latest: Option<Arc<Snapshot>>,
    /// The newest one that shows what is wanted.
    answer: Option<Arc<Snapshot>>,
    /// Pictures that are kept as they are.
    paused: BTreeMap<Tab, Arc<Snapshot>>,
    /// Whether the rows that pass the filter are waited for, to be written.
    export: Export,
    last_export: Option<String>,
    /// What was last chosen to be traced.
    chosen: Option<u32>,
    /// What the command line says is traced, in words.
    scope: String,
    /// Names of what was chosen, as they were then, by process or thread id.
    names: BTreeMap<u32, Vec<u8>>,
    attaching: Option<Attaching>,
    clock: losses::Clock,
    notice: Option<String>,
    /// The session's notice that was read: a key was pressed since.
    read: Option<String>,
    area: Rect,
    drawn: Drawn,
    effects: Vec<Effect>,
    /// Counts up with everything that may change the picture besides a snapshot.
    revision: u64,
}

/// Where an export is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Export {
    None,
    /// The rows are not there yet; so many answers were not what is wanted.
    Wanted(u8),
}

impl App {
    /// Before anything was seen or typed.
    pub fn new(start: &Start) -> App {
        App {
            tab: Tab::default(),
            mode: match &start.first {
                First::Picker => Mode::Picker(Picker::first()),
                First::Tabs => Mode::Normal,
                First::Failed(cause) => Mode::failed(cause, text::Retry::Impossible),
            },
            filters: Filters::new(start.filter.clone()),
            tables: tables::Tables::default(),
            flame: flame::Flame::default(),
            subject: Subject::All,
            stream: stream::Stream::default(),
            latest: None,
            answer: None,
            paused: BTreeMap::new(),
            export: Export::None,
            last_export: None,
            chosen: None,
            scope: start.scope.clone(),
            names: BTreeMap::new(),
            attaching: (start.first == First::Tabs).then(Attaching::begin),
            clock: losses::Clock::default(),
            notice: None,
            read: None,
            area: Rect::default(),
            drawn: Drawn::default(),
            effects: Vec::new(),
            revision: 0,
        }
    }

    /// Takes an event, and says what is to be done about it.
    pub fn handle(&mut self, event: Event) -> Vec<Effect> {
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(&key),
            Event::Mouse(mouse) => self.mouse(mouse),
            Event::Paste(text) => self.paste(&text),
            Event::Resize(..) => self.changed(),
            _ => {}
        }
        std::mem::take(&mut self.effects)
    }

    fn key(&mut self, event: &KeyEvent) {
        self.changed();
        self.notice = None;
        self.read = self.session().and_then(|session| session.notice.clone());
        let Some(key) = Key::of(event) else { return };
        match (key, self.mode.text_box()) {
            (Key::Char(character), Some(text)) => {
                text.insert(character.encode_utf8(&mut [0; 4]));
                self.typed();
            }
            _ => {
                if let Some(action) = keymap::find(&self.places(), key) {
                    self.act(action);
                }
            }
        }
    }

    fn paste(&mut self, text: &str) {
        self.changed();
        if let Some(text_box) = self.mode.text_box() {
            text_box.insert(text);
            self.typed();
        }
    }

    /// Does what a user wants; what makes no sense at the moment is nothing.
    pub(crate) fn act(&mut self, action: Action) {
        match (action, &mut self.mode) {
            (Action::Quit, _) => self.effects.push(Effect::Quit),
            (Action::Edit(edit), mode) => {
                if let Some(text) = mode.text_box() {
                    text.edit(edit);
                    self.typed();
                }
            }
            (_, Mode::Normal) => self.act_on_tab(action),
            (_, Mode::Prompt(_)) => self.act_on_prompt(action),
            (_, Mode::Picker(_)) => self.act_on_picker(action),
            (_, Mode::Probes(_)) => self.act_on_probes(action),
            (_, Mode::Text(_)) => self.act_on_text(action),
        }
    }

    /// The text in the text box has changed.
    fn typed(&mut self) {
        match &mut self.mode {
            Mode::Prompt(prompt) => prompt.typed(),
            Mode::Picker(picker) => picker.typed(),
            Mode::Probes(probes) => probes.typed(),
            Mode::Normal | Mode::Text(_) => {}
        }
    }

    /// Where keys are looked up now, the most particular place first.
    pub fn places(&self) -> Vec<Place> {
        let mut places = match &self.mode {
            Mode::Normal => self.places_of_tab(),
            Mode::Prompt(_) => vec![Place::Prompt, Place::TextBox],
            Mode::Picker(_) => vec![Place::Picker, Place::TextBox],
            Mode::Probes(probes) if probes.search.is_some() => vec![Place::Prompt, Place::TextBox],
            Mode::Probes(_) => vec![Place::Probes],
            Mode::Text(text) if text.can_retry() => vec![Place::Failed, Place::Retry],
            Mode::Text(text) if text.is_failure() => vec![Place::Failed],
            Mode::Text(_) => vec![Place::Text],
        };
        places.push(Place::Always);
        places
    }

    /// The tab that is open.
    pub fn tab(&self) -> Tab {
        self.tab
    }

    /// What is open in front of it.
    pub fn mode(&self) -> &Mode {
        &self.mode
    }

    /// The filter and what it was before.
    pub fn filters(&self) -> &Filters {
        &self.filters
    }

    /// What is common to all panes, as it was last heard.
    pub fn session(&self) -> Option<&Session> {
        self.latest.as_ref().map(|snapshot| &snapshot.session)
    }

    /// The newest snapshot's number; 0 before the first.
    pub fn generation(&self) -> u64 {
        self.latest
            .as_ref()
            .map_or(0, |snapshot| snapshot.generation)
    }

    /// Counts up with everything that may change the picture besides a snapshot.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Remembers what a frame has shown.
    pub fn drawn(&mut self, drawn: Drawn) {
        self.drawn = drawn;
        if matches!(self.mode, Mode::Normal) {
            self.keep_column_on_screen();
        }
    }

    /// What an open picker wants a list of.
    pub fn wanted(&self) -> Option<Wanted> {
        match &self.mode {
            Mode::Picker(picker) => Some(picker.wanted()),
            _ => None,
        }
    }

    /// Shows one line until the next key.
    pub fn say(&mut self, text: impl Into<String>) {
        self.notice = Some(text.into());
        self.changed();
    }

    /// What the user should know: ours, or else the session's if it was not read yet.
    pub fn notice(&self) -> Option<&str> {
        let own = self.notice.as_deref();
        let session = self.session().and_then(|session| session.notice.as_deref());
        own.or(session.filter(|notice| self.read.as_deref() != Some(notice)))
    }

    /// An export was written, or not.
    pub fn exported(&mut self, outcome: Result<String, String>) {
        match outcome {
            Ok(path) => {
                self.say(format!("exported {path} (E opens it)"));
                self.last_export = Some(path);
            }
            Err(why) => self.say(why),
        }
    }

    /// Whether the picture of the open tab is kept as it is.
    pub fn is_paused(&self) -> bool {
        self.paused.contains_key(&self.tab)
    }

    /// What is traced, in words.
    pub fn target(&self, target: &Target) -> String {
        let named = |what: &str, id: &u32| match self.names.get(id) {
            Some(name) => format!("{what} {id} ({})", harmless(name)),
            None => format!("{what} {id}"),
        };
        match target {
            Target::Initial => self.scope.clone(),
            Target::All => "all processes".to_owned(),
            Target::Process(pid) => named("process", pid),
            Target::Thread(tid) => named("thread", tid),
        }
    }

    fn changed(&mut self) {
        self.revision += 1;
    }

    fn command(&mut self, command: Command) {
        self.effects.push(Effect::Command(command));
    }

    /// Puts a target in force; everything that was seen is about another one.
    fn aim(&mut self, target: Target) {
        self.chosen = match target {
            Target::Process(pid) => Some(pid),
            Target::Thread(_) => self.chosen,
            Target::Initial | Target::All => None,
        };
        self.resume_pictures();
        self.attaching = Some(Attaching::to(target.clone(), self.latest.as_deref()));
        self.mode = Mode::Normal;
        self.command(Command::Target(target));
    }

    /// Tells the session the filter, if it is another one.
    fn filter_changed(&mut self, changed: filters::Changed) {
        if changed == filters::Changed::Yes {
            self.resume_pictures();
            self.filter_stream();
            self.command(Command::Filter(self.filters.now().clone()));
        }
    }

    /// Lets everything go on but the stream, whose rows are kept.
    fn resume_pictures(&mut self) {
        self.paused.retain(|tab, _| *tab == Tab::Stream);
    }
}

#[cfg(test)]
mod tests;
