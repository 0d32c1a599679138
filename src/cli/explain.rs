//! `omnogram explain`: how a person would solve a puzzle, step by step.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use omnogram::design::{Ending, Explainer, Explanation, Reason, Standing, Step};
use omnogram::puzzle::{Cell, Line, Position};
use omnogram::render::{self, Slide};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::given::read_position;
use super::inputs;
use super::json::json_line;
use super::options::PuzzleOptions;
use super::output::{Output, Outputs, Replacing, print};
use super::session::{Answer, Session};
use super::status::{Answered, Status};
use super::words::{Subject, counted, why_unsolvable};

/// Explain step by step how a person would solve a puzzle
///
/// Prints one step per line, the simplest one first at each moment: the line to look at, the cells that follow, and why. Where no line
/// helps, a cell is tried, and the shortest way to a contradiction is given. The explanation goes as far as cells follow; if some
/// remain, the last sentence says why: there may be several solutions. Rows and columns are counted from 1.
///
/// With --json every step is one object on one line, such as {"line":"row 3","cells":[[3,5,"#"]],"reason":"overlap",...}, and the last
/// object tells how the explanation ended: `ending` is `solved`, `more` (only with --hint), `multiple`, `search` (trying single cells is
/// not enough), `none`, `wrong` or `stopped`. The exit status is 65 if the position given by --position is wrong.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  omnogram explain puzzles/pictures/heart.non
  omnogram explain --html heart.html puzzles/pictures/heart.non
  omnogram explain --position found.txt --hint puzzles/pictures/cup.non

A position is a text with a row per line: '#' filled, '.' empty, '?' unknown.

Reasons, from the simplest to the hardest:
  overlap           the leftmost and the rightmost place of a block overlap
  complete          all blocks are there, or all empty cells, or one of the longest blocks
  edge              a block begins or ends at the edge, or beside finished cells
  gap too small     no block fits into a gap between empty cells
  glue              a filled cell is so near the end of a gap that its block extends to the other side
  split             a cell between two groups would join them to a block too long, or no block reaches it
  all arrangements  all ways to place the blocks agree
  contradiction     a cell is tried, and some line has no way left to place its blocks
  either way        a cell is tried both ways, and both times the same follows")]
pub(super) struct Options {
    /// Begin with the known cells in this file; if some are wrong, name them and explain nothing. - is standard input
    #[arg(long, value_name = "FILE")]
    position: Option<PathBuf>,

    /// Give the next step only
    #[arg(long)]
    hint: bool,

    /// Write a page of HTML that steps through the solution, instead of the steps as text
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "hint"])]
    html: Option<PathBuf>,

    #[command(flatten)]
    replacing: Replacing,
    #[command(flatten)]
    common: PuzzleOptions,
}

/// The end of an explanation, and its last object as JSON.
#[derive(Serialize)]
struct Summary<'a> {
    #[serde(flatten)]
    subject: &'a Subject<'a>,
    ending: &'a str,
    steps: usize,
    unknown: usize,
    /// What is known in the end.
    position: Vec<String>,
    /// The wrong cells of the position given, as in a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<Vec<(usize, usize, char)>>,
    stopped: Option<Stop>,
    #[serde(skip)]
    text: String,
}

impl Answer for Summary<'_> {
    fn text(&self, _: &Session) -> String {
        self.text.clone()
    }

    fn status(&self) -> Status {
        if self.wrong.is_some() {
            return Status::Data;
        }
        Status::of(self.stopped)
    }
}

pub(super) fn run(options: &Options) -> Answered {
    let puzzles = options.common.puzzles();
    let read = options.position.as_slice();
    inputs::check_stdin_once(puzzles, read)?;
    let position = options.position.as_deref().map(read_position).transpose()?;
    let mut outputs = Outputs::new(options.replacing, &options.common.inputs(), read);
    let mut page = outputs.optional(options.html.as_deref())?;
    let session = &Session::for_puzzles(&options.common)?.also_reading(read);
    session.answer_each(puzzles, |subject| {
        if options.position.is_some() || options.html.is_some() {
            let message = "--position and --html are for one puzzle, and there are several";
            subject.require_single(message)?;
        }
        answer(session, subject, options, position.as_ref(), page.as_mut())
    })
}

fn answer(
    session: &Session,
    subject: &Subject<'_>,
    options: &Options,
    position: Option<&Position>,
    page: Option<&mut Output>,
) -> Answered {
    let started = Instant::now();
    if let (Some(position), Some(file)) = (position, &options.position) {
        let limits = session.limits();
        let standing = session
            .pool
            .install(|| position.check(subject.puzzle, &limits))
            .map_err(|error| error.in_file(&inputs::name(file)))?;
        if standing != Standing::Right {
            return session.answer(&refusal(session, subject, position, &standing));
        }
    }
    let (json, hint, paged) = (session.is_json(), options.hint, page.is_some());
    if !json {
        print(&subject.block_heading())?;
    }
    let explainer = Explainer::new(subject.puzzle)
        .limits(session.limits_since(started))
        .position(position.cloned());
    let mut slides = Vec::new();
    let mut tally = Tally::new();
    let mut number = 0;
    let mut written = Ok(());
    let explained = session.pool.install(|| {
        explainer.run(|step| {
            number += 1;
            *tally.entry(without_number(step.reason)).or_default() += 1;
            if paged {
                slides.push(slide(step));
                return true;
            }
            written = print(&match (json, hint) {
                (true, _) => json_line(step),
                (false, true) => format!("{}\n", step.words),
                (false, false) => format!("{number:>3}. {}\n", step.words),
            });
            written.is_ok() && !hint
        })
    });
    written?;
    let explanation = explained?;
    let stopped = match explanation.ending {
        Ending::Stopped(stop) => Some(stop),
        _ => None,
    };
    let closing = closing(session, subject, &explanation, &tally);
    if let Some(page) = page {
        let given = position.into_iter().flat_map(Position::known);
        let given: Vec<_> = given.map(|(cell, value)| place(cell, value)).collect();
        let sheet = subject.titled_sheet();
        let html = render::steps(subject.puzzle, &sheet, &given, &slides, &closing);
        page.write(html.as_bytes())?;
        page.finish()?;
    }
    let Explanation {
        steps, position, ..
    } = &explanation;
    let unknown = position.unknown_cells();
    let blank = subject.blank_line();
    let text = match (hint && *steps > 0, unknown) {
        (true, _) => String::new(),
        (false, 0) => format!("{closing}\n{blank}"),
        (false, _) => format!("{closing}\n\n{position}{blank}"),
    };
    session.answer(&Summary {
        subject,
        ending: explanation.ending.name(),
        steps: *steps,
        unknown,
        position: position.rows(),
        wrong: None,
        stopped,
        text,
    })
}

