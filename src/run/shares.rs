//! The memory plan: into how many equal shares the memory of a run is divided, of which the named use has one.
//!
//! Uses that are under way at the same time add up to the whole at most. A search holds fillings and one solver. A count holds numbers,
//! components, lines, solvers, what is put aside and, if it is wanted, the graph; while it sweeps nothing is put aside, and no graph is kept.

/// A search: the fillings of regions that are listed by themselves.
pub(crate) const FILLINGS: u64 = 2;

/// A search, and an estimate: clause learning.
pub(crate) const SOLVER: u64 = 4;

/// A count: the numbers of sets of line states.
pub(crate) const NUMBERS: u64 = 16;

/// A count: the component table.
pub(crate) const COMPONENTS: u64 = 4;

/// A count: the sets of line states that each worker has met, all workers together.
pub(crate) const LINES: u64 = 16;

/// A count: clause learning of all workers together.
pub(crate) const SOLVERS: u64 = 8;

/// A count: what a walk on several threads puts aside.
pub(crate) const PUT_ASIDE: u64 = 16;

/// A count: the graph of all solutions.
pub(crate) const GRAPH: u64 = 3;

/// A count: the two frontiers of a sweep.
pub(crate) const SWEEP: u64 = 2;

/// A count: a search of the tree.
pub(crate) const TREE: u64 = 8;

/// An estimate: the exact counts before it.
pub(crate) const KNOWN: u64 = 2;
