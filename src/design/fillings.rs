//! The fillings of a region as a list, which shows the independent groups of its cells and the two fillings that differ least.
//!
//! Two sets of cells are *independent* in a list if every filling of one set occurs together with every filling of the other. Every list
//! has one finest partition of its cells into independent groups. To find it, cells are added one by one: each joins those of the earlier
//! groups on which its value depends.

use std::collections::hash_map::Entry;
use std::ops::ControlFlow;
use std::sync::Mutex;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::puzzle::{Cell, Grid};
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

/// Takes the fillings of a region, all different, from solutions that agree outside it.
///
/// They are packed more densely than the words of grids, because each is compared with all others.
#[derive(Debug)]
pub(crate) struct FillingSink {
    /// The cells of the region.
    pub(crate) cells: Vec<Cell>,
    words: Mutex<Vec<u64>>,
}

impl Sink for FillingSink {
    fn wants_grids(&self) -> bool {
        true
    }

    fn take(&self, batch: Batch) -> ControlFlow<Stop> {
        let mut words = lock(&self.words);
        let stride = Grid::stride(batch.width());
        let most = max_fillings(self.cells.len()) * self.cells.len().div_ceil(64);
        let fits = batch.try_each(|grid| {
            let has_room = words.len() < most;
            if has_room {
                words.extend(packed(self.cells.iter().map(|cell| {
                    let (row, column) = cell.place();
                    grid[row * stride + column / 64] >> (column % 64) & 1 == 1
                })));
            }
            has_room
        });
        if fits {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(Stop::Limit)
        }
    }
}

impl FillingSink {
    /// An empty list for a region of these cells.
    pub(crate) fn new(cells: Vec<Cell>) -> Self {
        FillingSink {
            cells,
            words: Mutex::default(),
        }
    }

    /// The list, once the search has ended. The filling of `base` comes first, if it is in the list.
    pub(crate) fn into_list(self, base: &Grid) -> FillingList {
        let size = self.cells.len().div_ceil(64);
        let mut words = self.words.into_inner().unwrap_or_default();
        let first = packed(self.cells.iter().map(|cell| cell.is_filled_in(base)));
        let place = words.chunks_exact(size).position(|words| words == first);
        if let Some(place) = place.filter(|&place| place > 0) {
            let (before, after) = words.split_at_mut(place * size);
            before[..size].swap_with_slice(&mut after[..size]);
        }
        FillingList {
            cells: self.cells,
            size,
            words,
        }
    }
}

/// These values, one bit each.
fn packed(values: impl Iterator<Item = bool>) -> Vec<u64> {
    let mut words = Vec::new();
    for (i, value) in values.enumerate() {
        if i % 64 == 0 {
            words.push(0);
        }
        words[i / 64] |= u64::from(value) << (i % 64);
    }
    words
}

/// A list of different fillings of a region.
#[derive(Debug)]
pub(crate) struct FillingList {
    /// The cells of the region.
    pub(crate) cells: Vec<Cell>,
    /// Words per filling: one bit per cell.
    size: usize,
    words: Vec<u64>,
}

/// A group of cells that are independent of the other cells of a region.
#[derive(Debug)]
pub(crate) struct Group {
    /// Its cells, as indices into those of the region, in ascending order.
    pub(crate) cells: Vec<usize>,
    restrictions: Restrictions,
}

impl Group {
    /// Number of its fillings.
    pub(crate) fn fillings(&self) -> usize {
        self.restrictions.count
    }
}

/// Two fillings of a list, by their indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) first: usize,
    pub(crate) second: usize,
    /// Number of cells in which they differ.
    pub(crate) cells: usize,
}

impl FillingList {
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

    /// The finest partition of the varying cells into independent groups, if the list is complete. `None` when the control has stopped it.
    ///
    /// O(k g n) for n fillings of k cells in g groups.
    pub(crate) fn groups(&self, control: &Control) -> Option<Vec<Group>> {
        let mut groups: Vec<Group> = Vec::new();
        for added in self.alike_cells() {
            groups = self.with_group(groups, added, control)?;
        }
        groups.sort_by_key(|group| group.cells[0]);
        Some(groups)
    }

    /// The groups of varying cells that have the same values as each other, or the opposite values in every filling.
    fn alike_cells(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut places: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
        for cell in self.varying() {
            let is_as_in_first = |filling| self.is_filled(filling, cell) == self.is_filled(0, cell);
            match places.entry(packed((0..self.len()).map(is_as_in_first))) {
                Entry::Occupied(place) => groups[*place.get()].cells.push(cell),
                Entry::Vacant(place) => {
                    place.insert(groups.len());
                    groups.push(Group {
                        cells: vec![cell],
                        restrictions: Restrictions {
                            numbers: (0..self.len()).map(|i| is_as_in_first(i).into()).collect(),
                            count: 2,
                        },
                    });
                }
            }
        }
        groups
    }

