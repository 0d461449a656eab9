//! The table of keys. A line is a place, keys, what they mean and what that does; a place's lines stand together.

use crossterm::event::KeyCode;

use super::Key::{Char, Code, Control};
use super::{Binding, Key, Place};
use crate::action::Action as A;
use crate::action::{Edit, Motion, Step};
use crate::app::Tab;

const fn bind(
    place: Place,
    keys: &'static [Key],
    action: A,
    what: &'static str,
    hint: &'static str,
) -> Binding {
    Binding {
        place,
        keys,
        action,
        what,
        hint: match hint.is_empty() {
            true => None,
            false => Some(hint),
        },
    }
}

/// Every key.
#[rustfmt::skip]
pub const BINDINGS: &[Binding] = &[
    bind(Place::Always, &[Control('c')], A::Quit, "end", ""),

    bind(Place::Everywhere, &[Char('q')], A::Quit, "end", "quit"),
    bind(Place::Everywhere, &[Char('?'), Char('H')], A::Help, "show the keys, and what is missing", "help"),
    bind(Place::Everywhere, &[Char('f')], A::EditFilter, "edit the filter as text", "filter"),
    bind(Place::Everywhere, &[Char('F'), Code(KeyCode::Esc)], A::UndoFilter, "undo the last change of the filter (50 levels)", ""),
    bind(Place::Everywhere, &[Char('p')], A::PickProcess, "choose a process to trace, or all", "process"),
    bind(Place::Everywhere, &[Char('t')], A::PickThread, "choose a thread of the selected or the traced process", ""),
    bind(Place::Everywhere, &[Char('o')], A::Probes, "choose which syscalls are traced (probes)", "probes"),
    bind(Place::Everywhere, &[Char(' ')], A::Pause, "keep the picture as it is; again: go on", "pause"),
    bind(Place::Everywhere, &[Char('R')], A::Record, "start or stop a Parquet recording of what passes the filter", ""),
    bind(Place::Everywhere, &[Char('e')], A::ExportStream, "write the last rows that pass the filter as CSV", ""),
    bind(Place::Everywhere, &[Char('E')], A::OpenExport, "open the last export in $VISUAL or $EDITOR", ""),
    bind(Place::Everywhere, &[Char('r')], A::Reset, "reset: begin all statistics anew", ""),
    bind(Place::Everywhere, &[Char('!')], A::Losses, "show what is missing, since when and why", ""),
    bind(Place::Everywhere, &[Char('1')], A::Tab(Tab::Flame), "flame graph", ""),
    bind(Place::Everywhere, &[Char('2')], A::Tab(Tab::Overview), "overview", ""),
    bind(Place::Everywhere, &[Char('3')], A::Tab(Tab::Syscalls), "syscalls", ""),
    bind(Place::Everywhere, &[Char('4')], A::Tab(Tab::Files), "files", ""),
    bind(Place::Everywhere, &[Char('5')], A::Tab(Tab::Processes), "processes", ""),
    bind(Place::Everywhere, &[Char('6')], A::Tab(Tab::Latency), "latencies", ""),
    bind(Place::Everywhere, &[Char('7')], A::Tab(Tab::Stream), "stream of rows", ""),
    bind(Place::Everywhere, &[Code(KeyCode::Tab)], A::NextTab, "next tab", ""),
    bind(Place::Everywhere, &[Code(KeyCode::BackTab)], A::PreviousTab, "previous tab", ""),

    bind(Place::Lists, &[Code(KeyCode::Up), Char('k')], A::Move(Motion::Up), "up (pauses the stream)", ""),
    bind(Place::Lists, &[Code(KeyCode::Down), Char('j')], A::Move(Motion::Down), "down", ""),
    bind(Place::Lists, &[Code(KeyCode::Left), Char('h')], A::Move(Motion::Left), "column to the left", ""),
    bind(Place::Lists, &[Code(KeyCode::Right), Char('l')], A::Move(Motion::Right), "column to the right", ""),
    bind(Place::Lists, &[Code(KeyCode::PageUp)], A::Move(Motion::PageUp), "page up", ""),
    bind(Place::Lists, &[Code(KeyCode::PageDown)], A::Move(Motion::PageDown), "page down", ""),
    bind(Place::Lists, &[Char('g'), Code(KeyCode::Home)], A::Move(Motion::First), "first line", ""),
    bind(Place::Lists, &[Char('G'), Code(KeyCode::End)], A::Move(Motion::Last), "last line", ""),

    bind(Place::Tables, &[Code(KeyCode::Enter)], A::Enter, "narrow the filter to the selected cell: its line, and in Errors its errors", "narrow"),
    bind(Place::Tables, &[Char('s')], A::Sort, "sort by the selected column; again: reverse", "sort"),
    bind(Place::Tables, &[Char('S')], A::Reverse, "reverse the order", ""),
    bind(Place::Tables, &[Char('b')], A::Measure, "sort all tables by the next measure: calls, errors, bytes, latency", ""),
    bind(Place::Tables, &[Char('L')], A::Latencies, "latencies of the selected line", ""),

    bind(Place::Files, &[Char('d')], A::Group, "group by directory, or not", "directories"),

    bind(Place::Processes, &[Char('u')], A::Unfold, "show or hide the threads of the selected process", "threads"),

    bind(Place::Flame, &[Code(KeyCode::Enter)], A::Enter, "zoom into the selected frame", "zoom"),
    bind(Place::Flame, &[Char('u'), Code(KeyCode::Backspace)], A::ZoomOut, "zoom out to the frame below", "zoom out"),
    bind(Place::Flame, &[Char('o')], A::Order, "next order of frames: comm-path-syscall, path-comm-syscall, syscall-path, pid-path-syscall", "order"),
    bind(Place::Flame, &[Char('b')], A::Measure, "next weight: calls, latency, bytes, gap, errors", "weight"),
    bind(Place::Flame, &[Code(KeyCode::Up), Char('k')], A::Move(Motion::Up), "to the widest frame above", ""),
    bind(Place::Flame, &[Code(KeyCode::Down), Char('j')], A::Move(Motion::Down), "to the frame below", ""),
    bind(Place::Flame, &[Code(KeyCode::Left), Char('h')], A::Move(Motion::Left), "to the frame on the left", ""),
    bind(Place::Flame, &[Code(KeyCode::Right), Char('l')], A::Move(Motion::Right), "to the frame on the right", ""),
    bind(Place::Flame, &[Char('/')], A::Search(Step::Forward), "search frames by a regular expression", "search"),
    bind(Place::Flame, &[Char('n')], A::Again(Step::Forward), "next frame found", ""),
    bind(Place::Flame, &[Char('N')], A::Again(Step::Back), "previous frame found", ""),

    bind(Place::Latency, &[Code(KeyCode::Right), Char('l')], A::Subject(Step::Forward), "next subject: all, the selected syscall, file, process", "subject"),
    bind(Place::Latency, &[Code(KeyCode::Left), Char('h')], A::Subject(Step::Back), "previous subject", ""),

    bind(Place::Stream, &[Char('/')], A::Search(Step::Forward), "search all columns by a regular expression, towards newer rows (pauses)", "search"),

    bind(Place::Paused, &[Char('?')], A::Search(Step::Back), "search towards older rows", ""),
    bind(Place::Paused, &[Char('n')], A::Again(Step::Forward), "next row found, in the direction of the search", ""),
    bind(Place::Paused, &[Char('N')], A::Again(Step::Back), "next row found, in the other direction", ""),
    bind(Place::Paused, &[Code(KeyCode::Enter)], A::Enter, "narrow the filter to the selected cell (Gap, Latency: at least that); in Time: details of the row", "narrow"),
    bind(Place::Paused, &[Char('i')], A::Details, "details of the selected row", "details"),
    bind(Place::Paused, &[Char('x')], A::ExportView, "write all kept rows as CSV", "export"),
    bind(Place::Paused, &[Char('X')], A::ExportRest, "write the kept rows from the selected one on as CSV", ""),

    bind(Place::Picker, &[Code(KeyCode::Up)], A::Move(Motion::Up), "up", ""),
    bind(Place::Picker, &[Code(KeyCode::Down)], A::Move(Motion::Down), "down", ""),
    bind(Place::Picker, &[Code(KeyCode::PageUp)], A::Move(Motion::PageUp), "page up", ""),
    bind(Place::Picker, &[Code(KeyCode::PageDown)], A::Move(Motion::PageDown), "page down", ""),
    bind(Place::Picker, &[Code(KeyCode::Enter)], A::Accept, "trace what is selected", "trace"),
    bind(Place::Picker, &[Code(KeyCode::Esc)], A::Close, "go back; from the first screen: end", "back"),

    bind(Place::Probes, &[Code(KeyCode::Up), Char('k')], A::Move(Motion::Up), "up", ""),
    bind(Place::Probes, &[Code(KeyCode::Down), Char('j')], A::Move(Motion::Down), "down", ""),
    bind(Place::Probes, &[Code(KeyCode::PageUp)], A::Move(Motion::PageUp), "page up", ""),
    bind(Place::Probes, &[Code(KeyCode::PageDown)], A::Move(Motion::PageDown), "page down", ""),
    bind(Place::Probes, &[Char('g'), Code(KeyCode::Home)], A::Move(Motion::First), "first line", ""),
    bind(Place::Probes, &[Char('G'), Code(KeyCode::End)], A::Move(Motion::Last), "last line", ""),
    bind(Place::Probes, &[Char(' '), Code(KeyCode::Enter)], A::Toggle, "trace the syscall or the whole family, or do not", "toggle"),
    bind(Place::Probes, &[Char('a')], A::All, "trace all that are listed", "all"),
    bind(Place::Probes, &[Char('n')], A::Nothing, "trace none of those that are listed", "none"),
    bind(Place::Probes, &[Char('/')], A::Search(Step::Forward), "show only syscalls whose name or family has a text in it", "search"),
    bind(Place::Probes, &[Code(KeyCode::Esc), Char('q'), Char('o')], A::Close, "show all again, or go back", "back"),

    bind(Place::Prompt, &[Code(KeyCode::Enter)], A::Accept, "take it", "apply"),
    bind(Place::Prompt, &[Code(KeyCode::Esc)], A::Close, "leave everything as it was", "cancel"),

    bind(Place::TextBox, &[Code(KeyCode::Left)], A::Edit(Edit::Left), "left", ""),
    bind(Place::TextBox, &[Code(KeyCode::Right)], A::Edit(Edit::Right), "right", ""),
    bind(Place::TextBox, &[Code(KeyCode::Home), Control('a')], A::Edit(Edit::Home), "to the start", ""),
    bind(Place::TextBox, &[Code(KeyCode::End), Control('e')], A::Edit(Edit::End), "to the end", ""),
    bind(Place::TextBox, &[Code(KeyCode::Backspace), Control('h')], A::Edit(Edit::Backspace), "delete the character before", ""),
    bind(Place::TextBox, &[Code(KeyCode::Delete)], A::Edit(Edit::Delete), "delete the character after", ""),
    bind(Place::TextBox, &[Control('u')], A::Edit(Edit::DeleteToStart), "delete everything before", ""),
    bind(Place::TextBox, &[Control('w')], A::Edit(Edit::DeleteWord), "delete the word before", ""),

    bind(Place::Text, &[Code(KeyCode::Up), Char('k')], A::Move(Motion::Up), "up", ""),
    bind(Place::Text, &[Code(KeyCode::Down), Char('j')], A::Move(Motion::Down), "down", ""),
    bind(Place::Text, &[Code(KeyCode::PageUp)], A::Move(Motion::PageUp), "page up", ""),
    bind(Place::Text, &[Code(KeyCode::PageDown), Char(' ')], A::Move(Motion::PageDown), "page down", ""),
    bind(Place::Text, &[Char('g'), Code(KeyCode::Home)], A::Move(Motion::First), "to the start", ""),
    bind(Place::Text, &[Char('G'), Code(KeyCode::End)], A::Move(Motion::Last), "to the end", ""),
    bind(Place::Text, &[Code(KeyCode::Esc), Char('q'), Code(KeyCode::Enter), Char('?'), Char('H'), Char('!'), Char('i')], A::Close, "go back", "back"),

    bind(Place::Failed, &[Char('q'), Code(KeyCode::Esc)], A::Quit, "end", "quit"),
    bind(Place::Failed, &[Code(KeyCode::Up), Char('k')], A::Move(Motion::Up), "up", ""),
    bind(Place::Failed, &[Code(KeyCode::Down), Char('j')], A::Move(Motion::Down), "down", ""),

    bind(Place::Retry, &[Char('p')], A::PickProcess, "choose another process to trace", "process"),
];
