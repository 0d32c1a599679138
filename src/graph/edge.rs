//! What whoever builds a graph says of a node: its edges, each with what it makes of the cells and the nodes that it leads to.

use super::runs::{EMPTY, FILLED, LEFT, Packer};

/// A node of the graph that is being built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

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
    pub(super) runs: Vec<u8>,
    pub(super) size: u32,
    pub(super) rest: Vec<NodeId>,
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
