//! The tree search as a plan of the contest.
//!
//! Where the components of a puzzle hardly ever repeat, the component table is of no use, and a search that neither looks for components at
//! every node nor remembers them gets several times as far. It counts the leaves of one tree, a slice of nodes at a time, and goes on where
//! the slice before has ended: what is open is a list of cubes.

use std::cmp::Reverse;
use std::sync::Arc;

use super::components::ComponentValue;
use super::open_tree::OpenTree;
use super::plan::{Ended, Trial};
use super::shared::Shared;
use crate::board::{Board, Cell};
use crate::line::Word;
use crate::run::{Limits, lock, shares};
use crate::search::{Cube, Decision, Search};
use crate::solutions::{Count, Stop};

/// Nanoseconds that a node of the tree takes, and a settle.
const NODE: u64 = 1000;
const SETTLE: u64 = 120;

/// Nodes of the first slice of a trial, and a factor. A slice has at most this number of times the nodes of the slice before, and at least the
/// nodes of all slices before divided by it.
const FIRST_NODES: u64 = 64;
const LONGER: u64 = 16;

impl<W: Word> Shared<'_, W> {
    /// Counts the one part by the tree, for the work of this trial.
    pub(crate) fn search_tree(&self, trial: Trial) -> Ended {
        let place = self.place(trial.component);
        let before = lock(&self.tree).take().filter(|(of, _)| *of == place);
        let mut tree = before.map_or_else(|| self.root_of_tree(), |(_, tree)| tree);
        let ended = self.search_slices(&mut tree, trial);
        self.raise_bound(trial.component, tree.found.clone());
        *lock(&self.tree) = Some((place, tree));
        ended
    }

    fn search_slices(&self, tree: &mut OpenTree, trial: Trial) -> Ended {
        let until = tree.work.saturating_add(trial.budget);
        let mut last = FIRST_NODES / LONGER;
        while tree.work < until {
            let left = until - tree.work;
            let each = tree.work.checked_div(tree.nodes).unwrap_or(NODE).max(1);
            // What a slice has done of a region that it does not finish is lost, so slices grow with the nodes of all before.
            let least = FIRST_NODES.max(tree.nodes / LONGER);
            let want = (left / each).clamp(least, least.max(last * LONGER));
            if self.control.poll() || self.is_obsolete(trial.component) {
                return Ended::Stopped;
            }
            last = want;
            // A slice leaves a path and its siblings open. The deepest are done soonest; begun with others, the list would grow and grow.
            tree.cubes.sort_by_key(|(cube, _)| Reverse(cube.path.len()));
            let (cubes, shares): (Vec<Cube>, Vec<f64>) = tree.cubes.drain(..).unzip();
            let all: f64 = shares.iter().sum();
            let mut search = Search::new(self.puzzle)
                .cubes(cubes)
                .shares(shares)
                .limits(Limits {
                    memory: Some(self.memory / shares::TREE),
                    ..Limits::default()
                });
            if trial.alone {
                search = search.alone();
            }
            let slice = Arc::new(self.control.part(want));
            *lock(&self.slice) = Some(Arc::clone(&slice));
            let outcome = search.count_under(&slice);
            let took = &outcome.statistics;
            self.status.add_nodes(took.nodes);
            lock(&self.statistics).add(took);
            tree.nodes += took.nodes;
            tree.work += NODE * took.nodes + SETTLE * took.settles;
            tree.found += outcome.solutions.number();
            match outcome.stopped {
                None => return Ended::Done(ComponentValue::number(tree.found.clone())),
                Some(Stop::Nodes) if !outcome.cubes.is_empty() => {
                    let rest = all * (1.0 - outcome.done);
                    let shares = outcome.shares.iter().map(|share| share * rest);
                    tree.cubes = outcome.cubes.into_iter().zip(shares).collect();
                }
                // What is open cannot be said by cubes.
                Some(Stop::Nodes) => return Ended::Full,
                Some(_) => return Ended::Stopped,
            }
            self.raise_bound(trial.component, tree.found.clone());
        }
        let open: f64 = tree.cubes.iter().map(|(_, share)| share).sum();
        let foreseen = match open < 1.0 {
            true => trial.budget as f64 / (1.0 - open),
            false => f64::INFINITY,
        };
        Ended::Spent {
            foreseen,
            proved: tree.found.to_f64(),
        }
    }

    /// The whole tree: the cells that are known beyond what propagation finds are decisions of its only cube.
    fn root_of_tree(&self) -> OpenTree {
        let mut board = Board::<W>::new(self.clues);
        let mut path = Vec::new();
        let mut alive = board.propagate();
        for (row, known) in self.rows.iter().enumerate() {
            for column in (known.filled | known.empty).cells() {
                let (cell, filled) = (Cell::new(row, column), known.filled.has(column));
                if alive && board.is_unknown(cell) {
                    alive = board.decide(cell, filled);
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use super::super::Counter;
    use super::super::components::{ComponentTable, Store};
    use super::super::options::Method;
    use super::super::plan::Plan;
    use super::super::plan_selection::PlanSelection;
    use super::super::status::Status;
    use super::*;
    use crate::board::Clues;
    use crate::puzzle::{Clue, Puzzle};
    use crate::run::Control;

    /// The number of solutions of a puzzle in which the first cell is filled, found in slices of as little work as can be; and how many
    /// trials there were.
    fn in_slices(puzzle: &Puzzle) -> (Count, u32) {
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
        let trial = Trial {
            component: 0,
            plan: Plan::Tree,
            budget: 1,
            had: 0,
            thorough: false,
            alone: true,
        };
        let mut proved = 0.0;
        for trials in 1.. {
            match shared.search_tree(trial) {
                Ended::Done(value) => return (value.count, trials),
                Ended::Spent {
                    proved: now,
                    foreseen,
                } => {
                    assert!(now >= proved && foreseen >= 1.0, "{now} {foreseen}");
                    proved = now;
                }
                ended => panic!("nothing stops it: {ended:?}"),
            }
        }
        unreachable!("it ends")
    }

    #[test]
    fn a_tree_that_is_searched_in_slices_is_counted_once() {
        let ones = vec![Clue::new([1]).unwrap(); 8];
        let puzzle = Puzzle::new(ones.clone(), ones).unwrap();
        let (count, trials) = in_slices(&puzzle);
        assert_eq!(count, Count::from(5040));
        assert!(trials > 3, "{trials}");
    }
}
