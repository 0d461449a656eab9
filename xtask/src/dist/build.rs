//! Builds the static binary so that its bytes depend on the sources and the tools, and not on where they are.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::process;

/// What is built for. Named, so that flags of the target are not those of build scripts.
pub const TARGET: &str = "x86_64-unknown-linux-gnu";

/// The cargo profile (Cargo.toml).
pub const PROFILE: &str = "dist";

/// The largest binary that is given away, bytes.
const MOST: u64 = 20_000_000;

/// Where the build leaves its files.
pub fn output(target: &Path) -> PathBuf {
    target.join(TARGET).join(PROFILE)
}

/// Builds the static binary of the workspace at `root`, checks that it is static, and returns its path.
pub fn static_binary(root: &Path, target: &Path) -> Result<PathBuf> {
    let hidden = hidden_paths(root, target)?;
    let mut cargo = cargo(root, target, &hidden, "build")?;
    process::run(cargo.args(["--package", "ior", "--bin", "ior"]))?;
    let binary = output(target).join("ior");
    check(&binary, &hidden)?;
    Ok(binary)
}

/// The end-to-end tests, which run wherever they are copied to.
pub struct Tests {
    /// The program that states what it does.
    pub workload: PathBuf,
    /// The tests that record it.
    pub live: PathBuf,
}

/// Builds the end-to-end tests in the same way.
pub fn static_tests(root: &Path, target: &Path) -> Result<Tests> {
    let hidden = hidden_paths(root, target)?;
    let mut build = cargo(root, target, &hidden, "build")?;
    process::run(build.args(["--package", "e2e", "--bin", "workload"]))?;
    let mut test = cargo(root, target, &hidden, "test")?;
    test.args(["--no-run", "--package", "e2e", "--test", "live"])
        .args(["--message-format", "json"]);
    eprintln!("+ {}", process::shown(&test));
    Ok(Tests {
        workload: output(target).join("workload"),
        live: executable_in(&process::output(&mut test)?, "live")?,
    })
}

/// Where cargo says that it has put the executable of the target of that name.
fn executable_in(messages: &str, name: &str) -> Result<PathBuf> {
    let found = messages.lines().find_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        let is_it = message["target"]["name"] == name;
        let executable = message["executable"].as_str()?;
        is_it.then(|| PathBuf::from(executable))
    });
    found.with_context(|| format!("cargo has built no {name}"))
}

fn cargo(root: &Path, target: &Path, hidden: &[(PathBuf, &str)], command: &str) -> Result<Command> {
    let mut cargo = process::cargo()?;
    cargo
        .current_dir(root)
        .args([
            command,
            "--locked",
            "--profile",
            PROFILE,
            "--target",
            TARGET,
        ])
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_ENCODED_RUSTFLAGS", rust_flags(hidden)?)
        .env(c_flags_name(), c_flags(hidden)?);
    for name in ["RUSTFLAGS", "CFLAGS", "LIBBPF_SYS_EXTRA_CFLAGS"] {
        cargo.env_remove(name);
    }
    Ok(cargo)
}

/// Directories that would get into the binary, and what it says instead; the more special ones last.
fn hidden_paths(root: &Path, target: &Path) -> Result<Vec<(PathBuf, &'static str)>> {
    let cargo_home = match env::var_os("CARGO_HOME") {
        Some(home) => PathBuf::from(home),
        None => PathBuf::from(env::var_os("HOME").context("neither CARGO_HOME nor HOME is set")?)
            .join(".cargo"),
    };
    Ok(vec![
        (root.to_owned(), "/ior"),
        (cargo_home, "/cargo"),
        (target.to_owned(), "/target"),
    ])
}

/// In cargo's own form, in which a path may have spaces.
fn rust_flags(hidden: &[(PathBuf, &str)]) -> Result<OsString> {
    let mut flags = vec![
        "-Ctarget-feature=+crt-static".to_owned(),
        // A hash over debug information that is stripped afterwards.
        "-Clink-arg=-Wl,--build-id=none".to_owned(),
    ];
    for (path, instead) in hidden {
        flags.push(format!("--remap-path-prefix={}={instead}", text(path)?));
    }
    Ok(flags.join("\x1f").into())
}

