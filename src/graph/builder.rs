//! Building a [`SolutionGraph`] bottom-up: the counter adds one node for each region that it has counted.

use super::arena::Arena;
use super::edge::{Edge, NodeId};
use super::runs::{FIRST_CHILD, Runs, store};
use super::solution_graph::{Root, SolutionGraph};
use crate::puzzle::{Cell, Grid};
use crate::solutions::Count;

/// A graph under construction. Nodes are added after their children.
///
/// ```
/// use omnogram::Cell;
/// use omnogram::graph::{CellFate, Builder, Edge};
/// use omnogram::puzzle::Grid;
///
/// // Two cells of which exactly one is filled.
/// let edge = |left: bool| Edge::new([left.into(), (!left).into()], vec![]);
/// let mut builder = Builder::new();
/// let pair = builder.add_node(vec![edge(true), edge(false)]);
/// // A switch cell followed by two such pairs, one nested in the other; if the switch is empty, all cells are.
/// let (outer, inner) = (CellFate::Child(0), CellFate::Child(1));
/// let on = Edge::new([CellFate::Filled, outer, inner, inner, outer], vec![pair, pair]);
/// let off = Edge::new([CellFate::Empty; 5], vec![]);
/// let node = builder.add_node(vec![on, off]);
/// // The sixth cell is not part of the node: the grid says that it is filled.
/// let cells = (0..5).map(|column| Cell::new(0, column)).collect();
/// let graph = builder.finish(&Grid::from_rows(&[".....#"])?, vec![(node, cells)]);
/// assert_eq!(graph.count().to_string(), "5");
/// // Filled comes before empty, so the solution in which the sixth cell alone is filled is the last.
/// let last = graph.lexicographic(&4.into()).next().unwrap();
/// assert_eq!(last.to_string(), ".....#\n");
/// # Ok::<(), omnogram::error::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    pub(super) nodes: Arena,
}

impl Builder {
    /// An empty graph.
    pub fn new() -> Self {
        Builder::default()
    }

    /// Adds a node with these edges. The solution sets of the edges must be disjoint, and their union must be all solutions of the region.
    ///
    /// # Panics
    ///
    /// If there is no edge, if edges differ in their number of cells, if a child has not been added, if an edge leaves a child more or
    /// fewer cells than the child has, or if the graph exceeds 2^32 words.
    pub fn add_node(&mut self, edges: Vec<Edge>) -> NodeId {
        let (mut sum, mut cells_left, mut words) = (Count::ZERO, Vec::new(), Vec::new());
        for edge in edges.iter().map(Edge::as_ref) {
            let (form, children) = (edge.form, edge.children);
            let numbers = children.iter().map(|node| node.0 as usize);
            sum += &self.nodes.counts.product(numbers.clone());
            cells_left.clear();
            cells_left.resize(children.len(), 0);
            words.clear();
            store(&form.runs, &mut words);
            for (code, length) in Runs::new(&words, form.size, children.len()) {
                if let Some(i) = code.checked_sub(FIRST_CHILD) {
                    cells_left[i as usize] += length;
                }
            }
            let sizes = numbers.map(|node| self.nodes.cell_count(node));
            let fit = sizes.eq(cells_left.iter().copied());
            assert!(
                fit,
                "an edge leaves a child more or fewer cells than it has"
            );
        }
        self.nodes.push(edges.iter().map(Edge::as_ref), sum);
        let id = u32::try_from(self.node_count() - 1).expect("there are fewer nodes than words");
        NodeId(id)
    }

    /// Number of solutions of a node.
    pub fn count(&self, node: NodeId) -> Count {
        self.nodes.counts.get(node.0 as usize)
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.offsets.len()
    }

