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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Mutex;

    use super::super::builder::Builder;
    use super::super::edge::Edge;
    use super::*;
    use crate::board::Cell;
    use crate::puzzle::Grid;
    use crate::run::lock;

    fn in_row(width: usize) -> Vec<Cell> {
        (0..width).map(|column| Cell::new(0, column)).collect()
    }

    /// A node with this number of fillings of 13 cells, in one row.
    fn region(count: u64) -> SolutionGraph {
        let mut builder = Builder::new();
        let edges = (0..count).map(|bits| Edge::from_bits(bits, 13));
        let node = builder.add_node(edges.collect());
        builder.finish(&Grid::new(13, 1), vec![(node, in_row(13))])
    }

    /// A region of too many solutions to be listed, whose cells are left to two children.
    #[test]
    fn a_large_region_with_children_has_all_solutions() {
        let mut builder = Builder::new();
        let nested = builder.add_nested();
        let node = builder.add(&[
            ("#0101010101010101", &[nested, nested]),
            (".0000000011111111", &[nested, nested]),
        ]);
        let graph = builder.finish(&Grid::new(17, 1), vec![(node, in_row(17))]);
        let mut builder = Builder::new();
        let nested = builder.add_nested();
        let one = builder.finish(&Grid::new(8, 1), vec![(nested, in_row(8))]);
        let mut of_one = BTreeSet::new();
        assert!(one.each(|words| of_one.insert(words[0])));
        assert_eq!(of_one.len(), 56);
        let mut wanted = BTreeSet::new();
        for &a in &of_one {
            for &b in &of_one {
                let bit = |word: u64, i: u64, at: u64| (word >> i & 1) << at;
                let mixed: u64 = (0..8)
                    .map(|i| bit(a, i, 1 + 2 * i) | bit(b, i, 2 + 2 * i))
                    .sum();
                wanted.extend([1 | mixed, a << 1 | b << 9]);
            }
        }
        let mut found = BTreeSet::new();
        assert!(
            graph.each(|words| found.insert(words[0])),
            "a solution twice"
        );
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_region_of_few_solutions_is_one_list() {
        for (count, bundles) in [(1, 1), (1024, 1), (1025, 1025)] {
            let mut shown = 0;
            assert!(region(count).bundles(|_, factors| {
                shown += 1;
                assert_eq!(factors.len(), usize::from(bundles == 1));
                true
            }));
            assert_eq!(shown, bundles);
        }
    }

    /// The numbers of bundles of all batches.
    #[derive(Default)]
    struct Leaves(Mutex<Vec<usize>>);

    impl Sink for Leaves {
        fn wants_grids(&self) -> bool {
            true
        }

        fn take(&self, batch: Batch) -> ControlFlow<Stop> {
            lock(&self.0).push(batch.leaves());
            ControlFlow::Continue(())
        }
    }

    #[test]
    fn batches_have_a_certain_number_of_bundles() {
        let leaves = Leaves::default();
        assert!(region(1100).run(&leaves).is_continue());
        assert_eq!(lock(&leaves.0)[..], [256, 256, 256, 256, 76]);
    }

    /// Lists are shared by all places that are the same, until their words are too many.
    #[test]
    fn the_cache_is_cleared_when_it_is_full() {
        let graph = region(1024);
        let mut cache = ListCache {
            overlay: Overlay::new(&graph),
            lists: HashMap::new(),
            words: 0,
        };
        let at = |start: u32| (0, (start..start + 13).collect::<Arc<[u32]>>());
        let first = cache.factor(at(0));
        // One index, the fillings, and half a word for each position.
        assert_eq!(cache.words, 1 + 1024 + 6);
        assert!(Arc::ptr_eq(&first, &cache.factor(at(0))));
        cache.factor(at(64));
        assert_eq!((cache.lists.len(), cache.words), (2, 2 * 1031));
        cache.words = MAX_CACHED_WORDS;
        cache.factor(at(128));
        assert_eq!(cache.lists.len(), 3);
        cache.factor(at(192));
        assert_eq!((cache.lists.len(), cache.words), (1, 1031));
    }
}
