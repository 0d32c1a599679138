//! The space of all solutions of a puzzle as a graph of decisions.
//!
//! A node stands for the solutions of one region. Each of its edges decides some cells and leads to what is left: nodes of smaller
//! regions, independent of each other. So edges add and what an edge leads to multiplies; a region that comes again is one node
//! that many edges lead to. A graph of a few thousand nodes can hold more solutions than anyone could list, and yet each of them can
//! be got at: counted cell by cell ([`SolutionGraph::cells`]), drawn with equal chances ([`SolutionGraph::samples`]), listed
//! ([`SolutionGraph::each`], [`SolutionGraph::run`]), or found by its number in canonical order ([`SolutionGraph::lexicographic`]).
//!
//! A node does not know where in the picture it lies. Its cells are numbered in reading order, and each of its edges says which of
//! them belong to which of the nodes it leads to: the first of these is the first cell of that node, and so on. So equal regions are one
//! node wherever they lie. Only for the roots it is told where they lie; everything else follows on the way down.
//!
//! Such graphs are known as deterministic decomposable negation normal forms: Darwiche, *On the tractable counting of theory models*,
//! 2001.
//!
//! All lies in one list of words: of each node the number of its cells, then its edges, one after the other; of each edge a head, the
//! nodes it leads to, and the [`Runs`] of its cells.

use super::arena::{Arena, LAST, LONG, LONG_REST, LONG_RUNS};
use super::runs::Runs;
use super::tally::Tallies;
use crate::puzzle::Grid;
use crate::solutions::Count;

/// Every solution of a puzzle, counted and shared: decisions add, regions multiply, equal regions are shared.
#[derive(Clone, Debug)]
pub struct SolutionGraph {
    /// The cells that no node decides; the others are empty.
    known: Grid,
    /// Nodes whose solutions multiply.
    roots: Vec<Root>,
    /// Where each node begins. A node comes after all that it leads to.
    starts: Vec<u32>,
    tallies: Tallies,
    words: Vec<u32>,
    count: Count,
}

/// A node, and where it lies.
#[derive(Clone, Debug)]
pub(super) struct Root {
    pub(super) node: u32,
    /// Its cells, as bits of a packed picture, in reading order.
    pub(super) places: Box<[u32]>,
}

/// An edge as it lies in the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeView<'a> {
    /// Where its head is.
    pub(super) at: u32,
    /// Where it leads to.
    pub(super) rest: &'a [u32],
    runs: &'a [u32],
    /// Number of cells of its node.
    size: u32,
    last: bool,
}

impl SolutionGraph {
    pub(super) fn new(known: Grid, roots: Vec<Root>, nodes: Arena) -> Self {
        let Arena {
            mut starts,
            mut tallies,
            mut words,
        } = nodes;
        // It grows no more.
        starts.shrink_to_fit();
        words.shrink_to_fit();
        tallies.shrink();
        let mut count = Count::ONE;
        for root in &roots {
            count *= &tallies.get(root.node as usize);
        }
        SolutionGraph {
            known,
            roots,
            starts,
            tallies,
            words,
            count,
        }
    }

    /// The space of a puzzle of this size that has no solution.
    ///
    /// # Panics
    ///
    /// When a side is 0 or too long for a puzzle.
    pub fn none(width: usize, height: usize) -> Self {
        let known = Grid::new(width, height);
        SolutionGraph {
            count: Count::ZERO,
            ..SolutionGraph::new(known, Vec::new(), Arena::default())
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
        let places: usize = self.roots.iter().map(|root| root.places.len()).sum();
        let words = self.words.capacity() + self.starts.capacity() + places;
        words as u64 * 4 + self.tallies.bytes()
    }

    pub(super) fn known(&self) -> &Grid {
        &self.known
    }

    pub(super) fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Number of cells of a node.
    #[inline]
    pub(super) fn size(&self, node: u32) -> u32 {
        self.words[self.starts[node as usize] as usize]
    }

    /// Where the edges of a node begin.
    #[inline]
    pub(super) fn start(&self, node: u32) -> u32 {
        self.starts[node as usize] + 1
    }

    pub(super) fn tallies(&self) -> &Tallies {
        &self.tallies
    }

    /// The edges of a node.
    #[inline]
    pub(super) fn edges_of(&self, node: u32) -> impl Iterator<Item = EdgeView<'_>> {
        let size = self.size(node);
        let mut next = Some(self.start(node));
        std::iter::from_fn(move || {
            let edge = self.edge(next?, size);
            next = edge.next();
            Some(edge)
        })
    }

    /// The edge whose head is at `at`; its node has `size` cells.
    #[inline]
    pub(super) fn edge(&self, at: u32, size: u32) -> EdgeView<'_> {
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
        let (rest, body) = body.split_at(rest);
        EdgeView {
            at,
            rest,
            runs: &body[..runs],
            size,
            last: head & LAST != 0,
        }
    }

    /// Solutions that these nodes have together.
    #[inline]
    pub(super) fn product(&self, nodes: &[u32]) -> Count {
        self.tallies
            .product(nodes.iter().map(|&node| node as usize))
    }

    /// [`SolutionGraph::product`] where it is known to be small.
    #[inline]
    pub(super) fn small_product(&self, nodes: &[u32]) -> u64 {
        let small = |&node: &u32| self.tallies.small(node as usize);
        nodes.iter().filter_map(small).product()
    }
}

impl<'a> EdgeView<'a> {
    /// Where the next edge of its node begins.
    #[inline]
    pub(super) fn next(&self) -> Option<u32> {
        let long = self.runs.len() >= LONG_RUNS || self.rest.len() >= LONG_REST;
        let length = 1 + u32::from(long) + (self.runs.len() + self.rest.len()) as u32;
        (!self.last).then(|| self.at + length)
    }

    /// What becomes of the cells of its node.
    #[inline]
    pub(super) fn runs(&self) -> Runs<'a> {
        Runs::new(self.runs, self.size, self.rest.len())
    }

    /// What becomes of this cell of its node. Goes through the runs before it.
    #[inline]
    pub(super) fn becomes(&self, cell: u32) -> u32 {
        let mut end = 0;
        for (becomes, length) in self.runs() {
            end += length;
            if cell < end {
                return becomes;
            }
        }
        unreachable!("the runs of an edge cover all cells of its node")
    }

    /// Shows what becomes of the cells of its node, which lie at these places: a run after the other.
    #[inline]
    pub(super) fn each<'p>(&self, places: &'p [u32], mut show: impl FnMut(u32, &'p [u32])) {
        let mut rest = places;
        for (becomes, length) in self.runs() {
            let (here, more) = rest.split_at(length as usize);
            show(becomes, here);
            rest = more;
        }
    }
}
