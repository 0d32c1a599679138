//! Exact counting of small regions: a choice that is not sampled adds no variance.

use super::budget::Budget;
use crate::board::{Board, Region, split_unless};
use crate::line::Word;
use crate::puzzle::Cell;

/// Counts the fillings of small regions of a board.
#[derive(Clone, Debug, Default)]
pub(super) struct ExactCounter {
    /// The open branches, filled side first: the undo mark and the cell.
    open: Vec<(usize, Cell)>,
    /// One filling of the last counted region; empty if it has none.
    filling: Vec<(Cell, bool)>,
}

impl ExactCounter {
    /// The number of fillings of a region of a board at a propagation fixpoint, as the product over its independent parts; `None` if this
    /// takes more than `max_branches` branches or the budget ends. The board is restored.
    pub(super) fn count<W: Word>(
        &mut self,
        board: &mut Board<'_, W>,
        region: &Region<W>,
        max_branches: u64,
        budget: &mut Budget<'_>,
    ) -> Option<u64> {
        let mut product = 1u64;
        let mut branches_left = max_branches;
        self.filling.clear();
        for part in split_unless(board, region, || budget.must_stop())? {
            let root = board.mark();
            let number = self.search(board, &part, &mut branches_left, budget);
            board.undo(root);
            product = product.checked_mul(number?)?;
        }
        Some(product)
    }

    /// Decides the cells of the last counted region as in one of its fillings; the fillings of other regions do not depend on it.
    pub(super) fn apply_filling<W: Word>(&self, board: &mut Board<'_, W>) {
        apply(board, self.filling.iter().copied());
    }

    /// Depth-first search: branches on the first unknown cell, filled first. The board is left anywhere.
    fn search<W: Word>(
        &mut self,
        board: &mut Board<'_, W>,
        region: &Region<W>,
        branches_left: &mut u64,
        budget: &mut Budget<'_>,
    ) -> Option<u64> {
        let mut count = 0;
        let mut is_consistent = true;
        self.open.clear();
        loop {
            let cell = region.unknown(board).next().filter(|_| is_consistent);
            if let Some(cell) = cell {
                if *branches_left == 0 || !budget.take_node() {
                    return None;
                }
                *branches_left -= 1;
                self.open.push((board.mark(), cell));
                is_consistent = board.decide_under(cell, true, budget.control)?;
                continue;
            }
            if is_consistent && count == 0 {
                for (row, cells) in region.rows() {
                    let cells = cells.cells().map(|column| Cell::new(row, column));
                    self.filling
                        .extend(cells.filter_map(|cell| Some((cell, board.known(cell)?))));
                }
            }
            count += u64::from(is_consistent);
            let Some((mark, cell)) = self.open.pop() else {
                return Some(count);
            };
            board.undo(mark);
            is_consistent = board.decide_under(cell, false, budget.control)?;
        }
    }
}

/// Decides the cells of a filling of a region that is part of a solution.
pub(super) fn apply<W: Word>(
    board: &mut Board<'_, W>,
    filling: impl IntoIterator<Item = (Cell, bool)>,
) {
    for (cell, filled) in filling {
        let is_consistent = !board.is_unknown(cell) || board.decide(cell, filled);
        debug_assert!(is_consistent, "a filling is consistent");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Clues;
    use crate::puzzle::Puzzle;
    use crate::run::{Control, Limits};

    /// Regression: the last branch was left on the board, so later code took its cells as known.
    #[test]
    fn the_board_is_restored() {
        let clues = Clues::new(&Puzzle::from_clues(&[[1]; 4], &[[1]; 4]).unwrap());
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let region = Region::whole(&board);
        let control = Control::new(&Limits::default(), false);
        let mut budget = Budget::new(&control);
        let mut exact = ExactCounter::default();
        for max_branches in [100, 5, 100] {
            let count = exact.count(&mut board, &region, max_branches, &mut budget);
            assert_eq!(count, (max_branches == 100).then_some(24));
            assert_eq!(board.unknown(), 16);
        }
        exact.apply_filling(&mut board);
        assert_eq!(board.unknown(), 0);
    }
}
