//! The input format of the graph builders: edges, with the fate of each cell and the child nodes.

use super::runs::{EMPTY, FILLED, FIRST_CHILD, Packer};

/// A node of a graph under construction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(super) u32);

/// What an edge does with a cell of its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CellFate {
    /// The cell is empty.
    Empty,
    /// The cell is filled.
    Filled,
    /// The cell stays undecided: it is a cell of the child with this index.
    Child(u32),
}

impl From<bool> for CellFate {
    /// `true` is filled.
    fn from(filled: bool) -> Self {
        match filled {
            true => CellFate::Filled,
            false => CellFate::Empty,
        }
    }
}

/// An edge: one alternative of a node.
#[derive(Clone, Debug)]
pub struct Edge {
    /// The packed runs of cells, and the number of cells.
    pub(super) runs: Vec<u8>,
    pub(super) size: u32,
    pub(super) children: Vec<NodeId>,
}

impl Edge {
    /// An edge with the fate of each cell of its node, in reading order, and with these child nodes, whose solution counts multiply. The
    /// cells left to a child are the cells of the child, in the same order.
    ///
    /// # Panics
    ///
    /// If a cell is left to a child that does not exist.
    pub fn new(cells: impl IntoIterator<Item = CellFate>, children: Vec<NodeId>) -> Self {
        let mut packer = Packer::new(children.len());
        for cell in cells {
            let code = match cell {
                CellFate::Empty => EMPTY,
                CellFate::Filled => FILLED,
                CellFate::Child(i) => {
                    assert!(
                        (i as usize) < children.len(),
                        "a cell is left to a child that does not exist"
                    );
                    FIRST_CHILD + i
                }
            };
            packer.push(code, 1);
        }
        let (runs, size) = packer.finish();
        Edge {
            runs,
            size,
            children,
        }
    }
}

#[cfg(test)]
impl Edge {
    /// An edge from a text: `#` is a filled cell, `.` is an empty one, and a digit leaves the cell to the child with this index.
    pub(super) fn from_text(cells: &str, children: &[NodeId]) -> Self {
        let fate = |cell: char| match cell {
            '#' => CellFate::Filled,
            '.' => CellFate::Empty,
            digit => CellFate::Child(digit.to_digit(10).expect("a digit")),
        };
        Edge::new(cells.chars().map(fate), children.to_vec())
    }

    /// An edge without children whose cells have the values of these bits, the lowest first.
    pub(super) fn from_bits(bits: u64, size: u32) -> Self {
        let cell = |i| CellFate::from(bits >> i & 1 == 1);
        Edge::new((0..size).map(cell), Vec::new())
    }
}
