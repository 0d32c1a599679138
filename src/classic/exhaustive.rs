//! Exhaustion: check every grid of the puzzle's size.
//!
//! *Idea.* A grid is a number with a binary digit for each cell. Count from all empty to all filled and keep the grids whose rows and
//! columns match the clues. No algorithm is simpler, so none is a better oracle for the others.
//!
//! *Cost.* 2^(wh) grids, O(wh) each at worst, though most fail in their first row: 33 million for 5x5, and 10^30 for 10x10.
//!
//! *Source.* Folklore; the first version of the solver described in [line order](super::line_order) was of this kind and usable up to
//! 5x5, as its author says.

use super::rows::{columns_fit, fits, picture};
use super::watch::{End, Flow, Observer};
use crate::puzzle::Puzzle;

/// Finds every solution. A step is a grid.
pub(super) fn run(puzzle: &Puzzle, watch: &mut dyn Observer) -> Flow<End> {
    watch.keep((puzzle.width() * puzzle.height()) as u64)?;
    let mut rows = vec![vec![false; puzzle.width()]; puzzle.height()];
    loop {
        watch.step()?;
        let mut clues = puzzle.rows().iter().zip(&rows);
        if clues.all(|(clue, row)| fits(clue, row.iter().copied())) && columns_fit(puzzle, &rows) {
            watch.found(picture(&rows))?;
        }
        if !add_one(&mut rows) {
            return Flow::Continue(End::Complete);
        }
    }
}

/// Goes to the next number, with the last cell as the lowest digit; `false` when all digits were ones.
fn add_one(rows: &mut [Vec<bool>]) -> bool {
    for cell in rows.iter_mut().rev().flat_map(|row| row.iter_mut().rev()) {
        *cell = !*cell;
        if *cell {
            return true;
        }
    }
    false
}
