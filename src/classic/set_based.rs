//! Sets of positions: each cell has a set of possible positions in its row's clue, and one in its column's clue.
//!
//! *Idea.* With the clue 4 3 a cell of a row can be in ten positions: empty before both blocks, the first to fourth cell of the first
//! block, empty between the blocks, the first to third cell of the second, empty after both. From one cell of a line to the next the
//! position stays the same if it is empty, or increases by one. So each cell has a set of positions in its row and another in its column,
//! and two rules shrink them: a cell can only be in a position that follows from one of its neighbour's (to the left, to the right,
//! above, below), and if all its positions in one direction are filled, or all are empty, those in the other direction must be so
//! too. When nothing changes any more, take the first cell with more than one position in its row, and try each.
//!
//! *Cost.* One pass along all lines in four directions is O(wh (w + h)) for sets of up to w + 2 positions, however many arrangements
//! the lines have: it is the only algorithm here that copes with long lines. There may be as many passes as cells. The search tree is
//! exponential, and the branch cell is not chosen by any heuristic.
//!
//! *Source.* Twan van Laarhoven, the third of three solvers in the Haskell wiki, "99 questions/Solutions/98", 2010 and before.

use super::rows::picture;
use super::watch::{End, Flow, Observer};
use crate::puzzle::{Clue, Puzzle};

/// The positions of a clue, in order.
#[derive(Debug)]
struct PositionList {
    /// Whether a cell in this position is filled.
    filled: Vec<bool>,
}

impl PositionList {
    fn new(clue: &Clue) -> Self {
        let mut filled = vec![false];
        for block in clue.lengths() {
            filled.extend(vec![true; block]);
            filled.push(false);
        }
        PositionList { filled }
    }

    /// Number of positions.
    fn len(&self) -> usize {
        self.filled.len()
    }
}

/// The sets of all cells of a line, one after the other, with one flag for each position of the clue.
type Sets = Vec<bool>;

/// The possible positions of all cells.
#[derive(Clone, Debug)]
struct State {
    rows: Vec<Sets>,
    columns: Vec<Sets>,
}

/// A cell without a possible position.
#[derive(Debug)]
struct Contradiction;

/// A value, or the contradiction that a cell has no possible position.
type Possible<T = ()> = Result<T, Contradiction>;

/// Finds every solution. A step is one pass over a line in one direction, or a comparison of a row with the columns.
pub(super) fn run(puzzle: &Puzzle, watch: &mut dyn Observer) -> Flow<End> {
    let (width, height) = (puzzle.width(), puzzle.height());
    let solver = Solver {
        rows: puzzle.rows().iter().map(PositionList::new).collect(),
        columns: puzzle.columns().iter().map(PositionList::new).collect(),
    };
    let positions = |lists: &[PositionList], cells: usize| -> u64 {
        lists.iter().map(|list| (list.len() * cells) as u64).sum()
    };
    let bytes = positions(&solver.rows, width) + positions(&solver.columns, height);
    watch.keep(bytes)?;
    let all = |lists: &[PositionList], cells: usize| {
        let sets = lists.iter().map(|list| vec![true; list.len() * cells]);
        sets.collect()
    };
    // The states still to be searched, as a stack.
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
                    open.push(solver.with_position(&state, row, column, position));
                }
            }
        }
    }
    Flow::Continue(End::Complete)
}

#[derive(Debug)]
struct Solver {
    rows: Vec<PositionList>,
    columns: Vec<PositionList>,
}

impl Solver {
    /// Shrinks the sets until nothing changes.
    fn reduce(&self, state: &mut State, watch: &mut dyn Observer) -> Flow<Possible> {
        loop {
            let mut changed = false;
            let rows = self.rows.iter().zip(&mut state.rows);
            let columns = self.columns.iter().zip(&mut state.columns);
            for (list, sets) in rows.chain(columns) {
                watch.step()?;
                changed |= pass_forwards(list, sets);
                watch.step()?;
                changed |= pass_backwards(list, sets);
            }
            match self.exchange(state, watch)? {
                Ok(more) => changed |= more,
                Err(contradiction) => return Flow::Continue(Err(contradiction)),
            }
            if !changed {
                return Flow::Continue(Ok(()));
            }
        }
    }

