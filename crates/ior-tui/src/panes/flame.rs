//! The flame graph: the root at the bottom, a frame as wide as its weight.
//!
//! ```text
//! postgres › /var/lib/data › pwrite64   12.3 % of all, 45 % of the zoomed, 1.2 M calls
//! comm-path-syscall by calls   hidden: 12 frames, < 0.1 %   [other]: 0.3 %
//! ▏pwrite64     ▏fsync
//! ▏/var/lib/data        ▏/etc
//! ▏postgres             ▏bash          ▏cron
//! ▏all
//! ```

use ior_core::snapshot::{Flame, FlameFrame, FrameKind};
use ior_core::units::{Bytes, Count, Nanos};
use ior_core::view::{FlameOrder, FlameView, Weight};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use regex::bytes::Regex;

use super::{Canvas, Hit, percent};
use crate::text::{self, Align, Cut};
use crate::theme::Warmth;

/// Lines above the picture.
const TOOLBAR: u16 = 2;

/// Where to go from a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// To the widest frame above it.
    Up,
    /// To the frame below it.
    Down,
    /// To the next frame on the left, as high as this one.
    Left,
    /// To the next one on the right.
    Right,
}

/// Names of frames from below the root down to one.
pub type Names = Vec<Box<[u8]>>;

/// The place of the frame with these names, if it is shown; of none the root's.
pub fn place(flame: &Flame, names: &[Box<[u8]>]) -> Option<usize> {
    if flame.frames.is_empty() {
        return None;
    }
    names.iter().try_fold(0, |parent, name| {
        let is_next = |frame: &FlameFrame| {
            frame.depth > 0 && frame.parent as usize == parent && *frame.name == **name
        };
        let from = parent + 1;
        let place = flame.frames.get(from..)?.iter().position(is_next)?;
        Some(from + place)
    })
}

/// The names of a frame.
pub fn names(flame: &Flame, place: usize) -> Names {
    let mut names = Names::new();
    let mut place = place;
    while let Some(frame) = flame.frames.get(place)
        && frame.depth > 0
    {
        names.push((*frame.name).into());
        place = frame.parent as usize;
    }
    names.reverse();
    names
}

/// The frame one comes to; where there is none, or the selected one is not shown any more, the nearest that is.
pub fn step(flame: &Flame, selected: &[Box<[u8]>], direction: Direction) -> Names {
    let frames = &flame.frames;
    let shown = (0..=selected.len())
        .rev()
        .find_map(|len| place(flame, &selected[..len]));
    let Some(from) = shown else {
        return Names::new();
    };
    let depth = frames[from].depth;
    let to = match direction {
        Direction::Down => Some(frames[from].parent as usize),
        Direction::Up => (0..frames.len())
            .filter(|&place| frames[place].depth > 0 && frames[place].parent as usize == from)
            .max_by_key(|&place| (frames[place].width, std::cmp::Reverse(place))),
        Direction::Left => from
            .checked_sub(1)
            .filter(|&place| frames[place].depth == depth),
        Direction::Right => Some(from + 1)
            .filter(|&place| frames.get(place).is_some_and(|frame| frame.depth == depth)),
    };
    names(flame, to.unwrap_or(from))
}

/// The next frame after the selected one, or the one before it, whose name a search finds, round the ends.
pub fn find(
    flame: &Flame,
    selected: &[Box<[u8]>],
    search: &Regex,
    forward: Search,
) -> Option<Names> {
    let len = flame.frames.len();
    let from = place(flame, selected).unwrap_or(0);
    let mut places = (1..=len).map(|distance| match forward {
        Search::Forward => (from + distance) % len,
        Search::Backward => (from + len - distance) % len,
    });
    let found = places.find(|&place| is_found(&flame.frames[place], search))?;
    Some(names(flame, found))
}

/// Which way a search goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Search {
    /// Up and to the right.
    Forward,
    /// Down and to the left.
    Backward,
}

fn is_found(frame: &FlameFrame, search: &Regex) -> bool {
    frame.depth > 0 && search.is_match(&frame.name)
}

