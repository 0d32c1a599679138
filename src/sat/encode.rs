//! A puzzle as clauses: the order encoding of the start of each block, without auxiliary variables for the cells that it covers.
//!
//! For each block and each of its possible starts but the last, one variable is true when the block starts there or before. The unknown
//! cells are variables too. All variables are determined by the grid, so models and solutions correspond one to one. Known cells are used
//! to reduce the encoding: a block has only the starts that occur in some arrangement of its line that agrees with them.
//!
//! Order encoding: Tamura, Taga, Kitagawa and Banbara, "Compiling finite linear CSP into SAT", Constraints 14 (2009).

use crate::line::{Kernel, Known, Word, by_width};
use crate::puzzle::{Grid, Line, Puzzle};

/// The variables of a puzzle.
#[derive(Debug)]
pub(super) struct Encoding {
    pub(super) cells: CellVariables,
    pub(super) starts: BlockStarts,
    /// The cells that are known to be filled.
    pub(super) filled: Grid,
}

impl Encoding {
    /// The encoding of a puzzle in which the cells of `filled` are known to be filled and those of `empty` to be empty; `None` when there
    /// are more than `max_starts` possible starts of blocks, or when `stop`, called before every line, returns `true`.
    pub(super) fn new(
        puzzle: &Puzzle,
        (filled, empty): (&Grid, &Grid),
        max_starts: usize,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Self> {
        let cells = CellVariables::new(filled, empty);
        let starts = BlockStarts::new(puzzle, (filled, empty), &cells, max_starts, stop)?;
        let filled = filled.clone();
        Some(Encoding {
            cells,
            starts,
            filled,
        })
    }

    /// The encoding of a puzzle in which no cell is taken as known, and every cell has a variable.
    pub(super) fn of_whole(
        puzzle: &Puzzle,
        max_starts: usize,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Self> {
        let unknown = Grid::new(puzzle.width(), puzzle.height());
        Self::new(puzzle, (&unknown, &unknown), max_starts, stop)
    }

    /// The grid of a model, given by the value of each variable.
    pub(super) fn grid(&self, mut is_true: impl FnMut(i32) -> bool) -> Grid {
        let mut grid = self.filled.clone();
        for (variable, row, column) in self.cells.each() {
            grid.set(row, column, is_true(variable));
        }
        grid
    }

    /// The literal that a cell is filled.
    fn cell(&self, row: usize, column: usize) -> Literal {
        match self.cells.variable(row, column) {
            0 if self.filled.get(row, column) => Literal::True,
            0 => Literal::False,
            variable => Literal::Is(variable),
        }
    }

    /// Number of clauses.
    pub(super) fn clauses(&self, puzzle: &Puzzle) -> u64 {
        let mut number = 0;
        self.encode(puzzle, &mut || false, |_, _| number += 1);
        number
    }
}

/// The variables of the cells, numbered from 1; 0 for a known cell.
#[derive(Debug)]
pub(super) struct CellVariables {
    width: usize,
    variables: Vec<i32>,
    /// Row and column of each variable, beginning with variable 1.
    places: Vec<(u16, u16)>,
}

impl CellVariables {
    /// Numbers the cells that are in neither grid.
    pub(super) fn new(filled: &Grid, empty: &Grid) -> Self {
        let (width, height) = (filled.width(), filled.height());
        let mut cells = CellVariables {
            width,
            variables: vec![0; width * height],
            places: Vec::new(),
        };
        for row in 0..height {
            for column in 0..width {
                if !filled.get(row, column) && !empty.get(row, column) {
                    cells.places.push((row as u16, column as u16));
                    cells.variables[row * width + column] = cells.places.len() as i32;
                }
            }
        }
        cells
    }

    /// Number of variables.
    pub(super) fn count(&self) -> usize {
        self.places.len()
    }

    /// The variable of a cell; 0 where it is known.
    pub(super) fn variable(&self, row: usize, column: usize) -> i32 {
        self.variables[row * self.width + column]
    }

    /// Every variable with its row and column.
    pub(super) fn each(&self) -> impl Iterator<Item = (i32, usize, usize)> + '_ {
        self.places
            .iter()
            .zip(1..)
            .map(|(&(row, column), variable)| (variable, usize::from(row), usize::from(column)))
    }
}

/// A start of a block, and the variable that is true when the block starts there or before; 0 for the last start, where that is always
/// true.
pub(super) type Start = (u16, i32);

/// The possible starts of every block of every line, given the known cells.
#[derive(Debug)]
pub(super) struct BlockStarts {
    /// For each line, rows first, and each block: its starts in increasing order.
    lines: Vec<Vec<Vec<Start>>>,
    /// The greatest variable.
    max_variable: i32,
}

impl BlockStarts {
    /// Computes the starts line by line; `None` when there are more than `max_starts`, or when `stop`, called before every line, returns
    /// `true`. A line without an arrangement has blocks without a start. Variables are numbered after those of the cells.
    pub(super) fn new(
        puzzle: &Puzzle,
        (filled, empty): (&Grid, &Grid),
        cells: &CellVariables,
        max_starts: usize,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Self> {
        let mut lines = Vec::with_capacity(puzzle.height() + puzzle.width());
        let mut max_variable = cells.count() as i32;
        let mut starts_left = max_starts;
        for (line, clue) in puzzle.lines() {
            if stop() {
                return None;
            }
            let length = puzzle.length(line);
            let known = |i| {
                let (row, column) = line.place(i);
                let is_filled = filled.get(row, column);
                (is_filled || empty.get(row, column)).then_some(is_filled)
            };
            let lengths: Vec<u16> = clue.lengths().map(|length| length as u16).collect();
            let mut blocks = Vec::with_capacity(lengths.len());
            for starts in by_width!(length, W => starts::<W>(&lengths, length, &known)) {
                starts_left = starts_left.checked_sub(starts.len())?;
                let last = starts.last().copied();
                let numbered = starts.into_iter().map(|start| {
                    if Some(start) == last {
                        return (start, 0);
                    }
                    max_variable += 1;
                    (start, max_variable)
                });
                blocks.push(numbered.collect());
            }
            lines.push(blocks);
        }
        Some(BlockStarts {
            lines,
            max_variable,
        })
    }

    /// Line by line, rows first, the starts of each block.
    pub(super) fn lines(&self) -> impl Iterator<Item = &[Vec<Start>]> {
        self.lines.iter().map(Vec::as_slice)
    }

    /// The greatest variable.
    pub(super) fn max_variable(&self) -> i32 {
        self.max_variable
    }
}

/// For each block, every start that occurs in some arrangement of a line with these known cells.
fn starts<W: Word>(
    blocks: &[u16],
    length: usize,
    known: &dyn Fn(usize) -> Option<bool>,
) -> Vec<Vec<u16>> {
    let cells = Known::<W>::of_line((0..length).map(known));
    match Kernel::new().starts(blocks, length, cells) {
        None => vec![Vec::new(); blocks.len()],
        Some(starts) => starts
            .into_iter()
            .map(|of_block| of_block.cells().map(|cell| cell as u16).collect())
            .collect(),
    }
}

/// A literal, or a truth value.
#[derive(Clone, Copy)]
enum Literal {
    True,
    False,
    Is(i32),
}

impl std::ops::Not for Literal {
    type Output = Self;

