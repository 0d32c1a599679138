//! Exit statuses, and the reasons that end a run early.

use std::io;
use std::process::ExitCode;

use omnogram::error::{Error, Kind};

/// The exit status. Of several puzzles the gravest status counts, which is the greatest: in descending order an interrupt, failed input or
/// output, a wrong answer or an internal error, bad data, an incomplete answer, wrong usage, a puzzle that is not unique.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// Answered in full.
    #[default]
    Complete = 0,
    /// Answered in full by `check`: some puzzle is not unique. Or by `repair`: some picture cannot be repaired as wanted.
    NotUnique = 1,
    /// The command line is invalid.
    Usage = 2,
    /// Stopped before the answer was complete.
    Stopped = 3,
    /// Bad puzzle data.
    Data = 65,
    /// `bench` got an answer that differs from the known one, or `census` one that differs from its enumeration; or there was an internal
    /// error.
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

/// Why the run cannot go on with further answers.
#[derive(Debug)]
pub(super) enum Halt {
    /// The reader of the answers has closed the pipe, as `head` does. No message is printed.
    Closed,
    /// The answers cannot be written.
    Failed(Error),
}

impl Halt {
    /// The reason that this error of writing to a file stands for.
    pub(super) fn writing(file: &str, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Halt::Closed,
            _ => Halt::Failed(Error::io(file, error)),
        }
    }
}

/// The result of answering a puzzle.
pub(super) type Answered<T = Status> = Result<T, Halt>;
