//! How the command ends: exit statuses, and what ends a run of it early.

use std::io;
use std::process::ExitCode;

use omnogram::error::{Error, Kind};

/// The exit status. Where several puzzles end differently the gravest counts, which is the greatest: an interrupt before failing
/// input or output, that before a wrong answer, that before bad data, that before an incomplete answer, that before a puzzle that is
/// not unique.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// Answered in full.
    #[default]
    Complete = 0,
    /// Answered in full by `check`: some puzzle is not unique.
    NotUnique = 1,
    /// The command line makes no sense.
    Usage = 2,
    /// Stopped before the answer was complete.
    Stopped = 3,
    /// Bad puzzle data.
    Data = 65,
    /// An answer that `bench` knows came out wrong.
    Wrong = 70,
    /// Input or output failed.
    Io = 74,
    /// Interrupted a second time.
    Interrupted = 130,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(status as u8)
    }
}

impl From<&Error> for Status {
    fn from(error: &Error) -> Self {
        match error.kind() {
            Kind::Usage => Status::Usage,
            Kind::Io => Status::Io,
            _ => Status::Data,
        }
    }
}

/// Why nothing more can be answered.
#[derive(Debug)]
pub(super) enum Halt {
    /// Whoever read the answers went away, as `head` does. Nobody is there to be told.
    Closed,
    /// The answers cannot be written.
    Failed(Error),
}

impl Halt {
    /// What writing to this file has come to.
    pub(super) fn writing(file: &str, error: &io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Halt::Closed,
            _ => Halt::Failed(Error::io(file, error)),
        }
    }
}

/// What answering a puzzle has come to.
pub(super) type Answered<T = Status> = Result<T, Halt>;
