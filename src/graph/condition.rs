//! Conditioning: a graph with some cells decided beforehand.
//!
//! Cells are decided in reading order, always the first undecided one. As the cells of a node are numbered in reading order, the decided
//! cells of a node are a prefix. Call the first undecided cell *c*. An edge either gives *c* a value itself or leaves it to one child; then
//! *c* is the first undecided cell of that child as well. So only the nodes whose first undecided cell is *c* are rebuilt; all others are
//! shared with the unconditioned graph. A node that occurs at several positions in the grid is rebuilt once. New nodes are stored in an
//! overlay over the graph, and removed in LIFO order.

use super::counts::{self, CountList};
use super::runs::{FILLED, FIRST_CHILD};
use super::solution_graph::{EdgeView, SolutionGraph};
use crate::solutions::Count;

/// Stands for a node whose cells are all decided.
pub(super) const ALL_DECIDED: u32 = u32::MAX;

/// Flag in the second word of a new edge, above its number of children: it is the last edge of its node.
const LAST: u32 = 1 << 31;

/// Steps between two calls of `stop`: edges while affected nodes are collected, nodes while they are conditioned.
const STEPS_PER_POLL: usize = 1 << 12;

/// A graph and an overlay of conditioned nodes, which are numbered after those of the graph.
#[derive(Clone, Debug)]
pub(super) struct Overlay<'a> {
    pub(super) graph: &'a SolutionGraph,
    /// For each new node: the graph node that is conditioned, and the number of its decided cells, which are a prefix of its cells.
    bases: Vec<u32>,
    decided: Vec<u32>,
    /// Offset of its edges in `words`.
    offsets: Vec<u32>,
    counts: CountList,
    /// The edges of new nodes: the offset of the graph edge, the number of children with the flag [`LAST`], the children.
    words: Vec<u32>,
    /// During [`Overlay::condition`], the state of each node, as described at [`UNSEEN`]; at other times, all nodes are [`UNSEEN`].
    state: Vec<u32>,
}

/// The states of a node while a graph is conditioned. A queued one becomes one without a solution, or without an undecided cell, or
/// [`FIRST_NEW`] plus the number of its new node.
const UNSEEN: u32 = 0;
const QUEUED: u32 = 1;
const NO_SOLUTION: u32 = 2;
const FULLY_DECIDED: u32 = 3;
const FIRST_NEW: u32 = 4;

/// The size of the overlay at some time, for [`Overlay::truncate`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    nodes: usize,
    words: usize,
    counts: counts::Mark,
}

/// An edge of a graph node or of a new node.
#[derive(Clone, Copy, Debug)]
pub(super) struct OverlayEdge<'a> {
    /// The unchanged graph edge, with a code for each cell of the node. It agrees with the decided values; other edges are left out.
    pub(super) graph_edge: EdgeView<'a>,
    /// The children; [`ALL_DECIDED`] for a child without undecided cells.
    pub(super) children: &'a [u32],
}

/// Conditioning was stopped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stopped;

impl<'a> Overlay<'a> {
    /// The graph with an empty overlay.
    pub(super) fn new(graph: &'a SolutionGraph) -> Self {
        Overlay {
            graph,
            bases: Vec::new(),
            decided: Vec::new(),
            offsets: Vec::new(),
            counts: CountList::default(),
            words: Vec::new(),
            state: Vec::new(),
        }
    }

    /// Index of a new node in the overlay; `None` for a graph node.
    #[inline]
    fn overlay_index(&self, node: u32) -> Option<usize> {
        (node as usize).checked_sub(self.graph.nodes())
    }

    /// Number of cells of a node, including the decided ones.
    #[inline]
    pub(super) fn cell_count(&self, node: u32) -> u32 {
        let base = self.overlay_index(node).map_or(node, |i| self.bases[i]);
        self.graph.cell_count(base)
    }

    /// Number of decided cells of a node; it is also the index of the first undecided cell.
    #[inline]
    pub(super) fn decided(&self, node: u32) -> u32 {
        self.overlay_index(node).map_or(0, |i| self.decided[i])
    }

    /// Number of solutions of a node.
    #[inline]
    pub(super) fn count(&self, node: u32) -> Count {
        match self.overlay_index(node) {
            _ if node == ALL_DECIDED => Count::ONE,
            None => self.graph.nodes.counts.get(node as usize),
            Some(i) => self.counts.get(i),
        }
    }

