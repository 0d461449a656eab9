//! POSIX and System V queues, shared memory and semaphores.

use super::Scenario;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[];
