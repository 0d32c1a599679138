//! Building a [`Space`] from the bottom up: whoever counts says, once for every region that it has counted, how its solutions fall
//! apart.

use super::space::{LAST, LONG, Space, run};
use super::tally::Tallies;
use crate::board::Cell;
use crate::puzzle::Grid;
use crate::solutions::Count;

/// A node of the graph that is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

/// One way on from a node.
#[derive(Clone, Debug, Default)]
pub struct Edge {
    /// The cells that it decides, filled or not, each once.
    pub cells: Vec<(Cell, bool)>,
    /// What is left open: nodes whose solutions multiply.
    pub rest: Vec<NodeId>,
}

/// A graph that grows. Nodes are added after everything that they lead to; several threads may take turns.
///
/// ```
/// use omnogram::board::Cell;
/// use omnogram::count::{Builder, Edge};
/// use omnogram::puzzle::Grid;
///
/// // Two cells of which exactly one is filled, beside one that always is.
/// let way = |left| Edge {
///     cells: vec![(Cell::new(0, 0), left), (Cell::new(0, 1), !left)],
///     rest: vec![],
/// };
/// let mut builder = Builder::new(3, 1);
/// let node = builder.node(vec![way(true), way(false)]);
/// let space = builder.finish(&Grid::from_rows(&["..#"])?, vec![node]);
/// assert_eq!(space.count().to_string(), "2");
/// # Ok::<(), omnogram::error::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    width: usize,
    height: usize,
    /// Where the edges of each node begin.
    starts: Vec<u32>,
    tallies: Tallies,
    /// The edges, as [`Space`] reads them.
    words: Vec<u32>,
}

/// Words beyond which nothing should be added: a node's place is kept in 32 bits.
const FULL: usize = (1 << 32) - (1 << 26);

impl Builder {
    /// Nothing yet, for a puzzle of this size.
    pub fn new(width: usize, height: usize) -> Self {
        Builder {
            width,
            height,
            starts: Vec::new(),
            tallies: Tallies::default(),
            words: Vec::new(),
        }
    }

    /// Adds a node with these edges: the solutions of each are disjoint from those of the others, and each decides the same cells,
    /// counting what is decided further down. The solutions of a node's edges are all solutions of its region.
    ///
    /// # Panics
    ///
    /// When there is no edge, when one leads to a node that has not been added, or decides a cell outside the puzzle, and when the
    /// graph outgrows 2^32 words, long after [`Builder::bytes`] says that there is no more room.
    pub fn node(&mut self, edges: Vec<Edge>) -> NodeId {
        let last = edges.len().checked_sub(1).expect("a node has an edge");
        let start = u32::try_from(self.words.len()).expect("a graph has room for its nodes");
        let mut sum = Count::ZERO;
        for (i, Edge { mut cells, rest }) in edges.into_iter().enumerate() {
            cells.sort_unstable();
            sum += &self
                .tallies
                .product(rest.iter().map(|node| node.0 as usize));
            room(&mut self.words, cells.len() + rest.len() + 2);
            let head = self.words.len();
            // Which form the head has is known only when the runs have been counted.
            self.words.extend([0, 0]);
            let runs = self.runs(&cells);
            let flag = if i == last { LAST } else { 0 };
            if runs < 1 << 14 && rest.len() < 1 << 16 {
                self.words[head] = flag | (runs << 16 | rest.len()) as u32;
                self.words.remove(head + 1);
            } else {
                self.words[head] = flag | LONG | runs as u32;
                self.words[head + 1] = rest.len() as u32;
            }
            self.words.extend(rest.iter().map(|node| node.0));
        }
        room(&mut self.starts, 1);
        self.starts.push(start);
        self.tallies.push(sum);
        let id = u32::try_from(self.starts.len() - 1).expect("fewer nodes than words");
        NodeId(id)
    }

    /// Adds the runs of these cells, which are in order, and says how many they are.
    fn runs(&mut self, cells: &[(Cell, bool)]) -> usize {
        let before = self.words.len();
        let mut open: Option<(usize, bool, usize)> = None;
        for &(cell, filled) in cells {
            let (row, column) = (usize::from(cell.row), usize::from(cell.column));
            assert!(
                row < self.height && column < self.width,
                "{cell:?} is outside the puzzle"
            );
            let at = row * self.width + column;
            open = match open {
                Some((start, same, length))
                    if at == start + length && filled == same && length < 128 =>
                {
                    Some((start, same, length + 1))
                }
                ended => {
                    self.words
                        .extend(ended.map(|(start, filled, length)| run(start, filled, length)));
                    Some((at, filled, 1))
                }
            };
        }
        self.words
            .extend(open.map(|(start, filled, length)| run(start, filled, length)));
        self.words.len() - before
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

    /// The space of all solutions: the cells of `known`, and over them the product of the roots. Cells that no root decides are as in
    /// `known`; those that one decides are empty there. Without roots `known` is the one solution.
    ///
    /// # Panics
    ///
    /// When `known` is of another size.
    pub fn finish(self, known: &Grid, roots: Vec<NodeId>) -> Space {
        assert_eq!(
            (known.width(), known.height()),
            (self.width, self.height),
            "size of the puzzle"
        );
        let Builder {
            starts,
            tallies,
            words,
            ..
        } = self;
        let roots = roots.into_iter().map(|root| root.0).collect();
        Space::new(known.clone(), roots, starts, tallies, words)
    }
}

/// Makes room for so many more, a quarter at a time: what is held should not jump to twice of what is needed.
pub(super) fn room<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 4).max(64));
    }
}
