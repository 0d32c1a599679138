//! Outputs: the rules for the files that verbs write. A file that the same command reads is never overwritten, under whatever name, and no
//! other file is replaced without `--force`. Both are checked before the run and again at its end.
//!
//! An output is written as a [draft](super::drafts) beside its target, and renamed to the target when it is finished: until then an
//! existing file is unchanged, and an output that is dropped unfinished leaves no trace. A symbolic link is kept, and the file behind it is
//! replaced. Targets that are not regular files (a pipe, a terminal, `/dev/null`, `/dev/stdout`) are written in place, and so is the list
//! of a [journal](super::journal), which is extended. A file descriptor that the process has inherited is written in place too, unless
//! the file behind it is an input, or it was opened for reading only.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use omnogram::error::{Error, Kind};

use super::drafts::Draft;
use super::input_files::{FileId, InputFiles};
use super::inputs;
use super::interrupt::Interrupt;
use super::status::{Answered, Failure};

/// Whether existing files may be replaced.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct Replacing {
    /// Replace an existing output file; an input file is never replaced
    #[arg(long, short)]
    force: bool,
}

/// Most symbolic links that are followed, one to the next, before a cycle is assumed.
const MAX_LINKS: usize = 40;

/// Prints an answer, or a part of it, on standard output.
pub(super) fn print(text: &str) -> Answered<()> {
    Output::Stdout.write(text.as_bytes())
}

/// Prints the last that a run prints. A reader that closes the pipe before its end has what it wanted.
pub(super) fn print_last(bytes: &[u8]) -> Answered<()> {
    match Output::Stdout.write(bytes) {
        Err(Failure::Closed) => Ok(()),
        written => written,
    }
}

/// Whether these are two names of one file, which need not exist.
pub(super) fn is_same(a: &Path, b: &Path) -> bool {
    match (FileId::at(a), FileId::at(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => match (resolve(a), resolve(b)) {
            (Ok(Target::File(a, _)), Ok(Target::File(b, _))) => full_path(&a) == full_path(&b),
            _ => a == b,
        },
        _ => false,
    }
}

/// The outputs of one command.
#[derive(Debug)]
pub(super) struct Outputs {
    force: bool,
    reads: Arc<InputFiles>,
    /// The full paths of this command's outputs so far.
    claimed: HashSet<PathBuf>,
}

impl Outputs {
    /// The outputs of a command that reads the files that these PUZZLE arguments name, and these files; `-` is standard input.
    pub(super) fn new(replacing: Replacing, puzzles: &[PathBuf], files: &[PathBuf]) -> Self {
        Outputs {
            force: replacing.force,
            reads: Arc::new(InputFiles::new(puzzles, files)),
            claimed: HashSet::new(),
        }
    }

    /// Opens an output: this file if it may be written, or standard output for `None` and `-`.
    pub(super) fn file(&mut self, path: Option<&Path>) -> Result<Output, Error> {
        let Some(path) = path else {
            return Ok(Output::Stdout);
        };
        let name = path.display().to_string();
        let failed = |error: io::Error| Error::io(&name, error);
        let (target, exists) = match resolve(path).map_err(failed)? {
            Target::Stdout => return Ok(Output::Stdout),
            Target::Stream(path) => {
                self.check_stream(&path, &name)?;
                return Ok(Output::Stream(name, path, None));
            }
            Target::File(path, exists) => (path, exists),
        };
        self.reads.refuse_input(&target, &name)?;
        let wrong = |message: &str| Error::new(Kind::Usage, message).in_file(&name);
        if !self.claimed.insert(full_path(&target)) {
            return Err(wrong("this file is named for two outputs of this command"));
        }
        if exists {
            if !self.force {
                return Err(wrong("this file already exists: --force replaces it"));
            }
            // A write-protected file is not replaced, even if its folder would allow it.
            OpenOptions::new()
                .append(true)
                .open(&target)
                .map_err(failed)?;
        }
        Interrupt::handle_signals();
        let draft = Draft::create_beside(&target, exists).map_err(failed)?;
        Ok(Output::File(Box::new(PendingFile {
            name,
            target,
            draft,
            force: self.force,
            begun: false,
            failed: false,
            reads: Arc::clone(&self.reads),
        })))
    }

    /// Checks that a stream may be written. A descriptor may lead to a file that this command reads.
    fn check_stream(&self, path: &Path, name: &str) -> Result<(), Error> {
        self.reads.refuse_input(path, name)?;
        if descriptor(path).is_some_and(is_read_only) {
            let message = "this is open for reading only: it cannot be written";
            Err(Error::new(Kind::Io, message).in_file(name))
        } else {
            Ok(())
        }
    }

    /// Checks that the list of a [journal](super::journal) may be written: it is extended, or replaced if the journal is `new`.
    pub(super) fn check_journal_list(&self, path: &Path, new: bool) -> Result<(), Error> {
        let name = path.display().to_string();
        let (target, exists) = match resolve(path).map_err(|error| Error::io(&name, error))? {
            Target::Stdout => return Ok(()),
            Target::Stream(path) => return self.check_stream(&path, &name),
            Target::File(target, exists) => (target, exists),
        };
        self.reads.refuse_input(&target, &name)?;
        if new && exists && !self.force {
            let message =
                "this file already exists, but the journal is new: --force replaces the file";
            Err(Error::new(Kind::Usage, message).in_file(&name))
        } else {
            Ok(())
        }
    }

    /// Publishes a draft under a name that identifies its content. If a file of this name exists and `holds` this content, the draft is
    /// dropped instead.
    pub(super) fn publish_draft(
        &self,
        mut draft: Draft,
        path: &Path,
        holds: impl Fn() -> bool,
    ) -> Result<(), Error> {
        let name = path.display().to_string();
        self.reads.refuse_input(path, &name)?;
        match draft.publish(path, false) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            published => return published.map_err(|error| Error::io(&name, error)),
        }
        if holds() {
            return Ok(());
        }
        if !self.force {
            let message = "this file already exists, and its content does not match its name: --force replaces it";
            return Err(Error::new(Kind::Usage, message).in_file(&name));
        }
        let replaced = draft.publish(path, true);
        replaced.map_err(|error| Error::io(&name, error))
    }

    /// Creates a folder for outputs if it does not exist. An error if no file can be created in it.
    pub(super) fn folder(&self, folder: &Path) -> Result<(), Error> {
        let failed = |error: io::Error| Error::io(&folder.display().to_string(), error);
        fs::create_dir_all(folder).map_err(failed)?;
        Interrupt::handle_signals();
        Draft::create_beside(&folder.join("output"), false).map_err(failed)?;
        Ok(())
    }
}

