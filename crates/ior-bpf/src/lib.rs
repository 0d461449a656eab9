//! The kernel side of `ior`: loads the BPF programs, drains their rings and turns records into rows.
//!
//! All unsafe code of the project is here (and in the e2e workload).

pub mod child;
pub mod doctor;
mod error;
mod options;
mod tracer;

pub use error::Error;
pub use options::{Hook, Options, Pairing, Scope};
pub use tracer::{InFlight, Tracer, Variant};
