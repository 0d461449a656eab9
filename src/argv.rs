//! The original tool's spelling: long options with one dash (`-plain -duration 5`) become two-dash ones before clap sees them.
//!
//! Which long options exist, and which take a value, is asked of the clap command, so that there is no second list of them.
//! Short options (`-p1`, `-fq`) stay as they are, and so does everything from `--` on, or from the first word that is neither
//! an option nor of a subcommand.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use clap::{Arg, Command};

/// Long options of subcommands, so that the complaint names them as typed where they stand before one, and does not read
/// `-fields` as `-f -i …`.
const ELSEWHERE: [&str; 3] = ["fields", "count", "title"];

/// Rewrites the arguments, program name first, for `command`.
pub fn rewrite(args: impl IntoIterator<Item = OsString>, command: &Command) -> Vec<OsString> {
    let mut args = args.into_iter();
    let mut rewritten: Vec<OsString> = args.by_ref().take(1).collect();
    let (top, mut command) = (command, command);
    while let Some(arg) = args.next() {
        let is_of_subcommand = !std::ptr::eq(command, top);
        if arg == "--" {
            rewritten.push(arg);
            break;
        }
        if !is_option(&arg) {
            let subcommand = command.find_subcommand(&arg);
            rewritten.push(arg);
            match subcommand {
                Some(subcommand) => command = subcommand,
                None if is_of_subcommand => {}
                None => break,
            }
            continue;
        }
        let arg = two_dashes(arg, command);
        let value_follows = value_follows(&arg, command);
        rewritten.push(arg);
        if value_follows {
            rewritten.extend(args.next());
        }
    }
    rewritten.extend(args);
    rewritten
}

/// A lone `-` is a value (standard output), not an option.
fn is_option(arg: &OsStr) -> bool {
    arg.len() > 1 && arg.as_bytes().starts_with(b"-")
}

fn two_dashes(arg: OsString, command: &Command) -> OsString {
    let bytes = arg.as_bytes();
    let name = long_name(bytes.strip_prefix(b"-").unwrap_or(bytes));
    let [first, _, ..] = name else {
        // One letter is always a short option.
        return arg;
    };
    let is_long = find_long(name, command).is_some()
        || ELSEWHERE.iter().any(|other| other.as_bytes() == name)
        // No cluster of short options begins like this: a slip in a long one, which the complaint should name whole.
        || (first.is_ascii_alphabetic() && find_short(*first, command).is_none());
    if is_long {
        OsString::from_vec([b"-", bytes].concat())
    } else {
        arg
    }
}

/// Whether the argument after this one is its value.
fn value_follows(arg: &OsStr, command: &Command) -> bool {
    let bytes = arg.as_bytes();
    match bytes.strip_prefix(b"--") {
        Some(long) => !long.contains(&b'=') && find_long(long, command).is_some_and(takes_value),
        None => {
            // In a cluster the first option that takes a value takes the rest; if there is no rest, the next argument.
            let shorts = &bytes[1..];
            let first = shorts
                .iter()
                .position(|letter| find_short(*letter, command).is_some_and(takes_value));
            first.is_some_and(|position| position + 1 == shorts.len())
        }
    }
}

fn long_name(arg: &[u8]) -> &[u8] {
    arg.split(|byte| *byte == b'=').next().unwrap_or(arg)
}

fn find_long<'a>(name: &[u8], command: &'a Command) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| {
        let mut names = arg.get_long_and_visible_aliases().unwrap_or_default();
        names.extend(arg.get_all_aliases().unwrap_or_default());
        names.iter().any(|long| long.as_bytes() == name)
    })
}

fn find_short(letter: u8, command: &Command) -> Option<&Arg> {
    command
        .get_arguments()
        .find(|arg| arg.get_short() == Some(char::from(letter)))
}

fn takes_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
}

#[cfg(test)]
mod tests {
    use clap::ArgAction;

    use super::*;

