//! The fillings of a region, listed, and what such a list tells: which of its cells depend on each other, and which two fillings differ
//! least.
//!
//! Two sets of cells are *independent* in a list if every combination of a filling of one set and a filling of the other occurs in it. The
//! partition into independent groups that is finest is unique, and is found exactly. Cells that depend on each other pairwise are in the
//! same group, which gives the finest partition of most lists: it is right if the product of the numbers of fillings of its groups is the
//! length of the list. If it is less, some groups are joined: they are added one by one, and a group that is added is joined to those of
//! the former groups of which its possible fillings depend.

use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::Mutex;

use rustc_hash::FxHashMap;

use crate::board::Cell;
use crate::puzzle::Grid;
use crate::run::{Control, lock};
use crate::solutions::{Batch, Sink, Stop};

/// Maximum number of fillings in a list.
const MAX_FILLINGS: usize = 4096;

/// Maximum number of cells of all fillings of a list.
const MAX_CELLS: usize = 1 << 22;

/// Maximum number of fillings of a region with this number of cells in a list.
pub(crate) fn max_fillings(cells: usize) -> usize {
    (MAX_CELLS / cells.max(1)).clamp(2, MAX_FILLINGS)
}

/// Fillings of a region, all different. It is a sink: it takes the fillings from solutions that agree outside the region.
#[derive(Debug)]
pub(crate) struct Fillings {
    /// The cells of the region.
    pub(crate) cells: Vec<Cell>,
    /// Words per filling: one bit per cell.
    size: usize,
    words: Mutex<Vec<u64>>,
}

/// A group of cells that are independent of the other cells of a region.
#[derive(Debug)]
pub(crate) struct Group {
    /// Its cells, as indices into those of the region, in ascending order.
    pub(crate) cells: Vec<usize>,
    /// Number of its fillings.
    pub(crate) fillings: usize,
}

/// Two fillings of a list, by their indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) first: usize,
    pub(crate) second: usize,
    /// Number of cells in which they differ.
    pub(crate) cells: usize,
}

impl Sink for Fillings {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        let mut words = lock(&self.words);
        let stride = Grid::stride(batch.width());
        let most = max_fillings(self.cells.len()) * self.size;
        let fits = batch.try_each(|grid| {
            if words.len() == most {
                return false;
            }
            let begin = words.len();
            words.resize(begin + self.size, 0);
            for (i, cell) in self.cells.iter().enumerate() {
                let column = usize::from(cell.column);
                let word = grid[usize::from(cell.row) * stride + column / 64];
                words[begin + i / 64] |= (word >> (column % 64) & 1) << (i % 64);
            }
            true
        });
        if fits {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(Stop::Limit)
        }
    }
}

impl Fillings {
    /// An empty list for a region of these cells.
    pub(crate) fn new(cells: Vec<Cell>) -> Self {
        Fillings {
            size: cells.len().div_ceil(64),
            cells,
            words: Mutex::default(),
        }
    }

    /// The list, once the search has ended. The filling of `base` comes first, if it is in the list.
    pub(crate) fn into_list(self, base: &Grid) -> List {
        let size = self.size;
        let mut words = self.words.into_inner().unwrap_or_default();
        let mut first = vec![0; size];
        for (i, cell) in self.cells.iter().enumerate() {
            let filled = base.get(cell.row.into(), cell.column.into());
            first[i / 64] |= u64::from(filled) << (i % 64);
        }
        let place = words.chunks_exact(size).position(|words| words == first);
        if let Some(place) = place.filter(|&place| place > 0) {
            let (before, after) = words.split_at_mut(place * size);
            before[..size].swap_with_slice(&mut after[..size]);
        }
        List {
            cells: self.cells,
            size,
            words,
        }
    }
}

/// A list of different fillings of a region.
#[derive(Debug)]
pub(crate) struct List {
    /// The cells of the region.
    pub(crate) cells: Vec<Cell>,
    /// Words per filling: one bit per cell.
    size: usize,
    words: Vec<u64>,
}

impl List {
    /// Number of fillings.
    pub(crate) fn len(&self) -> usize {
        self.words.len() / self.size
    }

    fn filling(&self, i: usize) -> &[u64] {
        &self.words[i * self.size..][..self.size]
    }

    /// Whether a cell, by its index, is filled in a filling.
    pub(crate) fn is_filled(&self, filling: usize, cell: usize) -> bool {
        self.filling(filling)[cell / 64] >> (cell % 64) & 1 == 1
    }

