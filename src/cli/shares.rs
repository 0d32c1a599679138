//! `omnogram count --cells`: the share of solutions in which each cell is filled, as characters, as numbers, or drawn.

use std::time::Instant;

use omnogram::graph::{CellCounts, SolutionGraph};
use omnogram::puzzle::{Cell, Puzzle};
use omnogram::render::{self, Drawing, Mark, Sheet};
use omnogram::search::{Limits, Outcome};
use serde::Serialize;

use super::output::Output;
use super::session::{Answer, Session};
use super::status::{Answered, Status};
use super::total::Counted;
use super::words::Subject;

/// The form and the destination of the cells' shares.
#[derive(Debug)]
pub(super) struct CellOutput {
    pub(super) svg: Option<Output>,
    /// Whether exact numbers are printed instead of rounded shares.
    pub(super) exact: bool,
    pub(super) legend_shown: bool,
}

/// The answer of a count with the shares of the cells.
#[derive(Serialize)]
struct Shares<'a> {
    #[serde(flatten)]
    counted: Counted<'a>,
    /// `None` if there are no solutions or the count was stopped, and so are the fractions.
    cells: Option<Vec<Vec<String>>>,
    /// The exact shares; omitted without `--exact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    fractions: Option<Option<&'a CellCounts>>,
    /// The shares as text, and the legend if it has not been printed.
    #[serde(skip)]
    text: String,
    #[serde(skip)]
    legend: Option<&'static str>,
}

impl Answer for Shares<'_> {
    fn text(&self, session: &Session) -> String {
        self.counted.text(session) + &self.text
    }

    fn text_note(&self, _: &Session) -> Option<String> {
        self.legend.map(str::to_owned)
    }

    fn note(&self, session: &Session) -> Option<String> {
        self.counted.note(session)
    }

    fn status(&self) -> Status {
        self.counted.status()
    }
}

impl CellOutput {
    /// Prints the number of solutions, and the cells' shares if they are known; draws them.
    pub(super) fn answer(
        &mut self,
        session: &Session,
        counted: Counted<'_>,
        cells: Option<&CellCounts>,
    ) -> Answered {
        let subject = counted.subject;
        let drawing = cells.map(|cells| drawing(subject.puzzle, cells));
        let text = match (cells, &drawing) {
            (Some(cells), _) if self.exact => exact_text(subject.puzzle, cells),
            (_, Some(drawing)) => drawing.to_string(),
            (_, None) => String::new(),
        };
        let legend = if self.exact { EXACT_LEGEND } else { LEGEND };
        let shown = self.legend_shown || cells.is_none();
        let decimals = |cells| map_cells(subject.puzzle, |cell| decimal(cells, cell));
        let status = session.answer(&Shares {
            counted,
            cells: cells.map(decimals),
            fractions: self.exact.then_some(cells),
            text,
            legend: (!shown).then_some(legend),
        })?;
        self.legend_shown |= cells.is_some();
        if let (Some(output), Some(drawing)) = (&mut self.svg, drawing) {
            let drawn = render::svg(&sheet(subject, drawing), None, None);
            output.write(drawn.as_bytes())?;
            output.finish()?;
        }
        Ok(status)
    }
}

/// Counts the solutions of a puzzle, and for each cell the solutions in which it is filled; `None` if there are no solutions, or if the
/// count was stopped.
pub(super) fn count_cells(
    session: &Session,
    subject: &Subject<'_>,
) -> (Option<CellCounts>, Outcome) {
    let started = Instant::now();
    let (graph, mut outcome) = session.solution_graph(subject, |counter| counter.quick_graph());
    let cells =
        graph.and_then(|graph| cell_counts(&graph, &session.limits_since(started), &mut outcome));
    outcome.elapsed = started.elapsed();
    (cells, outcome)
}

/// For each cell the number of solutions in which it is filled; `None` if there are no solutions, or if a limit stopped the count, which
/// `outcome` then records.
pub(super) fn cell_counts(
    graph: &SolutionGraph,
    limits: &Limits,
    outcome: &mut Outcome,
) -> Option<CellCounts> {
    if graph.count().is_zero() {
        return None;
    }
    let cells = graph.cells_within(limits);
    outcome.stopped = outcome.stopped.or(cells.as_ref().err().copied());
    cells.ok()
}

const LEGEND: &str =
    "# filled in all, . in none, 0 in less than a tenth, 1 to 9 in as many tenths or more";

const EXACT_LEGEND: &str = "each number: in how many of the solutions this cell is filled";

/// A text for each cell, row by row.
fn map_cells(puzzle: &Puzzle, text: impl Fn(Cell) -> String) -> Vec<Vec<String>> {
    let (width, text) = (puzzle.width(), &text);
    (0..puzzle.height())
        .map(|row| {
            (0..width)
                .map(|column| text(Cell::new(row, column)))
                .collect()
        })
        .collect()
}

/// The exact numbers as text, in aligned columns.
fn exact_text(puzzle: &Puzzle, cells: &CellCounts) -> String {
    let mut numbers = map_cells(puzzle, |cell| cells.filled(cell).to_string());
    for column in 0..puzzle.width() {
        let longest = numbers.iter().map(|row| row[column].len()).max();
        let width = longest.unwrap_or_default();
        for row in &mut numbers {
            row[column] = format!("{:>width$}", row[column]);
        }
    }
    numbers.iter().map(|row| row.join(" ") + "\n").collect()
}

/// Draws the share of each cell, with a description per cell: `row 3, column 4: 0.333333, filled in 2 of 6`.
pub(super) fn drawing<'a>(puzzle: &'a Puzzle, cells: &CellCounts) -> Drawing<'a> {
    Drawing::new(puzzle, |row, column| {
        let cell = Cell::new(row, column);
        match cells.filled(cell) {
            filled if filled.is_zero() => Mark::Empty,
            filled if filled == cells.count() => Mark::Filled,
            _ => Mark::Share(cells.millionths(cell)),
        }
    })
    .with_words(|row, column| {
        let cell = Cell::new(row, column);
        let (share, filled) = (decimal(cells, cell), cells.filled(cell));
        let (row, column, all) = (row + 1, column + 1, cells.count());
        format!("row {row}, column {column}: {share}, filled in {filled} of {all}")
    })
}

/// This drawing with the titles and a legend.
pub(super) fn sheet<'a>(subject: &Subject<'a>, drawing: Drawing<'a>) -> Sheet<'a> {
    let legend = [
        (Mark::Filled, "filled in all solutions"),
        (Mark::Share(500_000), "filled in 50 % of them"),
        (Mark::Share(50_000), "in 5 %"),
        (Mark::Empty, "in none"),
    ];
    let legend = legend.map(|(mark, words)| (mark, words.to_owned()));
    subject.titled_sheet().drawings([drawing]).legend(legend)
}

/// The share of a cell with six decimals: `0.333333`.
fn decimal(cells: &CellCounts, cell: Cell) -> String {
    let millionths = cells.millionths(cell);
    format!("{}.{:06}", millionths / 1_000_000, millionths % 1_000_000)
}
