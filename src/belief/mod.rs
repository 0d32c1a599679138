//! How likely each cell is to be filled in a solution, as far as that can be guessed.
//!
//! Each line says how likely its cells are, going by all its arrangements and by what the crossing lines say of the same cells, and so
//! round and round: belief propagation (Pearl, "Probabilistic reasoning in intelligent systems", 1988). The cells of a nonogram are
//! far from independent, so the [`Beliefs`] are no shares of solutions; but where to look first for a solution they tell well.

use crate::board::Clues;
use crate::line::Marginals;

/// How much of what a line said before it keeps to: without that, lines may swing for ever.
const DAMPING: f64 = 0.3;

/// The strongest belief, as a logarithm of odds: what is believed may still be wrong.
const SUREST: f64 = 11.0;

/// What every line says of its cells.
#[derive(Clone, Debug)]
pub struct Beliefs<'p> {
    clues: &'p Clues,
    /// Of every cell: infinite where it is known (filled, or minus: empty), else 0.
    known: Vec<f64>,
    /// What its row and its column say of it: logarithms of odds.
    rows: Vec<f64>,
    columns: Vec<f64>,
    sums: Marginals,
    likely: Vec<f64>,
}

impl<'p> Beliefs<'p> {
    /// Nothing is believed yet, and nothing known.
    pub fn new(clues: &'p Clues) -> Self {
        let cells = || vec![0.0; clues.width() * clues.height()];
        Beliefs {
            clues,
            known: cells(),
            rows: cells(),
            columns: cells(),
            sums: Marginals::default(),
            likely: Vec::new(),
        }
    }

    /// Bytes that this takes, or a copy of it.
    pub fn bytes(clues: &Clues) -> u64 {
        let (width, height) = (clues.width() as u64, clues.height() as u64);
        3 * 8 * width * height + size_of::<Self>() as u64
    }

    /// Notes what is known of every cell, by row and column.
    pub fn see(&mut self, known: impl Fn(usize, usize) -> Option<bool>) {
        for (i, cell) in self.known.iter_mut().enumerate() {
            *cell = certain(known(i / self.clues.width(), i % self.clues.width()));
        }
    }

    /// Notes what is known of one cell.
    ///
    /// # Panics
    ///
    /// When the cell is outside.
    pub fn note(&mut self, row: usize, column: usize, known: Option<bool>) {
        self.known[row * self.clues.width() + column] = certain(known);
    }

    /// Every line says once more what it thinks; returns how much that has changed, in the mean. Zero is agreement. `None` when
    /// `stop`, asked before every line, breaks it off.
    pub fn sweep(&mut self, mut stop: impl FnMut() -> bool) -> Option<f64> {
        let (mut change, mut count) = (0.0, 0u64);
        for line in 0..self.clues.height() + self.clues.width() {
            if stop() {
                return None;
            }
            let (more, cells) = self.say(line);
            change += more;
            count += cells;
        }
        Some(change / count.max(1) as f64)
    }

    /// One line says once more what it thinks. Returns the sum of the changes, and the number of cells over which that is taken. Lines are
    /// numbered rows first.
    ///
    /// # Panics
    ///
    /// When the line is outside.
    pub fn say(&mut self, line: usize) -> (f64, u64) {
        let (mut change, mut count) = (0.0, 0);
        if self.cells(line).all(|cell| self.known[cell] != 0.0) || !self.hear(line) {
            return (change, count);
        }
        for (i, cell) in self.cells(line).enumerate() {
            if self.known[cell] != 0.0 {
                continue;
            }
            let says = self.sums.log_odds(i, self.likely[i]);
            let says = says.clamp(-SUREST, SUREST);
            let said = match line < self.clues.height() {
                true => &mut self.rows[cell],
                false => &mut self.columns[cell],
            };
            let says = DAMPING * *said + (1.0 - DAMPING) * says;
            change += (says - *said).abs();
            count += 1;
            *said = says;
        }
        (change, count)
    }

    /// The belief that a cell is filled, as a logarithm of odds: 0 is none, infinite is known.
    ///
    /// # Panics
    ///
    /// When the cell is outside.
    pub fn log_odds(&self, row: usize, column: usize) -> f64 {
        let cell = row * self.clues.width() + column;
        self.known[cell] + self.rows[cell] + self.columns[cell]
    }

    /// Lets these lines speak, and returns about how many ways they leave to fill in what is unknown, as a natural logarithm: the ways
    /// of each line, weighed by what the lines that cross it say, less what a cell counts for in both (Bethe's approximation: Yedidia,
    /// Freeman and Weiss, "Constructing free-energy approximations and generalized belief propagation algorithms", 2005). It is best
    /// where the lines agree. `None` when a line cannot tell, or when `stop`, asked before every line, breaks it off. Lines are
    /// numbered rows first.
    ///
    /// # Panics
    ///
    /// When a line is outside.
    pub fn log_count(
        &mut self,
        lines: impl IntoIterator<Item = usize> + Clone,
        mut stop: impl FnMut() -> bool,
    ) -> Option<f64> {
        let mut sum = 0.0;
        for line in lines.clone() {
            if self.cells(line).all(|cell| self.known[cell] != 0.0) {
                continue;
            }
            if stop() || self.say(line).1 == 0 {
                return None;
            }
            sum += self.sums.total().ln();
        }
        // A cell stands in two lines, and what both say of it together is taken off once.
        for row in lines.into_iter().filter(|&line| line < self.clues.height()) {
            for cell in self.cells(row).filter(|&cell| self.known[cell] == 0.0) {
                let (row, column) = (
                    probability(self.rows[cell]),
                    probability(self.columns[cell]),
                );
                sum -= (row * column + (1.0 - row) * (1.0 - column)).ln();
            }
        }
        Some(sum)
    }

