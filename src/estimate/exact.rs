//! What is small enough is counted exactly: every random choice that is not made spreads nothing.

use super::steps::Steps;
use crate::board::{Board, Cell, Region, split_unless};
use crate::line::Word;

/// Counts small rests of a board.
#[derive(Clone, Debug, Default)]
pub(super) struct Exact {
    /// Branches whose filled side is done, or being done: where to go back to, and the cell.
    open: Vec<(usize, Cell)>,
    /// The cells of a filling of the region that was counted last, if it has any.
    filling: Vec<(Cell, bool)>,
}

impl Exact {
    /// The number of fillings of a region of a board at a fixpoint, part by part where it falls apart; `None` when that takes more
    /// than `most` branches, or when the steps end. The board is as before.
    pub(super) fn count<W: Word>(
        &mut self,
        board: &mut Board<'_, W>,
        region: &Region<W>,
        most: u64,
        steps: &mut Steps<'_>,
    ) -> Option<u64> {
        let mut product = 1u64;
        let mut left = most;
        self.filling.clear();
        for part in split_unless(board, region, || steps.stop())? {
            product = product.checked_mul(self.search(board, &part, &mut left, steps)?)?;
        }
        Some(product)
    }

    /// Decides the cells of the region that was counted last as in one of its fillings: what other regions can be is the same with any.
    pub(super) fn fill<W: Word>(&self, board: &mut Board<'_, W>) {
        for &(cell, filled) in &self.filling {
            let alive = !board.is_unknown(cell) || board.decide(cell, filled);
            debug_assert!(alive, "a filling contradicts nothing");
        }
    }

    /// Plain search: a cell of the first open row, both ways.
    fn search<W: Word>(
        &mut self,
        board: &mut Board<'_, W>,
        region: &Region<W>,
        left: &mut u64,
        steps: &mut Steps<'_>,
    ) -> Option<u64> {
        let root = board.mark();
        let mut number = 0;
        let mut alive = true;
        self.open.clear();
        loop {
            let cell = region.unknown(board).next().filter(|_| alive);
            if let Some(cell) = cell {
                if *left == 0 || !steps.node() {
                    board.undo(root);
                    return None;
                }
                *left -= 1;
                self.open.push((board.mark(), cell));
                alive = board.decide(cell, true);
                continue;
            }
            if alive && number == 0 {
                let cells = region.rows().flat_map(|(row, cells)| {
                    cells.cells().map(move |column| Cell::new(row, column))
                });
                let known = |cell| board.known(cell).map(|filled| (cell, filled));
                self.filling.extend(cells.filter_map(known));
            }
            number += u64::from(alive);
            let Some((mark, cell)) = self.open.pop() else {
                board.undo(root);
                return Some(number);
            };
            board.undo(mark);
            alive = board.decide(cell, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Clues;
    use crate::puzzle::{Clue, Puzzle};
    use crate::run::{Control, Limits};

    /// The last branch was left on the board, where whoever came next took it for known.
    #[test]
    fn the_board_was_not_as_before() {
        let ones = vec![Clue::new([1]).unwrap(); 4];
        let clues = Clues::new(&Puzzle::new(ones.clone(), ones).unwrap());
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate());
        let region = Region::whole(&board);
        let control = Control::new(&Limits::default(), false);
        let mut steps = Steps::new(&control);
        let mut exact = Exact::default();
        for most in [100, 5, 100] {
            let number = exact.count(&mut board, &region, most, &mut steps);
            assert_eq!(number, (most == 100).then_some(24));
            assert_eq!(board.unknown(), 16);
        }
        exact.fill(&mut board);
        assert_eq!(board.unknown(), 0);
    }
}
