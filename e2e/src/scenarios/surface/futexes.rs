//! Futexes and the memory of another process.

use super::Scenario;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[];
