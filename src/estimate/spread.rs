//! The mean of the populations of a region, its standard error, and whether both can be trusted.
//!
//! The value of a population has a heavy tail: most populations are a little too low, and rarely one is far too high. So even if the values
//! of a few populations agree, the next one may be far higher. But the logarithm of the value is nearly normal (Bérard, Del Moral and
//! Doucet, "A lognormal central limit theorem for particle approximations of normalizing constants", 2014), so the lower half of its
//! distribution already shows how far the upper half reaches. So the variance is the greater of the estimates from the values and from
//! their logarithms; with few populations it is widened as by Student's t. If the relative error is large, the mean depends on few
//! populations and is not to be trusted (Chatterjee and Diaconis, "The sample size required in importance sampling", 2018).

use super::scaled::Scaled;

/// Maximum number of populations stored separately. Beyond it they are merged in pairs.
const MAX_POPULATIONS: usize = 1024;

/// Minimum effective number of populations for an estimate of the variance.
const MIN_POPULATIONS: f64 = 8.0;

/// Maximum relative standard error of a mean that can be trusted.
const MAX_RELATIVE_ERROR: f64 = 0.25;

/// Maximum distance between the means of the upward and of the downward populations, in standard errors of their difference.
const MAX_DEVIATION: f64 = 3.0;

/// The 97.5 % quantile of the standard normal distribution.
const NORMAL_QUANTILE: f64 = 1.96;

/// Why an estimate is not to be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Doubt {
    /// Too few populations to estimate the variance.
    Few,
    /// Few populations contribute most of the number.
    Heavy,
    /// Populations that start at the first line and those that start at the last one give different numbers.
    Apart,
    /// Nearly all particles die.
    Dying,
    /// No population found a solution.
    Nothing,
}

impl std::fmt::Display for Doubt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Doubt::Few => "too few dives to estimate the standard error",
            Doubt::Heavy => "a few dives have most of the weight, so the number may be wrong by any factor",
            Doubt::Apart => {
                "dives from opposite sides of the puzzle disagree, so the number may be wrong by any factor"
            }
            Doubt::Dying => {
                "nearly all dives end without a solution, so there may be far more solutions than estimated"
            }
            Doubt::Nothing => "no solution was found",
        })
    }
}

/// One population, or several merged ones.
#[derive(Clone, Copy, Debug)]
struct Population {
    size: f64,
    value: Scaled,
    upwards: bool,
}

/// The populations of one region.
#[derive(Clone, Debug, Default)]
pub(super) struct Populations(Vec<Population>);

impl Populations {
    pub(super) fn add(&mut self, size: usize, value: Scaled, upwards: bool) {
        self.0.push(Population {
            size: size as f64,
            value,
            upwards,
        });
        if self.0.len() >= MAX_POPULATIONS {
            self.merge_pairs();
        }
    }

    /// Why the mean or its error is not to be trusted; `None` if they are.
    pub(super) fn doubt(&self) -> Option<Doubt> {
        if self.mean().is_some_and(Scaled::is_zero) {
            return Some(Doubt::Nothing);
        }
        match self.relative_variance() {
            Some(_) if self.effective_count() < MIN_POPULATIONS => return Some(Doubt::Few),
            None => return Some(Doubt::Few),
            Some(variance) if is_too_wide(variance) => return Some(Doubt::Heavy),
            Some(_) => {}
        }
        let (up, down) = (self.share_of(true)?, self.share_of(false)?);
        let most = MAX_DEVIATION * MAX_DEVIATION * (up.1 + down.1) + 1e-12;
        ((up.0 - down.0).powi(2) > most).then_some(Doubt::Apart)
    }

    /// The mean of the populations of one direction as a share of the mean of all, and its variance.
    fn share_of(&self, upwards: bool) -> Option<(f64, f64)> {
        let populations = self.of_direction(upwards);
        let share = (populations.mean()? / self.mean()?).to_f64();
        // A direction without solutions has no relative variance; its mean of 0 increases the variance of all populations anyway.
        let variance = populations.relative_variance().unwrap_or(0.0);
        Some((share, share * share * variance))
    }

