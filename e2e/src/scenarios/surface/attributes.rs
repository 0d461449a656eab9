//! Times, modes and file attributes by the less common calls; special files; the root directory.

use super::Scenario;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[];
