//! Counts and lists the arrangements of a clue that fit the known cells of a line.
//!
//! A plain dynamic programme over blocks and cells, independent of the bit-parallel kernel, for tools that show lines; the search does not
//! use it.

use num_bigint::BigUint;

use super::settle::Known;
use super::word::Word;
use crate::puzzle::Clue;

/// The number of arrangements of `clue` that fit the known cells (`None` is unknown).
///
/// O(k n) additions for k blocks in n cells. Without known cells it is the binomial C(n - s + 1, k) for s filled cells.
///
/// ```
/// use omnogram::{line::arrangements, puzzle::Clue};
///
/// let clue = Clue::new([2, 1]).unwrap();
/// assert_eq!(arrangements::count(&clue, &[None; 5]), 3u32.into());
/// ```
pub fn count(clue: &Clue, known: &[Option<bool>]) -> BigUint {
    let line = ClueInLine::new(clue, known);
    let cells = known.len();
    // ways[p]: number of ways to complete the cells from p on with the blocks from the current one on.
    let mut ways: Vec<BigUint> = vec![BigUint::ZERO; cells + 2];
    // One entry beyond the end, too: after a block at the end of the line there is no gap cell.
    ways[line.first_of_empty_tail()..].fill(BigUint::from(1u32));
    for &block in line.lengths.iter().rev() {
        let mut next_ways = vec![BigUint::ZERO; cells + 2];
        for p in (0..cells).rev() {
            let mut sum = BigUint::ZERO;
            if line.may_be_empty(p) {
                sum += &next_ways[p + 1];
            }
            if line.may_hold(p, block) {
                sum += &ways[p + block + 1];
            }
            next_ways[p] = sum;
        }
        ways = next_ways;
    }
    ways.swap_remove(0)
}

/// The same number for cells in words, at most `u128::MAX`: O(k s) additions for k blocks and s cells of slack, and no large numbers.
///
/// The blocks must fit into the line, and the line into the word.
pub(crate) fn count_up_to_max<W: Word>(blocks: &[u16], length: usize, known: Known<W>) -> u128 {
    // A known empty cell beyond the end, so that an empty cell follows every block.
    let may_be_empty = |cell: usize| cell == length || !known.filled.has(cell);
    // The length of the run of cells that can be filled, from each cell on.
    let mut runs = vec![0; length + 1];
    for cell in (0..length).rev() {
        if !known.empty.has(cell) {
            runs[cell] = runs[cell + 1] + 1;
        }
    }
    let span: usize = blocks.iter().map(|&block| usize::from(block) + 1).sum();
    let slack = length + 1 - span;
    // ways[o]: the number of ways to place the blocks so far such that the next cell is `o` cells after its leftmost place.
    let mut ways = vec![0_u128; slack + 1];
    ways[0] = 1;
    let mut leftmost = 0;
    for block in blocks.iter().map(|&block| usize::from(block)) {
        let mut before = 0_u128;
        for (offset, ways) in ways.iter_mut().enumerate() {
            let start = leftmost + offset;
            if offset > 0 && !may_be_empty(start - 1) {
                before = 0;
            }
            before = before.saturating_add(*ways);
            let fits = runs[start] >= block && may_be_empty(start + block);
            *ways = if fits { before } else { 0 };
        }
        leftmost += block + 1;
    }
    let mut all = 0_u128;
    for (offset, &ways) in ways.iter().enumerate() {
        if offset > 0 && !may_be_empty(leftmost + offset - 1) {
            all = 0;
        }
        all = all.saturating_add(ways);
    }
    all
}

/// Iterator over the arrangements of a clue that fit the known cells, each as the first cells of the blocks, in lexicographic order.
///
/// No dead ends: each step takes O(k) and, at worst, O(n) look-ups for k blocks in n cells.
///
/// ```
/// use omnogram::{line::Arrangements, puzzle::Clue};
///
/// let clue = Clue::new([2, 1]).unwrap();
/// let all: Vec<_> = Arrangements::new(&clue, &[None; 5]).collect();
/// assert_eq!(all, [[0, 3], [0, 4], [1, 4]]);
/// ```
#[derive(Clone, Debug)]
pub struct Arrangements {
    line: ClueInLine,
    /// `fits[j * (cells + 2) + p]`: whether the blocks from `j` on can complete the cells from `p` on.
    fits: Vec<bool>,
    next: Option<Vec<usize>>,
}

impl Arrangements {
    /// The arrangements of `clue` in a line of `known.len()` cells.
    pub fn new(clue: &Clue, known: &[Option<bool>]) -> Self {
        let line = ClueInLine::new(clue, known);
        let (cells, blocks) = (known.len(), line.lengths.len());
        let row = cells + 2;
        let mut fits = vec![false; (blocks + 1) * row];
        fits[blocks * row..][line.first_of_empty_tail()..].fill(true);
        for j in (0..blocks).rev() {
            for p in (0..cells).rev() {
                let can_skip = line.may_be_empty(p) && fits[j * row + p + 1];
                let block = line.lengths[j];
                fits[j * row + p] =
                    can_skip || line.may_hold(p, block) && fits[(j + 1) * row + p + block + 1];
            }
        }
        let mut all = Arrangements {
            line,
            fits,
            next: None,
        };
        all.next = all.fits[0].then(|| all.complete(Vec::with_capacity(blocks)));
        all
    }

