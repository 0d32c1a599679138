//! `omnogram check`: whether each puzzle has one solution, none, or several.

use std::path::PathBuf;

use clap::Args;
use omnogram::classic::Classic;
use omnogram::puzzle::Grid;
use omnogram::render::{difference, differing};
use omnogram::search::{Outcome, Verdict};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::ambiguity::{Drawn, Examination, Files, examine};
use super::answer;
use super::certify::CertificateFolder;
use super::classics::{self, Classics};
use super::collection::{Collection, CollectionOptions, DuplicateFields, Found, goal};
use super::options::{AnswerOptions, Puzzles, SearchOptions};
use super::queue::Finding;
use super::session::Session;
use super::status::{Answered, Status};
use super::words::{Subject, counted, why_unsolvable};

/// Find out whether there is no solution, one, or several
///
/// Prints one line per puzzle: unique, none, multiple or undecided. If there are several solutions, two of them are drawn in one picture,
/// with the cells in which they differ marked. If the file gives a goal that is a solution, the goal is the first of the two. With --json
/// the two are in `examples`, `differs` lists the cells in which they differ as [row, column], counted from 0, and `goal` says whether the
/// goal is a solution. The exit status is 1 when some puzzle is not unique.
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
  omnogram check --full --csv puzzles/pictures
  omnogram check --proof certificates puzzles/pictures && omnogram verify --proof certificates
  omnogram check --algorithm permutation-elimination --memory 100M puzzles/pictures")]
pub(super) struct Options {
    #[command(flatten)]
    puzzles: Puzzles,

    /// Draw the cells in which two solutions differ, even when there are several puzzles
    #[arg(long)]
    pictures: bool,

    /// Find out more: where a puzzle is ambiguous, or how a unique puzzle is solved
    #[arg(long, conflicts_with = "algorithm")]
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
    classics: Classics,
    #[command(flatten)]
    search_options: SearchOptions,
    #[command(flatten)]
    answer_options: AnswerOptions,
}

#[derive(Serialize)]
struct Extra<'a> {
    examples: &'a [Grid],
    differs: Vec<(usize, usize)>,
    /// Whether the goal of the file is a solution; `None` if the file gives no goal.
    goal: Option<bool>,
    #[serde(flatten)]
    duplicate: Option<DuplicateFields>,
}

pub(super) fn run(options: &Options) -> Answered {
    let Options {
        classics,
        search_options,
        answer_options,
        ..
    } = options;
    let puzzles = &options.puzzles.puzzles;
    let mut files = Files::new(&options.drawn, puzzles)?;
    let replacing = options.drawn.replacing;
    let proof = options.proof.as_deref();
    let proof = proof.map(|folder| CertificateFolder::new(folder, replacing, puzzles));
    let mut proof = proof.transpose()?;
    let session = &Session::with_classic(search_options, classics, false, answer_options)?;
    let mut collection = Collection::new(&options.collection, options.full);
    let mut drawn = true;
    let mut status = if options.full {
        session.run_on_each(puzzles, examine, |subject, examination: Examination| {
            let pictures = options.pictures || !subject.several;
            let answered = collection.answer(session, subject, &examination.found(), |duplicate| {
                files.answer(session, subject, &examination, pictures, duplicate)
            });
            drawn &= answered.is_ok();
            let status = answered?;
            let found = examination.found();
            let status = status.max(certify(&mut proof, session, subject, &found)?);
            Ok(match examination.stopped() {
                Some(_) => status.max(Status::Stopped),
                None => status,
            })
        })?
    } else {
        session.find_first_of_each(puzzles, 2, |subject, grids, mut outcome| {
            if grids.len() == 2 {
                // The search was limited to two solutions, so the answer is complete.
                outcome.stopped = None;
            }
            let found = Found {
                outcome: &outcome,
                solutions: grids,
                full: None,
            };
            let status = collection.answer(session, subject, &found, |duplicate| {
                print(session, subject, grids, &outcome, options, duplicate)
            })?;
            Ok(status.max(certify(&mut proof, session, subject, &found)?))
        })?
    };
    if let Some(proof) = &mut proof {
        status = status.and(proof.finish());
    }
    // Files that lack puzzles because of an error are not published.
    if drawn {
        status = status.and(files.finish());
    }
    if collection.summarise(session) {
        let kept = session.classic().map_or(0, Classic::kept);
        if kept > 0 {
            let kept = classics::format_bytes(kept as f64);
            session.note(&format!(
                "{kept} of arrangements kept for reuse between puzzles"
            ));
        }
    }
    Ok(status)
}

/// Adds the certificate of an answer, if certificates are written.
fn certify(
    proof: &mut Option<CertificateFolder>,
    session: &Session,
    subject: &Subject<'_>,
    found: &Found<'_>,
) -> Answered {
    match proof {
        Some(proof) => {
            let verdict = found.outcome.solutions.verdict();
            proof.add_verdict(session, subject, verdict, found.solutions)
        }
        None => Ok(Status::Complete),
    }
}

fn print(
    session: &Session,
    subject: &Subject<'_>,
    grids: &[Grid],
    outcome: &Outcome,
    options: &Options,
    duplicate: Option<DuplicateFields>,
) -> Answered<()> {
    if session.json() {
        let differs = match grids {
            [first, second] => differing(first, second),
            _ => Vec::new(),
        };
        let extra = Extra {
            examples: grids,
            differs,
            goal: goal(subject.puzzle),
            duplicate,
        };
        session.print(&answer::answer_line(subject, outcome, extra))
    } else {
        let pictures = options.pictures || !subject.several;
        session.print(&text(session, subject, outcome, grids, pictures))
    }
}

/// The answer as text: `name: verdict`, the reason, and the picture of the cells in which two solutions differ.
fn text(
    session: &Session,
    subject: &Subject<'_>,
    outcome: &Outcome,
    grids: &[Grid],
    pictures: bool,
) -> String {
    let verdict = outcome.solutions.verdict();
    let why = match (outcome.stopped, grids) {
        (_, [first, second]) => {
            let cells = counted(differing(first, second).len() as u64, "cell");
            let them = if pictures { "these two" } else { "two of them" };
            format!(", {them} differ in {cells}")
        }
        (Some(Stop::Limit), _) | (None, _) => {
            let why = why_unsolvable(subject.puzzle).filter(|_| verdict == Verdict::None);
            why.map_or(String::new(), |why| format!(" ({why})"))
        }
        (Some(stop), grids) => {
            let found = match grids.len() {
                0 => "no solution found yet",
                _ if goal(subject.puzzle) == Some(true) => "at least one solution: the goal",
                _ => "one solution found so far",
            };
            format!(" ({}, {found})", session.stop_reason(stop, None))
        }
    };
    let mut text = format!("{}: {verdict}{why}\n", subject.label());
    if let ([first, second], true) = (grids, pictures) {
        text.push('\n');
        for line in difference(first, second).lines() {
            text.push_str(&format!("  {line}\n"));
        }
        text.push_str(match goal(subject.puzzle) {
            Some(true) => "\n  # filled in both, 1 in the goal only, 2 in the other only\n",
            _ => "\n  # filled in both, 1 in the first only, 2 in the second only\n",
        });
        if subject.several {
            text.push('\n');
        }
    }
    text
}
