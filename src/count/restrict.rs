//! A graph with some cells decided beforehand.
//!
//! Cells are decided in reading order, always the first one that is open. So a node is touched by a decision exactly when that cell
//! is the first one that it decides, and everything else is shared with the graph before. New nodes are laid over the graph, and
//! taken off again, last in first out.

use super::Space;
use super::picture::spread;
use super::space::{EdgeView, unpack};
use super::tally::{self, Tallies};
use crate::solutions::Count;

/// No cell, which comes after all cells.
pub(super) const NONE: u32 = u32::MAX;

/// In the head of a new edge: it is the last one of its node.
const LAST: u32 = 1 << 31;

/// A graph and the nodes that are laid over it; these are numbered after its own.
#[derive(Clone, Debug)]
pub(super) struct Layers<'a> {
    space: &'a Space,
    /// The first open cell of each node.
    first: Vec<u32>,
    /// Where the edges of each new node begin.
    starts: Vec<u32>,
    tallies: Tallies,
    /// The edges of new nodes: the edge of the graph whose cells it has, the number of nodes it leads to, those nodes.
    words: Vec<u32>,
    /// During a restriction: what has become of a node. Otherwise all [`UNSEEN`].
    fate: Vec<u32>,
}

/// Fates of nodes; greater ones are the number of the new node, and [`FATES`] more.
const UNSEEN: u32 = 0;
const GONE: u32 = 1;
const FATES: u32 = 2;

/// How many layers there were.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    nodes: usize,
    words: usize,
    tallies: tally::Mark,
}

/// An edge of either kind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'a> {
    /// Its cells; some of them may have been decided before, as they are here.
    pub(super) cells: EdgeView<'a>,
    /// Where it leads to.
    pub(super) rest: &'a [u32],
}

impl<'a> Layers<'a> {
    /// The graph alone.
    pub(super) fn new(space: &'a Space) -> Self {
        let mut first: Vec<u32> = Vec::with_capacity(space.nodes());
        for node in 0..space.nodes() as u32 {
            let edge = space.edges_of(node).next();
            let cells = edge.into_iter().flat_map(|edge| {
                let below = edge.rest.iter().map(|&node| first[node as usize]);
                below.chain(edge.first())
            });
            let cell = cells.min();
            first.push(cell.unwrap_or(NONE));
        }
        Layers {
            space,
            first,
            starts: Vec::new(),
            tallies: Tallies::default(),
            words: Vec::new(),
            fate: Vec::new(),
        }
    }

