//! The memory plan: which share of the memory limit of a run each use may take.
//!
//! The shares of what is held at the same time add up to at most the whole limit:
//!
//! - a search holds fillings, probes, subproblem caches and one SAT solver;
//! - a count holds numbers, components, lines, probes, SAT solvers, deferred work, paused walks, sweeps and, if requested, the graph, whose
//!   share is a part of that of the sweeps;
//! - a repair holds obstacles, the state of its local search, and searches;
//! - a split holds cubes and the results of probing them.
//!
//! Beyond the limit, each thread may take half a MiB for settled lines and an eighth of a MiB for records of probes.

/// A share of the memory limit: one part in this number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Share(u64);

impl Share {
    /// The bytes that the use may take, if the memory limit is `limit` bytes.
    pub(crate) fn of(self, limit: u64) -> u64 {
        limit / self.0
    }

    /// The bytes that each of `parts` equal parts of the use may take.
    pub(crate) fn part(self, limit: u64, parts: u64) -> u64 {
        self.of(limit) / parts
    }
}

/// A search: the lists of fillings of regions.
pub(crate) const FILLINGS: Share = Share(2);

/// A search, and an estimate: the SAT solver.
pub(crate) const SOLVER: Share = Share(4);

/// A search: the probes of all threads together.
pub(crate) const SEARCH_PROBES: Share = Share(8);

/// A search: the subproblem caches of all threads together.
pub(crate) const SUBPROBLEMS: Share = Share(8);

/// A count: the numbers of sets of line states.
pub(crate) const NUMBERS: Share = Share(16);

/// A count: the component table.
pub(crate) const COMPONENTS: Share = Share(6);

/// A count: the sets of line states seen by all workers together.
pub(crate) const LINES: Share = Share(32);

/// A count: the probes of all workers together.
pub(crate) const PROBES: Share = Share(32);

/// A count: the SAT solvers of all workers together.
pub(crate) const SOLVERS: Share = Share(8);

/// A count: the work that a walk on several threads defers.
pub(crate) const DEFERRED: Share = Share(32);

/// A count: walks that have paused.
pub(crate) const PAUSED_WALKS: Share = Share(32);

/// A count: the graph of all solutions.
pub(crate) const GRAPH: Share = Share(3);

/// The same, where sweeps too may build it.
pub(crate) const GRAPH_BESIDE_SWEEPS: Share = Share(4);

/// A count: all sweeps, also while a walk goes on: their frontiers; with a graph, also the layers that they have passed, and the graph.
pub(crate) const SWEEPS: Share = Share(2);

/// A count: a search near the goal.
pub(crate) const NEAR: Share = Share(8);

/// An estimate: the exact counting that precedes it.
pub(crate) const EXACT: Share = Share(2);

/// A repair: the obstacles.
pub(crate) const OBSTACLES: Share = Share(2);

/// A repair: the local search; after it, the search of all smaller edits.
pub(crate) const DESCENT: Share = Share(4);

/// A repair: the searches for second solutions, of all threads together.
pub(crate) const EXAMINATIONS: Share = Share(4);

/// A split: the cubes.
pub(crate) const CUBES: Share = Share(2);

/// A split: the results of probing these cubes.
pub(crate) const PROBED_CUBES: Share = Share(4);

/// A split: the probes of the cubes that are cut in parallel.
pub(crate) const CUTTERS: Share = Share(8);

/// Bytes that the allocator keeps for each thread of a sweep although they are free: what one thread frees another cannot use at once.
const KEPT_BY_ALLOCATOR: u64 = 2 << 20;

/// The share of the sweeps on this number of threads, less what the allocator keeps for all but the first; at least a quarter of the share,
/// and all of it where that is less than what the allocator keeps for one thread.
fn sweep_on(threads: usize, limit: u64) -> u64 {
    let share = SWEEPS.of(limit);
    let kept = KEPT_BY_ALLOCATOR * (threads as u64).saturating_sub(1);
    let least = (share / 4).max(share.min(KEPT_BY_ALLOCATOR));
    share.saturating_sub(kept).max(least)
}

/// The bytes that the sweeps may take on this number of threads. Where they do not suffice, a sweep goes on in parts, for which the
/// allocator keeps three times as much.
pub(crate) fn sweep_in_parts_on(threads: usize, limit: u64) -> u64 {
    sweep_on(3 * threads + 1, limit)
}

/// The bytes that the sweeps and the graph may take together. The lists of the graph are copied when they grow, so twice as much is kept.
pub(crate) fn sweep_for_graph_on(threads: usize, limit: u64) -> u64 {
    sweep_on((2 * threads).saturating_sub(1), limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_of_uses_at_the_same_time_add_up_to_at_most_the_limit() {
        let sum = |shares: &[Share]| shares.iter().map(|share| share.of(1600)).sum::<u64>();
        assert_eq!(SWEEPS.of(1600), 800);
        assert_eq!(SWEEPS.part(1600, 4), 200);
        let walks = [
            NUMBERS,
            COMPONENTS,
            LINES,
            PROBES,
            SOLVERS,
            DEFERRED,
            PAUSED_WALKS,
        ];
        assert!(sum(&walks) + SWEEPS.of(1600) <= 1600);
        assert!(sum(&walks) + GRAPH.of(1600) <= 1600);
        // The graph is charged to the sweeps.
        assert!(GRAPH_BESIDE_SWEEPS.of(1600) < sweep_for_graph_on(1, 1600));
        assert_eq!(sweep_for_graph_on(1, 1600), SWEEPS.of(1600));
        assert!(sum(&[NUMBERS, COMPONENTS, NEAR]) <= 1600);
        assert!(sum(&[FILLINGS, SOLVER, SEARCH_PROBES, SUBPROBLEMS]) <= 1600);
        assert!(sum(&[OBSTACLES, DESCENT, EXAMINATIONS]) <= 1600);
        assert!(sum(&[EXACT, SOLVER]) <= 1600);
        assert!(sum(&[CUBES, PROBED_CUBES, CUTTERS]) <= 1600);
    }

    #[test]
    fn a_sweep_on_many_threads_leaves_room_for_what_the_allocator_keeps() {
        let mib = 1 << 20;
        let on = |threads, limit| sweep_on(threads, limit) / mib;
        assert_eq!(
            [1, 2, 8].map(|threads| on(threads, 100 * mib)),
            [50, 48, 36]
        );
        assert_eq!([8, 64].map(|threads| on(threads, 40 * mib)), [6, 5]);
        assert_eq!(on(0, 100 * mib), 50);
        assert_eq!(
            [2, 4, 6, 8, 12].map(|limit| on(8, limit * mib)),
            [1, 2, 2, 2, 2]
        );
        // With `--memory 64M`, random 15x15 puzzle 7011 took 113 MiB on eight threads; about 100 MiB are allowed.
        let in_parts = |threads| sweep_in_parts_on(threads, 100 * mib) / mib;
        assert_eq!([1, 2, 8].map(in_parts), [44, 38, 12]);
        assert_eq!(sweep_in_parts_on(8, 64 * mib) / mib, 8);
        let for_graph = |threads| sweep_for_graph_on(threads, 100 * mib) / mib;
        assert_eq!([0, 1, 2, 8].map(for_graph), [50, 50, 46, 22]);
    }
}