    /// The finest partition of the cells into independent groups, provided the list is complete. Cells that are the same in all fillings
    /// are in no group. `None` when the control has stopped it.
    ///
    /// O(k² n / 64) for n fillings of k cells, if cells that depend on each other do so pairwise.
    pub(crate) fn groups(&self, control: &Control) -> Option<Vec<Group>> {
        let columns = self.columns();
        let dependent = self.pairwise_dependent(&columns, control)?;
        let mut numbered = Vec::with_capacity(dependent.len());
        for cells in dependent {
            let ids = self.number(&cells, control)?;
            numbered.push(Numbered { cells, ids });
        }
        let product = numbered.iter().try_fold(1usize, |product, group| {
            product.checked_mul(group.ids.count)
        });
        if product != Some(self.len()) {
            numbered = join_dependent(numbered, self.len(), control)?;
        }
        numbered.sort_by_key(|group| group.cells[0]);
        let group = |group: Numbered| Group {
            cells: group.cells,
            fillings: group.ids.count,
        };
        Some(numbered.into_iter().map(group).collect())
    }

    /// The cells, as indices, that are not the same in all fillings.
    pub(crate) fn varying(&self) -> impl Iterator<Item = usize> {
        let mut varying = vec![0u64; self.size];
        for words in self.words.chunks_exact(self.size) {
            let words = words.iter().zip(self.filling(0));
            let words = words.map(|(word, first)| word ^ first);
            varying
                .iter_mut()
                .zip(words)
                .for_each(|(all, word)| *all |= word);
        }
        (0..self.cells.len()).filter(move |cell| varying[cell / 64] >> (cell % 64) & 1 == 1)
    }

    /// For each cell that is not the same in all fillings, its index and its values, one bit per filling.
    fn columns(&self) -> Vec<(usize, Vec<u64>)> {
        let length = self.len();
        let column = |cell: usize| {
            let mut column = vec![0u64; length.div_ceil(64)];
            for filling in 0..length {
                column[filling / 64] |= u64::from(self.is_filled(filling, cell)) << (filling % 64);
            }
            (cell, column)
        };
        self.varying().map(column).collect()
    }

    /// The groups of cells that depend on each other pairwise, directly or through other cells.
    fn pairwise_dependent(
        &self,
        columns: &[(usize, Vec<u64>)],
        control: &Control,
    ) -> Option<Vec<Vec<usize>>> {
        let length = self.len();
        // Most cells of a group have the same values as another one, or the opposite values in every filling.
        let mut groups: Vec<(&[u64], Vec<usize>)> = Vec::new();
        let mut places: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
        for (cell, column) in columns {
            match places.entry(from_filled(column, length)) {
                Entry::Occupied(place) => groups[*place.get()].1.push(*cell),
                Entry::Vacant(place) => {
                    place.insert(groups.len());
                    groups.push((column, vec![*cell]));
                }
            }
        }
        let counts: Vec<usize> = groups.iter().map(|(column, _)| ones(column)).collect();
        let mut parents: Vec<usize> = (0..groups.len()).collect();
        for i in 1..groups.len() {
            if control.poll() {
                return None;
            }
            for j in 0..i {
                if root(&mut parents, i) == root(&mut parents, j) {
                    continue;
                }
                let both = groups[i].0.iter().zip(groups[j].0);
                let both: usize = both.map(|(a, b)| (a & b).count_ones() as usize).sum();
                if both * length != counts[i] * counts[j] {
                    let (i, j) = (root(&mut parents, i), root(&mut parents, j));
                    parents[i.max(j)] = i.min(j);
                }
            }
        }
        let mut joined: Vec<Vec<usize>> = vec![Vec::new(); groups.len()];
        for (i, (_, cells)) in groups.into_iter().enumerate() {
            joined[root(&mut parents, i)].extend(cells);
        }
        joined.retain(|cells| !cells.is_empty());
        joined.iter_mut().for_each(|cells| cells.sort_unstable());
        Some(joined)
    }

    /// Numbers the fillings of these cells.
    fn number(&self, cells: &[usize], control: &Control) -> Option<Ids> {
        let mut ids = Ids::one(self.len());
        for &cell in cells {
            let values = (0..self.len()).map(|filling| u32::from(self.is_filled(filling, cell)));
            ids = ids.combine(values, control)?;
        }
        Some(ids)
    }

