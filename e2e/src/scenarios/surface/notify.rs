//! inotify and fanotify, with the watched path.

use super::Scenario;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[];
