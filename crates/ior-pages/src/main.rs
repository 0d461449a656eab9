//! Writes the man pages and the completions for bash, zsh and fish into a directory, from what `ior` itself parses.
//! Apart from `ior`, so that the binary carries neither; run by `cargo xtask dist`.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap_complete::Shell;

/// Shells that a package has completions for.
const SHELLS: [Shell; 3] = [Shell::Bash, Shell::Zsh, Shell::Fish];

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [directory] = args.as_slice() else {
        eprintln!("usage: ior-pages DIRECTORY");
        return ExitCode::from(2);
    };
    match write(Path::new(directory)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("ior-pages: {}: {error}", directory.display());
            ExitCode::FAILURE
        }
    }
}

/// Writes `man/ior.1`, one more for each subcommand, and `completions/` into the directory.
fn write(directory: &Path) -> io::Result<()> {
    let man = directory.join("man");
    let completions = directory.join("completions");
    fs::create_dir_all(&man)?;
    fs::create_dir_all(&completions)?;
    clap_mangen::generate_to(ior::cli::command(), &man)?;
    for shell in SHELLS {
        clap_complete::generate_to(shell, &mut ior::cli::command(), "ior", &completions)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_name_every_option_and_every_subcommand() {
        let directory = std::env::temp_dir().join(format!("ior-pages-{}", std::process::id()));
        write(&directory).unwrap();
        let read = |name: &str| fs::read_to_string(directory.join(name)).unwrap();
        let (page, bash) = (read("man/ior.1"), read("completions/ior.bash"));
        let (zsh, fish) = (read("completions/_ior"), read("completions/ior.fish"));
        let command = ior::cli::command();
        for option in command.get_opts().filter(|option| !option.is_hide_set()) {
            let Some(long) = option.get_long() else {
                continue;
            };
            // roff writes every hyphen of an option as `\-`.
            let in_roff = format!("\\-\\-{}", long.replace('-', "\\-"));
            assert!(page.contains(&in_roff), "ior.1: {long}");
            assert!(bash.contains(&format!("--{long}")), "bash: {long}");
            assert!(zsh.contains(&format!("--{long}")), "zsh: {long}");
            assert!(fish.contains(&format!("-l {long}")), "fish: {long}");
        }
        for question in command.get_subcommands() {
            let name = question.get_name();
            assert!(read(&format!("man/ior-{name}.1")).contains(name));
        }
        fs::remove_dir_all(&directory).unwrap();
    }
}
