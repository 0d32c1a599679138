//! Stores counted components: the value in the component table and, where a solution graph is kept, a node of the graph.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::cache::Key;
use super::component::Rows;
use super::table::{ComponentTable, ComponentValue};
use crate::graph::{Arenas, CellFate, Edge, EdgeRef, NodeId};
use crate::line::Word;
use crate::solutions::Count;

/// The component table, and the solution graph if one is kept.
#[derive(Debug)]
pub(crate) struct Store {
    /// The table. Its nodes belong to one graph, so a count that keeps a graph shares its table with no other count.
    pub(crate) table: Arc<ComponentTable>,
    pub(crate) graph: Option<Arenas>,
    /// Bound on the bytes of the graph.
    pub(crate) max_graph_bytes: u64,
    /// Whether the graph has exceeded the bound. Relaxed: a hint until all workers have ended.
    outgrown: AtomicBool,
}

impl Store {
    /// If `keeps_graph`, with an empty graph to which the threads of the current rayon pool can add nodes.
    pub(crate) fn new(table: Arc<ComponentTable>, keeps_graph: bool, max_graph_bytes: u64) -> Self {
        Store {
            table,
            graph: keeps_graph.then(|| Arenas::new(rayon::current_num_threads())),
            max_graph_bytes,
            outgrown: AtomicBool::new(false),
        }
    }

    /// Whether a solution graph is kept.
    pub(crate) fn keeps_graph(&self) -> bool {
        self.graph.is_some()
    }

    /// The bytes of the graph; 0 without one.
    pub(crate) fn graph_bytes(&self) -> u64 {
        self.graph.as_ref().map_or(0, Arenas::bytes)
    }

    /// Whether the graph has exceeded its bound on bytes.
    pub(crate) fn is_outgrown(&self) -> bool {
        self.outgrown.load(Ordering::Relaxed)
    }

    /// The value of the component with this key. `None` if the table does not have it, or if a graph is kept and the entry has fillings but
    /// no node.
    pub(crate) fn get(&self, key: &Key) -> Option<ComponentValue> {
        let known = self.table.cache.get(key);
        known.filter(|value| self.graph.is_none() || value.node.is_some() || value.count.is_zero())
    }

    /// Adds a component to the table: its value, and the nodes that its count took.
    pub(crate) fn insert(&self, key: Key, value: ComponentValue, nodes: u64) {
        #[cfg(feature = "checked")]
        self.table
            .state_numbers
            .descriptions
            .confirm_count(&key, &value.count);
        self.table.cache.insert(key, value, nodes);
    }

    /// Adds a node for a component with these edges, which together have `count` fillings; `None` without a graph or without an edge.
    pub(crate) fn add_node<'e>(
        &self,
        edges: impl Iterator<Item = EdgeRef<'e>> + Clone,
        count: &Count,
    ) -> Option<NodeId> {
        let has_edge = edges.clone().next().is_some();
        let graph = self.graph.as_ref().filter(|_| has_edge)?;
        let node = graph.add_node(edges, count.clone());
        if graph.bytes() > self.max_graph_bytes {
            self.outgrown.store(true, Ordering::Relaxed);
        }
        Some(node)
    }
}

/// The edge from a component with these cells to the components into which its unknown cells split after a decision: their nodes and cells
/// are `children`. `filled` is called once for each row in order, and returns the filled cells of that row. Cells of a child stay unknown.
pub(crate) fn edge<W: Word>(
    cells: &[(u16, W)],
    mut filled: impl FnMut(u16) -> W,
    children: Vec<(NodeId, Rows<W>)>,
) -> Edge {
    // For each child, the number of its rows above the current one; and the children with cells in the current row.
    let mut above = vec![0; children.len()];
    let mut here: Vec<(u32, W)> = Vec::new();
    let size = cells.iter().map(|(_, cells)| cells.count()).sum();
    let mut fates = Vec::with_capacity(size);
    for &(row, of_component) in cells {
        here.clear();
        for (i, ((_, rows), above)) in children.iter().zip(&mut above).enumerate() {
            if let Some(&(_, left)) = rows.get(*above).filter(|&&(at, _)| at == row) {
                here.push((i as u32, left));
                *above += 1;
            }
        }
        let filled = filled(row);
        fates.extend(of_component.cells().map(|column| {
            let left = here.iter().find(|(_, left)| left.has(column));
            match left {
                Some(&(i, _)) => CellFate::Child(i),
                None => CellFate::from(filled.has(column)),
            }
        }));
    }
    Edge::new(fates, children.into_iter().map(|(node, _)| node).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store with a graph of one node: a cell that is filled.
    fn store(max_graph_bytes: u64) -> Store {
        let store = Store::new(
            Arc::new(ComponentTable::new(1 << 20)),
            true,
            max_graph_bytes,
        );
        let edge = edge(&[(0, 1u64)], |_| 1, Vec::new());
        assert!(
            store
                .add_node(std::iter::once(edge.as_ref()), &Count::ONE)
                .is_some()
        );
        store
    }

    #[test]
    fn a_graph_has_outgrown_its_bound_when_it_takes_more_bytes() {
        let bytes = store(u64::MAX).graph_bytes();
        assert!(bytes > 1);
        let is_outgrown = |bound| store(bound).is_outgrown();
        assert_eq!([0, bytes - 1, bytes].map(is_outgrown), [true, true, false]);
    }
}
