//! `omnogram check`: whether each puzzle has one solution, none, or several.

use std::path::PathBuf;

use clap::Args;
use omnogram::puzzle::{Grid, Puzzle};
use omnogram::render::{difference, differing};
use omnogram::search::{Limits, Outcome, Search, Verdict};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::ambiguity::{Drawn, Files, examine, push_picture};
use super::certify::CertificateFolder;
use super::collection::{Added, Collection, CollectionOptions, Found, Shown};
use super::corrections::Proposals;
use super::options::PuzzleOptions;
use super::report::Fault;
use super::session::{Answer, Session};
use super::status::{Answered, Status};
use super::words::{DuplicateFields, Subject, counted, goal};

/// Find out whether there is no solution, one, or several
///
/// Prints one line per puzzle: unique, none, multiple or undecided. If there are several solutions, two of them are drawn in one picture,
/// with the cells in which they differ marked. If the file gives a goal that is a solution, the goal is the first of the two. With --json
/// the two are in `examples`, `differs` lists the cells in which they differ as [row, column], counted from 0, and `goal` says whether the
/// goal is a solution. The exit status is 1 when some puzzle is not unique; with --require line-solvable, also when some puzzle is not
/// solved by looking at single lines, as the answers and with --json `line_solvable` then say.
///
/// If a single puzzle has no solution, or with --full any, the fewest clues are named, one or two, whose change makes it solvable, nearest
/// first: a mistyped number, or two that were exchanged. This takes ten seconds at most, or --time. With --json they are in `corrections`.
///
/// With --format github, each puzzle that is not as required has an annotation, a line ::error with the place of the error in the file or
/// else its first line. With --format junit, the answer is one report in the XML of JUnit: a failure for each puzzle that is not as
/// required, an error for bad data and for a puzzle that is undecided.
///
/// With --full, an ambiguous puzzle is divided into regions that can be filled independently of each other, and the two solutions are the
/// closest that were found; for a unique puzzle a sentence says how a person solves it. With --json, `regions` has for each region its
/// `box` (top row and left column, counted from 0, height and width), the number of its `cells` and of its `fillings`, and whether that is
/// `exact`; `ambiguous` and `undecided` are numbers of cells, `closest` is the number of cells in which the two examples differ, and
/// `profile` says how a unique puzzle is solved.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram check puzzles/pictures/observatory.non
  omnogram check --pictures --time 10s puzzles/pictures
  omnogram check --full puzzles/pictures/key.non
  omnogram check --full --html regions.html puzzles/pictures
  omnogram check --only multiple,undecided --duplicates puzzles/pictures
  omnogram check --require line-solvable --only line-solvable puzzles/pictures
  omnogram check --full --csv puzzles/pictures
  omnogram check --format junit puzzles/pictures > report.xml
  omnogram check --proof certificates puzzles/pictures && omnogram verify --proof certificates")]
pub(super) struct Options {
    /// Draw the cells in which two solutions differ, even when there are several puzzles
    #[arg(long)]
    pictures: bool,

    /// Find out more: where a puzzle is ambiguous, or how a unique puzzle is solved
    #[arg(long)]
    full: bool,

    /// Write certificates into this folder, which verify --proof and other programs can check: for a puzzle without a solution or with
    /// one, its clauses in DIMACS and their refutation in LRAT; for an ambiguous puzzle, two solutions. The limits on time apply to each
    /// certificate again
    #[arg(long, value_name = "DIR")]
    proof: Option<PathBuf>,

    #[command(flatten)]
    drawn: Drawn,
    #[command(flatten)]
    collection: CollectionOptions,

    #[command(flatten)]
    common: PuzzleOptions,
}