    /// The populations of one direction.
    fn of_direction(&self, upwards: bool) -> Self {
        let mut populations = self.clone();
        populations.0.retain(|own| own.upwards == upwards);
        populations
    }

    /// Merges pairs of populations of the same direction.
    fn merge_pairs(&mut self) {
        let mut merged = Vec::new();
        for upwards in [false, true] {
            for pair in self.of_direction(upwards).0.chunks(2) {
                let pair = Populations(pair.to_vec());
                merged.push(Population {
                    size: pair.size(),
                    value: pair.mean().unwrap_or(Scaled::ZERO),
                    upwards,
                });
            }
        }
        self.0 = merged;
    }

    /// Number of particles.
    fn size(&self) -> f64 {
        self.0.iter().map(|population| population.size).sum()
    }

    /// The mean over all particles: that of the populations, weighted by their sizes, which are not random. `None` without any.
    pub(super) fn mean(&self) -> Option<Scaled> {
        let sizes = self.0.iter().map(|own| own.value * Scaled::from(own.size));
        let (sum, size) = (sizes.sum::<Scaled>(), self.size());
        (size > 0.0).then(|| sum / Scaled::from(size))
    }

    /// The effective number of populations: this many of equal size would estimate the variance as well.
    fn effective_count(&self) -> f64 {
        let squares = self.0.iter().map(|population| population.size.powi(2));
        self.size().powi(2) / squares.sum::<f64>().max(1.0)
    }

    /// The square of the relative standard error of the mean; `None` with fewer than two populations, or if the mean is zero.
    pub(super) fn relative_variance(&self) -> Option<f64> {
        let mean = self.mean().filter(|mean| !mean.is_zero())?;
        if self.0.len() < 2 {
            return None;
        }
        let (size, effective_count) = (self.size(), self.effective_count());
        let freedom = effective_count - 1.0;
        let squares = self.0.iter().map(|population| {
            let deviation = (population.value / mean).to_f64() - 1.0;
            (population.size / size * deviation).powi(2)
        });
        let from_values = squares.sum::<f64>() * effective_count / freedom;
        // The logarithms of the values that are not zero, each with its share of the particles.
        let logs = self.0.iter().filter(|own| !own.value.is_zero());
        let logs = logs.map(|population| (population.size / size, (population.value / mean).ln()));
        let logs: Vec<(f64, f64)> = logs.collect();
        let share: f64 = logs.iter().map(|(weight, _)| weight).sum();
        let mean_log = logs.iter().map(|(weight, log)| weight * log).sum::<f64>() / share;
        let squares = (logs.iter()).map(|(weight, log)| weight * (log - mean_log).powi(2));
        let variance = squares.sum::<f64>() / share * effective_count / freedom;
        let from_logs = (variance.exp() / share - 1.0) / effective_count;
        let widened = from_values.max(from_logs) * student_factor(freedom).powi(2);
        // Below this it is rounding error.
        Some(if widened < 1e-14 { 0.0 } else { widened })
    }
}

/// Whether this squared relative error is too large for a mean to be trusted.
pub(super) fn is_too_wide(relative_variance: f64) -> bool {
    relative_variance > MAX_RELATIVE_ERROR * MAX_RELATIVE_ERROR
}

