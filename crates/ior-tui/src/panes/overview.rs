//! Rates over the last minutes, the top of each list, and what ior itself takes.
//!
//! ```text
//! calls/s 1.2 k  most 3.4 k        errors/s 3  most 12          read/s 1.2 MiB  most …
//! ▁▂▃▅▇█▇▅                         ▁ ▁▂                         ▂▃▅
//! written/s …                      p50 3.4 µs  most …           p99 1.2 ms  most …
//! ▁▂▃▅▇█▇▅                         ▁ ▁▂                         ▂▃▅
//!
//! Syscall      Calls  p99  Errors     File  Read  Written        PID  Name  Calls  Errors
//! …
//! all: 12.3 M calls, …   ior: 1.2 % of a CPU, 48.0 MiB, rings at most 3 % full
//! ```

use ior_core::snapshot::{Overview, Second, Session};
use ior_core::units::{Bytes, Count, Nanos};
use ratatui::layout::Rect;
use ratatui::widgets::{Sparkline, Widget};

use super::{Canvas, failures, files, moved};
use crate::table::{Column, Foot, Table, Text};
use crate::text;

/// A figure that changes with time.
struct Chart {
    name: &'static str,
    value: fn(&Second) -> u64,
    shown: fn(u64) -> String,
}

const CHARTS: [Chart; 6] = [
    Chart {
        name: "calls/s",
        value: |second| second.calls,
        shown: |value| Count(value).to_string(),
    },
    Chart {
        name: "errors/s",
        value: |second| second.errors,
        shown: |value| Count(value).to_string(),
    },
    Chart {
        name: "read/s",
        value: |second| second.read,
        shown: |value| Bytes(value).to_string(),
    },
    Chart {
        name: "written/s",
        value: |second| second.written,
        shown: |value| Bytes(value).to_string(),
    },
    Chart {
        name: "p50",
        value: |second| second.p50,
        shown: |value| Nanos(value).to_string(),
    },
    Chart {
        name: "p99",
        value: |second| second.p99,
        shown: |value| Nanos(value).to_string(),
    },
];

/// Cells between two things beside each other.
const GAP: u16 = 3;

