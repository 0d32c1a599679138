//! All solutions in the order of the graph, as fast as they can be copied: small regions are listed once, and bundles carry the
//! lists wherever the region comes again.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::condition::Layers;
use super::fillings::list;
use super::picture::Canvas;
use super::runs::{EMPTY, FILLED, LEFT};
use super::solution_graph::Root;
use super::solution_graph::SolutionGraph;
use crate::solutions::{Batch, Count, Factor, Sink, Stop, expand};

/// Most solutions of a region that is listed.
const MOST: u64 = 1024;

/// Words of lists that are kept for regions that come again.
const KEPT: usize = 1 << 23;

/// Bundles of a batch.
const LEAVES: usize = 256;

/// What is decided, the lists that are laid over it, and the large regions that are still open.
#[derive(Clone, Debug)]
struct OpenRegions {
    picture: Canvas,
    factors: Vec<Arc<Factor>>,
    /// Each with the places of its cells.
    nodes: Vec<Placed>,
}

/// A node, and the places of its cells in the picture.
type Placed = (u32, Arc<[u32]>);

/// The lists of small regions.
#[derive(Debug)]
struct Lists<'a> {
    layers: Layers<'a>,
    kept: HashMap<Placed, Arc<Factor>>,
    words: usize,
}

impl SolutionGraph {
    /// Shows every solution, packed as in [`Grid`](crate::puzzle::Grid), in no particular order, until `show` returns `false`; says
    /// whether it went to the end.
    pub fn each(&self, mut show: impl FnMut(&[u64]) -> bool) -> bool {
        let mut scratch = Vec::new();
        self.bundles(|picture, factors| {
            scratch.clear();
            scratch.extend_from_slice(picture);
            let mut wanted = true;
            expand(&mut scratch, factors, |words| {
                wanted = show(words);
                wanted
            });
            wanted
        })
    }

    /// Gives every solution to a sink, as bundles. Breaks when the sink does.
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
        let mut answer = ControlFlow::Continue(());
        self.bundles(|picture, factors| {
            batch.push_bundle(picture, factors);
            if batch.leaves() == LEAVES {
                answer = sink.take(std::mem::replace(&mut batch, empty()));
            }
            answer.is_continue()
        });
        answer?;
        sink.take(batch)
    }

    /// Shows every bundle until `show` returns `false`; says whether it went to the end.
    fn bundles(&self, mut show: impl FnMut(&[u64], &[Arc<Factor>]) -> bool) -> bool {
        if self.count().is_zero() {
            return true;
        }
        let mut lists = Lists {
            layers: Layers::new(self),
            kept: HashMap::new(),
            words: 0,
        };
        let mut root = OpenRegions {
            picture: Canvas::new(self.known()),
            factors: Vec::new(),
            nodes: Vec::new(),
        };
        for Root { node, places } in self.roots() {
            lists.open(&mut root, *node, places);
        }
        let (mut stack, mut cells) = (vec![root], Vec::new());
        while let Some(mut open) = stack.pop() {
            let Some((node, places)) = open.nodes.pop() else {
                if !show(open.picture.words(), &open.factors) {
                    return false;
                }
                continue;
            };
            for edge in self.edges_of(node) {
                let mut below = open.clone();
                cells.iter_mut().for_each(Vec::clear);
                cells.resize(edge.rest.len().max(cells.len()), Vec::new());
                edge.each(&places, |becomes, here| match becomes {
                    EMPTY => {}
                    FILLED => below.picture.fill(here),
                    left => cells[(left - LEFT) as usize].extend_from_slice(here),
                });
                for (&node, places) in edge.rest.iter().zip(&cells) {
                    lists.open(&mut below, node, places);
                }
                stack.push(below);
            }
        }
        true
    }
}

impl Lists<'_> {
    /// Adds a node to what is open: a small one as a list.
    fn open(&mut self, open: &mut OpenRegions, node: u32, places: &[u32]) {
        if self.layers.count(node) > Count::from(MOST) {
            open.nodes.push((node, places.into()));
        } else if !places.is_empty() {
            open.factors.push(self.factor((node, places.into())));
        }
    }

    fn factor(&mut self, placed: Placed) -> Arc<Factor> {
        if let Some(factor) = self.kept.get(&placed) {
            return Arc::clone(factor);
        }
        let fillings = list(&self.layers, placed.0, &placed.1);
        let factor = Arc::new(Factor::new(fillings.spots, fillings.words));
        if self.words > KEPT {
            self.kept.clear();
            self.words = 0;
        }
        self.words += factor.words() + placed.1.len() / 2;
        self.kept.insert(placed, Arc::clone(&factor));
        factor
    }
}
