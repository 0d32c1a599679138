//! What is kept of a component that has been counted: its entry in the table and, where a solution graph is kept, its node.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::cache::Key;
use super::component::Rows;
use super::table::{ComponentTable, ComponentValue};
use crate::graph::{Arenas, Becomes, Edge, NodeId};
use crate::line::Word;
use crate::solutions::Count;

/// The component table, and the solution graph if one is kept.
#[derive(Debug)]
pub(crate) struct Store {
    /// The table. The nodes in it are those of one graph, so a count that keeps a graph shares its table with no other count.
    pub(crate) table: Arc<ComponentTable>,
    pub(crate) graph: Option<Arenas>,
    /// Most bytes of the graph.
    pub(crate) most: u64,
    /// Has the graph outgrown them? Relaxed: a hint, until all workers are back.
    outgrown: AtomicBool,
}

impl Store {
    /// An empty graph of at most `most` bytes is kept if `keeps_graph`, to which the threads of the pool at hand can add.
    pub(crate) fn new(table: Arc<ComponentTable>, keeps_graph: bool, most: u64) -> Self {
        Store {
            table,
            graph: keeps_graph.then(|| Arenas::new(rayon::current_num_threads())),
            most,
            outgrown: AtomicBool::new(false),
        }
    }

    /// Is a graph kept?
    pub(crate) fn keeps_graph(&self) -> bool {
        self.graph.is_some()
    }

    /// Does the graph take more memory than it may?
    pub(crate) fn is_outgrown(&self) -> bool {
        self.outgrown.load(Ordering::Relaxed)
    }

    /// What a component with this key is worth, and the nodes that it would take again; `None` where the table does not say, or where a
    /// graph is kept and the component has fillings but no node.
    pub(crate) fn get(&self, key: &Key) -> Option<(ComponentValue, u64)> {
        let known = self.table.cache.get(key);
        known.filter(|(value, _)| {
            self.graph.is_none() || value.node.is_some() || value.count.is_zero()
        })
    }

    /// Keeps a component that took this number of nodes, and would take `again` with what is logged alone. Returns what it would take
    /// now that it is kept.
    pub(crate) fn keep(&self, key: Key, value: ComponentValue, nodes: u64, again: u64) -> u64 {
        self.table.cache.insert(key, value, nodes, again)
    }

    /// The node of a component with these edges, which have `count` fillings together, where a graph is kept and there is a filling.
    pub(crate) fn node(&self, edges: &[Edge], count: &Count) -> Option<NodeId> {
        let graph = self.graph.as_ref().filter(|_| !edges.is_empty())?;
        let node = graph.node(edges, count.clone());
        if graph.bytes() > self.most {
            self.outgrown.store(true, Ordering::Relaxed);
        }
        Some(node)
    }
}

/// The edge of a component with these cells for what is known of them now: whether they are filled, row by row, but for those that are
/// left to one of the components in `rest`.
pub(crate) fn edge<W: Word>(
    cells: &[(u16, W)],
    mut filled: impl FnMut(u16) -> W,
    rest: Vec<(NodeId, Rows<W>)>,
) -> Edge {
    // Of each of those components, the number of its rows above; and the cells of those that have some in this row.
    let mut above = vec![0; rest.len()];
    let mut here: Vec<(u32, W)> = Vec::new();
    let size = cells.iter().map(|(_, cells)| cells.count()).sum();
    let mut becomes = Vec::with_capacity(size);
    for &(row, of_component) in cells {
        here.clear();
        for (i, ((_, rows), above)) in rest.iter().zip(&mut above).enumerate() {
            if let Some(&(_, left)) = rows.get(*above).filter(|&&(at, _)| at == row) {
                here.push((i as u32, left));
                *above += 1;
            }
        }
        let filled = filled(row);
        becomes.extend(of_component.cells().map(|column| {
            let left = here.iter().find(|(_, left)| left.has(column));
            match left {
                Some(&(i, _)) => Becomes::Left(i),
                None => Becomes::from(filled.has(column)),
            }
        }));
    }
    Edge::new(becomes, rest.into_iter().map(|(node, _)| node).collect())
}
