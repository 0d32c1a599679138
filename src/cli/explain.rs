//! `omnogram explain`: how a person would solve a puzzle, step by step.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use omnogram::board::Cell;
use omnogram::design::{Ending, Explainer, Explanation, Position, Standing, Step};
use omnogram::error::{Error, Kind};
use omnogram::format;
use omnogram::puzzle::Line;
use omnogram::render::{self, Frame};
use omnogram::solutions::Stop;
use serde::Serialize;

use super::answer::NoExtra;
use super::options::{AnswerOptions, Puzzles, SearchOptions};
use super::output::{Output, Outputs, Replacing};
use super::session::Session;
use super::status::{Answered, Failure, Status};
use super::words::{Subject, counted, why_unsolvable};
use super::{answer, inputs};

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
    #[command(flatten)]
    puzzles: Puzzles,

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
    search_options: SearchOptions,
    #[command(flatten)]
    answer_options: AnswerOptions,
}

/// The last object of an explanation as JSON.
#[derive(Serialize)]
struct Summary<'a> {
    ending: &'a str,
    /// Number of steps.
    steps: usize,
    /// Number of unknown cells.
    unknown: usize,
    /// What is known in the end.
    position: Vec<String>,
    /// The wrong cells of the position given, as in a step.
    #[serde(skip_serializing_if = "Option::is_none")]
    wrong: Option<Vec<(usize, usize, char)>>,
    stopped: Option<Stop>,
}

/// Most bytes of a file with a position: 4096 rows of 4096 cells, with line breaks of two bytes.
const MAX_POSITION_BYTES: u64 = 4096 * 4098;

pub(super) fn run(options: &Options) -> Answered {
    let read: Vec<PathBuf> = options.position.iter().cloned().collect();
    let mut outputs = Outputs::new(options.replacing, &options.puzzles.puzzles, &read);
    inputs::check_stdin_once(&options.puzzles.puzzles, &read)?;
    let position = options.position.as_deref().map(read_position).transpose()?;
    let page = options.html.as_deref().map(|path| outputs.file(Some(path)));
    let mut page = page.transpose()?;
    let session =
        &Session::new(&options.search_options, &options.answer_options)?.also_reading(read);
    let single = options.position.is_some() || options.html.is_some();
    session.answer_each(&options.puzzles.puzzles, |subject| {
        if single && subject.several {
            let message = "--position and --html are for one puzzle, and there are several";
            return Err(Error::new(Kind::Usage, message).into());
        }
        answer(session, subject, options, position.as_ref(), page.as_mut())
    })
}

/// Reads a position from a file, or from standard input for `-`.
fn read_position(path: &Path) -> Result<Position, Error> {
    let name = inputs::name(path);
    let mut bytes = Vec::new();
    let read = if inputs::is_stdin(path) {
        io::stdin()
            .lock()
            .take(MAX_POSITION_BYTES + 1)
            .read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(MAX_POSITION_BYTES + 1).read_to_end(&mut bytes))
    };
    read.map_err(|error| Error::io(&name, error))?;
    if bytes.len() as u64 > MAX_POSITION_BYTES {
        return Err(Error::data("too large for a position").in_file(&name));
    }
    let position = format::decode(&bytes).and_then(str::parse::<Position>);
    position.map_err(|error| error.in_file(&name))
}

fn answer(
    session: &Session,
    subject: &Subject<'_>,
    options: &Options,
    position: Option<&Position>,
    page: Option<&mut Output>,
) -> Answered {
    let started = Instant::now();
    if let Some(position) = position {
        let limits = session.limits();
        let standing = session.on_threads(|| position.check(subject.puzzle, &limits));
        let file = options.position.as_deref().map(inputs::name);
        let failed = |error: Error| error.in_file(&file.unwrap_or_default());
        let standing = standing.map_err(failed)?;
        if standing != Standing::Right {
            return refuse(session, subject, position, &standing);
        }
    }
    if subject.several && !session.json() {
        session.print(&format!("==> {} <==\n", subject.label()))?;
    }
    let limits = session.limits_since(started);
    let explainer = Explainer::new(subject.puzzle)
        .limits(limits)
        .position(position.cloned());
    let (json, hint, paged) = (session.json(), options.hint, page.is_some());
    let mut steps = Vec::new();
    let mut tally = Tally::default();
    let mut number = 0;
    let mut written = Ok(());
    let explained = session.on_threads(|| {
        explainer.run(|step| {
            number += 1;
            tally.add(step);
            if paged {
                steps.push(frame(step));
                return true;
            }
            let text = match (json, hint) {
                (true, _) => answer::json_line(step),
                (false, true) => format!("{}\n", step.words),
                (false, false) => format!("{number:>3}. {}\n", step.words),
            };
            written = io::stdout().lock().write_all(text.as_bytes());
            written.is_ok() && !hint
        })
    });
    written.map_err(|error| Failure::writing("<stdout>", error))?;
    let explanation = explained?;
    let status = match explanation.ending {
        Ending::Stopped(_) => Status::Stopped,
        _ => Status::Complete,
    };
    let closing = closing(session, subject, &explanation, &tally);
    if let Some(page) = page {
        let given = position.into_iter().flat_map(Position::known);
        let given: Vec<_> = given.map(|(cell, value)| place(cell, value)).collect();
        let sheet = subject.titled_sheet();
        let html = render::steps(subject.puzzle, &sheet, &given, &steps, &closing);
        page.write(html.as_bytes())?;
        page.finish()?;
    }
    if json {
        let stopped = match explanation.ending {
            Ending::Stopped(stop) => Some(stop),
            _ => None,
        };
        let summary = Summary {
            ending: explanation.ending.name(),
            steps: explanation.steps,
            unknown: explanation.position.unknown_cells(),
            position: explanation.position.rows(),
            wrong: None,
            stopped,
        };
        session.print(&answer::answer_line(subject, &NoExtra {}, summary))?;
    } else if !(hint && explanation.steps > 0) {
        let picture = match explanation.position.unknown_cells() {
            0 => String::new(),
            _ => format!("\n{}", explanation.position),
        };
        let blank = if subject.several { "\n" } else { "" };
        session.print(&format!("{closing}\n{picture}{blank}"))?;
    }
    Ok(status)
}