    /// How likely block `j` of a line is to start at cell `i`, given to `each`; `false` where the line cannot tell. Lines are
    /// numbered rows first.
    ///
    /// # Panics
    ///
    /// When the line is outside.
    pub fn starts(&mut self, line: usize, mut each: impl FnMut(usize, usize, f64)) -> bool {
        let heard = self.hear(line);
        if heard {
            let lengths = self.clues.line(line);
            for (j, &length) in lengths.iter().enumerate() {
                for i in 0..=self.likely.len() - usize::from(length) {
                    each(j, i, self.sums.start(j, i, lengths));
                }
            }
        }
        heard
    }

    /// Sums up a line under what the lines that cross it say of its cells.
    fn hear(&mut self, line: usize) -> bool {
        let mut likely = std::mem::take(&mut self.likely);
        likely.clear();
        likely.extend(self.cells(line).map(|cell| match self.known[cell] {
            0.0 => {
                let said = match line < self.clues.height() {
                    true => self.columns[cell],
                    false => self.rows[cell],
                };
                probability(said)
            }
            known => f64::from(known > 0.0),
        }));
        self.likely = likely;
        let lengths = self.clues.line(line);
        self.sums.sum(lengths, &self.likely)
    }

    /// The cells of a line.
    fn cells(&self, line: usize) -> impl Iterator<Item = usize> + use<> {
        let (width, height) = (self.clues.width(), self.clues.height());
        let (first, step, count) = match line.checked_sub(height) {
            None => (line * width, 1, width),
            Some(column) => (column, width, height),
        };
        (0..count).map(move |i| first + i * step)
    }
}

/// A logarithm of odds as a probability.
fn probability(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// What is known, as a logarithm of odds.
fn certain(known: Option<bool>) -> f64 {
    match known {
        Some(true) => f64::INFINITY,
        Some(false) => f64::NEG_INFINITY,
        None => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::{Clue, Puzzle};

    fn permutation(n: usize) -> Clues {
        let ones = vec![Clue::new([1]).unwrap(); n];
        Clues::new(&Puzzle::new(ones.clone(), ones).unwrap())
    }

    #[test]
    fn lines_agree_where_all_is_alike() {
        // Every cell is filled in a fifth of the solutions, and nothing breaks the symmetry.
        let clues = permutation(5);
        let mut beliefs = Beliefs::new(&clues);
        while beliefs.sweep(|| false).unwrap() > 1e-9 {}
        for row in 0..5 {
            for column in 0..5 {
                let odds = beliefs.log_odds(row, column).exp();
                assert!((odds - 0.25).abs() < 0.1, "{odds}");
            }
        }
    }

    #[test]
    fn about_how_many_ways_there_are() {
        for n in 3..=8 {
            let clues = permutation(n);
            let mut beliefs = Beliefs::new(&clues);
            for _ in 0..100 {
                beliefs.sweep(|| false);
            }
            let log = beliefs.log_count(0..2 * n, || false).unwrap();
            // For permutations the approximation is too low, by a factor that grows as the square root of n.
            let truth: f64 = (1..=n).map(|i| (i as f64).ln()).sum();
            let low = truth - log;
            assert!((0.0..1.6).contains(&low), "{n}: {log} is not {truth}");
            assert_eq!(beliefs.log_count(0..2 * n, || true), None);
        }
        // Where the lines know nothing of each other it is exact: one row, and columns of one cell.
        let clues = [&[2][..], &[0], &[0], &[1], &[1]].map(|clue: &[usize]| {
            Clue::new(clue.iter().copied().filter(|&length| length > 0)).unwrap()
        });
        let puzzle = Puzzle::new(clues[..1].to_vec(), clues[1..].to_vec()).unwrap();
        let clues = Clues::new(&puzzle);
        let mut beliefs = Beliefs::new(&clues);
        for _ in 0..100 {
            beliefs.sweep(|| false);
        }
        assert!(beliefs.log_count(0..5, || false).unwrap().abs() < 0.1);
    }

    #[test]
    fn what_is_known_is_believed() {
        let clues = permutation(3);
        let mut beliefs = Beliefs::new(&clues);
        beliefs.see(|row, column| (row == 0 && column == 0).then_some(true));
        for _ in 0..10 {
            beliefs.sweep(|| false);
        }
        assert_eq!(beliefs.log_odds(0, 0), f64::INFINITY);
        assert!(beliefs.log_odds(0, 1) < -5.0 && beliefs.log_odds(1, 0) < -5.0);
        assert!(beliefs.log_odds(1, 1).abs() < 1.0);
        let mut sum = 0.0;
        assert!(beliefs.starts(1, |_, _, likely| sum += likely));
        assert!((sum - 1.0).abs() < 1e-9);
    }
}
