//! What has been counted so far: kept for one count, or shared by several of the same puzzle.

use super::cache::{Cache, Key};
use super::line_automaton::UniqueTable;
use crate::graph::NodeId;
use crate::run::shares;
use crate::solutions::Count;

/// What a component is worth.
#[derive(Clone, Debug)]
pub(crate) struct ComponentValue {
    /// The number of its fillings.
    pub(crate) count: Count,
    /// Its node in the solution graph, where one is kept and there is a filling.
    pub(crate) node: Option<NodeId>,
}

impl ComponentValue {
    /// A number without a graph.
    pub(crate) fn number(count: Count) -> Self {
        ComponentValue { count, node: None }
    }
}

/// Parts of a puzzle that have been counted, and the numbers by which they are told apart. It belongs to one puzzle.
#[derive(Debug)]
pub struct ComponentTable {
    pub(crate) numbers: UniqueTable,
    pub(crate) cache: Cache<ComponentValue>,
}

impl ComponentTable {
    /// Nothing counted yet. It will take about a third of `memory` bytes.
    pub fn new(memory: u64) -> Self {
        Self::with(memory / shares::NUMBERS, memory / shares::COMPONENTS)
    }

    pub(crate) fn with(numbers: u64, cache: u64) -> Self {
        ComponentTable {
            numbers: UniqueTable::new(numbers),
            cache: Cache::new(cache),
        }
    }

    /// The same, with a log of the entries whose cost of recomputation is at least `least` nodes.
    pub(crate) fn logging(self, least: u64) -> Self {
        ComponentTable {
            cache: self.cache.logging(least),
            ..self
        }
    }

    /// Keeps a part of which another process has written down what it is worth.
    pub(crate) fn recall(&self, key: Key, value: ComponentValue, nodes: u64) {
        self.cache.insert(key, value, nodes, 0);
    }
}
