//! Two solutions mostly differ in several places that have nothing to do with each other. One of them is enough to show that there are
//! two solutions.
//!
//! Cells in which they differ belong together when they share a line, directly or through others. A line crosses only one such group,
//! so that it is either as in the first solution or as in the second when one group alone is taken from the second: what comes of it
//! satisfies every clue.

use crate::puzzle::Grid;

/// The solution nearest to `first` that differs from it only where `other`, another solution, does, and by whole groups of cells.
pub(super) fn nearer(first: &Grid, other: &Grid) -> Grid {
    let (width, height) = (first.width(), first.height());
    let differ = |row, column| first.get(row, column) != other.get(row, column);
    // Each line's group, rows first; a group is named by one of its lines.
    let mut groups = Groups((0..height + width).collect());
    for row in 0..height {
        for column in (0..width).filter(|&column| differ(row, column)) {
            groups.join(row, height + column);
        }
    }
    let mut sizes = vec![0usize; height + width];
    for row in 0..height {
        let group = groups.of(row);
        sizes[group] += (0..width).filter(|&column| differ(row, column)).count();
    }
    let used = (0..sizes.len()).filter(|&group| sizes[group] > 0);
    let smallest = used.min_by_key(|&group| sizes[group]);
    let mut nearer = first.clone();
    for row in 0..height {
        if Some(groups.of(row)) == smallest {
            for column in 0..width {
                nearer.set(row, column, other.get(row, column));
            }
        }
    }
    nearer
}

/// Sets of lines, each line with the one to ask next.
struct Groups(Vec<usize>);

impl Groups {
    fn of(&mut self, mut line: usize) -> usize {
        while self.0[line] != line {
            self.0[line] = self.0[self.0[line]];
            line = self.0[line];
        }
        line
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a] = b;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{Puzzle, verify};

    #[test]
    fn of_two_differences_the_smaller_one_is_kept() {
        let first = Grid::from_rows(&["#....", ".#...", "..#..", "...#.", "....#"]).unwrap();
        let other = Grid::from_rows(&[".#...", "..#..", "#....", "....#", "...#."]).unwrap();
        let puzzle = Puzzle::from_grid(&first);
        assert_eq!(verify(&puzzle, &other), Ok(()));
        let near = nearer(&first, &other);
        assert_eq!(near.to_string(), "#....\n.#...\n..#..\n....#\n...#.\n");
        assert_eq!(nearer(&first, &first), first);
    }
}
