//! A drawn screen as an SVG picture: one rectangle a run of equal background, one text a run of equal style.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

/// Width and height of a cell, in pixels: what a monospaced font of 14 pixels takes.
const CELL: (f64, f64) = (8.4, 17.0);
const FONT_SIZE: f64 = 14.0;
const MARGIN: f64 = 8.0;

/// Colours of a terminal.
pub struct Palette {
    pub background: &'static str,
    pub text: &'static str,
    /// The sixteen numbered ones.
    pub numbered: [&'static str; 16],
}

/// Light text on dark.
pub const DARK: Palette = Palette {
    background: "#16181d",
    text: "#d8dee9",
    numbered: [
        "#2e3440", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf",
        "#5c6370", "#f47f89", "#b5e08c", "#f5d08b", "#7fc1ff", "#d990f0", "#6fd0dd", "#ffffff",
    ],
};

/// How a run of cells is shown.
#[derive(Clone, PartialEq)]
struct Look {
    text: String,
    background: String,
    modifier: Modifier,
}

/// The picture.
pub fn picture(buffer: &Buffer, palette: &Palette, title: &str) -> String {
    let (width, height) = (buffer.area.width, buffer.area.height);
    let mut svg = String::new();
    let _ = writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" width="{:.0}" height="{:.0}" font-family="ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace" font-size="{FONT_SIZE}">"#,
        f64::from(width) * CELL.0 + 2.0 * MARGIN,
        f64::from(height) * CELL.1 + 2.0 * MARGIN,
    );
    let _ = writeln!(svg, "<title>{}</title>", escaped(title));
    let _ = writeln!(
        svg,
        r#"<rect width="100%" height="100%" rx="6" fill="{}"/>"#,
        palette.background
    );
    for y in 0..height {
        let mut x = 0;
        while x < width {
            let look = look(&buffer[(x, y)], palette);
            let begin = x;
            let mut text = String::new();
            while x < width && self::look(&buffer[(x, y)], palette) == look {
                text.push_str(buffer[(x, y)].symbol());
                // The cells behind a wide character hold nothing of their own.
                x += (unicode_width::UnicodeWidthStr::width(buffer[(x, y)].symbol()) as u16).max(1);
            }
            run(&mut svg, (begin, y, x - begin), &text, &look, palette);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn run(
    svg: &mut String,
    (x, y, width): (u16, u16, u16),
    text: &str,
    look: &Look,
    palette: &Palette,
) {
    let (left, top) = (
        f64::from(x) * CELL.0 + MARGIN,
        f64::from(y) * CELL.1 + MARGIN,
    );
    let length = f64::from(width) * CELL.0;
    if look.background != palette.background {
        let _ = writeln!(
            svg,
            r#"<rect x="{left:.1}" y="{top:.1}" width="{length:.1}" height="{}" fill="{}"/>"#,
            CELL.1, look.background
        );
    }
    if text.trim().is_empty() && !look.modifier.contains(Modifier::UNDERLINED) {
        return;
    }
    let mut style = String::new();
    if look.modifier.contains(Modifier::BOLD) {
        style.push_str(r#" font-weight="bold""#);
    }
    if look.modifier.contains(Modifier::DIM) {
        style.push_str(r#" opacity="0.65""#);
    }
    if look.modifier.contains(Modifier::UNDERLINED) {
        style.push_str(r#" text-decoration="underline""#);
    }
    let _ = writeln!(
        svg,
        r#"<text x="{left:.1}" y="{:.1}" textLength="{length:.1}" lengthAdjust="spacingAndGlyphs" xml:space="preserve" fill="{}"{style}>{}</text>"#,
        top + CELL.1 * 0.78,
        look.text,
        escaped(text)
    );
}

fn look(cell: &Cell, palette: &Palette) -> Look {
    let mut text = color(cell.fg, palette.text, palette);
    let mut background = color(cell.bg, palette.background, palette);
    if cell.modifier.contains(Modifier::REVERSED) {
        std::mem::swap(&mut text, &mut background);
    }
    Look {
        text,
        background,
        modifier: cell.modifier & (Modifier::BOLD | Modifier::DIM | Modifier::UNDERLINED),
    }
}

fn color(color: Color, default: &str, palette: &Palette) -> String {
    let numbered = |number: usize| palette.numbered[number].to_owned();
    match color {
        Color::Reset => default.to_owned(),
        Color::Black => numbered(0),
        Color::Red => numbered(1),
        Color::Green => numbered(2),
        Color::Yellow => numbered(3),
        Color::Blue => numbered(4),
        Color::Magenta => numbered(5),
        Color::Cyan => numbered(6),
        Color::Gray => numbered(7),
        Color::DarkGray => numbered(8),
        Color::LightRed => numbered(9),
        Color::LightGreen => numbered(10),
        Color::LightYellow => numbered(11),
        Color::LightBlue => numbered(12),
        Color::LightMagenta => numbered(13),
        Color::LightCyan => numbered(14),
        Color::White => numbered(15),
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
        Color::Indexed(number) => indexed(number, palette),
    }
}

/// The 256 colours of xterm: sixteen numbered ones, a cube of six levels, 24 greys.
fn indexed(number: u8, palette: &Palette) -> String {
    match number {
        0..=15 => palette.numbered[usize::from(number)].to_owned(),
        16..=231 => {
            let place = number - 16;
            let level = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
            format!(
                "#{:02x}{:02x}{:02x}",
                level(place / 36),
                level(place / 6 % 6),
                level(place % 6)
            )
        }
        232..=255 => {
            let grey = 8 + 10 * (number - 232);
            format!("#{grey:02x}{grey:02x}{grey:02x}")
        }
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
