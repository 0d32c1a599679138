//! For each cell, the number of solutions in which it is filled.
//!
//! A *placement* of a node is a list of cells of the puzzle on which it is reached from a root. The *weight* of the placement is the number
//! of solutions of the root that reach the node there, with one fixed solution of the node.
//!
//! A node with few placements is expanded top-down at each of them. The weight of a child is the sum, over the edges that lead to it, of
//! the weight of the parent times the counts of the child's siblings. A cell that an edge fills is filled in as many solutions as the
//! weight times the counts of all children of the edge. For a node with many placements its *marginal* is computed bottom-up: for each of
//! its cells, the number of its own solutions in which the cell is filled. It is computed once the node has more than
//! [`MAX_PLACEMENTS`], after those of its descendants. A marginal is freed after the last edge that needs it. Each placement of such a node adds its
//! marginal, times the weight, to the cells.
//!
//! O(edges and cells of their nodes) per expanded placement, and once more for the marginals. As children precede their parents, one pass
//! over the graph is enough.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::runs::{EMPTY, FILLED, FIRST_CHILD};
use super::solution_graph::SolutionGraph;
use crate::board::Cell;
use crate::puzzle::Grid;
use crate::run::{Control, Limits};
use crate::solutions::{Count, Stop};

/// Maximum number of placements of a node that is expanded top-down.
const MAX_PLACEMENTS: usize = 4;

/// Work between two polls of the control: cells that are visited, and eight for each call of [`Pass::poll`].
const WORK_PER_POLL: usize = 1 << 16;

/// For each cell, the number of solutions in which it is filled.
#[derive(Clone, Debug)]
pub struct CellCounts {
    width: usize,
    count: Count,
    filled: Vec<Count>,
}

impl CellCounts {
    /// Number of columns of the puzzle.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows of the puzzle.
    pub fn height(&self) -> usize {
        self.filled.len() / self.width
    }

    /// Number of solutions.
    pub fn count(&self) -> &Count {
        &self.count
    }

    /// Number of solutions in which this cell is filled.
    ///
    /// # Panics
    ///
    /// If the cell is outside the puzzle.
    pub fn filled(&self, cell: Cell) -> &Count {
        assert!(
            usize::from(cell.column) < self.width,
            "{cell:?} is outside the puzzle"
        );
        &self.filled[usize::from(cell.row) * self.width + usize::from(cell.column)]
    }

    /// The share of solutions in which this cell is filled, in millionths, rounded to nearest, halves up; 0 if there are no solutions.
    ///
    /// # Panics
    ///
    /// If the cell is outside the puzzle.
    pub fn millionths(&self, cell: Cell) -> u32 {
        if self.count.is_zero() {
            return 0;
        }
        let twice = |number: &Count| {
            let mut twice = number.clone();
            twice += number;
            twice
        };
        let mut millionths = twice(self.filled(cell));
        millionths *= &Count::from(1_000_000);
        millionths += &self.count;
        let (millionths, _) = millionths.div_rem(&twice(&self.count));
        // At most a million.
        millionths.to_u64().unwrap_or_default() as u32
    }
}

impl SolutionGraph {
    /// For each cell, the exact number of solutions in which it is filled.
    pub fn cells(&self) -> CellCounts {
        let cells = self.cells_within(&Limits::default());
        cells.expect("nothing stops a pass without limits")
    }

    /// As [`SolutionGraph::cells`], but stopped by the limits on time and memory and by the interrupt. The memory limit covers the graph
    /// and the memory for this computation. Limits on solutions and nodes have no effect.
    ///
    /// # Errors
    ///
    /// The limit that stopped it.
    pub fn cells_within(&self, limits: &Limits) -> Result<CellCounts, Stop> {
        let control = Control::new(limits, false);
        let (width, height) = (self.width(), self.height());
        let memory = limits.memory.unwrap_or(u64::MAX);
        let bytes = self.bytes() + (width * height * size_of::<Count>()) as u64;
        if bytes > memory {
            return Err(Stop::Memory);
        }
        let mut filled = vec![Count::ZERO; width * height];
        if !self.count().is_zero() {
            let mut pass = Pass {
                graph: self,
                control: &control,
                filled: &mut filled,
                placements: FxHashMap::default(),
                marginals: FxHashMap::default(),
                unprocessed_edges: Vec::new(),
                bytes,
                memory,
                work_since_poll: 0,
            };
            pass.run()?;
            for (i, cell) in filled.iter_mut().enumerate() {
                if self.known().get(i / width, i % width) {
                    *cell = self.count().clone();
                }
            }
        }
        Ok(CellCounts {
            width,
            count: self.count().clone(),
            filled,
        })
    }
}