/// What an order is called.
pub fn order_name(order: FlameOrder) -> &'static str {
    match order {
        FlameOrder::CommPathSyscall => "comm-path-syscall",
        FlameOrder::PathCommSyscall => "path-comm-syscall",
        FlameOrder::SyscallPath => "syscall-path",
        FlameOrder::ProcessPathSyscall => "pid-path-syscall",
    }
}

/// What a weight is called.
pub fn weight_name(weight: Weight) -> &'static str {
    match weight {
        Weight::Calls => "calls",
        Weight::Latency => "latency",
        Weight::Bytes => "bytes",
        Weight::Gap => "gap",
        Weight::Errors => "errors",
    }
}

fn amount(weight: Weight, value: u64) -> String {
    match weight {
        Weight::Calls => format!("{} calls", Count(value)),
        Weight::Errors => format!("{} errors", Count(value)),
        Weight::Latency => format!("{} latency", Nanos(value)),
        Weight::Gap => format!("{} gap", Nanos(value)),
        Weight::Bytes => Bytes(value).to_string(),
    }
}

/// Draws the toolbar and the frames.
pub(super) fn draw(canvas: &mut Canvas<'_>, flame: &Flame, view: &FlameView) {
    let area = canvas.area;
    let shown = place(flame, &canvas.look.frame);
    let selected = shown.or(if flame.frames.is_empty() {
        None
    } else {
        Some(0)
    });
    let toolbar = TOOLBAR.min(area.height.saturating_sub(1)).max(1);
    title(canvas, text::row(area, 0), flame, selected);
    if toolbar > 1 {
        let line = text::row(area, 1);
        text::line(
            canvas.buffer,
            line,
            &settings(flame, view, canvas.look.search.as_ref()),
            canvas.theme.dim,
        );
    }
    let picture = Rect {
        y: area.y + toolbar,
        height: area.height - toolbar,
        ..area
    };
    if picture.height == 0 || flame.width == 0 || picture.width == 0 {
        return;
    }
    // As many levels as there are lines; if the selected frame is higher, those up to it.
    let depth = selected.map_or(0, |place| flame.frames[place].depth);
    let lowest = depth.saturating_sub(picture.height - 1);
    for (place, frame) in flame.frames.iter().enumerate() {
        let Some(level) = frame
            .depth
            .checked_sub(lowest)
            .filter(|level| *level < picture.height)
        else {
            continue;
        };
        if let Some((x, width)) = span(frame, flame.width, picture.width) {
            let area = Rect::new(
                picture.x + x,
                picture.y + picture.height - 1 - level,
                width,
                1,
            );
            draw_frame(canvas, area, flame, place, selected == Some(place));
        }
    }
}

/// The cells of a frame: neighbours meet, and together they are exactly as wide as the picture.
fn span(frame: &FlameFrame, whole: u64, width: u16) -> Option<(u16, u16)> {
    let cell = |weight: u64| {
        let weight = weight.min(whole);
        (u128::from(weight) * u128::from(width) / u128::from(whole.max(1))) as u16
    };
    let (from, to) = (
        cell(frame.start),
        cell(frame.start.saturating_add(frame.width)),
    );
    (to > from).then_some((from, to - from))
}

fn draw_frame(canvas: &mut Canvas<'_>, area: Rect, flame: &Flame, place: usize, is_selected: bool) {
    let frame = &flame.frames[place];
    let found = canvas
        .look
        .search
        .as_ref()
        .is_some_and(|search| is_found(frame, search));
    let mut style = style(canvas, frame);
    if place < flame.zoomed {
        style = style.add_modifier(Modifier::DIM);
    }
    if found {
        style = style.patch(canvas.theme.found);
    }
    if is_selected {
        style = style.patch(canvas.theme.cell);
    }
    let area = area.intersection(canvas.buffer.area);
    buffer_fill(canvas, area, style);
    text::line(canvas.buffer, area, "▏", style);
    let name = Rect {
        x: area.x + 1,
        width: area.width.saturating_sub(1),
        ..area
    };
    if name.width > 1 {
        text::put(
            canvas.buffer,
            name,
            &shown_name(frame),
            (Align::Left, Cut::End),
            style,
        );
    }
    canvas.hits.add(area, Hit::Frame(names(flame, place)));
}

