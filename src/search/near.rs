//! Reducing the difference between two solutions. Two solutions often differ in several independent groups of cells, and one group is
//! enough to show that there are two solutions.
//!
//! Two differing cells are in the same group when they share a line, directly or through other differing cells. A line crosses at most one
//! group. So when one group alone is taken from the second solution, every line is as in the first or as in the second, and the
//! result satisfies every clue.

use crate::puzzle::Grid;

/// Reduces the difference between two solutions: returns the solution that is like `other` in the smallest group of differing cells, and
/// like `first` elsewhere.
pub(super) fn reduce_difference(first: &Grid, other: &Grid) -> Grid {
    let (width, height) = (first.width(), first.height());
    let differ = |row, column| first.get(row, column) != other.get(row, column);
    // Each group is identified by one of its lines; lines are numbered rows first.
    let mut groups = Groups((0..height + width).collect());
    for row in 0..height {
        for column in (0..width).filter(|&column| differ(row, column)) {
            groups.union(row, height + column);
        }
    }
    let mut sizes = vec![0usize; height + width];
    for row in 0..height {
        let group = groups.find(row);
        sizes[group] += (0..width).filter(|&column| differ(row, column)).count();
    }
    let used = (0..sizes.len()).filter(|&group| sizes[group] > 0);
    let smallest = used.min_by_key(|&group| sizes[group]);
    let mut reduced = first.clone();
    for row in 0..height {
        if Some(groups.find(row)) == smallest {
            for column in 0..width {
                reduced.set(row, column, other.get(row, column));
            }
        }
    }
    reduced
}

/// Disjoint sets of lines (union-find): the parent of each line.
struct Groups(Vec<usize>);

impl Groups {
    fn find(&mut self, mut line: usize) -> usize {
        while self.0[line] != line {
            self.0[line] = self.0[self.0[line]];
            line = self.0[line];
        }
        line
    }

    fn union(&mut self, a: usize, b: usize) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a] = b;
    }
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
