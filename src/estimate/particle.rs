//! A particle (one random descent), and the resampling of a population.

use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use super::budget::Budget;
use super::scaled::Scaled;
use crate::belief::Beliefs;
use crate::board::Board;
use crate::line::{Known, Word};
use crate::puzzle::{Cell, Grid};

/// Share of the slots that are distributed evenly among all living particles, whatever their value. The estimates of remaining fillings may
/// be wrong. Without this share, a particle with far too low an estimate would be drawn very rarely, and would then have a huge weight (a
/// defensive mixture: Hesterberg, "Weighted average importance sampling and defensive mixture distributions", 1995).
const DEFENSIVE_SHARE: f64 = 0.1;

/// The present state of one random descent through the search tree.
#[derive(Clone, Debug)]
pub(super) struct Particle<'p, W> {
    pub(super) rows: Box<[Known<W>]>,
    pub(super) beliefs: Beliefs<'p>,
    /// For each line, whether cells have been decided since its last message.
    pub(super) stale: Box<[bool]>,
    pub(super) weight: Scaled,
    /// Natural logarithm of the estimated number of fillings of the remaining cells.
    pub(super) log_remaining: f64,
    /// The exact number of fillings of the remaining cells, once the descent has ended; 0 for a dead particle.
    pub(super) final_count: Option<u64>,
    /// The decisions of the descent, and a solution that agrees with them, if one is known.
    pub(super) path: Vec<(Cell, bool)>,
    pub(super) solution: Option<Arc<Grid>>,
}

impl<W: Word> Particle<'_, W> {
    /// Updates the messages of a line if they are stale. `None` if the budget ends.
    pub(super) fn update_line(&mut self, line: usize, budget: &Budget<'_>) -> Option<()> {
        if std::mem::take(&mut self.stale[line]) {
            if budget.must_stop() {
                return None;
            }
            self.beliefs.update_line(line);
        }
        Some(())
    }

    /// Updates the messages of these lines, and the estimate of remaining fillings, if any are stale. `None` if the budget ends.
    pub(super) fn update_estimate(&mut self, lines: &[usize], budget: &Budget<'_>) -> Option<()> {
        if self.final_count.is_some() {
            self.log_remaining = 0.0;
            return Some(());
        }
        if !self.stale.contains(&true) {
            return Some(());
        }
        let count = (self.beliefs).log_count(lines.iter().copied(), || budget.must_stop());
        if budget.must_stop() {
            return None;
        }
        for &line in lines {
            self.stale[line] = false;
        }
        // If there is no finite estimate, keep the last one.
        if let Some(count) = count.filter(|count| count.is_finite()) {
            self.log_remaining = count;
        }
        Some(())
    }

    /// Marks the particle as dead, because its remaining cells have no filling.
    pub(super) fn kill(&mut self) {
        self.weight = Scaled::ZERO;
        self.final_count = Some(0);
    }

    /// The estimated value: the weight times the estimated number of remaining fillings.
    pub(super) fn value(&self) -> Scaled {
        self.weight * Scaled::exp(self.log_remaining)
    }

    /// Passes the known cells of the lines that have changed on the board to the beliefs.
    pub(super) fn record_changes(&mut self, board: &mut Board<'_, W>) {
        let clues = board.clues();
        for line in board.take_changed().lines::<W>(clues) {
            self.stale[line] = true;
            if line < clues.height() {
                for column in 0..clues.width() {
                    let known = board.known(Cell::new(line, column));
                    self.beliefs.note(line, column, known);
                }
            }
        }
    }
}

