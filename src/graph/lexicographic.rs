//! Solutions in canonical order, from any index.
//!
//! The graph decides cells in the order that was best for counting, but canonical order is reading order, filled before empty. So a
//! depth-first search decides the cells in reading order: it conditions the graph first on the next undecided cell being filled, and then
//! on the cell being empty. The count of each conditioned node is known, so a subtree whose solutions are all skipped is not entered. When
//! all remaining regions are small, their fillings are listed, sorted, and enumerated as a product ([`SortedProduct`]).
//!
//! Undecided regions are separate nodes, so a decision conditions only the region of its cell.

use super::condition::{ALL_DECIDED, Mark, Overlay, Stopped};
use super::fillings::list_solutions;
use super::packed_grid::Canvas;
use super::runs::{EMPTY, FILLED, FIRST_CHILD};
use super::solution_graph::SolutionGraph;
use super::sorted_product::SortedProduct;
use crate::puzzle::Grid;
use crate::solutions::Count;

/// Maximum number of solutions of a region that is listed. It is lower for large grids: that number of whole grids may take at most
/// `MAX_LISTED_WORDS` words. But it is at least 64.
const MAX_LISTED_SOLUTIONS: u64 = 4096;
const MAX_LISTED_WORDS: u64 = 1 << 18;

/// An iterator over solutions in canonical order.
#[derive(Clone, Debug)]
pub struct Lexicographic<'a> {
    overlay: Overlay<'a>,
    /// Positions of the cells of undecided regions, one region after the other.
    positions: Vec<u32>,
    /// The path of the depth-first search; at first only its root.
    frames: Vec<Frame>,
    product: Option<SortedProduct>,
    /// Number of solutions to skip first.
    skip: Count,
    /// Maximum number of solutions of a region that is listed.
    max_listed: Count,
}

/// A node of the depth-first search: the decided cells and the undecided regions.
#[derive(Clone, Debug)]
struct Frame {
    grid: Canvas,
    open: Vec<OpenRegion>,
    /// The size of the overlay and the number of positions at this node.
    overlay_mark: Mark,
    position_count: usize,
    visited: Visited,
}

impl Frame {
    /// Bytes allocated.
    fn bytes(&self) -> usize {
        self.open.capacity() * size_of::<OpenRegion>() + size_of_val(self.grid.words())
    }
}

/// An undecided region: its node, and the index of its first cell in the list of positions.
#[derive(Clone, Copy, Debug)]
struct OpenRegion {
    node: u32,
    start: u32,
}

/// The sides of a search node that have been visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Visited {
    Neither,
    Filled,
    Both,
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
        let words = self.known().words().len() as u64;
        let mut lexicographic = Lexicographic {
            overlay: Overlay::new(self),
            positions: Vec::new(),
            frames: Vec::new(),
            product: None,
            skip: skip.clone(),
            max_listed: Count::from((MAX_LISTED_WORDS / words).clamp(64, MAX_LISTED_SOLUTIONS)),
        };
        if skip < self.count() {
            let mut open = Vec::new();
            for root in self.roots() {
                open.push(OpenRegion {
                    node: root.node,
                    start: lexicographic.positions.len() as u32,
                });
                lexicographic.positions.extend_from_slice(&root.positions);
            }
            lexicographic.enter(Canvas::new(self.known()), open);
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
        if self.product.as_mut().is_some_and(SortedProduct::advance) {
            return Advance::Found;
        }
        self.product = None;
        self.descend(stop)
    }

    /// The solution that was found, packed as in [`Grid`]; empty before the first.
    pub fn words(&self) -> &[u64] {
        self.product.as_ref().map_or(&[], SortedProduct::words)
    }

    /// Bytes allocated besides the graph, without the lists of small regions.
    pub fn bytes(&self) -> u64 {
        let frames: usize = self.frames.iter().map(Frame::bytes).sum();
        let lists = self.positions.capacity() * size_of::<u32>()
            + self.frames.capacity() * size_of::<Frame>();
        self.overlay.bytes() + (lists + frames) as u64
    }

    /// Decides one more cell, or, if all undecided regions are small, begins to enumerate their product.
    fn descend(&mut self, stop: &mut dyn FnMut() -> bool) -> Advance {
        while let Some(frame) = self.frames.last_mut() {
            // Drops the conditioned nodes of the side visited before.
            self.overlay.truncate(frame.overlay_mark);
            self.positions.truncate(frame.position_count);
            let (overlay, positions) = (&self.overlay, &self.positions);
            let first_cell =
                |open: &OpenRegion| positions[(open.start + overlay.decided(open.node)) as usize];
            let open = frame.open.iter().enumerate();
            let next = open.map(|(i, open)| (first_cell(open), i)).min();
            let is_large = |open: &OpenRegion| overlay.count(open.node) > self.max_listed;
            let (cell, i) = match (next, frame.visited) {
                (_, Visited::Both) => {
                    self.frames.pop();
                    continue;
                }
                (Some(next), _) if frame.open.iter().any(is_large) => next,
                _ => {
                    let mut lists = Vec::with_capacity(frame.open.len());
                    for &OpenRegion { node, start } in &frame.open {
                        if stop() {
                            return Advance::Stopped;
                        }
                        let positions =
                            &positions[start as usize..][..overlay.cell_count(node) as usize];
                        lists.push(list_solutions(overlay, node, positions));
                    }
                    frame.visited = Visited::Both;
                    let grid = frame.grid.words().to_vec();
                    let skip = std::mem::take(&mut self.skip);
                    self.product = Some(SortedProduct::new(grid, lists, skip));
                    return Advance::Found;
                }
            };
            let filled = frame.visited == Visited::Neither;
            let node = match self.overlay.condition(frame.open[i].node, filled, stop) {
                Err(Stopped) => return Advance::Stopped,
                Ok(node) => node,
            };
            frame.visited = if filled {
                Visited::Filled
            } else {
                Visited::Both
            };
            let Some(node) = node else {
                return Advance::Deciding;
            };
            if !self.skip.is_zero() {
                let nodes = frame.open.iter().enumerate();
                let nodes = nodes.map(|(j, open)| if i == j { node } else { open.node });
                let count = self.overlay.product(nodes);
                if self.skip >= count {
                    self.skip -= &count;
                    return Advance::Deciding;
                }
            }
            let (mut grid, mut open) = (frame.grid.clone(), frame.open.clone());
            if filled {
                grid.fill(&[cell]);
            }
            open[i].node = node;
            self.enter(grid, open);
            return Advance::Deciding;
        }
        Advance::Done
    }

    /// Pushes a frame with these undecided regions. A region whose node has a single edge is first replaced by the regions of the children
    /// of that edge.
    fn enter(&mut self, mut grid: Canvas, mut open: Vec<OpenRegion>) {
        let mut child_ends = Vec::new();
        let mut i = 0;
        while let Some(&OpenRegion { node, start }) = open.get(i) {
            if node == ALL_DECIDED || self.overlay.decided(node) == self.overlay.cell_count(node) {
                open.swap_remove(i);
                continue;
            }
            let (edge, next) = self.overlay.edge_at(node, self.overlay.first_edge(node));
            if next.is_some() {
                i += 1;
                continue;
            }
            open.swap_remove(i);
            child_ends.clear();
            let mut end = self.positions.len();
            for &node in edge.children {
                child_ends.push(end);
                open.push(OpenRegion {
                    node,
                    start: end as u32,
                });
                if node != ALL_DECIDED {
                    end += self.overlay.cell_count(node) as usize;
                }
            }
            let (mut from, positions) = (start as usize, &mut self.positions);
            positions.resize(end, 0);
            for (code, length) in edge.graph_edge.runs() {
                let run = from..from + length as usize;
                from = run.end;
                match code {
                    EMPTY => {}
                    FILLED => grid.fill(&positions[run]),
                    child_code => {
                        let i = (child_code - FIRST_CHILD) as usize;
                        if edge.children[i] != ALL_DECIDED {
                            positions.copy_within(run.clone(), child_ends[i]);
                            child_ends[i] += run.len();
                        }
                    }
                }
            }
        }
        self.frames.push(Frame {
            grid,
            open,
            overlay_mark: self.overlay.mark(),
            position_count: self.positions.len(),
            visited: Visited::Neither,
        });
    }
}

