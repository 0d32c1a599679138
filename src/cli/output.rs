//! Outputs: the files that verbs write, by one rule. A file that the same command reads is never written over, whatever its name, and no
//! other file is replaced without `--force`. All of that is checked before the work begins, and again when it has ended.
//!
//! An output is written as a [draft](super::drafts) beside its file, and takes the file's name when it is finished: until then the old file
//! is as it was, and an output that is dropped unfinished has never been. A link stays, and the file that it leads to is replaced. What
//! is no regular file (a pipe, a terminal, `/dev/null`, `/dev/stdout`) is written in place, and so is the list of a
//! [journal](super::journal), which is continued.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use omnogram::error::{Error, Kind};

use super::drafts::Draft;
use super::input_files::{FileId, InputFiles};
use super::inputs;
use super::interrupt::Interrupt;
use super::messages;
use super::status::{Answered, Halt, Status};

/// What may become of files that are there already.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct Replacing {
    /// Replace an output file that is there already; a file that is read is never replaced
    #[arg(long, short)]
    force: bool,
}

/// Links that are followed, one to the next, before they are taken for a circle.
const LINKS: usize = 40;

/// Prints something whole, where there is no session to print it in.
pub(super) fn print(bytes: &[u8]) -> Status {
    match Output::Stdout.write(bytes) {
        Ok(()) | Err(Halt::Closed) => Status::Complete,
        Err(Halt::Failed(error)) => {
            messages::error(&error);
            Status::from(&error)
        }
    }
}

/// Are these two names of one file, which may have been made or not?
pub(super) fn is_same(a: &Path, b: &Path) -> bool {
    match (FileId::at(a), FileId::at(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => match (resolve(a), resolve(b)) {
            (Ok(Target::File(a, _)), Ok(Target::File(b, _))) => full(&a) == full(&b),
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
    /// Files that are or will be outputs of this command.
    taken: HashSet<PathBuf>,
}

impl Outputs {
    /// Of a command that reads what these PUZZLE arguments name, and these files; `-` is standard input.
    pub(super) fn new(replacing: Replacing, puzzles: &[PathBuf], files: &[PathBuf]) -> Self {
        Outputs {
            force: replacing.force,
            reads: Arc::new(InputFiles::new(puzzles, files)),
            taken: HashSet::new(),
        }
    }

    /// An output: this file if it may be written, or standard output without a name and for `-`.
    pub(super) fn file(&mut self, path: Option<&Path>) -> Result<Output, Error> {
        let Some(path) = path else {
            return Ok(Output::Stdout);
        };
        let name = path.display().to_string();
        let failed = |error: io::Error| Error::io(&name, &error);
        let (target, there) = match resolve(path).map_err(failed)? {
            Target::Stdout => return Ok(Output::Stdout),
            Target::Stream(path) => return Ok(Output::Stream(name, path, None)),
            Target::File(path, there) => (path, there),
        };
        self.reads.spare(&target, &name)?;
        let wrong = |message: &str| Error::new(Kind::Usage, message).in_file(&name);
        if !self.taken.insert(full(&target)) {
            return Err(wrong("another output of this command has this name"));
        }
        if there {
            if !self.force {
                return Err(wrong("this file is there already: --force replaces it"));
            }
            // A file that may not be written is protected, even where its folder is not.
            OpenOptions::new()
                .append(true)
                .open(&target)
                .map_err(failed)?;
        }
        Interrupt::handled();
        let draft = Draft::beside(&target, there).map_err(failed)?;
        Ok(Output::File(Box::new(Pending {
            name,
            target,
            draft,
            force: self.force,
            begun: false,
            failed: false,
            reads: Arc::clone(&self.reads),
        })))
    }

    /// Where a [journal](super::journal) has its list of solutions: a file that is continued, and made anew when the journal is `new`.
    pub(super) fn continued(&self, path: &Path, new: bool) -> Result<(), Error> {
        let name = path.display().to_string();
        let Target::File(target, there) =
            resolve(path).map_err(|error| Error::io(&name, &error))?
        else {
            return Ok(());
        };
        self.reads.spare(&target, &name)?;
        match new && there && !self.force {
            false => Ok(()),
            true => {
                let message = "this file is there already, and the journal is a new one: --force replaces the file";
                Err(Error::new(Kind::Usage, message).in_file(&name))
            }
        }
    }

    /// Gives a draft a name that tells what is in it. A file of this name that `holds` just that is as good as the draft.
    pub(super) fn put(
        &self,
        mut draft: Draft,
        path: &Path,
        holds: impl Fn() -> bool,
    ) -> Result<(), Error> {
        let name = path.display().to_string();
        self.reads.spare(path, &name)?;
        match draft.publish(path, false) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            published => return published.map_err(|error| Error::io(&name, &error)),
        }
        if holds() {
            return Ok(());
        }
        if !self.force {
            let message = "this file is there already, and does not hold what its name says: --force replaces it";
            return Err(Error::new(Kind::Usage, message).in_file(&name));
        }
        let replaced = draft.publish(path, true);
        replaced.map_err(|error| Error::io(&name, &error))
    }

    /// A folder for outputs: makes it where there is none, and says so when nothing can be written to it.
    pub(super) fn folder(&self, folder: &Path) -> Result<(), Error> {
        let failed = |error: io::Error| Error::io(&folder.display().to_string(), &error);
        fs::create_dir_all(folder).map_err(failed)?;
        Interrupt::handled();
        Draft::beside(&folder.join("output"), false).map_err(failed)?;
        Ok(())
    }
}

/// Where something is written to.
#[derive(Debug)]
pub(super) enum Output {
    Stdout,
    /// What is written in place: its name as the user gave it, where that leads, and the file once it has been opened.
    Stream(String, PathBuf, Option<File>),
    /// A file that gets its name when it is finished.
    File(Box<Pending>),
}

/// A file on its way.
#[derive(Debug)]
pub(super) struct Pending {
    /// As the user gave it.
    name: String,
    /// Where that leads.
    target: PathBuf,
    draft: Draft,
    force: bool,
    /// Is there something to be written, were it nothing?
    begun: bool,
    /// Could not all be written to it?
    failed: bool,
    reads: Arc<InputFiles>,
}

impl Output {
    /// Says that there is something to write: from now on an empty output is one as well.
    pub(super) fn begin(&mut self) -> Answered<()> {
        match self {
            Output::Stdout => {}
            Output::Stream(name, path, file) => {
                if file.is_none() {
                    let opened = OpenOptions::new().append(true).open(path);
                    *file = Some(opened.map_err(|error| Halt::writing(name, &error))?);
                }
            }
            Output::File(pending) => pending.begun = true,
        }
        Ok(())
    }

    /// Writes whole lines.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Answered<()> {
        self.begin()?;
        match self {
            Output::Stdout => {
                let written = io::stdout().lock().write_all(bytes);
                written.map_err(|error| Halt::writing("<stdout>", &error))
            }
            Output::Stream(name, _, file) => {
                let written = file.as_mut().map_or(Ok(()), |file| file.write_all(bytes));
                written.map_err(|error| Halt::writing(name, &error))
            }
            Output::File(pending) => {
                let written = pending.draft.write(bytes);
                pending.failed |= written.is_err();
                written.map_err(|error| Halt::writing(&pending.name, &error))
            }
        }
    }

    /// Says so when it would be written over one of these files, of which it is known only now that they are read.
    pub(super) fn refuse_overwrite(&self, files: &[PathBuf]) -> Result<(), Error> {
        match self {
            Output::File(pending) => {
                InputFiles::new(&[], files).spare(&pending.target, &pending.name)
            }
            Output::Stdout | Output::Stream(..) => Ok(()),
        }
    }

    /// Gives a file that was begun its name, with all that has been written to it; whatever is not finished is gone when it is dropped.
    pub(super) fn finish(&mut self) -> Answered<()> {
        match std::mem::replace(self, Output::Stdout) {
            Output::File(pending) if pending.begun => pending.publish().map_err(Halt::Failed),
            Output::File(_) => Ok(()),
            written => {
                *self = written;
                Ok(())
            }
        }
    }

    /// That, and the status of a run that ended with this one.
    pub(super) fn finish_with(&mut self, status: Status) -> Status {
        match self.finish() {
            Ok(()) | Err(Halt::Closed) => status,
            Err(Halt::Failed(error)) => {
                messages::error(&error);
                status.max(Status::from(&error))
            }
        }
    }
}

impl Pending {
    fn publish(mut self) -> Result<(), Error> {
        // Whole solutions are better than nothing, but not than the file of an earlier run.
        if self.failed && self.target.exists() {
            return Ok(());
        }
        // Somebody may have given that name to a file that was read.
        self.reads.spare(&self.target, &self.name)?;
        match self.draft.publish(&self.target, self.force) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                // This may have been the work of days.
                let left = self.draft.leave();
                let message = format!(
                    "this file has come meanwhile, and is not replaced; what was to be written is in {}",
                    left.display()
                );
                Err(Error::new(Kind::Usage, message).in_file(&self.name))
            }
            Err(error) => Err(Error::io(&self.name, &error)),
        }
    }
}

