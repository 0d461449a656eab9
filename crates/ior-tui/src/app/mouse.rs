//! Clicks and the wheel.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Position;

use super::tables::Clicked;
use super::{App, Mode, Tab};
use crate::action::{Action, Motion};
use crate::panes::Hit;

/// Lines that one notch of the wheel is.
const NOTCH: usize = 3;

impl App {
    pub(super) fn mouse(&mut self, event: MouseEvent) {
        match event.kind {
            MouseEventKind::ScrollUp => self.wheel(Motion::Up),
            MouseEventKind::ScrollDown => self.wheel(Motion::Down),
            MouseEventKind::Down(MouseButton::Left) => {
                let hit = self.drawn.hits.at(Position::new(event.column, event.row));
                if let Some(hit) = hit.cloned() {
                    self.changed();
                    self.click(hit);
                }
            }
            _ => {}
        }
    }

    fn wheel(&mut self, motion: Motion) {
        self.changed();
        let is_flame = matches!(self.mode, Mode::Normal) && self.tab == Tab::Flame;
        for _ in 0..if is_flame { 1 } else { NOTCH } {
            self.act(Action::Move(motion));
        }
    }

    fn click(&mut self, hit: Hit) {
        match &mut self.mode {
            Mode::Normal => self.click_tab(hit),
            Mode::Picker(picker) => {
                if let Hit::Cell(place, _) = hit {
                    match picker.place() == Some(place) {
                        true => self.act(Action::Accept),
                        false => picker.select(place),
                    }
                }
            }
            Mode::Probes(probes) => {
                if let Hit::Cell(place, _) = hit {
                    match probes.place() == Some(place) {
                        true => self.act(Action::Toggle),
                        false => probes.select(place),
                    }
                }
            }
            Mode::Prompt(_) | Mode::Text(_) => {}
        }
    }

    fn click_tab(&mut self, hit: Hit) {
        match hit {
            Hit::Tab(place) => {
                if let Some(tab) = Tab::ALL.get(place) {
                    self.act(Action::Tab(*tab));
                }
            }
            Hit::Header(column) => self.sort_by(column),
            Hit::Cell(place, column) => {
                let clicked = match self.tab {
                    Tab::Stream => self.click_row(place, column),
                    _ => self.click_cell(place, column),
                };
                if clicked == Clicked::Again {
                    self.act(Action::Enter);
                }
            }
            Hit::Unfold(task) => self.unfold(task),
            Hit::Frame(frame) => self.zoom(frame),
        }
    }
}
