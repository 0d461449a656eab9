//! Making, identifying, limiting and waiting for processes.

use super::Scenario;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[];
