//! One dive on its way, and how the dives of a crew are drawn again.

use std::rc::Rc;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use super::scaled::Scaled;
use super::steps::Steps;
use crate::belief::Beliefs;
use crate::board::{Board, Cell, LineSet};
use crate::line::{Known, Word};
use crate::puzzle::Grid;

/// Share of the places that are drawn by lot among all dives that live, whatever they are worth: how many fillings their rests have may
/// be told wrong, and no dive whose rest is underestimated must have hardly any chance to be drawn, and a huge weight when it is
/// (a defensive mixture: Hesterberg, "Weighted average importance sampling and defensive mixture distributions", 1995).
const LOT: f64 = 0.1;

/// One dive on its way.
#[derive(Clone, Debug)]
pub(super) struct Particle<'p, W> {
    pub(super) rows: Box<[Known<W>]>,
    pub(super) beliefs: Beliefs<'p>,
    /// Lines in which something has become known since they last spoke.
    pub(super) stale: Box<[bool]>,
    pub(super) weight: Scaled,
    /// About how many fillings its rest has, as a natural logarithm.
    pub(super) rest: f64,
    /// Fillings that it ended in, once it has.
    pub(super) ended: Option<u64>,
    /// The decisions that it has come by, and a solution in which they hold, if the oracle has told one.
    pub(super) path: Vec<(Cell, bool)>,
    pub(super) within: Option<Rc<Grid>>,
}

impl<W: Word> Particle<'_, W> {
    /// Lets a line speak in which something has become known since it last did. `None` when the steps end.
    pub(super) fn say(&mut self, line: usize, steps: &Steps<'_>) -> Option<()> {
        if std::mem::take(&mut self.stale[line]) {
            if steps.stop() {
                return None;
            }
            self.beliefs.say(line);
        }
        Some(())
    }

    /// Lets these lines speak, and notes about how many fillings they leave, if anything has become known. `None` when the steps end.
    pub(super) fn look_ahead(&mut self, lines: &[usize], steps: &Steps<'_>) -> Option<()> {
        if self.ended.is_some() {
            self.rest = 0.0;
            return Some(());
        }
        if !self.stale.contains(&true) {
            return Some(());
        }
        let count = (self.beliefs).log_count(lines.iter().copied(), || steps.stop());
        if steps.stop() {
            return None;
        }
        for &line in lines {
            self.stale[line] = false;
        }
        // Where a line cannot tell, what was told last has to do.
        if let Some(count) = count.filter(|count| count.is_finite()) {
            self.rest = count;
        }
        Some(())
    }

    /// There is nothing here.
    pub(super) fn die(&mut self) {
        self.weight = Scaled::ZERO;
        self.ended = Some(0);
    }

    /// What it is worth as far as can be told.
    pub(super) fn worth(&self) -> Scaled {
        self.weight * Scaled::exp(self.rest)
    }

    /// Passes on to the beliefs what has become known in these lines.
    pub(super) fn see(&mut self, board: &Board<'_, W>, changed: LineSet) {
        let (height, width) = (board.clues().height(), board.clues().width());
        let has = |set: u64, line: usize| set >> (line % 64) & 1 == 1;
        for row in (0..height).filter(|&row| has(changed.rows, row)) {
            self.stale[row] = true;
            for column in 0..width {
                let known = board.known(Cell::new(row, column));
                self.beliefs.note(row, column, known);
            }
        }
        for column in (0..width).filter(|&column| has(changed.columns, column)) {
            self.stale[height + column] = true;
        }
    }
}

