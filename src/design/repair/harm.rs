//! How much an edit hurts a picture, to rank edits of the same size.
//!
//! The harm of an edit is the sum over its flips, each judged in the edited picture by its eight neighbours, empty beyond the border:
//!
//! - 8 if no neighbour has the colour of the flipped cell: it is a lone pixel, or a hole of one cell;
//! - 4 if the flip joins or breaks shapes near it: it changes the number of filled groups (connected also across corners) or of empty groups
//!   (connected along sides) among its neighbours. A cell whose flip changes neither is a *simple point* of digital topology (Rosenfeld,
//!   "Connectivity in digital pictures", Journal of the ACM 17, 1970), and its flip moves an outline without breaking it;
//! - 1 for each of the four neighbours along its sides that has the other colour: the outline becomes longer there.

use super::edit::Edit;
use crate::design::picture::Picture;
use crate::line::Word;
use crate::puzzle::Cell;

const LONE: u32 = 8;
const BROKEN: u32 = 4;

/// The harm of an edit.
pub(super) fn harm<W: Word>(edit: &Edit<'_, W>) -> u32 {
    let flips = edit.flips.iter();
    flips.map(|&cell| harm_of_flip(&edit.picture, cell)).sum()
}

/// The offsets of the neighbours, in a circle; those at odd places lie across a corner.
const AROUND: [(isize, isize); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];

/// The harm of the flip of this cell, which has been made in the picture.
pub(super) fn harm_of_flip<W: Word>(picture: &Picture<W>, cell: Cell) -> u32 {
    let around: [bool; 8] = std::array::from_fn(|i| {
        let (down, right) = AROUND[i];
        let row = usize::from(cell.row).checked_add_signed(down);
        let column = usize::from(cell.column).checked_add_signed(right);
        row.zip(column).is_some_and(|(row, column)| {
            row < picture.height && column < picture.width && picture.line(row).has(column)
        })
    });
    let own = picture.get(cell);
    let lone = !around.contains(&own);
    let longer = (0..8).step_by(2).filter(|&i| around[i] != own).count() as u32;
    // The crossing number, which is 1 exactly for simple points: the groups of empty neighbours that touch the cell along a side, connected
    // along sides within the circle. A group is counted where it begins.
    let begins = |&i: &usize| !around[i] && (around[(i + 1) % 8] || around[(i + 2) % 8]);
    let broken = (0..8).step_by(2).filter(begins).count() != 1;
    LONE * u32::from(lone) + BROKEN * u32::from(broken && !lone) + longer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Grid;

    fn harm_at(rows: &[&str], row: usize, column: usize) -> u32 {
        let picture = Picture::<u64>::new(&Grid::from_rows(rows).unwrap());
        harm_of_flip(&picture, Cell::new(row, column))
    }

    #[test]
    fn lone_pixels_are_worst_and_smooth_outlines_best() {
        let lone = harm_at(&["...", ".#.", "..."], 1, 1);
        let bridge = harm_at(&["#..", "###", "..#"], 1, 1);
        let bump = harm_at(&["...", ".#.", "###"], 1, 1);
        let dent_filled = harm_at(&["...", "##.", "###"], 1, 1);
        assert_eq!((lone, bridge, bump, dent_filled), (12, 6, 3, 2));
        assert_eq!(harm_at(&["###", "#.#", "###"], 1, 1), 12);
    }
}
