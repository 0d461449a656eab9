//! What the screens need of the machine besides snapshots.

use ior_core::batch::Tail;

/// The machine, as far as the screens ask for it.
pub trait World {
    /// The processes that can be traced, ior itself left out, the smallest pid first.
    fn processes(&mut self) -> Vec<Process>;

    /// The threads of a process, the smallest tid first; empty if it is gone.
    fn threads(&mut self, pid: u32) -> Vec<Thread>;

    /// Writes rows as CSV, every column, into a new file and returns its name; or one line why not.
    fn export(&mut self, rows: &Tail) -> Result<String, String>;

    /// What to start to look at a file (`$VISUAL`, `$EDITOR`, else `vi`), the program first.
    fn editor(&self) -> Vec<String>;
}

/// A process.
#[derive(Debug, Clone, PartialEq)]
pub struct Process {
    /// Process id.
    pub pid: u32,
    /// Its name (comm), as the kernel has it.
    pub name: Vec<u8>,
    /// Its user's name, or the number where it has none.
    pub user: String,
    /// Share of one CPU since it was last asked, 1.0 being one whole CPU; `None` is unknown.
    pub cpu: Option<f64>,
    /// Its command line, arguments separated by one space; empty for a kernel thread.
    pub command: Vec<u8>,
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Thread id.
    pub tid: u32,
    /// Its name (comm).
    pub name: Vec<u8>,
}
