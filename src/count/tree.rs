//! The tree search as a plan.
//!
//! Where components hardly ever repeat, the component table is useless, and a search that neither looks for components at every node nor
//! stores them is several times as fast. It counts the leaves of one tree, in slices of a limited number of nodes. Each slice begins with
//! the subtrees that the slice before has left open, a list of cubes.
//!
//! Beside the quick trial of a count, one thread searches the whole tree, and all threads the rest if its end is in sight.

use std::cmp::Reverse;
use std::sync::Arc;

use super::components::ComponentValue;
use super::open_tree::OpenTree;
use super::plan::{Plan, Trial, TrialEnd};
use super::shared::Shared;
use crate::board::{Board, Cell};
use crate::line::Word;
use crate::run::{Control, Limits, lock, memory_plan};
use crate::search::{Cube, Decision, Outcome, Search};
use crate::solutions::{Count, Stop};

/// Nanoseconds per node and per settle. Fitted to 69 trials on 24 puzzles; a node takes hardly any time beside its settles.
const NODE_NS: u64 = 200;
const SETTLE_NS: u64 = 120;

/// Nodes of the first slice of a trial.
const FIRST_SLICE_NODES: u64 = 64;

/// A slice has at most this factor times the nodes of the slice before, and at least the nodes of all slices before divided by it.
const SLICE_GROWTH: u64 = 16;

/// The end of a tree is in sight if the first slice has left at most this share of it open, and each later slice, of as many nodes as all
/// slices before, this share of what was open. On 15 tournament puzzles, three quarters took 7.6 seconds in sum, and shares of a half to two
/// thirds 7.3 to 7.5; 8.5 without the rest of the tree.
const MAX_OPEN_SHARE: f64 = 0.5;

