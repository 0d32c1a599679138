//! Nodes in one list of words, as [`SolutionGraph`](super::Space) reads them: a graph, or what one thread adds to it.

use super::edge::Edge;
use super::room::room;
use super::runs::store;
use super::tally::Tallies;
use crate::solutions::Count;

/// In the head of an edge: it is the last one of its node.
pub(super) const LAST: u32 = 1 << 31;

/// In the head of an edge: the number of nodes stands in a word of its own.
pub(super) const LONG: u32 = 1 << 30;

/// The head of an edge is long when the edge has at least this many words of runs, or leads to at least this many nodes.
pub(super) const LONG_RUNS: usize = 1 << 14;
pub(super) const LONG_REST: usize = 1 << 16;

/// Words beyond which nothing should be added: a node's place is kept in 32 bits.
pub(super) const FULL: usize = (1 << 32) - (1 << 26);

/// A list of nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct Arena {
    /// Where each node begins.
    pub(super) starts: Vec<u32>,
    pub(super) tallies: Tallies,
    pub(super) words: Vec<u32>,
}

impl Arena {
    /// Adds a node with these edges, which have this number of solutions together.
    ///
    /// # Panics
    ///
    /// When there is no edge, when edges say something of different numbers of cells, and when there is no room for the node.
    pub(super) fn push(&mut self, edges: &[Edge], count: Count) {
        let last = edges.len().checked_sub(1).expect("a node has an edge");
        let size = edges[0].size;
        let start = u32::try_from(self.words.len()).expect("a graph has room for its nodes");
        let needed = |edge: &Edge| edge.runs.len().div_ceil(4) + edge.rest.len() + 2;
        room(&mut self.words, 1 + edges.iter().map(needed).sum::<usize>());
        self.words.push(size);
        for (i, edge) in edges.iter().enumerate() {
            assert_eq!(edge.size, size, "cells of the node");
            let rest = &edge.rest;
            let runs = edge.runs.len().div_ceil(4);
            let flag = if i == last { LAST } else { 0 };
            if runs < LONG_RUNS && rest.len() < LONG_REST {
                self.words.push(flag | (runs << 16 | rest.len()) as u32);
            } else {
                self.words.push(flag | LONG | runs as u32);
                self.words.push(rest.len() as u32);
            }
            self.words.extend(rest.iter().map(|node| node.0));
            store(&edge.runs, &mut self.words);
        }
        room(&mut self.starts, 1);
        self.starts.push(start);
        self.tallies.push(count);
    }

    /// Number of cells of a node.
    pub(super) fn size(&self, node: usize) -> u32 {
        self.words[self.starts[node] as usize]
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.starts.len()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        let words = self.words.capacity() + self.starts.capacity();
        words as u64 * 4 + self.tallies.bytes()
    }
}