#[derive(Serialize)]
pub(super) struct Checked<'a> {
    #[serde(flatten)]
    subject: &'a Subject<'a>,
    #[serde(flatten)]
    outcome: &'a Outcome,
    examples: &'a [Grid],
    differs: Vec<(usize, usize)>,
    /// Whether the goal of the file is a solution; `None` if the file gives no goal.
    goal: Option<bool>,
    /// Whether single lines alone solve the puzzle, if that is asked and known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line_solvable: Option<bool>,
    #[serde(flatten)]
    duplicate: Option<DuplicateFields>,
    /// Changes of clues that make a puzzle solvable.
    #[serde(skip_serializing_if = "Option::is_none")]
    corrections: Option<Proposals<'a>>,
    /// Whether the cells in which two solutions differ are drawn.
    #[serde(skip)]
    pictures: bool,
}

impl<'a> Checked<'a> {
    pub(super) fn new(
        subject: &'a Subject<'a>,
        found: &'a Found,
        pictures: bool,
        duplicate: Option<DuplicateFields>,
        corrections: Option<Proposals<'a>>,
    ) -> Self {
        let examples = found.solutions();
        let differs = match examples {
            [first, second] => differing(first, second),
            _ => Vec::new(),
        };
        Checked {
            subject,
            outcome: found.outcome(),
            examples,
            differs,
            goal: goal(subject.puzzle),
            line_solvable: None,
            duplicate,
            corrections,
            pictures,
        }
    }
}

impl Answer for Checked<'_> {
    /// `name: verdict`, the reason, and the picture of the cells in which two solutions differ.
    fn text(&self, session: &Session) -> String {
        let verdict = self.outcome.solutions.verdict();
        let why = match (self.outcome.stopped, self.examples) {
            (_, [_, _]) => {
                let cells = counted(self.differs.len() as u64, "cell");
                let them = if self.pictures {
                    "these two"
                } else {
                    "two of them"
                };
                format!(", {them} differ in {cells}")
            }
            _ if verdict == Verdict::Unique => match self.line_solvable {
                None => String::new(),
                Some(true) => ", solved by lines alone".to_owned(),
                Some(false) => ", not solved by lines alone".to_owned(),
            },
            (Some(Stop::Limit) | None, _) if verdict == Verdict::None => {
                self.subject.why_no_solution()
            }
            (Some(Stop::Limit) | None, _) => String::new(),
            (Some(stop), examples) => {
                let found = match examples.len() {
                    0 => "no solution found yet",
                    _ if self.goal == Some(true) => "at least one solution: the goal",
                    _ => "one solution found so far",
                };
                format!(" ({}, {found})", session.stop_reason(stop, None))
            }
        };
        let mut text = format!("{}: {verdict}{why}\n", self.subject.label());
        text += &self
            .corrections
            .as_ref()
            .map_or_else(String::new, Proposals::text);
        if let ([first, second], true) = (self.examples, self.pictures) {
            text.push('\n');
            push_picture(&mut text, &difference(first, second));
            text.push_str(match self.goal {
                Some(true) => "\n  # filled in both, 1 in the goal only, 2 in the other only\n",
                _ => "\n  # filled in both, 1 in the first only, 2 in the second only\n",
            });
            text += self.subject.blank_line();
        }
        text + self.duplicate.as_ref().map_or("", |fields| &fields.text)
    }

    fn status(&self) -> Status {
        self.outcome.solutions.verdict().into()
    }
}

