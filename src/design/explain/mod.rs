//! The solution as a person would find it, step by step, the simplest step first.
//!
//! A step decides cells of one line by one [`Reason`]: the simplest of all lines, among equals the one that decides most cells, then rows
//! before columns. Where no line decides a cell, a cell is tried: the step is then the shortest contradiction.

mod reason;
mod rules;
mod trial;
mod view;

use std::cmp::Reverse;

pub use reason::Reason;

use self::trial::Trial;
use self::view::{LineView, capital, list, value_name};
use super::rounds::{cells_of_line, clue_of, dirty_lines, line_of};
use crate::board::{Board, Clues};
use crate::error::Result;
use crate::line::{Known, Word, by_width};
use crate::puzzle::{Cell, Line, Position, Puzzle};
use crate::run::{Control, Instant, Limits};
use crate::search::{Cube, Search, Verdict};
use crate::solutions::Stop;

/// One step of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The line that is looked at; for a cell that is tried, its row.
    pub line: Line,
    /// The cells that the step decides, with their values: in the order of the line, or row by row.
    pub cells: Vec<(Cell, bool)>,
    /// Why.
    pub reason: Reason,
    /// The step as a player would say it, as sentences.
    pub words: String,
    /// The cell that is tried, with its value where that leads to a contradiction.
    pub tried: Option<(Cell, Option<bool>)>,
    /// The lines through which the trial leads to a contradiction, in order; the last one has no arrangement.
    pub chain: Vec<Line>,
}

/// How an explanation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ending {
    /// Every cell is known.
    Solved,
    /// The receiver wanted no more steps.
    Enough,
    /// There is no solution: this line has no arrangement, or a search has found none.
    Unsolvable(Option<Line>),
    /// No further cell follows, because there are several solutions.
    Several,
    /// There is one solution, but neither lines nor trials of single cells lead to it.
    Deeper,
    /// The run was stopped.
    Stopped(Stop),
}

impl Ending {
    /// Its name: `solved`, `more`, `none`, `multiple`, `search` or `stopped`.
    pub fn name(self) -> &'static str {
        match self {
            Ending::Solved => "solved",
            Ending::Enough => "more",
            Ending::Unsolvable(_) => "none",
            Ending::Several => "multiple",
            Ending::Deeper => "search",
            Ending::Stopped(_) => "stopped",
        }
    }
}

/// What came of an explanation, beside its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// How it ended.
    pub ending: Ending,
    /// What is known in the end.
    pub position: Position,
    /// Number of steps.
    pub steps: usize,
}

/// Explains how a puzzle is solved.
///
/// ```
/// use omnogram::Puzzle;
/// use omnogram::design::{Ending, Explainer};
///
/// let puzzle = Puzzle::from_clues(&[[3], [1], [1]], &[[1], [3], [1]])?;
/// let mut words = Vec::new();
/// let explanation = Explainer::new(&puzzle).run(|step| {
///     words.push(step.words.clone());
///     true
/// })?;
/// assert_eq!(explanation.ending, Ending::Solved);
/// assert_eq!(words[0], "Row 1: the 3 fills the whole row.");
/// # Ok::<(), omnogram::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct Explainer<'a> {
    puzzle: &'a Puzzle,
    limits: Limits,
    position: Option<Position>,
}

impl<'a> Explainer<'a> {
    /// An explanation that begins with the given cells.
    pub fn new(puzzle: &'a Puzzle) -> Self {
        Explainer {
            puzzle,
            limits: Limits::default(),
            position: None,
        }
    }

    /// Sets the limits. Each trial of a cell counts as a node.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Begins with these known cells and the given ones. They are believed: [`Position::check`] tells whether they are right.
    pub fn position(mut self, position: impl Into<Option<Position>>) -> Self {
        self.position = position.into();
        self
    }