/// Resamples a population to `size` particles, each copied in proportion to its value, with weights adjusted to match, unless the values
/// are even enough and there are at most `size` particles.
pub(super) fn resample<W: Word>(
    population: &mut Vec<Particle<'_, W>>,
    size: usize,
    random: &mut Xoshiro256PlusPlus,
) {
    let sum: Scaled = population.iter().map(Particle::value).sum();
    if sum.is_zero() {
        return;
    }
    let (slot_count, size) = (size, size as f64);
    let shares = population.iter().map(|own| (own.value() / sum).to_f64());
    let mut shares: Vec<f64> = shares.collect();
    // The effective sample size: this many particles of equal value would do as well.
    let effective = 1.0 / shares.iter().map(|share| share * share).sum::<f64>();
    if effective > size / 2.0 && population.len() <= slot_count {
        return;
    }
    let is_living = |particle: &&Particle<'_, W>| !particle.weight.is_zero();
    let living = population.iter().filter(is_living).count() as f64;
    for (share, particle) in shares.iter_mut().zip(population.iter()) {
        if is_living(&particle) {
            *share = (1.0 - DEFENSIVE_SHARE) * *share + DEFENSIVE_SHARE / living;
        }
    }
    // Systematic resampling, with one random number: each particle gets its share of the slots, rounded up or down.
    let offset = uniform(random);
    let mut slots = Vec::with_capacity(slot_count);
    let mut cumulative = 0.0;
    for (i, share) in shares.iter().enumerate() {
        cumulative += share * size;
        while slots.len() < slot_count && slots.len() as f64 + offset < cumulative {
            slots.push(i);
        }
    }
    // Rounding errors may leave the sum of the shares below 1.
    let last = shares.iter().rposition(|&share| share > 0.0).unwrap_or(0);
    slots.resize(slot_count, last);
    for (particle, share) in population.iter_mut().zip(&shares) {
        if *share > 0.0 {
            particle.weight = particle.weight / Scaled::from(share * size);
        }
    }
    // A drawn particle stays in place; further copies overwrite particles that were not drawn.
    let mut is_drawn = vec![false; population.len()];
    let mut duplicates = Vec::new();
    for i in slots {
        if std::mem::replace(&mut is_drawn[i], true) {
            duplicates.push(i);
        }
    }
    let mut duplicates = duplicates.into_iter();
    let free: Vec<usize> = (0..population.len()).filter(|&i| !is_drawn[i]).collect();
    for (to, from) in free.into_iter().zip(&mut duplicates) {
        population[to] = population[from].clone();
        is_drawn[to] = true;
    }
    for from in duplicates {
        population.push(population[from].clone());
    }
    is_drawn.resize(population.len(), true);
    let mut is_drawn = is_drawn.into_iter();
    population.retain(|_| is_drawn.next() == Some(true));
}

/// A uniform random number in [0, 1).
pub(super) fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    // 53 bits fit into the mantissa.
    (random.next_u64() >> 11) as f64 * 2f64.powi(-53)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Clues;
    use crate::puzzle::{Clue, Puzzle};
    use rand_xoshiro::rand_core::SeedableRng;

    /// The expected total weight of a population is unchanged, however wrong the estimates of remaining fillings.
    #[test]
    fn resampling_keeps_the_expected_total_weight() {
        let one = Puzzle::new(vec![Clue::new([1]).unwrap()], vec![Clue::new([1]).unwrap()]);
        let clues = Clues::new(&one.unwrap());
        let weights = [1.0, 8.0, 0.0, 2.0, 100.0, 1.0, 0.5, 3.0];
        let log_remainings = [0.0, 3.0, 0.0, -2.0, -6.0, 1.0, 5.0, 0.0];
        let population = weights
            .iter()
            .zip(log_remainings)
            .map(|(&weight, log_remaining)| Particle {
                rows: vec![Known::<u64>::NOTHING].into(),
                beliefs: Beliefs::new(&clues),
                stale: vec![false; 2].into(),
                weight: Scaled::from(weight),
                log_remaining: if weight > 0.0 { log_remaining } else { 0.0 },
                final_count: None,
                path: Vec::new(),
                solution: None,
            });
        let population: Vec<_> = population.collect();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let truth: f64 = weights.iter().sum();
        // As many slots as particles, or fewer, or more.
        for slots in [8, 5, 12] {
            let (mut sum, runs) = (0.0, 20_000);
            for _ in 0..runs {
                let mut drawn = population.clone();
                resample(&mut drawn, slots, &mut random);
                assert_eq!(drawn.len(), slots);
                assert!(drawn.iter().all(|particle| !particle.weight.is_zero()));
                sum += drawn
                    .iter()
                    .map(|particle| particle.weight.to_f64())
                    .sum::<f64>();
            }
            let mean = sum / f64::from(runs);
            assert!((mean / truth - 1.0).abs() < 0.02, "{mean} is not {truth}");
        }
    }
}
