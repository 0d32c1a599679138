//! Builds the solution graph, which also counts the solutions, in rounds of growing work. If it is built by branching alone, the number alone
//! is tried before each round by sweeps, as long as that is cheap.

use super::options::Method;
use super::plan::Plan;
use super::selection::PlanSelection;
use super::setup::{GraphProgress, Setup};
use super::shared::Shared;
use super::sweep::Direction;
use crate::line::Word;
use crate::run::lock;
use crate::solutions::{Count, Stop};

/// Work of each plan in the first round, as a multiple of [`Options::trial_ns`](super::options::Options::trial_ns), and the factor by which
/// it grows per round. A round must not be short: plan selection is interrupted at its end, and no order, not even the leading one, gets
/// more work than the round has.
const FIRST_ROUND_WORK: u64 = 96;
const GROWTH: u64 = 4;

/// The same for the first round, where sweeps are among the plans. The number is not tried by other sweeps then, so that rounds serve only to
/// tell how far the graph is.
const FIRST_ROUND_WORK_WITH_SWEEPS: u64 = 1000;

/// Before a round, these sweeps try to count the number alone. A component that is too wide for both is left to branching, which the
/// graph needs anyway.
const SWEEPS: &[Plan] = &[Plan::Sweep(Direction::Down), Plan::Sweep(Direction::Right)];

/// Work of each sweep before the first round, as such a multiple; it grows by [`GROWTH`] per round. Above the maximum no sweeps are done.
const FIRST_SWEEP_WORK: u64 = 4;
const MAX_SWEEP_WORK: u64 = 64;

/// A count that builds the solution graph.
#[derive(Debug, Default)]
pub(crate) struct GraphCount {
    /// The number of solutions, once it was counted without the graph.
    pub(crate) number: Option<Count>,
}

impl GraphCount {
    /// Whether the number is known to be 0.
    pub(crate) fn is_zero(&self) -> bool {
        self.number.as_ref().is_some_and(Count::is_zero)
    }

    /// Counts all components and builds their graph, until each plan has had `work_limit` nanoseconds of work; and the number alone while
    /// that is cheap.
    pub(crate) fn run<W: Word>(
        &mut self,
        shared: &mut Shared<'_, W>,
        setup: &Setup<'_>,
        work_limit: u64,
    ) {
        let trial = setup.options.trial_ns;
        let first_round = match setup.decides_cells {
            true => FIRST_ROUND_WORK,
            false => FIRST_ROUND_WORK_WITH_SWEEPS,
        };
        let (mut round_work, mut sweep_work) = (first_round * trial, FIRST_SWEEP_WORK * trial);
        loop {
            if setup.decides_cells && sweep_work <= MAX_SWEEP_WORK * trial {
                let sweeps = PlanSelection::new_short(shared.components.len(), sweep_work, SWEEPS);
                self.count(shared, sweeps);
            }
            if shared.control.stopped() || self.is_zero() {
                return;
            }
            lock(&shared.selection).extend(round_work.min(work_limit));
            shared.run_workers();
            if lock(&shared.selection).is_over() || shared.control.stopped() {
                return;
            }
            if shared.store.is_outgrown() {
                // The graph is dropped. The number alone may take as much work as the last round, with the memory that is now free.
                shared.store.drop_graph();
                let selection = PlanSelection::new(Method::Auto, shared.components.len(), trial);
                self.count(shared, selection.with_work_limit(round_work));
                shared.control.stop(Stop::Memory);
                return;
            }
            if round_work >= work_limit {
                return;
            }
            round_work = round_work.max(1).saturating_mul(GROWTH);
            sweep_work = sweep_work.max(1).saturating_mul(GROWTH);
            if let (Some(observer), Some(graph)) = (setup.graph_observer, &shared.store.graph) {
                observer(&GraphProgress {
                    solutions: self.number.clone(),
                    nodes: graph.node_count() as u64,
                    bytes: graph.bytes(),
                    max_bytes: shared.store.max_graph_bytes,
                });
            }
        }
    }

