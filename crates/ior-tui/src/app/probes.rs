//! Choosing which syscalls are traced.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use ior_core::snapshot::Command;
use ior_core::syscall::SYSCALLS;
use ior_core::{Family, Syscall};

use super::{App, Mode, TextBox};
use crate::action::{Action, Motion};

/// A line of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Entry {
    /// All syscalls of a family.
    Family(Family),
    /// A syscall.
    Syscall(&'static Syscall),
}

/// How many of a line's syscalls are traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traced {
    /// All.
    All,
    /// Some.
    Some,
    /// None.
    None,
}

/// The open list.
#[derive(Debug)]
pub struct Probes {
    /// Places of totals of what is traced.
    traced: BTreeSet<u16>,
    selected: Option<Entry>,
    /// What is searched for while it is typed.
    pub search: Option<TextBox>,
    /// What was searched for.
    text: String,
    /// What is listed.
    entries: Vec<Entry>,
}

impl Probes {
    /// With what is traced.
    pub fn new(traced: &Arc<[&'static Syscall]>) -> Probes {
        let mut probes = Probes {
            traced: traced.iter().map(|syscall| syscall.slot).collect(),
            selected: None,
            search: None,
            text: String::new(),
            entries: Vec::new(),
        };
        probes.typed();
        probes
    }

    /// What has to be in a syscall's name or family; empty: everything is listed.
    pub fn text(&self) -> &str {
        self.search.as_ref().map_or(&self.text, TextBox::text)
    }

    /// The list: each family, and its syscalls below it.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    fn list(&mut self) {
        let text = self.text().trim().to_lowercase();
        self.entries.clear();
        for family in Family::ALL {
            let of_family = family.as_str().to_lowercase().contains(&text);
            let syscalls = of(family);
            let mut syscalls = syscalls
                .filter(|syscall| of_family || syscall.name.contains(&text))
                .peekable();
            if syscalls.peek().is_some() {
                self.entries.push(Entry::Family(family));
                self.entries.extend(syscalls.map(Entry::Syscall));
            }
        }
    }

    /// The place of the selected line.
    pub fn place(&self) -> Option<usize> {
        let selected = self.selected?;
        self.entries.iter().position(|entry| *entry == selected)
    }

    /// Whether a line's syscalls are traced.
    pub fn is_traced(&self, entry: Entry) -> Traced {
        match entry {
            Entry::Syscall(syscall) if self.traced.contains(&syscall.slot) => Traced::All,
            Entry::Syscall(_) => Traced::None,
            Entry::Family(family) => {
                let traced = of(family).filter(|syscall| self.traced.contains(&syscall.slot));
                match traced.count() {
                    0 => Traced::None,
                    some if some < of(family).count() => Traced::Some,
                    _ => Traced::All,
                }
            }
        }
    }

    /// How many syscalls are traced.
    pub fn count(&self) -> usize {
        self.traced.len()
    }

    /// Selects a line by its place.
    pub fn select(&mut self, place: usize) {
        self.selected = self.entries.get(place).copied();
    }

    /// Something was typed: the first match is selected.
    pub fn typed(&mut self) {
        self.list();
        let text = self.text().trim().to_lowercase();
        let is_match = |entry: &&Entry| match entry {
            Entry::Family(family) => family.as_str().to_lowercase().contains(&text),
            Entry::Syscall(syscall) => syscall.name.contains(&text),
        };
        let first = self.entries.first();
        self.selected = self.entries.iter().find(is_match).or(first).copied();
    }

    /// Lists everything again; what is selected stays so.
    fn show_all(&mut self) {
        self.text.clear();
        self.list();
    }

    fn go(&mut self, motion: Motion, page: usize) {
        let len = self.entries.len();
        let to = match self.place() {
            Some(place) => motion.from(place, len, page),
            None => Some(0),
        };
        if let Some(to) = to {
            self.select(to);
        }
    }

    /// Traces the selected line's syscalls, or does not if all of them are traced.
    fn toggle(&mut self) {
        match self.selected.filter(|_| self.place().is_some()) {
            Some(Entry::Syscall(syscall)) => {
                let was_traced = self.traced.remove(&syscall.slot);
                self.traced.extend((!was_traced).then_some(syscall.slot));
            }
            Some(Entry::Family(family)) => {
                let slots = of(family).map(|syscall| syscall.slot);
                match self.is_traced(Entry::Family(family)) {
                    Traced::All => slots.for_each(|slot| {
                        self.traced.remove(&slot);
                    }),
                    _ => self.traced.extend(slots),
                }
            }
            None => {}
        }
    }

    /// Traces all syscalls that are listed, or none of them.
    fn set_listed(&mut self, traced: Traced) {
        for entry in &self.entries {
            if let Entry::Syscall(syscall) = entry {
                match traced {
                    Traced::None => self.traced.remove(&syscall.slot),
                    _ => self.traced.insert(syscall.slot),
                };
            }
        }
    }

    /// What is traced, in table order.
    fn syscalls(&self) -> Vec<&'static Syscall> {
        all()
            .filter(|syscall| self.traced.contains(&syscall.slot))
            .collect()
    }
}

/// Every syscall that can be traced, once however many calling conventions have it.
static ALL: LazyLock<Vec<&'static Syscall>> = LazyLock::new(|| {
    let mut seen = BTreeSet::new();
    let can_be = SYSCALLS.iter().filter(|syscall| syscall.ignored.is_none());
    can_be.filter(|syscall| seen.insert(syscall.slot)).collect()
});

fn all() -> impl Iterator<Item = &'static Syscall> {
    ALL.iter().copied()
}

/// Those of a family.
fn of(family: Family) -> impl Iterator<Item = &'static Syscall> {
    all().filter(move |syscall| syscall.family == family)
}

impl App {
    pub(super) fn act_on_probes(&mut self, action: Action) {
        let page = self.drawn.page;
        let Mode::Probes(probes) = &mut self.mode else {
            return;
        };
        match action {
            Action::Move(motion) => probes.go(motion, page),
            Action::Search(_) => probes.search = Some(TextBox::new(probes.text.clone())),
            Action::Accept => {
                probes.text = probes.text().trim().to_owned();
                probes.search = None;
            }
            Action::Close if probes.search.is_some() => {
                probes.search = None;
                probes.typed();
            }
            Action::Close if !probes.text.is_empty() => probes.show_all(),
            Action::Close => self.mode = Mode::Normal,
            Action::Toggle | Action::All | Action::Nothing => {
                match action {
                    Action::Toggle => probes.toggle(),
                    Action::All => probes.set_listed(Traced::All),
                    _ => probes.set_listed(Traced::None),
                }
                let syscalls = probes.syscalls();
                self.command(Command::Syscalls(syscalls));
            }
            _ => {}
        }
    }
}