    /// Product of the counts of these nodes.
    pub(super) fn product(&self, nodes: impl Iterator<Item = u32> + Clone) -> Count {
        let small = |node: u32| match self.overlay_index(node) {
            _ if node == ALL_DECIDED => Some(1),
            None => self.graph.nodes.counts.small(node as usize),
            Some(i) => self.counts.small(i),
        };
        counts::product(nodes, small, |node| self.count(node))
    }

    /// The edges of a node.
    pub(super) fn edges(&self, node: u32) -> impl Iterator<Item = OverlayEdge<'_>> {
        let mut at = Some(self.first_edge(node));
        std::iter::from_fn(move || {
            let (edge, next) = self.edge_at(node, at?);
            at = next;
            Some(edge)
        })
    }

    /// Offset of the first edge of a node.
    #[inline]
    pub(super) fn first_edge(&self, node: u32) -> u32 {
        match self.overlay_index(node) {
            None => self.graph.first_edge(node),
            Some(i) => self.offsets[i],
        }
    }

    /// The edge of this node at this offset, and the offset of its next edge.
    #[inline]
    pub(super) fn edge_at(&self, node: u32, at: u32) -> (OverlayEdge<'_>, Option<u32>) {
        let size = self.cell_count(node);
        if self.overlay_index(node).is_none() {
            let graph_edge = self.graph.edge(at, size);
            let edge = OverlayEdge {
                graph_edge,
                children: graph_edge.children,
            };
            return (edge, graph_edge.next());
        }
        let words = &self.words[at as usize..];
        let length = words[1] & !LAST;
        let edge = OverlayEdge {
            graph_edge: self.graph.edge(words[0], size),
            children: &words[2..2 + length as usize],
        };
        (edge, (words[1] & LAST == 0).then(|| at + 2 + length))
    }

    /// Conditions a node on its first undecided cell: the new node, [`ALL_DECIDED`] if no other cell is undecided, or `None` if no solution
    /// remains. All descendants with the same first undecided cell are conditioned. Calls `stop` regularly; if stopped, nothing is changed.
    pub(super) fn condition(
        &mut self,
        node: u32,
        filled: bool,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<Option<u32>, Stopped> {
        let nodes = self.graph.nodes() + self.offsets.len();
        self.state.resize(nodes.max(self.state.len()), UNSEEN);
        let mut steps = 0usize;
        let mut stopped = || {
            steps += 1;
            steps % STEPS_PER_POLL == 1 && stop()
        };
        let mut affected = vec![node];
        self.state[node as usize] = QUEUED;
        let mark = self.mark();
        let mut result = Ok(());
        let (mut expanded, mut children) = (0, Vec::new());
        'collecting: while let Some(&node) = affected.get(expanded) {
            expanded += 1;
            let cell = self.decided(node);
            for edge in self.edges(node) {
                if stopped() {
                    result = Err(Stopped);
                    break 'collecting;
                }
                let child = edge.graph_edge.code(cell).checked_sub(FIRST_CHILD);
                children.extend(child.map(|i| edge.children[i as usize]));
            }
            for node in children.drain(..) {
                if self.state[node as usize] == UNSEEN {
                    self.state[node as usize] = QUEUED;
                    affected.push(node);
                }
            }
        }
        // Children precede their parents.
        affected.sort_unstable();
        let mut words = Vec::new();
        for &node in &affected {
            if result.is_err() || stopped() {
                result = Err(Stopped);
                break;
            }
            self.state[node as usize] = match self.condition_node(node, filled, &mut words) {
                None => NO_SOLUTION,
                Some(ALL_DECIDED) => FULLY_DECIDED,
                Some(new) => new + FIRST_NEW,
            };
        }
        let state = self.state[node as usize];
        for &node in &affected {
            self.state[node as usize] = UNSEEN;
        }
        if result.is_err() {
            self.truncate(mark);
        }
        result.map(|()| match state {
            FULLY_DECIDED => Some(ALL_DECIDED),
            state => state.checked_sub(FIRST_NEW),
        })
    }

    /// Conditions one node, whose affected descendants have been conditioned. `None` if no solution remains.
    fn condition_node(&mut self, node: u32, filled: bool, words: &mut Vec<u32>) -> Option<u32> {
        words.clear();
        let cell = self.decided(node);
        let (mut sum, mut last) = (Count::ZERO, None);
        for edge in self.edges(node) {
            let code = edge.graph_edge.code(cell);
            let conditioned = match code.checked_sub(FIRST_CHILD) {
                None if (code == FILLED) == filled => None,
                None => continue,
                Some(i) => match self.state[edge.children[i as usize] as usize] {
                    UNSEEN | NO_SOLUTION => continue,
                    FULLY_DECIDED => Some((i, ALL_DECIDED)),
                    state => Some((i, state - FIRST_NEW)),
                },
            };
            let head = words.len();
            words.extend([edge.graph_edge.at, edge.children.len() as u32]);
            words.extend(edge.children);
            if let Some((i, new)) = conditioned {
                words[head + 2 + i as usize] = new;
            }
            last = Some(head);
            sum += &self.product(words[head + 2..].iter().copied());
        }
        words[last? + 1] |= LAST;
        if cell + 1 == self.cell_count(node) {
            return Some(ALL_DECIDED);
        }
        let base = self.overlay_index(node).map_or(node, |i| self.bases[i]);
        self.bases.push(base);
        self.decided.push(cell + 1);
        self.offsets.push(self.words.len() as u32);
        self.words.extend_from_slice(words);
        self.counts.push(sum);
        Some((self.graph.nodes() + self.offsets.len() - 1) as u32)
    }

    /// Bytes allocated for the overlay.
    pub(super) fn bytes(&self) -> u64 {
        let (bases, decided, offsets) = (&self.bases, &self.decided, &self.offsets);
        let lists = [bases, decided, offsets, &self.words, &self.state];
        let words: usize = lists.map(Vec::capacity).iter().sum();
        words as u64 * 4 + self.counts.bytes()
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            nodes: self.offsets.len(),
            words: self.words.len(),
            counts: self.counts.mark(),
        }
    }

    /// Removes all nodes added since the mark.
    pub(super) fn truncate(&mut self, mark: Mark) {
        self.bases.truncate(mark.nodes);
        self.decided.truncate(mark.nodes);
        self.offsets.truncate(mark.nodes);
        self.words.truncate(mark.words);
        self.counts.truncate(mark.counts);
    }
}

