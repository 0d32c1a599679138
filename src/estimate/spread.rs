//! What the crews of a region came to, how far their mean may be off, and whether that can be told.
//!
//! What a crew is worth has a heavy tail: most crews are a little too low, and now and then one is far too high, so that a few that
//! happen to agree say nothing of those that have not come yet. But the logarithm of what it is worth is near a normal distribution
//! (Bérard, Del Moral and Doucet, "A lognormal central limit theorem for particle approximations of normalizing constants", 2014), and
//! the lower half of that shows already how far the upper one must reach. So the spread of the crews is judged both ways, by
//! what they are worth and by its logarithm, and the greater of the two counts; with few crews it is taken wider, as Student's t
//! does. Where that is wide, the mean hangs on few crews, of which there would have to be many more (Chatterjee and Diaconis, "The
//! sample size required in importance sampling", 2018), and it is not to be trusted.

use super::scaled::Scaled;

/// Most crews that are kept apart. Beyond that they are put together in pairs, which are crews too.
const MOST: usize = 1024;

/// Fewest crews, as good as equally large, whose spread says anything.
const FEWEST: f64 = 8.0;

/// The greatest share that the mean may be off by, in one standard error, and still be trusted.
const GREATEST: f64 = 0.25;

/// How many of their standard errors the crews that went up and those that went down may lie apart.
const APART: f64 = 3.0;

/// The part of a normal distribution within two standard deviations ends here.
const NORMAL: f64 = 1.96;

/// Why an estimate is not to be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Doubt {
    /// Too few crews of dives for their spread to be told.
    Few,
    /// Few crews carry most of the number.
    Heavy,
    /// Crews that go down from the first line and crews that go up from the last one find different numbers.
    Apart,
    /// Nearly all dives die.
    Dying,
    /// No crew found any solution.
    Nothing,
}

impl std::fmt::Display for Doubt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Doubt::Few => "too few dives to tell how far this may be off",
            Doubt::Heavy => "a few of the dives carry the number, and it may be off by any factor",
            Doubt::Apart => {
                "dives from opposite sides differ, and the number may be off by any factor"
            }
            Doubt::Dying => {
                "nearly all dives die, and there may be far more solutions than those they meet"
            }
            Doubt::Nothing => "no solution was found",
        })
    }
}

/// One crew, or several put together.
#[derive(Clone, Copy, Debug)]
struct Population {
    dives: f64,
    worth: Scaled,
    upwards: bool,
}

/// The crews of one region.
#[derive(Clone, Debug, Default)]
pub(super) struct Populations {
    populations: Vec<Population>,
}

impl Populations {
    pub(super) fn add(&mut self, dives: usize, worth: Scaled, upwards: bool) {
        let dives = dives as f64;
        self.populations.push(Population {
            dives,
            worth,
            upwards,
        });
        if self.populations.len() >= MOST {
            self.pair();
        }
    }

    /// The mean over all dives; `None` without any.
    pub(super) fn mean(&self) -> Option<Scaled> {
        mean(self.populations.iter())
    }

    /// Square of the standard error of the mean, as a share of the square of the mean; `None` with fewer than two crews, or when
    /// they found nothing.
    pub(super) fn spread(&self) -> Option<f64> {
        judge(&self.populations)
    }

    /// Why the mean is not to be trusted, or its spread is not.
    pub(super) fn doubt(&self) -> Option<Doubt> {
        if self.mean().is_some_and(Scaled::is_zero) {
            return Some(Doubt::Nothing);
        }
        let Some(spread) = self.spread().filter(|_| count(&self.populations) >= FEWEST) else {
            return Some(Doubt::Few);
        };
        if too_wide(spread) {
            return Some(Doubt::Heavy);
        }
        let side = |upwards| -> Option<(f64, f64)> {
            let side = |population: &&Population| population.upwards == upwards;
            let populations: Vec<Population> =
                self.populations.iter().filter(side).copied().collect();
            let share = (mean(populations.iter())? / self.mean()?).to_f64();
            // A side that found nothing is as far off as it can be, and says so by the spread of all.
            Some((share, share * share * judge(&populations).unwrap_or(0.0)))
        };
        let (up, down) = (side(true)?, side(false)?);
        let apart = (up.0 - down.0).powi(2) > APART * APART * (up.1 + down.1) + 1e-12;
        apart.then_some(Doubt::Apart)
    }

