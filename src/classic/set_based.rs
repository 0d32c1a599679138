//! Sets of positions: every cell knows where in its row's clue, and where in its column's clue, it can be.
//!
//! *Idea.* With the clue 4 3 a cell of a row can be in ten positions: empty before both blocks, the first to fourth cell of the first
//! block, empty between the blocks, the first to third cell of the second, empty behind both. Walking along a line the position stays
//! where it is empty, or goes on to the next. So each cell holds the set of its positions in the row and another in the column, and two
//! things shrink them: a cell can only be in a position that one of its neighbour's leads to (from the left, from the right, from
//! above, from below), and if all its positions in one direction are filled, or all are empty, those in the other direction must be so
//! too. When nothing changes any more, take the first cell with more than one position in its row, and try each.
//!
//! *Cost.* Passing along all lines in four directions is O(wh (w + h)) for sets of up to w + 2 positions, however many arrangements
//! the lines have: this makes it the only one here that does not mind long lines. There may be as many passes as cells. The tree of guesses
//! is exponential, and the guess takes no care to be a good one.
//!
//! *Source.* Twan van Laarhoven, the third of three solvers in the Haskell wiki, "99 questions/Solutions/98", 2010 and before.

use super::rows::picture;
use super::watch::{End, Flow, Watch};
use crate::puzzle::{Clue, Puzzle};

/// The positions of a clue, in order.
#[derive(Debug)]
struct Order {
    /// Is a cell in this position filled?
    filled: Vec<bool>,
}

impl Order {
    fn new(clue: &Clue) -> Self {
        let mut filled = vec![false];
        for block in clue.lengths() {
            filled.extend(vec![true; block]);
            filled.push(false);
        }
        Order { filled }
    }

    /// Number of positions.
    fn len(&self) -> usize {
        self.filled.len()
    }
}

/// The sets of all cells of a line, one after the other, a flag for each position of the clue.
type Sets = Vec<bool>;

/// What a puzzle can still be.
#[derive(Clone, Debug)]
struct State {
    rows: Vec<Sets>,
    columns: Vec<Sets>,
}

/// A cell has no position left.
#[derive(Debug)]
struct Contradiction;

/// Something, as long as every cell has a position.
type Possible<T = ()> = Result<T, Contradiction>;

/// Every solution. A step is a line passed along in one direction, or a row compared with the columns.
pub(super) fn run(puzzle: &Puzzle, watch: &mut dyn Watch) -> Flow<End> {
    let (width, height) = (puzzle.width(), puzzle.height());
    let solver = Solver {
        rows: puzzle.rows().iter().map(Order::new).collect(),
        columns: puzzle.columns().iter().map(Order::new).collect(),
    };
    let positions = |orders: &[Order], cells: usize| -> u64 {
        orders
            .iter()
            .map(|order| (order.len() * cells) as u64)
            .sum()
    };
    let bytes = positions(&solver.rows, width) + positions(&solver.columns, height);
    watch.keep(bytes)?;
    let all = |orders: &[Order], cells: usize| {
        let sets = orders.iter().map(|order| vec![true; order.len() * cells]);
        sets.collect()
    };
    // What is left to be tried, the next one last.
    let mut open = vec![State {
        rows: all(&solver.rows, width),
        columns: all(&solver.columns, height),
    }];
    while let Some(mut state) = open.pop() {
        if solver.reduce(&mut state, watch)?.is_err() {
            continue;
        }
        match solver.first_open(&state) {
            None => watch.found(picture(&solver.cells(&state)))?,
            Some((row, column)) => {
                for position in solver.choices(&state, row, column).rev() {
                    watch.keep(bytes * (open.len() as u64 + 2))?;
                    open.push(solver.decided(&state, row, column, position));
                }
            }
        }
    }
    Flow::Continue(End::Complete)
}

#[derive(Debug)]
struct Solver {
    rows: Vec<Order>,
    columns: Vec<Order>,
}

impl Solver {
    /// Shrinks the sets until nothing changes.
    fn reduce(&self, state: &mut State, watch: &mut dyn Watch) -> Flow<Possible> {
        loop {
            let mut changed = false;
            let rows = self.rows.iter().zip(&mut state.rows);
            let columns = self.columns.iter().zip(&mut state.columns);
            for (order, sets) in rows.chain(columns) {
                watch.step()?;
                changed |= pass_forwards(order, sets);
                watch.step()?;
                changed |= pass_backwards(order, sets);
            }
            match self.agree(state, watch)? {
                Ok(more) => changed |= more,
                Err(contradiction) => return Flow::Continue(Err(contradiction)),
            }
            if !changed {
                return Flow::Continue(Ok(()));
            }
        }
    }