    /// The first start of block `j` at or after cell `p` from which the line can be completed; the cells skipped may be empty.
    fn start(&self, j: usize, mut p: usize) -> Option<usize> {
        let row = self.line.known.len() + 2;
        let block = self.line.lengths[j];
        loop {
            if p >= self.line.known.len() || !self.fits[j * row + p] {
                return None;
            }
            if self.line.may_hold(p, block) && self.fits[(j + 1) * row + p + block + 1] {
                return Some(p);
            }
            if !self.line.may_be_empty(p) {
                return None;
            }
            p += 1;
        }
    }

    /// Completes the starts of a prefix of the blocks, which must be completable, with the leftmost starts of the others.
    fn complete(&self, mut starts: Vec<usize>) -> Vec<usize> {
        for j in starts.len()..self.line.lengths.len() {
            let from = if j == 0 {
                0
            } else {
                starts[j - 1] + self.line.lengths[j - 1] + 1
            };
            starts.push(
                self.start(j, from)
                    .expect("the table says that the blocks fit"),
            );
        }
        starts
    }
}

impl Iterator for Arrangements {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let current = self.next.take()?;
        let mut starts = current.clone();
        while let Some(start) = starts.pop() {
            let j = starts.len();
            if self.line.may_be_empty(start)
                && let Some(next_start) = self.start(j, start + 1)
            {
                starts.push(next_start);
                self.next = Some(self.complete(starts));
                break;
            }
        }
        Some(current)
    }
}

/// A clue and the known cells of its line.
#[derive(Clone, Debug)]
struct ClueInLine {
    lengths: Vec<usize>,
    known: Vec<Option<bool>>,
}

impl ClueInLine {
    fn new(clue: &Clue, known: &[Option<bool>]) -> Self {
        ClueInLine {
            lengths: clue.lengths().collect(),
            known: known.to_vec(),
        }
    }

    fn may_be_empty(&self, p: usize) -> bool {
        self.known[p] != Some(true)
    }

    /// Whether a block of this length can start at `p`, followed by an empty cell or the end of the line.
    fn may_hold(&self, p: usize, block: usize) -> bool {
        let end = p + block;
        end <= self.known.len()
            && self.known[p..end].iter().all(|&cell| cell != Some(false))
            && self.known.get(end) != Some(&Some(true))
    }

    /// The first cell from which on all cells can be empty.
    fn first_of_empty_tail(&self) -> usize {
        self.known
            .iter()
            .rposition(|&cell| cell == Some(true))
            .map_or(0, |p| p + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contradiction_has_no_arrangement() {
        let clue = Clue::new([2]).unwrap();
        let known = [Some(true), Some(false), None];
        assert_eq!(count(&clue, &known), BigUint::ZERO);
        assert_eq!(Arrangements::new(&clue, &known).count(), 0);
    }

    #[test]
    fn an_empty_clue_has_one_arrangement() {
        let clue = Clue::default();
        assert_eq!(count(&clue, &[None; 4]), 1u32.into());
        assert_eq!(
            Arrangements::new(&clue, &[None; 4]).collect::<Vec<_>>(),
            [vec![0usize; 0]]
        );
        assert_eq!(count(&clue, &[None, Some(true)]), BigUint::ZERO);
        assert_eq!(Arrangements::new(&clue, &[None, Some(true)]).next(), None);
        assert_eq!(Arrangements::new(&clue, &[]).count(), 1);
    }

    #[test]
    fn both_ways_to_count_agree() {
        // Every state of seven cells, as a number in base three, with several clues.
        let clues: [&[usize]; 6] = [&[], &[1], &[2, 1], &[1, 1, 1], &[7], &[2, 2]];
        for blocks in clues {
            let clue = Clue::new(blocks.iter().copied()).unwrap();
            let lengths: Vec<u16> = blocks.iter().map(|&length| length as u16).collect();
            for state in 0..3_usize.pow(7) {
                let cell = move |i: usize| {
                    [None, Some(true), Some(false)][state / 3_usize.pow(i as u32) % 3]
                };
                let cells: Vec<Option<bool>> = (0..7).map(cell).collect();
                let known = Known::<u64>::of_line(cells.iter().copied());
                let fast = count_up_to_max(&lengths, 7, known);
                assert_eq!(
                    BigUint::from(fast),
                    count(&clue, &cells),
                    "{clue} {cells:?}"
                );
            }
        }
        let blocks = [1_u16; 100];
        assert_eq!(
            count_up_to_max(&blocks, 500, Known::<crate::line::Wide<8>>::NOTHING),
            u128::MAX
        );
    }

    #[test]
    fn large_counts_are_exact() {
        // C(4096 - 3000 + 1, 1000)
        let clue = Clue::new(vec![3; 1000]).unwrap();
        let number = count(&clue, &vec![None; 4096]).to_string();
        let mut binomial = BigUint::from(1u32);
        for i in 0..1000u32 {
            binomial = binomial * (1097 - i) / (i + 1);
        }
        assert_eq!(number, binomial.to_string());
    }
}