    /// Puts every two crews that went the same way together.
    fn pair(&mut self) {
        let sides = [false, true].map(|upwards| {
            let side = self
                .populations
                .iter()
                .filter(|population| population.upwards == upwards);
            side.copied().collect::<Vec<Population>>()
        });
        self.populations.clear();
        for side in &sides {
            self.populations
                .extend(side.chunks(2).map(|pair| Population {
                    dives: pair.iter().map(|population| population.dives).sum(),
                    worth: mean(pair.iter()).unwrap_or(Scaled::ZERO),
                    upwards: pair[0].upwards,
                }));
        }
    }
}

/// Is a spread, a square of a share, too wide for a mean to be trusted?
pub(super) fn too_wide(spread: f64) -> bool {
    spread > GREATEST * GREATEST
}

/// The mean over the dives of these crews: each is weighed by its dives, of which chance has no say.
fn mean<'a>(populations: impl Iterator<Item = &'a Population> + Clone) -> Option<Scaled> {
    let dives: f64 = populations.clone().map(|population| population.dives).sum();
    let sum: Scaled = populations
        .map(|population| population.worth * Scaled::from(population.dives))
        .sum();
    (dives > 0.0).then(|| sum / Scaled::from(dives))
}

/// How many crews of equal size would tell as much of the spread as these do.
fn count(populations: &[Population]) -> f64 {
    let dives: f64 = populations.iter().map(|population| population.dives).sum();
    let squares: f64 = populations
        .iter()
        .map(|population| population.dives * population.dives)
        .sum();
    dives * dives / squares.max(1.0)
}

/// The spread of the mean of these crews, as in [`Populations::spread`].
fn judge(populations: &[Population]) -> Option<f64> {
    let mean = mean(populations.iter()).filter(|mean| !mean.is_zero())?;
    let count = count(populations);
    if populations.len() < 2 {
        return None;
    }
    let dives: f64 = populations.iter().map(|population| population.dives).sum();
    let free = count - 1.0;
    // By what the crews are worth.
    let squares = populations.iter().map(|population| {
        let off = (population.worth / mean).to_f64() - 1.0;
        (population.dives / dives * off).powi(2)
    });
    let plain = squares.sum::<f64>() * count / free;
    // By the logarithm of that, and by how many are worth anything.
    let living = populations
        .iter()
        .filter(|population| !population.worth.is_zero());
    let living: Vec<(f64, f64)> = living
        .map(|population| (population.dives / dives, (population.worth / mean).ln()))
        .collect();
    let share: f64 = living.iter().map(|(weight, _)| weight).sum();
    let middle = living.iter().map(|(weight, log)| weight * log).sum::<f64>() / share;
    let variance = living
        .iter()
        .map(|(weight, log)| weight * (log - middle).powi(2))
        .sum::<f64>()
        / share
        * count
        / free;
    let normal = (variance.exp() / share - 1.0) / count;
    let spread = plain.max(normal) * student(free).powi(2);
    // Less than this is rounding.
    Some(if spread < 1e-14 { 0.0 } else { spread })
}

