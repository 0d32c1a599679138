//! Checks whether cubes are disjoint, by their decisions alone: two cubes that decide some cell differently share no solution.
//!
//! The cubes of a split, and those that an answer leaves open, are nodes of one binary tree in which each branch decides one cell both
//! ways. One pass over their sorted paths verifies this, in O(n log n) for n decisions in all. Cubes that do not form such a tree are
//! compared pairwise.

use std::cmp::Ordering;

use crate::search::{Cube, Decision};

/// Largest group of cubes that is compared pairwise; all cubes of a larger group are reported as overlapping its first.
const MAX_COMPARED: usize = 3000;

/// The cubes to remove so that the others are disjoint, each with a cube that it may overlap; both as indices into `cubes`.
pub(super) fn overlapping(cubes: &[&Cube]) -> Vec<(usize, usize)> {
    let mut sorted: Vec<usize> = (0..cubes.len()).collect();
    sorted.sort_by(|&a, &b| order(cubes[a], cubes[b]).then(a.cmp(&b)));
    let mut found = Vec::new();
    // Groups of cubes with a common path prefix, each with the length of that prefix.
    let mut open = vec![(&sorted[..], 0)];
    while let Some((group, depth)) = open.pop() {
        let [first, others @ ..] = group else {
            continue;
        };
        if others.is_empty() {
            continue;
        }
        let Some(decision) = cubes[*first].path.get(depth) else {
            // All others lie within the first.
            found.extend(others.iter().map(|&other| (other, *first)));
            continue;
        };
        if (others.iter()).all(|&place| cubes[place].path[depth].cell == decision.cell) {
            let empty = group.partition_point(|&place| !cubes[place].path[depth].filled);
            open.push((&group[..empty], depth + 1));
            open.push((&group[empty..], depth + 1));
        } else {
            compare(cubes, group, &mut found);
        }
    }
    found
}

/// Lexicographic order of the paths by cell, empty before filled; a cube comes before the cubes within it.
fn order(a: &Cube, b: &Cube) -> Ordering {
    let key = |decision: &Decision| (decision.cell, decision.filled);
    a.path.iter().map(key).cmp(b.path.iter().map(key))
}

/// Compares the cubes of a group pairwise: a cube that overlaps an earlier one that was kept is added to `found`.
fn compare(cubes: &[&Cube], group: &[usize], found: &mut Vec<(usize, usize)>) {
    if group.len() > MAX_COMPARED {
        return found.extend(group[1..].iter().map(|&place| (place, group[0])));
    }
    let mut kept: Vec<(usize, Vec<Decision>)> = Vec::new();
    for &place in group {
        let mut path = cubes[place].path.clone();
        path.sort_by_key(|decision| decision.cell);
        match kept.iter().find(|(_, other)| !differ(&path, other)) {
            Some((other, _)) => found.push((place, *other)),
            None => kept.push((place, path)),
        }
    }
}

/// Whether two paths, sorted by cell, decide some cell differently.
fn differ(a: &[Decision], b: &[Decision]) -> bool {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match x.cell.cmp(&y.cell) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal if x.filled != y.filled => return true,
            Ordering::Equal => (i, j) = (i + 1, j + 1),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Cell;

    fn cube(path: &[(usize, bool)]) -> Cube {
        let decide = |&(column, filled): &(usize, bool)| Decision {
            cell: Cell::new(0, column),
            filled,
        };
        Cube {
            path: path.iter().map(decide).collect(),
        }
    }

    fn found(cubes: &[Cube]) -> Vec<(usize, usize)> {
        overlapping(&cubes.iter().collect::<Vec<_>>())
    }

    #[test]
    fn the_leaves_of_a_tree_are_disjoint() {
        let leaves = [
            cube(&[(3, true), (1, true)]),
            cube(&[(3, false), (5, false)]),
            cube(&[(3, true), (1, false)]),
            cube(&[(3, false), (5, true), (1, true)]),
        ];
        assert!(found(&leaves).is_empty());
        assert!(found(&[]).is_empty() && found(&[cube(&[])]).is_empty());
    }

    #[test]
    fn nested_cubes_overlap() {
        let cubes = [
            cube(&[(3, true), (1, true)]),
            cube(&[(3, true)]),
            cube(&[(3, false)]),
        ];
        assert_eq!(found(&cubes), [(0, 1)]);
        assert_eq!(found(&[cube(&[]), cube(&[(1, true)])]), [(1, 0)]);
    }

    #[test]
    fn cubes_that_form_no_tree_are_compared_pairwise() {
        let disjoint = [
            cube(&[(0, true), (1, false)]),
            cube(&[(1, true), (2, false)]),
            cube(&[(2, true), (0, false)]),
        ];
        assert!(found(&disjoint).is_empty());
        let overlapping = [cube(&[(0, true)]), cube(&[(1, true)])];
        assert_eq!(found(&overlapping), [(1, 0)]);
    }
}
