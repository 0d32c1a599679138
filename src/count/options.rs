//! The method and the heuristic parameters of a count.

/// How to count. All methods give the same number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// For each component, the plan that turns out best.
    #[default]
    Auto,
    /// Search the tree: every solution is a leaf, but counts of independent regions are multiplied.
    Tree,
    /// Branch, split into components, and look each up in the component table.
    Regions,
    /// Sweep a frontier, and branch only where the frontier exceeds the memory.
    Frontier,
}

/// Heuristic parameters of counting.
#[derive(Clone, Debug)]
pub struct Options {
    /// Call the oracle on a side of a branch without a known solution once the side has cost this percentage of an oracle call. Sides of
    /// orders that probe are mostly refuted by probing: a call costs more than it saves there unless it comes late. Under other orders the
    /// call comes sooner if calls are expensive, because such an order can get stuck in a dead end.
    pub oracle_percent: u64,
    /// Work of the first trial of a plan, in nanoseconds. Work is computed from counters of nodes, settles and so on, not from a clock.
    pub trial_ns: u64,
    /// Maximum number of settles for probing the root.
    pub max_probing_settles: u64,
    /// Effort of the first backbone search, in ticks of the SAT solver; the usual one takes about a second.
    pub backbone_ticks: u64,
    /// Components with fewer unknown cells are not given to another worker, because counting them takes less time than that. Components
    /// with less than a third of this number may be counted by two workers at once.
    pub min_shared_cells: u32,
    /// Components with fewer unknown cells are not probed, in the branching order that probes.
    pub min_probed_cells: u32,
}

impl Options {
    /// The nanoseconds that a side may cost before the oracle is called, if a call takes `call_ns`.
    pub(crate) fn oracle_threshold_ns(&self, call_ns: u64) -> u64 {
        self.oracle_percent * call_ns / 100
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            oracle_percent: 400,
            trial_ns: 20_000_000,
            max_probing_settles: 1 << 20,
            backbone_ticks: 40_000_000,
            min_shared_cells: 24,
            min_probed_cells: 16,
        }
    }
}