#[cfg(test)]
mod tests {
    use super::super::builder::Builder;
    use super::super::edge::Edge;
    use super::super::runs::EMPTY;
    use super::*;
    use crate::puzzle::Grid;

    fn finish(builder: Builder) -> SolutionGraph {
        builder.finish(&Grid::new(1, 1), Vec::new())
    }

    fn nested() -> (SolutionGraph, u32) {
        let mut builder = Builder::new();
        let last = builder.add_nested();
        (finish(builder), last.0)
    }

    /// The fillings of the undecided cells of a node, as bits, in ascending order.
    fn listed(overlay: &Overlay<'_>, node: u32) -> Vec<u64> {
        if node == ALL_DECIDED {
            return vec![0];
        }
        let mut fillings = Vec::new();
        for edge in overlay.edges(node) {
            let (mut cell, mut filled) = (0, 0);
            let mut child_cells = vec![Vec::new(); edge.children.len()];
            for (code, length) in edge.graph_edge.runs() {
                for _ in 0..length {
                    match code {
                        EMPTY => {}
                        FILLED => filled |= 1 << cell,
                        child => child_cells[(child - FIRST_CHILD) as usize].push(cell),
                    }
                    cell += 1;
                }
            }
            let mut of_edge = vec![filled];
            for (&child, cells) in edge.children.iter().zip(child_cells) {
                let of_child = listed(overlay, child);
                let mut combined = Vec::new();
                for &bits in &of_edge {
                    for &child_bits in &of_child {
                        let places = cells.iter().enumerate();
                        let filled = places.filter(|&(i, _)| child_bits >> i & 1 == 1);
                        combined.push(filled.fold(bits, |all, (_, cell)| all | 1 << cell));
                    }
                }
                of_edge = combined;
            }
            fillings.append(&mut of_edge);
        }
        for filling in &mut fillings {
            *filling &= !0 << overlay.decided(node);
        }
        fillings.sort_unstable();
        fillings
    }