    /// The two fillings that differ least in these cells, but do differ; the first filling is one of them if that is possible. `None` when
    /// all fillings agree there. When the control stops it, the best pair so far.
    ///
    /// O(n²) words for n fillings; ends at a pair that differs in four cells, because no solutions differ in fewer.
    pub(crate) fn closest(&self, cells: &[usize], control: &Control) -> Option<Pair> {
        let mut mask = vec![0u64; self.size];
        cells
            .iter()
            .for_each(|&cell| mask[cell / 64] |= 1 << (cell % 64));
        let masked = |i: usize| {
            self.filling(i)
                .iter()
                .zip(&mask)
                .map(|(word, mask)| word & mask)
        };
        // Fillings that agree in these cells are compared once.
        let mut seen = FxHashMap::default();
        let different: Vec<usize> = (0..self.len())
            .filter(|&i| seen.insert(masked(i).collect::<Vec<u64>>(), ()).is_none())
            .collect();
        let mut best: Option<Pair> = None;
        for (i, &first) in different.iter().enumerate() {
            if control.poll() {
                break;
            }
            for &second in &different[i + 1..] {
                let pairs = masked(first).zip(masked(second));
                let cells = pairs.map(|(a, b)| (a ^ b).count_ones() as usize).sum();
                if best.is_none_or(|best| cells < best.cells) {
                    best = Some(Pair {
                        first,
                        second,
                        cells,
                    });
                    if cells <= LEAST_DIFFERENCE {
                        return best;
                    }
                }
            }
        }
        best
    }
}

/// Two solutions differ in at least this number of cells: in a line in which they differ, as many cells become filled as become empty.
pub(crate) const LEAST_DIFFERENCE: usize = 4;

/// Number of ones.
fn ones(words: &[u64]) -> usize {
    words.iter().map(|word| word.count_ones() as usize).sum()
}

/// The column, or its complement if it does not begin with a filled cell.
fn from_filled(column: &[u64], length: usize) -> Vec<u64> {
    if column[0] & 1 == 1 {
        return column.to_vec();
    }
    let mut complement: Vec<u64> = column.iter().map(|word| !word).collect();
    if !length.is_multiple_of(64)
        && let Some(last) = complement.last_mut()
    {
        *last &= (1 << (length % 64)) - 1;
    }
    complement
}

/// The root of a group of joined groups.
fn root(parents: &mut [usize], mut group: usize) -> usize {
    while parents[group] != group {
        parents[group] = parents[parents[group]];
        group = parents[group];
    }
    group
}

/// For each filling of a list, the number of its restriction to some cells: equal restrictions have equal numbers.
#[derive(Clone, Debug)]
struct Ids {
    ids: Vec<u32>,
    /// Number of different restrictions.
    count: usize,
}

impl Ids {
    /// The restriction to no cells.
    fn one(length: usize) -> Self {
        Ids {
            ids: vec![0; length],
            count: 1,
        }
    }

    /// The restriction to more cells, of which the numbers are given. `None` when the control has stopped it.
    fn combine(&self, others: impl Iterator<Item = u32>, control: &Control) -> Option<Self> {
        if control.poll() {
            return None;
        }
        let mut numbers = FxHashMap::default();
        let pairs = self.ids.iter().copied().zip(others);
        let ids = pairs.map(|pair| {
            let next = numbers.len() as u32;
            *numbers.entry(pair).or_insert(next)
        });
        let ids = ids.collect();
        let count = numbers.len();
        Some(Ids { ids, count })
    }

    fn with(&self, other: &Ids, control: &Control) -> Option<Self> {
        self.combine(other.ids.iter().copied(), control)
    }
}

/// A group of cells, with the number of its restriction for each filling.
#[derive(Debug)]
struct Numbered {
    cells: Vec<usize>,
    ids: Ids,
}

