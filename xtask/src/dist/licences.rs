//! The licences of everything that is linked into the binary, from the sources it was built of.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::build;
use crate::process;

/// What is read of `cargo metadata`.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<Kind>,
}

/// `kind` is null for what is linked, else `build` or `dev`.
#[derive(Deserialize)]
struct Kind {
    kind: Option<String>,
}

/// C libraries inside a crate: the crate, the library, its licence, its directory, the files that must be there.
const VENDORED: [(&str, &str, &str, &str, &[&str]); 4] = [
    (
        "libbpf-sys",
        "libbpf",
        "LGPL-2.1-only OR BSD-2-Clause",
        "libbpf",
        &["LICENSE", "LICENSE.BSD-2-Clause", "LICENSE.LGPL-2.1"],
    ),
    (
        "libbpf-sys",
        "libelf of elfutils",
        "LGPL-3.0-or-later OR GPL-2.0-or-later",
        "elfutils",
        &["COPYING-GPLV2", "COPYING-LGPLV3", "COPYING"],
    ),
    ("libbpf-sys", "zlib", "Zlib", "zlib", &["LICENSE"]),
    (
        "zstd-sys",
        "zstd",
        "BSD-3-Clause OR GPL-2.0-only",
        "zstd",
        &["LICENSE"],
    ),
];

/// The C library that is linked statically; Debian, Fedora.
const GLIBC: [&str; 2] = [
    "/usr/share/doc/libc6-dev/copyright",
    "/usr/share/licenses/glibc/LICENSES",
];

/// Everything, as one text.
pub fn text(root: &Path) -> Result<String> {
    let linked = linked(metadata(root)?)?;
    let mut texts = Texts::default();
    for package in &linked {
        texts.add_package(package)?;
    }
    for (of, library, licence, below, files) in VENDORED {
        if let Some(package) = linked.iter().find(|package| package.name == of) {
            let directory = directory_of(package)?.join(below);
            let files = files.iter().map(|file| directory.join(file)).collect();
            texts.add(&format!("{library} (in {of})"), licence, files)?;
        }
    }
    let rust = rust_licences()?;
    let rust = |names: &[&str]| names.iter().map(|name| rust.join(name)).collect();
    texts.add(
        "Rust standard library",
        "MIT OR Apache-2.0, parts Apache-2.0 WITH LLVM-exception or Unicode-3.0",
        rust(&[
            "MIT.txt",
            "Apache-2.0.txt",
            "LLVM-exception.txt",
            "Unicode-3.0.txt",
        ]),
    )?;
    texts.add(
        "libgcc",
        "GPL-3.0-or-later WITH GCC-exception-3.1",
        rust(&["GPL-3.0-or-later.txt", "GCC-exception-3.1.txt"]),
    )?;
    let glibc = GLIBC
        .map(PathBuf::from)
        .into_iter()
        .find(|file| file.exists());
    let glibc =
        glibc.with_context(|| format!("glibc's licence is not there: {}", GLIBC.join(", ")))?;
    texts.add(
        "GNU C library",
        "LGPL-2.1-or-later, parts under other licences",
        vec![glibc],
    )?;
    Ok(texts.written())
}

/// Where the toolchain keeps the texts.
fn rust_licences() -> Result<PathBuf> {
    let sysroot = process::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    Ok(Path::new(sysroot.trim()).join("share/doc/rust/licenses"))
}

fn metadata(root: &Path) -> Result<Metadata> {
    let mut cargo = process::cargo()?;
    cargo
        .current_dir(root)
        .args(["metadata", "--locked", "--format-version", "1"])
        .args(["--filter-platform", build::TARGET]);
    serde_json::from_str(&process::output(&mut cargo)?).context("cargo metadata")
}

/// What `ior` links, by name; our own packages are left out.
fn linked(metadata: Metadata) -> Result<Vec<Package>> {
    let nodes: BTreeMap<&str, &Node> = metadata
        .resolve
        .nodes
        .iter()
        .map(|node| (node.id.as_str(), node))
        .collect();
    let start = metadata.packages.iter().find(|p| p.name == "ior");
    let mut waiting = vec![start.context("no package ior")?.id.as_str()];
    let mut seen = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if seen.insert(id.to_owned()) {
            let node = nodes
                .get(id)
                .with_context(|| format!("cargo metadata: no {id}"))?;
            let is_linked = |d: &&Dependency| d.dep_kinds.iter().any(|kind| kind.kind.is_none());
            waiting.extend(node.deps.iter().filter(is_linked).map(|d| d.pkg.as_str()));
        }
    }
    let mut linked: Vec<Package> = metadata
        .packages
        .into_iter()
        .filter(|package| package.source.is_some() && seen.contains(&package.id))
        .collect();
    linked.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(linked)
}

fn directory_of(package: &Package) -> Result<&Path> {
    package
        .manifest_path
        .parent()
        .context("a manifest without a directory")
}

/// Licence texts, each once with all that are under it.
#[derive(Default)]
struct Texts {
    /// One line each: what, and its licence.
    names: Vec<String>,
    /// Text → whose.
    owners: BTreeMap<String, BTreeSet<String>>,
}

impl Texts {
    fn add_package(&mut self, package: &Package) -> Result<()> {
        let name = format!("{} {}", package.name, package.version);
        let licence = package.license.as_deref();
        let licence = licence.with_context(|| format!("{name}: says no licence"))?;
        let files = licence_files(directory_of(package)?)?;
        // Some crates name their licence and leave out its text; the name is then all there is.
        self.add(&name, licence, files)
    }

    fn add(&mut self, name: &str, licence: &str, files: Vec<PathBuf>) -> Result<()> {
        let remark = if files.is_empty() {
            " (its sources have no licence text)"
        } else {
            ""
        };
        self.names.push(format!("{name}: {licence}{remark}"));
        for file in files {
            let bytes = fs::read(&file).with_context(|| file.display().to_string())?;
            let text = String::from_utf8_lossy(&bytes).replace('\r', "");
            ensure!(!text.trim().is_empty(), "{}: is empty", file.display());
            self.owners
                .entry(text.trim_end().to_owned())
                .or_default()
                .insert(name.to_owned());
        }
        Ok(())
    }

    fn written(&self) -> String {
        let mut out = String::from("ior contains the following. Their licences are below.\n\n");
        for name in &self.names {
            let _ = writeln!(out, "  {name}");
        }
        for (text, owners) in &self.owners {
            let owners: Vec<&str> = owners.iter().map(String::as_str).collect();
            let _ = write!(
                out,
                "\n{}\n{}\n\n{text}\n",
                "=".repeat(80),
                owners.join(", ")
            );
        }
        out
    }
}

/// The files of a crate that hold a licence, in order of name.
fn licence_files(directory: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).with_context(|| directory.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if entry.file_type()?.is_file() && is_licence(&name) {
            files.push(entry.path());
        }
    }
    files.sort();
    Ok(files)
}

fn is_licence(lower: &str) -> bool {
    [
        "license",
        "licence",
        "copying",
        "copyright",
        "notice",
        "unlicense",
    ]
    .iter()
    .any(|begin| lower.starts_with(begin))
}
