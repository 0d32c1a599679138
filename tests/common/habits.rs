//! Every way to count, and heuristics at their limits, so that everything happens on small puzzles too.
#![allow(dead_code, reason = "each user takes its share")]

use omnogram::count::Method;
use omnogram::{count, search};

/// Every way to count.
pub(crate) const METHODS: [Method; 4] = [
    Method::Auto,
    Method::Tree,
    Method::Regions,
    Method::Frontier,
];

/// Clause learning at once and all the time.
pub(crate) fn eager() -> search::Options {
    search::Options {
        sat_after_settles: Some(0),
        settles_per_poll: 1,
        ..search::Options::default()
    }
}

/// Habits of a count that make everything happen on small puzzles: slices of one node, no probing of the root, and
/// probing of the smallest component.
pub(crate) fn restless() -> count::Options {
    let mut options = count::Options::default();
    options.slice_ns = 1_000;
    options.max_probing_settles = 0;
    options.min_shared_cells = 0;
    options.min_probed_cells = 0;
    options
}
