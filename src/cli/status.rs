//! Exit statuses, and the reasons that end a run early.

use std::io;

use omnogram::error::{Error, Kind};
use omnogram::search::Verdict;
use omnogram::solutions::Stop;

/// The exit status. Of several puzzles the gravest status counts, which is the greatest: in descending order an interrupt, failed input or
/// output, a wrong answer or an internal error, bad data, an incomplete answer, wrong usage, a puzzle that is not unique.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// Answered in full.
    #[default]
    Complete = 0,
    /// Answered in full by `check`: some puzzle is not unique, or not what `--require` asks. Or by `repair`: some picture cannot be repaired as wanted.
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

impl Status {
    /// The status of an answer that this has stopped, or nothing.
    pub(super) fn of(stopped: Option<Stop>) -> Self {
        Self::stopped_if(stopped.is_some())
    }

    /// The status of an answer that is complete or not.
    pub(super) fn stopped_if(incomplete: bool) -> Self {
        if incomplete {
            Status::Stopped
        } else {
            Status::Complete
        }
    }
}

impl From<Verdict> for Status {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Unique => Status::Complete,
            Verdict::None | Verdict::Multiple => Status::NotUnique,
            Verdict::Undecided => Status::Stopped,
        }
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

/// Why a run, or a part of it, ended without its answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// The reader of the answers has closed the pipe, as `head` does. No message is printed.
    Closed,
    /// Wrong usage, bad data, or answers that cannot be written.
    Error(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Failure::Error(error)
    }
}

impl Failure {
    /// The failure that this error of writing to a file stands for.
    pub(super) fn writing(file: &str, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => match error.downcast::<Error>() {
                Ok(error) => Failure::Error(error),
                Err(error) => Failure::Error(Error::io(file, error)),
            },
        }
    }
}

/// What came of a run or a part of it: by default its exit status.
pub(super) type Answered<T = Status> = Result<T, Failure>;

/// A wrong use of the command line.
pub(super) fn usage(message: impl Into<String>) -> Error {
    Error::new(Kind::Usage, message)
}
