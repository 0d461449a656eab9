//! The flame graph: its order and weight, what is zoomed into, selected and searched for.

use std::num::NonZeroUsize;

use ior_core::snapshot::Pane;
use ior_core::view::{FlameOrder, FlameView, Weight};
use ratatui::layout::Rect;
use regex::bytes::Regex;

use super::App;
use crate::action::{Motion, Step};
use crate::panes::flame::{self, Direction, Names, Search};

/// Frames below this share of the zoomed frame are left out.
const MIN_SHARE: f64 = 0.001;

/// The flame graph as the user has set it.
#[derive(Debug)]
pub struct Flame {
    order: FlameOrder,
    weight: Weight,
    zoom: Names,
    /// What is selected.
    pub selected: Names,
    /// What is searched for.
    pub search: Option<Regex>,
}

impl Default for Flame {
    fn default() -> Flame {
        Flame {
            order: FlameOrder::ALL[0],
            weight: Weight::ALL[0],
            zoom: Vec::new(),
            selected: Vec::new(),
            search: None,
        }
    }
}

impl Flame {
    /// What is asked for: no more frames beside each other than there are cells.
    pub fn view(&self, area: Rect) -> FlameView {
        FlameView {
            order: self.order,
            weight: self.weight,
            zoom: self.zoom.clone(),
            min_share: MIN_SHARE,
            max_frames: NonZeroUsize::new(area.width.into()).unwrap_or(NonZeroUsize::MIN),
        }
    }
}

/// What comes after one of a list.
fn after<T: Copy + PartialEq>(all: &[T], one: T) -> T {
    let place = all.iter().position(|other| *other == one).unwrap_or(0);
    all[(place + 1) % all.len()]
}

impl App {
    /// Selects another frame.
    pub(super) fn move_in_flame(&mut self, motion: Motion) {
        let direction = match motion {
            Motion::Up => Direction::Up,
            Motion::Down => Direction::Down,
            Motion::Left => Direction::Left,
            Motion::Right => Direction::Right,
            _ => return,
        };
        if let Some(Pane::Flame(picture)) = self.picture().map(|picture| &picture.pane) {
            self.flame.selected = flame::step(picture, &self.flame.selected, direction);
        }
    }

    /// Shows everything in a frame, and selects it.
    pub(super) fn zoom(&mut self, frame: Names) {
        if frame != self.flame.zoom {
            self.resume();
            self.flame.zoom.clone_from(&frame);
        }
        self.flame.selected = frame;
    }

    /// Zooms into the selected frame.
    pub(super) fn zoom_in(&mut self) {
        self.zoom(self.flame.selected.clone());
    }

    /// Zooms out to the frame below; what was zoomed into stays selected.
    pub(super) fn zoom_out(&mut self) {
        if self.flame.zoom.is_empty() {
            return;
        }
        self.resume();
        let mut zoom = self.flame.zoom.clone();
        self.flame.selected.clone_from(&zoom);
        zoom.pop();
        self.flame.zoom = zoom;
    }

    /// The next order of frames. Names of frames are others then.
    pub(super) fn next_order(&mut self) {
        self.resume();
        self.flame.order = after(&FlameOrder::ALL, self.flame.order);
        self.flame.zoom.clear();
        self.flame.selected.clear();
    }

    /// The next weight.
    pub(super) fn next_weight(&mut self) {
        self.resume();
        self.flame.weight = after(&Weight::ALL, self.flame.weight);
    }

    /// Selects the next frame that matches what is searched for.
    pub(super) fn search_frame(&mut self, step: Step) {
        let Some(search) = self.flame.search.clone() else {
            self.say("nothing is searched for yet (/)");
            return;
        };
        let Some(Pane::Flame(picture)) = self.picture().map(|picture| &picture.pane) else {
            return;
        };
        let selected = &self.flame.selected;
        let way = match step {
            Step::Forward => Search::Forward,
            Step::Back => Search::Backward,
        };
        let found = flame::find(picture, selected, &search, way);
        match found {
            Some(frame) => self.flame.selected = frame,
            None => self.say(format!("no frame on the screen matches {search}")),
        }
    }
}
