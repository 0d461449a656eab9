//! `ior flamegraph`: a recording as a picture, an interactive SVG.

use std::io::{self, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};
use inferno::flamegraph::{self, Options};
use ior_core::escape;

use crate::collapsed::Stacks;
use crate::recorded::{Count, Wanted};
use crate::session::output::{self, Pending, Temporaries};

/// What the picture says besides its stacks.
#[derive(Debug)]
pub struct Caption {
    /// Above it.
    pub title: String,
    /// The unit of its counts.
    pub unit: &'static str,
}

impl Caption {
    /// `title`, or what is to be seen.
    pub fn new(title: Option<String>, wanted: &Wanted) -> Caption {
        let (what, unit) = match wanted.count {
            Count::Calls => ("calls", "calls"),
            Count::Latency => ("time in calls", "ns"),
            Count::Gap => ("time between calls", "ns"),
            Count::Bytes => ("bytes", "bytes"),
            Count::Errors => ("failed calls", "calls"),
        };
        Caption {
            title: title.unwrap_or_else(|| format!("ior: {what}")),
            unit,
        }
    }
}

/// Draws the stacks into a file, `-` being standard output.
pub fn write(stacks: &Stacks, caption: &Caption, path: &Path) -> Result<()> {
    let svg = draw(stacks, caption)?;
    let opened = output::open(path, &Temporaries::default())?;
    let mut file = opened.file;
    let written = file.write_all(&svg).and_then(|()| match &opened.pending {
        Some(_) => file.sync_all(),
        None => Ok(()),
    });
    written.with_context(|| format!("cannot write {}", opened.name))?;
    opened.pending.map_or(Ok(()), Pending::complete)
}

/// The picture. The same stacks always give the same bytes.
fn draw(stacks: &Stacks, caption: &Caption) -> Result<Vec<u8>> {
    match stacks.total() {
        0 => bail!("no call counts: there is nothing to draw (see --count)"),
        total if total > u128::from(u64::MAX) => bail!("the counts are too large to draw"),
        _ => {}
    }
    let mut text = Vec::new();
    stacks.write(&mut text)?;
    let text = String::from_utf8(text).context("stacks are text")?;
    let mut options = Options::default();
    options.title = escape::terminal(caption.title.as_bytes()).into_owned();
    options.count_name = caption.unit.to_owned();
    options.name_type = "Frame:".to_owned();
    options.deterministic = true;
    // Takes the lines last to first, as they are. Otherwise they are sorted as text, where `/doc-base` comes between `/doc`
    // and `/doc;/x`, and the directory is drawn twice.
    options.flame_chart = true;
    let mut svg = Vec::new();
    flamegraph::from_lines(&mut options, text.lines().rev(), &mut svg)
        .map_err(io::Error::other)
        .context("cannot draw")?;
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorded::{Calls, Field};

    fn drawn(files: &[&[u8]], counts: &[u64]) -> Result<String> {
        let wanted = Wanted {
            fields: vec![Field::Comm, Field::Path, Field::Syscall],
            count: Count::Latency,
        };
        let mut stacks = Stacks::new(&wanted);
        for (file, count) in files.iter().zip(counts) {
            stacks.add(&Calls {
                comm: b"sh <x>&",
                syscall: b"read",
                file,
                count: *count,
                ..Calls::default()
            });
        }
        let title = Some("a <b> \u{1b}[m".to_owned());
        let svg = draw(&stacks, &Caption::new(title, &wanted))?;
        Ok(String::from_utf8(svg)?)
    }

    #[test]
    fn names_are_text_and_pictures_the_same_every_time() {
        let files: [&[u8]; 5] = [b"/a<script>", b"/a/\"&'", b"/a;b", b"/a-b", b"/\xff\x01\n"];
        let svg = drawn(&files, &[10, 20, 30, 40, 50]).unwrap();
        assert_eq!(svg, drawn(&files, &[10, 20, 30, 40, 50]).unwrap());
        for text in [
            "<title>all (150 ns, 100%)</title>",
            "<title>sh &lt;x&gt;&amp; (150 ns, 100.00%)</title>",
            "/a&lt;script&gt; (10 ns, 6.67%)",
            r"/a\x3bb (30 ns, 20.00%)",
            r"/\xff\x01\n (50 ns, 33.33%)",
            r"a &lt;b&gt; \x1b[m",
        ] {
            assert!(svg.contains(text), "{text}");
        }
    }

    #[test]
    fn a_directory_is_drawn_once() {
        let svg = drawn(&[b"/doc", b"/doc-base", b"/doc/x"], &[1, 1, 1]).unwrap();
        assert_eq!(svg.matches("<title>/doc (2 ns").count(), 1, "{svg}");
    }

    #[test]
    fn nothing_and_too_much_cannot_be_drawn() {
        let message = |counts: &[u64]| drawn(&[b"/a", b"/b"], counts).unwrap_err().to_string();
        assert_eq!(
            message(&[0, 0]),
            "no call counts: there is nothing to draw (see --count)"
        );
        assert_eq!(message(&[u64::MAX, 1]), "the counts are too large to draw");
        assert!(drawn(&[b"/a"], &[u64::MAX]).is_ok());
    }
}
