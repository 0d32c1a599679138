//! The space of all solutions of a puzzle as a graph of decisions.
//!
//! A node stands for the solutions of one region. Each of its edges decides some cells and leads to what is left: nodes of smaller
//! regions, independent of each other. So edges add and what an edge leads to multiplies; a region that comes again is one node
//! that many edges lead to. A graph of a few thousand nodes can hold more solutions than anyone could list, and yet each of them can
//! be got at: counted cell by cell ([`Space::cells`]), drawn with equal chances ([`Space::samples`]), listed
//! ([`Space::each`], [`Space::run`]), or found by its number in canonical order ([`Space::ordered`]).
//!
//! Such graphs are known as deterministic decomposable negation normal forms: Darwiche, *On the tractable counting of theory models*,
//! 2001.
//!
//! Edges lie one after the other in one list of words: a head, the decided cells as runs, and the nodes it leads to. A run is cells
//! next to each other, in reading order, all filled or all empty.

use super::tally::Tallies;
use crate::puzzle::Grid;
use crate::solutions::Count;

/// In the head of an edge: it is the last one of its node.
pub(super) const LAST: u32 = 1 << 31;

/// In the head of an edge: the number of nodes stands in a word of its own.
pub(super) const LONG: u32 = 1 << 30;

/// Every solution of a puzzle, counted and shared: decisions add, regions multiply, equal regions are shared.
#[derive(Clone, Debug)]
pub struct Space {
    /// The cells that no node decides; the others are empty.
    known: Grid,
    /// Nodes whose solutions multiply.
    roots: Vec<u32>,
    /// Where the edges of each node begin. A node comes after all that it leads to.
    starts: Vec<u32>,
    tallies: Tallies,
    words: Vec<u32>,
    count: Count,
}

/// An edge as it lies in the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeView<'a> {
    /// Where its head is.
    pub(super) at: u32,
    /// Its cells, in order.
    pub(super) runs: &'a [u32],
    /// Where it leads to.
    pub(super) rest: &'a [u32],
    last: bool,
}

/// Neighbouring cells, filled or empty, packed: the first cell, one bit, and one less than the length, which is at most 128.
pub(super) fn run(start: usize, filled: bool, length: usize) -> u32 {
    (start << 8 | usize::from(filled) << 7 | (length - 1)) as u32
}

/// The first cell of a run, whether it is filled, and the cell after it.
#[inline]
pub(super) fn unpack(run: u32) -> (u32, bool, u32) {
    let start = run >> 8;
    (start, run >> 7 & 1 == 1, start + (run & 127) + 1)
}

impl Space {
    pub(super) fn new(
        known: Grid,
        roots: Vec<u32>,
        starts: Vec<u32>,
        tallies: Tallies,
        words: Vec<u32>,
    ) -> Self {
        // It grows no more.
        let (mut starts, mut words, mut tallies) = (starts, words, tallies);
        starts.shrink_to_fit();
        words.shrink_to_fit();
        tallies.shrink();
        let mut space = Space {
            known,
            roots,
            starts,
            tallies,
            words,
            count: Count::ONE,
        };
        space.count = space.product(&space.roots);
        space
    }

    /// The space of a puzzle of this size that has no solution.
    ///
    /// # Panics
    ///
    /// When a side is 0 or too long for a puzzle.
    pub fn none(width: usize, height: usize) -> Self {
        let nothing = (Vec::new(), Vec::new(), Tallies::default(), Vec::new());
        let (roots, starts, tallies, words) = nothing;
        Space {
            count: Count::ZERO,
            ..Space::new(Grid::new(width, height), roots, starts, tallies, words)
        }
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        self.known.width()
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.known.height()
    }

    /// Number of solutions.
    pub fn count(&self) -> &Count {
        &self.count
    }

    /// Number of nodes of the graph.
    pub fn nodes(&self) -> usize {
        self.starts.len()
    }

