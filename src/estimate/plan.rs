//! How many dives the next crew of a region has.
//!
//! Large crews spread less than many small ones together, but it takes several to tell how far they spread. What a dive costs shows
//! only when it has been made, so the first crews are small, each a few times as large as the one before, until they are as large
//! as the limits allow for. Only what they cost decides that, not what they are worth.

/// Crews that there should be, and how many there must be at least.
const CREWS: f64 = 32.0;
const FEWEST: f64 = 12.0;

/// Dives of a crew that should not be smaller unless there would be too few crews.
const SMALL: f64 = 8.0;

/// Most dives of a crew, how many it has where no limit says what it may cost, and most unknown cells of all of them.
const DIVES: usize = 512;
const UNLIMITED: usize = 64;
const CELLS: usize = 1_000_000;

/// How much larger the next crew is.
const GROWTH: usize = 4;

/// The sizes of the crews of one region.
#[derive(Clone, Debug, Default)]
pub(super) struct PopulationPlan {
    size: usize,
    most: usize,
    settled: bool,
}

impl PopulationPlan {
    /// For a region of `cells` unknown cells, and for crews of at most `most` dives. Without a budget all crews have the same size.
    pub(super) fn new(cells: usize, most: usize, budgeted: bool) -> Self {
        let most = (CELLS / cells.max(1)).clamp(8, DIVES).min(most).max(1);
        PopulationPlan {
            size: if budgeted { 1 } else { most.min(UNLIMITED) },
            most,
            settled: !budgeted,
        }
    }

    /// No crew has more dives than this.
    pub(super) fn at_most(&mut self, most: usize) {
        self.most = self.most.min(most);
        self.size = self.size.min(most);
    }

    /// Dives of the next crew.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Goes by how many more dives the limits allow for.
    pub(super) fn afford(&mut self, dives: f64) {
        if self.settled {
            return;
        }
        let size = (dives / CREWS).max(SMALL.min(dives / FEWEST)) as usize;
        let next = (self.size * GROWTH).min(self.most);
        self.settled = size < next || next == self.most;
        self.size = next.min(size).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_to_what_the_limits_allow_for() {
        let sizes = |most, dives: f64| {
            let mut plan = PopulationPlan::new(100, most, true);
            let mut sizes = Vec::new();
            for _ in 0..6 {
                sizes.push(plan.size());
                plan.afford(dives);
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
    fn is_of_one_size_where_the_number_of_crews_is_given() {
        let mut plan = PopulationPlan::new(144, 1000, false);
        assert_eq!(plan.size(), UNLIMITED);
        plan.afford(1.0);
        assert_eq!(plan.size(), UNLIMITED);
        assert_eq!(PopulationPlan::new(90_000, 1000, false).size(), 11);
    }
}
