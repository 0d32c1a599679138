//! The method, the ways to count, and the heuristic parameters of a count.

use std::fmt;

use super::sweep::Direction;

/// How to count. All methods give the same number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// For each component, the way that turns out best.
    #[default]
    Auto,
    /// Search the tree: every solution is a leaf, but counts of independent regions are multiplied.
    Tree,
    /// Branch, split into components, and look each up in the component table.
    Regions,
    /// Sweep a frontier; branch only where a line has too many states to be swept.
    Frontier,
}

/// A way to count a component, or to make it smaller: what a racer is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Branch, and look components up.
    Walk,
    /// Sweep a frontier in this direction.
    Sweep(Direction),
    /// Search the tree without the component table.
    Tree,
    /// Look for the backbone.
    Backbone,
}

impl Way {
    /// All ways, in the order of their first slices: those that count most components quickly come first.
    const ALL: &[Way] = &[
        Way::Walk,
        Way::Sweep(Direction::Down),
        Way::Sweep(Direction::Right),
        Way::Tree,
        Way::Backbone,
    ];

    /// The ways of a method.
    pub(crate) fn of(method: Method) -> &'static [Way] {
        match method {
            Method::Auto => Way::ALL,
            Method::Regions => &[Way::Walk],
            Method::Frontier => &[Way::Sweep(Direction::Down), Way::Sweep(Direction::Right)],
            Method::Tree => &[Way::Tree],
        }
    }
}

impl fmt::Display for Way {
    /// One word.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Walk => "walk",
            Way::Sweep(Direction::Down) => "sweep-down",
            Way::Sweep(Direction::Right) => "sweep-right",
            Way::Tree => "tree",
            Way::Backbone => "backbone",
        })
    }
}

/// Heuristic parameters of counting.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only these racers, for measurements and tests; `None` for those of the method.
    pub(crate) ways: Option<Vec<Way>>,
    /// The least slice of work of a racer, in nanoseconds, at least 1. Work is computed from counters of nodes, settles and so on, not from
    /// a clock.
    pub slice_ns: u64,
    /// Call the oracle on a side of a branch without a known solution once the side has cost this percentage of an oracle call. Sides are
    /// mostly refuted by probing: a call costs more than it saves unless it comes late.
    pub oracle_percent: u64,
    /// Maximum number of settles for probing the root.
    pub max_probing_settles: u64,
    /// Components with fewer unknown cells are not given to another worker, because counting them takes less time than that. Components
    /// with less than a third of this number may be counted by two workers at once.
    pub min_shared_cells: u32,
    /// Components with fewer unknown cells are not probed, in walks.
    pub min_probed_cells: u32,
}

impl Options {
    /// Lets only the racers with these names run; `None` if there is no such racer.
    pub fn racers(mut self, names: &[&str]) -> Option<Self> {
        let way = |name: &&str| {
            Way::ALL
                .iter()
                .copied()
                .find(|way| way.to_string() == *name)
        };
        self.ways = Some(names.iter().map(way).collect::<Option<_>>()?);
        Some(self)
    }

    /// The nanoseconds that a side may cost before the oracle is called, if a call takes `call_ns`.
    pub(crate) fn oracle_threshold_ns(&self, call_ns: u64) -> u64 {
        self.oracle_percent * call_ns / 100
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            ways: None,
            slice_ns: 20_000_000,
            oracle_percent: 400,
            max_probing_settles: 1 << 20,
            min_shared_cells: 24,
            min_probed_cells: 16,
        }
    }
}