/// The destination of an output.
#[derive(Debug)]
pub(super) enum Output {
    Stdout,
    /// A file that is written in place: its name as the user gave it, its path with links resolved, and the file once it is open.
    Stream(String, PathBuf, Option<File>),
    /// A file that gets its name when it is finished.
    File(Box<PendingFile>),
}

/// A file that is being written as a draft.
#[derive(Debug)]
pub(super) struct PendingFile {
    /// The name as the user gave it.
    name: String,
    /// The path of the target, with links resolved.
    target: PathBuf,
    draft: Draft,
    force: bool,
    /// Whether the file is to be created, even if nothing more is written to it.
    begun: bool,
    /// Whether a write has failed.
    failed: bool,
    reads: Arc<InputFiles>,
}

impl Output {
    /// Marks the output as begun: it is created even if nothing is written to it.
    pub(super) fn begin(&mut self) -> Answered<()> {
        match self {
            Output::Stdout => {}
            Output::Stream(name, path, file) => {
                if file.is_none() {
                    let opened = OpenOptions::new().append(true).open(path);
                    *file = Some(opened.map_err(|error| Failure::writing(name, error))?);
                }
            }
            Output::File(pending) => pending.begun = true,
        }
        Ok(())
    }

    /// Writes these bytes, which are complete lines: a draft keeps all of them or none.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Answered<()> {
        self.begin()?;
        match self {
            Output::Stdout => {
                let written = io::stdout().lock().write_all(bytes);
                written.map_err(|error| Failure::writing("<stdout>", error))
            }
            Output::Stream(name, _, file) => {
                let written = file.as_mut().map_or(Ok(()), |file| file.write_all(bytes));
                written.map_err(|error| Failure::writing(name, error))
            }
            Output::File(pending) => {
                let written = pending.draft.write(bytes);
                pending.failed |= written.is_err();
                written.map_err(|error| Failure::writing(&pending.name, error))
            }
        }
    }

    /// Whether a terminal shows what is written. A stream is known once it is begun.
    pub(super) fn is_terminal(&self) -> bool {
        match self {
            Output::Stdout => io::stdout().is_terminal(),
            Output::Stream(_, _, file) => file.as_ref().is_some_and(File::is_terminal),
            Output::File(_) => false,
        }
    }

    /// An error if the output would overwrite one of these files, which have become known as inputs only now.
    pub(super) fn refuse_overwrite(&self, files: &[PathBuf]) -> Result<(), Error> {
        let (target, name) = match self {
            Output::Stdout => return Ok(()),
            Output::Stream(name, path, _) => (path, name),
            Output::File(pending) => (&pending.target, &pending.name),
        };
        InputFiles::new(&[], files).refuse_input(target, name)
    }

    /// Publishes a file that was begun, with everything written to it. A file that is dropped without this is removed.
    pub(super) fn finish(&mut self) -> Answered<()> {
        match std::mem::replace(self, Output::Stdout) {
            Output::File(pending) if pending.begun => Ok(pending.publish()?),
            Output::File(_) => Ok(()),
            written => {
                *self = written;
                Ok(())
            }
        }
    }
}

