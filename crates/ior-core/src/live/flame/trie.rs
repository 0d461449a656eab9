//! The frames of a flame graph in one order.

use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::{HashMap, HashTable};
use rustc_hash::FxBuildHasher;

use super::{Actors, Key, Leaf, NO_FILE, OTHER_ACTOR, OTHER_FILE};
use crate::Syscall;
use crate::snapshot::FrameKind;
use crate::view::{FlameOrder, Weight};

/// Components of a path that are frames of their own; what is left is the last one.
const MAX_COMPONENTS: usize = 64;

/// No node.
const NONE: u32 = u32::MAX;

/// The root's place.
pub(super) const ROOT: u32 = 0;

/// What numbers of files and syscalls stand for.
pub(in crate::live) struct Names<'a> {
    /// A file by its place.
    pub(in crate::live) file: &'a dyn Fn(u32) -> Option<Arc<[u8]>>,
    /// A syscall by its slot.
    pub(in crate::live) syscall: &'a dyn Fn(u16) -> Option<&'static Syscall>,
}

/// A frame: what it is called, and where its relatives are.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) parent: u32,
    first_child: u32,
    next: u32,
    pub(super) label: Label,
}

/// What a frame is called: a number, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label {
    kind: u8,
    id: u32,
}

impl Label {
    const COMM: u8 = 0;
    const PROCESS: u8 = 1;
    const PATH: u8 = 2;
    const SYSCALL: u8 = 3;
    const OTHER: u8 = 4;
    const ROOT: u8 = 5;

    /// The label, and the frame it is found by, in one word: kinds need 3 bits and numbers 29.
    fn key(self, below: u32) -> u64 {
        u64::from(below) << 32 | u64::from(self.kind) << 29 | u64::from(self.id)
    }
}

/// The components of all paths, each below the one it is in. The empty path is 0, a call without a file 1.
#[derive(Debug, Clone)]
struct Paths {
    nodes: Vec<(u32, Arc<[u8]>)>,
    places: HashTable<u32>,
    of_file: Vec<u32>,
    max: usize,
}

impl Paths {
    const NO_PATH: u32 = 1;

    fn new(max: usize) -> Paths {
        Paths {
            nodes: vec![(0, Arc::default()), (0, b"[none]"[..].into())],
            places: HashTable::new(),
            of_file: Vec::new(),
            max,
        }
    }

    /// The last component of a file's path; none if there are too many.
    fn of(&mut self, file: u32, names: &Names<'_>) -> Option<u32> {
        if file == NO_FILE {
            return Some(Paths::NO_PATH);
        }
        if let Some(&path) = self.of_file.get(file as usize)
            && path != NONE
        {
            return Some(path);
        }
        let name = (names.file)(file)?;
        let mut path = 0;
        for component in components(&name) {
            path = self.below(path, component)?;
        }
        let len = self.of_file.len().max(file as usize + 1);
        self.of_file.resize(len, NONE);
        self.of_file[file as usize] = path;
        Some(path)
    }

    fn below(&mut self, parent: u32, name: &[u8]) -> Option<u32> {
        let hash = FxBuildHasher.hash_one((parent, name));
        let is_it = |&place: &u32| {
            let (own, component) = &self.nodes[place as usize];
            *own == parent && **component == *name
        };
        if let Some(&place) = self.places.find(hash, is_it) {
            return Some(place);
        }
        if self.nodes.len() >= self.max {
            return None;
        }
        let place = self.nodes.len() as u32;
        self.nodes.push((parent, name.into()));
        let nodes = &self.nodes;
        self.places.insert_unique(hash, place, |&place| {
            let (parent, name) = &nodes[place as usize];
            FxBuildHasher.hash_one((*parent, &**name))
        });
        Some(place)
    }
}

/// The components of a path as `ior collapsed` has them: each with the `/` before it, so that joined they are the path.
pub(super) fn components(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = path;
    let mut left = MAX_COMPONENTS;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        left -= 1;
        let begin = usize::from(rest[0] == b'/');
        let next = rest[begin..].iter().position(|byte| *byte == b'/');
        let len = next
            .filter(|_| left > 0)
            .map_or(rest.len(), |next| begin + next);
        let (component, after) = rest.split_at(len);
        rest = after;
        Some(component)
    })
}

