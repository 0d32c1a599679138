//! Solutions in canonical order, from any index.
//!
//! The graph decides cells in the order that was best for counting, but canonical order is reading order, filled before empty. So a
//! depth-first search decides the cells in reading order: it conditions the graph first on the next undecided cell being filled, and then
//! on the cell being empty, in the region of the cell alone. The count of each conditioned node is known, so a subtree whose solutions are
//! all skipped is not entered. When a subtree has few solutions, they are listed in the order of the graph, and sorted.

use super::condition::{ALL_DECIDED, Mark, Overlay, OverlayEdge};
use super::runs::{EMPTY, FILLED, FIRST_CHILD};
use super::solution_graph::{SolutionGraph, fill};
use crate::puzzle::{Grid, order};
use crate::solutions::Count;

/// Maximum number of solutions of a subtree that are listed, fewer where their grids would take more than `MAX_LISTED_WORDS` words.
const MAX_LISTED_SOLUTIONS: u64 = 4096;
const MAX_LISTED_WORDS: u64 = 1 << 18;

/// An iterator over solutions in canonical order.
#[derive(Clone, Debug)]
pub struct Lexicographic<'a> {
    overlay: Overlay<'a>,
    /// Positions of the cells of undecided regions, one region after the other.
    positions: Vec<u32>,
    /// Positions of the cells that were decided as filled on the path.
    filled: Vec<u32>,
    /// The path of the depth-first search; at first only its root.
    path: Vec<TreeNode>,
    /// The solutions of the latest small subtree, packed as in [`Grid`], the last of them first: the current one is at the end.
    listed: Vec<u64>,
    /// Number of solutions to skip first.
    skip: Count,
    /// Maximum number of solutions of a subtree that are listed.
    max_listed: Count,
}

/// A node of the depth-first search.
#[derive(Clone, Debug)]
struct TreeNode {
    partial: PartialSolution,
    /// Number of solutions.
    count: Count,
    /// The size of the overlay at this node.
    overlay_mark: Mark,
    visited: Visited,
}

/// The sides of a node that have been visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visited {
    Neither,
    Filled,
    Both,
}

/// The undecided regions, and how long the lists of the positions of their cells and of the filled cells are.
#[derive(Debug, Default)]
struct PartialSolution {
    open: Vec<OpenRegion>,
    position_count: usize,
    filled_count: usize,
}

impl Clone for PartialSolution {
    fn clone(&self) -> Self {
        PartialSolution {
            open: self.open.clone(),
            ..*self
        }
    }

    /// Reuses the list of regions.
    fn clone_from(&mut self, from: &Self) {
        self.open.clone_from(&from.open);
        (self.position_count, self.filled_count) = (from.position_count, from.filled_count);
    }
}

/// An undecided region: its node, and the index of its first cell in the list of positions.
#[derive(Clone, Copy, Debug)]
struct OpenRegion {
    node: u32,
    start: u32,
}

impl PartialSolution {
    /// Replaces an undecided region by those that this edge of its node leaves undecided. The positions of their cells, and of those that
    /// it fills, are appended to the lists. `child_ends` is scratch space.
    fn follow(
        &mut self,
        region: usize,
        edge: &OverlayEdge<'_>,
        overlay: &Overlay<'_>,
        (positions, filled): (&mut Vec<u32>, &mut Vec<u32>),
        child_ends: &mut Vec<usize>,
    ) {
        let mut from = self.open.swap_remove(region).start as usize;
        child_ends.clear();
        let mut end = positions.len();
        for &node in edge.children {
            child_ends.push(end);
            if node != ALL_DECIDED {
                let start = end as u32;
                self.open.push(OpenRegion { node, start });
                end += overlay.cell_count(node) as usize;
            }
        }
        positions.resize(end, 0);
        self.position_count = end;
        for (code, length) in edge.graph_edge.runs() {
            let run = from..from + length as usize;
            from = run.end;
            match code {
                EMPTY => {}
                FILLED => filled.extend_from_slice(&positions[run]),
                child_code => {
                    let child = (child_code - FIRST_CHILD) as usize;
                    if edge.children[child] != ALL_DECIDED {
                        positions.copy_within(run.clone(), child_ends[child]);
                        child_ends[child] += run.len();
                    }
                }
            }
        }
        self.filled_count = filled.len();
    }
}

