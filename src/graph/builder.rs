//! Building a [`Space`] from the bottom up: whoever counts says, once for every region that it has counted, how its solutions fall
//! apart.

use super::room::room;
use super::runs::{EMPTY, FILLED, LEFT, Packer, Runs, store};
use super::space::{LAST, LONG, LONG_REST, LONG_RUNS, Root, Space};
use super::tally::Tallies;
use crate::board::Cell;
use crate::puzzle::Grid;
use crate::solutions::Count;

/// A node of the graph that is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

/// What an edge makes of a cell of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Becomes {
    /// It is empty.
    Empty,
    /// It is filled.
    Filled,
    /// It is left open, as a cell of the node that stands here among those that the edge leads to.
    Left(u32),
}

impl From<bool> for Becomes {
    /// Filled or not.
    fn from(filled: bool) -> Self {
        match filled {
            true => Becomes::Filled,
            false => Becomes::Empty,
        }
    }
}

/// One way on from a node.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The packed runs of its cells, and how many these are.
    runs: Vec<u8>,
    size: u32,
    rest: Vec<NodeId>,
}

impl Edge {
    /// An edge that makes this of the cells of its node, in reading order, and leads to these nodes, whose solutions multiply. The
    /// cells that are left to one of these nodes are its cells, in the same order.
    ///
    /// # Panics
    ///
    /// When a cell is left to a node that is not there.
    pub fn new(cells: impl IntoIterator<Item = Becomes>, rest: Vec<NodeId>) -> Self {
        let mut packer = Packer::new(rest.len());
        for cell in cells {
            let becomes = match cell {
                Becomes::Empty => EMPTY,
                Becomes::Filled => FILLED,
                Becomes::Left(i) => {
                    assert!((i as usize) < rest.len(), "a cell is left to no node");
                    LEFT + i
                }
            };
            packer.push(becomes, 1);
        }
        let (runs, size) = packer.finish();
        Edge { runs, size, rest }
    }
}

/// A graph that grows. Nodes are added after everything that they lead to; several threads may take turns.
///
/// ```
/// use omnogram::board::Cell;
/// use omnogram::graph::{Becomes, Builder, Edge};
/// use omnogram::puzzle::Grid;
///
/// // Two cells of which exactly one is filled.
/// let way = |left: bool| Edge::new([left.into(), (!left).into()], vec![]);
/// let mut builder = Builder::new();
/// let pair = builder.node(vec![way(true), way(false)]);
/// // Two such pairs, the cells of one between those of the other; and a cell that says whether they are there at all.
/// let (outer, inner) = (Becomes::Left(0), Becomes::Left(1));
/// let there = Edge::new([Becomes::Filled, outer, inner, inner, outer], vec![pair, pair]);
/// let not_there = Edge::new([Becomes::Empty; 5], vec![]);
/// let node = builder.node(vec![there, not_there]);
/// // Beside a cell that is always filled.
/// let cells = (0..5).map(|column| Cell::new(0, column)).collect();
/// let space = builder.finish(&Grid::from_rows(&[".....#"])?, vec![(node, cells)]);
/// assert_eq!(space.count().to_string(), "5");
/// let last = space.ordered(&4.into()).next().unwrap();
/// assert_eq!(last.to_string(), ".....#\n");
/// # Ok::<(), omnogram::error::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    /// Where each node begins.
    starts: Vec<u32>,
    tallies: Tallies,
    /// The nodes, as [`Space`] reads them.
    words: Vec<u32>,
}

/// Words beyond which nothing should be added: a node's place is kept in 32 bits.
const FULL: usize = (1 << 32) - (1 << 26);

