//! What the suite said: lines that begin with `@@` (guest/init.sh), taken apart.

use std::collections::BTreeMap;

/// What became of one boot.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What was found there, by name.
    pub facts: BTreeMap<String, String>,
    /// Each check, in order, and why it failed.
    pub checks: Vec<(String, Result<(), String>)>,
    /// Files that were brought out, as base64.
    pub files: BTreeMap<String, String>,
    /// The suite came to its end.
    pub ended: bool,
    /// The file whose lines are coming.
    file: Option<String>,
}

impl Outcome {
    /// Takes the next line of the console.
    pub fn take(&mut self, line: &str) {
        // The kernel may have written something before it on the same line.
        let Some((_, said)) = line.split_once("@@ ") else {
            if let Some(name) = &self.file {
                let text = self.files.entry(name.clone()).or_default();
                text.push_str(line.trim());
                text.push('\n');
            }
            return;
        };
        let mut words = said.trim().splitn(3, ' ');
        match (words.next(), words.next(), words.next()) {
            (Some("fact"), Some(name), value) => {
                let value = value.unwrap_or_default().to_owned();
                self.facts.insert(name.to_owned(), value);
            }
            (Some("check"), Some(name), Some("ok")) => self.checks.push((name.to_owned(), Ok(()))),
            (Some("check"), Some(name), why) => {
                let why = why.unwrap_or_default().to_owned();
                self.checks.push((name.to_owned(), Err(why)));
            }
            (Some("file"), Some("end"), None) => self.file = None,
            (Some("file"), Some(name), None) => self.file = Some(name.to_owned()),
            (Some("end"), None, None) => self.ended = true,
            _ => self
                .checks
                .push(("a line of the suite".to_owned(), Err(line.to_owned()))),
        }
    }

    /// It was the kernel that was meant.
    pub fn expect_kernel(&mut self, version: &str) {
        let found = self.facts.get("kernel").cloned().unwrap_or_default();
        let verdict = match found.strip_prefix(version) {
            Some(rest) if rest.starts_with(['.', '-', '+']) => Ok(()),
            _ => Err(format!("found `{found}`")),
        };
        self.checks
            .insert(0, ("is_that_kernel".to_owned(), verdict));
    }

    /// Every reason not to be content.
    pub fn failures(&self) -> impl Iterator<Item = String> + '_ {
        let failed = self.checks.iter().filter_map(|(name, verdict)| {
            verdict.as_ref().err().map(|why| format!("{name}: {why}"))
        });
        let cut = (!self.ended).then(|| "the suite did not come to its end".to_owned());
        failed.chain(cut)
    }

    /// A check's verdict, if it was run.
    pub fn verdict(&self, name: &str) -> Option<&Result<(), String>> {
        self.checks
            .iter()
            .find(|(there, _)| there == name)
            .map(|(_, verdict)| verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let mut outcome = Outcome::default();
        let lines = "noise\n@@ fact pairing task storage\n[ 1.0] x @@ check a ok\n@@ check b FAILED why not\n\
                     @@ file f\nAAAA\r\nBBBB\n@@ file end\nmore noise\n@@ end";
        lines.lines().for_each(|line| outcome.take(line));
        assert_eq!(outcome.facts["pairing"], "task storage");
        assert_eq!(outcome.verdict("a"), Some(&Ok(())));
        assert_eq!(outcome.files["f"], "AAAA\nBBBB\n");
        assert_eq!(
            outcome.failures().collect::<Vec<_>>(),
            ["b: FAILED why not"]
        );
    }

    #[test]
    fn another_kernel_is_found_out() {
        for (found, is_it) in [
            ("7.2.13+deb14-amd64", true),
            ("7.20.1", false),
            ("6.12.1", false),
        ] {
            let mut outcome = Outcome::default();
            outcome.take(&format!("@@ fact kernel {found}"));
            outcome.expect_kernel("7.2");
            assert_eq!(
                outcome.verdict("is_that_kernel").unwrap().is_ok(),
                is_it,
                "{found}"
            );
        }
    }

    #[test]
    fn a_suite_that_is_cut_off_has_failed() {
        let mut outcome = Outcome::default();
        outcome.take("@@ check a ok");
        assert_eq!(outcome.failures().count(), 1);
    }
}