/// A placement of a node: the indices of its cells in the puzzle, and its weight.
#[derive(Debug)]
struct Placement {
    cells: Box<[u32]>,
    weight: Count,
}

/// For each cell of a node, the number of its solutions in which the cell is filled.
#[derive(Debug)]
enum Marginal {
    /// Used if the count of the node is below 2^63.
    Small(Box<[u64]>),
    Large(Box<[Count]>),
}

impl Marginal {
    fn bytes(&self) -> u64 {
        match self {
            Marginal::Small(cells) => size_of_val(&**cells) as u64,
            Marginal::Large(cells) => size_of_val(&**cells) as u64,
        }
    }

    fn get(&self, cell: usize) -> Count {
        match self {
            Marginal::Small(cells) => Count::from(cells[cell]),
            Marginal::Large(cells) => cells[cell].clone(),
        }
    }
}

/// State of the pass over the graph.
#[derive(Debug)]
struct Pass<'a> {
    graph: &'a SolutionGraph,
    control: &'a Control,
    filled: &'a mut [Count],
    /// The placements of nodes that are not yet expanded and have no marginal.
    placements: FxHashMap<u32, Vec<Placement>>,
    marginals: FxHashMap<u32, Marginal>,
    /// For each node the number of references to it, from edges and roots, that are not yet processed; 0 for an unreachable node.
    unprocessed_edges: Vec<u32>,
    /// Bytes held, and their limit.
    bytes: u64,
    memory: u64,
    /// Work since the last poll.
    work_since_poll: usize,
}

