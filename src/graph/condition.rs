//! A graph with some cells decided beforehand.
//!
//! Cells are decided in reading order, always the first one that is open. As the cells of a node are numbered in reading order, what
//! has been decided of it are its first cells, and the next one to be decided is the one after these. An edge either decides that cell
//! itself or leaves it to one of the nodes it leads to, of which it is the first open cell too; everything else is shared with the graph
//! before. No more than that is said by the restriction of a node, so that it holds wherever the node lies. New nodes are laid over the
//! graph, and taken off again, last in first out.

use super::runs::{FILLED, LEFT};
use super::solution_graph::EdgeView;
use super::solution_graph::SolutionGraph;
use super::tally::{self, Tallies};
use crate::solutions::Count;

/// In the place of a node of which all cells have been decided.
pub(super) const DONE: u32 = u32::MAX;

/// In the head of a new edge: it is the last one of its node.
const LAST: u32 = 1 << 31;

/// Edges between two questions whether to stop.
const BREATH: usize = 1 << 12;

/// A graph and the nodes that are laid over it; these are numbered after its own.
#[derive(Clone, Debug)]
pub(super) struct Layers<'a> {
    graph: &'a SolutionGraph,
    /// Of each new node: the node of the graph that it is a restriction of, and how many of the first cells of that are decided.
    bases: Vec<u32>,
    decided: Vec<u32>,
    /// Where its edges begin.
    starts: Vec<u32>,
    tallies: Tallies,
    /// The edges of new nodes: the edge of the graph that it is of, the number of nodes it leads to, those nodes.
    words: Vec<u32>,
    /// During a restriction: what has become of a node. Otherwise all [`UNSEEN`].
    fate: Vec<u32>,
}

/// Fates of nodes; greater ones are the number of the new node, and [`FATES`] more.
const UNSEEN: u32 = 0;
const GONE: u32 = 1;
const OVER: u32 = 2;
const FATES: u32 = 3;

/// How many layers there were.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    nodes: usize,
    words: usize,
    tallies: tally::Mark,
}

/// An edge of either kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeStep<'a> {
    /// What becomes of the cells of the node; some of the first may have been decided before, as they are here.
    pub(super) edge: EdgeView<'a>,
    /// Where it leads to; [`DONE`] where nothing is left open.
    pub(super) rest: &'a [u32],
}

/// It was asked to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped;

impl<'a> Layers<'a> {
    /// The graph alone.
    pub(super) fn new(graph: &'a SolutionGraph) -> Self {
        Layers {
            graph,
            bases: Vec::new(),
            decided: Vec::new(),
            starts: Vec::new(),
            tallies: Tallies::default(),
            words: Vec::new(),
            fate: Vec::new(),
        }
    }