/// Gives every dive as many of the `size` places as it is worth, and weights to match, if the dives are worth too different things, or are
/// more than there are places.
pub(super) fn draw_again<W: Word>(
    population: &mut Vec<Particle<'_, W>>,
    size: usize,
    random: &mut Xoshiro256PlusPlus,
) {
    let sum: Scaled = population.iter().map(Particle::worth).sum();
    if sum.is_zero() {
        return;
    }
    let all = size;
    let size = all as f64;
    let shares = population
        .iter()
        .map(|particle| (particle.worth() / sum).to_f64());
    let mut shares: Vec<f64> = shares.collect();
    // As many dives of one worth would do as well.
    let effective = 1.0 / shares.iter().map(|share| share * share).sum::<f64>();
    if effective > size / 2.0 && population.len() <= all {
        return;
    }
    let living = population
        .iter()
        .filter(|particle| !particle.weight.is_zero())
        .count() as f64;
    for (share, particle) in shares.iter_mut().zip(population.iter()) {
        if !particle.weight.is_zero() {
            *share = (1.0 - LOT) * *share + LOT / living;
        }
    }
    // One random number for all: each dive gets its share of the places, rounded up or down.
    let offset = uniform(random);
    let mut places = Vec::with_capacity(all);
    let mut reached = 0.0;
    for (i, share) in shares.iter().enumerate() {
        reached += share * size;
        while places.len() < all && places.len() as f64 + offset < reached {
            places.push(i);
        }
    }
    // Rounding may have kept the sum of the shares below 1.
    let last = shares.iter().rposition(|&share| share > 0.0).unwrap_or(0);
    places.resize(all, last);
    for (particle, share) in population.iter_mut().zip(&shares) {
        if *share > 0.0 {
            particle.weight = particle.weight / Scaled::from(share * size);
        }
    }
    // Who has a place keeps it; the second and further ones go to where somebody has none.
    let mut has = vec![false; population.len()];
    let mut further = Vec::new();
    for i in places {
        if std::mem::replace(&mut has[i], true) {
            further.push(i);
        }
    }
    let mut further = further.into_iter();
    let free: Vec<usize> = (0..population.len()).filter(|&i| !has[i]).collect();
    for (to, from) in free.into_iter().zip(&mut further) {
        population[to] = population[from].clone();
        has[to] = true;
    }
    population.extend(
        further
            .map(|from| population[from].clone())
            .collect::<Vec<_>>(),
    );
    has.resize(population.len(), true);
    let mut has = has.into_iter();
    population.retain(|_| has.next() == Some(true));
}

/// A random number from 0 to below 1.
pub(super) fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    // 53 bits are what the mantissa of a number below 1 holds.
    (random.next_u64() >> 11) as f64 * 2f64.powi(-53)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Clues;
    use crate::puzzle::{Clue, Puzzle};
    use rand_xoshiro::rand_core::SeedableRng;

    /// What all dives of a crew weigh together stays what it was in the mean, however wrong their rests are told.
    #[test]
    fn drawing_again_leaves_the_mean() {
        let one = Puzzle::new(vec![Clue::new([1]).unwrap()], vec![Clue::new([1]).unwrap()]);
        let clues = Clues::new(&one.unwrap());
        let weights = [1.0, 8.0, 0.0, 2.0, 100.0, 1.0, 0.5, 3.0];
        let rests = [0.0, 3.0, 0.0, -2.0, -6.0, 1.0, 5.0, 0.0];
        let population = weights.iter().zip(rests).map(|(&weight, rest)| Particle {
            rows: vec![Known::<u64>::NOTHING].into(),
            beliefs: Beliefs::new(&clues),
            stale: vec![false; 2].into(),
            weight: Scaled::from(weight),
            rest: if weight > 0.0 { rest } else { 0.0 },
            ended: None,
            path: Vec::new(),
            within: None,
        });
        let population: Vec<_> = population.collect();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let truth: f64 = weights.iter().sum();
        // As many places as dives, or fewer, or more.
        for places in [8, 5, 12] {
            let (mut sum, runs) = (0.0, 20_000);
            for _ in 0..runs {
                let mut drawn = population.clone();
                draw_again(&mut drawn, places, &mut random);
                assert_eq!(drawn.len(), places);
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