impl SolutionGraph {
    /// The solutions in the canonical order of [`Grid`], without the first `skip`. These are skipped by counting, at a cost independent of
    /// their number.
    ///
    /// ```
    /// use omnogram::count::Counter;
    /// use omnogram::puzzle::{Clue, Puzzle};
    /// use omnogram::solutions::Count;
    ///
    /// let ones = vec![Clue::new([1])?; 4];
    /// let puzzle = Puzzle::new(ones.clone(), ones)?;
    /// let graph = Counter::new(&puzzle).graph().0.unwrap();
    /// let last = graph.lexicographic(&Count::from(23)).next().unwrap();
    /// assert_eq!(last.to_string(), "...#\n..#.\n.#..\n#...\n");
    /// # Ok::<(), omnogram::error::Error>(())
    /// ```
    pub fn lexicographic(&self, skip: &Count) -> Lexicographic<'_> {
        let words = self.known.words().len() as u64;
        let mut lexicographic = Lexicographic {
            overlay: Overlay::new(self),
            positions: Vec::new(),
            filled: Vec::new(),
            path: Vec::new(),
            listed: Vec::new(),
            skip: skip.clone(),
            max_listed: Count::from((MAX_LISTED_WORDS / words).clamp(1, MAX_LISTED_SOLUTIONS)),
        };
        if skip < self.count() {
            let mut partial = PartialSolution::default();
            partial.open.reserve_exact(self.roots.len());
            for root in &self.roots {
                let (node, start) = (root.node, lexicographic.positions.len() as u32);
                partial.open.push(OpenRegion { node, start });
                lexicographic.positions.extend_from_slice(&root.positions);
            }
            partial.position_count = lexicographic.positions.len();
            lexicographic.enter(partial, self.count().clone());
        }
        lexicographic
    }
}

/// Result of one step towards the next solution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// A solution was found: [`Lexicographic::words`].
    Found,
    /// Not found yet: one cell has been decided, at a cost of up to one traversal of the graph.
    Deciding,
    /// There are no more solutions.
    Done,
    /// `stop` returned `true`. The next call repeats this step.
    Stopped,
}

