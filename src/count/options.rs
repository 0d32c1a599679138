//! By which method to count, and the heuristics of counting.

/// How to count. All ways give the same number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Whatever turns out best, for each part of the picture.
    #[default]
    Auto,
    /// Search the tree, every solution a leaf of its own, and multiply where it falls apart.
    Tree,
    /// Branch, fall apart, and look up what was counted before.
    Regions,
    /// Sweep along a frontier, and branch only where that outgrows the memory.
    Frontier,
}

/// Heuristics of counting.
#[derive(Clone, Debug)]
pub struct Options {
    /// Clause learning is asked whether a side of a branch has a solution when none is known there and the side has cost this percentage
    /// of what a question costs.
    pub patience: u64,
    /// Work of a first trial of a way to count a part, in nanoseconds as reckoned from what is done, whatever the clock says.
    pub trial: u64,
    /// Settles that may be spent on probing the root.
    pub probing: u64,
    /// Conflicts that may be spent on the backbone, before counting where it is not soon done.
    pub effort: u64,
    /// Regions of fewer unknown cells are not given to another worker: they are sooner counted than given away. Those of less than a third
    /// of it may be counted by two workers at once.
    pub shared: u32,
    /// Regions of fewer unknown cells are not probed, in the order that probes.
    pub probed: u32,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            patience: 40,
            trial: 20_000_000,
            probing: 1 << 20,
            effort: 2000,
            shared: 24,
            probed: 16,
        }
    }
}