    /// Conditions a node with these fillings on its first undecided cell, both ways, and so on with what results.
    fn condition_all(overlay: &mut Overlay<'_>, node: u32, fillings: &[u64]) {
        assert_eq!(listed(overlay, node), fillings);
        assert_eq!(overlay.count(node), Count::from(fillings.len() as u64));
        let (cell, mark) = (overlay.decided(node), overlay.mark());
        for filled in [true, false] {
            let agrees = |filling: &&u64| (**filling >> cell & 1 == 1) == filled;
            let agreeing = fillings.iter().filter(agrees);
            let rest: Vec<u64> = agreeing.map(|filling| filling & !(1 << cell)).collect();
            match overlay.condition(node, filled, &mut || false).unwrap() {
                None => assert!(rest.is_empty()),
                Some(ALL_DECIDED) => {
                    assert_eq!(cell + 1, overlay.cell_count(node));
                    assert_eq!(rest, [0]);
                }
                Some(new) => {
                    assert_eq!(overlay.decided(new), cell + 1);
                    condition_all(overlay, new, &rest);
                }
            }
            overlay.truncate(mark);
            assert!(overlay.state.iter().all(|&state| state == UNSEEN));
            assert_eq!(
                [
                    overlay.bases.len(),
                    overlay.decided.len(),
                    overlay.offsets.len()
                ],
                [mark.nodes; 3]
            );
            assert_eq!(overlay.words.len(), mark.words);
        }
    }

    #[test]
    fn conditioning_leaves_the_fillings_that_agree() {
        let (graph, last) = nested();
        let mut overlay = Overlay::new(&graph);
        let fillings = listed(&overlay, last);
        assert_eq!(fillings.len(), 56);
        condition_all(&mut overlay, last, &fillings);
        assert_eq!(overlay.count(ALL_DECIDED), Count::ONE);
    }

    /// A product beyond 128 bits has factors without undecided cells too.
    #[test]
    fn a_product_beyond_machine_words_has_all_factors() {
        let mut builder = Builder::new();
        let edges = (0..16).map(|bits| Edge::from_bits(bits, 4)).collect();
        let hex = builder.add_node(edges).0;
        let graph = finish(builder);
        let overlay = Overlay::new(&graph);
        let mut nodes = vec![hex; 35];
        nodes.push(ALL_DECIDED);
        let product = overlay.product(nodes.iter().copied());
        assert_eq!(product, Count::from_words(&[0, 0, 1 << 12]));
    }

    /// A node with a child, of 4095 edges together: the second poll falls between the conditioning of the child and of the node.
    #[test]
    fn conditioning_polls_at_intervals_and_leaves_nothing_when_stopped() {
        let mut builder = Builder::new();
        let some = (1..1 << 11).map(|bits| Edge::from_bits(bits, 11));
        let child = builder.add_node(some.clone().collect());
        // With the last cell empty, what the child has; with the last cell filled, the child.
        let mut edges: Vec<_> = (1..1 << 11).map(|bits| Edge::from_bits(bits, 12)).collect();
        edges.push(Edge::from_text("00000000000#", &[child]));
        let parent = builder.add_node(edges).0;
        let graph = finish(builder);
        let mut overlay = Overlay::new(&graph);
        for stop_at in [1, 2, 3] {
            let mut polls = 0;
            let result = overlay.condition(parent, true, &mut || {
                polls += 1;
                polls == stop_at
            });
            assert_eq!(polls, stop_at.min(2));
            assert!(overlay.state.iter().all(|&state| state == UNSEEN));
            if stop_at <= 2 {
                assert!(result.is_err());
                assert!(overlay.offsets.is_empty() && overlay.words.is_empty());
            } else {
                let node = result.unwrap().unwrap();
                assert_eq!(overlay.count(node), Count::from(2 << 10));
                assert_eq!(overlay.offsets.len(), 2);
            }
        }
        let mut polls = 0;
        let poll = &mut || {
            polls += 1;
            false
        };
        let (graph, last) = nested();
        Overlay::new(&graph).condition(last, true, poll).unwrap();
        assert_eq!(polls, 1);
    }

    #[test]
    fn the_reported_bytes_cover_all_lists() {
        let (graph, last) = nested();
        let mut overlay = Overlay::new(&graph);
        assert_eq!(overlay.bytes(), 0);
        for _ in 0..1000 {
            overlay.condition(last, true, &mut || false).unwrap();
        }
        let nodes = overlay.offsets.len();
        assert!(nodes >= 2000);
        let words = 3 * nodes + overlay.words.len() + overlay.state.len();
        let used = (4 * words + 8 * nodes) as u64;
        assert!((used..2 * used).contains(&overlay.bytes()));
    }
}
