//! Where rows go: what was typed, checked for outputs that are one file.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::args::OutputArgs;
use super::{Aggregate, Format, Output, values};
use crate::sink::Rotate;

/// Every stream of rows that is wanted, none of which is another one's file.
pub fn outputs(args: &OutputArgs) -> Result<Vec<Output>> {
    let plain = args.plain.then(|| PathBuf::from("-"));
    let parquet = parquet(args)?;
    let mut outputs: Vec<Output> = Vec::new();
    for (format, path) in [
        (Format::Plain, plain),
        (Format::Csv, args.csv.clone()),
        (Format::Json, args.json.clone()),
        (parquet, args.parquet.clone()),
    ] {
        let Some(path) = path else { continue };
        if outputs.iter().any(|other| is_one_file(&other.path, &path)) {
            match path.to_str() {
                Some("-") => bail!(
                    "two outputs want standard output (--plain, --csv -, --json -, --parquet -): give all but one a file"
                ),
                _ => bail!(
                    "two outputs want the file {}: give each its own",
                    path.display()
                ),
            }
        }
        outputs.push(Output { format, path });
    }
    Ok(outputs)
}

/// Named after COMMAND if nothing else was said.
pub fn aggregate(args: &OutputArgs, command: &[OsString]) -> Option<Aggregate> {
    let of_command = || {
        let name = Path::new(command.first()?).file_name()?.to_str()?;
        values::file_name_part(name).ok()
    };
    args.flamegraph.then(|| Aggregate {
        name: args
            .name
            .clone()
            .or_else(of_command)
            .unwrap_or_else(|| "ior".into()),
        max_keys: args.max_keys,
    })
}

/// One file, or parts in a directory, which only parts can be in.
fn parquet(args: &OutputArgs) -> Result<Format> {
    let names_directory =
        |path: &Path| path.as_os_str().as_encoded_bytes().ends_with(b"/") || path.is_dir();
    match (&args.parquet, args.rotate) {
        (Some(path), rotate) if names_directory(path) => {
            Ok(Format::ParquetParts(rotate.unwrap_or(Rotate::Never)))
        }
        (Some(path), Some(_)) => bail!(
            "--rotate: {} is one file; --parquet {}/ makes parts in a directory",
            path.display(),
            path.display()
        ),
        _ => Ok(Format::Parquet),
    }
}

/// Whether two outputs are one file, however it is called. `/dev/null` takes any number.
fn is_one_file(one: &Path, other: &Path) -> bool {
    if one == "-" && other == "-" {
        return true;
    }
    let (one_is, other_is) = (identity(one), identity(other));
    if one_is.is_some() && one_is == identity(Path::new("/dev/null")) {
        return false;
    }
    one == other || one_is.is_some() && one_is == other_is
}

/// What makes a file the same as another.
#[derive(PartialEq, Eq)]
enum Identity {
    /// Device and inode of a file that is there.
    There(u64, u64),
    /// The canonical name of one that is not.
    New(PathBuf),
}

/// `None` if no file can be there.
fn identity(path: &Path) -> Option<Identity> {
    let path = if path == "-" {
        Path::new("/proc/self/fd/1")
    } else {
        path
    };
    if let Ok(found) = fs::metadata(path) {
        return Some(Identity::There(found.dev(), found.ino()));
    }
    let directory = match path.parent()? {
        here if here == "" => Path::new("."),
        directory => directory,
    };
    let directory = fs::canonicalize(directory).ok()?;
    Some(Identity::New(directory.join(path.file_name()?)))
}
