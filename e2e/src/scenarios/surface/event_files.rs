//! Descriptors for events: timerfd, signalfd, userfaultfd, pidfd, perf.

use super::Scenario;

/// The scenarios of this module.
pub const SCENARIOS: &[Scenario] = &[];
