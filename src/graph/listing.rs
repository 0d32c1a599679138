//! All solutions in the order of the graph, with little work for each: the fillings of a small region are listed once, and all bundles with
//! this region share the list.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::condition::Overlay;
use super::fillings::list_solutions;
use super::packed_grid::Canvas;
use super::runs::{EMPTY, FILLED, FIRST_CHILD};
use super::solution_graph::Root;
use super::solution_graph::SolutionGraph;
use crate::solutions::{Batch, Count, Factor, Sink, Stop, expand};

/// Maximum number of solutions of a region that is listed.
const MAX_LISTED_SOLUTIONS: u64 = 1024;

/// Number of words of all cached lists beyond which the cache is cleared.
const MAX_CACHED_WORDS: usize = 1 << 23;

/// Bundles per batch.
const BUNDLES_PER_BATCH: usize = 256;

/// A partial solution: decided cells, lists of fillings of small regions, and undecided large regions.
#[derive(Clone, Debug)]
struct PartialSolution {
    grid: Canvas,
    factors: Vec<Arc<Factor>>,
    /// The undecided large regions.
    nodes: Vec<PlacedNode>,
}

/// A node, and the positions of its cells in the packed grid.
type PlacedNode = (u32, Arc<[u32]>);

/// Cache of the lists of small regions.
#[derive(Debug)]
struct ListCache<'a> {
    overlay: Overlay<'a>,
    lists: HashMap<PlacedNode, Arc<Factor>>,
    words: usize,
}

impl SolutionGraph {
    /// Calls `show` with every solution, packed as in [`Grid`](crate::puzzle::Grid), in no particular order, until it returns `false`;
    /// returns whether all solutions were visited.
    pub fn each(&self, mut show: impl FnMut(&[u64]) -> bool) -> bool {
        let mut scratch = Vec::new();
        self.bundles(|grid, factors| {
            scratch.clear();
            scratch.extend_from_slice(grid);
            let mut wants_more = true;
            expand(&mut scratch, factors, |words| {
                wants_more = show(words);
                wants_more
            });
            wants_more
        })
    }

    /// Passes all solutions to a sink, as bundles. Breaks when the sink does.
    ///
    /// ```
    /// use omnogram::count::Counter;
    /// use omnogram::puzzle::{Clue, Puzzle};
    /// use omnogram::solutions::Set;
    ///
    /// let ones = vec![Clue::new([1])?; 5];
    /// let puzzle = Puzzle::new(ones.clone(), ones)?;
    /// let graph = Counter::new(&puzzle).graph().0.unwrap();
    /// let set = Set::new(1 << 20);
    /// assert!(graph.run(&set).is_continue());
    /// assert_eq!((set.len(), set.repeats()), (120, 0));
    /// # Ok::<(), omnogram::error::Error>(())
    /// ```
    pub fn run(&self, sink: &dyn Sink) -> ControlFlow<Stop> {
        let empty = || Batch::new(self.width(), self.height());
        let mut batch = empty();
        if !sink.wants_grids() {
            batch.push_count(self.count());
            return sink.take(batch);
        }
        let mut flow = ControlFlow::Continue(());
        self.bundles(|grid, factors| {
            batch.push_bundle(grid, factors);
            if batch.leaves() == BUNDLES_PER_BATCH {
                flow = sink.take(std::mem::replace(&mut batch, empty()));
            }
            flow.is_continue()
        });
        flow?;
        sink.take(batch)
    }

    /// Calls `show` with every bundle until it returns `false`; returns whether all bundles were visited.
    fn bundles(&self, mut show: impl FnMut(&[u64], &[Arc<Factor>]) -> bool) -> bool {
        if self.count().is_zero() {
            return true;
        }
        let mut cache = ListCache {
            overlay: Overlay::new(self),
            lists: HashMap::new(),
            words: 0,
        };
        let mut root = PartialSolution {
            grid: Canvas::new(self.known()),
            factors: Vec::new(),
            nodes: Vec::new(),
        };
        for Root { node, positions } in self.roots() {
            cache.add_node(&mut root, *node, positions);
        }
        let (mut stack, mut child_positions) = (vec![root], Vec::new());
        while let Some(mut partial) = stack.pop() {
            let Some((node, positions)) = partial.nodes.pop() else {
                if !show(partial.grid.words(), &partial.factors) {
                    return false;
                }
                continue;
            };
            for edge in self.edges_of(node) {
                let mut below = partial.clone();
                child_positions.iter_mut().for_each(Vec::clear);
                child_positions.resize(edge.children.len().max(child_positions.len()), Vec::new());
                edge.for_each_run(&positions, |code, run| match code {
                    EMPTY => {}
                    FILLED => below.grid.fill(run),
                    child_code => {
                        child_positions[(child_code - FIRST_CHILD) as usize].extend_from_slice(run);
                    }
                });
                for (&node, positions) in edge.children.iter().zip(&child_positions) {
                    cache.add_node(&mut below, node, positions);
                }
                stack.push(below);
            }
        }
        true
    }
}

impl ListCache<'_> {
    /// Adds a node to a partial solution: as a list of its fillings if it has few, or else as an undecided region.
    fn add_node(&mut self, partial: &mut PartialSolution, node: u32, positions: &[u32]) {
        if self.overlay.count(node) > Count::from(MAX_LISTED_SOLUTIONS) {
            partial.nodes.push((node, positions.into()));
        } else if !positions.is_empty() {
            partial.factors.push(self.factor((node, positions.into())));
        }
    }

    fn factor(&mut self, placed: PlacedNode) -> Arc<Factor> {
        if let Some(factor) = self.lists.get(&placed) {
            return Arc::clone(factor);
        }
        let fillings = list_solutions(&self.overlay, placed.0, &placed.1);
        let factor = Arc::new(Factor::new(fillings.word_indices, fillings.words));
        if self.words > MAX_CACHED_WORDS {
            self.lists.clear();
            self.words = 0;
        }
        self.words += factor.words() + placed.1.len() / 2;
        self.lists.insert(placed, Arc::clone(&factor));
        factor
    }
}
