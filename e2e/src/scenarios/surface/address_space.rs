//! The address space: maps, protection, locking, advice, NUMA.

use super::Scenario;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[];