    /// What is filled or empty for certain in one direction is so in the other. Was there any news?
    fn agree(&self, state: &mut State, watch: &mut dyn Watch) -> Flow<Possible<bool>> {
        let mut changed = false;
        for r in 0..self.rows.len() {
            watch.step()?;
            match self.agree_along(state, r) {
                Ok(more) => changed |= more,
                Err(contradiction) => return Flow::Continue(Err(contradiction)),
            }
        }
        Flow::Continue(Ok(changed))
    }

    /// The same for the cells of a row.
    fn agree_along(&self, state: &mut State, r: usize) -> Possible<bool> {
        let row = &self.rows[r];
        let mut changed = false;
        for (c, column) in self.columns.iter().enumerate() {
            let across = &mut state.rows[r][c * row.len()..][..row.len()];
            let down = &mut state.columns[c][r * column.len()..][..column.len()];
            if let Some(filled) = certain(row, across)? {
                changed |= keep(column, down, filled);
            }
            if let Some(filled) = certain(column, down)? {
                changed |= keep(row, across, filled);
            }
        }
        Ok(changed)
    }

    /// The set of a cell in its row.
    fn set<'a>(&self, state: &'a State, row: usize, column: usize) -> &'a [bool] {
        let positions = self.rows[row].len();
        &state.rows[row][column * positions..][..positions]
    }

    /// The positions that a cell can have in its row.
    fn choices(
        &self,
        state: &State,
        row: usize,
        column: usize,
    ) -> impl DoubleEndedIterator<Item = usize> {
        let set = self.set(state, row, column).to_vec();
        (0..set.len()).filter(move |&position| set[position])
    }

    /// The first cell that has more than one.
    fn first_open(&self, state: &State) -> Option<(usize, usize)> {
        let width = self.columns.len();
        let mut cells = (0..self.rows.len() * width).map(|i| (i / width, i % width));
        cells.find(|&(row, column)| {
            let set = self.set(state, row, column);
            set.iter().filter(|&&possible| possible).count() > 1
        })
    }

    /// The state with this cell in this position.
    fn decided(&self, state: &State, row: usize, column: usize, position: usize) -> State {
        let mut state = state.clone();
        let positions = self.rows[row].len();
        let set = &mut state.rows[row][column * positions..][..positions];
        set.fill(false);
        set[position] = true;
        state
    }

    /// The picture, where every cell has one position.
    fn cells(&self, state: &State) -> Vec<Vec<bool>> {
        let row = |(order, sets): (&Order, &Sets)| -> Vec<bool> {
            let cells = sets.chunks(order.len());
            cells
                .map(|set| order.filled[set.iter().position(|&possible| possible).unwrap_or(0)])
                .collect()
        };
        self.rows.iter().zip(&state.rows).map(row).collect()
    }
}

/// Leaves in each set only what a position of the cell before leads to. Was anything else in one?
fn pass_forwards(order: &Order, sets: &mut Sets) -> bool {
    let positions = order.len();
    let mut changed = false;
    for cell in 0..sets.len() / positions {
        for position in 0..positions {
            let before = |position: usize| match cell.checked_sub(1) {
                Some(cell) => sets[cell * positions + position],
                // As if there was an empty cell before the line.
                None => position == 0,
            };
            let stays = !order.filled[position] && before(position);
            let comes = position > 0 && before(position - 1);
            let here = cell * positions + position;
            if sets[here] && !stays && !comes {
                sets[here] = false;
                changed = true;
            }
        }
    }
    changed
}

/// The same from the end of the line.
fn pass_backwards(order: &Order, sets: &mut Sets) -> bool {
    let positions = order.len();
    let cells = sets.len() / positions;
    let mut changed = false;
    for cell in (0..cells).rev() {
        for position in 0..positions {
            let after = |position: usize| match cell + 1 < cells {
                true => sets[(cell + 1) * positions + position],
                false => position == positions - 1,
            };
            let stays = !order.filled[position] && after(position);
            let goes = position + 1 < positions && after(position + 1);
            let here = cell * positions + position;
            if sets[here] && !stays && !goes {
                sets[here] = false;
                changed = true;
            }
        }
    }
    changed
}

/// Is this cell filled, or empty, wherever it is?
fn certain(order: &Order, set: &[bool]) -> Possible<Option<bool>> {
    let possible = |filled: bool| {
        let mut positions = set.iter().zip(&order.filled);
        positions.any(|(&possible, &is)| possible && is == filled)
    };
    match (possible(true), possible(false)) {
        (false, false) => Err(Contradiction),
        (true, true) => Ok(None),
        (filled, _) => Ok(Some(filled)),
    }
}

/// Leaves the filled or the empty positions only. Was there another?
fn keep(order: &Order, set: &mut [bool], filled: bool) -> bool {
    let mut changed = false;
    for (possible, &is) in set.iter_mut().zip(&order.filled) {
        if *possible && is != filled {
            *possible = false;
            changed = true;
        }
    }
    changed
}
