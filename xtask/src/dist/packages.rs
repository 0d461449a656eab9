//! Puts the binary, its pages and its licences together: tar.gz, .deb, .rpm and their checksums.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{Packages, build, licences};
use crate::{process, workspace};

/// The programs that make packages: the crate, which is also the program, and its version.
const TOOLS: [(&str, &str); 2] = [("cargo-deb", "3.8.0"), ("cargo-generate-rpm", "0.21.1")];

/// Where there is neither SOURCE_DATE_EPOCH nor git: the first second that every archive format can hold.
const NO_DATE: &str = "315532800";

/// Texts of the packages: the file in the sources, and its name there.
const TEXTS: [(&str, &str); 5] = [
    ("LICENSE-MIT", "LICENSE-MIT"),
    ("LICENSE-APACHE", "LICENSE-APACHE"),
    ("crates/ior-bpf/bpf/LICENSE", "LICENSE-BPF"),
    ("README.md", "README.md"),
    ("docs/recording.md", "recording.md"),
];

/// Builds the workspace at `root` and packages it in `target/packages`; files get that date, seconds since 1970.
pub fn make(root: &Path, target: &Path, date: &str) -> Result<Packages> {
    let tools = tools()?;
    let binary = build::static_binary(root, target)?;
    let pages = build::output(target).join("package");
    stage(root, &binary, &pages)?;
    let directory = target.join("packages");
    emptied(&directory)?;
    let maker = Maker {
        root,
        target,
        directory: &directory,
        date,
    };
    maker.deb(&tools)?;
    maker.rpm(&tools)?;
    maker.tar_gz(&pages)?;
    let names = sums(&directory)?;
    Ok(Packages {
        directory,
        names,
        binary,
    })
}

/// The binary, the man pages, the completions, the licences of what is linked, and our own texts.
fn stage(root: &Path, binary: &Path, pages: &Path) -> Result<()> {
    emptied(pages)?;
    process::run(
        process::cargo()?
            .args(["run", "--quiet", "--locked", "--package", "ior-pages", "--"])
            .arg(pages),
    )?;
    let text = licences::text(root)?;
    fs::write(pages.join("THIRD-PARTY-LICENCES"), text).context("THIRD-PARTY-LICENCES")?;
    // Copied now, and so younger than the sources: only files that are younger get the sources' date in an .rpm.
    fs::copy(binary, pages.join("ior")).context("ior")?;
    for (source, to) in TEXTS {
        fs::copy(root.join(source), pages.join(to)).with_context(|| source.to_owned())?;
    }
    Ok(())
}

/// The directory of the tools, which are installed there if they are missing.
fn tools() -> Result<PathBuf> {
    let directory = workspace::target_dir()?.join("tools");
    for (tool, version) in TOOLS {
        if !directory.join("bin").join(tool).exists() {
            process::run(
                process::cargo()?
                    .args(["install", "--locked", "--version", version, "--root"])
                    .arg(&directory)
                    .arg(tool)
                    .env(
                        "CARGO_TARGET_DIR",
                        workspace::target_dir()?.join("tools-build"),
                    ),
            )?;
        }
    }
    Ok(directory.join("bin"))
}

/// What is packaged, from where to where, and the time its files get.
struct Maker<'p> {
    root: &'p Path,
    target: &'p Path,
    directory: &'p Path,
    date: &'p str,
}

impl Maker<'_> {
    fn deb(&self, tools: &Path) -> Result<()> {
        process::run(
            Command::new(tools.join("cargo-deb"))
                .args([
                    "--quiet",
                    "--locked",
                    "--no-build",
                    "--no-strip",
                    "--package",
                    "ior",
                ])
                .args(["--profile", build::PROFILE, "--target", build::TARGET])
                .arg("--output")
                .arg(self.directory)
                .current_dir(self.root)
                .env("CARGO_TARGET_DIR", self.target)
                .env("SOURCE_DATE_EPOCH", self.date),
        )
    }

    fn rpm(&self, tools: &Path) -> Result<()> {
        process::run(
            Command::new(tools.join("cargo-generate-rpm"))
                .args(["--profile", build::PROFILE, "--target", build::TARGET])
                .args(["--auto-req", "no", "--source-date", self.date])
                .arg("--target-dir")
                .arg(self.target)
                .arg("--output")
                .arg(self.directory)
                .current_dir(self.root),
        )
    }

    fn tar_gz(&self, pages: &Path) -> Result<()> {
        let name = format!("ior-{}-x86_64-linux", env!("CARGO_PKG_VERSION"));
        let staged = build::output(self.target).join(&name);
        emptied(&staged)?;
        process::run(
            Command::new("cp")
                .arg("--recursive")
                .arg(pages.join("."))
                .arg(&staged),
        )?;
        let tar = self.directory.join(format!("{name}.tar"));
        process::run(
            Command::new("tar")
                .args(["--create", "--format=ustar", "--sort=name"])
                .args([
                    "--owner=0",
                    "--group=0",
                    "--numeric-owner",
                    "--mode=u=rwX,go=rX",
                ])
                .arg(format!("--mtime=@{}", self.date))
                .arg("--file")
                .arg(&tar)
                .arg("--directory")
                .arg(build::output(self.target))
                .arg(&name),
        )?;
        process::run(Command::new("gzip").args(["--no-name", "--best"]).arg(&tar))
    }
}

/// Writes `SHA256SUMS`; the names of all files, itself last.
fn sums(directory: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    ensure!(names.len() == 3, "not three packages: {}", names.join(" "));
    let sums = process::output(
        Command::new("sha256sum")
            .args(&names)
            .current_dir(directory),
    )?;
    fs::write(directory.join("SHA256SUMS"), sums).context("SHA256SUMS")?;
    names.push("SHA256SUMS".to_owned());
    Ok(names)
}

/// Seconds since 1970 of the sources: what the caller says, or the last commit.
pub fn source_date(root: &Path) -> Result<String> {
    if let Ok(date) = env::var("SOURCE_DATE_EPOCH") {
        ensure!(
            date.parse::<u32>().is_ok(),
            "SOURCE_DATE_EPOCH={date}: not seconds since 1970"
        );
        return Ok(date);
    }
    let git = process::output(
        Command::new("git")
            .args(["log", "-1", "--format=%ct"])
            .current_dir(root),
    );
    Ok(git.map_or_else(|_| NO_DATE.to_owned(), |date| date.trim().to_owned()))
}

/// Makes the directory, without what it had.
pub fn emptied(directory: &Path) -> Result<()> {
    if directory.exists() {
        fs::remove_dir_all(directory).with_context(|| directory.display().to_string())?;
    }
    fs::create_dir_all(directory).with_context(|| directory.display().to_string())
}
