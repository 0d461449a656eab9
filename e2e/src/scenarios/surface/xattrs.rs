//! Extended attributes, by path, link, descriptor and directory.

use super::Scenario;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[];