pub(super) fn run(options: &Options) -> Answered {
    let puzzles = options.common.puzzles();
    let inputs = &options.common.inputs();
    let files = Files::new(&options.drawn, inputs)?;
    let proof = options.proof.as_deref();
    let proof = proof.map(|path| CertificateFolder::new(path, options.drawn.replacing, inputs));
    let json = options.common.answer_options.json;
    let drawn = options.pictures || options.drawn.is_asked();
    let form = options.collection.form(json, drawn)?;
    let mut run = Run {
        options,
        collection: Collection::new(&options.collection, form, options.full),
        files,
        proof: proof.transpose()?,
        is_drawn: true,
    };
    let session = &Session::for_puzzles(&options.common)?.in_form(form);
    let full = options.full;
    let find = move |search: &Search<'_>, puzzle: &Puzzle, limits: &Limits| {
        let found = match &puzzle.notes().goal {
            _ if full => Found::Full(Box::new(examine(search, puzzle, limits))),
            // The goal is the first of the two, provided it is a solution.
            Some(goal) => Found::two(search.second(goal)),
            None => Found::two(search.first(2)),
        };
        let stopped = found.stopped();
        (found, stopped)
    };
    let mut status = session.run_on_each(puzzles, find, |subject, found| {
        run.answer(session, subject, &found)
    })?;
    if let Some(proof) = &mut run.proof {
        status = status.and(proof.finish());
    }
    // Files that lack puzzles because of an error are not published.
    if run.is_drawn {
        status = status.and(run.files.finish());
    }
    session.finish_report()?;
    run.collection.summarise(session);
    Ok(status)
}

/// What a run writes to.
struct Run<'a> {
    options: &'a Options,
    collection: Collection<'a>,
    files: Files,
    proof: Option<CertificateFolder>,
    /// Whether every answer so far is printed and drawn.
    is_drawn: bool,
}

impl Run<'_> {
    /// Prints and draws the answer for a puzzle, if it is asked for, and adds its certificate.
    fn answer(&mut self, session: &Session, subject: &Subject<'_>, found: &Found) -> Answered {
        let pictures = self.options.pictures || !subject.several;
        self.is_drawn = false;
        let added = self.collection.add(subject, found)?;
        if session.form().is_report() && matches!(added.shown, Shown::Answer(_)) {
            self.report(session, subject, found, &added)?;
        } else if let Shown::Answer(duplicate) = added.shown {
            let is_wrong = found.verdict() == Verdict::None && (pictures || self.options.full);
            let corrections = is_wrong.then(|| Proposals::find(session, subject));
            if let Found::Full(examination) = found {
                self.files.answer(
                    session,
                    subject,
                    examination,
                    pictures,
                    duplicate,
                    corrections,
                )?;
            } else {
                let mut checked = Checked::new(subject, found, pictures, duplicate, corrections);
                checked.line_solvable = added.line_solvable;
                session.answer(&checked)?;
            }
        }
        self.is_drawn = true;
        self.certify(session, subject, found, added.status)
    }

    /// Reports on a puzzle with the text of its answer, without pictures.
    fn report(
        &self,
        session: &Session,
        subject: &Subject<'_>,
        found: &Found,
        added: &Added,
    ) -> Answered<()> {
        let mut text = match found {
            Found::Full(examination) => examination.text(session, subject, false),
            Found::Solutions(..) => {
                let mut checked = Checked::new(subject, found, false, None, None);
                checked.line_solvable = added.line_solvable;
                checked.text(session)
            }
        };
        if let Shown::Answer(Some(duplicate)) = &added.shown {
            text += &duplicate.text;
        }
        let fault = match (added.required, found.verdict()) {
            (Status::Complete, _) => None,
            (Status::NotUnique, Verdict::None) => Some(Fault::Failure("none")),
            (Status::NotUnique, Verdict::Multiple) => Some(Fault::Failure("multiple")),
            (Status::NotUnique, _) => Some(Fault::Failure("not line-solvable")),
            _ => Some(Fault::Error("undecided")),
        };
        let seconds = found.outcome().elapsed.as_secs_f64();
        session.report(subject.raw_name, fault.as_ref(), &text, seconds)
    }

    /// Adds the certificate of the answer for a puzzle, if it is asked for; returns the graver status.
    fn certify(
        &mut self,
        session: &Session,
        subject: &Subject<'_>,
        found: &Found,
        mut status: Status,
    ) -> Answered {
        if let Some(proof) = &mut self.proof {
            let verdict = found.verdict();
            status = status.max(proof.add_verdict(session, subject, verdict, found.solutions())?);
        }
        Ok(status)
    }
}