    pub(super) fn graph(&self) -> &'a SolutionGraph {
        self.graph
    }

    /// The place of a new node among them.
    #[inline]
    fn new_node(&self, node: u32) -> Option<usize> {
        (node as usize).checked_sub(self.graph.nodes())
    }

    /// Number of cells of a node, those included that have been decided.
    #[inline]
    pub(super) fn size(&self, node: u32) -> u32 {
        let base = self.new_node(node).map_or(node, |i| self.bases[i]);
        self.graph.size(base)
    }

    /// How many of the first cells of a node have been decided: the first open cell comes after them.
    #[inline]
    pub(super) fn decided(&self, node: u32) -> u32 {
        self.new_node(node).map_or(0, |i| self.decided[i])
    }

    /// Solutions of a node.
    #[inline]
    pub(super) fn count(&self, node: u32) -> Count {
        match self.new_node(node) {
            _ if node == DONE => Count::ONE,
            None => self.graph.tallies().get(node as usize),
            Some(i) => self.tallies.get(i),
        }
    }

    /// Solutions that these nodes have together.
    pub(super) fn product(&self, nodes: impl Iterator<Item = u32> + Clone) -> Count {
        let mut product = 1u128;
        for node in nodes.clone() {
            let small = match self.new_node(node) {
                _ if node == DONE => Some(1),
                None => self.graph.tallies().small(node as usize),
                Some(i) => self.tallies.small(i),
            };
            match small.and_then(|n| product.checked_mul(u128::from(n))) {
                Some(n) => product = n,
                // Machine words do not suffice.
                None => {
                    let mut product = Count::ONE;
                    nodes.for_each(|node| product *= &self.count(node));
                    return product;
                }
            }
        }
        Count::small(product)
    }

    /// The edges of a node.
    pub(super) fn steps(&self, node: u32) -> impl Iterator<Item = EdgeStep<'_>> {
        let mut at = Some(self.start(node));
        std::iter::from_fn(move || {
            let (step, next) = self.step(node, at?);
            at = next;
            Some(step)
        })
    }

    /// Where the edges of a node begin.
    #[inline]
    pub(super) fn start(&self, node: u32) -> u32 {
        match self.new_node(node) {
            None => self.graph.start(node),
            Some(i) => self.starts[i],
        }
    }

    /// The edge of this node that is here, and where the next one is.
    #[inline]
    pub(super) fn step(&self, node: u32, at: u32) -> (EdgeStep<'_>, Option<u32>) {
        let size = self.size(node);
        if self.new_node(node).is_none() {
            let edge = self.graph.edge(at, size);
            let rest = edge.rest;
            return (EdgeStep { edge, rest }, edge.next());
        }
        let words = &self.words[at as usize..];
        let length = words[1] & !LAST;
        let step = EdgeStep {
            edge: self.graph.edge(words[0], size),
            rest: &words[2..2 + length as usize],
        };
        (step, (words[1] & LAST == 0).then(|| at + 2 + length))
    }

    /// The node with its first open cell decided, [`DONE`] when no other was open; `None` when it has no such solutions.
    ///
    /// Touches the nodes below it whose first open cell this is. Every now and then it asks whether to stop, and then nothing has
    /// happened.
    pub(super) fn condition(
        &mut self,
        node: u32,
        filled: bool,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Option<u32>, Stopped> {
        let nodes = self.graph.nodes() + self.starts.len();
        self.fate.resize(nodes.max(self.fate.len()), UNSEEN);
        let mut looked = 0usize;
        let mut stopped = || {
            looked += 1;
            looked % BREATH == 1 && stop()
        };
        let mut touched = vec![node];
        self.fate[node as usize] = GONE;
        let mark = self.mark();
        let mut ended = Ok(());
        let (mut next, mut below) = (0, Vec::new());
        'touching: while let Some(&node) = touched.get(next) {
            next += 1;
            let cell = self.decided(node);
            for step in self.steps(node) {
                if stopped() {
                    ended = Err(Stopped);
                    break 'touching;
                }
                let left = step.edge.becomes(cell).checked_sub(LEFT);
                below.extend(left.map(|i| step.rest[i as usize]));
            }
            for node in below.drain(..) {
                if self.fate[node as usize] == UNSEEN {
                    self.fate[node as usize] = GONE;
                    touched.push(node);
                }
            }
        }
        // A node comes after all that it leads to.
        touched.sort_unstable();
        let mut words = Vec::new();
        for &node in &touched {
            if ended.is_err() || stopped() {
                ended = Err(Stopped);
                break;
            }
            self.fate[node as usize] = match self.renew(node, filled, &mut words) {
                None => GONE,
                Some(DONE) => OVER,
                Some(new) => new + FATES,
            };
        }
        let fate = self.fate[node as usize];
        for &node in &touched {
            self.fate[node as usize] = UNSEEN;
        }
        if ended.is_err() {
            self.cut(mark);
        }
        ended.map(|()| match fate {
            OVER => Some(DONE),
            fate => fate.checked_sub(FATES),
        })
    }

    /// Lays a new node over one whose first open cell is decided; everything below it has been renewed.
    fn renew(&mut self, node: u32, filled: bool, words: &mut Vec<u32>) -> Option<u32> {
        words.clear();
        let cell = self.decided(node);
        let (mut sum, mut last) = (Count::ZERO, None);
        for step in self.steps(node) {
            let becomes = step.edge.becomes(cell);
            let renewed = match becomes.checked_sub(LEFT) {
                None if (becomes == FILLED) == filled => None,
                None => continue,
                Some(i) => match self.fate[step.rest[i as usize] as usize] {
                    UNSEEN | GONE => continue,
                    OVER => Some((i, DONE)),
                    fate => Some((i, fate - FATES)),
                },
            };
            let head = words.len();
            words.extend([step.edge.at, step.rest.len() as u32]);
            words.extend(step.rest);
            if let Some((i, new)) = renewed {
                words[head + 2 + i as usize] = new;
            }
            last = Some(head);
            sum += &self.product(words[head + 2..].iter().copied());
        }
        words[last? + 1] |= LAST;
        if cell + 1 == self.size(node) {
            return Some(DONE);
        }
        let base = self.new_node(node).map_or(node, |i| self.bases[i]);
        self.bases.push(base);
        self.decided.push(cell + 1);
        self.starts.push(self.words.len() as u32);
        self.words.extend_from_slice(words);
        self.tallies.push(sum);
        Some((self.graph.nodes() + self.starts.len() - 1) as u32)
    }

    /// Bytes held beside the graph.
    pub(super) fn bytes(&self) -> u64 {
        let lists = [
            &self.bases,
            &self.decided,
            &self.starts,
            &self.words,
            &self.fate,
        ];
        let words: usize = lists.iter().map(|list| list.capacity()).sum();
        words as u64 * 4 + self.tallies.bytes()
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            nodes: self.starts.len(),
            words: self.words.len(),
            tallies: self.tallies.mark(),
        }
    }

    /// Takes off all nodes that were laid over the graph since the mark.
    pub(super) fn cut(&mut self, mark: Mark) {
        self.bases.truncate(mark.nodes);
        self.decided.truncate(mark.nodes);
        self.starts.truncate(mark.nodes);
        self.words.truncate(mark.words);
        self.tallies.cut(mark.tallies);
    }
}
