//! How likely each cell of a line is to be filled, when every arrangement of its clue is as likely as its cells make it.
//!
//! Sums over all arrangements, forwards and backwards, as for a hidden Markov model (Rabiner, "A tutorial on hidden Markov models",
//! Proceedings of the IEEE 77, 1989).

/// The sums for one line after the other, in memory that is used again.
#[derive(Clone, Debug, Default)]
pub struct Marginals {
    /// `before[j][i]`: weight of all ways to lay the first `j` blocks into cells `0..i`, an empty cell behind the last one.
    before: Vec<f64>,
    /// `after[j][i]`: weight of all ways to lay blocks `j..` into cells `i..`.
    after: Vec<f64>,
    /// `laid[j][i]`: weight of block `j` in cells `i..` and of the empty cell behind it.
    laid: Vec<f64>,
    /// Weight of all arrangements in which a cell is filled, or empty.
    filled: Vec<f64>,
    empty: Vec<f64>,
    total: f64,
    stride: usize,
}

/// Arrangements that are less likely than this are not to be told from none.
const LEAST: f64 = 1e-280;

impl Marginals {
    /// Sums up a line. `likely` says of each cell how likely it is to be filled, going by anything but this line: 1 and 0 are
    /// certain. `false`, and the sums mean nothing, when no arrangement fits, or when those that do are unlikely beyond telling.
    ///
    /// Takes O(n m) steps for `n` cells of which the clue asks for `m` to be filled.
    pub fn sum(&mut self, lengths: &[u16], likely: &[f64]) -> bool {
        let (n, blocks) = (likely.len(), lengths.len());
        // Cell n is the edge, which is empty.
        self.stride = n + 2;
        let stride = self.stride;
        let unlikely = |i: usize| if i < n { 1.0 - likely[i] } else { 1.0 };
        for (sums, rows) in [
            (&mut self.before, blocks + 1),
            (&mut self.after, blocks + 1),
            (&mut self.laid, blocks),
        ] {
            sums.clear();
            sums.resize(rows * stride, 0.0);
        }
        for (j, &length) in lengths.iter().enumerate() {
            let length = usize::from(length);
            for start in 0..(n + 1).saturating_sub(length) {
                let cells = &likely[start..start + length];
                self.laid[j * stride + start] =
                    cells.iter().product::<f64>() * unlikely(start + length);
            }
        }
        self.before[0] = 1.0;
        for j in 0..=blocks {
            for i in 0..=n + 1 {
                let mut sum = self.before[j * stride + i];
                if i > 0 {
                    sum += self.before[j * stride + i - 1] * unlikely(i - 1);
                }
                if j > 0
                    && let Some(start) = i.checked_sub(usize::from(lengths[j - 1]) + 1)
                {
                    let at = (j - 1) * stride + start;
                    sum += self.before[at] * self.laid[at];
                }
                self.before[j * stride + i] = sum;
            }
        }
        self.after[blocks * stride + n + 1] = 1.0;
        for j in (0..=blocks).rev() {
            for i in (0..=n).rev() {
                let mut sum = self.after[j * stride + i + 1] * unlikely(i);
                if j < blocks {
                    sum += self.starting(j, i, lengths);
                }
                self.after[j * stride + i] = sum;
            }
        }
        self.total = self.after[0];
        if self.total.is_nan() || self.total < LEAST {
            return false;
        }
        self.filled.clear();
        self.filled.resize(n + 2, 0.0);
        self.empty.clear();
        self.empty.resize(n + 1, 0.0);
        for j in 0..=blocks {
            for i in 0..=n {
                let before = self.before[j * stride + i];
                if before == 0.0 {
                    continue;
                }
                self.empty[i] += before * unlikely(i) * self.after[j * stride + i + 1];
                if j < blocks {
                    let weight = before * self.starting(j, i, lengths);
                    if weight > 0.0 {
                        let end = i + usize::from(lengths[j]);
                        self.filled[i] += weight;
                        self.filled[end] -= weight;
                        self.empty[end] += weight;
                    }
                }
            }
        }
        // So far each block's weight stands where it begins and, taken off, where it ends.
        for i in 1..n {
            self.filled[i] += self.filled[i - 1];
        }
        true
    }

    /// Weight of all ways to lay blocks `j..` that begin exactly at cell `i`.
    fn starting(&self, j: usize, i: usize, lengths: &[u16]) -> f64 {
        let next = i + usize::from(lengths[j]) + 1;
        match self.laid[j * self.stride + i] {
            0.0 => 0.0,
            laid => laid * self.after[(j + 1) * self.stride + next],
        }
    }

    /// How likely it is that the line is an arrangement of its clue, when each cell is filled by itself.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// What the line says of a cell, besides what was said before: the logarithm of the odds that it is filled.
    pub fn log_odds(&self, i: usize, likely: f64) -> f64 {
        // Rounding must not make anything impossible.
        let share = |weight: f64| (weight / self.total).max(1e-13);
        (share(self.filled[i]) / likely).ln() - (share(self.empty[i]) / (1.0 - likely)).ln()
    }

    /// How likely block `j` is to start at cell `i`.
    pub fn start(&self, j: usize, i: usize, lengths: &[u16]) -> f64 {
        self.before[j * self.stride + i] * self.starting(j, i, lengths) / self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::Arrangements;
    use crate::puzzle::Clue;

    #[test]
    fn sums_are_those_over_all_arrangements() {
        let likely = [0.3, 0.5, 1.0, 0.2, 0.9, 0.5, 0.7, 0.0, 0.4, 0.6];
        let known: Vec<Option<bool>> = likely
            .iter()
            .map(|&p| (p == 1.0).then_some(true).or((p == 0.0).then_some(false)))
            .collect();
        for clue in [&[2, 1, 1][..], &[1], &[3, 1], &[5, 1], &[1, 1, 1, 1]] {
            let lengths: Vec<u16> = clue.iter().map(|&length| length as u16).collect();
            let clue = Clue::new(clue.iter().copied()).unwrap();
            let mut sums = Marginals::default();
            assert!(sums.sum(&lengths, &likely));
            let mut total = 0.0;
            let mut filled = vec![0.0; likely.len()];
            let mut starts = vec![vec![0.0; likely.len()]; lengths.len()];
            for arrangement in Arrangements::new(&clue, &known) {
                let mut cells = vec![false; likely.len()];
                for (&start, length) in arrangement.iter().zip(clue.lengths()) {
                    cells[start..start + length].fill(true);
                }
                let weight: f64 = (0..likely.len())
                    .map(|i| if cells[i] { likely[i] } else { 1.0 - likely[i] })
                    .product();
                total += weight;
                for (starts, &start) in starts.iter_mut().zip(&arrangement) {
                    starts[start] += weight;
                }
                for (filled, _) in filled.iter_mut().zip(&cells).filter(|(_, cell)| **cell) {
                    *filled += weight;
                }
            }
            let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            assert!(near(sums.total(), total));
            for i in 0..likely.len() {
                if known[i].is_none() && filled[i] > 0.0 && filled[i] < total {
                    let prior = (likely[i] / (1.0 - likely[i])).ln();
                    let log_odds = (filled[i] / (total - filled[i])).ln() - prior;
                    assert!(near(sums.log_odds(i, likely[i]), log_odds), "{clue} {i}");
                }
                for (j, starts) in starts.iter().enumerate() {
                    assert!(
                        near(sums.start(j, i, &lengths), starts[i] / total),
                        "{clue} {j} {i}"
                    );
                }
            }
        }
        assert!(!Marginals::default().sum(&[9], &likely));
    }
}
