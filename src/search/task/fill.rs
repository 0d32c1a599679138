//! Small subproblems: their fillings are enumerated once, by search without probing, and cached.

use std::sync::Arc;

use super::super::product::packed_words;
use super::node::Finding;
use super::state::Task;
use super::subproblem_cache::{Fillings, MAX_FILLINGS, MAX_SETTLES};
use crate::line::Word;
use crate::puzzle::Grid;
use crate::solutions::Factor;

impl<W: Word> Task<'_, '_, W> {
    /// The leaves below a node with few unknown cells, cached or enumerated; `None` if the cache is not used or there are too many leaves.
    pub(super) fn small_subproblem(&mut self) -> Option<Finding<W>> {
        let context = self.context();
        // The cache key assumes that all unknown cells of the board belong to the subproblem.
        let is_whole_board = context.unknown_outside == 0 && context.later_regions.is_empty();
        let is_used = self.shared.options.subproblem_cache
            && is_whole_board
            && self.shared.collect_options.max_fillings > MAX_FILLINGS;
        if !is_used || !self.cache.should_look_up() {
            return None;
        }
        let fillings = match self.cache.look_up(&self.board) {
            Some(fillings) => fillings,
            None => {
                let Some(fillings) = self.enumerate_fillings() else {
                    return Some(Finding::Stopped);
                };
                let max_bytes = self.shared.subproblem_bytes;
                self.cache.insert(fillings.clone(), max_bytes);
                fillings
            }
        };
        #[cfg(feature = "checked")]
        if let Fillings::Listed(number, _) = &fillings {
            self.confirm_fillings(*number);
        }
        match fillings {
            Fillings::Listed(0, _) => Some(Finding::DeadEnd),
            Fillings::Listed(number, factor) => Some(Finding::Fillings(number, factor)),
            Fillings::TooMany => None,
        }
    }

    /// Confirms the number of fillings of the unknown cells, where they can be counted again in a few steps.
    #[cfg(feature = "checked")]
    fn confirm_fillings(&self, number: u64) {
        use crate::board::{checked::Rows, plain_region::PlainRegion};
        const MAX_STEPS: u64 = 4000;
        let (clues, board) = (self.shared.clues, &self.board);
        let unknown = (0..clues.height()).map(|row| (row, board.unknown_in_row(row)));
        let counted = PlainRegion::of(clues, board.rows(), unknown).count(MAX_STEPS);
        assert!(
            counted.is_none_or(|counted| counted == number),
            "checked: small subproblem: {number} fillings instead of {counted:?}\n{}",
            Rows::of(board.rows(), clues.width()).with_clues(clues)
        );
    }

    /// Enumerates all fillings of the unknown cells, without probing; `None` when the run must stop.
    fn enumerate_fillings(&mut self) -> Option<Fillings> {
        let (width, height) = (self.shared.clues.width(), self.shared.clues.height());
        let stride = Grid::stride(width);
        let unknown = (0..height).map(|r| (r, self.board.unknown_in_row(r)));
        let open: Vec<(u32, u64)> = packed_words(unknown, width).collect();
        let (base, settles_before) = (self.board.mark(), self.board.settles());
        let mut fillings = Vec::new();
        let mut number = 0;
        let mut siblings = Vec::new();
        let mut is_consistent = true;
        let is_complete = loop {
            if is_consistent && self.open_cells() > 0 {
                let cell = self.narrowest_cell();
                siblings.push((self.board.mark(), cell));
                is_consistent = self.board.decide(cell, true);
            } else {
                if is_consistent {
                    number += 1;
                    if self.shared.collect_options.with_grids {
                        let rows = self.board.rows();
                        fillings.extend(open.iter().map(|&(index, cells)| {
                            let (r, i) = (index as usize / stride, index as usize % stride);
                            rows[r].filled.part(i) & cells
                        }));
                    }
                }
                let Some((mark, cell)) = siblings.pop() else {
                    break true;
                };
                self.board.undo(mark);
                is_consistent = self.board.decide(cell, false);
            }
            if !self.count_node() {
                self.board.undo(base);
                return None;
            }
            let spent = self.board.settles() - settles_before;
            if number > MAX_FILLINGS || spent > MAX_SETTLES {
                break false;
            }
        };
        self.board.undo(base);
        if !is_complete {
            return Some(Fillings::TooMany);
        }
        let word_indices = open.into_iter().map(|(index, _)| index).collect();
        let factor = (number > 0 && self.shared.collect_options.with_grids)
            .then(|| Arc::new(Factor::new(word_indices, fillings)));
        Some(Fillings::Listed(number, factor))
    }
}
