//! A directory of its own for each test, removed when the test is over (kept if `IOR_E2E_KEEP` is set).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A unique empty directory.
pub struct Scratch(PathBuf);

static NUMBER: AtomicU32 = AtomicU32::new(0);

impl Scratch {
    /// Makes one, its path free of symbolic links.
    ///
    /// # Errors
    /// The directory cannot be made.
    pub fn new() -> super::Result<Scratch> {
        let base =
            std::fs::canonicalize(std::env::temp_dir()).map_err(|error| error.to_string())?;
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = base.join(format!("ior-e2e-{}-{number}", std::process::id()));
        std::fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Scratch(path))
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// A new directory inside.
    ///
    /// # Errors
    /// The directory cannot be made.
    pub fn dir(&self, name: &str) -> super::Result<PathBuf> {
        let path = self.0.join(name);
        std::fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if std::env::var_os("IOR_E2E_KEEP").is_none()
            && let Err(error) = std::fs::remove_dir_all(&self.0)
        {
            eprintln!("could not remove {}: {error}", self.0.display());
        }
    }
}
