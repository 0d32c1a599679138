//! The component table: the components counted so far, for one count or shared by several counts.

use std::sync::Arc;

use super::cache::Cache;
use super::line_automaton::UniqueTable;
use crate::graph::NodeId;
use crate::run::{drop_aside, memory_plan};
use crate::solutions::Count;

/// The value of a counted component.
#[derive(Clone, Debug)]
pub(crate) struct ComponentValue {
    /// The number of its fillings.
    pub(crate) count: Count,
    /// Its node in the solution graph, where one is kept and there is a filling.
    pub(crate) node: Option<NodeId>,
}

impl ComponentValue {
    /// The value where no solution graph is kept.
    pub(crate) fn number(count: Count) -> Self {
        ComponentValue { count, node: None }
    }
}

/// Counted components, and the state numbers of which their keys are made.
///
/// A key says which fillings the lines of a component allow, and nothing else. So a table may serve counts of many puzzles; what it holds
/// of one helps with the next where they have equal components.
#[derive(Debug)]
pub struct ComponentTable {
    pub(crate) state_numbers: UniqueTable,
    pub(crate) cache: Cache<ComponentValue>,
}

impl ComponentTable {
    /// An empty table for a count that may take `memory` bytes; the table will take about a third of them.
    pub fn new(memory: u64) -> Self {
        Self::with_bytes(
            memory_plan::NUMBERS.of(memory),
            memory_plan::COMPONENTS.of(memory),
        )
    }

    /// Whether there is no room for the states of further keys. Components found from now on may have no key and are not kept; a count that
    /// begins with a new table may be faster.
    pub fn is_full(&self) -> bool {
        self.state_numbers.is_full()
    }

    /// Drops the table if nobody else has it; if it is large, [aside](drop_aside), as each key has memory of its own.
    pub(crate) fn drop_aside(self: Arc<Self>) {
        if Arc::strong_count(&self) == 1 {
            let bytes = self.cache.bytes() as u64;
            drop_aside(self, bytes);
        }
    }

    pub(crate) fn with_bytes(numbers: u64, cache: u64) -> Self {
        ComponentTable {
            state_numbers: UniqueTable::new(numbers),
            cache: Cache::new(cache),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_full_when_the_states_have_taken_all_room() {
        let table = ComponentTable::with_bytes(1 << 10, 1 << 10);
        assert!(!table.is_full());
        let states = &table.state_numbers;
        let numbered = (0..1 << 10).map_while(|i| states.number_of([i, i])).count();
        assert!(numbered > 0 && table.is_full());
    }
}