/// What is wrong with a position.
fn refusal<'a>(
    session: &Session,
    subject: &'a Subject<'a>,
    position: &Position,
    standing: &Standing,
) -> Summary<'a> {
    let mut wrong = Vec::new();
    let (ending, stopped, text) = match standing {
        Standing::Unsolvable => ("none", None, no_solution(subject, None)),
        Standing::Undecided(stop) => {
            let why = session.stop_reason(*stop, None);
            let text = format!("Whether the position is right is undecided, {why}.");
            ("stopped", Some(*stop), text)
        }
        Standing::Wrong(cells) => {
            let mut text = match cells.len() {
                1 => "One cell of the position is wrong:".to_owned(),
                number => format!("{number} cells of the position are wrong:"),
            };
            for cell in cells {
                let (row, column) = (usize::from(cell.row), usize::from(cell.column));
                let (sign, is, should) = match position.get(row, column) {
                    Some(true) => ('#', "filled", "empty"),
                    _ => ('.', "empty", "filled"),
                };
                let (row, column) = (row + 1, column + 1);
                text += &format!("\n  row {row}, column {column} is {is}, and must be {should}");
                wrong.push((row, column, sign));
            }
            ("wrong", None, text)
        }
        _ => {
            let text = "No solution agrees with the position, although each of its cells is right in some solution.";
            ("wrong", None, text.to_owned())
        }
    };
    Summary {
        subject,
        ending,
        steps: 0,
        unknown: position.unknown_cells(),
        position: position.rows(),
        wrong: (ending == "wrong").then_some(wrong),
        stopped,
        text: text + "\n",
    }
}

fn no_solution(subject: &Subject<'_>, line: Option<Line>) -> String {
    match (why_unsolvable(subject.puzzle), line) {
        (Some(why), _) => format!("The puzzle has no solution: {why}."),
        (None, Some(line)) => format!(
            "There is no way left to place the blocks of {line}: the puzzle has no solution."
        ),
        (None, None) => "The puzzle has no solution.".to_owned(),
    }
}

/// The last sentence.
fn closing(
    session: &Session,
    subject: &Subject<'_>,
    explanation: &Explanation,
    tally: &Tally,
) -> String {
    let unknown = explanation.position.unknown_cells() as u64;
    let steps = counted(explanation.steps as u64, "step");
    let remain = match unknown {
        1 => "One cell remains".to_owned(),
        unknown => format!("{unknown} cells remain"),
    };
    match explanation.ending {
        Ending::Solved if explanation.steps == 0 => "Every cell is known already.".to_owned(),
        Ending::Solved => {
            let reasons = tally.iter();
            let reasons = reasons.map(|(reason, number)| format!("{number} {}", reason.name()));
            let reasons: Vec<String> = reasons.collect();
            format!("Solved in {steps}: {}.", reasons.join(", "))
        }
        Ending::Unsolvable(line) => no_solution(subject, line),
        Ending::Several => format!(
            "{remain} after {steps}: the puzzle has several solutions, so nothing more follows."
        ),
        Ending::Deeper => format!(
            "{remain} after {steps}: there is one solution, but trying single cells does not lead to it."
        ),
        Ending::Stopped(stop) => {
            let why = session.stop_reason(stop, None);
            format!("{remain} after {steps}, {why}.")
        }
        _ => format!("{remain} after {steps}."),
    }
}

/// How often each reason was given, the simplest first: `12 overlap, 3 edge`.
type Tally = BTreeMap<Reason, usize>;

/// A reason as it is counted: contradictions after any number of lines together.
fn without_number(reason: Reason) -> Reason {
    match reason {
        Reason::Contradiction(_) => Reason::Contradiction(0),
        other => other,
    }
}

fn place(cell: Cell, filled: bool) -> (usize, usize, bool) {
    (cell.row.into(), cell.column.into(), filled)
}

fn slide(step: &Step) -> Slide {
    let cells = step.cells.iter().map(|&(cell, filled)| place(cell, filled));
    let lines = match step.tried {
        None => vec![step.line],
        Some(_) => step.chain.clone(),
    };
    let tried = (step.tried).map(|(cell, _)| (cell.row.into(), cell.column.into()));
    Slide::new(cells.collect())
        .lines(lines)
        .tried(tried)
        .reason(step.reason.to_string())
        .words(&step.words)
}