impl<W: Word> Shared<'_, W> {
    /// Searches the tree of a component with the budget of this trial. If there are others, a solution must be known.
    pub(crate) fn search_tree(&self, trial: Trial) -> TrialEnd {
        let place = self.place(trial.component);
        let earlier = lock(&self.tree).take().filter(|(other, _)| *other == place);
        let mut tree = match earlier {
            Some((_, tree)) => tree,
            None => self.root_of_tree(Some(trial.component)),
        };
        let ended = self.search_slices(&mut tree, trial);
        self.raise_bound(trial.component, tree.found.clone());
        // Without its open subtrees the tree would look complete.
        if !matches!(ended, TrialEnd::Full) {
            *lock(&self.tree) = Some((place, tree));
        }
        ended
    }

    /// Does this work, while another thread searches the whole tree if it has nothing else to do. If the tree is done first, the run is
    /// finished, so that the work is stopped. Returns the tree, unless it cannot be resumed.
    pub(crate) fn search_beside(&self, work: impl FnOnce() + Send) -> Option<OpenTree> {
        let part = Arc::new(self.control.part(u64::MAX));
        let work_then_stop = || {
            work();
            part.stop(Stop::Nodes);
        };
        let search = || {
            if part.poll() {
                return None;
            }
            let mut tree = self.root_of_tree(None);
            let end = self.search_slice(&mut tree, &part, true);
            self.status.raise_bound(tree.found.clone());
            match end {
                None => Some(tree),
                Some(TrialEnd::Done(_)) => {
                    self.control.finish();
                    Some(tree)
                }
                Some(_) => None,
            }
        };
        let (_, tree) = rayon::join(work_then_stop, search);
        tree
    }

    /// Searches the rest of a tree on all threads, as long as its end is in sight. Returns the number of solutions if it is done.
    pub(crate) fn search_rest(&self, mut tree: OpenTree) -> Option<Count> {
        let mut open_before = 1.0;
        while !tree.is_done() {
            if tree.open_share() > MAX_OPEN_SHARE * open_before {
                return None;
            }
            self.status.set_activity(Plan::Tree.activity());
            open_before = tree.open_share();
            let slice = Arc::new(self.control.part(tree.nodes));
            let end = self.search_slice(&mut tree, &slice, false);
            self.status.raise_bound(tree.found.clone());
            if !matches!(end, None | Some(TrialEnd::Done(_))) {
                return None;
            }
        }
        Some(tree.found)
    }

    /// Searches slice by slice, until the tree is done or the budget of the trial is used up.
    fn search_slices(&self, tree: &mut OpenTree, trial: Trial) -> TrialEnd {
        let work_limit = tree.work.saturating_add(trial.budget);
        let mut last = FIRST_SLICE_NODES / SLICE_GROWTH;
        while tree.work < work_limit {
            let work_left = work_limit - tree.work;
            let ns_per_node = tree.work.checked_div(tree.nodes);
            let ns_per_node = ns_per_node.unwrap_or(NODE_NS).max(1);
            // The work on a region that a slice does not finish is lost, so a slice has at least a fixed share of all nodes so far.
            let min_nodes = FIRST_SLICE_NODES.max(tree.nodes / SLICE_GROWTH);
            let slice_nodes =
                (work_left / ns_per_node).clamp(min_nodes, min_nodes.max(last * SLICE_GROWTH));
            if self.control.poll() || self.is_obsolete(trial.component) {
                return TrialEnd::Stopped;
            }
            last = slice_nodes;
            let slice = Arc::new(self.control.part(slice_nodes));
            *lock(&self.slice) = Some(Arc::clone(&slice));
            if let Some(end) = self.search_slice(tree, &slice, trial.is_solo) {
                return end;
            }
            self.raise_bound(trial.component, tree.found.clone());
        }
        let open_share = tree.open_share();
        let forecast = match open_share < 1.0 {
            true => trial.budget as f64 / (1.0 - open_share),
            false => f64::INFINITY,
        };
        TrialEnd::Spent {
            forecast,
            proved: tree.found.to_f64(),
            is_recent: false,
        }
    }

    /// Searches the open subtrees until this part of the run is stopped. Returns the end of the trial, if this was the last slice.
    fn search_slice(
        &self,
        tree: &mut OpenTree,
        part: &Arc<Control>,
        is_solo: bool,
    ) -> Option<TrialEnd> {
        // A slice leaves the siblings along a path open. The deepest ones are the smallest subtrees: beginning with them keeps the
        // list short.
        tree.cubes.sort_by_key(|(cube, _)| Reverse(cube.path.len()));
        let open_share = tree.open_share();
        let (cubes, shares): (Vec<Cube>, Vec<f64>) = tree.cubes.drain(..).unzip();
        let mut search = Search::new(self.puzzle)
            .cubes(cubes)
            .shares(shares)
            .limits(Limits::default().memory(memory_plan::TREE.of(self.memory)));
        if is_solo {
            search = search.single_threaded();
        }
        let outcome = search.count_under(part);
        self.status.add_nodes(outcome.statistics.nodes);
        lock(&self.statistics).add(&outcome.statistics);
        tree.add(outcome, open_share)
    }

    /// The whole tree of a component, or of the puzzle, as one cube. The cells that are known, but not found by propagation, are its
    /// decisions. So are all cells of other components, as they are in the known solution: each filling of the component is compatible with
    /// these.
    fn root_of_tree(&self, component: Option<usize>) -> OpenTree {
        let mut board = Board::<W>::new(self.clues);
        let mut path = Vec::new();
        let mut is_consistent = board.propagate_under(&self.control);
        let mut rows = self.rows.clone();
        let others = self.components.iter().enumerate();
        for (_, other) in others.filter(|&(i, _)| component.is_some_and(|component| component != i))
        {
            let witness = self.witness.as_ref().expect("a solution is known");
            for &(row, cells) in &other.rows {
                let filled = cells & W::from_parts(witness.row(row.into()));
                let known = &mut rows[usize::from(row)];
                known.filled |= filled;
                known.empty |= cells & !filled;
            }
        }
        for (row, known) in rows.iter().enumerate() {
            for column in (known.filled | known.empty).cells() {
                let (cell, filled) = (Cell::new(row, column), known.filled.has(column));
                if is_consistent != Some(false) && board.is_unknown(cell) {
                    // If the run has ended, all unknown cells become decisions, also those that propagation would find.
                    if is_consistent.is_some() {
                        is_consistent = board.decide_under(cell, filled, &self.control);
                    }
                    path.push(Decision { cell, filled });
                }
            }
        }
        OpenTree {
            cubes: vec![(Cube { path }, 1.0)],
            found: Count::ZERO,
            nodes: 0,
            work: 0,
        }
    }
}