/// The vendored C libraries name their sources in assertions.
fn c_flags(hidden: &[(PathBuf, &str)]) -> Result<String> {
    let flags = hidden.iter().map(|(path, instead)| {
        let path = text(path)?;
        ensure!(
            !path.contains(' '),
            "{path}: make cannot build below a path with a space"
        );
        Ok(format!("-ffile-prefix-map={path}={instead}"))
    });
    Ok(flags.collect::<Result<Vec<_>>>()?.join(" "))
}

fn c_flags_name() -> String {
    format!("CFLAGS_{}", TARGET.replace('-', "_"))
}

fn text(path: &Path) -> Result<&str> {
    path.to_str()
        .with_context(|| format!("{}: not UTF-8", path.display()))
}

/// The promises that can be seen in the file itself.
fn check(binary: &Path, hidden: &[(PathBuf, &str)]) -> Result<()> {
    let shown = binary.display();
    let elf = process::output(
        Command::new("readelf")
            .args([
                "--wide",
                "--program-headers",
                "--dynamic",
                "--section-headers",
            ])
            .arg(binary),
    )?;
    if let Some(unwanted) = unwanted_in(&elf) {
        bail!("{shown}: {unwanted}");
    }
    let bytes = std::fs::read(binary).with_context(|| shown.to_string())?;
    let size = bytes.len() as u64;
    ensure!(size <= MOST, "{shown}: {size} bytes, more than {MOST}");
    for (path, _) in hidden {
        let path = text(path)?.as_bytes();
        ensure!(
            !bytes.windows(path.len()).any(|there| there == path),
            "{shown}: has the path {} of this machine in it",
            String::from_utf8_lossy(path)
        );
    }
    Ok(())
}

/// Signs in readelf's output that the file is not static or not stripped.
fn unwanted_in(elf: &str) -> Option<&'static str> {
    let signs = [
        ("INTERP", "needs an interpreter"),
        ("(NEEDED)", "needs a shared library"),
        (".symtab", "is not stripped"),
        (".debug_info", "has debug information"),
    ];
    let found = signs.iter().find(|(sign, _)| elf.contains(sign));
    found.map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dynamic_binary_is_refused() {
        let of = |path: &str| {
            process::output(
                Command::new("readelf")
                    .args([
                        "--wide",
                        "--program-headers",
                        "--dynamic",
                        "--section-headers",
                    ])
                    .arg(path),
            )
        };
        assert!(unwanted_in(&of("/bin/sh").unwrap()).is_some());
        assert_eq!(unwanted_in("LOAD 0x0\n .text PROGBITS"), None);
        assert_eq!(unwanted_in(" [40] .symtab SYMTAB"), Some("is not stripped"));
    }

    #[test]
    fn executables_are_found_among_cargos_messages() {
        let messages = r#"{"target":{"name":"live"},"executable":null}
text
{"target":{"name":"other"},"executable":"/o"}
{"target":{"name":"live"},"executable":"/t/live-1"}"#;
        assert_eq!(
            executable_in(messages, "live").unwrap(),
            Path::new("/t/live-1")
        );
        assert!(executable_in(messages, "none").is_err());
    }

    #[test]
    fn paths_are_hidden_from_both_compilers() {
        let hidden = [(PathBuf::from("/a/b"), "/ior")];
        let rust = rust_flags(&hidden).unwrap().into_string().unwrap();
        assert!(
            rust.ends_with("\x1f--remap-path-prefix=/a/b=/ior"),
            "{rust}"
        );
        assert_eq!(c_flags(&hidden).unwrap(), "-ffile-prefix-map=/a/b=/ior");
        assert!(c_flags(&[(PathBuf::from("/a b"), "/ior")]).is_err());
        assert_eq!(c_flags_name(), "CFLAGS_x86_64_unknown_linux_gnu");
    }
}