impl Iterator for Lexicographic<'_> {
    type Item = Grid;

    fn next(&mut self) -> Option<Grid> {
        let (width, height) = (self.overlay.graph().width(), self.overlay.graph().height());
        let words = self.next_words()?.into();
        Some(Grid::from_words(width, height, words))
    }
}

#[cfg(test)]
mod tests {
    use super::super::builder::Builder;
    use super::super::edge::{Edge, NodeId};
    use super::*;
    use crate::board::Cell;

    /// A node with this number of fillings of 13 cells.
    fn region(builder: &mut Builder, count: u64) -> NodeId {
        let edges = (0..count).map(|bits| Edge::from_bits(bits, 13));
        builder.add_node(edges.collect())
    }

    /// The cells of a column, from a row on.
    fn column(column: usize, rows: std::ops::Range<usize>) -> Vec<Cell> {
        rows.map(|row| Cell::new(row, column)).collect()
    }

    /// At most 4096, and no more than whole grids fit into the words for them, but at least 64.
    #[test]
    fn a_region_is_listed_up_to_a_number_of_solutions() {
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

    /// Cells are decided one by one down to the last where regions of few solutions are not listed.
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
        let mut wanted = Vec::new();
        assert!(graph.each(|words| {
            wanted.push(Grid::from_words(3, 8, words.into()));
            true
        }));
        wanted.sort_unstable();
        wanted.dedup();
        assert_eq!(wanted.len(), 56 * 56);
        for (most, skip, length) in [
            (0, 0, 56 * 56),
            (1, 1000, 60),
            (6, 55, 60),
            (30, 2999, 60),
            (56, 1, 60),
            (0, 3135, 60),
            (0, 3136, 60),
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
        // A frame has 400 regions and a grid of 13 rows with 7 words each.
        let held = |frames: u64| 4 * (13 + 2 * 399) + frames * (8 * 400 + 8 * 13 * 7);
        assert_eq!(walk.overlay.bytes(), 0);
        assert!((held(1)..2 * held(1)).contains(&walk.bytes()));
        // Decides one cell: a second frame, and a node in the overlay with half of the fillings.
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
            let grids: usize = walk.frames.iter().map(Frame::bytes).sum();
            walk.bytes() - walk.overlay.bytes() - grids as u64
        };
        let lists = |positions: usize, frames: usize| {
            (positions * size_of::<u32>() + frames * size_of::<Frame>()) as u64
        };
        (walk.positions, walk.frames) = (Vec::with_capacity(100), Vec::new());
        assert_eq!(bytes(&walk), lists(100, 0));
        walk.frames = Vec::with_capacity(10);
        assert_eq!(bytes(&walk), lists(100, 10));
    }
}
