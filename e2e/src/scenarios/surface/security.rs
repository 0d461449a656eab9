//! Credentials, keys, capabilities, sandboxes, tracing.

use super::Scenario;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[];
