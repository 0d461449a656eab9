//! Where bytes go: standard output, a device or fifo, or a file that appears under its name only when it is complete.

use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};

use crate::sink::Files;

/// The temporary files of a run, so that an exit in the middle can remove them.
#[derive(Debug, Clone, Default)]
pub struct Temporaries(Arc<Mutex<Vec<PathBuf>>>);

impl Temporaries {
    /// Removes them.
    pub fn remove_all(&self) {
        for path in self.paths().drain(..) {
            // It may be complete and renamed by now.
            let _ = fs::remove_file(path);
        }
    }

    fn paths(&self) -> std::sync::MutexGuard<'_, Vec<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file being written; removed when dropped before [`Pending::complete`].
#[derive(Debug)]
pub struct Pending {
    temporary: PathBuf,
    path: PathBuf,
    temporaries: Temporaries,
}

/// An output ready to be written.
#[derive(Debug)]
pub struct Opened {
    /// Where bytes go.
    pub file: File,
    /// What it is called in messages.
    pub name: String,
    /// What gives a regular file its name in the end.
    pub pending: Option<Pending>,
}

/// Opens `path`, `-` being standard output.
pub fn open(path: &Path, temporaries: &Temporaries) -> Result<Opened> {
    let name = if path == "-" {
        "standard output".into()
    } else {
        path.display().to_string()
    };
    let cannot_write = || format!("cannot write {name}");
    if names_directory(path) {
        bail!("{}: it is a directory's name; name a file", cannot_write());
    }
    let (file, pending) = match fs::metadata(path) {
        // Not through `io::stdout()`, which looks for the ends of lines.
        _ if path == "-" => (
            File::from(
                io::stdout()
                    .as_fd()
                    .try_clone_to_owned()
                    .with_context(cannot_write)?,
            ),
            None,
        ),
        Ok(found) if found.is_dir() => {
            bail!("{}: it is a directory; name a file in it", cannot_write())
        }
        Ok(found) if !found.is_file() => (
            OpenOptions::new()
                .write(true)
                .open(path)
                .with_context(cannot_write)?,
            None,
        ),
        // What a symbolic link points to is replaced, not the link.
        Ok(found) => create(
            &fs::canonicalize(path).with_context(cannot_write)?,
            Some(&found),
            temporaries,
        )
        .with_context(cannot_write)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create(path, None, temporaries).with_context(cannot_write)?
        }
        // A name that is too long, say: no file could get it in the end.
        Err(error) => return Err(error).with_context(cannot_write),
    };
    Ok(Opened {
        file,
        name,
        pending,
    })
}

/// The parts of a recording: `part-000001.parquet` and so on in a directory, each under its name when it is complete.
#[derive(Debug)]
pub struct Parts {
    directory: PathBuf,
    temporaries: Temporaries,
    /// Parts begun.
    count: u32,
    pending: Option<Pending>,
}

impl Parts {
    /// In `directory`, which is made if only it is missing.
    pub fn new(directory: &Path, temporaries: &Temporaries) -> Result<Parts> {
        if !directory.is_dir() {
            fs::create_dir(directory)
                .with_context(|| format!("cannot make directory {}", directory.display()))?;
        }
        Ok(Parts {
            directory: directory.to_owned(),
            temporaries: temporaries.clone(),
            count: 0,
            pending: None,
        })
    }
}

impl Files for Parts {
    fn open(&mut self) -> io::Result<File> {
        self.count += 1;
        let name = format!("part-{:06}.parquet", self.count);
        let (file, pending) =
            create(&self.directory.join(name), None, &self.temporaries).map_err(io_error)?;
        self.pending = pending;
        Ok(file)
    }

    fn complete(&mut self) -> io::Result<()> {
        let completed = self
            .pending
            .take()
            .map(|pending| pending.complete_beside(".parquet"));
        completed.transpose().map(drop)
    }
}

/// A file in the current directory whose name ior makes up.
pub fn create_beside(name: &str, temporaries: &Temporaries) -> Result<Opened> {
    let (file, pending) = create(Path::new(name), None, temporaries)
        .with_context(|| format!("cannot write {name}"))?;
    Ok(Opened {
        file,
        name: name.to_owned(),
        pending,
    })
}

/// One file that is there already.
#[derive(Debug)]
pub struct Single {
    opened: Option<File>,
    pending: Option<Pending>,
}

impl Single {
    /// The file of an output.
    pub fn new(opened: Opened) -> Single {
        Single {
            opened: Some(opened.file),
            pending: opened.pending,
        }
    }
}