    fn command() -> Command {
        let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
        let option = |name: &'static str| Arg::new(name).long(name).action(ArgAction::Append);
        Command::new("ior")
            .args([
                flag("plain"),
                flag("errors"),
                flag("follow").short('f'),
                flag("quiet").short('q'),
            ])
            .args([
                option("pid").short('p'),
                option("tid").short('t'),
                option("comm"),
                option("path"),
            ])
            .args([
                option("duration"),
                option("csv"),
                option("filter"),
                option("trace-families"),
            ])
            .arg(Arg::new("command").last(true).num_args(1..))
            .subcommand(Command::new("syscalls").arg(flag("json")))
    }

    #[track_caller]
    fn check(typed: &str, meant: &str) {
        let args = std::iter::once("ior")
            .chain(typed.split_whitespace())
            .map(OsString::from);
        let got = rewrite(args, &command());
        let got: Vec<_> = got
            .iter()
            .skip(1)
            .map(|arg| arg.to_str().unwrap())
            .collect();
        assert_eq!(got.join(" "), meant, "{typed}");
    }

    #[test]
    fn long_options_of_one_dash_get_the_second() {
        check("-plain -duration 5", "--plain --duration 5");
        check(
            "-pid 1 -tid 2 -comm sh -path /etc",
            "--pid 1 --tid 2 --comm sh --path /etc",
        );
        check(
            "-pid=1 -csv=x -trace-families FS",
            "--pid=1 --csv=x --trace-families FS",
        );
        check("-filter a=b -errors", "--filter a=b --errors");
        check("-help -version", "--help --version");
        check("--plain --pid 1", "--plain --pid 1");
    }

    #[test]
    fn options_of_a_subcommand_before_it_are_named_as_typed() {
        check("-fields comm -count bytes", "--fields comm -count bytes");
        check("-title=x -count=1", "--title=x --count=1");
    }

    #[test]
    fn short_options_stay() {
        check("-p 1 -t 2 -f", "-p 1 -t 2 -f");
        check("-p1 -p1,2 -fq -fp1", "-p1 -p1,2 -fq -fp1");
        check("-fp -plain -plain", "-fp -plain --plain");
        check("-x -fx", "-x -fx");
        check("-unknown -plian=1", "--unknown -plian=1");
    }

    #[test]
    fn values_are_not_options() {
        check("-comm -plain -plain", "--comm -plain --plain");
        check("--comm -plain -plain", "--comm -plain --plain");
        check("-p -plain -plain", "-p -plain --plain");
        check("-csv - -plain", "--csv - --plain");
        check("-comm", "--comm");
    }

    #[test]
    fn nothing_of_the_command_is_touched() {
        check("-plain -- -plain -pid 1", "--plain -- -plain -pid 1");
        check("-plain dd -plain", "--plain dd -plain");
        check("-pid 1 sh -plain", "--pid 1 sh -plain");
        check("- -plain", "- -plain");
    }

    #[test]
    fn a_subcommand_has_its_own_options() {
        check("syscalls -json", "syscalls --json");
        check("syscalls -plain -json", "syscalls --plain --json");
    }

    #[test]
    fn aggregates_are_made_and_read_in_the_original_spelling() {
        let check = |typed: &str, meant: &str| {
            let args = typed.split_whitespace().map(OsString::from);
            let got = rewrite(args, &crate::cli::command());
            assert_eq!(got.join(&OsString::from(" ")), *meant);
        };
        check(
            "ior -flamegraph -name n -max-keys 5 -- x -name",
            "ior --flamegraph --name n --max-keys 5 -- x -name",
        );
        check(
            "ior collapsed x.ior.zst -fields comm,path -count bytes",
            "ior collapsed x.ior.zst --fields comm,path --count bytes",
        );
        check(
            "ior collapsed -fields comm,path -count bytes x.ior.zst",
            "ior collapsed --fields comm,path --count bytes x.ior.zst",
        );
    }

    #[test]
    fn arguments_need_not_be_utf8() {
        let odd = OsString::from_vec(vec![b'-', b'-', 0xff]);
        assert_eq!(
            rewrite([OsString::from("ior"), odd.clone()], &command()),
            [OsString::from("ior"), odd]
        );
        assert!(rewrite([], &command()).is_empty());
    }
}
