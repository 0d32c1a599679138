//! The files that a command reads, and whether a file is one of them: by device and inode, whatever links lead to it.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use omnogram::error::{Error, Kind};

use super::inputs;

/// Says so when standard output is a file that is read: the shell appends to it, or has emptied it before.
pub(super) fn spare_input(puzzles: &[PathBuf], files: &[PathBuf]) -> Result<(), Error> {
    let Some(stdout) = standard(io::stdout()) else {
        return Ok(());
    };
    match InputFiles::new(puzzles, files).has(&stdout) {
        false => Ok(()),
        true => {
            let message = "this is a file that is read: it would be overwritten";
            Err(Error::new(Kind::Usage, message).in_file("<stdout>"))
        }
    }
}

/// Is this the same file as one of those that PUZZLE arguments name?
pub(super) fn is_among(file: &Path, puzzles: &[PathBuf]) -> bool {
    FileId::at(file).is_some_and(|file| InputFiles::new(puzzles, &[]).has(&file))
}

/// What tells whether two names mean the same regular file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg(unix)]
pub(super) struct FileId(u64, u64);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg(not(unix))]
pub(super) struct FileId(PathBuf);

impl FileId {
    /// Of the file that this name leads to, if there is one.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let there = fs::metadata(path).ok()?;
        #[cfg(unix)]
        return Self::of(&there);
        #[cfg(not(unix))]
        return there
            .is_file()
            .then(|| path.canonicalize().ok())
            .flatten()
            .map(FileId);
    }

    /// By device and number of the inode.
    #[cfg(unix)]
    fn of(there: &fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        there.is_file().then(|| FileId(there.dev(), there.ino()))
    }
}

/// The file that standard input or output is, if it is one.
#[cfg(unix)]
fn standard(stream: impl std::os::fd::AsFd) -> Option<FileId> {
    let file = fs::File::from(stream.as_fd().try_clone_to_owned().ok()?);
    FileId::of(&file.metadata().ok()?)
}

#[cfg(not(unix))]
fn standard<T>(_: T) -> Option<FileId> {
    None
}

/// The files that a command reads.
#[derive(Debug)]
pub(super) struct InputFiles {
    files: HashSet<FileId>,
    /// PUZZLE arguments, and the files that they name; folders are searched only when it matters.
    puzzles: Vec<PathBuf>,
    found: OnceLock<HashSet<FileId>>,
}

impl InputFiles {
    /// What these PUZZLE arguments name, and these files; `-` is standard input.
    pub(super) fn new(puzzles: &[PathBuf], files: &[PathBuf]) -> Self {
        let files = files
            .iter()
            .filter_map(|path| match inputs::is_stdin(path) {
                true => standard(io::stdin()),
                false => FileId::at(path),
            });
        InputFiles {
            files: files.collect(),
            puzzles: puzzles.to_vec(),
            found: OnceLock::new(),
        }
    }

    fn has(&self, file: &FileId) -> bool {
        let find = || {
            let stdin = self.puzzles.iter().any(|path| inputs::is_stdin(path));
            let stdin = stdin.then(|| standard(io::stdin())).flatten();
            let named = inputs::files(&self.puzzles);
            let named = named.iter().filter_map(|path| FileId::at(path));
            named.chain(stdin).collect()
        };
        self.files.contains(file) || self.found.get_or_init(find).contains(file)
    }

    /// Refuses to write over a file that is read.
    pub(super) fn spare(&self, target: &Path, name: &str) -> Result<(), Error> {
        match FileId::at(target).is_some_and(|file| self.has(&file)) {
            false => Ok(()),
            true => {
                let message =
                    "this file is read: it would be overwritten, and --force does not change that";
                Err(Error::new(Kind::Usage, message).in_file(name))
            }
        }
    }
}