    pub(super) fn space(&self) -> &'a Space {
        self.space
    }

    /// The first open cell of a node, or [`NONE`].
    #[inline]
    pub(super) fn first(&self, node: u32) -> u32 {
        self.first[node as usize]
    }

    /// Solutions of a node.
    #[inline]
    pub(super) fn count(&self, node: u32) -> Count {
        match (node as usize).checked_sub(self.space.nodes()) {
            None => self.space.tallies().get(node as usize),
            Some(i) => self.tallies.get(i),
        }
    }

    /// Solutions that these nodes have together.
    pub(super) fn product(&self, nodes: &[u32]) -> Count {
        let mut product = 1u128;
        for &node in nodes {
            let small = match (node as usize).checked_sub(self.space.nodes()) {
                None => self.space.tallies().small(node as usize),
                Some(i) => self.tallies.small(i),
            };
            match small.and_then(|n| product.checked_mul(u128::from(n))) {
                Some(n) => product = n,
                // Machine words do not suffice.
                None => {
                    let mut product = Count::ONE;
                    nodes.iter().for_each(|&node| product *= &self.count(node));
                    return product;
                }
            }
        }
        Count::small(product)
    }

    /// The edges of a node.
    pub(super) fn steps(&self, node: u32) -> impl Iterator<Item = Step<'_>> {
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
        match (node as usize).checked_sub(self.space.nodes()) {
            None => self.space.start(node),
            Some(i) => self.starts[i],
        }
    }

    /// The edge of this node that is here, and where the next one is.
    #[inline]
    pub(super) fn step(&self, node: u32, at: u32) -> (Step<'_>, Option<u32>) {
        if (node as usize) < self.space.nodes() {
            let cells = self.space.edge(at);
            let rest = cells.rest;
            return (Step { cells, rest }, cells.next());
        }
        let words = &self.words[at as usize..];
        let length = words[1] & !LAST;
        let step = Step {
            cells: self.space.edge(words[0]),
            rest: &words[2..2 + length as usize],
        };
        (step, (words[1] & LAST == 0).then(|| at + 2 + length))
    }

    /// The node with this cell, its first one, decided; `None` when it has no such solutions. The new node may have no open cells.
    ///
    /// Touches the nodes below it whose first cell this is.
    pub(super) fn restrict(&mut self, node: u32, cell: u32, filled: bool) -> Option<u32> {
        debug_assert_eq!(self.first(node), cell);
        self.fate
            .resize(self.first.len().max(self.fate.len()), UNSEEN);
        let mut touched = vec![node];
        self.fate[node as usize] = GONE;
        let (mut next, mut below) = (0, Vec::new());
        while let Some(&node) = touched.get(next) {
            next += 1;
            for step in self.steps(node) {
                // Regions are disjoint: one of them has the cell, if not the edge itself.
                let has = |&&node: &&u32| self.first(node) == cell;
                below.extend(step.rest.iter().find(has));
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
            if let Some(new) = self.renew(node, cell, filled, &mut words) {
                self.fate[node as usize] = new + FATES;
            }
        }
        let new = self.fate[node as usize].checked_sub(FATES);
        for &node in &touched {
            self.fate[node as usize] = UNSEEN;
        }
        new
    }

    /// Lays a new node over one whose first cell is decided; everything below it has been renewed.
    fn renew(&mut self, node: u32, cell: u32, filled: bool, words: &mut Vec<u32>) -> Option<u32> {
        words.clear();
        let (mut sum, mut first, mut last) = (Count::ZERO, NONE, None);
        for step in self.steps(node) {
            if step
                .cells
                .decides(cell)
                .is_some_and(|decided| decided != filled)
            {
                continue;
            }
            let head = words.len();
            words.extend([step.cells.at, 0]);
            let mut holds = true;
            for &below in step.rest {
                let new = match self.fate[below as usize] {
                    UNSEEN => below,
                    GONE => {
                        holds = false;
                        break;
                    }
                    fate => fate - FATES,
                };
                if self.first(new) != NONE {
                    words.push(new);
                }
            }
            if !holds {
                words.truncate(head);
                continue;
            }
            if last.is_none() {
                let below = words[head + 2..].iter().map(|&node| self.first(node));
                let cells = below.chain(step.cells.first_after(cell));
                first = cells.min().unwrap_or(NONE);
            }
            words[head + 1] = (words.len() - head - 2) as u32;
            last = Some(head);
            sum += &self.product(&words[head + 2..]);
        }
        words[last? + 1] |= LAST;
        self.starts.push(self.words.len() as u32);
        self.words.extend_from_slice(words);
        self.tallies.push(sum);
        self.first.push(first);
        Some((self.first.len() - 1) as u32)
    }

    /// Bytes held beside the graph.
    pub(super) fn bytes(&self) -> u64 {
        let lists = [&self.first, &self.starts, &self.words, &self.fate];
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
        self.first.truncate(self.space.nodes() + mark.nodes);
        self.starts.truncate(mark.nodes);
        self.words.truncate(mark.words);
        self.tallies.cut(mark.tallies);
    }

    /// The words of a packed picture in which a node may fill cells, in order.
    pub(super) fn spots(&self, node: u32) -> Vec<u32> {
        let (width, stride) = (self.space.width(), self.space.stride());
        let mut spots = Vec::new();
        // Every edge decides the same cells, so that the first one is enough.
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let Some(step) = self.steps(node).next() else {
                continue;
            };
            for &run in step.cells.runs {
                let (start, _, end) = unpack(run);
                spread(start as usize, end as usize, width, stride, |spot, _| {
                    spots.push(spot as u32);
                });
            }
            open.extend(step.rest);
        }
        spots.sort_unstable();
        spots.dedup();
        spots
    }
}