/// Draws everything.
pub(super) fn draw(canvas: &mut Canvas<'_>, overview: &Overview, session: &Session) {
    let area = canvas.area;
    let foot = u16::from(area.height > 3);
    let across = if area.width >= 90 { 3 } else { 2 };
    let down = (CHARTS.len() as u16).div_ceil(across);
    // Charts take at most half of the height: a line for the name, the rest for the picture.
    let room = (area.height - foot) / 2 / down;
    let height = room.clamp(1, 4);
    for (place, chart) in (0..).zip(&CHARTS) {
        let (column, row) = (place % across, place / across);
        let Some(area) = part(area, column, across, row * height, height, foot) else {
            continue;
        };
        draw_chart(canvas, area, chart, &overview.seconds);
    }
    let top = down * height + u16::from(height > 1);
    let left = (area.height - foot).saturating_sub(top);
    let lists: [fn(&mut Canvas<'_>, Rect, &Overview); 3] = [syscalls, file_list, processes];
    let beside = area.width >= 140;
    for (place, list) in (0..).zip(lists) {
        let area = if beside {
            part(area, place, 3, top, left, foot)
        } else {
            part(area, 0, 1, top + place * (left / 3), left / 3, foot)
        };
        if let Some(area) = area {
            list(canvas, area, overview);
        }
    }
    if foot > 0 {
        let line = text::row(area, area.height - 1);
        text::line(
            canvas.buffer,
            line,
            &cost(overview, session),
            canvas.theme.dim,
        );
    }
}

/// Column `column` of `across`, `height` lines from `top` on; the last `foot` lines are not for it.
fn part(area: Rect, column: u16, across: u16, top: u16, height: u16, foot: u16) -> Option<Rect> {
    let width = (area.width + GAP) / across;
    let bottom = area.height - foot;
    (top < bottom && height > 0 && width > GAP).then(|| Rect {
        x: area.x + column * width,
        y: area.y + top,
        width: width - GAP,
        height: height.min(bottom - top),
    })
}

fn draw_chart(canvas: &mut Canvas<'_>, area: Rect, chart: &Chart, seconds: &[Second]) {
    let Chart { name, value, shown } = chart;
    let shown_seconds = &seconds[seconds.len().saturating_sub(area.width.into())..];
    let values: Vec<u64> = shown_seconds.iter().map(value).collect();
    let taken = text::line(
        canvas.buffer,
        area,
        &format!("{name} "),
        canvas.theme.header,
    );
    let rest = Rect {
        x: area.x + taken,
        width: area.width - taken,
        ..area
    };
    let figures = match (values.last(), values.iter().max()) {
        (Some(last), Some(most)) => format!("{}   most {}", shown(*last), shown(*most)),
        _ => "-".to_owned(),
    };
    text::line(canvas.buffer, rest, &figures, ratatui::style::Style::new());
    if area.height > 1 {
        let picture = Rect {
            y: area.y + 1,
            height: area.height - 1,
            ..area
        };
        let style = match *name {
            "errors/s" => canvas.theme.bad,
            _ => canvas.theme.good,
        };
        Sparkline::default()
            .data(&values)
            .style(style)
            .render(picture, canvas.buffer);
    }
}

fn syscalls(canvas: &mut Canvas<'_>, area: Rect, overview: &Overview) {
    const COLUMNS: [Column; 4] = [
        Column {
            grows: 1,
            ..Column::word("Syscall", 12, 0)
        },
        Column::figure("Calls", 8, 0),
        Column::figure("p99", 8, 1),
        Column::figure("Errors", 7, 2),
    ];
    let lines = &overview.syscalls;
    let theme = canvas.theme;
    list(canvas, area, &COLUMNS, lines.len(), &|line, column| {
        let line = &lines[line];
        match column {
            0 => line.syscall.name.into(),
            1 => Count(line.calls).to_string().into(),
            2 => line
                .latency
                .map_or("-".to_owned(), |latency| Nanos(latency.p99).to_string())
                .into(),
            _ => failures(line.errors, theme),
        }
    });
}

fn file_list(canvas: &mut Canvas<'_>, area: Rect, overview: &Overview) {
    const COLUMNS: [Column; 3] = [
        Column::path("File", 14, 0),
        Column::figure("Read", 9, 0),
        Column::figure("Written", 9, 0),
    ];
    let lines = &overview.files;
    let theme = canvas.theme;
    list(canvas, area, &COLUMNS, lines.len(), &|line, column| {
        let line = &lines[line];
        match column {
            0 => files::path(&line.path).into(),
            1 => moved(line.read, theme),
            _ => moved(line.written, theme),
        }
    });
}

fn processes(canvas: &mut Canvas<'_>, area: Rect, overview: &Overview) {
    const COLUMNS: [Column; 4] = [
        Column::figure("PID", 8, 1),
        Column {
            grows: 1,
            ..Column::word("Name", 10, 0)
        },
        Column::figure("Calls", 8, 0),
        Column::figure("Errors", 7, 2),
    ];
    let lines = &overview.processes;
    let theme = canvas.theme;
    list(canvas, area, &COLUMNS, lines.len(), &|line, column| {
        let line = &lines[line];
        match column {
            0 => line.key.pid.to_string().into(),
            1 => text::harmless(&line.name).into(),
            2 => Count(line.calls).to_string().into(),
            _ => failures(line.errors, theme),
        }
    });
}

fn list<'t>(
    canvas: &mut Canvas<'_>,
    area: Rect,
    columns: &[Column],
    len: usize,
    cell: &dyn Fn(usize, usize) -> Text<'t>,
) {
    let table = Table {
        columns,
        sort: None,
        selected: None,
        column: None,
        first: 0,
        len,
        total: len,
        folded: ior_core::snapshot::Folded::default(),
        foot: Foot::Nothing,
    };
    // Nothing in these lists can be chosen.
    let mut hits = super::Hits::default();
    table.draw(canvas.buffer, area, cell, canvas.theme, &mut hits);
}

fn cost(overview: &Overview, session: &Session) -> String {
    let unknown = || "unknown".to_owned();
    let cost = &session.cost;
    let share = |share: f64| format!("{:.1} %", share * 100.0);
    format!(
        "ior: CPU {}, memory {}, rings {} full   all: read {}, written {}, {} errors",
        cost.cpu.map_or_else(unknown, share),
        cost.memory
            .map_or_else(unknown, |bytes| Bytes(bytes).to_string()),
        cost.ring_fill.map_or_else(unknown, share),
        Bytes(overview.read),
        Bytes(overview.written),
        Count(overview.errors),
    )
}
