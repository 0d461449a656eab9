//! `ior doctor`: what this kernel and this user can do, one line a probe.

use std::io::{self, Write};

use ior_bpf::doctor::{Check, Verdict};
use serde_json::json;

use crate::cli::Form;

/// Prints the checks; false if something is missing that ior cannot do without.
pub fn print(checks: &[Check], form: Form, out: &mut dyn Write) -> io::Result<bool> {
    let width = checks
        .iter()
        .map(|check| check.name.chars().count())
        .max()
        .unwrap_or(0);
    for check in checks {
        match form {
            Form::Text => print_line(check, width, out)?,
            Form::Json => {
                let verdict = word(check.verdict).to_ascii_lowercase();
                let Check {
                    name,
                    found,
                    remedy,
                    ..
                } = check;
                writeln!(
                    out,
                    "{}",
                    json!({"name": name, "verdict": verdict, "found": found, "remedy": remedy})
                )?;
            }
        }
    }
    Ok(checks.iter().all(|check| check.verdict != Verdict::Missing))
}

fn print_line(check: &Check, width: usize, out: &mut dyn Write) -> io::Result<()> {
    let line = format!(
        "{:<8}  {:<width$}  {}",
        word(check.verdict),
        check.name,
        check.found
    );
    writeln!(out, "{}", line.trim_end())?;
    if !check.remedy.is_empty() {
        writeln!(out, "{:8}  {:width$}  → {}", "", "", check.remedy)?;
    }
    Ok(())
}

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Ok => "ok",
        Verdict::Degraded => "degraded",
        Verdict::Missing => "MISSING",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checks() -> Vec<Check> {
        let check = |name, verdict, found: &str, remedy: &str| Check {
            name,
            verdict,
            found: found.into(),
            remedy: remedy.into(),
        };
        vec![
            check("privilege", Verdict::Ok, "root", ""),
            check(
                "task storage",
                Verdict::Degraded,
                "",
                "pairing by hash map costs more: kernel 5.11",
            ),
            check(
                "BTF",
                Verdict::Missing,
                "no /sys/kernel/btf/vmlinux",
                "CONFIG_DEBUG_INFO_BTF=y",
            ),
        ]
    }

    fn text(form: Form) -> (bool, String) {
        let mut out = Vec::new();
        let usable = print(&checks(), form, &mut out).unwrap();
        (usable, String::from_utf8(out).unwrap())
    }

    #[test]
    fn checks_are_aligned_and_remedies_below() {
        let (usable, text) = text(Form::Text);
        assert!(!usable);
        insta::assert_snapshot!(text, @r"
        ok        privilege     root
        degraded  task storage
                                → pairing by hash map costs more: kernel 5.11
        MISSING   BTF           no /sys/kernel/btf/vmlinux
                                → CONFIG_DEBUG_INFO_BTF=y
        ");
    }

    #[test]
    fn json_is_an_object_a_line() {
        let (_, text) = text(Form::Json);
        assert_eq!(text.lines().count(), 3);
        assert!(
            text.starts_with(r#"{"found":"root","name":"privilege","remedy":"","verdict":"ok"}"#),
            "{text}"
        );
    }
}
