//! `dist`: what is given away. One static binary with its pages and licences, as tar.gz, .deb and .rpm, with checksums.

mod build;
mod check;
mod licences;
mod packages;
mod reproduce;

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::{setup, workspace};

pub use build::{static_binary, static_tests};

/// What is done after the packages are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    /// Nothing.
    Stop,
    /// They are tried in empty systems.
    Check,
    /// They are made again in another directory and compared.
    Reproduce,
}

/// Runs `dist`.
pub fn run(args: &[String]) -> Result<()> {
    let then = parse(args)?;
    setup::ensure()?;
    let root = workspace::root()?;
    let date = packages::source_date(&root)?;
    let packages = packages::make(&root, &workspace::target_dir()?, &date)?;
    println!("{}", packages.directory.display());
    for (name, size) in packages.sizes()? {
        println!("  {size:>10}  {name}");
    }
    match then {
        Then::Stop => Ok(()),
        Then::Check => check::run(&packages),
        Then::Reproduce => reproduce::run(&packages, &date),
    }
}

fn parse(args: &[String]) -> Result<Then> {
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Ok(Then::Stop),
        ["--check"] => Ok(Then::Check),
        ["--check-reproducible"] => Ok(Then::Reproduce),
        _ => bail!("usage: cargo xtask dist [--check | --check-reproducible]"),
    }
}

/// The files that were made.
pub struct Packages {
    /// Where they are.
    pub directory: PathBuf,
    /// Their names, `SHA256SUMS` last.
    pub names: Vec<String>,
    /// The binary in them.
    pub binary: PathBuf,
}

impl Packages {
    fn sizes(&self) -> Result<Vec<(&str, u64)>> {
        let size = |name: &str| -> Result<u64> { Ok(self.directory.join(name).metadata()?.len()) };
        self.names
            .iter()
            .map(|name| Ok((name.as_str(), size(name)?)))
            .collect()
    }

    /// The only file whose name ends so.
    fn ending(&self, end: &str) -> Result<PathBuf> {
        match self.names.iter().find(|name| name.ends_with(end)) {
            Some(name) => Ok(self.directory.join(name)),
            None => bail!("no {end} among the packages"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thing_follows() {
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(parse(&[]).unwrap(), Then::Stop);
        assert_eq!(parse(&words("--check")).unwrap(), Then::Check);
        assert!(parse(&words("--check --check-reproducible")).is_err());
        assert!(parse(&words("--other")).is_err());
    }
}
