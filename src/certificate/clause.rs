//! What the variables of the encoding stand for, and whether a clause follows from the clue of one line or from a given cell.
//!
//! A cell in row r and column c, both from 0, is the variable r · width + c + 1, true if the cell is filled. The other variables say where
//! blocks start: for each line, rows first, for each of its blocks in order, and for each of the block's starts but the last, in order, one
//! variable is true if the block starts there or before.
//!
//! Every picture that satisfies the clues gives all of these variables a value. So clauses that follow from single lines or given cells, one
//! by one, have no other effect than the clues and the given cells, whoever wrote them.

use crate::puzzle::{Line, Puzzle};

/// What a variable says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// That a cell is filled: row and column.
    Cell(usize, usize),
    /// That a block starts at a cell of its line or before: the line's number, rows first; the block's number; the cell.
    Start(usize, usize, usize),
}

/// What is assumed about a line.
#[derive(Debug, Default)]
struct Assumed {
    /// The value of each cell, if there is one, and an empty cell behind the last.
    cells: Vec<Option<bool>>,
    /// The first and last start of each block.
    starts: Vec<(usize, usize)>,
    /// Whether the next block can start at this cell.
    here: Vec<bool>,
    next: Vec<bool>,
}

/// The variables of a puzzle.
#[derive(Debug)]
pub(super) struct Variables<'a> {
    puzzle: &'a Puzzle,
    lines: Vec<(Line, Vec<usize>)>,
    meanings: Vec<Meaning>,
    assumed: Assumed,
    /// Steps that one line takes at most: its blocks times its cells.
    line_work: usize,
}

impl<'a> Variables<'a> {
    pub(super) fn new(puzzle: &'a Puzzle) -> Self {
        let (width, height) = (puzzle.width(), puzzle.height());
        let cells = (0..height).flat_map(|row| (0..width).map(move |column| (row, column)));
        let mut meanings: Vec<Meaning> = cells.map(|(r, c)| Meaning::Cell(r, c)).collect();
        let (mut lines, mut line_work) = (Vec::new(), 0);
        for (number, (line, clue)) in puzzle.lines().enumerate() {
            let slack = puzzle.length(line) - clue.span();
            let mut first = 0;
            for (block, length) in clue.lengths().enumerate() {
                let starts = first..first + slack;
                meanings.extend(starts.map(|cell| Meaning::Start(number, block, cell)));
                first += length + 1;
            }
            line_work = line_work.max((1 + clue.blocks().len()) * (1 + puzzle.length(line)));
            lines.push((line, clue.lengths().collect()));
        }
        Variables {
            puzzle,
            lines,
            meanings,
            assumed: Assumed::default(),
            line_work,
        }
    }

    /// The greatest variable.
    pub(super) fn max(&self) -> i32 {
        self.meanings.len() as i32
    }

    /// The greatest variable of a cell.
    pub(super) fn max_cell(&self) -> i32 {
        (self.puzzle.width() * self.puzzle.height()) as i32
    }

    /// About how many steps [`Variables::follows`] takes.
    pub(super) fn work_of(&self, clause: &[i32]) -> usize {
        let lines = self.lines.len().min(2 * clause.len());
        2 * clause.len() + lines * self.line_work
    }

    /// Whether a given cell has the value that this literal says.
    fn is_given(&self, literal: i32) -> bool {
        let Meaning::Cell(row, column) = self.meaning(literal) else {
            return false;
        };
        let given = self.puzzle.given().and_then(|given| given.get(row, column));
        given == Some(literal > 0)
    }

    fn meaning(&self, literal: i32) -> Meaning {
        self.meanings[literal.unsigned_abs() as usize - 1]
    }

    /// Whether a given cell satisfies the clause, or every arrangement of some line does. Its variables are at most [`Variables::max`].
    /// O(blocks · cells) for each line with a literal.
    pub(super) fn follows(&mut self, clause: &[i32]) -> bool {
        if clause.iter().any(|&literal| self.is_given(literal)) {
            return true;
        }
        // A clause with a literal of a block's start is about the line of the block. Others are about a line of one of their cells.
        for &literal in clause {
            if let Meaning::Start(line, ..) = self.meaning(literal) {
                return self.follows_from(line, clause);
            }
        }
        let mut literals: Vec<(usize, i32)> = Vec::with_capacity(2 * clause.len());
        for &literal in clause {
            if let Meaning::Cell(row, column) = self.meaning(literal) {
                literals.push((row, literal));
                literals.push((self.puzzle.height() + column, literal));
            }
        }
        // The literals by their lines, because a line is concerned by its own alone.
        literals.sort_unstable();
        let mut own = Vec::new();
        literals.chunk_by(|a, b| a.0 == b.0).any(|literals| {
            own.clear();
            own.extend(literals.iter().map(|&(_, literal)| literal));
            self.follows_from(literals[0].0, &own)
        })
    }

