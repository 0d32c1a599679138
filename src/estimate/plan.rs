//! Sizes of the populations of a region.
//!
//! One large population has less variance than many small ones together, but several are needed to estimate the variance. The cost of a
//! particle is known only afterwards, so the first populations are small, and grow by a factor until the limits allow no more. Sizes depend
//! only on costs, never on values.

/// Desired and minimum number of populations.
const TARGET_POPULATIONS: f64 = 32.0;
const MIN_POPULATIONS: f64 = 12.0;

/// Number of particles below which a population shrinks only to reach [`MIN_POPULATIONS`].
const SMALL_POPULATION: f64 = 8.0;

/// Maximum number of particles of a population, number without limits, and maximum number of unknown cells of all particles together.
const MAX_PARTICLES: usize = 512;
const UNLIMITED_PARTICLES: usize = 64;
const MAX_TOTAL_CELLS: usize = 1_000_000;

/// Growth factor from one population to the next.
const GROWTH_FACTOR: usize = 4;

/// The sizes of the populations of one region.
#[derive(Clone, Debug, Default)]
pub(super) struct PopulationPlan {
    /// Number of particles of the next population.
    pub(super) size: usize,
    max_size: usize,
    is_final: bool,
}

impl PopulationPlan {
    /// For a region of `cells` unknown cells, and populations of at most `max_size` particles. Without a budget, all have the same size.
    pub(super) fn new(cells: usize, max_size: usize, budgeted: bool) -> Self {
        let most = (MAX_TOTAL_CELLS / cells.max(1)).clamp(8, MAX_PARTICLES);
        let max_size = most.min(max_size).max(1);
        let first = if budgeted { 1 } else { UNLIMITED_PARTICLES };
        PopulationPlan {
            size: first.min(max_size),
            max_size,
            is_final: !budgeted,
        }
    }

    /// Lowers the maximum size.
    pub(super) fn limit_size(&mut self, max_size: usize) {
        self.max_size = self.max_size.min(max_size);
        self.size = self.size.min(max_size);
    }

    /// Sets the next size, given the number of further particles that the limits allow.
    pub(super) fn adapt(&mut self, particles: f64) {
        if self.is_final {
            return;
        }
        let size = (particles / TARGET_POPULATIONS)
            .max(SMALL_POPULATION.min(particles / MIN_POPULATIONS)) as usize;
        let next = (self.size * GROWTH_FACTOR).min(self.max_size);
        self.is_final = size < next || next == self.max_size;
        self.size = next.min(size).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_grows_to_what_the_limits_allow() {
        let sizes = |max_size, particles: f64| {
            let mut plan = PopulationPlan::new(100, max_size, true);
            let mut sizes = Vec::new();
            for _ in 0..6 {
                sizes.push(plan.size);
                plan.adapt(particles);
            }
            sizes
        };
        assert_eq!(sizes(1000, 1e9), [1, 4, 16, 64, 256, 512]);
        assert_eq!(sizes(100, 1e9), [1, 4, 16, 64, 100, 100]);
        assert_eq!(sizes(1000, 1000.0), [1, 4, 16, 31, 31, 31]);
        assert_eq!(sizes(1000, 200.0), [1, 4, 8, 8, 8, 8]);
        assert_eq!(sizes(1000, 72.0), [1, 4, 6, 6, 6, 6]);
        assert_eq!(sizes(1000, 3.0), [1, 1, 1, 1, 1, 1]);
    }

    #[test]
    fn size_is_constant_without_a_budget() {
        let mut plan = PopulationPlan::new(144, 1000, false);
        assert_eq!(plan.size, UNLIMITED_PARTICLES);
        plan.adapt(1.0);
        assert_eq!(plan.size, UNLIMITED_PARTICLES);
        assert_eq!(PopulationPlan::new(90_000, 1000, false).size, 11);
    }
}
