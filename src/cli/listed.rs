//! How and where pictures are written, which verbs share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use omnogram::render::{List, Listing};

use super::messages;
use super::options::Puzzles;
use super::output::{Output, Outputs, Replacing};
use super::session::Session;
use super::status::{Answered, Status};
use super::subject::Subject;

/// How to write pictures, and where to.
#[derive(Args, Debug)]
pub(super) struct Listed {
    /// How to write them [default: text, with --json ndjson]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,

    /// Write them to this file, which gets its name when the run ends
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    #[command(flatten)]
    pub(super) replacing: Replacing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Rows of '#' and '.', with a blank line after each solution
    Text,
    /// {"solution":["#..#",...]}, one object a line
    Ndjson,
}

impl From<Format> for Listing {
    fn from(format: Format) -> Self {
        match format {
            Format::Text => Listing::Text,
            Format::Ndjson => Listing::Ndjson,
        }
    }
}

impl Listed {
    /// Where the pictures of these puzzles go.
    pub(super) fn output(&self, puzzles: &Puzzles) -> Result<Output, Status> {
        let mut outputs = Outputs::new(self.replacing, &puzzles.puzzles, &[]);
        outputs
            .file(self.output.as_deref())
            .map_err(|error| messages::failed(&error))
    }

    /// The form that is wanted.
    pub(super) fn form(&self, session: &Session) -> Listing {
        match (self.format, session.json()) {
            (Some(format), _) => format.into(),
            (None, false) => Listing::Text,
            (None, true) => Listing::Ndjson,
        }
    }

    /// As a form is typed.
    pub(super) fn name(listing: Listing) -> &'static str {
        match listing {
            Listing::Text => "text",
            Listing::Ndjson => "ndjson",
        }
    }

    /// A list for pictures of this puzzle.
    pub(super) fn list(&self, session: &Session, subject: &Subject<'_>) -> List {
        let puzzle = subject.puzzle;
        List::new(self.form(session), puzzle.width(), puzzle.height())
    }

    /// Names the puzzle before its pictures, where there are several.
    pub(super) fn head(
        &self,
        session: &Session,
        subject: &Subject<'_>,
        output: &mut Output,
    ) -> Answered<()> {
        if subject.several && self.form(session) == Listing::Text {
            output.write(format!("==> {} <==\n", subject.label()).as_bytes())?;
        }
        Ok(())
    }
}
