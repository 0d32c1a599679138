//! The set of files that a command reads. Membership is by device and inode, so that links do not matter.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use omnogram::error::{Error, Kind};

use super::inputs;

/// An error if standard output is redirected to an input file: the shell has truncated it, or appends to it.
pub(super) fn check_stdout(puzzles: &[PathBuf], files: &[PathBuf]) -> Result<(), Error> {
    let Some(stdout) = redirected_file(io::stdout()) else {
        return Ok(());
    };
    if InputFiles::new(puzzles, files).contains(&stdout) {
        let message = "this is an input file: it would be overwritten";
        Err(Error::new(Kind::Usage, message).in_file("<stdout>"))
    } else {
        Ok(())
    }
}

/// Whether this file is one of those that the PUZZLE arguments name.
pub(super) fn is_puzzle_input(file: &Path, puzzles: &[PathBuf]) -> bool {
    FileId::at(file).is_some_and(|file| InputFiles::new(puzzles, &[]).contains(&file))
}

/// The identity of a regular file: equal for all names of the same file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg(unix)]
pub(super) struct FileId(u64, u64);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg(not(unix))]
pub(super) struct FileId(PathBuf);

impl FileId {
    /// The identity of the regular file at this path, links followed, if there is one.
    pub(super) fn at(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        #[cfg(unix)]
        return Self::of(&metadata);
        #[cfg(not(unix))]
        return metadata
            .is_file()
            .then(|| path.canonicalize().ok())
            .flatten()
            .map(FileId);
    }

    /// The device and inode numbers.
    #[cfg(unix)]
    fn of(metadata: &fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        metadata
            .is_file()
            .then(|| FileId(metadata.dev(), metadata.ino()))
    }
}

/// The regular file that this standard stream is redirected to, if any.
#[cfg(unix)]
fn redirected_file(stream: impl std::os::fd::AsFd) -> Option<FileId> {
    let file = fs::File::from(stream.as_fd().try_clone_to_owned().ok()?);
    FileId::of(&file.metadata().ok()?)
}

#[cfg(not(unix))]
fn redirected_file<T>(_: T) -> Option<FileId> {
    None
}

/// The set of files that a command reads.
#[derive(Debug)]
pub(super) struct InputFiles {
    files: HashSet<FileId>,
    /// The PUZZLE arguments, and the files that they name; folders are searched on the first look-up that needs it.
    puzzles: Vec<PathBuf>,
    found: OnceLock<HashSet<FileId>>,
}

impl InputFiles {
    /// The files that these PUZZLE arguments name, and these files; `-` is standard input.
    pub(super) fn new(puzzles: &[PathBuf], files: &[PathBuf]) -> Self {
        let files = files.iter().filter_map(|path| {
            if inputs::is_stdin(path) {
                redirected_file(io::stdin())
            } else {
                FileId::at(path)
            }
        });
        InputFiles {
            files: files.collect(),
            puzzles: puzzles.to_vec(),
            found: OnceLock::new(),
        }
    }

    fn contains(&self, file: &FileId) -> bool {
        let find = || {
            let stdin = self.puzzles.iter().any(|path| inputs::is_stdin(path));
            let stdin = stdin.then(|| redirected_file(io::stdin())).flatten();
            let named = inputs::files(&self.puzzles);
            let named = named.iter().filter_map(|path| FileId::at(path));
            named.chain(stdin).collect()
        };
        self.files.contains(file) || self.found.get_or_init(find).contains(file)
    }

    /// An error if `target` is one of these files, which must not be overwritten.
    pub(super) fn refuse_input(&self, target: &Path, name: &str) -> Result<(), Error> {
        if FileId::at(target).is_some_and(|file| self.contains(&file)) {
            let message =
                "this is an input file: it would be overwritten, and --force does not allow that";
            Err(Error::new(Kind::Usage, message).in_file(name))
        } else {
            Ok(())
        }
    }
}
