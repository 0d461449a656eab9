//! What stands on the screen, and the bytes that make it what is to stand there next: no more of them than what differs.

use std::io::{self, Write};

use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, EndSynchronizedUpdate};
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

/// A screen that is written to.
pub struct Picture<W: Write> {
    backend: CrosstermBackend<W>,
    /// What stands on the screen.
    shown: Buffer,
    /// What is drawn next, kept for its memory.
    next: Buffer,
}

impl<W: Write> Picture<W> {
    /// Nothing is known of what stands there.
    pub fn new(out: W) -> Picture<W> {
        Picture {
            backend: CrosstermBackend::new(out),
            shown: Buffer::empty(Rect::ZERO),
            next: Buffer::empty(Rect::ZERO),
        }
    }

    /// Somebody else has written all over the screen.
    pub fn forget(&mut self) {
        self.shown = Buffer::empty(Rect::ZERO);
    }

    /// Shows what `draw` draws on a screen of that size.
    pub fn draw(&mut self, area: Rect, draw: &mut dyn FnMut(&mut Buffer)) -> io::Result<()> {
        self.next.resize(area);
        self.next.reset();
        draw(&mut self.next);
        let has_other_size = self.shown.area != area;
        queue!(self.backend, BeginSynchronizedUpdate)?;
        if has_other_size {
            self.shown = Buffer::empty(area);
            self.backend.clear()?;
        }
        self.backend.draw(self.shown.diff(&self.next).into_iter())?;
        queue!(self.backend, EndSynchronizedUpdate)?;
        Write::flush(&mut self.backend)?;
        std::mem::swap(&mut self.shown, &mut self.next);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
