//! Reducing the difference between two solutions to one of several independent groups of cells.
//!
//! Two differing cells are in the same group when they share a line, directly or through other differing cells. A line crosses at most one
//! group. So when one group alone is taken from the second solution, every line is as in one of the two, and every clue is satisfied.

use crate::board::DisjointSets;
use crate::puzzle::Grid;
use crate::render::differing;

/// The solution that is like `other` in the smallest group of differing cells, and like `first` elsewhere.
pub(crate) fn reduce_difference(first: &Grid, other: &Grid) -> Grid {
    let cells = differing(first, other).into_iter();
    let groups = connected_groups((first.width(), first.height()), cells);
    let mut reduced = first.clone();
    for (row, column) in groups.into_iter().min_by_key(Vec::len).unwrap_or_default() {
        reduced.set(row, column, other.get(row, column));
    }
    reduced
}

/// Splits cells (row, column) of a grid of this width and height into groups that share no line, in the order of their first cells.
pub(crate) fn connected_groups(
    (width, height): (usize, usize),
    cells: impl Iterator<Item = (usize, usize)>,
) -> Vec<Vec<(usize, usize)>> {
    let cells: Vec<_> = cells.collect();
    // Each group is identified by one of its lines; lines are numbered rows first.
    let mut sets = DisjointSets::new(height + width);
    for &(row, column) in &cells {
        sets.join(row, height + column);
    }
    let mut number = vec![usize::MAX; height + width];
    let mut groups: Vec<Vec<_>> = Vec::new();
    for cell in cells {
        let set = sets.root(cell.0);
        if number[set] == usize::MAX {
            number[set] = groups.len();
            groups.push(Vec::new());
        }
        groups[number[set]].push(cell);
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{Puzzle, verify};

    #[test]
    fn the_smaller_group_of_differences_is_kept() {
        let first = Grid::from_rows(&["#....", ".#...", "..#..", "...#.", "....#"]).unwrap();
        let other = Grid::from_rows(&[".#...", "..#..", "#....", "....#", "...#."]).unwrap();
        let puzzle = Puzzle::from_grid(&first);
        assert_eq!(verify(&puzzle, &other), Ok(()));
        let reduced = reduce_difference(&first, &other);
        assert_eq!(reduced.to_string(), "#....\n.#...\n..#..\n....#\n...#.\n");
        assert_eq!(reduce_difference(&first, &first), first);
    }
}
