//! What this kernel and this user can do: one probe a feature, none of which changes anything.

/// The outcome of one probe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// There.
    Ok,
    /// Missing, and ior works without it; the remark says what is lost.
    Degraded,
    /// Missing, and ior cannot work.
    Missing,
}

/// One line of `ior doctor`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// What was looked at (`BTF`, `task storage`, …).
    pub name: &'static str,
    /// How it came out.
    pub verdict: Verdict,
    /// What was found, in a few words.
    pub found: String,
    /// What is lost and how to mend it; empty when nothing is.
    pub remedy: String,
}

/// Probes this kernel and this user.
pub fn examine() -> Vec<Check> {
    Vec::new()
}
