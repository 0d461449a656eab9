//! Records the workload with the real `ior` binary and compares what was recorded with what was stated.

pub mod compare;
pub mod invariants;
pub mod process;
pub mod recorder;
pub mod requirements;
pub mod rows;
pub mod scratch;
pub mod statistics;
pub mod terminal;

/// A failed check, said in full.
pub type Result<T> = std::result::Result<T, String>;

/// A failed check, unless the condition holds.
///
/// # Errors
/// The message, if the condition does not hold.
pub fn check(condition: bool, message: impl FnOnce() -> String) -> Result<()> {
    if condition { Ok(()) } else { Err(message()) }
}