    /// Number of edges of the graph; goes through all of it.
    pub fn edges(&self) -> u64 {
        (0..self.starts.len() as u32)
            .map(|node| self.edges_of(node).count() as u64)
            .sum()
    }

    /// Bytes that the graph takes.
    pub fn bytes(&self) -> u64 {
        let words = self.words.capacity() + self.starts.capacity();
        words as u64 * 4 + self.tallies.bytes()
    }

    pub(super) fn known(&self) -> &Grid {
        &self.known
    }

    pub(super) fn roots(&self) -> &[u32] {
        &self.roots
    }

    /// Where the edges of a node begin.
    pub(super) fn start(&self, node: u32) -> u32 {
        self.starts[node as usize]
    }

    /// Words that a row of a packed picture takes.
    pub(super) fn stride(&self) -> usize {
        Grid::stride(self.width())
    }

    pub(super) fn tallies(&self) -> &Tallies {
        &self.tallies
    }

    /// The edges of a node.
    #[inline]
    pub(super) fn edges_of(&self, node: u32) -> impl Iterator<Item = EdgeView<'_>> {
        let mut next = Some(self.start(node));
        std::iter::from_fn(move || {
            let edge = self.edge(next?);
            next = edge.next();
            Some(edge)
        })
    }

    /// The edge whose head is here.
    #[inline]
    pub(super) fn edge(&self, at: u32) -> EdgeView<'_> {
        let words = &self.words[at as usize..];
        let head = words[0];
        let (runs, rest, body) = if head & LONG == 0 {
            (
                (head >> 16 & 0x3fff) as usize,
                (head & 0xffff) as usize,
                &words[1..],
            )
        } else {
            ((head & (LONG - 1)) as usize, words[1] as usize, &words[2..])
        };
        let (runs, body) = body.split_at(runs);
        EdgeView {
            at,
            runs,
            rest: &body[..rest],
            last: head & LAST != 0,
        }
    }

    /// Solutions that these nodes have together.
    #[inline]
    pub(super) fn product(&self, nodes: &[u32]) -> Count {
        self.tallies
            .product(nodes.iter().map(|&node| node as usize))
    }

    /// [`Space::product`] where it is known to be small.
    #[inline]
    pub(super) fn small_product(&self, nodes: &[u32]) -> u64 {
        let small = |&node: &u32| self.tallies.small(node as usize);
        nodes.iter().filter_map(small).product()
    }

    /// Shows every cell that a node and what it leads to decide: a run or more for each, in no particular order.
    pub(super) fn each_decided(&self, node: u32, mut show: impl FnMut(u32)) {
        // Every edge decides the same cells, so that the first one is enough.
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if let Some(edge) = self.edges_of(node).next() {
                edge.runs.iter().for_each(|&run| show(run));
                open.extend(edge.rest);
            }
        }
    }
}

impl EdgeView<'_> {
    /// Where the next edge of its node begins.
    #[inline]
    pub(super) fn next(&self) -> Option<u32> {
        let long = self.runs.len() >= 1 << 14 || self.rest.len() >= 1 << 16;
        let length = 1 + u32::from(long) + (self.runs.len() + self.rest.len()) as u32;
        (!self.last).then(|| self.at + length)
    }

    /// What it decides of this cell, if anything.
    pub(super) fn decides(&self, cell: u32) -> Option<bool> {
        let i = self
            .runs
            .partition_point(|&run| run >> 8 <= cell)
            .checked_sub(1)?;
        let (_, filled, end) = unpack(self.runs[i]);
        (cell < end).then_some(filled)
    }

    /// The first of its cells after this one.
    pub(super) fn first_after(&self, cell: u32) -> Option<u32> {
        let i = self.runs.partition_point(|&run| unpack(run).2 <= cell + 1);
        let (start, _, _) = unpack(*self.runs.get(i)?);
        Some(start.max(cell + 1))
    }

    /// Its first cell.
    pub(super) fn first(&self) -> Option<u32> {
        self.runs.first().map(|run| run >> 8)
    }
}
