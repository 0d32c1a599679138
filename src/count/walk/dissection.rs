//! Ranks the lines of a component by nested dissection: without the lines of rank 0 it falls into parts of at most about half its lines,
//! those of rank 1 divide these parts, and so on.
//!
//! The lines are the vertices of a graph, in which two lines are joined if they cross in an unknown cell. Its vertices are eliminated one
//! by one, always one with the fewest neighbours; its neighbours are then joined with each other. An eliminated vertex and its neighbours
//! are a bag of a tree decomposition. Removing the lines of a bag divides the graph into the parts that hang on the bag in the tree. The
//! *middle* bag is the one for which the largest of these parts is smallest; its lines have rank 0. Model counters guide their decisions by
//! such a tree as well (Korhonen and Järvisalo, "Integrating Tree Decompositions into Decision Heuristics of Propositional Model Counters",
//! CP 2021).

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::count::components::Component;
use crate::line::Word;

/// Number of elimination orders tried, each with other random choices among equals; the one whose largest bag is smallest is used.
const ELIMINATION_ORDERS: u64 = 16;

/// The rank of a line that has none yet.
const UNRANKED: u32 = u32::MAX;

/// The ranks of the lines of a component.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineRanks {
    rows: Vec<u32>,
    columns: Vec<u32>,
}

/// A set of lines, one bit each; rows come first.
type LineBits = Vec<u64>;

fn has(lines: &LineBits, line: usize) -> bool {
    lines[line / 64] >> (line % 64) & 1 == 1
}

fn insert(lines: &mut LineBits, line: usize) {
    lines[line / 64] |= 1 << (line % 64);
}

fn remove(lines: &mut LineBits, line: usize) {
    lines[line / 64] &= !(1 << (line % 64));
}

fn members(lines: &LineBits) -> Vec<usize> {
    (0..64 * lines.len())
        .filter(|&line| has(lines, line))
        .collect()
}

fn size(lines: &LineBits) -> u32 {
    lines.iter().map(|word| word.count_ones()).sum()
}

/// A tree decomposition: a bag for each line, in the order of elimination.
struct Decomposition {
    /// The line that is eliminated.
    eliminated: Vec<usize>,
    /// The line and its neighbours at that time.
    bags: Vec<Vec<usize>>,
}

impl Decomposition {
    /// Eliminates all lines; `None` if `stop` returns `true`. O(lines³ / 64), and O(lines / 64) for each entry of a bag.
    fn new(
        mut neighbours: Vec<LineBits>,
        lines: &[usize],
        seed: u64,
        mut stop: impl FnMut() -> bool,
    ) -> Option<Self> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut left, mut eliminated, mut bags) = (lines.to_vec(), Vec::new(), Vec::new());
        while !left.is_empty() {
            if stop() {
                return None;
            }
            let key = |i: &usize| (size(&neighbours[left[*i]]), random.next_u32());
            let fewest = (0..left.len()).min_by_key(key).expect("lines are left");
            let line = left.swap_remove(fewest);
            let mut bag = members(&neighbours[line]);
            let around = neighbours[line].clone();
            for &neighbour in &bag {
                for (word, other) in neighbours[neighbour].iter_mut().zip(&around) {
                    *word |= other;
                }
                remove(&mut neighbours[neighbour], neighbour);
                remove(&mut neighbours[neighbour], line);
            }
            bag.push(line);
            bags.push(bag);
            eliminated.push(line);
        }
        Some(Decomposition { eliminated, bags })
    }

    fn largest_bag(&self) -> usize {
        self.bags.iter().map(Vec::len).max().unwrap_or(0)
    }

    /// For each bag, the adjacent bags. The parent of a bag is the bag of another of its lines: of the one that is eliminated next.
    fn tree(&self, lines: usize) -> Vec<Vec<usize>> {
        let mut position = vec![0; lines];
        for (i, &line) in self.eliminated.iter().enumerate() {
            position[line] = i;
        }
        let mut tree = vec![Vec::new(); self.bags.len()];
        for (i, bag) in self.bags.iter().enumerate() {
            let later = bag.iter().map(|&line| position[line]);
            if let Some(parent) = later.filter(|&other| other > i).min() {
                tree[i].push(parent);
                tree[parent].push(i);
            }
        }
        tree
    }

    /// The rank of each line, of this number of lines. The tree is divided again and again by removing the middle bag of a part; the rank
    /// of a line is the smallest depth at which a bag with this line is removed.
    fn ranks(&self, lines: usize) -> Vec<u32> {
        let tree = self.tree(lines);
        let (mut ranks, mut is_removed) = (vec![UNRANKED; lines], vec![false; tree.len()]);
        let mut parts: Vec<(usize, u32)> = match tree.len() {
            0 => Vec::new(),
            bags => vec![(bags - 1, 0)],
        };
        while let Some((root, rank)) = parts.pop() {
            // The bags of the part, each after its parent.
            let mut part = vec![(root, root)];
            let mut visited = 0;
            while let Some(&(bag, parent)) = part.get(visited) {
                let others = tree[bag].iter().filter(|&&other| other != parent);
                part.extend(
                    others
                        .filter(|&&other| !is_removed[other])
                        .map(|&other| (other, bag)),
                );
                visited += 1;
            }
            // For each bag: its unranked lines and those below it; and the size of the largest piece below it that its removal leaves.
            let (mut unranked, mut largest) = (vec![0; tree.len()], vec![0; tree.len()]);
            for &(bag, parent) in part.iter().rev() {
                unranked[bag] += u32::from(ranks[self.eliminated[bag]] == UNRANKED);
                if bag != root {
                    unranked[parent] += unranked[bag];
                    largest[parent] = largest[parent].max(unranked[bag]);
                }
            }
            let all = unranked[root];
            if all == 0 {
                continue;
            }
            let bags = part.iter().map(|&(bag, _)| bag);
            let middle = bags.min_by_key(|&bag| largest[bag].max(all - unranked[bag]));
            let middle = middle.expect("a part has a bag");
            for &line in &self.bags[middle] {
                ranks[line] = ranks[line].min(rank);
            }
            is_removed[middle] = true;
            let rest = tree[middle].iter().filter(|&&bag| !is_removed[bag]);
            parts.extend(rest.map(|&bag| (bag, rank + 1)));
        }
        ranks
    }
}

