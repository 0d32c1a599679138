//! The heuristics of the search, in one table: run-time options with defaults, so that tests and experiments can vary them.

/// When nodes are probed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probing {
    /// As long as it pays, measured in settles per leaf.
    Adaptive,
    /// At every node.
    Always,
    /// At the root only.
    Root,
    /// Nowhere: the search has to do with propagation.
    Never,
}

/// What the search may do differently without changing the answer.
#[derive(Clone, Debug)]
pub struct Options {
    /// When nodes are probed.
    pub probing: Probing,
    /// Search independent regions apart, and multiply.
    pub regions: bool,
    /// Keep the fillings of small rests that come again and again. Without it every solution is a leaf of its own, but for regions.
    pub rests: bool,
    /// Solutions to find before probing, or doing without, is judged by its cost.
    pub stretch: u64,
    /// Settles after which probing that decides nothing is given a rest.
    pub patience: u64,
    /// Fewest unknown cells of a node that is not probed, to look for regions.
    pub fewest_cells_to_split: usize,
    /// Most bytes of fillings listed for one region; a region with more is searched in place. Another half of the memory limit
    /// bounds all lists together.
    pub region_bytes: u64,
    /// Settles between two siblings that a task gives away, and between two looks at the clock; fewer where lines are longer than
    /// 64 cells.
    pub breath: u64,
    /// Leaves that a task collects before it hands them to the sink.
    pub batch: usize,
    /// Most cells of all solutions of a batch, bundles expanded: what a sink may have to work off before a run that is stopped ends.
    pub batch_cells: u64,
    /// Settles after which clause learning joins in, where the first few solutions are wanted; `None` never.
    pub learning: Option<u64>,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            probing: Probing::Adaptive,
            regions: true,
            rests: true,
            stretch: 64,
            patience: 50_000,
            fewest_cells_to_split: 16,
            region_bytes: 16 << 20,
            breath: 1000,
            batch: 1024,
            batch_cells: 4 << 20,
            learning: Some(150_000),
        }
    }
}
