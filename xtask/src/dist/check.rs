//! Tries the packages: the binary where there is no other file, the .deb in a new Debian system.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, Result, bail, ensure};

use super::{Packages, packages};
use crate::debian::Archive;
use crate::{process, setup, workspace};

/// File systems that `ior` looks at, mounted in a mount namespace that ends with the program.
const MOUNTS: &str = r#"
mount -t proc proc "$0/proc"
mount -t sysfs sysfs "$0/sys"
mount -t tracefs tracefs "$0/sys/kernel/tracing" 2> /dev/null || true
exec chroot "$0" "$@"
"#;

/// Every package, in order.
pub fn run(packages: &Packages) -> Result<()> {
    if !process::is_root() {
        return skipped("trying packages needs root");
    }
    if let Err(error) = setup::ensure_for_systems() {
        return skipped(&format!("{error:#}"));
    }
    let systems = workspace::target_dir()?.join("systems");
    alone(packages, &systems.join("empty"))?;
    archive(packages, &systems.join("archive"))?;
    rpm(packages, &systems.join("rpm"))?;
    match debian_system(&systems) {
        Ok(system) => deb(packages, &system),
        Err(error) => skipped(&format!("no new Debian system: {error:#}")),
    }
}

fn skipped(why: &str) -> Result<()> {
    if std::env::var_os("IOR_REQUIRE_BPF").is_some_and(|value| value == "1") {
        bail!("dist --check: {why}");
    }
    let line = "*".repeat(80);
    eprintln!("\n{line}\n* skipped: trying the packages: {why}");
    eprintln!("* IOR_REQUIRE_BPF=1 makes this a failure.\n{line}");
    Ok(())
}

/// The binary and a static `ls` are the only files there are.
fn alone(packages: &Packages, system: &Path) -> Result<()> {
    packages::emptied(system)?;
    for directory in ["proc", "sys"] {
        fs::create_dir(system.join(directory))?;
    }
    fs::copy(&packages.binary, system.join("ior"))?;
    let busybox = process::find("busybox").context("no busybox")?;
    fs::copy(busybox, system.join("ls"))?;
    traces(system, "/ior", "/ls")?;
    println!("the binary works where there is no library");
    fs::remove_dir_all(system).with_context(|| system.display().to_string())
}

/// `ior doctor` finds nothing missing, and `ls` is traced.
fn traces(system: &Path, ior: &str, ls: &str) -> Result<()> {
    let doctor = succeeds(inside(system, &[ior, "doctor"])?)?;
    ensure!(doctor.contains("BTF"), "ior doctor said: {doctor}");
    let rows = succeeds(inside(
        system,
        &[ior, "--plain", "--duration", "1", "--", ls, "/"],
    )?)?;
    for wanted in ["execve", "getdents64"] {
        ensure!(
            rows.lines().any(|row| row.contains(&format!(",{wanted},"))),
            "no row of {wanted}: {rows}"
        );
    }
    Ok(())
}

/// Runs a command inside a system.
fn inside(system: &Path, command: &[&str]) -> Result<Output> {
    eprintln!("+ ({}) {}", system.display(), command.join(" "));
    Command::new("unshare")
        .args([
            "--mount",
            "--propagation",
            "private",
            "sh",
            "-e",
            "-c",
            MOUNTS,
        ])
        .arg(system)
        .args(command)
        .env("LC_ALL", "C")
        .env("DEBIAN_FRONTEND", "noninteractive")
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .output()
        .context("cannot run unshare")
}

fn succeeds(output: Output) -> Result<String> {
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {out}{said}", output.status);
    Ok(out)
}

/// The tar.gz has what it should, and its binary is the one that was tried.
fn archive(packages: &Packages, to: &Path) -> Result<()> {
    packages::emptied(to)?;
    process::run(
        Command::new("tar")
            .args(["--extract", "--strip-components=1", "--file"])
            .arg(packages.ending(".tar.gz")?)
            .arg("--directory")
            .arg(to),
    )?;
    let wanted = [
        "man/ior.1",
        "completions/ior.bash",
        "completions/_ior",
        "completions/ior.fish",
        "THIRD-PARTY-LICENCES",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "LICENSE-BPF",
    ];
    for name in wanted {
        ensure!(to.join(name).is_file(), "the tar.gz lacks {name}");
    }
    ensure!(
        fs::read(to.join("ior"))? == fs::read(&packages.binary)?,
        "the tar.gz has another binary"
    );
    process::run(
        Command::new("sha256sum")
            .args(["--check", "--quiet", "SHA256SUMS"])
            .current_dir(&packages.directory),
    )?;
    fs::remove_dir_all(to).with_context(|| to.display().to_string())
}