impl Files for Single {
    fn open(&mut self) -> io::Result<File> {
        self.opened
            .take()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    fn complete(&mut self) -> io::Result<()> {
        let completed = self.pending.take().map_or(Ok(()), Pending::complete);
        completed.map_err(io_error)
    }
}

/// One file that is there already, whose name ior has made up: none of that name is overwritten.
#[derive(Debug)]
pub struct Beside {
    file: Single,
    extension: &'static str,
    name: Arc<Mutex<String>>,
}

impl Beside {
    /// The file of an output whose name ends with `extension`.
    pub fn new(opened: Opened, extension: &'static str) -> Beside {
        Beside {
            name: Arc::new(Mutex::new(opened.name.clone())),
            file: Single::new(opened),
            extension,
        }
    }

    /// The name it is to have and, once it is complete, has.
    pub fn name(&self) -> Arc<Mutex<String>> {
        Arc::clone(&self.name)
    }
}

impl Files for Beside {
    fn open(&mut self) -> io::Result<File> {
        self.file.open()
    }

    fn complete(&mut self) -> io::Result<()> {
        if let Some(pending) = self.file.pending.take() {
            let path = pending.complete_beside(self.extension)?;
            *self.name.lock().unwrap_or_else(PoisonError::into_inner) = path.display().to_string();
        }
        Ok(())
    }
}

/// The cause with its context, of the same kind.
fn io_error(error: anyhow::Error) -> io::Error {
    let kind = error
        .downcast_ref::<io::Error>()
        .map_or(io::ErrorKind::Other, io::Error::kind);
    io::Error::new(kind, format!("{error:#}"))
}

/// Whether only a directory can have this name, there or not.
fn names_directory(path: &Path) -> bool {
    let bytes = path.as_os_str().as_bytes();
    bytes != b"/" && (bytes.ends_with(b"/") || bytes.ends_with(b"/."))
}

/// Makes the temporary file for `path`. It gets mode and owner of the file that is there, as far as we may.
fn create(
    path: &Path,
    there: Option<&Metadata>,
    temporaries: &Temporaries,
) -> Result<(File, Option<Pending>)> {
    let name = path.file_name().context("it has no file name")?;
    let mut temporary_name = std::ffi::OsString::from(".");
    // A name may have 255 bytes, and ours must not be longer than the one wanted can be. The time tells it from what a
    // killed ior of the same pid left behind, the number from our own others.
    let cut: String = name.to_string_lossy().chars().take(50).collect();
    let started = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default();
    let number = temporaries.paths().len();
    temporary_name.push(format!(
        "{cut}.ior-{}-{}-{number}.tmp",
        std::process::id(),
        started.as_nanos()
    ));
    let temporary = path.with_file_name(temporary_name);
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        // Nobody is to read it who may not read the file it replaces.
        .mode(if there.is_some() { 0o600 } else { 0o666 })
        .open(&temporary)
        .context("no file can be created in its directory")?;
    temporaries.paths().push(temporary.clone());
    if let Some(there) = there {
        let _ = fchown(&file, None, Some(there.gid()));
        let _ = fchown(&file, Some(there.uid()), None);
        let _ = file.set_permissions(Permissions::from_mode(there.mode() & 0o777));
    }
    let pending = Pending {
        temporary,
        path: path.to_owned(),
        temporaries: temporaries.clone(),
    };
    Ok((file, Some(pending)))
}

impl Pending {
    /// Gives the file its name; an older one of that name is replaced.
    pub fn complete(self) -> Result<()> {
        fs::rename(&self.temporary, &self.path).with_context(|| {
            format!(
                "cannot rename {} to {}",
                self.temporary.display(),
                self.path.display()
            )
        })
        // What is left to remove by drop is only the entry in the list.
    }

