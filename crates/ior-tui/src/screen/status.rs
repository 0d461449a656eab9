//! The lines that stand on every tab: the filter; what is traced, how much it is, what is recorded, what is missing.

use ior_core::snapshot::Session;
use ior_core::units::{Count, Nanos};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::app::{self, App};
use crate::text::{self, Align, Cut};
use crate::theme::Theme;

/// The filter, as it can be typed, and how many changes can be undone.
pub fn filter(buffer: &mut Buffer, area: Rect, app: &App, theme: &Theme) {
    let mut left = area;
    let depth = app.filters().depth();
    if depth > 0 {
        let undo = format!("  F undoes ({depth})");
        if undo.len() * 2 < usize::from(area.width) {
            text::put(buffer, area, &undo, (Align::Right, Cut::End), theme.dim);
            left.width -= undo.len() as u16;
        }
    }
    let title = text::line(buffer, left, "filter: ", theme.header);
    let rest = Rect {
        x: left.x + title,
        width: left.width - title,
        ..left
    };
    // What is typed has nothing hostile in it: a filter escapes it itself.
    text::line(buffer, rest, &app.filters().now().to_string(), Style::new());
}

/// A part of the line of facts.
struct Fact {
    text: String,
    style: Style,
    /// The least important goes first where there is no room; no two are alike.
    rank: u8,
}

/// Target, time, rate, rows, recording, what is missing; as much of it as there is room for. The filter is among them where
/// it has no line of its own.
pub fn facts(buffer: &mut Buffer, area: Rect, app: &App, theme: &Theme, own_line: Rect) {
    const GAP: usize = 2;
    let Some(session) = app.session() else { return };
    let target = app.target(&session.target);
    let mut facts = of_session(session, target, area.width, theme);
    if app.is_paused() {
        facts.insert(0, fact("PAUSED".to_owned(), theme.key, 2));
    }
    let filter = app.filters().now();
    if own_line.is_empty() && !filter.is_empty() {
        facts.push(fact(format!("filter: {filter}"), Style::new(), 4));
    }
    let mut by_rank: Vec<&Fact> = facts.iter().collect();
    by_rank.sort_by_key(|fact| fact.rank);
    let mut left = usize::from(area.width) + GAP;
    let mut kept = Vec::new();
    for fact in by_rank {
        let needed = text::cells(&fact.text) + GAP;
        // The most important one is cut rather than left out.
        if needed <= left || kept.is_empty() {
            left = left.saturating_sub(needed);
            kept.push(fact.rank);
        }
    }
    facts.retain(|fact| kept.contains(&fact.rank));
    let mut x = area.x;
    for Fact { text, style, .. } in facts {
        let left = Rect {
            x,
            width: area.right().saturating_sub(x),
            ..area
        };
        let taken = text::line(buffer, left, &text, style);
        x = x.saturating_add(taken + GAP as u16).min(area.right());
    }
}

fn fact(text: String, style: Style, rank: u8) -> Fact {
    Fact { text, style, rank }
}

fn of_session(session: &Session, target: String, width: u16, theme: &Theme) -> Vec<Fact> {
    let elapsed = u64::try_from(session.elapsed.as_nanos()).unwrap_or(u64::MAX);
    // A rate is far from the largest number there is.
    let rate = session.calls_per_s.max(0.0).round() as u64;
    let mut facts = Vec::new();
    if let Some(missing) = app::counter(session, usize::from(width) / 2) {
        facts.push(fact(missing, theme.bad, 0));
    }
    facts.push(fact(target, Style::new(), 5));
    facts.push(fact(Nanos(elapsed).to_string(), theme.dim, 7));
    facts.push(fact(format!("{} calls/s", Count(rate)), Style::new(), 6));
    facts.push(fact(format!("{} rows", Count(session.rows)), theme.dim, 8));
    if let Some(recording) = &session.recording {
        let (word, style) = match recording.active {
            true => ("rec", theme.good),
            false => ("recorded", theme.dim),
        };
        let path = text::harmless(recording.path.as_bytes());
        let rows = Count(recording.rows);
        let rank = if recording.active { 3 } else { 9 };
        facts.push(fact(format!("{word}: {path} {rows} rows"), style, rank));
    }
    if let Some(over) = &session.over {
        let why = text::harmless(over.why().as_bytes());
        facts.push(fact(format!("over: {why}"), theme.bad, 1));
    }
    facts
}
