//! How long calls take and how long threads wait between them: two histograms and, over time, a map.
//!
//! ```text
//! Latency of all: avg 3.4 µs, p50 …            Gap: avg 1.2 ms, p50 …
//!   512 ns ███████████████▌          1.2 k        1.0 µs ████████              300
//!   1.0 µs █████▎                      400        2.0 µs ██                     80
//!
//! Latency over time, one column 1.0 s
//!   1.0 ms              ░
//!   512 µs ░░▒▒▓▓██▓▓▒▒░░
//! ```

use ior_core::snapshot::{Latencies, Spread};
use ior_core::totals::LATENCY_BUCKETS;
use ior_core::units::{Count, Nanos};
use ior_core::view::Subject;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::Canvas;
use crate::text::{self, Align, Cut};

/// Cells of a bucket's lower bound, of a count, and between two things.
const LABEL: u16 = 8;
const FIGURE: u16 = 8;
const GAP: u16 = 3;

/// Counts by bucket of the histograms.
type Buckets = [u64; LATENCY_BUCKETS];

/// Draws everything.
pub(super) fn draw(canvas: &mut Canvas<'_>, latencies: &Latencies, subject: &Subject) {
    let area = canvas.area;
    // The map has a third of the height, if there is enough to see something in it.
    let map = if area.height >= 14 {
        area.height / 3
    } else {
        0
    };
    let upper = Rect {
        height: area.height - map,
        ..area
    };
    let title = format!("Latency of {}", name(subject));
    if area.width >= 70 {
        let width = (area.width - GAP) / 2;
        let left = Rect { width, ..upper };
        let right = Rect {
            x: area.x + width + GAP,
            ..left
        };
        histogram(
            canvas,
            left,
            &title,
            &latencies.latency,
            latencies.latency_spread,
        );
        gaps(canvas, right, latencies);
    } else {
        let height = upper.height.div_ceil(2);
        let top = Rect { height, ..upper };
        let bottom = Rect {
            y: upper.y + height,
            height: upper.height - height,
            ..upper
        };
        histogram(
            canvas,
            top,
            &title,
            &latencies.latency,
            latencies.latency_spread,
        );
        gaps(canvas, bottom, latencies);
    }
    if map > 0 {
        let lower = Rect {
            y: upper.y + upper.height,
            height: map,
            ..area
        };
        heat(canvas, lower, latencies);
    }
}

/// Whose latencies these are.
pub fn name(subject: &Subject) -> String {
    match subject {
        Subject::All => "all".to_owned(),
        Subject::Syscall(syscall) => syscall.name.to_owned(),
        Subject::File(file) => super::files::path(file).into_owned(),
        Subject::Process(pid) => format!("process {pid}"),
    }
}

fn gaps(canvas: &mut Canvas<'_>, area: Rect, latencies: &Latencies) {
    match &latencies.gap {
        Some(gap) => histogram(canvas, area, "Gap", gap, latencies.gap_spread),
        None => {
            text::line(
                canvas.buffer,
                area,
                "Gap: not kept for a file",
                canvas.theme.dim,
            );
        }
    }
}

fn histogram(
    canvas: &mut Canvas<'_>,
    area: Rect,
    title: &str,
    counts: &Buckets,
    spread: Option<Spread>,
) {
    if area.is_empty() {
        return;
    }
    let figures = match spread {
        Some(Spread {
            avg,
            p50,
            p95,
            p99,
            max,
            ..
        }) => format!(
            "{title}: avg {}, p50 {}, p95 {}, p99 {}, max {}",
            Nanos(avg),
            Nanos(p50),
            Nanos(p95),
            Nanos(p99),
            Nanos(max)
        ),
        None => format!("{title}: nothing yet"),
    };
    text::line(canvas.buffer, area, &figures, canvas.theme.header);
    let rows = grouped(counts, usize::from(area.height - 1));
    let most = rows.iter().map(|(_, count)| *count).max().unwrap_or(0);
    for (y, (bound, count)) in (1..).zip(rows) {
        let line = text::row(area, y);
        let label = Rect {
            width: LABEL.min(line.width),
            ..line
        };
        let right = (Align::Right, Cut::End);
        text::put(
            canvas.buffer,
            label,
            &Nanos(bound).to_string(),
            right,
            canvas.theme.dim,
        );
        let Some(room) = line.width.checked_sub(LABEL + FIGURE + 2) else {
            continue;
        };
        let bar = Rect {
            x: line.x + LABEL + 1,
            width: room,
            ..line
        };
        text::line(
            canvas.buffer,
            bar,
            &bar_of(count, most, room),
            canvas.theme.good,
        );
        let figure = Rect {
            x: line.x + line.width - FIGURE,
            width: FIGURE,
            ..line
        };
        text::put(
            canvas.buffer,
            figure,
            &Count(count).to_string(),
            right,
            Style::new(),
        );
    }
}

