//! The set of files that a command reads. Membership is by device and inode, so that links do not matter.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{fs, io};

use omnogram::error::Error;

use super::inputs;
use super::status::usage;

/// An error if standard output is redirected to an input file: the shell has truncated it, or appends to it.
pub(super) fn check_stdout(puzzles: &[PathBuf], files: &[PathBuf]) -> Result<(), Error> {
    let stdout = redirected_file(io::stdout());
    if stdout.is_some_and(|stdout| InputFiles::new(puzzles, files).ids().contains(&stdout)) {
        let message = "this is an input file: it would be overwritten";
        return Err(usage(message).in_file("<stdout>"));
    }
    Ok(())
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
    puzzles: Vec<PathBuf>,
    files: Vec<PathBuf>,
    /// Found on the first look-up: before the run if the command has an output file, and never if it has none.
    ids: OnceLock<HashSet<FileId>>,
}

impl InputFiles {
    /// The files that these PUZZLE arguments name, and these files; `-` is standard input.
    pub(super) fn new(puzzles: &[PathBuf], files: &[PathBuf]) -> Self {
        InputFiles {
            puzzles: puzzles.to_vec(),
            files: files.to_vec(),
            ids: OnceLock::new(),
        }
    }

    fn ids(&self) -> &HashSet<FileId> {
        self.ids.get_or_init(|| {
            let mut paths = self.puzzles.iter().chain(&self.files);
            let reads_stdin = paths.any(|path| inputs::is_stdin(path));
            let stdin = reads_stdin.then(|| redirected_file(io::stdin())).flatten();
            let puzzles = inputs::files(&self.puzzles);
            let named = puzzles.iter().chain(&self.files);
            named
                .filter_map(|path| FileId::at(path))
                .chain(stdin)
                .collect()
        })
    }

    /// Whether the file of this name is one of them.
    pub(super) fn contains(&self, file: &Path) -> bool {
        let ids = self.ids();
        FileId::at(file).is_some_and(|file| ids.contains(&file))
    }

    /// An error if `target` is one of these files, which must not be overwritten.
    pub(super) fn refuse_input(&self, target: &Path, name: &str) -> Result<(), Error> {
        if self.contains(target) {
            let message =
                "this is an input file: it would be overwritten, and --force does not allow that";
            return Err(usage(message).in_file(name));
        }
        Ok(())
    }
}