/// The factor by which the 95 % interval of Student's t with this number of degrees of freedom is wider than that of a normal distribution
/// (Abramowitz and Stegun, "Handbook of mathematical functions", 26.7.5).
fn student_factor(freedom: f64) -> f64 {
    let square = NORMAL_QUANTILE * NORMAL_QUANTILE;
    1.0 + (square + 1.0) / (4.0 * freedom)
        + (5.0 * square * square + 16.0 * square + 3.0) / (96.0 * freedom * freedom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn populations(values: impl IntoIterator<Item = f64>) -> Populations {
        let mut populations = Populations::default();
        for (i, value) in values.into_iter().enumerate() {
            populations.add(8, Scaled::from(value), i % 2 == 1);
        }
        populations
    }

    #[test]
    fn equal_populations_have_no_error() {
        let populations = populations([5.0; 20]);
        assert_eq!(populations.mean().unwrap().to_f64(), 5.0);
        assert_eq!(
            (populations.relative_variance(), populations.doubt()),
            (Some(0.0), None)
        );
    }

    #[test]
    fn a_small_variance_gives_the_usual_standard_error() {
        // Values of mean 100 and variance 1, and 100 populations: a relative standard error of 0.001.
        let populations = populations((0..100).map(|i| if i / 2 % 2 == 0 { 99.0 } else { 101.0 }));
        let error = populations.relative_variance().unwrap().sqrt();
        assert!((error - 0.001).abs() < 2e-5, "{error}");
        assert_eq!(populations.doubt(), None);
    }

    /// For a lognormal sample without its upper tail, the variance of the values alone is less than half of the estimate.
    #[test]
    fn the_logarithms_show_a_missing_tail() {
        let logs = (0..20).map(|i| f64::from(i / 2) * 0.5 - 4.5);
        let populations = populations(logs.map(f64::exp));
        let all: Vec<f64> = populations
            .0
            .iter()
            .map(|population| population.value.to_f64())
            .collect();
        let mean = all.iter().sum::<f64>() / 20.0;
        let from_values = all.iter().map(|x| (x / mean - 1.0).powi(2)).sum::<f64>() / 19.0 / 20.0;
        assert!(populations.relative_variance().unwrap() > 2.0 * from_values);
        assert_eq!(populations.doubt(), Some(Doubt::Heavy));
    }

    #[test]
    fn one_dominant_population_is_not_trusted() {
        let populations = populations((0..30).map(|i| if i == 17 { 100.0 } else { 1.0 }));
        assert_eq!(populations.doubt(), Some(Doubt::Heavy));
    }

    #[test]
    fn differing_directions_are_not_trusted() {
        let populations = populations(
            (0..40).map(|i| if i % 2 == 0 { 1.0 } else { 1.4 } + f64::from(i % 4) / 100.0),
        );
        assert!(!is_too_wide(populations.relative_variance().unwrap()));
        assert_eq!(populations.doubt(), Some(Doubt::Apart));
    }

    #[test]
    fn few_or_dead_populations_are_not_trusted() {
        assert_eq!(populations([]).doubt(), Some(Doubt::Few));
        assert_eq!(populations([1.0; 7]).doubt(), Some(Doubt::Few));
        assert_eq!(populations([0.0; 20]).doubt(), Some(Doubt::Nothing));
        // The effective number of many small populations and one large one is small.
        let mut unequal = populations([1.0; 20]);
        unequal.add(8000, Scaled::ONE, true);
        assert_eq!(unequal.doubt(), Some(Doubt::Few));
    }

    #[test]
    fn merging_pairs_keeps_the_mean() {
        let values = (0..5 * MAX_POPULATIONS).map(|i| (i % 7) as f64 + 1.0);
        let populations = populations(values.clone());
        assert!(populations.0.len() < MAX_POPULATIONS);
        let mean = values.clone().sum::<f64>() / (5 * MAX_POPULATIONS) as f64;
        assert!((populations.mean().unwrap().to_f64() - mean).abs() < 1e-9);
        assert_eq!(populations.size(), (5 * MAX_POPULATIONS * 8) as f64);
    }

    #[test]
    fn student_factor_matches_the_table() {
        for (freedom, quantile) in [(7.0, 2.365), (15.0, 2.131), (30.0, 2.042)] {
            assert!(
                (student_factor(freedom) * NORMAL_QUANTILE - quantile).abs() < 0.02,
                "{freedom}"
            );
        }
    }
}
