//! `omnogram count --cells`: in how many solutions each cell is filled, as text, as numbers, and drawn.

use std::time::Instant;

use omnogram::board::Cell;
use omnogram::error::{Error, Kind};
use omnogram::graph::{CellCounts, SolutionGraph};
use omnogram::puzzle::Puzzle;
use omnogram::render::{self, Drawing, Mark, Sheet};
use omnogram::search::{Limits, Outcome};
use serde::Serialize;

use super::output::Output;
use super::report;
use super::session::Session;
use super::status::{Answered, Halt};
use super::subject::Subject;
use super::titles::titled;
use super::total::number;

/// What is drawn, and where to.
#[derive(Debug)]
pub(super) struct Picture {
    svg: Option<Output>,
    /// Are the numbers wanted, and not only about what share they are?
    exact: bool,
    /// Has it been said what the characters mean?
    told: bool,
}

/// What is said beside the counting: nothing where there are no solutions, or where they were not counted.
#[derive(Debug, Serialize)]
struct Shares {
    cells: Option<Vec<Vec<String>>>,
    /// Left out where they are not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    fractions: Option<Option<Fractions>>,
}

/// The same shares exactly: numbers of solutions, in decimal as they may be greater than what JSON readers can hold.
#[derive(Debug, Serialize)]
struct Fractions {
    /// For each cell, row by row, the number of solutions in which it is filled.
    numerators: Vec<Vec<String>>,
    /// The number of all solutions.
    denominator: String,
}

impl Picture {
    pub(super) fn new(svg: Option<Output>, exact: bool) -> Self {
        Picture {
            svg,
            exact,
            told: false,
        }
    }

    /// Is what is drawn of one puzzle?
    pub(super) fn is_for(&self, subject: &Subject<'_>) -> Answered<()> {
        match self.svg.is_some() && subject.several {
            true => {
                let message = "--svg draws one puzzle, and there are several";
                Err(Halt::Failed(Error::new(Kind::Usage, message)))
            }
            false => Ok(()),
        }
    }

    /// Prints the number of solutions, and in how many of them each cell is filled, where that is known.
    pub(super) fn show(
        &mut self,
        session: &Session,
        subject: &Subject<'_>,
        outcome: &Outcome,
        cells: Option<&CellCounts>,
    ) -> Answered<()> {
        if session.json() {
            let decimals = |cells| each(subject.puzzle, |cell| decimal(cells, cell));
            let fractions = |cells: &CellCounts| Fractions {
                numerators: each(subject.puzzle, |cell| cells.filled(cell).to_string()),
                denominator: cells.count().to_string(),
            };
            let shares = Shares {
                cells: cells.map(decimals),
                fractions: self.exact.then(|| cells.map(fractions)),
            };
            session.print(&report::searched(subject, outcome, shares))?;
        } else {
            number(session, subject, outcome)?;
        }
        let Some(cells) = cells else {
            return Ok(());
        };
        let drawing = drawing(subject.puzzle, cells);
        if !session.json() {
            let (text, legend) = match self.exact {
                false => (drawing.to_string(), LEGEND),
                true => (numbers(subject.puzzle, cells), EXACT_LEGEND),
            };
            session.print(&text)?;
            if !std::mem::replace(&mut self.told, true) {
                session.note(legend);
            }
        }
        if let Some(output) = &mut self.svg {
            let drawn = render::svg(&sheet(subject, drawing), None, None);
            output.write(drawn.as_bytes())?;
            output.finish()?;
        }
        Ok(())
    }
}

/// Counts the solutions of a puzzle, and in how many of them each cell is filled: nothing where there are no solutions, or where that
/// was stopped.
pub(super) fn counted(session: &Session, subject: &Subject<'_>) -> (Option<CellCounts>, Outcome) {
    let started = Instant::now();
    let (space, mut outcome) = session.space(subject);
    let cells = space.and_then(|space| cells(&space, &session.limits_since(started), &mut outcome));
    outcome.elapsed = started.elapsed();
    (cells, outcome)
}

/// In how many of the solutions each cell is filled: nothing where there are none, or where that is stopped, as the outcome then says.
pub(super) fn cells(
    space: &SolutionGraph,
    limits: &Limits,
    outcome: &mut Outcome,
) -> Option<CellCounts> {
    if space.count().is_zero() {
        return None;
    }
    let cells = space.cells_within(limits);
    cells
        .map_err(|stop| outcome.stopped = outcome.stopped.or(Some(stop)))
        .ok()
}

/// What the characters mean.
const LEGEND: &str =
    "# filled in all, . in none, 0 in less than a tenth, 1 to 9 in as many tenths or more";

/// What the numbers mean.
const EXACT_LEGEND: &str =
    "each number: the solutions in which this cell is filled, of those that were counted above";

/// A text for each cell, row by row.
fn each(puzzle: &Puzzle, text: impl Fn(Cell) -> String) -> Vec<Vec<String>> {
    let row = |row| {
        let cells = (0..puzzle.width()).map(|column| text(Cell::new(row, column)));
        cells.collect()
    };
    (0..puzzle.height()).map(row).collect()
}

/// In how many solutions each cell is filled, in columns.
fn numbers(puzzle: &Puzzle, cells: &CellCounts) -> String {
    let numbers = each(puzzle, |cell| cells.filled(cell).to_string());
    let length = |column: usize| numbers.iter().map(|row| row[column].len()).max();
    let lengths: Vec<usize> = (0..puzzle.width()).filter_map(length).collect();
    let mut text = String::new();
    for row in &numbers {
        let row = row.iter().zip(&lengths);
        let row: Vec<String> = row
            .map(|(number, &length)| format!("{number:>length$}"))
            .collect();
        text.push_str(&row.join(" "));
        text.push('\n');
    }
    text
}

/// How often each cell is filled, with words for each.
pub(super) fn drawing<'a>(puzzle: &'a Puzzle, cells: &CellCounts) -> Drawing<'a> {
    let mark = |row, column| {
        let cell = Cell::new(row, column);
        match cells.filled(cell) {
            filled if filled.is_zero() => Mark::Empty,
            filled if filled == cells.count() => Mark::Filled,
            _ => Mark::Share(cells.millionths(cell)),
        }
    };
    Drawing::new(puzzle, mark).with_words(|row, column| words(cells, row, column))
}

/// That with titles, and with what the marks mean.
pub(super) fn sheet<'a>(subject: &Subject<'a>, drawing: Drawing<'a>) -> Sheet<'a> {
    let legend = [
        (Mark::Filled, "filled in all solutions"),
        (Mark::Share(500_000), "filled in 50 % of them"),
        (Mark::Share(50_000), "in 5 %"),
        (Mark::Empty, "in none"),
    ];
    let legend = legend.map(|(mark, words)| (mark, words.to_owned())).into();
    Sheet {
        drawings: vec![drawing],
        legend,
        ..titled(subject)
    }
}

/// `0.333333`
fn decimal(cells: &CellCounts, cell: Cell) -> String {
    let millionths = cells.millionths(cell);
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}

/// `row 3, column 4: 0.333333, filled in 2 of 6`
fn words(cells: &CellCounts, row: usize, column: usize) -> String {
    let cell = Cell::new(row, column);
    format!(
        "row {}, column {}: {}, filled in {} of {}",
        row + 1,
        column + 1,
        decimal(cells, cell),
        cells.filled(cell),
        cells.count()
    )
}