    /// The finished graph: the product of the roots, each placed on its list of cells, over the grid `known`. A node may be placed on
    /// several lists. Its cells are matched to those of the list in reading order. A cell on no list has the value that it has in `known`;
    /// a cell on a list must be empty there. Without roots, `known` is the only solution.
    ///
    /// # Panics
    ///
    /// If a root has another number of cells than its list, if a cell is outside the puzzle, or if two roots share a cell.
    pub fn finish(self, known: &Grid, roots: Vec<(NodeId, Vec<Cell>)>) -> SolutionGraph {
        let nodes = self.nodes;
        let mut taken = Grid::new(known.width(), known.height());
        let place_root = |(node, mut cells): (NodeId, Vec<Cell>)| {
            let size = nodes.cell_count(node.0 as usize) as usize;
            assert_eq!(cells.len(), size, "a root has another number of cells");
            cells.sort_unstable();
            let position = |cell: &Cell| {
                let (row, column) = cell.place();
                let is_inside = row < known.height() && column < known.width();
                assert!(is_inside, "{cell:?} is outside the puzzle");
                assert!(!taken.get(row, column), "two roots lie on {cell:?}");
                taken.set(row, column, true);
                (row * Grid::stride(known.width()) * 64 + column) as u32
            };
            Root {
                node: node.0,
                positions: cells.iter().map(position).collect(),
            }
        };
        let roots = roots.into_iter().map(place_root).collect();
        SolutionGraph::new(known.clone(), roots, nodes)
    }
}

#[cfg(test)]
impl Builder {
    /// Adds a node with these edges, as [`Edge::from_text`] has them.
    pub(super) fn add(&mut self, edges: &[(&str, &[NodeId])]) -> NodeId {
        let edges = edges
            .iter()
            .map(|&(cells, children)| Edge::from_text(cells, children));
        self.add_node(edges.collect())
    }

    /// Adds a node of eight cells with 56 solutions. Its first cell is left to a child, below which there are children with the same first
    /// cell, and some children have fewer undecided cells than their parents.
    pub(super) fn add_nested(&mut self) -> NodeId {
        let single = self.add(&[("#", &[]), (".", &[])]);
        let pair = self.add(&[("#.", &[]), (".#", &[])]);
        let uneven = self.add(&[("##.", &[]), ("#..", &[]), ("..#", &[])]);
        let middle = self.add(&[
            ("01011", &[pair, uneven]),
            ("#.#00", &[pair]),
            (".#.0#", &[single]),
        ]);
        self.add(&[
            ("01111120", &[pair, middle, single]),
            ("#00000.#", &[middle]),
            (".00111#.", &[pair, uneven]),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::super::arena::{LONG_CHILDREN, LONG_RUNS};
    use super::super::edge::CellFate;
    use super::*;

    #[test]
    fn counts_of_edges_add_and_counts_of_children_multiply() {
        let mut builder = Builder::new();
        let pair = builder.add(&[("#.", &[]), (".#", &[])]);
        let node = builder.add(&[("#0011", &[pair, pair]), ("..00#", &[pair])]);
        assert_eq!(builder.node_count(), 2);
        assert_eq!(builder.count(pair), Count::from(2));
        assert_eq!(builder.count(node), Count::from(6));
    }

    /// From a certain size on, the head of an edge takes two words. An edge is read back in either form, and so is the edge after it.
    #[test]
    fn edges_around_the_size_of_a_long_head_are_read_back() {
        let mut builder = Builder::new();
        // A region without cells: its number alone makes the head long.
        let nothing = builder.add_node(vec![Edge::from_text("", &[])]);
        let children: Vec<_> = [LONG_CHILDREN - 1, LONG_CHILDREN]
            .into_iter()
            .map(|number| {
                let edge = Edge::new([], vec![nothing; number]);
                builder.add_node(vec![edge, Edge::from_text("", &[nothing])])
            })
            .collect();
        // Four runs per word: the cells alternate.
        let runs: Vec<_> = [LONG_RUNS - 1, LONG_RUNS]
            .into_iter()
            .map(|words| {
                let edge = |odd| {
                    let cells = (0..4 * words).map(move |i| CellFate::from(i % 2 == odd));
                    Edge::new(cells, Vec::new())
                };
                builder.add_node(vec![edge(0), edge(1)])
            })
            .collect();
        let graph = builder.finish(&Grid::new(1, 1), Vec::new());
        for (node, number) in children.iter().zip(LONG_CHILDREN - 1..) {
            let numbers = graph.edges_of(node.0).map(|edge| edge.children.len());
            assert!(numbers.eq([number, 1]));
        }
        for (node, words) in runs.iter().zip(LONG_RUNS - 1..) {
            assert_eq!(graph.edges_of(node.0).count(), 2);
            for (edge, first) in graph.edges_of(node.0).zip([1, 0]) {
                assert!(edge.children.is_empty());
                let codes = (0..4 * words as u32).map(|i| ((i + first) % 2, 1));
                assert!(edge.runs().eq(codes));
            }
        }
    }
}