    /// Counts the number alone by this plan selection, if it is not known yet.
    fn count<W: Word>(&mut self, shared: &mut Shared<'_, W>, selection: PlanSelection) {
        if self.number.is_some() {
            return;
        }
        let (graph, memory) = (shared.store.graph.take(), shared.memory);
        if graph.is_some() {
            shared.memory /= 4;
        }
        let kept_walks = std::mem::take(&mut *lock(&shared.paused_walks));
        let kept = shared.replace_selection(selection);
        shared.run_workers();
        let selection = shared.replace_selection(kept);
        *lock(&shared.paused_walks) = kept_walks;
        if selection.is_over() {
            self.number = Some(selection.result().0);
        }
        shared.store.graph = graph;
        shared.memory = memory;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::super::shared::tests::{setup, two_permutations, with_shared};
    use super::*;
    use crate::puzzle::Puzzle;

    /// The selection that the driver begins for a graph.
    fn select(shared: &Shared<'_, u64>, trial_ns: u64) {
        let components = shared.components.len();
        let selection = PlanSelection::new(Method::Regions, components, trial_ns);
        shared.replace_selection(selection);
    }

    #[test]
    fn a_graph_that_is_complete_after_the_first_round_takes_no_other() {
        let rounds = AtomicU64::new(0);
        let observer = |_: &GraphProgress| {
            rounds.fetch_add(1, Ordering::Relaxed);
        };
        let puzzle = two_permutations();
        let mut setup = setup(&puzzle);
        setup.graph_observer = Some(&observer);
        with_shared(&setup, true, |mut shared, _| {
            select(&shared, setup.options.trial_ns);
            let mut count = GraphCount::default();
            count.run(&mut shared, &setup, u64::MAX);
            assert_eq!(count.number, Some(Count::from(12)));
            assert!(lock(&shared.selection).nodes().is_some());
            assert_eq!(shared.lower_bound(), Count::from(12));
        });
        assert_eq!(rounds.into_inner(), 0);
    }

    /// Once, a round ended with its worker, and the sweep of that worker began again in the next round.
    #[test]
    fn a_sweep_goes_on_in_the_next_round() {
        let ones = vec![[1]; 12];
        let puzzle = Puzzle::from_clues(&ones, &ones).unwrap();
        with_shared(&setup(&puzzle), true, |shared, _| {
            let selection = PlanSelection::new(Method::Frontier, 1, 1000);
            shared.replace_selection(selection);
            let mut before = 0;
            for work_limit in [100_000, 1_000_000] {
                lock(&shared.selection).extend(work_limit);
                shared.run_workers();
                let paused = lock(&shared.paused_sweeps).take(0, Direction::Down);
                let sweep = paused.expect("it has paused");
                assert!(sweep.work_ns() > before && sweep.work_ns() >= work_limit);
                before = sweep.work_ns();
                lock(&shared.paused_sweeps).keep(Direction::Down, sweep);
            }
        });
    }

    #[test]
    fn no_graph_is_built_once_the_number_is_known_to_be_zero() {
        let puzzle = two_permutations();
        let setup = setup(&puzzle);
        with_shared(&setup, true, |mut shared, _| {
            select(&shared, setup.options.trial_ns);
            let mut count = GraphCount {
                number: Some(Count::ZERO),
            };
            assert!(count.is_zero());
            count.run(&mut shared, &setup, u64::MAX);
            assert_eq!(lock(&shared.selection).component(), 0);
            assert_eq!(shared.lower_bound(), Count::ZERO);
            assert_eq!(lock(&shared.statistics).nodes, 0);
        });
    }

    #[test]
    fn beside_a_graph_the_number_is_counted_in_a_quarter_of_the_memory() {
        let ones = vec![[1]; 10];
        let puzzle = Puzzle::from_clues(&ones, &ones).unwrap();
        let is_counted = |memory, keeps_graph| {
            let mut is_counted = false;
            with_shared(&setup(&puzzle), keeps_graph, |mut shared, _| {
                shared.memory = memory;
                let mut count = GraphCount::default();
                let sweeps = PlanSelection::new_short(1, 1_000_000_000, SWEEPS);
                count.count(&mut shared, sweeps);
                assert_eq!(shared.memory, memory);
                assert_eq!(shared.store.keeps_graph(), keeps_graph);
                is_counted = count.number.is_some();
            });
            is_counted
        };
        let memory = 1 << 17;
        assert!(is_counted(memory, false));
        assert!(!is_counted(memory, true));
        assert!(is_counted(4 * memory, true));
    }
}
