//! Nodes in one list of words: those of a complete [`SolutionGraph`](super::SolutionGraph), or of one thread. The layout is described
//! in `solution_graph.rs`.

use super::counts::{CountList, reserve};
use super::edge::EdgeRef;
use super::runs::store;
use crate::solutions::Count;

/// Flag in the head of an edge: the last edge of its node.
pub(super) const LAST: u32 = 1 << 31;

/// Flag in the head of an edge: the number of children has a word of its own.
pub(super) const LONG: u32 = 1 << 30;

/// The head of an edge is long (flag [`LONG`]) if the edge has at least this many words of runs, or at least this many children.
pub(super) const LONG_RUNS: usize = 1 << 14;
pub(super) const LONG_CHILDREN: usize = 1 << 16;

/// Number of words at which an arena counts as full: offsets have 32 bits. The margin is 2^26 words.
pub(super) const MAX_WORDS: usize = u32::MAX as usize - (1 << 26) + 1;

/// A list of nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Arena {
    /// Offset of each node in `words`.
    pub(super) offsets: Vec<u32>,
    pub(super) counts: CountList,
    pub(super) words: Vec<u32>,
}

impl Arena {
    /// Adds a node with these edges; `count` is the number of its solutions.
    ///
    /// # Panics
    ///
    /// If there is no edge, if edges differ in their number of cells, or if the node does not fit into 32-bit offsets.
    pub(super) fn push<'e>(
        &mut self,
        edges: impl Iterator<Item = EdgeRef<'e>> + Clone,
        count: Count,
    ) {
        let offset = u32::try_from(self.words.len()).expect("offsets of nodes fit in 32 bits");
        let words = |edge: EdgeRef<'_>| edge.form.words() + edge.children.len() + 2;
        let needed: usize = edges.clone().map(words).sum();
        reserve(&mut self.words, 1 + needed);
        let mut edges = edges.peekable();
        let size = edges.peek().expect("a node has an edge").form.size;
        self.words.push(size);
        while let Some(edge) = edges.next() {
            assert_eq!(edge.form.size, size, "edges of unequal size");
            let (runs, children) = (edge.form.words(), edge.children);
            let flag = if edges.peek().is_none() { LAST } else { 0 };
            if runs < LONG_RUNS && children.len() < LONG_CHILDREN {
                self.words.push(flag | (runs << 16 | children.len()) as u32);
            } else {
                self.words.push(flag | LONG | runs as u32);
                self.words.push(children.len() as u32);
            }
            self.words.extend(children.iter().map(|node| node.0));
            store(&edge.form.runs, &mut self.words);
        }
        reserve(&mut self.offsets, 1);
        self.offsets.push(offset);
        self.counts.push(count);
    }

    /// Number of cells of a node.
    #[inline]
    pub(super) fn cell_count(&self, node: usize) -> u32 {
        self.words[self.offsets[node] as usize]
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> u64 {
        let words = self.words.capacity() + self.offsets.capacity();
        words as u64 * 4 + self.counts.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::super::edge::{CellFate, Edge};
    use super::*;

    /// The memory limit of a count covers the graph, so what is reported must cover every list, and not much more.
    #[test]
    fn the_reported_bytes_cover_all_lists() {
        let mut arena = Arena::default();
        let edge = |filled| Edge::new([CellFate::from(filled)], Vec::new());
        for _ in 0..1000 {
            let edges = [edge(false), edge(true)];
            arena.push(edges.iter().map(Edge::as_ref), Count::from(2));
        }
        let lists = 4 * (arena.words.len() + arena.offsets.len()) as u64;
        let used = lists + 8 * 1000;
        assert_eq!(arena.offsets.len(), 1000);
        assert!((used..2 * used).contains(&arena.bytes()));
        assert!(arena.counts.bytes() >= 8 * 1000 && arena.bytes() >= lists + arena.counts.bytes());
    }
    /// Room is made for a whole node at once: for words beyond it the list would double.
    #[test]
    fn a_large_node_takes_no_more_room_than_it_needs() {
        // Four runs per word, and the number of children has a word of its own.
        let cells = (0..4 * LONG_RUNS).map(|i| CellFate::from(i % 2 == 0));
        let mut arena = Arena::default();
        let edge = Edge::new(cells, Vec::new());
        arena.push(std::iter::once(edge.as_ref()), Count::ONE);
        let needed = 1 + 2 + LONG_RUNS;
        assert_eq!(arena.words.len(), needed);
        assert!(arena.words.capacity() < needed + needed / 4);
    }
}