impl PendingFile {
    fn publish(mut self) -> Result<(), Error> {
        // After a failed write the complete lines are published, but they do not replace the file of an earlier run.
        if self.failed && self.target.exists() {
            return Ok(());
        }
        // An input file may have been moved to this name meanwhile.
        self.reads.refuse_input(&self.target, &self.name)?;
        match self.draft.publish(&self.target, self.force) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // The draft is kept: the run may have taken days.
                let left = self.draft.keep();
                let message = format!(
                    "this file was created during the run, and is not replaced; the output is in {}",
                    left.display()
                );
                Err(Error::new(Kind::Usage, message).in_file(&self.name))
            }
            Err(error) => Err(Error::io(&self.name, error)),
        }
    }
}

/// What the name of an output refers to.
#[derive(Debug)]
enum Target {
    Stdout,
    /// Not a regular file, or a file descriptor that this process has inherited.
    Stream(PathBuf),
    /// A regular file, with links resolved, and whether it exists.
    File(PathBuf, bool),
}

/// Resolves the name of an output, following symbolic links.
fn resolve(path: &Path) -> io::Result<Target> {
    if inputs::is_stdin(path) {
        return Ok(Target::Stdout);
    }
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Some(descriptor) = descriptor(&path) {
            return Ok(match descriptor {
                1 => Target::Stdout,
                _ => Target::Stream(path),
            });
        }
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                let link = fs::read_link(&path)?;
                path = path
                    .parent()
                    .map_or(link.clone(), |parent| parent.join(&link));
            }
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if metadata.is_file() => return Ok(Target::File(path, true)),
            Ok(_) => return Ok(Target::Stream(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Target::File(path, false));
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many levels of symbolic links"))
}

/// The file descriptor that a name such as `/dev/stdout` or `/dev/fd/3` refers to. It is open already, so it is written in place even if it
/// is a regular file.
fn descriptor(path: &Path) -> Option<u32> {
    match path.to_str()? {
        "/dev/stdin" => return Some(0),
        "/dev/stdout" => return Some(1),
        "/dev/stderr" => return Some(2),
        _ => {}
    }
    let number = path.file_name()?.to_str()?.parse().ok()?;
    let folder = path.parent()?;
    let own = ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd"];
    let own = own.iter().any(|own| folder == Path::new(own))
        || folder == Path::new(&format!("/proc/{}/fd", std::process::id()));
    own.then_some(number)
}

/// Whether an inherited descriptor was opened for reading only. Linux opens the file behind the name of a descriptor anew, with the rights
/// of the user instead of those that the shell has given; other systems refuse that themselves.
fn is_read_only(descriptor: u32) -> bool {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::PermissionsExt;
        // The permissions of the link tell how the descriptor was opened.
        let link = fs::symlink_metadata(format!("/proc/self/fd/{descriptor}"));
        link.is_ok_and(|link| link.permissions().mode() & 0o200 == 0)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = descriptor;
        false
    }
}

/// The full path of a file that need not exist, for comparison.
fn full_path(path: &Path) -> PathBuf {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_file_descriptors_are_recognised() {
        assert_eq!(descriptor(Path::new("/dev/stdout")), Some(1));
        assert_eq!(descriptor(Path::new("/dev/fd/63")), Some(63));
        assert_eq!(descriptor(Path::new("/proc/self/fd/2")), Some(2));
        for path in ["/dev/null", "1", "/tmp/fd/1", "fd/1", "/dev/fd"] {
            assert_eq!(descriptor(Path::new(path)), None, "{path}");
        }
    }
}
