//! Choosing what is traced: all processes, one, or a thread of one.

use ior_core::escape;
use ior_core::snapshot::Target;

use super::{App, Effect, Mode, TextBox, Wanted};
use crate::action::{Action, Motion};
use crate::world::{Process, Thread};

/// What is chosen among.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// Processes.
    Processes,
    /// The threads of a process.
    Threads(u32),
}

/// What is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chosen {
    /// The first line: all.
    All,
    /// The process or thread of that id.
    One(u32),
    /// Nothing.
    Nothing,
}

/// A process or thread.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// A process.
    Process(Process),
    /// A thread.
    Thread(Thread),
}

impl Item {
    /// Process or thread id.
    pub fn id(&self) -> u32 {
        match self {
            Item::Process(process) => process.pid,
            Item::Thread(thread) => thread.tid,
        }
    }

    /// Its name, without its arguments.
    fn name(&self) -> &[u8] {
        match self {
            Item::Process(process) => &process.name,
            Item::Thread(thread) => &thread.name,
        }
    }

    /// What is searched: its id, its name and its command line, in lower case.
    fn searched(&self) -> String {
        let id = self.id();
        let (name, command) = match self {
            Item::Process(process) => (&process.name, &process.command[..]),
            Item::Thread(thread) => (&thread.name, &[][..]),
        };
        // A line end keeps a text from being found half in one and half in the other.
        let text = format!("{id}\n{}\n{}", escape::utf8(name), escape::utf8(command));
        text.to_lowercase()
    }
}

/// What happens when nothing is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behind {
    /// Nothing is traced yet: there is nothing to go back to.
    Nothing,
    /// The tab that is open.
    Tabs,
}

/// The open picker.
#[derive(Debug)]
pub struct Picker {
    /// What is chosen among.
    pub among: Among,
    /// What has to be in what is listed.
    pub filter: TextBox,
    /// None before there was a list.
    items: Option<Vec<Item>>,
    /// What is searched in each of them.
    searched: Vec<String>,
    /// The places of those that match.
    matching: Vec<usize>,
    selected: Chosen,
    behind: Behind,
}

impl Picker {
    fn new(among: Among, behind: Behind) -> Picker {
        Picker {
            among,
            filter: TextBox::default(),
            items: None,
            searched: Vec::new(),
            matching: Vec::new(),
            selected: Chosen::All,
            behind,
        }
    }

    /// The first screen.
    pub fn first() -> Picker {
        Picker::new(Among::Processes, Behind::Nothing)
    }

    /// For another process.
    pub fn processes() -> Picker {
        Picker::new(Among::Processes, Behind::Tabs)
    }

    /// For a thread of a process.
    pub fn threads(pid: u32) -> Picker {
        Picker::new(Among::Threads(pid), Behind::Tabs)
    }

    /// Whether there was a list yet.
    pub fn is_listed(&self) -> bool {
        self.items.is_some()
    }

    /// Whether it is the first screen: nothing was traced yet.
    pub fn is_first(&self) -> bool {
        self.behind == Behind::Nothing
    }

    /// What it lists.
    pub fn wanted(&self) -> Wanted {
        match self.among {
            Among::Processes => Wanted::Processes,
            Among::Threads(pid) => Wanted::Threads(pid),
        }
    }

    /// What is listed; the line for all is not among it.
    pub fn listed(&self) -> impl Iterator<Item = &Item> {
        let items = self.items.as_deref().unwrap_or_default();
        self.matching.iter().filter_map(|place| items.get(*place))
    }

    /// What stands at a place of the list, the line for all not counted.
    pub fn item(&self, place: usize) -> Option<&Item> {
        let items = self.items.as_deref().unwrap_or_default();
        items.get(*self.matching.get(place)?)
    }

    fn search(&mut self) {
        let text = self.filter.text().trim().to_lowercase();
        let places = 0..self.searched.len();
        self.matching = places
            .filter(|place| self.searched[*place].contains(&text))
            .collect();
    }

    /// Whether the line for all is there, which is as long as nothing was typed.
    pub fn lists_all(&self) -> bool {
        self.filter.text().trim().is_empty()
    }

