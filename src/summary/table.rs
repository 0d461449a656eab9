//! A text table: right-aligned figures and one column of names, which is cut in the middle when the line is too long.

use std::borrow::Cow;
use std::io::{self, Write};

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// A name: left-aligned and cut if need be.
    Name,
    /// A figure: right-aligned and never cut.
    Figure,
}

/// A table being filled.
#[derive(Debug)]
pub struct Table {
    columns: Vec<(&'static str, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table of these columns, of which one is a name.
    pub fn new(columns: &[(&'static str, Align)]) -> Table {
        Table {
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row with a cell for each column.
    pub fn push(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.columns.len());
        self.rows.push(cells);
    }

    /// Writes it in lines of at most `width` characters, as far as the figures leave room.
    pub fn write(&self, width: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut widths: Vec<usize> = (0..self.columns.len())
            .map(|column| self.natural_width(column))
            .collect();
        let gaps = self.columns.len().saturating_sub(1);
        let gap = if widths.iter().sum::<usize>() + 2 * gaps <= width {
            2
        } else {
            1
        };
        let total = widths.iter().sum::<usize>() + gap * gaps;
        for (column, (title, align)) in self.columns.iter().enumerate() {
            if *align == Align::Name {
                widths[column] = widths[column]
                    .saturating_sub(total.saturating_sub(width))
                    .max(title.len());
            }
        }
        self.write_line(
            self.columns.iter().map(|(title, _)| *title),
            &widths,
            gap,
            out,
        )?;
        for row in &self.rows {
            self.write_line(row.iter().map(String::as_str), &widths, gap, out)?;
        }
        Ok(())
    }

    fn natural_width(&self, column: usize) -> usize {
        let cells = self
            .rows
            .iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count());
        cells.max().unwrap_or(0).max(self.columns[column].0.len())
    }

    fn write_line<'a>(
        &self,
        cells: impl Iterator<Item = &'a str>,
        widths: &[usize],
        gap: usize,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut line = String::new();
        for (column, cell) in cells.enumerate() {
            if column > 0 {
                line.extend(std::iter::repeat_n(' ', gap));
            }
            let width = widths[column];
            match self.columns[column].1 {
                Align::Name => line.push_str(&format!("{:<width$}", cut(cell, width))),
                Align::Figure => line.push_str(&format!("{cell:>width$}")),
            }
        }
        writeln!(out, "{}", line.trim_end())
    }
}

/// At most `width` characters of `text`: the middle makes room, and more is left of the end, where paths differ.
pub fn cut(text: &str, width: usize) -> Cow<'_, str> {
    let length = text.chars().count();
    if length <= width {
        return Cow::Borrowed(text);
    }
    let Some(kept) = width.checked_sub(1) else {
        return Cow::Borrowed("");
    };
    let head = kept / 3;
    let tail = kept - head;
    let start = text.chars().take(head);
    let end = text.chars().skip(length - tail);
    Cow::Owned(start.chain(['…']).chain(end).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cut_in_the_middle() {
        assert_eq!(cut("/usr/lib/libc.so.6", 18), "/usr/lib/libc.so.6");
        assert_eq!(cut("/usr/lib/libc.so.6", 13), "/usr…ibc.so.6");
        assert_eq!(cut("äöüß", 3), "…üß");
        assert_eq!(cut("abc", 1), "…");
        assert_eq!(cut("abc", 0), "");
    }

    #[test]
    fn a_table_fits_its_width() {
        let mut table = Table::new(&[("Calls", Align::Figure), ("Path", Align::Name)]);
        table.push(vec!["12".into(), "/a/rather/long/path/to/a/file".into()]);
        table.push(vec!["1234567".into(), "/b".into()]);
        let text = |width| {
            let mut out = Vec::new();
            table.write(width, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        insta::assert_snapshot!(text(80), @r"
          Calls  Path
             12  /a/rather/long/path/to/a/file
        1234567  /b
        ");
        insta::assert_snapshot!(text(25), @r"
          Calls Path
             12 /a/ra…h/to/a/file
        1234567 /b
        ");
        insta::assert_snapshot!(text(1), @r"
          Calls Path
             12 /…le
        1234567 /b
        ");
    }
}
