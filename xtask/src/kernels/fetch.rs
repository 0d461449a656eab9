//! The kernels that are tried, from Debian's packages; each is downloaded once.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::debian::{self, Archive};

/// A kernel, and how it is booted.
pub struct Kernel {
    /// What it is called here.
    pub name: &'static str,
    /// The release of Debian that has it.
    release: &'static str,
    /// How the names of its packages begin, the best one first, and how they end.
    packages: (&'static [&'static str], &'static str),
    /// More of its command line.
    pub options: &'static str,
}

const fn kernel(
    name: &'static str,
    release: &'static str,
    packages: (&'static [&'static str], &'static str),
) -> Kernel {
    Kernel {
        name,
        release,
        packages,
        options: "",
    }
}

impl Kernel {
    /// How the release begins that `uname -r` must say there.
    pub fn version(&self) -> &str {
        self.name.split('-').next().unwrap_or(self.name)
    }
}

/// All of them, in order of age, and one again with the kernel locked down.
pub const KERNELS: [Kernel; 7] = [
    kernel("5.10", "bullseye", (&["linux-image-5.10."], "-amd64")),
    kernel("6.1", "bookworm", (&["linux-image-6.1."], "-amd64")),
    kernel("6.12", "trixie", (&["linux-image-6.12."], "-amd64")),
    kernel("6.12-rt", "trixie", (&["linux-image-6.12."], "-rt-amd64")),
    kernel(
        "7.2",
        "sid",
        (&["linux-binary-7.2.", "linux-image-7.2."], "-amd64"),
    ),
    Kernel {
        options: "lockdown=integrity",
        ..kernel(
            "6.12-integrity",
            "trixie",
            (&["linux-image-6.12."], "-amd64"),
        )
    },
    Kernel {
        options: "lockdown=confidentiality",
        ..kernel(
            "6.12-confidentiality",
            "trixie",
            (&["linux-image-6.12."], "-amd64"),
        )
    },
];

/// Ends of names of other packages that also end with what is wanted.
const OTHERS: [&str; 3] = ["-rt-amd64", "-cloud-amd64", "-unsigned-amd64"];

/// The kernel's file, downloaded if it is not there yet.
pub fn image(kernel: &Kernel, directory: &Path) -> Result<PathBuf> {
    let (begins, end) = kernel.packages;
    let image = directory.join(format!("{}{end}.vmlinuz", begins[0]));
    if image.exists() {
        return Ok(image);
    }
    let release = Archive::of_this_machine()?.release(kernel.release, directory)?;
    let mut name = None;
    for begin in begins {
        let names = release.packages(begin, end)?;
        let is_other = |name: &String| OTHERS.iter().any(|o| *o != end && name.ends_with(o));
        name = name.or(names.into_iter().rfind(|name| !is_other(name)));
    }
    let name = name.with_context(|| {
        format!(
            "Debian {} has no {}…{end}",
            kernel.release,
            begins.join("…, ")
        )
    })?;
    eprintln!("+ download {name}");
    let package = release.download(&name)?;
    let unpacked = directory.join("unpacked");
    if unpacked.exists() {
        fs::remove_dir_all(&unpacked)?; // of a run that was cut off
    }
    debian::unpack(&package, &unpacked)?;
    let file = vmlinuz(&unpacked)?.with_context(|| format!("{name} has no vmlinuz"))?;
    fs::copy(file, &image)?;
    fs::remove_dir_all(&unpacked)?;
    fs::remove_file(&package)?;
    Ok(image)
}

/// The kernel in an unpacked package: `/boot/vmlinuz-VERSION`, in newer ones `/usr/lib/modules/VERSION/vmlinuz`.
fn vmlinuz(unpacked: &Path) -> Result<Option<PathBuf>> {
    let mut directories = vec![unpacked.join("boot")];
    if let Ok(versions) = fs::read_dir(unpacked.join("usr/lib/modules")) {
        for version in versions {
            directories.push(version?.path());
        }
    }
    for directory in directories.iter().filter(|directory| directory.is_dir()) {
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with("vmlinuz") {
                return Ok(Some(entry.path()));
            }
        }
    }
    Ok(None)
}