/// The factor by which the interval that holds 95 % of Student's t with `free` degrees of freedom is wider than that of a normal
/// distribution (Abramowitz and Stegun, "Handbook of mathematical functions", 26.7.5).
fn student(free: f64) -> f64 {
    let square = NORMAL * NORMAL;
    1.0 + (square + 1.0) / (4.0 * free)
        + (5.0 * square * square + 16.0 * square + 3.0) / (96.0 * free * free)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn populations(worths: impl IntoIterator<Item = f64>) -> Populations {
        let mut populations = Populations::default();
        for (i, worth) in worths.into_iter().enumerate() {
            populations.add(8, Scaled::from(worth), i % 2 == 1);
        }
        populations
    }

    #[test]
    fn crews_that_agree_have_no_error() {
        let populations = populations([5.0; 20]);
        assert_eq!(populations.mean().unwrap().to_f64(), 5.0);
        assert_eq!(
            (populations.spread(), populations.doubt()),
            (Some(0.0), None)
        );
    }

    #[test]
    fn a_narrow_spread_is_that_of_the_mean() {
        // Variance 1 about 100, and 100 crews: a standard error of a thousandth.
        let populations = populations((0..100).map(|i| if i / 2 % 2 == 0 { 99.0 } else { 101.0 }));
        let error = populations.spread().unwrap().sqrt();
        assert!((error - 0.001).abs() < 2e-5, "{error}");
        assert_eq!(populations.doubt(), None);
    }

    /// A lognormal sample whose upper tail has not come: the spread of what there is tells half of the error.
    #[test]
    fn a_tail_that_has_not_come_yet_is_seen_by_the_logarithms() {
        let logs = (0..20).map(|i| f64::from(i / 2) * 0.5 - 4.5);
        let populations = populations(logs.map(f64::exp));
        let all: Vec<f64> = populations
            .populations
            .iter()
            .map(|population| population.worth.to_f64())
            .collect();
        let mean = all.iter().sum::<f64>() / 20.0;
        let plain = all.iter().map(|x| (x / mean - 1.0).powi(2)).sum::<f64>() / 19.0 / 20.0;
        assert!(populations.spread().unwrap() > 2.0 * plain);
        assert_eq!(populations.doubt(), Some(Doubt::Heavy));
    }

    #[test]
    fn one_crew_that_carries_all_is_not_trusted() {
        let populations = populations((0..30).map(|i| if i == 17 { 100.0 } else { 1.0 }));
        assert_eq!(populations.doubt(), Some(Doubt::Heavy));
    }

    #[test]
    fn sides_that_differ_are_not_trusted() {
        let populations = populations(
            (0..40).map(|i| if i % 2 == 0 { 1.0 } else { 1.4 } + f64::from(i % 4) / 100.0),
        );
        assert!(!too_wide(populations.spread().unwrap()));
        assert_eq!(populations.doubt(), Some(Doubt::Apart));
    }

    #[test]
    fn few_or_dead_crews_are_not_trusted() {
        assert_eq!(populations([]).doubt(), Some(Doubt::Few));
        assert_eq!(populations([1.0; 7]).doubt(), Some(Doubt::Few));
        assert_eq!(populations([0.0; 20]).doubt(), Some(Doubt::Nothing));
        // Many small ones beside a large one are few.
        let mut one = populations([1.0; 20]);
        one.add(8000, Scaled::ONE, true);
        assert_eq!(one.doubt(), Some(Doubt::Few));
    }

    #[test]
    fn pairs_say_the_same() {
        let worths = (0..5 * MOST).map(|i| (i % 7) as f64 + 1.0);
        let populations = populations(worths.clone());
        assert!(populations.populations.len() < MOST);
        let mean = worths.clone().sum::<f64>() / (5 * MOST) as f64;
        assert!((populations.mean().unwrap().to_f64() - mean).abs() < 1e-9);
        let dives: f64 = populations
            .populations
            .iter()
            .map(|population| population.dives)
            .sum();
        assert_eq!(dives, (5 * MOST * 8) as f64);
    }

    #[test]
    fn student_widens() {
        for (free, wide) in [(7.0, 2.365), (15.0, 2.131), (30.0, 2.042)] {
            assert!((student(free) * NORMAL - wide).abs() < 0.02, "{free}");
        }
    }
}