    /// Gives each step to `take`, until there are no more or `take` returns `false`.
    ///
    /// A puzzle of 30x30 cells that lines solve takes some milliseconds; where cells must be tried, a step tries all of them.
    ///
    /// # Errors
    ///
    /// [`Kind::Data`](crate::error::Kind::Data) if the position differs in size from the puzzle, or in a given cell.
    pub fn run(&self, mut take: impl FnMut(&Step) -> bool) -> Result<Explanation> {
        let (width, height) = (self.puzzle.width(), self.puzzle.height());
        let start = Instant::now();
        let position = self.position.clone();
        let mut position = position.unwrap_or_else(|| Position::unknown(width, height));
        self.puzzle.add_given_to(&mut position)?;
        let mut explanation = Explanation {
            ending: Ending::Solved,
            position,
            steps: 0,
        };
        let control = Control::new(&self.limits, false);
        let ending = by_width!(width.max(height), W => {
            let clues = Clues::new(self.puzzle);
            StepSearch::<W>::new(self.puzzle, &clues, &control, &explanation.position)
                .run(&mut explanation, &mut take)
        });
        explanation.ending = match ending {
            Ending::Several => self.why_stuck(&explanation.position, start),
            ending => ending,
        };
        Ok(explanation)
    }

    /// Why no more cells follow, by a search.
    fn why_stuck(&self, position: &Position, start: Instant) -> Ending {
        let mut search = Search::new(self.puzzle).limits(self.limits.left_since(start));
        if self.position.is_some() {
            // Only solutions that agree with what was given.
            search = search.cubes(vec![Cube::of(position.known())]);
        }
        let (_, outcome) = search.first(2);
        match outcome.solutions.verdict() {
            Verdict::None => Ending::Unsolvable(None),
            Verdict::Unique => Ending::Deeper,
            Verdict::Multiple => Ending::Several,
            Verdict::Undecided => Ending::Stopped(outcome.stopped.unwrap_or(Stop::Interrupt)),
        }
    }
}

/// What a line offers: the rank of the rule, its reason, the cells that it decides, and the sentence.
type Offer = (usize, Reason, Vec<(usize, bool)>, String);

/// The search for the steps of an explanation.
struct StepSearch<'a, W> {
    puzzle: &'a Puzzle,
    clues: &'a Clues,
    control: &'a Control,
    board: Board<'a, W>,
    /// The lines that changed since they were last looked at.
    due: Vec<usize>,
    /// What each line offers.
    offers: Vec<Option<Offer>>,
}

impl<'a, W: Word> StepSearch<'a, W> {
    fn new(
        puzzle: &'a Puzzle,
        clues: &'a Clues,
        control: &'a Control,
        position: &Position,
    ) -> Self {
        let mut board = Board::<W>::new(clues);
        let (filled, empty) = position.grids();
        for row in 0..clues.height() {
            let filled = W::from_parts(filled.row(row));
            let empty = W::from_parts(empty.row(row));
            board.learn(row, Known { filled, empty });
        }
        let due = dirty_lines(&mut board);
        StepSearch {
            puzzle,
            clues,
            control,
            board,
            due,
            offers: vec![None; clues.height() + clues.width()],
        }
    }

    /// Takes steps to the end. [`Ending::Several`] means that no more cells follow, for whatever reason.
    fn run(
        &mut self,
        explanation: &mut Explanation,
        take: &mut dyn FnMut(&Step) -> bool,
    ) -> Ending {
        loop {
            if let Some(ending) = self.look() {
                return ending;
            }
            if self.board.unknown() == 0 {
                return Ending::Solved;
            }
            let step = match self.best_line() {
                Some(line) => self.line_step(line),
                None => match trial::best(&mut self.board, self.control) {
                    Some(Trial::Contradiction(cell, filled, chain)) => {
                        self.contradiction(cell, filled, &chain)
                    }
                    Some(Trial::EitherWay(cell, cells)) => either_way(cell, cells),
                    Some(Trial::Nothing) => return Ending::Several,
                    None => return self.stopped(),
                },
            };
            for &(cell, filled) in &step.cells {
                let (row, column) = cell.place();
                explanation.position.set(row, column, Some(filled));
                self.board.learn(row, Known::of_cell(column, filled));
                self.due.push(row);
            }
            self.due.extend(dirty_lines(&mut self.board));
            self.due.sort_unstable();
            self.due.dedup();
            explanation.steps += 1;
            if !take(&step) {
                return match self.board.unknown() {
                    0 => Ending::Solved,
                    _ => Ending::Enough,
                };
            }
        }
    }