impl OpenTree {
    /// Adds what a slice has found in the open subtrees, whose share was `open_share`, and keeps those that it has left open. Returns the
    /// end of the trial, if this was the last slice.
    fn add(&mut self, slice: Outcome, open_share: f64) -> Option<TrialEnd> {
        let took = &slice.statistics;
        self.nodes += took.nodes;
        self.work += NODE_NS * took.nodes + SETTLE_NS * took.settles;
        self.found += slice.solutions.number();
        match slice.stopped {
            None => Some(TrialEnd::Done(ComponentValue::number(self.found.clone()))),
            // The open subtrees cannot be expressed as cubes.
            Some(Stop::Nodes) if slice.cubes.is_empty() => Some(TrialEnd::Full),
            Some(Stop::Nodes) => {
                let still_open = open_share * (1.0 - slice.done);
                let shares = slice.shares.iter().map(|share| share * still_open);
                self.cubes = slice.cubes.into_iter().zip(shares).collect();
                None
            }
            Some(_) => Some(TrialEnd::Stopped),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use super::super::Counter;
    use super::super::components::{ComponentTable, Store};
    use super::super::options::Method;
    use super::super::root::components;
    use super::super::selection::PlanSelection;
    use super::super::shared::tests::{setup, two_permutations, with_shared};
    use super::super::status::Status;
    use super::*;
    use crate::board::Clues;
    use crate::puzzle::{Clue, Puzzle};
    use crate::run::Control;

    /// The number of solutions in which the first cell is filled, counted in trials of minimum budget; and the number of trials.
    fn count_in_slices(puzzle: &Puzzle) -> (Count, u32) {
        let setup = Counter::new(puzzle).setup;
        let clues = Clues::new(puzzle);
        let control = Arc::new(Control::new(&setup.limits, false));
        let status = Status::new(Instant::now(), Count::ZERO);
        let store = Store::new(Arc::new(ComponentTable::new(1 << 20)), false, 1 << 20);
        let selection = PlanSelection::new(Method::Auto, 1, 0);
        let mut shared = Shared::new(&setup, &clues, control, &status, 1 << 24, store, selection);
        let mut board = Board::<u64>::new(&clues);
        assert!(board.propagate() && board.decide(Cell::new(0, 0), true));
        shared.rows = board.rows().to_vec();
        let components = components(&board, &shared.store.table.state_numbers, &shared.control);
        shared.components = components.expect("nothing stops it");
        let trial = Trial {
            budget: 1,
            ..Trial::of(Plan::Tree)
        };
        let (mut proved, mut open_before) = (0.0, 1.0);
        for trials in 1.. {
            match shared.search_tree(trial) {
                TrialEnd::Done(value) => {
                    assert!(open_before < 1.0);
                    return (value.count, trials);
                }
                TrialEnd::Spent {
                    proved: now,
                    forecast,
                    ..
                } => {
                    assert!(now >= proved && forecast >= 1.0, "{now} {forecast}");
                    proved = now;
                    // What is left of the tree never grows, and its share gives the forecast.
                    let tree = lock(&shared.tree);
                    let (_, tree) = tree.as_ref().expect("it can be resumed");
                    let open: f64 = tree.cubes.iter().map(|(_, share)| share).sum();
                    assert!(0.0 < open && open <= open_before, "{open} {open_before}");
                    assert_eq!(forecast, 1.0 / (1.0 - open));
                    open_before = open;
                }
                ended => panic!("a trial without limits was stopped: {ended:?}"),
            }
        }
        unreachable!("the loop has no end")
    }

    #[test]
    fn slices_count_every_solution_once() {
        let ones = vec![Clue::new([1]).unwrap(); 8];
        let puzzle = Puzzle::new(ones.clone(), ones).unwrap();
        let (count, trials) = count_in_slices(&puzzle);
        assert_eq!(count, Count::from(5040));
        assert!(trials > 3, "{trials}");
    }

    /// Once, the tree was tried only where the puzzle had one component, although it was several times as fast on a large one beside a small
    /// one.
    #[test]
    fn each_component_has_a_tree_if_a_solution_is_known() {
        let puzzle = two_permutations();
        with_shared(&setup(&puzzle), false, |mut shared, _| {
            shared.witness = Search::new(&puzzle).solve().0;
            for (component, count) in [2, 6].into_iter().enumerate() {
                let trial = Trial {
                    component,
                    ..Trial::of(Plan::Tree)
                };
                match shared.search_tree(trial) {
                    TrialEnd::Done(value) => assert_eq!(value.count, Count::from(count)),
                    ended => panic!("{ended:?}"),
                }
                shared.report(
                    trial,
                    TrialEnd::Done(ComponentValue::number(Count::from(count))),
                );
            }
            assert_eq!(shared.lower_bound(), Count::from(12));
        });
    }

    #[test]
    fn the_tree_counts_beside_other_work_until_that_is_done() {
        let puzzle = two_permutations();
        let pool = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap()
        };
        with_shared(&setup(&puzzle), false, |shared, _| {
            let tree = pool(1).install(|| shared.search_beside(|| ()));
            assert!(tree.is_none() && !shared.control.stopped());
            let wait = || {
                while !shared.control.stopped() {
                    std::thread::yield_now();
                }
            };
            let tree = pool(2).install(|| shared.search_beside(wait)).unwrap();
            assert!(tree.is_done());
            assert_eq!(shared.search_rest(tree), Some(Count::from(12)));
            assert!(shared.control.stopped() && shared.control.reason().is_none());
        });
        // A run that has been stopped is not finished.
        with_shared(&setup(&puzzle), false, |shared, _| {
            shared.control.stop(Stop::Time);
            let tree = pool(2).install(|| shared.search_beside(|| ()));
            assert!(tree.is_none());
            assert_eq!(shared.control.reason(), Some(Stop::Time));
        });
    }

    #[test]
    fn the_rest_of_a_tree_is_searched_if_its_end_is_in_sight() {
        let puzzle = two_permutations();
        for (nodes, is_near) in [(0, false), (4, true)] {
            with_shared(&setup(&puzzle), false, |shared, _| {
                let mut tree = shared.root_of_tree(None);
                let slice = Arc::new(shared.control.part(nodes));
                assert!(shared.search_slice(&mut tree, &slice, true).is_none());
                assert!(!tree.is_done());
                assert_eq!(tree.open_share() <= MAX_OPEN_SHARE, is_near);
                let count = shared.search_rest(tree);
                assert_eq!(count, is_near.then(|| Count::from(12)));
            });
        }
    }

    /// A tree without open subtrees would look complete.
    #[test]
    fn a_stopped_slice_without_cubes_ends_the_tree() {
        let ones = vec![Clue::new([1]).unwrap(); 8];
        let puzzle = Puzzle::new(ones.clone(), ones).unwrap();
        for is_known in [true, false] {
            with_shared(&setup(&puzzle), false, |shared, _| {
                let mut tree = shared.root_of_tree(Some(0));
                let mut slice = Search::new(&puzzle)
                    .limits(Limits::default().nodes(Some(100)))
                    .count();
                assert_eq!(slice.stopped, Some(Stop::Nodes));
                if !is_known {
                    slice.cubes.clear();
                }
                let (left, share) = (slice.cubes.len(), 0.5 * (1.0 - slice.done));
                let ended = tree.add(slice, 0.5);
                match is_known {
                    true => {
                        assert!(ended.is_none());
                        let open: f64 = tree.cubes.iter().map(|(_, share)| share).sum();
                        assert!((open - share).abs() < 1e-9, "{open} {share}");
                        assert_eq!(tree.cubes.len(), left);
                    }
                    false => assert!(matches!(ended, Some(TrialEnd::Full))),
                }
            });
        }
    }

    /// Otherwise slice after slice would be stopped by the limit of the run, as if by its own.
    #[test]
    fn no_slice_begins_after_the_end_of_the_run_or_of_the_component() {
        let puzzle = two_permutations();
        for component in [0, 1] {
            with_shared(&setup(&puzzle), false, |mut shared, _| {
                shared.witness = Search::new(&puzzle).solve().0;
                if component == 0 {
                    shared.control.stop(Stop::Nodes);
                }
                let trial = Trial {
                    component,
                    budget: 1_000_000,
                    ..Trial::of(Plan::Tree)
                };
                assert!(matches!(shared.search_tree(trial), TrialEnd::Stopped));
                let tree = lock(&shared.tree);
                let (_, tree) = tree.as_ref().expect("it can be resumed");
                assert_eq!((tree.cubes.len(), tree.nodes), (1, 0));
            });
        }
    }
}
