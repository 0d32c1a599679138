//! The heuristics of the search: run-time options with defaults, so that tests and experiments can vary them.

/// When nodes are probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probing {
    /// Where it pays, measured in settles per solution.
    Adaptive,
    /// At every node.
    Always,
    /// At the root only.
    Root,
    /// Nowhere: the search relies on propagation alone.
    Never,
}

/// Options that change the work of the search, but not its answer.
#[derive(Clone, Debug)]
pub struct Options {
    /// When nodes are probed.
    pub probing: Probing,
    /// Search independent regions separately and multiply their results.
    pub regions: bool,
    /// Cache the fillings of small subproblems. Without it every solution is a leaf of its own, except for products of regions.
    pub subproblem_cache: bool,
    /// Solutions per stretch, after which the cost of searching with or without probing is measured.
    pub stretch_solutions: u64,
    /// Settles after which probing that decides nothing is suspended.
    pub probing_settles: u64,
    /// Minimum unknown cells of an unprobed node to look for regions.
    pub fewest_cells_to_split: usize,
    /// Maximum bytes of the list of fillings of one region; a region with more is searched in place. All lists together are bounded by half
    /// of the memory limit.
    pub region_bytes: u64,
    /// Settles between two entries that a task gives away, and between two polls of the control; fewer where lines are longer than 64
    /// cells.
    pub settles_per_poll: u64,
    /// Leaves that a task collects before it passes them to the sink.
    pub batch_leaves: usize,
    /// Maximum cells of all solutions of a batch, bundles expanded. It bounds the work of a sink after the run has been stopped.
    pub batch_cells: u64,
    /// Settles after which the SAT solver starts, where only the first few solutions are wanted; `None`: never.
    pub sat_after_settles: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            probing: Probing::Adaptive,
            regions: true,
            subproblem_cache: true,
            stretch_solutions: 64,
            probing_settles: 50_000,
            fewest_cells_to_split: 16,
            region_bytes: 16 << 20,
            settles_per_poll: 1000,
            batch_leaves: 1024,
            batch_cells: 4 << 20,
            sat_after_settles: Some(150_000),
        }
    }
}
