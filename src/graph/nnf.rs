//! Export of the graph as a decision-DNNF, in the text format of the d4 compiler.
//!
//! The format is described in the README of <https://github.com/crillab/d4>. Every line ends with 0. A node is a line with its kind and its
//! number: `o 1 0` for an or-node, `a 2 0` for an and-node, `t 3 0` for true, `f 4 0` for false. The root has number 1, and numbers
//! increase by 1 from node to node. An edge is a line with its source node, its target node, and the literals that hold along it: `1 3 -2 5
//! 0`; both nodes are declared above it. Cells are the variables 1, 2, 3 and so on, row by row; the literal of a filled cell is positive.
//!
//! A node of the [`SolutionGraph`] is an or-node, and each of its edges an edge with the literals of the cells that it decides. If
//! such an edge has several children, it leads to an and-node of them; if it has none, to the true node. The root is an or-node with a
//! single edge, which has the literals of all cells that no node decides, the same in all solutions. All edges of an or-node decide the
//! same cells together with their descendants, so the formula is smooth: its models are counted by additions and multiplications alone. In
//! a graph built by branching, an or-node has at most two edges, which disagree on some cell. In a graph built by a sweep it may have more,
//! and two may have the same literals: then the formula is deterministic, but no decision-DNNF.
//!
//! A node of the [`SolutionGraph`] has no position, but variables do. So it is written once per placement (list of its cells) at which it
//! is reachable; where equal regions occur in many places, the text is larger than the graph. The nodes are processed from the roots down,
//! in the order of the graph reversed, in which parents precede their children. All placements of a node are known when it is processed,
//! and are freed after it, so that only placements of unprocessed nodes are held.
//!
//! O(edges and cells of their nodes) for each placement.

use rustc_hash::FxHashMap;

use super::runs::{EMPTY, FILLED, FIRST_CHILD};
use super::solution_graph::SolutionGraph;
use crate::puzzle::Grid;
use crate::run::{Control, Limits, Pace};
use crate::solutions::Stop;

/// Bytes of text per call of `write`.
const CHUNK_BYTES: usize = 1 << 16;

/// Size of a decision-DNNF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Nnf {
    /// Number of nodes, including the true and the false node.
    pub nodes: u64,
    /// Number of edges.
    pub edges: u64,
}

impl SolutionGraph {
    /// Writes the graph as a decision-DNNF in the text format of the [d4] compiler: one formula whose models are the solutions, with the
    /// cells as variables 1, 2, 3 and so on, row by row, true where they are filled. Passes the text in chunks to `write`, and stops when
    /// it returns `false`. A graph without solutions is a root with an edge to the false node.
    ///
    /// The text of a graph of `Counter::quick_graph` may be that of a deterministic DNNF that is no decision-DNNF.
    ///
    /// A node of the graph is written once per placement, so the text can be larger than the graph. Of the limits, those on time, memory
    /// and the interrupt are respected, and the others have no effect; the memory limit covers the graph and the placements still to be
    /// written. The text itself is not held.
    ///
    /// [d4]: https://github.com/crillab/d4
    ///
    /// # Errors
    ///
    /// What stopped it before the text was complete: a limit, or [`Stop::Closed`] when `write` returned `false`.
    ///
    /// ```
    /// use omnogram::count::Counter;
    /// use omnogram::puzzle::{Clue, Puzzle};
    /// use omnogram::search::Limits;
    ///
    /// // Two rows and two columns, one filled cell in each: one diagonal or the other.
    /// let ones = vec![Clue::new([1])?; 2];
    /// let puzzle = Puzzle::new(ones.clone(), ones)?;
    /// let graph = Counter::new(&puzzle).graph().0.unwrap();
    /// let mut text = Vec::new();
    /// let size = graph.write_nnf(&Limits::default(), |piece| {
    ///     text.extend_from_slice(piece);
    ///     true
    /// });
    /// let lines: Vec<&str> = str::from_utf8(&text)?.lines().collect();
    /// assert_eq!(lines[..3], ["o 1 0", "o 2 0", "1 2 0"]);
    /// assert!(lines.contains(&"2 3 1 -2 -3 4 0") && lines.contains(&"2 3 -1 2 3 -4 0"));
    /// let size = size.unwrap();
    /// assert_eq!((size.nodes, size.edges), (3, 3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_nnf(
        &self,
        limits: &Limits,
        write: impl FnMut(&[u8]) -> bool,
    ) -> Result<Nnf, Stop> {
        let control = Control::new(limits, false);
        control.poll();
        let mut exporter = Exporter {
            graph: self,
            control: &control,
            pace: Pace::new(&control),
            write,
            text: Vec::with_capacity(CHUNK_BYTES + 64),
            size: Nnf::default(),
            true_node: None,
            placements: FxHashMap::default(),
            held: self.bytes(),
            memory: limits.memory.unwrap_or(u64::MAX),
        };
        exporter.run()?;
        Ok(exporter.size)
    }
}