    fn not(self) -> Self {
        match self {
            Literal::True => Literal::False,
            Literal::False => Literal::True,
            Literal::Is(literal) => Literal::Is(-literal),
        }
    }
}

impl Encoding {
    /// Passes every clause of the puzzle to `add` with its line, those of the given cells last and without a line; `None` when `stop`, called
    /// before every line, returns `true`.
    pub(super) fn encode(
        &self,
        puzzle: &Puzzle,
        stop: &mut dyn FnMut() -> bool,
        mut add: impl FnMut(Option<Line>, &[i32]),
    ) -> Option<()> {
        let mut clause = Vec::new();
        let mut add = |line: Option<Line>, literals: &[Literal]| {
            clause.clear();
            for literal in literals {
                match literal {
                    Literal::True => return,
                    Literal::False => {}
                    Literal::Is(literal) => clause.push(*literal),
                }
            }
            // A clause with a literal and its negation is always true.
            if !clause.iter().any(|literal| clause.contains(&-literal)) {
                add(line, &clause);
            }
        };
        for ((line, clue), starts) in puzzle.lines().zip(&self.starts.lines) {
            if stop() {
                return None;
            }
            let mut add = |literals: &[Literal]| add(Some(line), literals);
            let cell = |i: usize| {
                let (row, column) = line.place(i);
                self.cell(row, column)
            };
            let lengths: Vec<usize> = clue.lengths().collect();
            if starts.iter().any(Vec::is_empty) {
                add(&[]);
            }
            // The literal that is true if block `j` starts at cell `at` or before.
            let starts_by = |j: usize, at: Option<usize>| -> Literal {
                let Some(at) = at else { return Literal::False };
                let starts = &starts[j];
                match starts.partition_point(|&(start, _)| usize::from(start) <= at) {
                    0 => Literal::False,
                    all if all == starts.len() => Literal::True,
                    some => Literal::Is(starts[some - 1].1),
                }
            };
            let blocks = lengths.len();
            for j in 0..blocks {
                for pair in starts[j].windows(2) {
                    let (q, next) = (usize::from(pair[0].0), usize::from(pair[1].0));
                    add(&[!starts_by(j, Some(q)), starts_by(j, Some(next))]);
                }
                // The next block starts after this block and an empty cell.
                if j + 1 < blocks {
                    for &(q, _) in &starts[j + 1] {
                        let q = usize::from(q);
                        let room = q.checked_sub(lengths[j] + 1);
                        add(&[!starts_by(j + 1, Some(q)), starts_by(j, room)]);
                    }
                }
            }
            for i in 0..puzzle.length(line) {
                let cell = cell(i);
                // If a block has started and has not ended, the cell is filled.
                for (j, &length) in lengths.iter().enumerate() {
                    let ended = starts_by(j, i.checked_sub(length));
                    add(&[!starts_by(j, Some(i)), ended, cell]);
                }
                // If one block has ended and the next has not started, the cell is empty.
                for j in 0..=blocks {
                    let ended = match j {
                        0 => Literal::True,
                        _ => starts_by(j - 1, i.checked_sub(lengths[j - 1])),
                    };
                    let started = if j < blocks {
                        starts_by(j, Some(i))
                    } else {
                        Literal::False
                    };
                    add(&[!ended, started, !cell]);
                }
            }
        }
        for (cell, filled) in puzzle.given_cells() {
            let (row, column) = cell.place();
            let literal = self.cell(row, column);
            add(None, &[if filled { literal } else { !literal }]);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Start and length of every run.
    fn runs(picture: u32, n: u32) -> Vec<(u16, usize)> {
        let filled = |i: u32| i < n && picture >> i & 1 == 1;
        (0..n)
            .filter(|&i| filled(i) && (i == 0 || !filled(i - 1)))
            .map(|i| (i as u16, (i..).take_while(|&i| filled(i)).count()))
            .collect()
    }

    fn lengths(runs: &[(u16, usize)]) -> Vec<usize> {
        runs.iter().map(|&(_, length)| length).collect()
    }

    #[test]
    fn starts_are_those_of_all_arrangements() {
        // Every line of up to seven cells, with every subset of them known.
        for n in 1..=7 {
            for picture in 0..1 << n {
                let clue = lengths(&runs(picture, n));
                for mask in 0..1 << n {
                    let known = |i: usize| (mask >> i & 1 == 1).then_some(picture >> i & 1 == 1);
                    let mut expected = vec![Vec::new(); clue.len()];
                    let fitting = (0..1 << n).filter(|other| (other ^ picture) & mask == 0);
                    for runs in fitting.map(|other| runs(other, n)) {
                        if lengths(&runs) == clue {
                            for (starts, (start, _)) in expected.iter_mut().zip(runs) {
                                starts.push(start);
                            }
                        }
                    }
                    for starts in &mut expected {
                        starts.sort_unstable();
                        starts.dedup();
                    }
                    let blocks: Vec<u16> = clue.iter().map(|&length| length as u16).collect();
                    let found = starts::<u64>(&blocks, n as usize, &known);
                    assert_eq!(found, expected, "{clue:?} {picture:b} {mask:b}");
                }
            }
        }
    }
}
