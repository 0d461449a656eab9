//! The mount calls, old and new, in a mount namespace of the child's own; quotas.

use super::Scenario;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[];