impl Builder {
    /// Nothing yet.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Adds a node with these edges: the solutions of each are disjoint from those of the others, and together they are all solutions
    /// of its region.
    ///
    /// # Panics
    ///
    /// When there is no edge, when edges say something of different numbers of cells, when one leads to a node that has not been
    /// added, or leaves it more or fewer cells than it has, and when the graph outgrows 2^32 words, long after [`Builder::bytes`] says
    /// that there is no more room.
    pub fn node(&mut self, edges: Vec<Edge>) -> NodeId {
        let last = edges.len().checked_sub(1).expect("a node has an edge");
        let size = edges[0].size;
        let start = u32::try_from(self.words.len()).expect("a graph has room for its nodes");
        let needed = |edge: &Edge| edge.runs.len().div_ceil(4) + edge.rest.len() + 2;
        room(&mut self.words, 1 + edges.iter().map(needed).sum::<usize>());
        self.words.push(size);
        let (mut sum, mut left) = (Count::ZERO, Vec::new());
        for (i, edge) in edges.iter().enumerate() {
            assert_eq!(edge.size, size, "cells of the node");
            let rest = &edge.rest;
            sum += &self
                .tallies
                .product(rest.iter().map(|node| node.0 as usize));
            let runs = edge.runs.len().div_ceil(4);
            let flag = if i == last { LAST } else { 0 };
            if runs < LONG_RUNS && rest.len() < LONG_REST {
                self.words.push(flag | (runs << 16 | rest.len()) as u32);
            } else {
                self.words.push(flag | LONG | runs as u32);
                self.words.push(rest.len() as u32);
            }
            self.words.extend(rest.iter().map(|node| node.0));
            let at = self.words.len();
            store(&edge.runs, &mut self.words);
            left.clear();
            left.resize(rest.len(), 0);
            for (becomes, length) in Runs::new(&self.words[at..], size, rest.len()) {
                if let Some(i) = becomes.checked_sub(LEFT) {
                    left[i as usize] += length;
                }
            }
            let fits = |(&node, &left): (&NodeId, &u32)| {
                let start = self.starts[node.0 as usize];
                self.words[start as usize] == left
            };
            assert!(
                rest.iter().zip(&left).all(fits),
                "cells left to a node are its cells"
            );
        }
        room(&mut self.starts, 1);
        self.starts.push(start);
        self.tallies.push(sum);
        let id = u32::try_from(self.starts.len() - 1).expect("fewer nodes than words");
        NodeId(id)
    }

    /// Number of solutions of a node.
    pub fn count(&self, node: NodeId) -> Count {
        self.tallies.get(node.0 as usize)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.starts.len()
    }

    /// Bytes held, so that whoever builds can stop in time; the greatest number when there is no more room at all.
    pub fn bytes(&self) -> u64 {
        if self.words.len() >= FULL {
            return u64::MAX;
        }
        let words = self.words.capacity() + self.starts.capacity();
        words as u64 * 4 + self.tallies.bytes()
    }

    /// The space of all solutions: the cells of `known`, and over them the product of the roots, each of which lies on these cells; a
    /// node may lie in several places. Cells on which no root lies are as in `known`; the others are empty there. Without roots `known`
    /// is the one solution.
    ///
    /// # Panics
    ///
    /// When a root has another number of cells, or a cell outside the puzzle, and when two lie on the same cell.
    pub fn finish(self, known: &Grid, roots: Vec<(NodeId, Vec<Cell>)>) -> Space {
        let Builder {
            starts,
            tallies,
            words,
        } = self;
        let mut taken = Grid::new(known.width(), known.height());
        let root = |(node, mut cells): (NodeId, Vec<Cell>)| {
            let size = words[starts[node.0 as usize] as usize];
            assert_eq!(cells.len(), size as usize, "cells of a root");
            cells.sort_unstable();
            let place = |cell: &Cell| {
                let (row, column) = (usize::from(cell.row), usize::from(cell.column));
                assert!(
                    row < known.height() && column < known.width(),
                    "{cell:?} is outside the puzzle"
                );
                assert!(!taken.get(row, column), "two roots lie on {cell:?}");
                taken.set(row, column, true);
                (row * Grid::stride(known.width()) * 64 + column) as u32
            };
            Root {
                node: node.0,
                places: cells.iter().map(place).collect(),
            }
        };
        let roots = roots.into_iter().map(root).collect();
        Space::new(known.clone(), roots, starts, tallies, words)
    }
}