    /// Looks at the lines that changed; returns how the explanation ends, if it does.
    fn look(&mut self) -> Option<Ending> {
        for line in std::mem::take(&mut self.due) {
            if self.control.poll() {
                return Some(self.stopped());
            }
            let Some(new) = self.board.preview(line) else {
                return Some(Ending::Unsolvable(Some(line_of(self.clues, line))));
            };
            self.offers[line] = (!new.cells().is_zero()).then(|| self.offer(line, new));
        }
        None
    }

    fn stopped(&self) -> Ending {
        Ending::Stopped(self.control.reason().unwrap_or(Stop::Interrupt))
    }

    /// The simplest that a line offers, which decides these cells.
    fn offer(&self, line: usize, new: Known<W>) -> Offer {
        let cells = cells_of_line(self.clues, line, self.board.line(line));
        let line = line_of(self.clues, line);
        let clue = clue_of(self.puzzle, line);
        let lengths: Vec<usize> = clue.lengths().collect();
        let view = LineView::new(line, clue, &lengths, &cells);
        let (rank, reason, deduction) = rules::simplest(&view).unwrap_or_else(|| {
            let cells = new.cells().cells().map(|i| (i, new.filled.has(i)));
            let deduction = rules::all_arrangements(&view, cells.collect());
            (rules::LAST, Reason::AllArrangements, deduction)
        });
        let words = deduction.words(&view);
        (rank, reason, deduction.cells, words)
    }

    /// The line with the simplest offer, among equals the one with most cells, then the first.
    fn best_line(&self) -> Option<usize> {
        let keys = self.offers.iter().enumerate().filter_map(|(line, offer)| {
            let (rank, _, cells, _) = offer.as_ref()?;
            Some((*rank, Reverse(cells.len()), line))
        });
        Some(keys.min()?.2)
    }

    fn line_step(&mut self, line: usize) -> Step {
        let (_, reason, cells, words) = self.offers[line].take().expect("the line has an offer");
        let line = line_of(self.clues, line);
        let cells = cells.into_iter().map(|(i, filled)| {
            let (row, column) = line.place(i);
            (Cell::new(row, column), filled)
        });
        Step {
            line,
            cells: cells.collect(),
            reason,
            words,
            tried: None,
            chain: Vec::new(),
        }
    }

    fn contradiction(&self, cell: Cell, filled: bool, chain: &[usize]) -> Step {
        let lines = chain.iter().map(|&line| line_of(self.clues, line));
        let lines: Vec<Line> = lines.collect();
        let (last, before) = lines.split_last().expect("a chain has a line");
        let mut follow = String::new();
        if !before.is_empty() {
            let names = before.iter().map(Line::to_string);
            follow = format!("follow it through {}; then ", list(names));
        }
        let clue = clue_of(self.puzzle, *last);
        let (tried, other) = (value_name(filled), value_name(!filled));
        let words = format!(
            "{}: suppose it is {tried} and {follow}{last} has no way left to place {clue}. So it is {other}.",
            capital(&place(cell))
        );
        Step {
            line: Line::Row(cell.row.into()),
            cells: vec![(cell, !filled)],
            reason: Reason::Contradiction(lines.len()),
            words,
            tried: Some((cell, Some(filled))),
            chain: lines,
        }
    }
}

fn either_way(cell: Cell, cells: Vec<(Cell, bool)>) -> Step {
    let mut clauses = Vec::new();
    for value in [true, false] {
        let word = value_name(value);
        let alike = cells.iter().filter(|(_, filled)| *filled == value);
        let places: Vec<String> = alike.map(|&(cell, _)| place(cell)).collect();
        match places.as_slice() {
            [] => {}
            [one] => clauses.push(format!("{one} is {word}")),
            // A list of all would be too long to read.
            [first, .., last] if places.len() > 4 => {
                let number = places.len();
                clauses.push(format!("{number} cells from {first} to {last} are {word}"));
            }
            _ => clauses.push(format!("{} are {word}", list(places))),
        }
    }
    Step {
        line: Line::Row(cell.row.into()),
        words: format!(
            "{}: try it filled, then try it empty. Either way {}.",
            capital(&place(cell)),
            list(clauses)
        ),
        cells,
        reason: Reason::EitherWay,
        tried: Some((cell, None)),
        chain: Vec::new(),
    }
}

/// `row 3, column 5`
fn place(cell: Cell) -> String {
    format!("row {}, column {}", cell.row + 1, cell.column + 1)
}
