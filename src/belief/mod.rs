//! Belief propagation: estimated probabilities that cells are filled in a solution.
//!
//! Each line computes the probabilities of its cells over all its arrangements, weighted by the messages of the crossing lines, and sends
//! them as messages in turn: belief propagation (Pearl, "Probabilistic reasoning in intelligent systems", 1988). The cells of a nonogram
//! are far from independent, so the [`Beliefs`] are not shares of solutions, but a good heuristic for where to search for one.

use crate::board::Clues;
use crate::line::Marginals;

/// Share of the previous message that is kept: without damping, messages may oscillate for ever.
const DAMPING: f64 = 0.3;

/// Bound on a message, as log odds: a belief may be wrong.
const MAX_LOG_ODDS: f64 = 11.0;

/// The messages of all lines on their cells.
#[derive(Clone, Debug)]
pub struct Beliefs<'p> {
    clues: &'p Clues,
    /// For each cell: infinity if known to be filled, minus infinity if known to be empty, else 0.
    known: Vec<f64>,
    /// For each cell: the messages of its row and of its column, as log odds.
    rows: Vec<f64>,
    columns: Vec<f64>,
    marginals: Marginals,
    probabilities: Vec<f64>,
}

impl<'p> Beliefs<'p> {
    /// Beliefs without messages or known cells.
    pub fn new(clues: &'p Clues) -> Self {
        let cells = || vec![0.0; clues.width() * clues.height()];
        Beliefs {
            clues,
            known: cells(),
            rows: cells(),
            columns: cells(),
            marginals: Marginals::default(),
            probabilities: Vec::new(),
        }
    }

    /// Bytes of one instance.
    pub fn bytes(clues: &Clues) -> u64 {
        let (width, height) = (clues.width() as u64, clues.height() as u64);
        3 * 8 * width * height + size_of::<Self>() as u64
    }

    /// Sets the known cells, by row and column.
    pub fn set_known(&mut self, known: impl Fn(usize, usize) -> Option<bool>) {
        for (i, cell) in self.known.iter_mut().enumerate() {
            *cell = known_log_odds(known(i / self.clues.width(), i % self.clues.width()));
        }
    }

    /// Sets one cell known or unknown.
    ///
    /// # Panics
    ///
    /// If the cell is outside the puzzle.
    pub fn note(&mut self, row: usize, column: usize, known: Option<bool>) {
        self.known[row * self.clues.width() + column] = known_log_odds(known);
    }

    /// Updates the messages of all lines once; returns the mean absolute change, which is 0 at a fixpoint. `None` if `stop`, called before
    /// every line, returns `true`.
    pub fn sweep(&mut self, mut stop: impl FnMut() -> bool) -> Option<f64> {
        let (mut change, mut count) = (0.0, 0u64);
        for line in 0..self.clues.height() + self.clues.width() {
            if stop() {
                return None;
            }
            let (line_change, cells) = self.update_line(line);
            change += line_change;
            count += cells;
        }
        Some(change / count.max(1) as f64)
    }