impl Lexicographic<'_> {
    /// The next solution, packed as in [`Grid`].
    pub fn next_words(&mut self) -> Option<&[u64]> {
        loop {
            match self.advance() {
                Advance::Found => return Some(self.words()),
                Advance::Deciding | Advance::Stopped => {}
                Advance::Done => return None,
            }
        }
    }

    /// One step towards the next solution, for callers that must not block until it is found.
    #[inline]
    pub fn advance(&mut self) -> Advance {
        self.advance_unless(&mut || false)
    }

    /// As [`Lexicographic::advance`], calling `stop` regularly.
    #[inline]
    pub fn advance_unless(&mut self, stop: &mut dyn FnMut() -> bool) -> Advance {
        let rest = self.listed.len().saturating_sub(self.words_per_grid());
        self.listed.truncate(rest);
        if !self.listed.is_empty() {
            return Advance::Found;
        }
        self.descend(stop)
    }

    /// The solution that was found, packed as in [`Grid`]; empty before the first.
    pub fn words(&self) -> &[u64] {
        &self.listed[self.listed.len().saturating_sub(self.words_per_grid())..]
    }

    fn words_per_grid(&self) -> usize {
        self.overlay.graph.known.words().len()
    }

    /// Bytes allocated besides the graph, without the solutions of a small subtree.
    pub fn bytes(&self) -> u64 {
        let open = self.path.iter().map(|node| node.partial.open.capacity());
        let lists = (self.positions.capacity() + self.filled.capacity()) * size_of::<u32>()
            + self.path.capacity() * size_of::<TreeNode>()
            + open.sum::<usize>() * size_of::<OpenRegion>();
        self.overlay.bytes() + lists as u64
    }

    /// Decides one more cell, or, if few solutions are left below the present node, lists them.
    fn descend(&mut self, stop: &mut dyn FnMut() -> bool) -> Advance {
        while let Some(node) = self.path.last_mut() {
            // Drops the conditioned nodes of the side visited before.
            self.overlay.truncate(node.overlay_mark);
            self.positions.truncate(node.partial.position_count);
            self.filled.truncate(node.partial.filled_count);
            if node.visited == Visited::Both {
                self.path.pop();
                continue;
            }
            if node.count <= self.max_listed {
                if stop() {
                    return Advance::Stopped;
                }
                let node = self.path.pop().expect("it is there");
                self.list(node.partial);
                return Advance::Found;
            }
            let first_cells = node.partial.open.iter().map(|region| {
                let cell = region.start + self.overlay.decided(region.node);
                self.positions[cell as usize]
            });
            let first = first_cells.zip(0..).min();
            let (cell, i) = first.expect("a node of several solutions has an undecided region");
            let filled = node.visited == Visited::Neither;
            let region = node.partial.open[i].node;
            let Ok(conditioned) = self.overlay.condition(region, filled, stop) else {
                return Advance::Stopped;
            };
            node.visited = if filled {
                Visited::Filled
            } else {
                Visited::Both
            };
            if let Some(conditioned) = conditioned {
                let mut partial = node.partial.clone();
                partial.open[i].node = conditioned;
                if filled {
                    self.filled.push(cell);
                    partial.filled_count += 1;
                }
                let nodes = partial.open.iter().map(|region| region.node);
                let count = self.overlay.product(nodes);
                if self.skip < count {
                    self.enter(partial, count);
                } else {
                    self.skip -= &count;
                }
            }
            return Advance::Deciding;
        }
        Advance::Done
    }

    /// Pushes a node with this number of solutions. A region whose node has a single edge is replaced by what that leaves undecided.
    fn enter(&mut self, mut partial: PartialSolution, count: Count) {
        let (mut i, mut child_ends) = (0, Vec::new());
        while let Some(&OpenRegion { node, .. }) = partial.open.get(i) {
            if node == ALL_DECIDED || self.overlay.decided(node) == self.overlay.cell_count(node) {
                partial.open.swap_remove(i);
                continue;
            }
            let (edge, next) = self.overlay.edge_at(node, self.overlay.first_edge(node));
            match next {
                Some(_) => i += 1,
                None => {
                    let lists = (&mut self.positions, &mut self.filled);
                    partial.follow(i, &edge, &self.overlay, lists, &mut child_ends);
                }
            }
        }
        self.path.push(TreeNode {
            partial,
            count,
            overlay_mark: self.overlay.mark(),
            visited: Visited::Neither,
        });
    }

    /// Lists the solutions of a subtree, without those to be skipped.
    fn list(&mut self, partial: PartialSolution) {
        let path_filled = partial.filled_count;
        let mut base = self.overlay.graph.known.words().to_vec();
        fill(&mut base, &self.filled[..path_filled]);
        // A depth-first walk. `edges[i]` is the next edge to follow from `partials[i]`, at its last open region; `partials[edges.len()]` is
        // the present node, and those above it are kept for reuse.
        let (mut edges, mut partials) = (Vec::new(), vec![partial]);
        let (mut found, mut child_ends) = (Vec::new(), Vec::new());
        loop {
            let partial = &partials[edges.len()];
            match partial.open.last() {
                Some(region) => edges.push(self.overlay.first_edge(region.node)),
                None => {
                    let start = found.len();
                    found.extend_from_slice(&base);
                    let filled = &self.filled[path_filled..partial.filled_count];
                    fill(&mut found[start..], filled);
                }
            }
            let Some(at) = edges.pop() else { break };
            let above = edges.len();
            let region = partials[above].open.len() - 1;
            let (edge, next) = self.overlay.edge_at(partials[above].open[region].node, at);
            self.positions.truncate(partials[above].position_count);
            self.filled.truncate(partials[above].filled_count);
            // The child takes the place of its node where the region has no further edge, and is one level above it otherwise.
            if let Some(next) = next {
                edges.push(next);
                if partials.len() == edges.len() {
                    partials.push(PartialSolution::default());
                }
                let (upper, lower) = partials.split_at_mut(edges.len());
                lower[0].clone_from(&upper[above]);
            }
            let lists = (&mut self.positions, &mut self.filled);
            partials[edges.len()].follow(region, &edge, &self.overlay, lists, &mut child_ends);
        }
        let mut sorted: Vec<&[u64]> = found.chunks_exact(base.len()).collect();
        sorted.sort_unstable_by(|a, b| order(b, a));
        // Fewer are skipped than were listed, as the subtree would not have been entered otherwise.
        let skip = std::mem::take(&mut self.skip).to_u64().unwrap_or_default();
        sorted.truncate(sorted.len() - skip as usize);
        self.listed = sorted.concat();
    }
}

impl Iterator for Lexicographic<'_> {
    type Item = Grid;

    fn next(&mut self) -> Option<Grid> {
        let graph = self.overlay.graph;
        let words = self.next_words()?.into();
        Some(Grid::from_words(graph.width(), graph.height(), words))
    }
}

#[cfg(test)]
mod tests {
    use super::super::builder::Builder;
    use super::super::edge::{Edge, NodeId};
    use super::*;
    use crate::puzzle::Cell;

    /// A node with this number of fillings of 13 cells.
    fn region(builder: &mut Builder, count: u64) -> NodeId {
        let edges = (0..count).map(|bits| Edge::from_bits(bits, 13));
        builder.add_node(edges.collect())
    }

