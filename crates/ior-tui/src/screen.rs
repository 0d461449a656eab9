//! The whole screen: the tab bar, the pane, the filter, the facts, a line of hints, and what is open in front of it.
//!
//! ```text
//! 1 Flame  2 Overview  3 Syscalls  4 Files  5 Processes  6 Latency  7 Stream
//! …the pane…
//! filter: comm=bash errors                                        F undoes (2)
//! all processes  12.3 s  1.2 k calls/s  rec: ior-….parquet 12.3 M rows  3 lost (!)
//! q quit  ? help  Enter narrow  s sort  f filter  p process  o probes  Space pause
//! ```

mod hints;
mod status;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::{App, Drawn, Mode, Tab};
use crate::dialogs;
use crate::panes::{self, Hit, Hits};
use crate::text;
use crate::theme::Theme;

/// Draws everything into `area`, whatever size that has.
pub fn draw(buffer: &mut Buffer, area: Rect, app: &App, theme: &Theme) -> Drawn {
    let area = area.intersection(buffer.area);
    let mut drawn = Drawn::default();
    if area.is_empty() {
        return drawn;
    }
    let layout = app.layout(area);
    if !has_nothing_behind(app) {
        tabs(buffer, layout.tabs, app, theme, &mut drawn.hits);
        content(buffer, layout.content, app, theme, &mut drawn.hits);
        status::filter(buffer, layout.filter, app, theme);
        status::facts(buffer, layout.facts, app, theme, layout.filter);
    }
    let front = Rect {
        height: area.height - layout.hints.height,
        ..area
    };
    if !matches!(app.mode(), Mode::Normal) {
        // What is behind cannot be clicked.
        drawn.hits = Hits::default();
        dialogs::draw(buffer, front, app, theme, &mut drawn);
    } else if app.is_attaching() {
        dialogs::notice(buffer, front, "attaching…", theme);
    }
    hints::draw(buffer, layout.hints, app, theme);
    drawn
}

/// Whether nothing is traced yet, so that there is nothing to see but what is open.
fn has_nothing_behind(app: &App) -> bool {
    match app.mode() {
        Mode::Picker(picker) => picker.is_first(),
        Mode::Text(text) => text.is_failure(),
        Mode::Normal | Mode::Prompt(_) | Mode::Probes(_) => false,
    }
}

/// The tab bar: titles if there is room for them, or else numbers and the open tab's title.
fn tabs(buffer: &mut Buffer, area: Rect, app: &App, theme: &Theme, hits: &mut Hits) {
    const GAP: u16 = 2;
    let titles = Tab::ALL.map(|tab| format!("{} {}", tab.place() + 1, tab.title()));
    let needed: usize = titles
        .iter()
        .map(|title| title.len() + usize::from(GAP))
        .sum();
    let is_wide = needed <= usize::from(area.width) + usize::from(GAP);
    let mut x = area.x;
    for (tab, title) in Tab::ALL.into_iter().zip(&titles) {
        let is_open = tab == app.tab();
        let title = match is_wide || is_open {
            true => title.as_str(),
            false => &title[..1],
        };
        let left = area.right().saturating_sub(x);
        let style = if is_open { theme.key } else { theme.dim };
        let taken = text::line(
            buffer,
            Rect {
                x,
                width: left,
                ..area
            },
            title,
            style,
        );
        hits.add(
            Rect {
                x,
                width: taken,
                ..area
            },
            Hit::Tab(tab.place()),
        );
        x = x.saturating_add(taken + GAP).min(area.right());
    }
}

/// The pane; nothing while there is no snapshot of it.
fn content(buffer: &mut Buffer, area: Rect, app: &App, theme: &Theme, hits: &mut Hits) {
    match app.picture() {
        Some(snapshot) => panes::draw(buffer, area, snapshot, &app.look(), theme, hits),
        None => {
            text::line(buffer, area, "…", theme.dim);
        }
    }
}

#[cfg(test)]
mod tests;
