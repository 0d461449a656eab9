//! The whole surface: every call that is not in every program. One module a family of calls, each with its list.

mod address_space;
mod attributes;
mod caches;
mod compat;
mod creation;
mod event_files;
mod futexes;
mod handles;
mod interruptions;
mod machine;
mod mounts;
mod network;
mod notify;
mod polling;
mod queues;
mod scheduling;
mod security;
mod signals;
mod tasks;
mod time;
mod tracing;
mod values;
mod xattrs;

pub use event_files::after_exec;

use super::{Scenario, of_all, plain};

/// The scenarios, by module.
pub const LISTS: &[&[Scenario]] = &[
    xattrs::SCENARIOS,
    attributes::SCENARIOS,
    handles::SCENARIOS,
    notify::SCENARIOS,
    mounts::SCENARIOS,
    caches::SCENARIOS,
    network::SCENARIOS,
    event_files::SCENARIOS,
    polling::SCENARIOS,
    queues::SCENARIOS,
    futexes::SCENARIOS,
    address_space::SCENARIOS,
    tasks::SCENARIOS,
    creation::SCENARIOS,
    scheduling::SCENARIOS,
    security::SCENARIOS,
    tracing::SCENARIOS,
    signals::SCENARIOS,
    interruptions::SCENARIOS,
    time::SCENARIOS,
    machine::SCENARIOS,
    compat::SCENARIOS,
    values::SCENARIOS,
];