impl LineRanks {
    /// The ranks for a component of a puzzle of this size. Once `stop` has returned `true`, they are of less use, or all 0.
    pub(crate) fn new<W: Word>(
        component: &Component<W>,
        width: usize,
        height: usize,
        mut stop: impl FnMut() -> bool,
    ) -> Self {
        let count = height + width;
        let mut neighbours = vec![vec![0; count.div_ceil(64)]; count];
        for &(row, cells) in &component.rows {
            for column in cells.cells() {
                insert(&mut neighbours[usize::from(row)], height + column);
                insert(&mut neighbours[height + column], row.into());
            }
        }
        let lines: Vec<usize> = (0..count)
            .filter(|&line| size(&neighbours[line]) > 0)
            .collect();
        let best = (0..ELIMINATION_ORDERS)
            .map_while(|seed| Decomposition::new(neighbours.clone(), &lines, seed, &mut stop))
            .min_by_key(Decomposition::largest_bag);
        let mut rows = best.map_or_else(|| vec![0; count], |best| best.ranks(count));
        let columns = rows.split_off(height);
        LineRanks { rows, columns }
    }

    /// The cells of the component in its line of the lowest rank, row by row; of equal lines the first, rows before columns.
    pub(crate) fn first_line<W: Word>(&self, component: &Component<W>) -> Vec<(usize, W)> {
        let rows = || {
            let rows = component.rows.iter();
            rows.map(|&(row, cells)| (usize::from(row), cells))
                .filter(|(_, cells)| !cells.is_zero())
        };
        let columns = rows().fold(W::ZERO, |columns, (_, cells)| columns | cells);
        let row = rows().map(|(row, _)| (self.rows[row], row)).min();
        let column = columns
            .cells()
            .map(|column| (self.columns[column], column))
            .min();
        let ((row_rank, row), (column_rank, column)) =
            row.zip(column).expect("a component has a cell");
        match row_rank <= column_rank {
            true => rows().filter(|&(other, _)| other == row).collect(),
            false => rows()
                .map(|(row, cells)| (row, cells & W::bit(column)))
                .filter(|(_, cells)| !cells.is_zero())
                .collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(rows: &[u64]) -> Component<u64> {
        Component {
            rows: rows
                .iter()
                .zip(0..)
                .map(|(&cells, row)| (row, cells))
                .collect(),
            size: rows.iter().map(|cells| cells.count_ones()).sum(),
            ..Component::empty()
        }
    }

    #[test]
    fn lines_beyond_the_first_word_are_members_too() {
        let mut lines = vec![0; 3];
        for line in [1, 63, 64, 130, 191] {
            insert(&mut lines, line);
        }
        remove(&mut lines, 130);
        assert_eq!(members(&lines), [1, 63, 64, 191]);
    }

    #[test]
    fn a_row_that_joins_two_squares_has_rank_0() {
        // Two squares of 3 x 3, which row 3 alone joins.
        let squares = component(&[0b111, 0b111, 0b111, 0b111_1111, 0b111_0000, 0b111_0000]);
        let ranks = LineRanks::new(&squares, 7, 6, || false);
        assert_eq!(ranks.rows[3], 0);
        assert!(
            ranks
                .rows
                .iter()
                .chain(&ranks.columns)
                .all(|&rank| rank != UNRANKED)
        );
    }

    #[test]
    fn every_line_with_a_cell_is_ranked_once() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        for _ in 0..200 {
            let rows: Vec<u64> = (0..20)
                .map(|_| random.next_u64() & random.next_u64() & 0xf_ffff)
                .collect();
            let ranks = LineRanks::new(&component(&rows), 20, 20, || false);
            let columns = rows.iter().fold(0, |columns, cells| columns | cells);
            for (i, cells) in rows.iter().enumerate() {
                assert_eq!(ranks.rows[i] == UNRANKED, *cells == 0);
                assert_eq!(ranks.columns[i] == UNRANKED, columns >> i & 1 == 0);
            }
        }
    }
}