/// The placements of a node: its cells as variables, in reading order, and its number in the text.
type Placements = FxHashMap<Box<[u32]>, u64>;

/// State of an export.
struct Exporter<'a, F> {
    graph: &'a SolutionGraph,
    control: &'a Control,
    pace: Pace<'a>,
    write: F,
    /// Text not yet passed to `write`.
    text: Vec<u8>,
    size: Nnf,
    /// The number of the true node, once it is written.
    true_node: Option<u64>,
    /// The placements of unprocessed nodes.
    placements: FxHashMap<u32, Placements>,
    /// Bytes held, and their limit.
    held: u64,
    memory: u64,
}

impl<F: FnMut(&[u8]) -> bool> Exporter<'_, F> {
    fn run(&mut self) -> Result<(), Stop> {
        let graph = self.graph;
        self.charge(self.text.capacity() as u64)?;
        if graph.count().is_zero() {
            let root = self.write_node(b'o')?;
            let false_node = self.write_node(b'f')?;
            self.begin_edge(root, false_node)?;
            self.end_edge()?;
        } else {
            self.write_root()?;
            for node in (0..graph.nodes() as u32).rev() {
                self.poll(0)?;
                if let Some(placements) = self.placements.remove(&node) {
                    self.write_edges(node, placements)?;
                }
            }
        }
        self.flush()
    }

    /// Writes the root, with the literals of the cells that no node decides.
    fn write_root(&mut self) -> Result<(), Stop> {
        let graph = self.graph;
        let (width, height) = (graph.width(), graph.height());
        let bytes = (height * Grid::stride(width) * 8) as u64;
        self.charge(bytes)?;
        let mut decided_by_nodes = Grid::new(width, height);
        let mut below = Vec::with_capacity(graph.roots.len());
        for root in &graph.roots {
            self.poll(root.positions.len())?;
            let positions = root.positions.iter();
            let cells: Box<[u32]> = positions.map(|&at| graph.cell_number(at) + 1).collect();
            for &cell in &cells {
                let cell = cell as usize - 1;
                decided_by_nodes.set(cell / width, cell % width, true);
            }
            below.push((root.node, cells));
        }
        let root = self.write_node(b'o')?;
        let to = self.conjunction(below)?;
        self.begin_edge(root, to)?;
        for row in 0..height {
            self.poll(width)?;
            for column in (0..width).filter(|&column| !decided_by_nodes.get(row, column)) {
                let cell = (row * width + column + 1) as u32;
                self.write_literal(cell, graph.known.get(row, column))?;
            }
        }
        self.end_edge()?;
        self.held -= bytes;
        Ok(())
    }

    /// Writes the edges of a node at all of its placements.
    fn write_edges(&mut self, node: u32, placements: Placements) -> Result<(), Stop> {
        let graph = self.graph;
        let bytes: u64 = placements.keys().map(|cells| placement_bytes(cells)).sum();
        let mut placements = Vec::from_iter(placements);
        placements.sort_unstable_by_key(|&(_, number)| number);
        for (cells, number) in &placements {
            for edge in graph.edges_of(node) {
                self.poll(2 * cells.len())?;
                let size = |&node: &u32| graph.cell_count(node) as usize;
                let sizes = edge.children.iter().map(size);
                let mut below: Vec<Vec<u32>> = sizes.map(Vec::with_capacity).collect();
                edge.for_each_run(cells, |code, here| {
                    if let Some(i) = code.checked_sub(FIRST_CHILD) {
                        below[i as usize].extend_from_slice(here);
                    }
                });
                let below = below.into_iter().map(Vec::into_boxed_slice);
                let to = self.conjunction(edge.children.iter().copied().zip(below).collect())?;
                self.begin_edge(*number, to)?;
                let mut positions = &cells[..];
                for (code, length) in edge.runs() {
                    let (here, more) = positions.split_at(length as usize);
                    positions = more;
                    if let EMPTY | FILLED = code {
                        for &cell in here {
                            self.write_literal(cell, code == FILLED)?;
                        }
                    }
                }
                self.end_edge()?;
            }
        }
        self.held -= bytes;
        Ok(())
    }

    /// The number of the conjunction of these placed nodes; writes an and-node if there are several.
    fn conjunction(&mut self, mut nodes: Vec<(u32, Box<[u32]>)>) -> Result<u64, Stop> {
        match nodes.len() {
            0 => match self.true_node {
                Some(true_node) => Ok(true_node),
                None => {
                    let true_node = self.write_node(b't')?;
                    self.true_node = Some(true_node);
                    Ok(true_node)
                }
            },
            1 => {
                let (node, cells) = nodes.remove(0);
                self.placed_node(node, cells)
            }
            _ => {
                let conjunction = self.write_node(b'a')?;
                for (node, cells) in nodes {
                    let to = self.placed_node(node, cells)?;
                    self.begin_edge(conjunction, to)?;
                    self.end_edge()?;
                }
                Ok(conjunction)
            }
        }
    }

    /// The number of a node at this placement.
    fn placed_node(&mut self, node: u32, cells: Box<[u32]>) -> Result<u64, Stop> {
        let placements = self.placements.get(&node);
        if let Some(&number) = placements.and_then(|placements| placements.get(&cells)) {
            return Ok(number);
        }
        self.charge(placement_bytes(&cells))?;
        let number = self.write_node(b'o')?;
        let placements = self.placements.entry(node).or_default();
        placements.insert(cells, number);
        Ok(number)
    }

    /// Writes a node of this kind and returns its number.
    fn write_node(&mut self, kind: u8) -> Result<u64, Stop> {
        self.size.nodes += 1;
        let number = self.size.nodes;
        self.text.extend_from_slice(&[kind, b' ']);
        self.write_number(number);
        self.text.extend_from_slice(b" 0\n");
        self.flush_if_full()?;
        Ok(number)
    }

    /// Begins an edge line.
    fn begin_edge(&mut self, from: u64, to: u64) -> Result<(), Stop> {
        self.size.edges += 1;
        self.write_number(from);
        self.text.push(b' ');
        self.write_number(to);
        self.text.push(b' ');
        self.flush_if_full()
    }

    /// Adds a literal to the current edge.
    fn write_literal(&mut self, cell: u32, filled: bool) -> Result<(), Stop> {
        if !filled {
            self.text.push(b'-');
        }
        self.write_number(u64::from(cell));
        self.text.push(b' ');
        self.flush_if_full()
    }

    fn end_edge(&mut self) -> Result<(), Stop> {
        self.text.extend_from_slice(b"0\n");
        self.flush_if_full()
    }

    /// Writes a number in decimal; hand-written because most of the text is numbers.
    fn write_number(&mut self, mut number: u64) {
        let mut digits = [0; 20];
        let mut first = digits.len();
        loop {
            first -= 1;
            digits[first] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.text.extend_from_slice(&digits[first..]);
    }

    #[inline]
    fn flush_if_full(&mut self) -> Result<(), Stop> {
        if self.text.len() < CHUNK_BYTES {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<(), Stop> {
        let written = (self.write)(&self.text);
        self.text.clear();
        if written { Ok(()) } else { Err(Stop::Closed) }
    }

    fn charge(&mut self, bytes: u64) -> Result<(), Stop> {
        self.held += bytes;
        if self.held > self.memory {
            return Err(Stop::Memory);
        }
        Ok(())
    }

    /// Charges this number of visited cells to the poll budget; an error if the run is stopped.
    fn poll(&mut self, cells: usize) -> Result<(), Stop> {
        self.pace.spend(cells as u64 + 8);
        self.control.check()
    }
}

/// Bytes of a placement with its parts of two tables, which are up to half empty and are copied when they grow.
fn placement_bytes(cells: &[u32]) -> u64 {
    (size_of_val(cells) + 8 * size_of::<(Box<[u32]>, u64)>()) as u64
}

#[cfg(test)]
mod tests {
    use crate::puzzle::Cell;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::super::builder::Builder;
    use super::*;

    fn exporter<'a, F>(
        graph: &'a SolutionGraph,
        control: &'a Control,
        write: F,
    ) -> Exporter<'a, F> {
        Exporter {
            graph,
            control,
            pace: Pace::new(control),
            write,
            text: Vec::new(),
            size: Nnf::default(),
            true_node: None,
            placements: FxHashMap::default(),
            held: 0,
            memory: u64::MAX,
        }
    }

    /// Cells that do not depend on each other, in the first row of a grid: a chain of nodes, one for each number of cells.
    fn chain(cells: usize, height: usize) -> SolutionGraph {
        let mut builder = Builder::new();
        let mut node = builder.add(&[("#", &[]), (".", &[])]);
        for below in 1..cells {
            let below = "0".repeat(below);
            let (filled, empty) = (format!("#{below}"), format!(".{below}"));
            node = builder.add(&[(&filled, &[node]), (&empty, &[node])]);
        }
        let place = (0..cells).map(|column| Cell::new(0, column)).collect();
        builder.finish(&Grid::new(cells, height), vec![(node, place)])
    }

    #[test]
    fn text_is_passed_on_in_chunks() {
        let graph = chain(1, 1);
        let control = Control::new(&Limits::default(), false);
        let mut pieces = Vec::new();
        let mut exporter = exporter(&graph, &control, |piece: &[u8]| {
            pieces.push(piece.len());
            true
        });
        for (length, rest) in [
            (CHUNK_BYTES - 1, CHUNK_BYTES - 1),
            (CHUNK_BYTES, 0),
            (CHUNK_BYTES + 1, 0),
        ] {
            exporter.text.resize(length, b' ');
            exporter.flush_if_full().unwrap();
            assert_eq!(exporter.text.len(), rest);
        }
        assert_eq!(pieces, [CHUNK_BYTES, CHUNK_BYTES + 1]);
        // Mostly literals of the root, of which the last one of a chunk is partly beyond its size.
        let mut pieces = Vec::new();
        let graph = chain(10, 4000);
        let size = graph.write_nnf(&Limits::default(), |piece| {
            pieces.push(piece.len());
            true
        });
        assert_eq!(size.unwrap().edges, 1 + 2 * 10);
        let last = pieces.pop().unwrap();
        assert!(pieces.len() > 2 && last < CHUNK_BYTES);
        assert!(
            pieces
                .iter()
                .all(|length| (CHUNK_BYTES..CHUNK_BYTES + 64).contains(length))
        );
    }

    /// The memory that suffices for an export, besides that for the graph and the text.
    fn check_memory(graph: &SolutionGraph, held: u64) {
        let text = Vec::<u8>::with_capacity(CHUNK_BYTES + 64).capacity();
        let bytes = graph.bytes() + text as u64 + held;
        let stop = |bytes| {
            graph
                .write_nnf(&Limits::default().memory(bytes), |_| true)
                .err()
        };
        assert_eq!(stop(bytes), None);
        assert_eq!(stop(bytes - 1), Some(Stop::Memory));
    }

    #[test]
    fn what_an_export_holds_is_within_the_memory_limit() {
        let placement = |cells: usize| placement_bytes(&vec![0; cells]);
        // At first the grid of the cells that nodes decide: a word for each row.
        check_memory(&chain(10, 1000), 8000 + placement(10));
        // Then two nodes of a chain at a time.
        check_memory(&chain(20, 1), placement(20) + placement(19));
    }

    #[test]
    fn an_export_polls_its_limits_after_a_certain_work() {
        let graph = chain(1, 1);
        let interrupt = Arc::new(AtomicBool::new(false));
        let limits = Limits::default().interrupt(Arc::clone(&interrupt));
        let control = Control::new(&limits, false);
        let mut exporter = exporter(&graph, &control, |_: &[u8]| true);
        interrupt.store(true, Ordering::Relaxed);
        // A call is work by itself.
        for (cells, result) in [
            (Pace::WORK as usize - 24, Ok(())),
            (7, Ok(())),
            (0, Err(Stop::Interrupt)),
        ] {
            assert_eq!(exporter.poll(cells), result);
        }
    }
}