/// The buckets from the first to the last that has something, several taken together if there are more than `lines`: the
/// lower bound of each, and its count.
fn grouped(counts: &Buckets, lines: usize) -> Vec<(u64, u64)> {
    let used = |count: &u64| *count > 0;
    let (Some(first), Some(last)) = (counts.iter().position(used), counts.iter().rposition(used))
    else {
        return Vec::new();
    };
    let counts = &counts[first..=last];
    if lines == 0 {
        return Vec::new();
    }
    let together = counts.len().div_ceil(lines);
    let bound = |place: usize| if place == 0 { 0 } else { 1 << place };
    let groups = counts.chunks(together).enumerate();
    groups
        .map(|(place, group)| (bound(first + place * together), group.iter().sum()))
        .collect()
}

/// A bar as long as its share of `most`, in eighths of a cell; the least of something can be seen.
fn bar_of(count: u64, most: u64, room: u16) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    if count == 0 || most == 0 {
        return String::new();
    }
    let eighths = u128::from(count) * u128::from(room) * 8 / u128::from(most);
    let eighths = (eighths as usize).max(1);
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(EIGHTHS[eighths % 8]);
    }
    bar
}

fn heat(canvas: &mut Canvas<'_>, area: Rect, latencies: &Latencies) {
    let step = latencies
        .heat_step
        .as_nanos()
        .try_into()
        .unwrap_or(u64::MAX);
    let title = format!(
        "Latency of all over time: a column is {}, the newest on the right",
        Nanos(step)
    );
    text::line(canvas.buffer, area, &title, canvas.theme.header);
    let Some(room) = area.width.checked_sub(LABEL + 1) else {
        return;
    };
    let columns = &latencies.heat;
    let columns = &columns[columns.len().saturating_sub(room.into())..];
    let used = |bucket: &usize| columns.iter().any(|column| column[*bucket] > 0);
    let mut buckets = 0..LATENCY_BUCKETS;
    let (Some(first), Some(last)) = (buckets.clone().find(used), buckets.rfind(used)) else {
        return;
    };
    let lines = usize::from(area.height.saturating_sub(1));
    if lines == 0 {
        return;
    }
    let together = (last - first + 1).div_ceil(lines);
    let rows = (last - first + 1).div_ceil(together);
    let count = |column: &[u32; LATENCY_BUCKETS], row: usize| {
        let from = first + row * together;
        let to = (from + together).min(LATENCY_BUCKETS);
        column[from..to]
            .iter()
            .map(|count| u64::from(*count))
            .sum::<u64>()
    };
    let all = columns
        .iter()
        .flat_map(|column| (0..rows).map(move |row| count(column, row)));
    let most = all.max().unwrap_or(0);
    for row in 0..rows {
        // The slowest on top.
        let line = text::row(area, (rows - row) as u16);
        let label = Rect {
            width: LABEL.min(line.width),
            ..line
        };
        let bound = if first + row * together == 0 {
            0
        } else {
            1 << (first + row * together)
        };
        let right = (Align::Right, Cut::End);
        text::put(
            canvas.buffer,
            label,
            &Nanos(bound).to_string(),
            right,
            canvas.theme.dim,
        );
        let shades: String = columns
            .iter()
            .map(|column| shade(count(column, row), most))
            .collect();
        let picture = Rect {
            x: line.x + LABEL + 1,
            width: room,
            ..line
        };
        text::line(canvas.buffer, picture, &shades, canvas.theme.good);
    }
}

/// The shade of a count, by the logarithm of its share of the largest.
fn shade(count: u64, most: u64) -> char {
    const SHADES: [char; 4] = ['░', '▒', '▓', '█'];
    if count == 0 {
        return ' ';
    }
    let (count, most) = ((count as f64).ln_1p(), (most.max(1) as f64).ln_1p());
    SHADES[((count / most * 4.0) as usize).min(3)]
}
