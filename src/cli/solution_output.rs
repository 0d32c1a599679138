//! The options for the format and destination of solutions, which verbs share.

use std::path::PathBuf;

use clap::Args;
use omnogram::error::Result;
use omnogram::render::{List, Listing};

use super::output::{Output, Outputs, Replacing};
use super::session::Session;
use super::status::Answered;
use super::words::Subject;

/// The format and destination of solutions.
#[derive(Args, Debug, Default)]
pub(super) struct ListingOptions {
    /// The format of the solutions [default: text, with --json ndjson]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Listing>,

    /// Write the solutions to this file, which appears under its name when the run ends
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,

    #[command(flatten)]
    pub(super) replacing: Replacing,
}

/// The folder with a file of solutions for each cube of a split, and their format.
#[derive(Args, Debug)]
pub(super) struct SolutionFolder {
    /// Write the solutions of each cube into a file of its own in this folder; the results have its name and the digest of the solutions
    #[arg(long, alias = "solutions", value_name = "DIR")]
    pub(super) solutions_dir: Option<PathBuf>,

    /// The format of the solutions
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        requires = "solutions_dir"
    )]
    pub(super) format: Listing,
}

impl ListingOptions {
    /// Opens the output of the solutions of these puzzles.
    pub(super) fn output(&self, puzzles: &[PathBuf]) -> Result<Output> {
        let mut outputs = Outputs::new(self.replacing, puzzles, &[]);
        outputs.file(self.output.as_deref())
    }

    /// The chosen or default format.
    pub(super) fn format_for(&self, session: &Session) -> Listing {
        match (self.format, session.is_json()) {
            (Some(format), _) => format,
            (None, false) => Listing::Text,
            (None, true) => Listing::Ndjson,
        }
    }

    /// Begins the output of the solutions of a puzzle, as an empty list. As text its name comes first if there are several puzzles.
    pub(super) fn begin(
        &self,
        session: &Session,
        subject: &Subject<'_>,
        output: &mut Output,
    ) -> Answered<List> {
        output.begin()?;
        let listing = self.format_for(session);
        if listing == Listing::Text {
            output.write(subject.block_heading().as_bytes())?;
        }
        let puzzle = subject.puzzle;
        Ok(List::new(listing, puzzle.width(), puzzle.height()))
    }
}
