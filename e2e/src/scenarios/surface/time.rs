//! Clocks, sleeps and timers.

use super::Scenario;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[];