    /// Transfers cells that are certainly filled or empty in one direction to the other. Returns whether a set has changed.
    fn exchange(&self, state: &mut State, watch: &mut dyn Observer) -> Flow<Possible<bool>> {
        let mut changed = false;
        for r in 0..self.rows.len() {
            watch.step()?;
            match self.exchange_in_row(state, r) {
                Ok(more) => changed |= more,
                Err(contradiction) => return Flow::Continue(Err(contradiction)),
            }
        }
        Flow::Continue(Ok(changed))
    }

    /// Does so for the cells of one row.
    fn exchange_in_row(&self, state: &mut State, r: usize) -> Possible<bool> {
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

    /// The first cell with more than one position in its row.
    fn first_open(&self, state: &State) -> Option<(usize, usize)> {
        let width = self.columns.len();
        let mut cells = (0..self.rows.len() * width).map(|i| (i / width, i % width));
        cells.find(|&(row, column)| {
            let set = self.set(state, row, column);
            set.iter().filter(|&&possible| possible).count() > 1
        })
    }

    /// The state with this cell in this position.
    fn with_position(&self, state: &State, row: usize, column: usize, position: usize) -> State {
        let mut state = state.clone();
        let positions = self.rows[row].len();
        let set = &mut state.rows[row][column * positions..][..positions];
        set.fill(false);
        set[position] = true;
        state
    }

    /// The picture of a state in which every cell has one position.
    fn cells(&self, state: &State) -> Vec<Vec<bool>> {
        let row = |(list, sets): (&PositionList, &Sets)| -> Vec<bool> {
            let cells = sets.chunks(list.len());
            cells
                .map(|set| list.filled[set.iter().position(|&possible| possible).unwrap_or(0)])
                .collect()
        };
        self.rows.iter().zip(&state.rows).map(row).collect()
    }
}

/// Keeps in each set only positions that follow from one of the cell before. Returns whether a set has changed.
fn pass_forwards(list: &PositionList, sets: &mut Sets) -> bool {
    let positions = list.len();
    let mut changed = false;
    for cell in 0..sets.len() / positions {
        for position in 0..positions {
            let before = |position: usize| match cell.checked_sub(1) {
                Some(cell) => sets[cell * positions + position],
                // As if there were an empty cell before the line.
                None => position == 0,
            };
            let stays = !list.filled[position] && before(position);
            let enters = position > 0 && before(position - 1);
            let here = cell * positions + position;
            if sets[here] && !stays && !enters {
                sets[here] = false;
                changed = true;
            }
        }
    }
    changed
}

/// Keeps in each set only positions from which one of the cell after follows. Returns whether a set has changed.
fn pass_backwards(list: &PositionList, sets: &mut Sets) -> bool {
    let positions = list.len();
    let cells = sets.len() / positions;
    let mut changed = false;
    for cell in (0..cells).rev() {
        for position in 0..positions {
            let after = |position: usize| {
                if cell + 1 < cells {
                    sets[(cell + 1) * positions + position]
                } else {
                    position == positions - 1
                }
            };
            let stays = !list.filled[position] && after(position);
            let leaves = position + 1 < positions && after(position + 1);
            let here = cell * positions + position;
            if sets[here] && !stays && !leaves {
                sets[here] = false;
                changed = true;
            }
        }
    }
    changed
}

/// The value of a cell that is filled in all its possible positions, or empty in all; `None` if they differ.
fn certain(list: &PositionList, set: &[bool]) -> Possible<Option<bool>> {
    let possible = |filled: bool| {
        let mut positions = set.iter().zip(&list.filled);
        positions.any(|(&possible, &is)| possible && is == filled)
    };
    match (possible(true), possible(false)) {
        (false, false) => Err(Contradiction),
        (true, true) => Ok(None),
        (filled, _) => Ok(Some(filled)),
    }
}

/// Keeps only the filled or only the empty positions of a set. Returns whether it has changed.
fn keep(list: &PositionList, set: &mut [bool], filled: bool) -> bool {
    let mut changed = false;
    for (possible, &is) in set.iter_mut().zip(&list.filled) {
        if *possible && is != filled {
            *possible = false;
            changed = true;
        }
    }
    changed
}