/// Joins groups until they are independent. The groups that are joined already are independent; the possible fillings of one more group
/// depend on some of them, and these are joined to it: those whose fillings do not combine freely with the fillings of all others together.
fn join_dependent(
    groups: Vec<Numbered>,
    length: usize,
    control: &Control,
) -> Option<Vec<Numbered>> {
    let mut independent: Vec<Numbered> = Vec::new();
    for mut added in groups {
        // The restrictions to the groups before each one, and to those after it.
        let mut before = vec![Ids::one(length)];
        for group in &independent {
            before.push(before[before.len() - 1].with(&group.ids, control)?);
        }
        let all = before[independent.len()].with(&added.ids, control)?.count;
        let (mut after, mut kept) = (added.ids.clone(), Vec::new());
        for (i, group) in independent.into_iter().enumerate().rev() {
            let others = before[i].with(&after, control)?;
            after = after.with(&group.ids, control)?;
            if others.count * group.ids.count == all {
                kept.push(group);
            } else {
                added.ids = added.ids.with(&group.ids, control)?;
                added.cells.extend(group.cells);
            }
        }
        added.cells.sort_unstable();
        kept.push(added);
        independent = kept;
    }
    Some(independent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Limits;

    /// A list of fillings, given as the numbers whose bits are the cells.
    fn list(cells: usize, fillings: &[u64]) -> List {
        List {
            cells: (0..cells).map(|column| Cell::new(0, column)).collect(),
            size: 1,
            words: fillings.to_vec(),
        }
    }

    fn groups(list: &List) -> Vec<(Vec<usize>, usize)> {
        let control = Control::new(&Limits::default(), false);
        let groups = list.groups(&control).unwrap().into_iter();
        groups.map(|group| (group.cells, group.fillings)).collect()
    }

    #[test]
    fn a_product_falls_apart() {
        // Cells 0 and 1 are opposite, 2 and 3 equal, 4 is always filled.
        let fillings = [0b10001, 0b10010, 0b11101, 0b11110];
        assert_eq!(
            groups(&list(5, &fillings)),
            [(vec![0, 1], 2), (vec![2, 3], 2)]
        );
        assert_eq!(groups(&list(2, &[0b01])), []);
    }

    #[test]
    fn cells_that_only_depend_on_each_other_together_are_joined() {
        // Each pair of cells 0, 1 and 2 is independent, but their sum is even; cell 3 is free.
        let fillings: Vec<u64> = (0..16u64)
            .filter(|bits| (bits & 7).count_ones() % 2 == 0)
            .collect();
        assert_eq!(
            groups(&list(4, &fillings)),
            [(vec![0, 1, 2], 4), (vec![3], 2)]
        );
    }

    /// The finest partition by trying every partition into two.
    fn finest(cells: &[usize], fillings: &[u64]) -> Vec<Vec<usize>> {
        let restricted = |part: &[usize]| {
            let mask: u64 = part.iter().map(|cell| 1 << cell).sum();
            let mut all: Vec<u64> = fillings.iter().map(|filling| filling & mask).collect();
            all.sort_unstable();
            all.dedup();
            all.len()
        };
        for choice in 1..1u32 << (cells.len() - 1) {
            let is_in = |i: &usize| choice >> i & 1 == 1;
            let (a, b): (Vec<usize>, Vec<usize>) = (0..cells.len()).partition(is_in);
            let [a, b] = [a, b].map(|part| part.iter().map(|&i| cells[i]).collect::<Vec<_>>());
            if restricted(&a) * restricted(&b) == restricted(cells) {
                return [finest(&a, fillings), finest(&b, fillings)].concat();
            }
        }
        vec![cells.to_vec()]
    }

    #[test]
    fn the_partition_is_the_finest() {
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1);
            (state >> 33) % below
        };
        for round in 0..300 {
            // A product of two or three random relations, whose cells are mixed.
            let mut fillings = vec![0u64];
            let (mut cells, parts) = (0, 2 + round % 2);
            let mut places: Vec<u64> = (0..6).collect();
            (1..6).for_each(|i| places.swap(i, random(i as u64 + 1) as usize));
            for _ in 0..parts {
                let width = 6 / parts;
                let relation: Vec<u64> = (0..1u64 << width).filter(|_| random(3) > 0).collect();
                let placed = |bits: u64| -> u64 {
                    (0..width)
                        .map(|i| (bits >> i & 1) << places[cells + i])
                        .sum()
                };
                let relation = relation.iter().map(|&bits| placed(bits));
                fillings = relation
                    .flat_map(|bits| fillings.iter().map(move |filling| filling | bits))
                    .collect();
                cells += width;
            }
            if fillings.is_empty() {
                continue;
            }
            let varies = |cell: &usize| {
                let filled = fillings.iter().filter(|&filling| filling >> cell & 1 == 1);
                (1..fillings.len()).contains(&filled.count())
            };
            let varying: Vec<usize> = (0..6).filter(varies).collect();
            let mut wanted = if varying.is_empty() {
                Vec::new()
            } else {
                finest(&varying, &fillings)
            };
            wanted.sort();
            let found = groups(&list(6, &fillings));
            let product: usize = found.iter().map(|(_, fillings)| fillings).product();
            assert_eq!(product, fillings.len());
            let found: Vec<Vec<usize>> = found.into_iter().map(|(cells, _)| cells).collect();
            assert_eq!(found, wanted, "{fillings:?}");
        }
    }

    #[test]
    fn the_closest_pair_has_the_first_filling_if_possible() {
        let control = Control::new(&Limits::default(), false);
        let list = list(8, &[0b0000_1111, 0b0011_0011, 0b1111_0000, 0b1100_0011]);
        let cells: Vec<usize> = (0..8).collect();
        let pair = list.closest(&cells, &control).unwrap();
        assert_eq!((pair.first, pair.second, pair.cells), (0, 1, 4));
        assert!(list.closest(&[], &control).is_none());
    }
}
