//! poll, select and epoll with infinite, finite, bad and invalid timeouts.

use super::Scenario;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[];
