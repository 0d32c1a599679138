//! The memory plan: each constant is a divisor, and the named use may take the memory limit of the run divided by it.
//!
//! Uses at the same time add up to at most the whole limit. A search holds fillings and one SAT solver. A count holds numbers, components,
//! lines, SAT solvers, deferred work, paused sweeps and, if requested, the graph; with a graph there are no sweeps, and during a sweep there is
//! no deferred work. A repair holds obstacles, the state of its local search, and searches. Outside of the limit, each thread has up to 2 MiB for the cells of
//! probes and half a MiB for settled lines.

/// A search: the lists of fillings of regions.
pub(crate) const FILLINGS: u64 = 2;

/// A search, and an estimate: the SAT solver.
pub(crate) const SOLVER: u64 = 4;

/// A count: the numbers of sets of line states.
pub(crate) const NUMBERS: u64 = 16;

/// A count: the component table.
pub(crate) const COMPONENTS: u64 = 4;

/// A count: the sets of line states seen by all workers together.
pub(crate) const LINES: u64 = 16;

/// A count: the SAT solvers of all workers together.
pub(crate) const SOLVERS: u64 = 8;

/// A count: the work that a walk on several threads defers.
pub(crate) const DEFERRED: u64 = 16;

/// A count: the graph of all solutions.
pub(crate) const GRAPH: u64 = 3;

/// A count: the two frontiers of a sweep.
pub(crate) const SWEEP: u64 = 2;

/// A count: sweeps that have paused, while walks and the tree search go on.
pub(crate) const PAUSED_SWEEPS: u64 = 3;

/// A count: a tree search.
pub(crate) const TREE: u64 = 8;

/// An estimate: the exact counting that precedes it.
pub(crate) const EXACT: u64 = 2;

/// A repair: the obstacles.
pub(crate) const OBSTACLES: u64 = 2;

/// A repair: the local search; after it, the search of all smaller edits.
pub(crate) const DESCENT: u64 = 4;

/// A repair: the searches for second solutions, of all threads together.
pub(crate) const EXAMINATIONS: u64 = 4;
