//! The machine: names, modules, rebooting, randomness.

use super::Scenario;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[];
