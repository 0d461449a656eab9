//! A filter or a search being typed.
//!
//! ```text
//! ┌ Filter ──────────────────────────────────────────┐
//! │ comm=bash latency>=1ms▏                          │
//! │ `latency>=1xs`: `1xs` is no duration: write a …  │
//! └──────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{below, frame, textbox};
use crate::action::Step;
use crate::app::{Prompt, Purpose};
use crate::text;
use crate::theme::Theme;

/// Draws the box; below the text stands what is wrong with it, or what can be written.
pub fn draw(buffer: &mut Buffer, area: Rect, prompt: &Prompt, theme: &Theme) {
    let (title, help) = match prompt.purpose {
        Purpose::Filter => (
            "Filter",
            "comm~bash  syscall=openat  file~^/etc/  pid=1  latency>=100us  bytes>4k  ret=-2  errors  !file~/proc",
        ),
        Purpose::Search(Step::Forward) => ("Search", "a regular expression; empty: no search"),
        Purpose::Search(Step::Back) => ("Search back", "a regular expression; empty: no search"),
    };
    let inner = frame(buffer, area, title, (110, 4), theme);
    textbox::draw(buffer, inner, "", &prompt.text, theme);
    let below = below(inner, 1);
    match &prompt.error {
        Some(error) => text::line(buffer, below, &text::harmless(error.as_bytes()), theme.bad),
        None => text::line(buffer, below, help, theme.dim),
    };
}