/// The .rpm goes into an empty directory and out of it again, by the rpm of this machine. Nothing is run there.
fn rpm(packages: &Packages, system: &Path) -> Result<()> {
    packages::emptied(system)?;
    let rpm = |args: &[&str]| {
        let mut command = Command::new("rpm");
        command.arg("--root").arg(system).args(args);
        if process::find("dpkg").is_some() {
            command.arg("--force-debian"); // Debian's rpm wants to be asked twice
        }
        command
    };
    // An empty directory has nothing that a package could need.
    process::output(rpm(&["--install", "--nodeps"]).arg(packages.ending(".rpm")?))?;
    let binary = fs::read(system.join("usr/bin/ior")).context("the .rpm has no /usr/bin/ior")?;
    ensure!(
        binary == fs::read(&packages.binary)?,
        "the .rpm has another binary"
    );
    process::output(&mut rpm(&["--verify", "--nodeps", "ior"]))?;
    process::output(&mut rpm(&["--erase", "ior"]))?;
    ensure!(
        !system.join("usr/bin/ior").exists(),
        "the .rpm leaves its binary behind"
    );
    println!("the .rpm installs and goes");
    fs::remove_dir_all(system).with_context(|| system.display().to_string())
}

/// A new Debian system; what is needed for it is downloaded once.
fn debian_system(systems: &Path) -> Result<PathBuf> {
    let (base, system) = (systems.join("debian-base"), systems.join("debian"));
    let complete = systems.join("debian-base.complete");
    if !complete.exists() {
        packages::emptied(&base)?;
        let archive = Archive::of_this_machine()?;
        process::output(
            Command::new("debootstrap")
                .args(["--variant=minbase", &archive.codename])
                .arg(&base)
                .arg(&archive.uri),
        )?;
        fs::write(&complete, "")?;
    }
    packages::emptied(&system)?;
    process::run(
        Command::new("cp")
            .args(["--archive"])
            .arg(base.join("."))
            .arg(&system),
    )?;
    Ok(system)
}

/// Installs, runs and removes the .deb.
fn deb(packages: &Packages, system: &Path) -> Result<()> {
    let before = files(system)?;
    fs::copy(packages.ending(".deb")?, system.join("tmp/ior.deb"))?;
    succeeds(inside(system, &["dpkg", "--install", "/tmp/ior.deb"])?)?;
    let listed = succeeds(inside(system, &["dpkg", "--listfiles", "ior"])?)?;
    let wanted = [
        "/usr/bin/ior",
        "/usr/share/man/man1/ior.1",
        "/usr/share/bash-completion/completions/ior",
        "/usr/share/zsh/vendor-completions/_ior",
        "/usr/share/fish/vendor_completions.d/ior.fish",
        "/usr/share/doc/ior/copyright",
    ];
    for name in wanted {
        ensure!(
            listed.lines().any(|file| file == name),
            "the .deb lacks {name}: {listed}"
        );
    }
    succeeds(inside(system, &["dpkg", "--verify", "ior"])?)?;
    traces(system, "/usr/bin/ior", "/bin/ls")?;
    rights(system)?;
    succeeds(inside(system, &["dpkg", "--purge", "ior"])?)?;
    fs::remove_file(system.join("tmp/ior.deb"))?;
    let after = files(system)?;
    let left: Vec<&str> = after
        .lines()
        .filter(|file| !before.lines().any(|was| was == *file))
        .collect();
    ensure!(
        left.is_empty(),
        "the .deb leaves behind: {}",
        left.join(" ")
    );
    println!("the .deb installs, runs and goes without a trace");
    fs::remove_dir_all(system).with_context(|| system.display().to_string())
}

/// A user with two capabilities can trace and is told what is lost; one with none, and a container, are refused in one line.
fn rights(system: &Path) -> Result<()> {
    let ior = ["/usr/bin/ior", "--plain", "--", "/bin/ls", "/"];
    let nobody = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
    ];
    let two = "-all,+cap_38,+cap_39"; // CAP_PERFMON and CAP_BPF, by numbers for older libraries
    let (inherited, ambient) = (format!("--inh-caps={two}"), format!("--ambient-caps={two}"));
    let with_two = [&nobody[..], &[inherited.as_str(), ambient.as_str()], &ior].concat();
    let traced = inside(system, &with_two)?;
    let said = String::from_utf8_lossy(&traced.stderr).into_owned();
    ensure!(
        said.contains("warning: no CAP_DAC_READ_SEARCH"),
        "not said what is lost: {said}"
    );
    ensure!(
        succeeds(traced)?.contains(",execve,"),
        "no rows with two capabilities"
    );
    let without = [&nobody[..], &["--inh-caps=-all"], &ior].concat();
    refused(inside(system, &without)?, "CAP_BPF")?;
    let container = [&["unshare", "--pid", "--fork"][..], &ior].concat();
    refused(inside(system, &container)?, "pid namespace")
}

/// COMMAND did not run, and one line says why.
fn refused(output: Output, why: &str) -> Result<()> {
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.code() == Some(125) && said.lines().count() == 1 && said.contains(why),
        "not refused for want of {why}: {}: {said}",
        output.status
    );
    ensure!(output.stdout.is_empty(), "COMMAND ran: {said}");
    Ok(())
}

/// All files of a system but dpkg's own notes.
fn files(system: &Path) -> Result<String> {
    process::output(
        Command::new("find")
            .args([
                ".",
                "-xdev",
                "-path",
                "./var/lib/dpkg",
                "-prune",
                "-o",
                "-path",
                "./var/log",
                "-prune",
            ])
            .args(["-o", "-print"])
            .current_dir(system),
    )
}
