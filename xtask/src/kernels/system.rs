//! The small system that is booted: busybox, the static ior, the static test programs, and the suite as its first process.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::dist;
use crate::{process, workspace};

/// Programs in C, and where their sources are.
const PROGRAMS: [(&str, &str); 3] = [
    ("loop", "xtask/loop.c"),
    ("map_load", "xtask/guest/map_load.c"),
    ("spin", "xtask/guest/spin.c"),
];

/// What is booted.
pub struct System {
    /// The archive the kernel unpacks into memory.
    pub initramfs: PathBuf,
    /// The binary in it.
    pub ior: PathBuf,
}

/// Builds everything and packs it.
pub fn make(directory: &Path) -> Result<System> {
    let (root, target) = (workspace::root()?, workspace::target_dir()?);
    let ior = dist::static_binary(&root, &target)?;
    let tests = dist::static_tests(&root, &target)?;
    let tree = directory.join("system");
    if tree.exists() {
        fs::remove_dir_all(&tree).with_context(|| tree.display().to_string())?;
    }
    let bin = tree.join("bin");
    fs::create_dir_all(&bin)?;
    let busybox = process::find("busybox").context("no busybox")?;
    for (from, name) in [
        (&busybox, "busybox"),
        (&ior, "ior"),
        (&tests.workload, "workload"),
        (&tests.live, "live"),
    ] {
        fs::copy(from, bin.join(name)).with_context(|| from.display().to_string())?;
    }
    for (name, source) in PROGRAMS {
        process::run(
            Command::new("gcc")
                .args(["-O2", "-Wall", "-static", "-s", "-o"])
                .arg(bin.join(name))
                .arg(root.join(source)),
        )?;
    }
    let init = tree.join("init");
    fs::copy(root.join("xtask/guest/init.sh"), &init).context("init.sh")?;
    fs::set_permissions(&init, fs::Permissions::from_mode(0o755))?;
    let initramfs = directory.join("initramfs.cpio");
    pack(&tree, &initramfs)?;
    Ok(System { initramfs, ior })
}

fn pack(tree: &Path, to: &Path) -> Result<()> {
    let archive = fs::File::create(to).with_context(|| to.display().to_string())?;
    let mut cpio = Command::new("sh")
        .args([
            "-c",
            "find . | cpio --quiet --create --format=newc --owner=0:0",
        ])
        .current_dir(tree)
        .stdin(Stdio::null())
        .stdout(archive)
        .spawn()
        .context("cannot run sh")?;
    match cpio.wait()?.success() {
        true => Ok(()),
        false => bail!("cpio could not pack {}", tree.display()),
    }
}