    /// Gives the file its name, which ends with `extension`, and returns it; if there is one of that name, `-1`, `-2` … is
    /// put before the extension.
    pub fn complete_beside(self, extension: &str) -> io::Result<PathBuf> {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix(extension).unwrap_or(&name);
        let mut path = self.path.clone();
        for number in 1.. {
            // Unlike a rename, a link replaces nothing.
            match fs::hard_link(&self.temporary, &path) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    path.set_file_name(format!("{stem}-{number}{extension}"));
                }
                // A file system without links.
                Err(_) if !path.exists() => {
                    return fs::rename(&self.temporary, &path).map(|()| path);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(path)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.temporaries
            .paths()
            .retain(|path| *path != self.temporary);
        let _ = fs::remove_file(&self.temporary);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn directory(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("ior-output-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        path
    }

    fn names(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_appears_when_it_is_complete_and_replaces_the_old_one() {
        let directory = directory("complete");
        let path = directory.join("rows.csv");
        fs::write(&path, "old").unwrap();
        let Opened {
            mut file, pending, ..
        } = open(&path, &Temporaries::default()).unwrap();
        file.write_all(b"new").unwrap();
        let while_writing = names(&directory);
        assert!(while_writing[0].starts_with(&format!(".rows.csv.ior-{}-", std::process::id())));
        assert_eq!(while_writing[1..], ["rows.csv"]);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        pending.unwrap().complete().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names(&directory), ["rows.csv"]);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn mode_and_owner_stay() {
        let directory = directory("mode");
        let path = directory.join("x");
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        // Only root can give a file away.
        let _ = std::os::unix::fs::chown(&path, Some(12), Some(34));
        let of = |path: &Path| {
            let found = fs::metadata(path).unwrap();
            (found.mode() & 0o7777, found.uid(), found.gid())
        };
        let before = of(&path);
        let opened = open(&path, &Temporaries::default()).unwrap();
        opened.pending.unwrap().complete().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        assert_eq!(of(&path), before);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn names_no_file_can_get_are_refused_before_anything_is_made() {
        let directory = directory("names");
        fs::write(directory.join("file"), "").unwrap();
        for name in ["new/", "new/.", "file/", "file/x", &"x".repeat(256)] {
            assert!(
                open(&directory.join(name), &Temporaries::default()).is_err(),
                "{name}"
            );
        }
        let opened = open(&directory.join("x".repeat(255)), &Temporaries::default()).unwrap();
        opened.pending.unwrap().complete().unwrap();
        assert_eq!(names(&directory), ["file".to_owned(), "x".repeat(255)]);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn an_abandoned_file_leaves_nothing() {
        let directory = directory("abandoned");
        drop(open(&directory.join("x"), &Temporaries::default()).unwrap());
        assert!(names(&directory).is_empty());
        let temporaries = Temporaries::default();
        let opened = open(&directory.join("x"), &temporaries).unwrap();
        temporaries.remove_all();
        assert!(names(&directory).is_empty());
        drop(opened);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_symbolic_link_stays_one() {
        let directory = directory("link");
        fs::write(directory.join("target"), "old").unwrap();
        std::os::unix::fs::symlink("target", directory.join("link")).unwrap();
        let Opened {
            mut file, pending, ..
        } = open(&directory.join("link"), &Temporaries::default()).unwrap();
        file.write_all(b"new").unwrap();
        pending.unwrap().complete().unwrap();
        assert_eq!(names(&directory), ["link", "target"]);
        assert_eq!(fs::read(directory.join("target")).unwrap(), b"new");
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn parts_are_counted_and_none_is_overwritten() {
        let directory = directory("parts");
        let below = directory.join("new");
        for run in ["first", "second", "third"] {
            let mut parts = Parts::new(&below, &Temporaries::default()).unwrap();
            parts.open().unwrap().write_all(run.as_bytes()).unwrap();
            parts.complete().unwrap();
        }
        let mut parts = Parts::new(&below, &Temporaries::default()).unwrap();
        parts.open().unwrap();
        parts.open().unwrap();
        drop(parts);
        let expected = [
            "part-000001-1.parquet",
            "part-000001-2.parquet",
            "part-000001.parquet",
        ];
        assert_eq!(names(&below), expected);
        let read = expected.map(|name| fs::read_to_string(below.join(name)).unwrap());
        assert_eq!(read, ["second", "third", "first"]);
        assert!(Parts::new(&directory.join("a/b"), &Temporaries::default()).is_err());
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_name_ior_makes_up_is_never_overwritten() {
        let directory = directory("beside");
        let path = |name: &str| directory.join(name);
        let made_up = path("host.example-x-1.ior.zst");
        let mut made = Vec::new();
        for _ in 0..3 {
            let opened = create_beside(made_up.to_str().unwrap(), &Temporaries::default());
            let pending = opened.unwrap().pending.unwrap();
            made.push(pending.complete_beside(".ior.zst").unwrap());
        }
        let expected = [
            path("host.example-x-1.ior.zst"),
            path("host.example-x-1-1.ior.zst"),
            path("host.example-x-1-2.ior.zst"),
        ];
        assert_eq!(made, expected);
        assert_eq!(names(&directory).len(), 3);
        fs::remove_dir_all(directory).unwrap();
    }

    #[test]
    fn a_file_whose_directory_is_gone_is_an_error_of_its_kind() {
        let directory = directory("gone");
        let opened = open(&directory.join("x"), &Temporaries::default()).unwrap();
        let mut file = Single::new(opened);
        file.open().unwrap();
        fs::remove_dir_all(directory).unwrap();
        assert_eq!(file.complete().unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn devices_are_written_directly_and_directories_refused() {
        assert!(
            open(Path::new("/dev/null"), &Temporaries::default())
                .unwrap()
                .pending
                .is_none()
        );
        assert!(open(Path::new("/tmp"), &Temporaries::default()).is_err());
        assert!(open(Path::new("/nowhere/x"), &Temporaries::default()).is_err());
    }
}
