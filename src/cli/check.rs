//! `omnogram check`: whether each puzzle has one solution, none, or several.

use clap::Args;
use omnogram::classic::Classic;
use omnogram::puzzle::{Grid, Puzzle, verify};
use omnogram::render::{difference, differing};
use omnogram::search::{Outcome, Verdict};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::classics::{self, Classics};
use super::options::{AnswerOptions, Puzzles, SearchOptions};
use super::plural::counted;
use super::report;
use super::session::{Session, why_unsolvable};
use super::status::{Answered, Status};
use super::subject::Subject;

/// Find out whether there is no solution, one, or several
///
/// Prints one line per puzzle: unique, none, multiple or undecided. If there are several solutions, two of them are drawn in one picture,
/// with the cells in which they differ marked. If the file gives a goal that is a solution, the goal is the first of the two. With --json
/// the two are in `examples`, `differs` lists the cells in which they differ as [row, column], counted from 0, and `goal` says whether the
/// goal is a solution. The exit status is 1 when some puzzle is not unique.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram check puzzles/pictures/observatory.non
  omnogram check --pictures --time 10s puzzles/pictures
  omnogram check --algorithm permutation-elimination --memory 100M puzzles/pictures")]
pub(super) struct Options {
    #[command(flatten)]
    puzzles: Puzzles,

    /// Draw the cells in which two solutions differ, even when there are several puzzles
    #[arg(long)]
    pictures: bool,

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
}

/// The number of puzzles with each verdict.
#[derive(Debug, Default)]
struct Totals {
    unique: u64,
    none: u64,
    multiple: u64,
    undecided: u64,
}

pub(super) fn run(options: &Options) -> Status {
    let Options {
        classics,
        search_options,
        answer_options,
        ..
    } = options;
    Session::with_classic(search_options, classics, false, answer_options, |session| {
        let mut totals = Totals::default();
        let mut several = false;
        let status =
            session.find_first_of_each(&options.puzzles.puzzles, 2, |subject, grids, outcome| {
                several |= subject.several;
                answer(session, subject, grids, outcome, options, &mut totals)
            });
        if several {
            let Totals {
                unique,
                none,
                multiple,
                undecided,
            } = totals;
            let checked = counted(unique + none + multiple + undecided, "puzzle");
            session.note(&format!(
                "{checked}: {unique} unique, {none} none, {multiple} multiple, {undecided} undecided"
            ));
            let kept = session.classic().map_or(0, Classic::kept);
            if kept > 0 {
                let kept = classics::format_bytes(kept as f64);
                session.note(&format!(
                    "{kept} of arrangements kept for reuse between puzzles"
                ));
            }
        }
        status
    })
}

fn answer(
    session: &Session,
    subject: &Subject<'_>,
    grids: &[Grid],
    mut outcome: Outcome,
    options: &Options,
    totals: &mut Totals,
) -> Answered {
    if grids.len() == 2 {
        // The search was limited to two solutions, so the answer is complete.
        outcome.stopped = None;
    }
    let (total, status) = match outcome.solutions.verdict() {
        Verdict::Unique => (&mut totals.unique, Status::Complete),
        Verdict::None => (&mut totals.none, Status::NotUnique),
        Verdict::Multiple => (&mut totals.multiple, Status::NotUnique),
        Verdict::Undecided => (&mut totals.undecided, Status::Stopped),
    };
    *total += 1;
    if session.json() {
        let differs = match grids {
            [first, second] => differing(first, second),
            _ => Vec::new(),
        };
        let extra = Extra {
            examples: grids,
            differs,
            goal: goal(subject.puzzle),
        };
        session.print(&report::answer_line(subject, &outcome, extra))?;
    } else {
        let pictures = options.pictures || !subject.several;
        session.print(&text(session, subject, &outcome, grids, pictures))?;
    }
    Ok(status)
}

/// Whether the goal of the puzzle's file is a solution; `None` if the file gives no goal.
fn goal(puzzle: &Puzzle) -> Option<bool> {
    let goal = puzzle.notes().goal.as_ref()?;
    Some(verify(puzzle, goal).is_ok())
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