/// Frames, each after the one it stands on.
#[derive(Debug, Clone)]
pub(super) struct Trie {
    order: FlameOrder,
    nodes: Vec<Node>,
    places: HashMap<u64, u32, FxBuildHasher>,
    paths: Paths,
    /// By leaf: the frame on top of its stack, and whether one of the stack is `[other]`.
    tops: Vec<(u32, bool)>,
    /// Where [`Trie::weigh`] leaves what it is for.
    pub(super) sums: Sums,
    max: usize,
    crowded: bool,
}

/// What frames weigh.
#[derive(Debug, Clone, Default)]
pub(super) struct Sums {
    /// By frame: its weight with all that is above it.
    pub(super) weights: Vec<u64>,
    /// By frame: how many there are with a weight, above it and it.
    pub(super) frames: Vec<u32>,
    /// What `[other]` frames weigh.
    pub(super) folded: u64,
}

impl Trie {
    pub(super) fn new(order: FlameOrder, max: usize) -> Trie {
        let paths = Paths::new(max);
        Trie::with(order, max, paths)
    }

    fn with(order: FlameOrder, max: usize, paths: Paths) -> Trie {
        let label = Label {
            kind: Label::ROOT,
            id: 0,
        };
        let root = Node {
            parent: ROOT,
            first_child: NONE,
            next: NONE,
            label,
        };
        Trie {
            order,
            nodes: vec![root],
            places: HashMap::default(),
            paths,
            tops: Vec::new(),
            sums: Sums::default(),
            max,
            crowded: false,
        }
    }

    /// The same in another order, yet without the leaves if it is one.
    pub(super) fn in_order(self, order: FlameOrder) -> Trie {
        if self.order == order {
            return self;
        }
        Trie::with(order, self.max, self.paths)
    }