    /// Adds a group to independent groups: those whose fillings do not combine freely with the fillings of all others together are joined
    /// to it. `None` when the control has stopped it.
    fn with_group(
        &self,
        independent: Vec<Group>,
        mut added: Group,
        control: &Control,
    ) -> Option<Vec<Group>> {
        // The restrictions to the groups before each one, and to those after it.
        let numbers = vec![0; self.len()];
        let mut before = vec![Restrictions { numbers, count: 1 }];
        for group in &independent {
            before.push(before[before.len() - 1].with(&group.restrictions, control)?);
        }
        let all = before[independent.len()]
            .with(&added.restrictions, control)?
            .count;
        let (mut after, mut kept) = (added.restrictions.clone(), Vec::new());
        for (i, group) in independent.into_iter().enumerate().rev() {
            let others = before[i].with(&after, control)?;
            after = after.with(&group.restrictions, control)?;
            if others.count * group.fillings() == all {
                kept.push(group);
            } else {
                added.restrictions = added.restrictions.with(&group.restrictions, control)?;
                added.cells.extend(group.cells);
            }
        }
        added.cells.sort_unstable();
        kept.push(added);
        Some(kept)
    }

    /// The cells, as indices, that are not the same in all fillings.
    pub(crate) fn varying(&self) -> impl Iterator<Item = usize> {
        let mut varying = vec![0u64; self.size];
        for filling in 1..self.len() {
            let both = self.filling(filling).iter().zip(self.filling(0));
            for (varying, (word, first)) in varying.iter_mut().zip(both) {
                *varying |= word ^ first;
            }
        }
        (0..self.cells.len()).filter(move |cell| varying[cell / 64] >> (cell % 64) & 1 == 1)
    }

    /// The two fillings that differ least in these cells, but do differ; the first filling is one of them if that is possible. `None` when
    /// all fillings agree there. When the control stops it, the best pair so far.
    ///
    /// O(n²) words for n fillings; ends at a pair that differs in four cells, because no solutions differ in fewer.
    pub(crate) fn closest(&self, cells: &[usize], control: &Control) -> Option<Pair> {
        let mut mask = vec![0u64; self.size];
        for &cell in cells {
            mask[cell / 64] |= 1 << (cell % 64);
        }
        let masked = |i: usize| {
            let words = self.filling(i).iter().zip(&mask);
            words.map(|(word, mask)| word & mask)
        };
        // Fillings that agree in these cells are compared once.
        let mut seen = FxHashSet::default();
        let mut different: Vec<usize> = (0..self.len()).collect();
        different.retain(|&i| seen.insert(masked(i).collect::<Vec<u64>>()));
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

/// The restrictions of the fillings of a list to some cells.
#[derive(Clone, Debug)]
struct Restrictions {
    /// For each filling the number of its restriction: equal restrictions have equal numbers.
    numbers: Vec<u32>,
    /// Number of different restrictions.
    count: usize,
}

impl Restrictions {
    /// The restrictions to these and other cells together. `None` when the control has stopped it.
    fn with(&self, other: &Self, control: &Control) -> Option<Self> {
        if control.poll() {
            return None;
        }
        let pairs = self.numbers.iter().zip(&other.numbers);
        let mut count = 0;
        let mut number = |known: &mut u32| {
            if *known == u32::MAX {
                *known = count;
                count += 1;
            }
            *known
        };
        // A table of all pairs is quicker than hashing them, where it is not much longer than the list.
        let all_pairs = self.count * other.count;
        let numbers = if all_pairs <= 4 * self.numbers.len() {
            let mut known = vec![u32::MAX; all_pairs];
            let place = |(&a, &b): (&u32, &u32)| a as usize * other.count + b as usize;
            pairs.map(|pair| number(&mut known[place(pair)])).collect()
        } else {
            let mut known = FxHashMap::default();
            let numbers = pairs.map(|pair| number(known.entry(pair).or_insert(u32::MAX)));
            numbers.collect()
        };
        let count = count as usize;
        Some(Restrictions { numbers, count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Limits;

    /// A list of fillings, given as the numbers whose bits are the cells.
    fn list(cells: usize, fillings: &[u64]) -> FillingList {
        FillingList {
            cells: (0..cells).map(|column| Cell::new(0, column)).collect(),
            size: 1,
            words: fillings.to_vec(),
        }
    }

    fn groups(list: &FillingList) -> Vec<(Vec<usize>, usize)> {
        let control = Control::new(&Limits::default(), false);
        let groups = list.groups(&control).unwrap().into_iter();
        groups
            .map(|group| (group.cells.clone(), group.fillings()))
            .collect()
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
