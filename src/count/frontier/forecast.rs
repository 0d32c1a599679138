//! Forecasts how many combinations a sweep will read and generate.

use super::allowance::SweepEnd;
use super::key::{Key, PathCount};
use super::{AlongLine, End, Front, Sweep, next_line};

/// The number of combinations approaches about this power of the product of the numbers of states of the lines across: 0.58 to 0.70 in the
/// last layers of twenty sweeps of random 15x15 puzzles.
const SATURATION: f64 = 0.6;

/// Combinations that are read or generated for each one of a new layer, and for each one of the last two layers when they meet.
const GENERATED_PER_COMBINATION: f64 = 3.0;
const GENERATED_AT_MEETING: f64 = 8.0;

/// The growth of a frontier.
#[derive(Debug)]
struct Growth {
    /// For each line across, the number of its cells behind the frontier.
    depths: Vec<usize>,
    /// The logarithm of the number of combinations, and by how much a line increases it.
    log_len: f64,
    log_growth: f64,
    /// The number of combinations is at most this power of the product of the numbers of states.
    saturation: f64,
}

impl Sweep {
    /// Forecast of the combinations that the sweep reads and generates from here on, with these lines between the frontiers.
    ///
    /// Each line is assumed to multiply the combinations of a frontier as the lines that it has passed have done on average. But merging
    /// slows this growth down: there are at most as many combinations as the product of the numbers of states of the lines across, and
    /// frontiers are found to reach about the same root of it. See [`SATURATION`].
    ///
    /// O(lines along * lines across).
    pub(super) fn forecast<K: Key, N: PathCount>(
        &self,
        near: &Front<'_, K, N>,
        far: &Front<'_, K, N>,
        lines: &[AlongLine],
    ) -> f64 {
        let mut near = self.growth(near);
        let mut far = self.growth(far);
        let mut lines = lines;
        let mut total = 0.0;
        while lines.len() > 1 {
            let (end, line, left) = next_line(lines, near.log_len <= far.log_len);
            let front = match end {
                End::Near => &mut near,
                End::Far => &mut far,
            };
            line.crossings.iter().for_each(|&i| front.depths[i] += 1);
            let possible = self.log_possible(end, &front.depths);
            let grown = front.log_len + front.log_growth;
            front.log_len = grown.min(front.saturation * possible);
            total += front.log_len.exp();
            lines = left;
        }
        let layers = near.log_len.exp() + far.log_len.exp();
        GENERATED_PER_COMBINATION * total + GENERATED_AT_MEETING * layers
    }

    /// Adds the forecast to the work in [`SweepEnd::Spent`]; `lines` are those between the frontiers.
    pub(super) fn with_forecast<K: Key, N: PathCount>(
        &self,
        near: &Front<'_, K, N>,
        far: &Front<'_, K, N>,
        lines: &[AlongLine],
        end: SweepEnd,
    ) -> SweepEnd {
        match end {
            SweepEnd::Spent(spent) => {
                let rest = K::COMBINATION_NS as f64 * self.forecast(near, far, lines);
                SweepEnd::Spent(spent + rest)
            }
            _ => end,
        }
    }

    /// The growth of a frontier so far.
    fn growth<K: Key, N: PathCount>(&self, front: &Front<'_, K, N>) -> Growth {
        let log_len = (front.len as f64).ln();
        let possible = self.log_possible(front.end, &front.depths);
        Growth {
            depths: front.depths.clone(),
            log_len,
            log_growth: match front.passed {
                0 => f64::INFINITY,
                passed => log_len / passed as f64,
            },
            saturation: (log_len / possible.max(1.0)).max(SATURATION),
        }
    }

    /// The logarithm of the product of the numbers of states of the lines across, at these depths from this end.
    fn log_possible(&self, end: End, depths: &[usize]) -> f64 {
        let states = depths
            .iter()
            .enumerate()
            .map(|(i, &depth)| self.automaton(end, i).states(depth));
        states.map(|states| (states as f64).ln()).sum()
    }
}
