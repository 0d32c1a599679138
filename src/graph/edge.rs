//! The input format of the graph builders: edges, with the fate of each cell and the child nodes.

use super::runs::{EMPTY, FILLED, FIRST_CHILD, pack};

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
        if filled {
            CellFate::Filled
        } else {
            CellFate::Empty
        }
    }
}

/// The form of an edge: the fate of each cell of its node. Many edges may differ only in their children.
#[derive(Clone, Debug)]
pub struct EdgeForm {
    /// The packed runs of cells, and the number of cells.
    pub(super) runs: Vec<u8>,
    pub(super) size: u32,
    /// The number of children.
    children: usize,
}

impl EdgeForm {
    /// The form of an edge with the fate of each cell of its node, in reading order, and with this number of children.
    ///
    /// # Panics
    ///
    /// If a cell is left to a child that does not exist.
    pub fn new(cells: impl IntoIterator<Item = CellFate>, children: usize) -> Self {
        let code = |cell| match cell {
            CellFate::Empty => EMPTY,
            CellFate::Filled => FILLED,
            CellFate::Child(i) => {
                let is_there = (i as usize) < children;
                assert!(is_there, "a cell is left to a child that does not exist");
                FIRST_CHILD + i
            }
        };
        let (runs, size) = pack(cells.into_iter().map(code), children);
        EdgeForm {
            runs,
            size,
            children,
        }
    }

    /// Number of words in which the runs are stored.
    pub(super) fn words(&self) -> usize {
        self.runs.len().div_ceil(4)
    }

    /// The edge of this form with these children.
    ///
    /// # Panics
    ///
    /// If the form has another number of children.
    #[inline]
    pub fn with_children<'e>(&'e self, children: &'e [NodeId]) -> EdgeRef<'e> {
        assert_eq!(children.len(), self.children, "an edge has other children");
        EdgeRef {
            form: self,
            children,
        }
    }
}

/// A borrowed edge.
#[derive(Clone, Copy, Debug)]
pub struct EdgeRef<'e> {
    pub(super) form: &'e EdgeForm,
    pub(super) children: &'e [NodeId],
}

/// An edge: one alternative of a node.
#[derive(Clone, Debug)]
pub struct Edge {
    form: EdgeForm,
    children: Vec<NodeId>,
}

impl Edge {
    /// An edge with the fate of each cell of its node, in reading order, and with these child nodes, whose solution counts multiply. The
    /// cells left to a child are the cells of the child, in the same order.
    ///
    /// # Panics
    ///
    /// If a cell is left to a child that does not exist.
    pub fn new(cells: impl IntoIterator<Item = CellFate>, children: Vec<NodeId>) -> Self {
        let form = EdgeForm::new(cells, children.len());
        Edge { form, children }
    }

    /// The same edge, borrowed.
    #[inline]
    pub fn as_ref(&self) -> EdgeRef<'_> {
        self.form.with_children(&self.children)
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
