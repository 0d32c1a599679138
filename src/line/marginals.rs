//! Marginals of a line: the probability of each cell to be filled, over all arrangements of the clue, given independent prior probabilities
//! of the cells.
//!
//! Computed by the forward-backward algorithm, as for a hidden Markov model (Rabiner, "A tutorial on hidden Markov models", Proceedings of
//! the IEEE 77, 1989).

/// The sums of the last line; the memory is reused from line to line.
#[derive(Clone, Debug, Default)]
pub struct Marginals {
    /// `before[j][i]`: total weight of the placements of the first `j` blocks in cells `0..i`, an empty cell after the last one included.
    before: Vec<f64>,
    /// `after[j][i]`: total weight of the placements of blocks `j..` in cells `i..`.
    after: Vec<f64>,
    /// `block_weights[j][i]`: weight of block `j` in cells `i..` and of the empty cell after it.
    block_weights: Vec<f64>,
    /// For each cell, the total weight of the arrangements in which it is filled, and in which it is empty.
    filled: Vec<f64>,
    empty: Vec<f64>,
    total: f64,
    stride: usize,
}

/// Minimum total weight; a smaller one is treated as 0.
const MIN_TOTAL_WEIGHT: f64 = 1e-280;

impl Marginals {
    /// Computes the sums of a line. `priors` is the prior probability of each cell to be filled, from all evidence but this line; 1 and 0
    /// are certain. Returns `false`, and the sums are invalid, if no arrangement fits, or if the total weight is too small.
    ///
    /// O(n m) for `n` cells, `m` of which are filled by the clue.
    pub fn sum(&mut self, lengths: &[u16], priors: &[f64]) -> bool {
        let (n, blocks) = (priors.len(), lengths.len());
        // Cell n is a virtual empty cell at the end.
        self.stride = n + 2;
        let stride = self.stride;
        let prior_empty = |i: usize| if i < n { 1.0 - priors[i] } else { 1.0 };
        for (sums, rows) in [
            (&mut self.before, blocks + 1),
            (&mut self.after, blocks + 1),
            (&mut self.block_weights, blocks),
        ] {
            sums.clear();
            sums.resize(rows * stride, 0.0);
        }
        for (j, &length) in lengths.iter().enumerate() {
            let length = usize::from(length);
            for start in 0..(n + 1).saturating_sub(length) {
                let cells = &priors[start..start + length];
                self.block_weights[j * stride + start] =
                    cells.iter().product::<f64>() * prior_empty(start + length);
            }
        }
        self.before[0] = 1.0;
        for j in 0..=blocks {
            for i in 0..n {
                let mut sum = self.before[j * stride + i];
                if i > 0 {
                    sum += self.before[j * stride + i - 1] * prior_empty(i - 1);
                }
                if j > 0
                    && let Some(start) = i.checked_sub(usize::from(lengths[j - 1]) + 1)
                {
                    let at = (j - 1) * stride + start;
                    sum += self.before[at] * self.block_weights[at];
                }
                self.before[j * stride + i] = sum;
            }
        }
        self.after[blocks * stride + n + 1] = 1.0;
        for j in (0..=blocks).rev() {
            for i in (0..=n).rev() {
                let mut sum = self.after[j * stride + i + 1] * prior_empty(i);
                if j < blocks {
                    sum += self.weight_from(j, i, lengths);
                }
                self.after[j * stride + i] = sum;
            }
        }
        self.total = self.after[0];
        if self.total.is_nan() || self.total < MIN_TOTAL_WEIGHT {
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
                self.empty[i] += before * prior_empty(i) * self.after[j * stride + i + 1];
                if j < blocks {
                    let weight = before * self.weight_from(j, i, lengths);
                    if weight > 0.0 {
                        let end = i + usize::from(lengths[j]);
                        self.filled[i] += weight;
                        self.filled[end] -= weight;
                        self.empty[end] += weight;
                    }
                }
            }
        }
        // So far the weight of each block is added at its start and subtracted at its end; the prefix sum gives the cells.
        for i in 1..n {
            self.filled[i] += self.filled[i - 1];
        }
        true
    }

    /// Total weight of the placements of blocks `j..` with block `j` at cell `i`.
    fn weight_from(&self, j: usize, i: usize, lengths: &[u16]) -> f64 {
        let next = i + usize::from(lengths[j]) + 1;
        match self.block_weights[j * self.stride + i] {
            0.0 => 0.0,
            weight => weight * self.after[(j + 1) * self.stride + next],
        }
    }

    /// The probability that the line is an arrangement of its clue, if each cell is filled independently with its prior.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// The evidence of the line on a cell, without its prior: the change of its log odds to be filled.
    pub fn log_odds(&self, i: usize, prior: f64) -> f64 {
        // Rounding must not make anything impossible.
        let share = |weight: f64| (weight / self.total).max(1e-13);
        (share(self.filled[i]) / prior).ln() - (share(self.empty[i]) / (1.0 - prior)).ln()
    }

    /// The probability that block `j` starts at cell `i`.
    pub fn start(&self, j: usize, i: usize, lengths: &[u16]) -> f64 {
        self.before[j * self.stride + i] * self.weight_from(j, i, lengths) / self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::line::Arrangements;
    use crate::puzzle::Clue;

    #[test]
    fn marginals_equal_those_over_all_arrangements() {
        let priors = [0.3, 0.5, 1.0, 0.2, 0.9, 0.5, 0.7, 0.0, 0.4, 0.6];
        let known: Vec<Option<bool>> = priors
            .iter()
            .map(|&p| (p == 1.0).then_some(true).or((p == 0.0).then_some(false)))
            .collect();
        for clue in [&[2, 1, 1][..], &[1], &[3, 1], &[5, 1], &[1, 1, 1, 1]] {
            let lengths: Vec<u16> = clue.iter().map(|&length| length as u16).collect();
            let clue = Clue::new(clue.iter().copied()).unwrap();
            let mut sums = Marginals::default();
            assert!(sums.sum(&lengths, &priors));
            let mut total = 0.0;
            let mut filled = vec![0.0; priors.len()];
            let mut starts = vec![vec![0.0; priors.len()]; lengths.len()];
            for arrangement in Arrangements::new(&clue, &known) {
                let mut cells = vec![false; priors.len()];
                for (&start, length) in arrangement.iter().zip(clue.lengths()) {
                    cells[start..start + length].fill(true);
                }
                let weight: f64 = (0..priors.len())
                    .map(|i| if cells[i] { priors[i] } else { 1.0 - priors[i] })
                    .product();
                total += weight;
                for (starts, &start) in starts.iter_mut().zip(&arrangement) {
                    starts[start] += weight;
                }
                for (filled, _) in filled.iter_mut().zip(&cells).filter(|(_, cell)| **cell) {
                    *filled += weight;
                }
            }
            let is_near = |a: f64, b: f64| (a - b).abs() < 1e-9;
            assert!(is_near(sums.total(), total));
            for i in 0..priors.len() {
                if known[i].is_none() && filled[i] > 0.0 && filled[i] < total {
                    let prior = (priors[i] / (1.0 - priors[i])).ln();
                    let log_odds = (filled[i] / (total - filled[i])).ln() - prior;
                    assert!(is_near(sums.log_odds(i, priors[i]), log_odds), "{clue} {i}");
                }
                for (j, starts) in starts.iter().enumerate() {
                    assert!(
                        is_near(sums.start(j, i, &lengths), starts[i] / total),
                        "{clue} {j} {i}"
                    );
                }
            }
        }
        assert!(!Marginals::default().sum(&[9], &priors));
    }
}
