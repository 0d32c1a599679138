//! Everything that one line can still be: how many arrangements of a clue fit what is known, and each of them in turn.
//!
//! A plain dynamic programme over blocks and cells, written apart from the kernel and without words of bits, for people and for the
//! tools that show lines; the search never asks it.

use num_bigint::BigUint;

use crate::puzzle::Clue;

/// How many arrangements of `clue` fit the known cells (`None` is unknown).
///
/// Takes O(k n) additions for k blocks in n cells. With nothing known it is the binomial C(n - s + 1, k) for s filled cells.
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
    // ways[p]: ways to complete the cells from p on with the blocks from the current one on.
    let mut ways: Vec<BigUint> = vec![BigUint::ZERO; cells + 2];
    // One beyond the end, too: behind a block that ends with the line there is no gap cell to pass.
    ways[line.tail()..].fill(BigUint::from(1u32));
    for &block in line.lengths.iter().rev() {
        let mut before = vec![BigUint::ZERO; cells + 2];
        for p in (0..cells).rev() {
            let mut sum = BigUint::ZERO;
            if line.may_be_empty(p) {
                sum += &before[p + 1];
            }
            if line.may_hold(p, block) {
                sum += &ways[p + block + 1];
            }
            before[p] = sum;
        }
        ways = before;
    }
    ways.swap_remove(0)
}

/// Every arrangement of a clue that fits the known cells: the first cell of each block, leftmost blocks leftmost first.
///
/// It never walks into a dead end: each step takes O(k) and, at worst, O(n) look-ups for k blocks in n cells.
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
    /// `fits[j * (cells + 2) + p]`: the blocks from `j` on can complete the cells from `p` on.
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
        fits[blocks * row..][line.tail()..].fill(true);
        for j in (0..blocks).rev() {
            for p in (0..cells).rev() {
                let passes = line.may_be_empty(p) && fits[j * row + p + 1];
                let block = line.lengths[j];
                fits[j * row + p] =
                    passes || line.may_hold(p, block) && fits[(j + 1) * row + p + block + 1];
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

    /// The first start of block `j` at or behind cell `p` from which the rest can be completed, over cells that may be empty.
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

    /// Adds to the starts of some first blocks, which can be completed, the leftmost ones of the others.
    fn complete(&self, mut starts: Vec<usize>) -> Vec<usize> {
        for j in starts.len()..self.line.lengths.len() {
            let from = if j == 0 {
                0
            } else {
                starts[j - 1] + self.line.lengths[j - 1] + 1
            };
            starts.push(self.start(j, from).expect("a table entry promised a start"));
        }
        starts
    }
}

impl Iterator for Arrangements {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        let now = self.next.take()?;
        let mut starts = now.clone();
        while let Some(start) = starts.pop() {
            let j = starts.len();
            if self.line.may_be_empty(start)
                && let Some(later) = self.start(j, start + 1)
            {
                starts.push(later);
                self.next = Some(self.complete(starts));
                break;
            }
        }
        Some(now)
    }
}

/// A clue in a line of known cells.
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

    /// Can a block of this length start at `p`, with an empty cell or the line's end behind it?
    fn may_hold(&self, p: usize, block: usize) -> bool {
        let end = p + block;
        end <= self.known.len()
            && self.known[p..end].iter().all(|&cell| cell != Some(false))
            && self.known.get(end) != Some(&Some(true))
    }

    /// The first cell from which all can be empty.
    fn tail(&self) -> usize {
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
    fn nothing_fits_a_contradiction() {
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
    fn large_numbers_are_exact() {
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