impl Pass<'_> {
    fn run(&mut self) -> Result<(), Stop> {
        let graph = self.graph;
        self.control.poll();
        self.charge(graph.nodes() as u64 * 4)?;
        self.count_incoming_edges()?;
        let (width, row_bits) = (graph.width(), Grid::stride(graph.width()) * 64);
        let cell = |&position: &u32| {
            (position as usize / row_bits * width + position as usize % row_bits) as u32
        };
        for root in graph.roots() {
            let cells = root.positions.iter().map(cell).collect();
            self.add_placement(root.node, cells, Count::ONE)?;
        }
        for node in (0..graph.nodes() as u32).rev() {
            // All incoming edges have been processed.
            if let Some(marginal) = self.marginals.remove(&node) {
                self.bytes -= marginal.bytes();
            }
            if let Some(placements) = self.placements.remove(&node) {
                self.expand(node, &placements)?;
            }
        }
        self.multiply_by_other_roots()?;
        Ok(())
    }

    fn charge(&mut self, bytes: u64) -> Result<(), Stop> {
        self.bytes += bytes;
        match self.bytes > self.memory {
            true => Err(Stop::Memory),
            false => Ok(()),
        }
    }

    /// Counts visited cells, and polls the control at intervals; an error if the run is stopped.
    fn poll(&mut self, cells: usize) -> Result<(), Stop> {
        self.work_since_poll += cells + 8;
        if self.work_since_poll >= WORK_PER_POLL {
            self.work_since_poll = 0;
            self.control.poll();
        }
        match self.control.stopped() {
            true => Err(self.control.reason().unwrap_or(Stop::Interrupt)),
            false => Ok(()),
        }
    }

    fn count_incoming_edges(&mut self) -> Result<(), Stop> {
        let graph = self.graph;
        self.unprocessed_edges = vec![0; graph.nodes()];
        for root in graph.roots() {
            self.unprocessed_edges[root.node as usize] += 1;
        }
        for node in (0..graph.nodes() as u32).rev() {
            if self.unprocessed_edges[node as usize] == 0 {
                continue;
            }
            for edge in graph.edges_of(node) {
                edge.children
                    .iter()
                    .for_each(|&child| self.unprocessed_edges[child as usize] += 1);
                self.poll(0)?;
            }
        }
        Ok(())
    }

    /// Adds a placement of a node, or its contribution if the node has a marginal.
    fn add_placement(&mut self, node: u32, cells: Box<[u32]>, weight: Count) -> Result<(), Stop> {
        if let Some(marginal) = self.marginals.get(&node) {
            add_marginal(self.filled, marginal, &cells, &weight);
            return Ok(());
        }
        let bytes = placement_bytes(&cells);
        let placements = match self.placements.entry(node) {
            Entry::Occupied(placements) => placements.into_mut(),
            Entry::Vacant(vacant) => vacant.insert(Vec::new()),
        };
        if let Some(placement) = placements
            .iter_mut()
            .find(|placement| placement.cells == cells)
        {
            placement.weight += &weight;
            return Ok(());
        }
        placements.push(Placement { cells, weight });
        let needs_marginal = placements.len() > MAX_PLACEMENTS;
        self.charge(bytes)?;
        match needs_marginal {
            true => self.compute_marginals(node),
            false => Ok(()),
        }
    }

    /// Expands a node at all of its placements.
    fn expand(&mut self, node: u32, placements: &[Placement]) -> Result<(), Stop> {
        let graph = self.graph;
        let mut others = Vec::new();
        let mut child_cells: Vec<Vec<u32>> = Vec::new();
        for edge in graph.edges_of(node) {
            graph.products_of_siblings(edge.children, &mut others);
            let all = graph.product(edge.children);
            for placement in placements {
                self.poll(placement.cells.len())?;
                let mut weight = placement.weight.clone();
                weight *= &all;
                let size = |&node: &u32| Vec::with_capacity(graph.cell_count(node) as usize);
                child_cells.clear();
                child_cells.extend(edge.children.iter().map(size));
                edge.for_each_run(&placement.cells, |code, here| match code {
                    EMPTY => {}
                    FILLED => {
                        for &cell in here {
                            self.filled[cell as usize] += &weight;
                        }
                    }
                    child_code => {
                        child_cells[(child_code - FIRST_CHILD) as usize].extend_from_slice(here);
                    }
                });
                for ((&node, cells), others) in
                    edge.children.iter().zip(child_cells.drain(..)).zip(&others)
                {
                    let mut weight = placement.weight.clone();
                    weight *= others;
                    self.add_placement(node, cells.into(), weight)?;
                }
            }
            edge.children
                .iter()
                .for_each(|&node| self.finish_incoming_edge(node));
        }
        for placement in placements {
            self.bytes -= placement_bytes(&placement.cells);
        }
        Ok(())
    }

    /// Records that an incoming edge of this node is processed; frees the marginal of the node after its last incoming edge.
    fn finish_incoming_edge(&mut self, node: u32) {
        let unprocessed = &mut self.unprocessed_edges[node as usize];
        *unprocessed -= 1;
        if *unprocessed == 0
            && let Some(marginal) = self.marginals.remove(&node)
        {
            self.bytes -= marginal.bytes();
        }
    }

    /// Computes the marginals of a node and of all its descendants that have none.
    fn compute_marginals(&mut self, node: u32) -> Result<(), Stop> {
        let graph = self.graph;
        let mut wanted = vec![node];
        let mut seen: FxHashMap<u32, ()> = FxHashMap::default();
        let mut next = 0;
        while let Some(&node) = wanted.get(next) {
            next += 1;
            for edge in graph.edges_of(node) {
                self.poll(0)?;
                for &child in edge.children {
                    if !self.marginals.contains_key(&child) && seen.insert(child, ()).is_none() {
                        wanted.push(child);
                    }
                }
            }
        }
        wanted.sort_unstable();
        for node in wanted {
            let marginal = self.marginal(node)?;
            self.charge(marginal.bytes())?;
            for edge in graph.edges_of(node) {
                edge.children
                    .iter()
                    .for_each(|&child| self.finish_incoming_edge(child));
            }
            for placement in self.placements.remove(&node).unwrap_or_default() {
                add_marginal(self.filled, &marginal, &placement.cells, &placement.weight);
                self.bytes -= placement_bytes(&placement.cells);
            }
            self.marginals.insert(node, marginal);
        }
        Ok(())
    }

    /// The marginal of a node whose children have theirs.
    fn marginal(&mut self, node: u32) -> Result<Marginal, Stop> {
        let (graph, size) = (self.graph, self.graph.cell_count(node) as usize);
        if graph.counts().small(node as usize).is_some() {
            let mut cells = vec![0u64; size];
            for edge in graph.edges_of(node) {
                self.poll(size)?;
                let all = graph.small_product(edge.children);
                // For each child: the product of the counts of its siblings, the number of its cells seen so far, and its marginal.
                let children = edge.children.iter().map(|&node| {
                    let others = all / graph.counts().small(node as usize).unwrap_or(1);
                    (others, 0, self.marginals.get(&node))
                });
                let mut children: Vec<_> = children.collect();
                let mut at = 0;
                for (code, length) in edge.runs() {
                    let here = &mut cells[at..at + length as usize];
                    at += length as usize;
                    match code {
                        EMPTY => {}
                        FILLED => here.iter_mut().for_each(|cell| *cell += all),
                        child_code => {
                            let (others, seen, marginal) =
                                &mut children[(child_code - FIRST_CHILD) as usize];
                            if let Some(Marginal::Small(marginal)) = marginal {
                                let marginal = &marginal[*seen..*seen + here.len()];
                                for (cell, number) in here.iter_mut().zip(marginal) {
                                    *cell += *others * number;
                                }
                            }
                            *seen += here.len();
                        }
                    }
                }
            }
            return Ok(Marginal::Small(cells.into()));
        }
        let mut cells = vec![Count::ZERO; size];
        let (mut others, mut cells_seen) = (Vec::new(), Vec::new());
        for edge in graph.edges_of(node) {
            self.poll(8 * size)?;
            let all = graph.product(edge.children);
            graph.products_of_siblings(edge.children, &mut others);
            cells_seen.clear();
            cells_seen.resize(edge.children.len(), 0);
            let mut at = 0;
            for (code, length) in edge.runs() {
                let here = &mut cells[at..at + length as usize];
                at += length as usize;
                match code {
                    EMPTY => {}
                    FILLED => here.iter_mut().for_each(|cell| *cell += &all),
                    child_code => {
                        let i = (child_code - FIRST_CHILD) as usize;
                        let marginal = self.marginals.get(&edge.children[i]);
                        for cell in here {
                            if let Some(marginal) = marginal {
                                let mut more = marginal.get(cells_seen[i]);
                                more *= &others[i];
                                *cell += &more;
                            }
                            cells_seen[i] += 1;
                        }
                    }
                }
            }
        }
        Ok(Marginal::Large(cells.into()))
    }

    /// Multiplies the counts of the cells of each root by the number of solutions of all other roots.
    fn multiply_by_other_roots(&mut self) -> Result<(), Stop> {
        let graph = self.graph;
        let (width, row_bits) = (graph.width(), Grid::stride(graph.width()) * 64);
        let nodes: Vec<u32> = graph.roots().iter().map(|root| root.node).collect();
        let mut others = Vec::new();
        graph.products_of_siblings(&nodes, &mut others);
        for (root, others) in graph.roots().iter().zip(&others) {
            // One multiplication costs about as much as eight additions.
            self.poll(8 * root.positions.len())?;
            for &position in &root.positions {
                let (row, column) = (position as usize / row_bits, position as usize % row_bits);
                self.filled[row * width + column] *= others;
            }
        }
        Ok(())
    }
}

/// Adds the contribution of a placement of a node with this marginal to the counts of all cells.
fn add_marginal(filled: &mut [Count], marginal: &Marginal, cells: &[u32], weight: &Count) {
    for (i, &cell) in cells.iter().enumerate() {
        let mut more = marginal.get(i);
        if !more.is_zero() {
            more *= weight;
            filled[cell as usize] += &more;
        }
    }
}

fn placement_bytes(cells: &[u32]) -> u64 {
    (size_of_val(cells) + 2 * size_of::<Placement>()) as u64
}

impl SolutionGraph {
    /// For each of these nodes, the product of the counts of all other nodes.
    fn products_of_siblings(&self, nodes: &[u32], products: &mut Vec<Count>) {
        products.clear();
        let mut product = Count::ONE;
        for &node in nodes {
            products.push(product.clone());
            product *= &self.counts().get(node as usize);
        }
        product = Count::ONE;
        for (&node, others) in nodes.iter().zip(products).rev() {
            *others *= &product;
            product *= &self.counts().get(node as usize);
        }
    }
}

#[cfg(test)]
mod tests;
