//! Small rests of the board are filled in by plain search, each once.

use std::sync::Arc;

use super::node::Finding;
use super::state::Task;
use super::subproblem_cache::{FILLINGS, Fillings, SETTLES};
use crate::line::Word;
use crate::puzzle::Grid;
use crate::solutions::Factor;

impl<W: Word> Task<'_, '_, W> {
    /// The leaves below this node, if what is open is small and was met before, or may be met again.
    pub(super) fn rest(&mut self) -> Option<Finding<W>> {
        let context = self.context();
        // The key does not tell apart lines that go on into other regions.
        let whole = context.outside == 0 && context.rest.is_empty();
        let wanted = self.shared.collecting.enough > FILLINGS;
        if !self.shared.options.rests || !whole || !wanted || !self.rests.are_worth_it() {
            return None;
        }
        let fillings = match self.rests.look_up(&self.board) {
            Some(fillings) => fillings,
            None => {
                let Some(fillings) = self.fill_rest() else {
                    return Some(Finding::Stopped);
                };
                self.rests.keep(fillings.clone());
                fillings
            }
        };
        match fillings {
            Fillings::Listed(0, _) => Some(Finding::DeadEnd),
            Fillings::Listed(number, factor) => Some(Finding::Rest(number, factor)),
            Fillings::TooMany => None,
        }
    }

    /// Finds all ways to fill in what is open, by plain search; `None` when the run must stop.
    fn fill_rest(&mut self) -> Option<Fillings> {
        let stride = Grid::stride(self.shared.clues.width());
        let open: Vec<(u32, u64)> = (0..self.shared.clues.height())
            .flat_map(|r| {
                let unknown = self.board.unknown_in_row(r);
                (0..stride).map(move |i| ((r * stride + i) as u32, unknown.part(i)))
            })
            .filter(|&(_, cells)| cells != 0)
            .collect();
        let (base, began) = (self.board.mark(), self.board.settles());
        let mut fillings = Vec::new();
        let mut number = 0;
        let mut siblings = Vec::new();
        let mut alive = true;
        let finished = loop {
            if alive && self.open_cells() > 0 {
                let cell = self.narrowest();
                siblings.push((self.board.mark(), cell));
                alive = self.board.decide(cell, true);
            } else {
                if alive {
                    number += 1;
                    if self.shared.collecting.grids {
                        let rows = self.board.rows();
                        fillings.extend(open.iter().map(|&(spot, cells)| {
                            let (r, i) = (spot as usize / stride, spot as usize % stride);
                            rows[r].filled.part(i) & cells
                        }));
                    }
                }
                let Some((mark, cell)) = siblings.pop() else {
                    break true;
                };
                self.board.undo(mark);
                alive = self.board.decide(cell, false);
            }
            if !self.count_node() {
                self.board.undo(base);
                return None;
            }
            let spent = self.board.settles() - began;
            if number > FILLINGS || spent > SETTLES {
                break false;
            }
        };
        self.board.undo(base);
        if !finished {
            return Some(Fillings::TooMany);
        }
        let spots = open.into_iter().map(|(spot, _)| spot).collect();
        let factor = (number > 0 && self.shared.collecting.grids)
            .then(|| Arc::new(Factor::new(spots, fillings)));
        Some(Fillings::Listed(number, factor))
    }
}