/// What the name of an output leads to.
#[derive(Debug)]
enum Target {
    Stdout,
    /// No regular file, or one that somebody has opened for this process.
    Stream(PathBuf),
    /// A file behind all links, and whether it is there.
    File(PathBuf, bool),
}

/// Follows a name.
fn resolve(path: &Path) -> io::Result<Target> {
    if inputs::is_stdin(path) {
        return Ok(Target::Stdout);
    }
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        if let Some(descriptor) = descriptor(&path) {
            return Ok(match descriptor {
                1 => Target::Stdout,
                _ => Target::Stream(path),
            });
        }
        match fs::symlink_metadata(&path) {
            Ok(there) if there.is_symlink() => {
                let link = fs::read_link(&path)?;
                path = path
                    .parent()
                    .map_or(link.clone(), |parent| parent.join(&link));
            }
            Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(there) if there.is_file() => return Ok(Target::File(path, true)),
            Ok(_) => return Ok(Target::Stream(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Target::File(path, false));
            }
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many links, one to the next"))
}

/// The descriptor that a name such as `/dev/stdout` or `/dev/fd/3` means: what it leads to has been opened, and is no new output even where
/// it is a file.
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

/// The full name of a file that may not be there, to compare it with others.
fn full(path: &Path) -> PathBuf {
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
    fn names_of_what_is_open_are_known() {
        assert_eq!(descriptor(Path::new("/dev/stdout")), Some(1));
        assert_eq!(descriptor(Path::new("/dev/fd/63")), Some(63));
        assert_eq!(descriptor(Path::new("/proc/self/fd/2")), Some(2));
        for path in ["/dev/null", "1", "/tmp/fd/1", "fd/1", "/dev/fd"] {
            assert_eq!(descriptor(Path::new(path)), None, "{path}");
        }
    }
}