    /// Updates the messages of one line, numbered rows first; returns the sum of the absolute changes, and the number of cells in it.
    ///
    /// # Panics
    ///
    /// If the line is outside the puzzle.
    pub fn update_line(&mut self, line: usize) -> (f64, u64) {
        let (mut change, mut count) = (0.0, 0);
        if self.cells(line).all(|cell| self.known[cell] != 0.0) || !self.compute_marginals(line) {
            return (change, count);
        }
        for (i, cell) in self.cells(line).enumerate() {
            if self.known[cell] != 0.0 {
                continue;
            }
            let odds = self.marginals.log_odds(i, self.probabilities[i]);
            let new = odds.clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS);
            let previous = if line < self.clues.height() {
                &mut self.rows[cell]
            } else {
                &mut self.columns[cell]
            };
            let message = DAMPING * *previous + (1.0 - DAMPING) * new;
            change += (message - *previous).abs();
            count += 1;
            *previous = message;
        }
        (change, count)
    }

    /// The belief that a cell is filled, as log odds: 0 is neutral, infinite is known.
    ///
    /// # Panics
    ///
    /// If the cell is outside the puzzle.
    pub fn log_odds(&self, row: usize, column: usize) -> f64 {
        let cell = row * self.clues.width() + column;
        self.known[cell] + self.rows[cell] + self.columns[cell]
    }

    /// Updates the messages of these lines, and returns the natural logarithm of the estimated number of fillings of the unknown cells: the
    /// weighted arrangements of each line, corrected for the cells that are counted in two lines (the Bethe approximation: Yedidia, Freeman
    /// and Weiss, "Constructing free-energy approximations and generalized belief propagation algorithms", 2005). It is most accurate at a
    /// fixpoint. `None` if a line has no estimate, or if `stop`, called before every line, returns `true`. Lines are numbered rows first.
    ///
    /// # Panics
    ///
    /// If a line is outside the puzzle.
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
            if stop() || self.update_line(line).1 == 0 {
                return None;
            }
            sum += self.marginals.total().ln();
        }
        // Each cell is counted in two lines, so the normalisation of its two messages is subtracted once.
        for row in lines.into_iter().filter(|&line| line < self.clues.height()) {
            for cell in self.cells(row).filter(|&cell| self.known[cell] == 0.0) {
                let [row, column] = [self.rows[cell], self.columns[cell]].map(probability);
                sum -= (row * column + (1.0 - row) * (1.0 - column)).ln();
            }
        }
        Some(sum)
    }

    /// Calls `each` with the index `j` of every block of a line, a cell `i`, and the probability that the block starts there; `false` if
    /// the line has no estimate. Lines are numbered rows first.
    ///
    /// # Panics
    ///
    /// If the line is outside the puzzle.
    pub fn starts(&mut self, line: usize, mut each: impl FnMut(usize, usize, f64)) -> bool {
        let has_estimate = self.compute_marginals(line);
        if has_estimate {
            let lengths = self.clues.line(line);
            for (j, &length) in lengths.iter().enumerate() {
                for i in 0..=self.probabilities.len() - usize::from(length) {
                    each(j, i, self.marginals.start(j, i, lengths));
                }
            }
        }
        has_estimate
    }

    /// Computes the marginals of a line, given the messages of the crossing lines.
    fn compute_marginals(&mut self, line: usize) -> bool {
        let crossing = if line < self.clues.height() {
            &self.columns
        } else {
            &self.rows
        };
        let cells = self.cells(line);
        self.probabilities.clear();
        self.probabilities
            .extend(cells.map(|cell| match self.known[cell] {
                0.0 => probability(crossing[cell]),
                known => f64::from(known > 0.0),
            }));
        let lengths = self.clues.line(line);
        self.marginals.sum(lengths, &self.probabilities)
    }

    /// The indices of the cells of a line.
    fn cells(&self, line: usize) -> impl Iterator<Item = usize> + use<> {
        let (width, height) = (self.clues.width(), self.clues.height());
        let (first, step, count) = match line.checked_sub(height) {
            None => (line * width, 1, width),
            Some(column) => (column, width, height),
        };
        (0..count).map(move |i| first + i * step)
    }
}

/// The probability with these log odds.
fn probability(odds: f64) -> f64 {
    1.0 / (1.0 + (-odds).exp())
}

/// The log odds of a known or unknown cell.
fn known_log_odds(known: Option<bool>) -> f64 {
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
        let ones = vec![[1]; n];
        Clues::new(&Puzzle::from_clues(&ones, &ones).unwrap())
    }

    #[test]
    fn symmetric_lines_reach_a_fixpoint() {
        // Every cell is filled in a fifth of the solutions, and all cells are symmetric.
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
    fn log_count_is_near_the_number_of_solutions() {
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
        // It is exact if the lines are independent: one row, and columns of one cell.
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
    fn known_cells_have_certain_beliefs() {
        let clues = permutation(3);
        let mut beliefs = Beliefs::new(&clues);
        beliefs.set_known(|row, column| (row == 0 && column == 0).then_some(true));
        for _ in 0..10 {
            beliefs.sweep(|| false);
        }
        assert_eq!(beliefs.log_odds(0, 0), f64::INFINITY);
        assert!(beliefs.log_odds(0, 1) < -5.0 && beliefs.log_odds(1, 0) < -5.0);
        assert!(beliefs.log_odds(1, 1).abs() < 1.0);
        let mut sum = 0.0;
        assert!(beliefs.starts(1, |_, _, probability| sum += probability));
        assert!((sum - 1.0).abs() < 1e-9);
    }
}