/// Says what is wrong with a position.
fn refuse(
    session: &Session,
    subject: &Subject<'_>,
    position: &Position,
    standing: &Standing,
) -> Answered {
    let (ending, status, stopped) = match standing {
        Standing::Unsolvable => ("none", Status::Complete, None),
        Standing::Undecided(stop) => ("stopped", Status::Stopped, Some(*stop)),
        _ => ("wrong", Status::Data, None),
    };
    let wrong: &[Cell] = match standing {
        Standing::Wrong(cells) => cells,
        _ => &[],
    };
    if session.json() {
        let sign = |cell: &Cell| {
            let (row, column) = (usize::from(cell.row), usize::from(cell.column));
            let sign = match position.get(row, column) {
                Some(true) => '#',
                _ => '.',
            };
            (row + 1, column + 1, sign)
        };
        let summary = Summary {
            ending,
            steps: 0,
            unknown: position.unknown_cells(),
            position: position.rows(),
            wrong: (ending == "wrong").then(|| wrong.iter().map(sign).collect()),
            stopped,
        };
        session.print(&answer::answer_line(subject, &NoExtra {}, summary))?;
        return Ok(status);
    }
    let text = match standing {
        Standing::Unsolvable => no_solution(subject, None),
        Standing::Undecided(stop) => format!(
            "Whether the position is right is undecided, {}.",
            session.stop_reason(*stop, None)
        ),
        Standing::Wrong(cells) => {
            let mut text = match cells.len() {
                1 => "One cell of the position is wrong:".to_owned(),
                number => format!("{number} cells of the position are wrong:"),
            };
            for cell in cells {
                let (row, column) = (usize::from(cell.row), usize::from(cell.column));
                let (is, should) = match position.get(row, column) {
                    Some(true) => ("filled", "empty"),
                    _ => ("empty", "filled"),
                };
                text += &format!(
                    "\n  row {}, column {} is {is}, and must be {should}",
                    row + 1,
                    column + 1
                );
            }
            text
        }
        _ => "No solution agrees with the position, although each of its cells is right in some solution."
            .to_owned(),
    };
    session.print(&(text + "\n"))?;
    Ok(status)
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
        Ending::Solved => format!("Solved in {steps}: {tally}."),
        Ending::Unsolvable(line) => no_solution(subject, line),
        Ending::Several => format!(
            "{remain} after {steps}: the puzzle has several solutions, so nothing more follows."
        ),
        Ending::Deeper => format!(
            "{remain} after {steps}: there is one solution, but trying single cells does not lead to it."
        ),
        Ending::Stopped(stop) => {
            format!(
                "{remain} after {steps}, {}.",
                session.stop_reason(stop, None)
            )
        }
        _ => format!("{remain} after {steps}."),
    }
}

fn place(cell: Cell, filled: bool) -> (usize, usize, bool) {
    (cell.row.into(), cell.column.into(), filled)
}

/// A step on the page.
fn frame(step: &Step) -> Frame {
    let cells = step.cells.iter().map(|&(cell, filled)| place(cell, filled));
    let lines = match step.tried {
        None => vec![step.line],
        Some(_) => step.chain.clone(),
    };
    let tried = step
        .tried
        .map(|(cell, _)| (cell.row.into(), cell.column.into()));
    Frame::new(cells.collect())
        .lines(lines)
        .tried(tried)
        .reason(step.reason.to_string())
        .words(&step.words)
}

/// How often each reason was given, the simplest first.
#[derive(Debug, Default)]
struct Tally(Vec<(omnogram::design::Reason, usize)>);

impl Tally {
    fn add(&mut self, step: &Step) {
        let name = step.reason.name();
        match self.0.iter_mut().find(|(reason, _)| reason.name() == name) {
            Some((_, number)) => *number += 1,
            None => self.0.push((step.reason, 1)),
        }
    }
}

impl std::fmt::Display for Tally {
    /// `12 overlap, 3 edge`
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut reasons = self.0.clone();
        reasons.sort_unstable();
        let words = reasons.iter();
        let words = words.map(|(reason, number)| format!("{number} {}", reason.name()));
        f.write_str(&words.collect::<Vec<_>>().join(", "))
    }
}
