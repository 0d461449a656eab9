//! COMMAND: started as the invoking user, held before its first instruction until the trace is attached.

use std::ffi::OsString;
use std::process::ExitStatus;

use crate::Error;

/// A started COMMAND.
pub struct Child {}

impl Child {
    /// Starts a process that waits before `exec`. `argv` is not empty; the program is looked up in `PATH` as `execvp` does.
    /// Under sudo (`SUDO_UID`) the command runs as the invoking user.
    pub fn hold(_argv: &[OsString]) -> Result<Child, Error> {
        unimplemented!()
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        unimplemented!()
    }

    /// Lets it exec. An error is the exec's own.
    pub fn release(&mut self) -> Result<(), Error> {
        unimplemented!()
    }

    /// Its status, if it has ended.
    pub fn try_wait(&mut self) -> Result<Option<ExitStatus>, Error> {
        unimplemented!()
    }

    /// Sends it a signal.
    pub fn signal(&self, _signal: i32) {}
}
// Dropping a Child that was never released kills it; nothing is left behind.
