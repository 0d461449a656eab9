//! The part of the frames that is on the screen.

use std::cmp::Reverse;
use std::sync::Arc;

use super::trie::{Names, ROOT, Trie};
use super::{Actors, Flame};
use crate::snapshot::{self, FlameFrame, FrameKind};
use crate::view::FlameView;

/// Frames that are drawn, as they are found.
struct Picture<'a> {
    trie: &'a Trie,
    actors: &'a Actors,
    names: &'a Names<'a>,
    frames: Vec<FlameFrame>,
    /// By frame of `frames`: its place in the trie.
    places: Vec<u32>,
    hidden_weight: u64,
}

impl Flame {
    /// The flame graph as it is to be seen.
    pub(in crate::live) fn picture(
        &mut self,
        view: &FlameView,
        names: &Names<'_>,
    ) -> snapshot::Flame {
        let mut trie = self.take_trie(view.order, names);
        trie.weigh(&self.leaves, view.weight);
        let mut picture = Picture {
            trie: &trie,
            actors: &self.actors,
            names,
            frames: Vec::new(),
            places: Vec::new(),
            hidden_weight: 0,
        };
        picture.zoom(&view.zoom);
        let zoomed = picture.frames.len() - 1;
        picture.grow(zoomed, view);
        let sums = &picture.trie.sums;
        let above = sums.frames[picture.places[zoomed] as usize] as usize;
        let shown = picture.frames.len() - zoomed;
        let flame = snapshot::Flame {
            total: sums.weights[ROOT as usize],
            weight: view.weight,
            width: picture.frames[zoomed].weight,
            zoomed,
            // A frame without weight is none, except for the one that is zoomed into.
            hidden_frames: above.saturating_sub(shown) as u64,
            hidden_weight: picture.hidden_weight,
            folded_weight: sums.folded,
            nodes: picture.trie.len(),
            frames: picture.frames,
        };
        self.trie = Some(trie);
        flame
    }
}

impl Picture<'_> {
    fn weight(&self, place: u32) -> u64 {
        self.trie.sums.weights[place as usize]
    }

    /// The root and the frames down to the zoomed one; of a zoom that is no longer there as much as is.
    fn zoom(&mut self, zoom: &[Box<[u8]>]) {
        let (name, kind) = self.trie.name(ROOT, self.actors, self.names);
        self.push(0, 0, ROOT, 0, (name, kind));
        for wanted in zoom {
            let parent = self.frames.len() - 1;
            let found = self
                .trie
                .children(self.places[parent])
                .filter(|place| *self.trie.bytes(*place, self.actors, self.names) == **wanted)
                .map(|place| (place, self.trie.name(place, self.actors, self.names)))
                // A file may be called like what was folded, and a syscall like a file.
                .min_by_key(|(place, (_, kind))| {
                    (*kind == FrameKind::Other, Reverse(self.weight(*place)))
                });
            let Some((place, named)) = found else {
                break;
            };
            self.push(self.frames.len() as u16, parent as u32, place, 0, named);
        }
        let width = self.frames.last().map_or(0, |frame| frame.weight);
        self.frames.iter_mut().for_each(|frame| frame.width = width);
    }

    fn push(
        &mut self,
        depth: u16,
        parent: u32,
        place: u32,
        start: u64,
        named: (Arc<[u8]>, FrameKind),
    ) {
        let (name, kind) = named;
        let weight = self.weight(place);
        self.frames.push(FlameFrame {
            depth,
            parent,
            start,
            width: weight,
            weight,
            name,
            kind,
        });
        self.places.push(place);
    }

    /// What stands on the zoomed frame, level by level.
    fn grow(&mut self, zoomed: usize, view: &FlameView) {
        let least = (self.weight(self.places[zoomed]) as f64 * view.min_share).max(1.0);
        let mut level = zoomed..zoomed + 1;
        while !level.is_empty() {
            let mut next: Vec<(usize, u32)> = Vec::new();
            for parent in level.clone() {
                for place in self.trie.children(self.places[parent]) {
                    match self.weight(place) {
                        0 => {}
                        weight if (weight as f64) < least => {
                            self.hidden_weight = self.hidden_weight.saturating_add(weight)
                        }
                        _ => next.push((parent, place)),
                    }
                }
            }
            self.keep_widest(&mut next, view.max_frames.get());
            level = self.place_level(next);
        }
    }

    fn keep_widest(&mut self, level: &mut Vec<(usize, u32)>, max: usize) {
        if level.len() <= max {
            return;
        }
        level.select_nth_unstable_by_key(max, |(_, place)| (Reverse(self.weight(*place)), *place));
        for (_, place) in level.drain(max..) {
            self.hidden_weight = self
                .hidden_weight
                .saturating_add(self.trie.sums.weights[place as usize]);
        }
    }

    /// Puts frames beside each other by name, on what they stand on.
    fn place_level(&mut self, level: Vec<(usize, u32)>) -> std::ops::Range<usize> {
        let mut named: Vec<_> = level
            .into_iter()
            .map(|(parent, place)| {
                (
                    parent,
                    self.trie.name(place, self.actors, self.names),
                    place,
                )
            })
            .collect();
        named.sort_unstable_by(|one, other| {
            let by_parent = one.0.cmp(&other.0);
            let by_name = || one.1.0.cmp(&other.1.0);
            let by_kind = || (one.1.1 as u8, one.2).cmp(&(other.1.1 as u8, other.2));
            by_parent.then_with(by_name).then_with(by_kind)
        });
        let begin = self.frames.len();
        let mut last = None;
        let mut start = 0;
        for (parent, name, place) in named {
            if last != Some(parent) {
                last = Some(parent);
                start = self.frames[parent].start;
            }
            let depth = self.frames[parent].depth + 1;
            self.push(depth, parent as u32, place, start, name);
            start += self.weight(place);
        }
        begin..self.frames.len()
    }
}
