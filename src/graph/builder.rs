//! Building a [`SolutionGraph`] from the bottom up: whoever counts says, once for every region that it has counted, how its solutions fall
//! apart.

use super::arena::{Arena, FULL};
use super::edge::{Edge, NodeId};
use super::runs::{LEFT, Runs, store};
use super::solution_graph::{Root, SolutionGraph};
use crate::board::Cell;
use crate::puzzle::Grid;
use crate::solutions::Count;

/// A graph that grows. Nodes are added after everything that they lead to.
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
/// let graph = builder.finish(&Grid::from_rows(&[".....#"])?, vec![(node, cells)]);
/// assert_eq!(graph.count().to_string(), "5");
/// let last = graph.lexicographic(&4.into()).next().unwrap();
/// assert_eq!(last.to_string(), ".....#\n");
/// # Ok::<(), omnogram::error::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    pub(super) nodes: Arena,
}

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
        let (mut sum, mut left, mut words) = (Count::ZERO, Vec::new(), Vec::new());
        for edge in &edges {
            let rest = &edge.rest;
            let below = rest.iter().map(|node| node.0 as usize);
            sum += &self.nodes.tallies.product(below.clone());
            left.clear();
            left.resize(rest.len(), 0);
            words.clear();
            store(&edge.runs, &mut words);
            for (becomes, length) in Runs::new(&words, edge.size, rest.len()) {
                if let Some(i) = becomes.checked_sub(LEFT) {
                    left[i as usize] += length;
                }
            }
            assert!(
                below
                    .zip(&left)
                    .all(|(node, &left)| self.nodes.size(node) == left),
                "cells left to a node are its cells"
            );
        }
        self.nodes.push(&edges, sum);
        let id = u32::try_from(self.nodes() - 1).expect("fewer nodes than words");
        NodeId(id)
    }

    /// Number of solutions of a node.
    pub fn count(&self, node: NodeId) -> Count {
        self.nodes.tallies.get(node.0 as usize)
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes.nodes()
    }

    /// Bytes held, so that whoever builds can stop in time; the greatest number when there is no more room at all.
    pub fn bytes(&self) -> u64 {
        match self.nodes.words.len() >= FULL {
            true => u64::MAX,
            false => self.nodes.bytes(),
        }
    }

    /// The space of all solutions: the cells of `known`, and over them the product of the roots, each of which lies on these cells; a
    /// node may lie in several places. Cells on which no root lies are as in `known`; the others are empty there. Without roots `known`
    /// is the one solution.
    ///
    /// # Panics
    ///
    /// When a root has another number of cells, or a cell outside the puzzle, and when two lie on the same cell.
    pub fn finish(self, known: &Grid, roots: Vec<(NodeId, Vec<Cell>)>) -> SolutionGraph {
        let nodes = self.nodes;
        let mut taken = Grid::new(known.width(), known.height());
        let root = |(node, mut cells): (NodeId, Vec<Cell>)| {
            let size = nodes.size(node.0 as usize);
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
        SolutionGraph::new(known.clone(), roots, nodes)
    }
}