    /// Whether the literals of the clause that are about this line hold in every arrangement: no arrangement has the opposite of each.
    fn follows_from(&mut self, number: usize, clause: &[i32]) -> bool {
        let (line, blocks) = &self.lines[number];
        let (line, length) = (*line, self.puzzle.length(*line));
        let mut assumed = std::mem::take(&mut self.assumed);
        assumed.cells.clear();
        assumed.cells.resize(length, None);
        assumed.cells.push(Some(false));
        assumed.starts.clear();
        assumed.starts.resize(blocks.len(), (0, length));
        let mut contradiction = false;
        for &literal in clause {
            match (self.meaning(literal), line) {
                (Meaning::Cell(this, cell), Line::Row(own))
                | (Meaning::Cell(cell, this), Line::Column(own)) => {
                    let filled = literal < 0;
                    contradiction |=
                        this == own && assumed.cells[cell].replace(filled) == Some(!filled);
                }
                (Meaning::Start(of, block, cell), _) if of == number => {
                    let (first, last) = &mut assumed.starts[block];
                    if literal < 0 {
                        *last = cell.min(*last)
                    } else {
                        *first = (cell + 1).max(*first)
                    }
                }
                _ => {}
            }
        }
        let follows = contradiction || !assumed.has_arrangement(blocks);
        self.assumed = assumed;
        follows
    }
}

impl Assumed {
    /// Whether the blocks can be placed. Each block is followed by an empty cell, as there is one behind the line.
    fn has_arrangement(&mut self, blocks: &[usize]) -> bool {
        let (cells, n) = (&self.cells, self.cells.len());
        let (here, next) = (&mut self.here, &mut self.next);
        here.clear();
        here.push(true);
        for cell in cells {
            here.push(here[here.len() - 1] && *cell != Some(true));
        }
        for (&length, &(first, last)) in blocks.iter().zip(&self.starts) {
            next.clear();
            next.push(false);
            // Cells up to here, going back, that are not known to be empty.
            let mut free = 0;
            for end in 0..n {
                // A block that ends before the cell `end`, which is empty.
                let starts = end >= length && free >= length && {
                    let start = end - length;
                    here[start] && (first..=last).contains(&start)
                };
                let clear = cells[end] != Some(true);
                next.push(clear && (starts || next[end]));
                free = match cells[end] {
                    Some(false) => 0,
                    _ => free + 1,
                };
            }
            std::mem::swap(here, next);
        }
        here[n]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Grid;

    /// Whether a literal is true in a picture.
    fn holds(variables: &Variables<'_>, grid: &Grid, literal: i32) -> bool {
        let value = match variables.meaning(literal) {
            Meaning::Cell(row, column) => grid.get(row, column),
            Meaning::Start(line, block, cell) => {
                let cells: Vec<bool> = grid.cells(variables.lines[line].0).collect();
                let starts = (0..cells.len()).filter(|&i| cells[i] && (i == 0 || !cells[i - 1]));
                starts.collect::<Vec<_>>()[block] <= cell
            }
        };
        value == (literal > 0)
    }

    #[test]
    fn a_clause_follows_from_a_line_exactly_if_every_arrangement_satisfies_it() {
        // One row: all clauses of up to three literals.
        let rows: [&[usize]; 5] = [&[1, 1], &[2], &[], &[1, 2], &[3]];
        for blocks in rows {
            let width = 5;
            let all: Vec<Grid> = (0..1_u32 << width)
                .map(|bits| {
                    let mut grid = Grid::new(width, 1);
                    (0..width).for_each(|i| grid.set(0, i, bits >> i & 1 == 1));
                    grid
                })
                .filter(|grid| grid.clue(Line::Row(0)).lengths().eq(blocks.iter().copied()))
                .collect();
            let clue = |lengths: &[usize]| lengths.to_vec();
            // Only the row is asked.
            let columns = vec![clue(&[]); width];
            let puzzle = Puzzle::from_clues(&[blocks.to_vec()], &columns).unwrap();
            let mut variables = Variables::new(&puzzle);
            let literals: Vec<i32> = (1..=variables.max()).flat_map(|v| [v, -v]).collect();
            for &a in &literals {
                for &b in &literals {
                    for &c in &literals {
                        let clause = [a, b, c];
                        let expected = all
                            .iter()
                            .all(|grid| clause.iter().any(|&l| holds(&variables, grid, l)));
                        assert_eq!(variables.follows_from(0, &clause), expected, "{clause:?}");
                    }
                }
            }
        }
    }
}
