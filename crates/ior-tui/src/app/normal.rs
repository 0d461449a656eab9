//! What actions do on the open tab.

use ior_core::snapshot::Command;

use super::stream::From;
use super::{App, Effect, Export, Mode, Picker, Probes, Prompt, Tab, Text};
use crate::action::{Action, Motion};
use crate::keymap::Place;

impl App {
    /// Where keys are looked up on the open tab.
    pub(super) fn places_of_tab(&self) -> Vec<Place> {
        let mut places = match self.tab {
            Tab::Flame => vec![Place::Flame],
            Tab::Overview => vec![],
            Tab::Syscalls => vec![Place::Tables, Place::Lists],
            Tab::Files => vec![Place::Files, Place::Tables, Place::Lists],
            Tab::Processes => vec![Place::Processes, Place::Tables, Place::Lists],
            Tab::Latency => vec![Place::Latency],
            Tab::Stream if self.is_paused() => vec![Place::Paused, Place::Stream, Place::Lists],
            Tab::Stream => vec![Place::Stream, Place::Lists],
        };
        places.push(Place::Everywhere);
        places
    }

    pub(super) fn act_on_tab(&mut self, action: Action) {
        match action {
            Action::Tab(tab) => self.open_tab(tab),
            Action::NextTab => self.open_tab(self.tab.after(1)),
            Action::PreviousTab => self.open_tab(self.tab.after(Tab::ALL.len() - 1)),
            Action::Help => self.open(Mode::Text(Text::help())),
            Action::Losses => self.open(Mode::Text(Text::losses())),
            Action::EditFilter => self.open(Mode::Prompt(Prompt::filter(self.filters.now()))),
            Action::UndoFilter => self.undo(),
            Action::PickProcess => self.open(Mode::Picker(Picker::processes())),
            Action::PickThread => match self.process() {
                Some(pid) => self.open(Mode::Picker(Picker::threads(pid))),
                None => self.say("choose or select a process first"),
            },
            Action::Probes => self.open_probes(),
            Action::ExportStream => self.export = Export::Wanted(0),
            Action::OpenExport => match self.last_export.clone() {
                Some(path) => self.effects.push(Effect::Edit(path)),
                None => self.say("nothing was exported yet"),
            },
            Action::Record => self.record(),
            Action::Reset => {
                self.resume_pictures();
                self.command(Command::Reset);
            }
            Action::Pause => self.pause(),
            Action::Move(motion) => self.move_on_tab(motion),
            Action::Search(step) => self.open(Mode::Prompt(Prompt::search(step))),
            other => self.act_on_content(other),
        }
    }

    /// What means something else in each tab.
    fn act_on_content(&mut self, action: Action) {
        match (action, self.tab) {
            (Action::Enter, Tab::Flame) => self.zoom_in(),
            (Action::Enter, Tab::Stream) => self.enter_row(),
            (Action::Enter, _) => self.narrow_to_cell(),
            (Action::Measure, Tab::Flame) => self.next_weight(),
            (Action::Measure, _) => self.measure_table(),
            (Action::Again(step), Tab::Flame) => self.search_frame(step),
            (Action::Again(step), Tab::Stream) => self.search_row(step),
            (Action::Order, Tab::Flame) => self.next_order(),
            (Action::ZoomOut, Tab::Flame) => self.zoom_out(),
            (Action::Subject(step), Tab::Latency) => self.next_subject(step),
            (Action::Details, Tab::Stream) => self.show_details(),
            (Action::ExportView, Tab::Stream) => self.export_kept(From::First),
            (Action::ExportRest, Tab::Stream) => self.export_kept(From::Selected),
            (Action::Group, Tab::Files) => self.group(),
            (Action::Unfold, Tab::Processes) => self.unfold_selected(),
            (Action::Sort, _) => self.sort(),
            (Action::Reverse, _) => self.reverse(),
            (Action::Latencies, _) => self.show_latencies(),
            _ => {}
        }
    }

    fn move_on_tab(&mut self, motion: Motion) {
        match self.tab {
            Tab::Flame => self.move_in_flame(motion),
            Tab::Syscalls | Tab::Files | Tab::Processes => self.move_in_table(motion),
            Tab::Stream => self.move_in_stream(motion),
            Tab::Overview | Tab::Latency => {}
        }
    }

    fn undo(&mut self) {
        let changed = self.filters.undo();
        if changed == super::filters::Changed::No {
            self.say("there is no change of the filter to undo");
        }
        self.filter_changed(changed);
    }

    fn record(&mut self) {
        let recording = self
            .session()
            .and_then(|session| session.recording.as_ref());
        let active = recording.is_some_and(|recording| recording.active);
        self.command(Command::Record(!active));
    }

    fn open_probes(&mut self) {
        let traced = self.session().map(|session| session.syscalls.clone());
        self.open(Mode::Probes(Probes::new(&traced.unwrap_or_default())));
    }
}
