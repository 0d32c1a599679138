//! All solutions of a puzzle as a graph of decisions.
//!
//! A node stands for the solutions of one region. Each of its edges decides some cells and leads to child nodes: smaller, mutually
//! independent regions. So the counts of edges add, the counts of the children of an edge multiply, and equal regions share one node with
//! several incoming edges. A graph of a few thousand nodes can represent more solutions than anyone could list.
//!
//! A node does not know its position in the grid. Its cells are numbered in reading order, and each edge assigns every undecided cell to
//! one child. The order is kept: the n-th cell assigned to a child is its cell n. So equal regions are one node wherever they lie.
//! Positions are stored for the roots only; all others follow on the way down.
//!
//! Such graphs are known as deterministic decomposable negation normal forms: Darwiche, *On the tractable counting of theory models*, 2001.
//!
//! All nodes are stored in one list of words: for each node the number of its cells, then its edges; for each edge a head (flags, number of
//! words of [`Runs`], number of children), its children, and the runs of its cells.

use super::arena::{Arena, LAST, LONG, LONG_CHILDREN, LONG_RUNS};
use super::runs::Runs;
use crate::puzzle::Grid;
use crate::solutions::Count;

/// All solutions of a puzzle. Counts of edges are added, those of independent regions multiplied, and equal regions are shared.
#[derive(Clone, Debug)]
pub struct SolutionGraph {
    /// The values of the cells that no node decides. Those that nodes decide are stored as empty here, as placeholders.
    pub(super) known: Grid,
    /// Roots, whose counts multiply.
    pub(super) roots: Vec<Root>,
    /// Children precede their parents.
    pub(super) nodes: Arena,
    count: Count,
}

/// A node and the position of its cells.
#[derive(Clone, Debug)]
pub(super) struct Root {
    pub(super) node: u32,
    /// Its cells, as bit positions in a packed grid, in reading order.
    pub(super) positions: Box<[u32]>,
}

/// A view of an edge in the list of words.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeView<'a> {
    /// Offset of its head.
    pub(super) at: u32,
    /// Its child nodes.
    pub(super) children: &'a [u32],
    /// The words in which its runs are packed. Edges with the same number of cells, number of children and words have the same runs.
    pub(super) packed_runs: &'a [u32],
    /// Number of cells of its node.
    size: u32,
    is_last: bool,
}

impl SolutionGraph {
    pub(super) fn new(known: Grid, roots: Vec<Root>, mut nodes: Arena) -> Self {
        // The graph is complete.
        nodes.offsets.shrink_to_fit();
        nodes.words.shrink_to_fit();
        nodes.counts.shrink();
        let mut count = Count::ONE;
        for root in &roots {
            count *= &nodes.counts.get(root.node as usize);
        }
        SolutionGraph {
            known,
            roots,
            nodes,
            count,
        }
    }

    /// The graph of a puzzle of this size that has no solutions.
    ///
    /// # Panics
    ///
    /// If a side is 0 or too long for a puzzle.
    pub fn unsatisfiable(width: usize, height: usize) -> Self {
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
        self.nodes.offsets.len()
    }

    /// Number of edges of the graph. O(edges).
    pub fn edges(&self) -> u64 {
        let nodes = 0..self.nodes() as u32;
        nodes.map(|node| self.edges_of(node).count() as u64).sum()
    }

    /// Bytes allocated.
    pub fn bytes(&self) -> u64 {
        let positions: usize = self.roots.iter().map(|root| root.positions.len()).sum();
        positions as u64 * 4 + self.nodes.bytes()
    }

    /// Number of cells of a node.
    #[inline]
    pub(super) fn cell_count(&self, node: u32) -> u32 {
        self.nodes.cell_count(node as usize)
    }

    /// Offset of the first edge of a node.
    #[inline]
    pub(super) fn first_edge(&self, node: u32) -> u32 {
        self.nodes.offsets[node as usize] + 1
    }

    /// The edges of a node.
    #[inline]
    pub(super) fn edges_of(&self, node: u32) -> impl Iterator<Item = EdgeView<'_>> {
        let size = self.cell_count(node);
        let mut next = Some(self.first_edge(node));
        std::iter::from_fn(move || {
            let edge = self.edge(next?, size);
            next = edge.next();
            Some(edge)
        })
    }

    /// The edge whose head is at `at`; its node has `size` cells.
    #[inline]
    pub(super) fn edge(&self, at: u32, size: u32) -> EdgeView<'_> {
        let words = &self.nodes.words[at as usize..];
        let head = words[0];
        let (runs, children, body) = if head & LONG == 0 {
            (head >> 16 & 0x3fff, head & 0xffff, &words[1..])
        } else {
            (head & (LONG - 1), words[1], &words[2..])
        };
        let (children, body) = body.split_at(children as usize);
        EdgeView {
            at,
            children,
            packed_runs: &body[..runs as usize],
            size,
            is_last: head & LAST != 0,
        }
    }

    /// The number of a cell, row by row, from its position in a packed grid.
    pub(super) fn cell_number(&self, position: u32) -> u32 {
        let row_bits = (Grid::stride(self.width()) * 64) as u32;
        position / row_bits * self.width() as u32 + position % row_bits
    }

    /// Product of the counts of these nodes.
    #[inline]
    pub(super) fn product(&self, nodes: &[u32]) -> Count {
        let indices = nodes.iter().map(|&node| node as usize);
        self.nodes.counts.product(indices)
    }

    /// As [`SolutionGraph::product`], in 64 bits. The caller must know that each count and the product are below 2^63.
    #[inline]
    pub(super) fn small_product(&self, nodes: &[u32]) -> u64 {
        let count = |&node: &u32| self.nodes.counts.small(node as usize);
        nodes.iter().filter_map(count).product()
    }
}

impl<'a> EdgeView<'a> {
    /// Offset of the next edge of the same node; `None` after the last edge.
    #[inline]
    pub(super) fn next(&self) -> Option<u32> {
        let (runs, children) = (self.packed_runs.len(), self.children.len());
        let is_long = runs >= LONG_RUNS || children >= LONG_CHILDREN;
        let length = 1 + u32::from(is_long) + (runs + children) as u32;
        (!self.is_last).then(|| self.at + length)
    }

    /// The runs of cell codes.
    #[inline]
    pub(super) fn runs(&self) -> Runs<'a> {
        Runs::new(self.packed_runs, self.size, self.children.len())
    }

    /// The code of this cell of its node. O(runs).
    #[inline]
    pub(super) fn code(&self, cell: u32) -> u32 {
        let mut end = 0;
        for (code, length) in self.runs() {
            end += length;
            if cell < end {
                return code;
            }
        }
        unreachable!("the runs of an edge cover all cells of its node")
    }

    /// Visits the runs: the code of each, and the positions of its cells, given the positions of all cells of the node.
    #[inline]
    pub(super) fn for_each_run<'p>(
        &self,
        positions: &'p [u32],
        mut visit: impl FnMut(u32, &'p [u32]),
    ) {
        let mut remaining = positions;
        for (code, length) in self.runs() {
            let (here, more) = remaining.split_at(length as usize);
            visit(code, here);
            remaining = more;
        }
    }
}

/// Fills the cells at these bit positions of a packed grid.
#[inline]
pub(super) fn fill(words: &mut [u64], positions: &[u32]) {
    for &position in positions {
        words[position as usize / 64] |= 1 << (position % 64);
    }
}
