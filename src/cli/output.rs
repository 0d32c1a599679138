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
use std::path::{Path, PathBuf, is_separator};
use std::sync::Arc;

use clap::Args;
use omnogram::error::{Error, Kind};
use omnogram::format;

use super::drafts::Draft;
use super::input_files::{FileId, InputFiles};
use super::inputs;
use super::interrupt::Interrupt;
use super::status::{Answered, Failure, usage};
use super::words::pack_number;

/// Whether existing files may be replaced.
#[derive(Args, Clone, Copy, Debug, Default)]
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

/// Whether an output of this name is a folder: one that exists, or a name that ends with a path separator.
pub(super) fn is_folder(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    path.is_dir() || last.is_some_and(|&byte| is_separator(char::from(byte)))
}

/// Whether these are two names of one file, which need not exist.
pub(super) fn is_same(a: &Path, b: &Path) -> bool {
    match (FileId::at(a), FileId::at(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => match (resolve(a), resolve(b)) {
            (Ok(Destination::File(a, _)), Ok(Destination::File(b, _))) => {
                full_path(&a) == full_path(&b)
            }
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
        let (target, exists) = match self.destination(path)? {
            Destination::Stdout => return Ok(Output::Stdout),
            Destination::Stream(path) => return Ok(Output::Stream(name, path, None)),
            Destination::File(path, exists) => (path, exists),
        };
        if !self.claimed.insert(full_path(&target)) {
            let message = "this file is named for two outputs of this command";
            return Err(usage(message).in_file(&name));
        }
        if exists {
            if !self.force {
                let message = "this file already exists: --force replaces it";
                return Err(usage(message).in_file(&name));
            }
            // A write-protected file is not replaced, even if its folder would allow it.
            let opened = OpenOptions::new().append(true).open(&target);
            opened.map_err(|error| Error::io(&name, error))?;
        }
        Interrupt::handle_signals();
        let draft = Draft::create_beside(&target, exists);
        let draft = draft.map_err(|error| Error::io(&name, error))?;
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

    /// Opens an output that need not be asked for.
    pub(super) fn optional(&mut self, path: Option<&Path>) -> Result<Option<Output>, Error> {
        path.map(|path| self.file(Some(path))).transpose()
    }

    /// Opens the output for one puzzle in a folder, which is created if it does not exist: a file with this ending, named after the puzzle.
    pub(super) fn file_for(
        &mut self,
        puzzle: &str,
        folder: &Path,
        ending: &str,
    ) -> Result<Output, Error> {
        if !folder.is_dir() {
            self.folder(folder)?;
        }
        self.file(Some(&folder.join(file_name(puzzle, ending))))
    }

    /// What this name refers to; an error if that is read by this command, or cannot be written. A descriptor may lead to a file that is
    /// read.
    fn destination(&self, path: &Path) -> Result<Destination, Error> {
        let name = path.display().to_string();
        let destination = resolve(path).map_err(|error| Error::io(&name, error))?;
        if let Destination::Stream(path) | Destination::File(path, _) = &destination {
            self.reads.refuse_input(path, &name)?;
        }
        if let Destination::Stream(path) = &destination
            && descriptor(path).is_some_and(is_read_only)
        {
            let message = "this is open for reading only: it cannot be written";
            return Err(Error::new(Kind::Io, message).in_file(&name));
        }
        Ok(destination)
    }

    /// Checks that the list of a [journal](super::journal) may be written: it is extended, or replaced if the journal is `new`.
    pub(super) fn check_journal_list(&self, path: &Path, new: bool) -> Result<(), Error> {
        let exists = matches!(self.destination(path)?, Destination::File(_, true));
        if new && exists && !self.force {
            let message =
                "this file already exists, but the journal is new: --force replaces the file";
            return Err(usage(message).in_file(&path.display().to_string()));
        }
        Ok(())
    }

    /// Publishes a draft under a name that identifies its content. If a file of this name exists and `holds` this content, the draft is
    /// dropped instead.
    pub(super) fn publish_draft(
        &self,
        draft: Draft,
        path: &Path,
        holds: impl Fn() -> bool,
    ) -> Result<(), Error> {
        let name = path.display().to_string();
        self.reads.refuse_input(path, &name)?;
        let draft = match draft.publish(path, false) {
            Ok(()) => return Ok(()),
            Err((error, draft)) if error.kind() == io::ErrorKind::AlreadyExists => draft,
            Err((error, _)) => return Err(Error::io(&name, error)),
        };
        if holds() {
            return Ok(());
        }
        if !self.force {
            let message = "this file already exists, and its content does not match its name: --force replaces it";
            return Err(usage(message).in_file(&name));
        }
        let replaced = draft.publish(path, true);
        replaced.map_err(|(error, _)| Error::io(&name, error))
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
            Output::File(pending) => pending.draft.write(bytes).map_err(|error| {
                pending.failed = true;
                Failure::writing(&pending.name, error)
            }),
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

/// For what writes by the standard library. [`Failure::writing`] finds the error again.
impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match Output::write(self, bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(Failure::Closed) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(Failure::Error(error)) => Err(io::Error::other(error)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl PendingFile {
    fn publish(self) -> Result<(), Error> {
        // After a failed write the complete lines are published, but they do not replace the file of an earlier run.
        if self.failed && self.target.exists() {
            return Ok(());
        }
        // An input file may have been moved to this name meanwhile.
        self.reads.refuse_input(&self.target, &self.name)?;
        match self.draft.publish(&self.target, self.force) {
            Ok(()) => Ok(()),
            Err((error, draft)) if error.kind() == io::ErrorKind::AlreadyExists => {
                // The draft is kept: the run may have taken days.
                let message = format!(
                    "this file was created during the run, and is not replaced; the output is in {}",
                    draft.keep().display()
                );
                Err(usage(message).in_file(&self.name))
            }
            Err((error, _)) => Err(Error::io(&self.name, error)),
        }
    }
}

/// What the name of an output refers to.
#[derive(Debug)]
enum Destination {
    Stdout,
    /// Not a regular file, or a file descriptor that this process has inherited.
    Stream(PathBuf),
    /// A regular file, with links resolved, and whether it exists.
    File(PathBuf, bool),
}

/// Resolves the name of an output, following symbolic links.
fn resolve(path: &Path) -> io::Result<Destination> {
    if inputs::is_stdin(path) {
        return Ok(Destination::Stdout);
    }
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Some(descriptor) = descriptor(&path) {
            return Ok(match descriptor {
                1 => Destination::Stdout,
                _ => Destination::Stream(path),
            });
        }
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {
                // A link that is not absolute begins at its folder.
                let link = fs::read_link(&path)?;
                path.pop();
                path.push(link);
            }
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if metadata.is_file() => return Ok(Destination::File(path, true)),
            Ok(_) => return Ok(Destination::Stream(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Destination::File(path, false));
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
    let own = format!("/proc/{}/fd", std::process::id());
    let folders = ["/dev/fd", "/proc/self/fd", "/proc/thread-self/fd", &own];
    let folder = path.parent()?;
    let is_own = folders.iter().any(|own| folder == Path::new(own));
    is_own.then_some(number)
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

/// The file for the puzzle of this name: the stem of its input file, its number in a pack, and this ending.
fn file_name(puzzle: &str, ending: &str) -> String {
    let number = pack_number(puzzle).map_or(String::new(), |number| format!("-{number}"));
    // The number takes as many characters as in the name, where it follows a `#`.
    let file = &puzzle[..puzzle.len() - number.len()];
    let stem = match Path::new(file).file_stem() {
        // A game ID or an address may have slashes.
        Some(stem) if format::of_word(file).is_none() => stem.to_string_lossy(),
        _ => file.into(),
    };
    let stem = stem.replace(|c: char| c.is_control() || "<>:\"/\\|?*".contains(c), "-");
    format!("{}{number}.{ending}", stem.trim_matches('-'))
}

/// The full path of a file that need not exist, for comparison.
fn full_path(path: &Path) -> PathBuf {
    // The parent of a name alone is the empty path.
    let folder = path.parent().map(|folder| Path::new(".").join(folder));
    let folder = folder.unwrap_or_default();
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

    #[test]
    fn output_files_are_named_after_input_files() {
        assert_eq!(file_name("a/b.c.non", "xml"), "b.c.xml");
        assert_eq!(file_name("a/pack.nonpack#12", "nin"), "pack-12.nin");
        assert_eq!(file_name("a#b.non", "nin"), "a#b.nin");
        assert_eq!(file_name("<stdin>", "nin"), "stdin.nin");
        assert_eq!(file_name("<stdin>#2", "nin"), "stdin-2.nin");
        assert_eq!(file_name("1x1:1/1", "nin"), "1x1-1-1.nin");
    }
}
