//! Texts to read: help, what is missing, a row's details, why nothing is traced.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::frame;
use super::paragraphs::Paragraph;
use crate::app::{App, Drawn, Text, TextSubject, losses};
use crate::keymap::{self, Place};
use crate::text;
use crate::theme::Theme;

/// Cells of labels.
const LABELS: usize = 18;

/// Draws the part of the text that was scrolled to.
pub fn draw(
    buffer: &mut Buffer,
    area: Rect,
    app: &App,
    text: &Text,
    theme: &Theme,
    drawn: &mut Drawn,
) {
    let (title, paragraphs) = match &text.subject {
        TextSubject::Help => ("Help", help(app, theme)),
        TextSubject::Losses => ("What is missing", missing(app, theme)),
        TextSubject::Details(lines) => ("Details", details(lines, theme)),
        TextSubject::Failure(cause, _) => ("Nothing is traced", failure(cause, theme)),
    };
    const WIDTH: usize = 104;
    // Two cells of border and two of air.
    let width = usize::from(area.width).min(WIDTH).saturating_sub(4);
    let height: usize = paragraphs
        .iter()
        .map(|paragraph| paragraph.lines(width).len())
        .sum();
    let inner = frame(buffer, area, title, (WIDTH, height + 2), theme);
    let lines: Vec<_> = paragraphs
        .iter()
        .flat_map(|paragraph| {
            let lines = paragraph.lines(inner.width.into());
            lines.into_iter().map(move |line| (paragraph, line))
        })
        .collect();
    let last = lines.len().saturating_sub(inner.height.into());
    let shown = lines.iter().skip(text.scroll.min(last));
    for (y, (paragraph, (label, body))) in (0..inner.height).zip(shown) {
        let line = text::row(inner, y);
        let taken = text::line(buffer, line, label, paragraph.label_style);
        let rest = Rect {
            x: line.x + taken,
            width: line.width - taken,
            ..line
        };
        text::line(buffer, rest, body, paragraph.style);
    }
    drawn.page = inner.height.into();
    drawn.lines = lines.len();
}

/// A text behind a label.
fn labelled(label: impl Into<String>, text: impl Into<String>, theme: &Theme) -> Paragraph {
    Paragraph {
        label: label.into(),
        label_style: theme.key,
        text: text.into(),
        style: Style::new(),
        indent: LABELS,
    }
}

/// What is missing, and every key by where it holds.
fn help(app: &App, theme: &Theme) -> Vec<Paragraph> {
    let mut lines = missing(app, theme);
    lines.push(Paragraph::plain("", Style::new()));
    lines.push(Paragraph::plain(keymap::MOUSE, Style::new()));
    for place in Place::ALL {
        lines.push(Paragraph::plain("", Style::new()));
        lines.push(Paragraph::plain(place.title(), theme.header));
        for binding in keymap::of(place) {
            lines.push(labelled(binding.keys(), binding.what, theme));
        }
    }
    lines
}

/// What is missing from the session, since when, and why.
fn missing(app: &App, theme: &Theme) -> Vec<Paragraph> {
    let Some(session) = app.session() else {
        return vec![Paragraph::plain("Nothing was traced yet.", Style::new())];
    };
    let mut lines = Vec::new();
    for missing in losses(session) {
        let count = missing.count;
        let count = count.map_or_else(|| "unknown".to_owned(), |count| count.to_string());
        let label = format!("{count} {}", missing.what);
        lines.push(Paragraph {
            label_style: theme.bad,
            ..labelled(label, missing.why, theme)
        });
        if missing.what == "lost"
            && let Some(when) = app.lost_when()
        {
            lines.push(labelled("", when, theme));
        }
    }
    if lines.is_empty() {
        lines.push(Paragraph::plain(
            "Nothing is missing: every call became a row.",
            theme.good,
        ));
    }
    let answered = session.loss.answered;
    if answered > 0 {
        let text =
            "calls that a seccomp filter or a tracer answered: they never ran, and are no loss.";
        lines.push(labelled(format!("{answered} answered"), text, theme));
    }
    lines
}

fn details(rows: &[(&'static str, String)], theme: &Theme) -> Vec<Paragraph> {
    let lines = rows.iter();
    lines
        .map(|(name, value)| labelled(*name, value.as_str(), theme))
        .collect()
}

/// The cause, and where to find the remedy if it does not say so itself.
fn failure(cause: &str, theme: &Theme) -> Vec<Paragraph> {
    // It may have several lines, each as hostile as the next.
    let lines = cause.lines();
    let mut lines: Vec<Paragraph> = lines
        .map(|line| Paragraph::plain(text::harmless(line.as_bytes()), theme.bad))
        .collect();
    lines.push(Paragraph::plain("", Style::new()));
    lines.push(Paragraph::plain(
        "`ior doctor` looks at what tracing needs on this machine, and says how to get what is missing.",
        Style::new(),
    ));
    lines
}
