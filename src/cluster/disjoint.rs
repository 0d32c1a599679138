//! Whether cubes are disjoint, by their decisions alone: two cubes that decide some cell differently have no solution in common.
//!
//! The cubes of a split, and those that an answer leaves open, are nodes of one binary tree, in which each step down decides one cell both
//! ways. That they are is seen in one pass over their sorted paths, O(n log n) for n decisions in all. Cubes of which it is not so are
//! compared two by two.

use std::cmp::Ordering;

use crate::search::{Cube, Decision};

/// Cubes that are compared two by two; beyond that they are not taken for disjoint.
const COMPARED: usize = 3000;

/// The cubes that must go for the others to be disjoint, each with one that it may overlap; by their places.
pub(super) fn overlaps(cubes: &[&Cube]) -> Vec<(usize, usize)> {
    let mut sorted: Vec<usize> = (0..cubes.len()).collect();
    sorted.sort_by(|&a, &b| order(cubes[a], cubes[b]).then(a.cmp(&b)));
    let mut found = Vec::new();
    // Groups of cubes whose paths begin with the same decisions, each with the number of these.
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
        let same = |&&place: &&usize| cubes[place].path[depth].cell == decision.cell;
        if others.iter().all(|place| same(&place)) {
            let empty = group.partition_point(|&place| !cubes[place].path[depth].filled);
            open.push((&group[..empty], depth + 1));
            open.push((&group[empty..], depth + 1));
        } else {
            compare(cubes, group, &mut found);
        }
    }
    found
}

/// By the cells of their paths, an empty one before the same one filled; what lies within another comes after it.
fn order(a: &Cube, b: &Cube) -> Ordering {
    let key = |decision: &Decision| (decision.cell.row, decision.cell.column, decision.filled);
    a.path.iter().map(key).cmp(b.path.iter().map(key))
}

/// Compares all with each other.
fn compare(cubes: &[&Cube], group: &[usize], found: &mut Vec<(usize, usize)>) {
    if group.len() > COMPARED {
        return found.extend(group[1..].iter().map(|&place| (place, group[0])));
    }
    let mut kept: Vec<(usize, Vec<Decision>)> = Vec::new();
    for &place in group {
        let mut path = cubes[place].path.clone();
        path.sort_by_key(|decision| (decision.cell.row, decision.cell.column));
        match kept.iter().find(|(_, other)| !differ(&path, other)) {
            Some((other, _)) => found.push((place, *other)),
            None => kept.push((place, path)),
        }
    }
}

/// Do two paths, sorted by cells, decide some cell differently?
fn differ(a: &[Decision], b: &[Decision]) -> bool {
    let (mut i, mut j) = (0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        match (x.cell.row, x.cell.column).cmp(&(y.cell.row, y.cell.column)) {
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
    use crate::board::Cell;

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
        overlaps(&cubes.iter().collect::<Vec<_>>())
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
    fn a_cube_within_another_must_go() {
        let cubes = [
            cube(&[(3, true), (1, true)]),
            cube(&[(3, true)]),
            cube(&[(3, false)]),
        ];
        assert_eq!(found(&cubes), [(0, 1)]);
        assert_eq!(found(&[cube(&[]), cube(&[(1, true)])]), [(1, 0)]);
    }

    #[test]
    fn what_is_no_tree_is_compared() {
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
