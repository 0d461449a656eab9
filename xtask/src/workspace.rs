//! Where the workspace and its build products are.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The workspace's root directory.
pub fn root() -> Result<PathBuf> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = manifest.parent().context("xtask has no parent directory")?;
    Ok(root.to_owned())
}

/// The absolute path of cargo's target directory (`CARGO_TARGET_DIR`, or `target` in the workspace).
pub fn target_dir() -> Result<PathBuf> {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => {
            std::path::absolute(&dir).with_context(|| format!("CARGO_TARGET_DIR={}", dir.display()))
        }
        None => Ok(root()?.join("target")),
    }
}

/// Where a release binary of the workspace is built.
pub fn release_binary(name: &str) -> Result<PathBuf> {
    Ok(target_dir()?.join("release").join(name))
}
