//! Packages of other Debian releases, from the archive that this machine's own apt uses. Nothing of them is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;

const KEYRING: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

/// The archive of Debian that apt is set up for.
pub struct Archive {
    /// Its address.
    pub uri: String,
    /// The release of this machine.
    pub codename: String,
}

impl Archive {
    /// Asks apt.
    pub fn of_this_machine() -> Result<Archive> {
        let sources = process::output(Command::new("apt-get").args([
            "indextargets",
            "--format",
            "$(ORIGIN)|$(LABEL)|$(REPO_URI)|$(CODENAME)",
            "Created-By: Packages",
        ]))?;
        match archive_in(&sources) {
            Some(archive) => Ok(archive),
            None => bail!("apt has no archive of Debian's among its sources (apt-get update?)"),
        }
    }

    /// A release of it, looked at through an apt of its own below `directory`.
    pub fn release(&self, codename: &str, directory: &Path) -> Result<Release> {
        let release = Release {
            directory: directory.join(codename),
        };
        for sub in ["lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(release.directory.join(sub))?;
        }
        let line = format!("deb [signed-by={KEYRING}] {} {codename} main\n", self.uri);
        fs::write(release.directory.join("sources.list"), line)?;
        process::output(release.apt("apt-get").arg("update"))
            .with_context(|| format!("Debian {codename}"))?;
        Ok(release)
    }
}

/// The first of apt's sources that is Debian's own.
fn archive_in(sources: &str) -> Option<Archive> {
    sources.lines().find_map(|line| {
        let mut fields = line.strip_prefix("Debian|Debian|")?.split('|');
        Some(Archive {
            uri: fields.next()?.to_owned(),
            codename: fields.next()?.to_owned(),
        })
    })
}

/// A release of Debian.
pub struct Release {
    directory: PathBuf,
}

impl Release {
    fn apt(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        let at = |name: &str| self.directory.join(name).display().to_string();
        let options = [
            format!("Dir::Etc::SourceList={}", at("sources.list")),
            "Dir::Etc::SourceParts=/dev/null".to_owned(),
            format!("Dir::State::Lists={}", at("lists")),
            "Dir::State::Status=/dev/null".to_owned(),
            format!("Dir::Cache={}", at("cache")),
            "APT::Architecture=amd64".to_owned(),
            "APT::Sandbox::User=root".to_owned(),
            "Acquire::Languages=none".to_owned(),
        ];
        for option in options {
            command.arg("--option").arg(option);
        }
        command.current_dir(&self.directory);
        command
    }

    /// The packages whose name begins and ends so, in order of version.
    pub fn packages(&self, begin: &str, end: &str) -> Result<Vec<String>> {
        let all = process::output(self.apt("apt-cache").args(["pkgnames", begin]))?;
        let mut names: Vec<String> = all
            .lines()
            .filter(|name| name.ends_with(end))
            .map(str::to_owned)
            .collect();
        names.sort_by_key(|name| numbers(name));
        Ok(names)
    }

    /// Downloads a package; apt checks its signature. The file.
    pub fn download(&self, package: &str) -> Result<PathBuf> {
        process::output(self.apt("apt-get").args(["download", package]))?;
        let begin = format!("{package}_");
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&begin) && name.ends_with(".deb") {
                return Ok(entry.path());
            }
        }
        bail!("{package} was not downloaded")
    }
}

/// Unpacks a package below `directory`.
pub fn unpack(package: &Path, directory: &Path) -> Result<()> {
    process::output(
        Command::new("dpkg-deb")
            .arg("--extract")
            .arg(package)
            .arg(directory),
    )
    .map(drop)
}

/// The numbers in a name, so that 6.1.9 comes before 6.1.10.
fn numbers(name: &str) -> Vec<u64> {
    name.split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_itself_is_found_among_the_sources() {
        let sources = "Other|Other|http://other/|bookworm\n\
                       Debian|Debian-Security|http://archive/security/|bookworm-security\n\
                       Debian|Debian|http://archive/debian/|bookworm\n";
        let archive = archive_in(sources).unwrap();
        assert_eq!(archive.uri, "http://archive/debian/");
        assert_eq!(archive.codename, "bookworm");
        assert!(archive_in("Other|Other|http://other/|stable").is_none());
    }

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        assert!(numbers("linux-image-6.1.0-9-amd64") < numbers("linux-image-6.1.0-10-amd64"));
        assert!(numbers("linux-image-6.12.117+deb13") > numbers("linux-image-6.12.95+deb13"));
    }
}
