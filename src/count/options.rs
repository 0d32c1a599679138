//! The method of a count, the ways to count, and all numbers that choosing and counting depend on.

use std::fmt;

use super::sweep::Direction;

/// How to count. All methods give the same number.
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Choose the fastest method.
    ///
    /// For each component it is the way that turns out best.
    #[default]
    Auto,
    /// Search the tree with one leaf per solution, and multiply the counts of independent regions.
    Tree,
    /// Branch, split into independent regions, and look up regions that were counted before.
    Regions,
    /// Sweep line by line over the states of the open lines; branch first where the states exceed the memory.
    Frontier,
}

/// A way to count a component, or to make it smaller: what a racer is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// Branch, and look components up.
    Walk,
    /// Sweep a frontier in this direction.
    Sweep(Direction),
    /// Look for the backbone.
    Backbone,
}

impl Way {
    /// All ways, in the order of their first slices: those that count most components quickly come first.
    const ALL: &[Way] = &[
        Way::Walk,
        Way::Sweep(Direction::Down),
        Way::Sweep(Direction::Right),
        Way::Backbone,
    ];

    /// The ways of a method.
    pub(crate) fn of(method: Method) -> &'static [Way] {
        match method {
            // Counter::run searches the tree itself.
            Method::Auto | Method::Tree => Way::ALL,
            Method::Regions => &[Way::Walk],
            Method::Frontier => &[Way::Sweep(Direction::Down), Way::Sweep(Direction::Right)],
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
            Way::Backbone => "backbone",
        })
    }
}

// What work costs, in nanoseconds. Work is computed from counters and not read from a clock, so that a run on one thread repeats exactly. Only
// the proportions matter: of 70 runs of one racer of 0.5 to 10 seconds, half took 0.5 to 0.65 times the computed time on one machine.

/// A node of a walk, an unknown cell of the component branched there, and a settled line; for lines of up to 64 cells. For each further word
/// of 64 cells, a node costs as much again, and a settle grows with the square of the words: a longer line has more blocks, too.
pub(crate) const NODE_NS: u64 = 700;
pub(crate) const CELL_NS: u64 = 45;
pub(crate) const SETTLE_NS: u64 = 120;

/// A tick of the SAT solver, and building a solver.
pub(crate) const TICK_NS: u64 = 46;
pub(crate) const SOLVER_NS: u64 = 20_000_000;

// A combination of a sweep costs 90 nanoseconds, and 200 where it takes two words: a sweep knows nothing of this file.

/// The nodes of the tree that are searched for a solution other than the goal, before the race.
pub(crate) const NEAR_NODES: u64 = 64;

// The race.

/// All racers together do this multiple of the work that the racers other than the favourite are guaranteed. A larger value gives the favourite
/// more of the work, and weakens the guarantee in proportion. At least 2.
pub(crate) const FAVOUR: u64 = 3;

/// A slice is the work so far divided by this.
pub(crate) const SLICE_DIVISOR: u64 = 8;

/// The longest slice for each thread, as a multiple of the least one: the lower bound that is shown rises at the ends of slices.
pub(crate) const MAX_SLICES: u64 = 100;

/// The work that a racer is expected to need before it has begun, as a multiple of the least slice. A walk is expected to need none, so it begins
/// the race. The backbone of a tournament puzzle of 25x25 cells takes about a second.
pub(crate) const SWEEP_EXPECTED: u64 = 5;
pub(crate) const BACKBONE_EXPECTED: u64 = 50;

/// The first slice of the backbone, as such a multiple: most of it builds the SAT solver and finds a solution.
pub(crate) const BACKBONE_SLICES: u64 = 10;

/// The nanoseconds of work from which on several workers look for the backbone: most searches take less, and each solver has to be built.
pub(crate) const BACKBONE_SHARED_NS: u64 = 100_000_000;

/// What is left of a walk is taken to be at most this multiple of what is done. In a simulation with the record of random puzzles of
/// 13x13 to 25x25 cells, races take 0.8 times the work of races without this limit; factors of 4 and 16 bring less.
pub(crate) const MOST_LEFT: f64 = 8.0;

/// The observer of a graph is first called when a racer has done this much work, as a multiple of the least slice; after that, whenever the
/// number of nodes has grown by this factor.
pub(crate) const GRAPH_REPORT_SLICES: u64 = 50;
pub(crate) const GRAPH_REPORT_GROWTH: u64 = 4;

/// Heuristic parameters of counting.
#[derive(Clone, Debug)]
pub struct Options {
    /// Only these racers, for measurements and tests; `None` for those of the method.
    pub(crate) ways: Option<Vec<Way>>,
    /// The least slice of work of a racer, in nanoseconds, at least 1. Work is computed from counters of nodes, settles and so on, not from
    /// a clock.
    pub slice_ns: u64,
    /// Maximum number of settles for probing the root.
    pub max_probing_settles: u64,
    /// Sides of components with fewer unknown cells are not given to another worker, because counting them takes less time than that. Components
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
}

impl Default for Options {
    fn default() -> Self {
        Options {
            ways: None,
            slice_ns: 20_000_000,
            max_probing_settles: 1 << 20,
            min_shared_cells: 24,
            min_probed_cells: 16,
        }
    }
}