    /// The cells of a column, from a row on.
    fn column(column: usize, rows: std::ops::Range<usize>) -> Vec<Cell> {
        rows.map(|row| Cell::new(row, column)).collect()
    }

    /// At most 4096, and no more than whole grids fit into the words for them.
    #[test]
    fn a_subtree_is_listed_up_to_a_number_of_solutions() {
        for (height, most) in [(13, 4096), (64, 4096), (128, 2048), (4096, 64)] {
            for (count, first) in [(most, Advance::Found), (most + 1, Advance::Deciding)] {
                let mut builder = Builder::new();
                let node = region(&mut builder, count);
                let known = Grid::new(1, height);
                let graph = builder.finish(&known, vec![(node, column(0, 0..13))]);
                let mut walk = graph.lexicographic(&Count::ZERO);
                assert_eq!(walk.advance(), first, "{count} in {height} rows");
            }
        }
    }

    /// Cells are decided one by one down to the last where subtrees of few solutions are not listed.
    #[test]
    fn the_order_does_not_depend_on_what_is_listed() {
        let mut builder = Builder::new();
        let nested = builder.add_nested();
        // One root in two columns, with a known cell after each row of them; the other one below.
        let place = |from: usize| (from..from + 4).flat_map(|row| [(row, 0), (row, 1)]);
        let cells = |from| {
            place(from)
                .map(|(row, column)| Cell::new(row, column))
                .collect()
        };
        let known = Grid::from_rows(&["..#"; 8]).unwrap();
        let graph = builder.finish(&known, vec![(nested, cells(4)), (nested, cells(0))]);
        let mut listing = graph.lexicographic(&Count::ZERO);
        listing.max_listed = Count::from(56 * 56);
        let wanted: Vec<Grid> = listing.collect();
        assert_eq!(wanted.len(), 56 * 56);
        assert!(wanted.is_sorted_by(|a, b| a < b));
        for (most, skip, length) in [
            (1, 0, 56 * 56),
            (2, 1000, 60),
            (6, 55, 60),
            (30, 2999, 60),
            (56, 1, 60),
            (1, 3135, 60),
            (1, 3136, 60),
        ] {
            let mut walk = graph.lexicographic(&Count::from(skip));
            walk.max_listed = Count::from(most);
            let rest = wanted.iter().skip(skip as usize).take(length);
            assert!(walk.take(length).eq(rest.cloned()), "{most}, {skip}");
        }
    }

    #[test]
    fn the_reported_bytes_cover_all_lists() {
        let mut builder = Builder::new();
        let large = region(&mut builder, 8192);
        let pair = builder.add(&[("#.", &[]), (".#", &[])]);
        let mut roots = vec![(large, column(0, 0..13))];
        roots.extend((1..400).map(|i| (pair, column(i, 0..2))));
        let graph = builder.finish(&Grid::new(400, 13), roots);
        let mut walk = graph.lexicographic(&Count::ZERO);
        // A node has 400 regions.
        let held = |nodes: u64| 4 * (13 + 2 * 399) + nodes * 8 * 400;
        assert_eq!(walk.overlay.bytes(), 0);
        assert!((held(1)..2 * held(1)).contains(&walk.bytes()));
        // Decides one cell: a second node, and a node in the overlay with half of the fillings.
        assert_eq!(walk.advance(), Advance::Deciding);
        let overlay = walk.overlay.bytes();
        assert!(overlay > 4096 * 2 * 4);
        assert!((held(2)..2 * held(2)).contains(&(walk.bytes() - overlay)));
    }

    #[test]
    fn the_bytes_of_a_walk_are_those_of_its_lists() {
        let mut builder = Builder::new();
        let node = region(&mut builder, 4097);
        let known = Grid::new(1, 13);
        let graph = builder.finish(&known, vec![(node, column(0, 0..13))]);
        let mut walk = graph.lexicographic(&Count::ZERO);
        assert_eq!(walk.advance(), Advance::Deciding);
        let bytes = |walk: &Lexicographic<'_>| {
            let open = walk.path.iter().map(|node| node.partial.open.capacity());
            let regions = open.sum::<usize>() * size_of::<OpenRegion>();
            walk.bytes() - walk.overlay.bytes() - regions as u64
        };
        let lists = |positions: usize, nodes: usize| {
            (positions * size_of::<u32>() + nodes * size_of::<TreeNode>()) as u64
        };
        (walk.positions, walk.filled) = (Vec::with_capacity(60), Vec::with_capacity(40));
        walk.path = Vec::new();
        assert_eq!(bytes(&walk), lists(100, 0));
        walk.path = Vec::with_capacity(10);
        assert_eq!(bytes(&walk), lists(100, 10));
    }
}