    /// Whether stacks have been folded for want of room.
    pub(super) fn is_crowded(&self) -> bool {
        self.crowded
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Makes the frames of at most `some` more leaves.
    pub(super) fn follow(
        &mut self,
        leaves: &[Leaf],
        actors: &Actors,
        names: &Names<'_>,
        some: usize,
    ) {
        let known = self.tops.len();
        for leaf in leaves[known..].iter().take(some) {
            let top = self.stack(leaf.key, actors, names);
            self.crowded |= top.is_none();
            let folded = top.is_none() || leaf.key.is_folded();
            let top = top.unwrap_or_else(|| self.make(ROOT, ROOT, OTHER));
            self.tops.push((top, folded));
        }
    }

    /// The frames of a leaf, and the top one's place; none if there is no room.
    fn stack(&mut self, key: Key, actors: &Actors, names: &Names<'_>) -> Option<u32> {
        let actor = match key.actor() {
            OTHER_ACTOR => None,
            actor => Some(actors.all[actor as usize]),
        };
        let syscall = Label {
            kind: Label::SYSCALL,
            id: key.slot().into(),
        };
        let comm = actor.map_or(OTHER, |actor| Label {
            kind: Label::COMM,
            id: actor.comm,
        });
        let process = actor.map_or(OTHER, |actor| Label {
            kind: Label::PROCESS,
            id: actor.process,
        });
        match self.order {
            FlameOrder::CommPathSyscall => {
                let comm = self.child(ROOT, comm)?;
                let path = self.path(comm, key.file(), names)?;
                self.child(path, syscall)
            }
            FlameOrder::PathCommSyscall => {
                let path = self.path(ROOT, key.file(), names)?;
                let comm = self.child(path, comm)?;
                self.child(comm, syscall)
            }
            FlameOrder::SyscallPath => {
                let syscall = self.child(ROOT, syscall)?;
                self.path(syscall, key.file(), names)
            }
            FlameOrder::ProcessPathSyscall => {
                let process = self.child(ROOT, process)?;
                let path = self.path(process, key.file(), names)?;
                self.child(path, syscall)
            }
        }
    }

    fn child(&mut self, parent: u32, label: Label) -> Option<u32> {
        match self.places.get(&label.key(parent)) {
            Some(&place) => Some(place),
            None if self.nodes.len() >= self.max => None,
            None => Some(self.make(parent, parent, label)),
        }
    }

    /// The frames of a path on `below`. They are found by it and their place in [`Paths`], so that of a path whose directory
    /// is there only what is new is looked at.
    fn path(&mut self, below: u32, file: u32, names: &Names<'_>) -> Option<u32> {
        if file == OTHER_FILE {
            return self.child(below, OTHER);
        }
        let label = |id| Label {
            kind: Label::PATH,
            id,
        };
        let mut path = self.paths.of(file, names)?;
        let mut missing = [0; MAX_COMPONENTS];
        let mut count = 0;
        let mut place = loop {
            if path == 0 {
                break below;
            }
            if let Some(&place) = self.places.get(&label(path).key(below)) {
                break place;
            }
            missing[count] = path;
            count += 1;
            path = self.paths.nodes[path as usize].0;
        };
        if self.nodes.len() + count > self.max {
            return None;
        }
        for &path in missing[..count].iter().rev() {
            place = self.make(place, below, label(path));
        }
        Some(place)
    }

    /// Makes a frame, or finds it, on `parent`.
    fn make(&mut self, parent: u32, found_by: u32, label: Label) -> u32 {
        let key = label.key(found_by);
        if let Some(&place) = self.places.get(&key) {
            return place;
        }
        let place = self.nodes.len() as u32;
        let siblings = &mut self.nodes[parent as usize].first_child;
        let next = std::mem::replace(siblings, place);
        self.nodes.push(Node {
            parent,
            first_child: NONE,
            next,
            label,
        });
        self.places.insert(key, place);
        place
    }

    /// Works out what every frame weighs. A frame is made before those above it, so one pass from the last will do.
    pub(super) fn weigh(&mut self, leaves: &[Leaf], weight: Weight) {
        let which = weight as usize;
        let Sums {
            weights,
            frames,
            folded,
        } = &mut self.sums;
        weights.clear();
        weights.resize(self.nodes.len(), 0);
        frames.clear();
        frames.resize(self.nodes.len(), 0);
        *folded = 0;
        for (leaf, (top, is_folded)) in leaves.iter().zip(&self.tops) {
            let weight = leaf.weights[which];
            let sum = &mut weights[*top as usize];
            *sum = sum.saturating_add(weight);
            if *is_folded {
                *folded = folded.saturating_add(weight);
            }
        }
        for place in (1..self.nodes.len()).rev() {
            let weight = weights[place];
            if weight > 0 {
                let parent = self.nodes[place].parent as usize;
                weights[parent] = weights[parent].saturating_add(weight);
                frames[place] += 1;
                frames[parent] += frames[place];
            }
        }
        frames[ROOT as usize] += 1;
    }

    /// The frames that stand on one, in no order.
    pub(super) fn children(&self, place: u32) -> impl Iterator<Item = u32> {
        let some = |place: u32| (place != NONE).then_some(place);
        std::iter::successors(some(self.nodes[place as usize].first_child), move |place| {
            some(self.nodes[*place as usize].next)
        })
    }

    /// What a frame is called.
    pub(super) fn bytes<'a>(
        &'a self,
        place: u32,
        actors: &'a Actors,
        names: &Names<'_>,
    ) -> &'a [u8] {
        let Label { kind, id } = self.nodes[place as usize].label;
        match kind {
            Label::COMM | Label::PROCESS => &actors.labels[id as usize],
            Label::PATH => &self.paths.nodes[id as usize].1,
            Label::SYSCALL => (names.syscall)(id as u16)
                .map_or("", |syscall| syscall.name)
                .as_bytes(),
            Label::OTHER => b"[other]",
            _ => b"all",
        }
    }

    /// What a frame is called, to keep, and what it is.
    pub(super) fn name(
        &self,
        place: u32,
        actors: &Actors,
        names: &Names<'_>,
    ) -> (Arc<[u8]>, FrameKind) {
        let Label { kind, id } = self.nodes[place as usize].label;
        let copied = || self.bytes(place, actors, names).into();
        match kind {
            Label::COMM => (actors.labels[id as usize].clone(), FrameKind::Comm),
            Label::PROCESS => (actors.labels[id as usize].clone(), FrameKind::Process),
            Label::PATH => (self.paths.nodes[id as usize].1.clone(), FrameKind::Path),
            Label::SYSCALL => (copied(), FrameKind::Syscall),
            Label::OTHER => (copied(), FrameKind::Other),
            _ => (copied(), FrameKind::Root),
        }
    }
}

const OTHER: Label = Label {
    kind: Label::OTHER,
    id: 0,
};