fn buffer_fill(canvas: &mut Canvas<'_>, area: Rect, style: Style) {
    for x in area.x..area.x + area.width {
        canvas.buffer[(x, area.y)].set_symbol(" ").set_style(style);
    }
}

fn style(canvas: &Canvas<'_>, frame: &FlameFrame) -> Style {
    match frame.kind {
        FrameKind::Root | FrameKind::Other => canvas.theme.selected,
        FrameKind::Comm | FrameKind::Process => canvas.theme.frame(&frame.name, Warmth::Mild),
        FrameKind::Path => canvas.theme.frame(&frame.name, Warmth::Warm),
        FrameKind::Syscall => canvas.theme.frame(&frame.name, Warmth::Cool),
    }
}

fn shown_name(frame: &FlameFrame) -> std::borrow::Cow<'_, str> {
    match frame.kind {
        FrameKind::Root => "all".into(),
        FrameKind::Other => "[other]".into(),
        _ if frame.name.is_empty() => "(no name)".into(),
        _ => text::harmless(&frame.name),
    }
}

/// The selected frame's full name, its shares and its weight.
fn title(canvas: &mut Canvas<'_>, line: Rect, flame: &Flame, selected: Option<usize>) {
    let Some(place) = selected else {
        text::line(canvas.buffer, line, "nothing yet", canvas.theme.dim);
        return;
    };
    let weight = flame.frames[place].weight;
    let mut figures = format!("  {} of all", percent(weight, flame.total));
    if flame.zoomed > 0 {
        figures.push_str(&format!(", {} of the zoomed", percent(weight, flame.width)));
    }
    figures.push_str(&format!(", {}", amount(flame.weight, weight)));
    // The name gives way to the figures, and is told by its end.
    let room = usize::from(line.width).saturating_sub(text::cells(&figures));
    let name = full_name(flame, place);
    let name = text::fit(&name, room.max(usize::from(line.width) / 3), Cut::Front);
    let taken = text::line(canvas.buffer, line, &name, canvas.theme.header);
    let rest = Rect {
        x: line.x + taken,
        width: line.width - taken,
        ..line
    };
    text::line(canvas.buffer, rest, &figures, Style::new());
}

/// The frame's name with those below it: components of a path as a path, `›` between everything else.
fn full_name(flame: &Flame, place: usize) -> String {
    let mut chain = Vec::new();
    let mut place = place;
    while flame.frames[place].depth > 0 {
        chain.push(place);
        place = flame.frames[place].parent as usize;
    }
    if chain.is_empty() {
        return "all".to_owned();
    }
    let mut text = String::new();
    let mut before = None;
    for &place in chain.iter().rev() {
        let frame = &flame.frames[place];
        let continues = before == Some(FrameKind::Path) && frame.kind == FrameKind::Path;
        if before.is_some() && !continues {
            text.push_str(" › ");
        }
        text.push_str(&shown_name(frame));
        before = Some(frame.kind);
    }
    text
}

fn settings(flame: &Flame, view: &FlameView, search: Option<&Regex>) -> String {
    let mut text = format!("{} by {}", order_name(view.order), weight_name(view.weight));
    if let Some(search) = search {
        let share = found_weight(flame, search);
        text.push_str(&format!(
            "   /{}/: {}",
            text::harmless(search.as_str().as_bytes()),
            percent(share, flame.width)
        ));
    }
    if flame.hidden_weight > 0 {
        text.push_str(&format!(
            "   hidden: {} frames, {}",
            Count(flame.hidden_frames),
            percent(flame.hidden_weight, flame.width)
        ));
    }
    if flame.folded_weight > 0 {
        let share = percent(flame.folded_weight, flame.total);
        text.push_str(&format!("   [other]: {share}"));
    }
    text
}

/// The weight of the frames that a search finds, one above another counted once.
fn found_weight(flame: &Flame, search: &Regex) -> u64 {
    let mut is_counted = vec![false; flame.frames.len()];
    let mut weight = 0;
    for (place, frame) in flame.frames.iter().enumerate().skip(flame.zoomed) {
        let below = frame.depth > 0 && is_counted[frame.parent as usize];
        let found = is_found(frame, search);
        if found && !below {
            weight += frame.width;
        }
        is_counted[place] = found || below;
    }
    weight
}
