//! The dashboard of the running machine: one thread traces, one keeps the statistics, the main thread draws.
//!
//! The screens are in [`crate::tui`], which knows nothing of tracing; here they get their snapshots from a live trace.

mod collector;
mod cost;
mod desk;
mod export;
mod recorder;
mod world;