    /// The place of the selected line, the line for all counted.
    pub fn place(&self) -> Option<usize> {
        let before = usize::from(self.lists_all());
        match self.selected {
            Chosen::Nothing => None,
            Chosen::All => self.lists_all().then_some(0),
            Chosen::One(id) => {
                let place = self.listed().position(|item| item.id() == id);
                place.map(|place| place + before)
            }
        }
    }

    /// Lines there are, the one for all counted.
    pub fn len(&self) -> usize {
        self.matching.len() + usize::from(self.lists_all())
    }

    /// Whether nothing matches.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Selects a line by its place.
    pub fn select(&mut self, place: usize) {
        let before = usize::from(self.lists_all());
        self.selected = match place.checked_sub(before) {
            None => Chosen::All,
            Some(place) => match self.item(place) {
                Some(item) => Chosen::One(item.id()),
                None => Chosen::Nothing,
            },
        };
    }

    /// Something was typed: the first match is selected.
    pub fn typed(&mut self) {
        self.search();
        self.select(0);
    }

    /// Takes a newer list. Says whether it is another. What is selected stays so wherever it is now, and if it is gone
    /// nothing is selected.
    pub fn list(&mut self, items: Vec<Item>) -> bool {
        let is_other = self.items.as_ref() != Some(&items);
        let is_first = self.items.is_none();
        if is_other {
            self.searched = items.iter().map(Item::searched).collect();
            self.items = Some(items);
            self.search();
        }
        if is_first && !self.lists_all() {
            // The text was typed before there was anything to match.
            self.select(0);
        }
        if self.place().is_none() {
            self.selected = Chosen::Nothing;
        }
        is_other
    }

    fn go(&mut self, motion: Motion, page: usize) {
        let to = match self.place() {
            Some(place) => motion.from(place, self.len(), page),
            None => Some(0),
        };
        if let Some(to) = to {
            self.select(to);
        }
    }

    /// The name of what is listed under an id.
    fn name(&self, id: u32) -> Option<(u32, Vec<u8>)> {
        let item = self.listed().find(|item| item.id() == id)?;
        Some((id, item.name().to_vec()))
    }

    fn target(&self) -> Option<Target> {
        self.place()?;
        Some(match (self.among, self.selected) {
            (_, Chosen::Nothing) => return None,
            (Among::Processes, Chosen::All) => Target::All,
            (Among::Processes, Chosen::One(pid)) => Target::Process(pid),
            (Among::Threads(pid), Chosen::All) => Target::Process(pid),
            (Among::Threads(_), Chosen::One(tid)) => Target::Thread(tid),
        })
    }
}

impl App {
    /// Takes the processes there are, if they are asked for.
    pub fn list_processes(&mut self, processes: Vec<Process>) {
        self.list(
            Among::Processes,
            processes.into_iter().map(Item::Process).collect(),
        );
    }

    /// Takes the threads of a process, if they are asked for.
    pub fn list_threads(&mut self, pid: u32, threads: Vec<Thread>) {
        self.list(
            Among::Threads(pid),
            threads.into_iter().map(Item::Thread).collect(),
        );
    }

    fn list(&mut self, among: Among, items: Vec<Item>) {
        if let Mode::Picker(picker) = &mut self.mode
            && picker.among == among
            && picker.list(items)
        {
            self.changed();
        }
    }

    pub(super) fn act_on_picker(&mut self, action: Action) {
        let page = self.drawn.page;
        let Mode::Picker(picker) = &mut self.mode else {
            return;
        };
        match action {
            Action::Move(motion) => picker.go(motion, page),
            Action::Close if picker.behind == Behind::Nothing => self.effects.push(Effect::Quit),
            Action::Close => self.mode = Mode::Normal,
            Action::Accept => {
                let among = picker.among;
                match picker.target() {
                    Some(target) => {
                        // Of a process whose threads are listed the first one has its name.
                        self.names.extend(match target {
                            Target::Process(id) | Target::Thread(id) => picker.name(id),
                            Target::Initial | Target::All => None,
                        });
                        self.aim(target);
                        if let Among::Threads(pid) = among {
                            self.chosen = Some(pid);
                        }
                    }
                    None => self.say("nothing is selected"),
                }
            }
            _ => {}
        }
    }
}
