//! The tree search as a racer.
//!
//! Where components hardly ever repeat, the component table is useless, and a search that neither looks for components at every node nor
//! stores them is several times as fast. It counts the leaves of one tree. Each slice begins with the subtrees that the slice before has left
//! open, a list of cubes.

use std::cmp::Reverse;
use std::sync::Arc;

use super::progress::Progress;
use crate::board::{Board, Cell};
use crate::count::components::ComponentValue;
use crate::count::crew::Crew;
use crate::count::options;
use crate::count::race::{Racer, SliceEnd};
use crate::count::root::Root;
use crate::count::workers::Workers;
use crate::line::Word;
use crate::run::{Activity, Control, Limits, memory_plan};
use crate::search::{Cube, Decision, Outcome, Search};
use crate::solutions::{Count, Stop};

/// Nodes of the first call of the search.
const FIRST_NODES: u64 = 64;

/// A call has at most this factor times the nodes of the call before, and at least the nodes of all calls before divided by it.
const GROWTH: u64 = 16;

/// A search of the tree of one component, or of the whole puzzle.
#[derive(Debug)]
pub(crate) struct TreeRacer<'r, W: Word> {
    root: &'r Root<W>,
    component: Option<usize>,
    tree: Option<OpenTree>,
    progress: Progress,
}

/// What has been found in a tree, and what has not been searched.
#[derive(Clone, Debug)]
struct OpenTree {
    /// The open subtrees as cubes, each with its share of the whole tree.
    cubes: Vec<(Cube, f64)>,
    /// Solutions, nodes, and nanoseconds of work so far.
    found: Count,
    nodes: u64,
    work: u64,
}

/// How a call of the search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallEnd {
    Done,
    More,
    /// The open subtrees cannot be expressed as cubes.
    Lost,
    Stopped,
}

impl<'r, W: Word> TreeRacer<'r, W> {
    /// A search of the tree of a component, with all other components as they are in the witness of the root; or of all components.
    pub(crate) fn new(root: &'r Root<W>, component: Option<usize>) -> Self {
        TreeRacer {
            root,
            component,
            tree: None,
            progress: Progress::default(),
        }
    }
}

impl<W: Word> Racer<W> for TreeRacer<'_, W> {
    fn activity(&self) -> Activity {
        Activity::Searching
    }

    fn advance(
        &mut self,
        workers: &mut Workers<'_, '_, '_, W>,
        work: u64,
        make_room: &(dyn Fn(u64) + Sync),
    ) -> (u64, SliceEnd) {
        let crew = workers.crew();
        make_room(memory_plan::PAUSED_SWEEPS.of(crew.memory));
        let (root, component) = (self.root, self.component);
        let tree = self
            .tree
            .get_or_insert_with(|| OpenTree::new(crew, root, component));
        let before = tree.work;
        let mut last = FIRST_NODES / GROWTH;
        let mut end = CallEnd::More;
        while end == CallEnd::More && tree.work < before + work && !crew.control.poll() {
            let ns_per_node = tree
                .work
                .checked_div(tree.nodes)
                .unwrap_or(options::TREE_NODE_NS)
                .max(1);
            // The work on a region that a call does not finish is lost, so a call has at least a fixed share of all nodes so far.
            let least = FIRST_NODES.max(tree.nodes / GROWTH);
            let wanted = (before + work - tree.work) / ns_per_node;
            last = wanted.clamp(least, least.max(last * GROWTH));
            end = tree.search(crew, last, work <= crew.options.slice_ns);
        }
        let spent = tree.work - before;
        let open: f64 = tree.cubes.iter().map(|(_, share)| share).sum();
        self.progress.record(tree.work, 1.0 - open);
        let end = match end {
            CallEnd::Done => SliceEnd::Counted(ComponentValue::number(tree.found.clone())),
            CallEnd::Lost => SliceEnd::Out,
            CallEnd::More | CallEnd::Stopped => SliceEnd::More,
        };
        (spent, end)
    }

    fn left(&self) -> f64 {
        self.progress.left()
    }

    fn expected_slices(&self) -> u64 {
        options::TREE_EXPECTED
    }

    fn proved(&self) -> Count {
        self.tree
            .as_ref()
            .map_or(Count::ZERO, |tree| tree.found.clone())
    }
}

impl OpenTree {
    /// The whole tree as one cube. The cells that are known, but not found by propagation, are its decisions. So are all cells of other
    /// components, as they are in the known solution: each filling of the component is compatible with these.
    fn new<W: Word>(crew: &Crew<'_, W>, root: &Root<W>, component: Option<usize>) -> Self {
        let mut board = Board::<W>::new(crew.clues);
        let mut path = Vec::new();
        let mut is_consistent = board.propagate_under(&crew.control);
        let mut rows = root.rows.clone();
        let others = root.components.iter().enumerate();
        for (_, other) in others.filter(|&(i, _)| component.is_some_and(|it| it != i)) {
            let witness = root.witness.as_ref().expect("a solution is known");
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
                        is_consistent = board.decide_under(cell, filled, &crew.control);
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

    /// Searches the open subtrees for this number of nodes, on one thread if `alone`.
    fn search<W: Word>(&mut self, crew: &Crew<'_, W>, nodes: u64, alone: bool) -> CallEnd {
        // A call leaves the siblings along a path open. The deepest ones are the smallest subtrees: beginning with them keeps the list short.
        self.cubes.sort_by_key(|(cube, _)| Reverse(cube.path.len()));
        let open_share: f64 = self.cubes.iter().map(|(_, share)| share).sum();
        let (cubes, shares): (Vec<Cube>, Vec<f64>) = self.cubes.drain(..).unzip();
        let part: Arc<Control> = Arc::new(crew.control.part(nodes));
        let mut search = Search::new(crew.puzzle)
            .cubes(cubes)
            .shares(shares)
            .limits(Limits::default().memory(memory_plan::TREE.of(crew.memory)));
        if alone || crew.workers == 1 {
            search = search.single_threaded();
        }
        let outcome = search.count_under(&part);
        crew.status.add_nodes(outcome.statistics.nodes);
        crew.add_statistics(&outcome.statistics);
        self.add(outcome, open_share)
    }

    /// Adds what a call has found in the open subtrees, whose share was `open_share`, and keeps those that it has left open.
    fn add(&mut self, call: Outcome, open_share: f64) -> CallEnd {
        let took = &call.statistics;
        self.nodes += took.nodes;
        self.work += options::TREE_NODE_NS * took.nodes + options::TREE_SETTLE_NS * took.settles;
        self.found += call.solutions.number();
        match call.stopped {
            None => CallEnd::Done,
            Some(Stop::Nodes) if call.cubes.is_empty() => CallEnd::Lost,
            Some(Stop::Nodes) => {
                let still_open = open_share * (1.0 - call.done);
                let shares = call.shares.iter().map(|share| share * still_open);
                self.cubes = call.cubes.into_iter().zip(shares).collect();
                CallEnd::More
            }
            Some(_) => CallEnd::Stopped,
        }
    }
}
