//! In how many solutions each cell is filled.
//!
//! A node that lies at a few places only is gone through for each of them, from the roots down: how often it is reached there is the sum,
//! over the edges that lead to it, of how often their nodes are reached, times the solutions of what else those edges lead to; and an
//! edge that is taken so often, times all that it leads to, fills its cells in as many solutions. Of a node that lies at many places it
//! is found out, from the bottom up, in how many of its own solutions each of its own cells is filled: its *marginal*, which is worked
//! out when the node turns out to be such a one, with those of all nodes below it, and is forgotten when no edge needs it any more.
//! Wherever such a node is reached, so often, that many times its marginal is added to the cells on which it lies.
//!
//! O(edges and cells of their nodes) for each place that is gone through, and once more for the marginals. The order of the nodes,
//! in which one comes after all that it leads to, makes one pass over the graph enough.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::runs::{EMPTY, FILLED, LEFT};
use super::solution_graph::SolutionGraph;
use crate::board::Cell;
use crate::puzzle::Grid;
use crate::run::{Control, Limits};
use crate::solutions::{Count, Stop};

/// Most places at which a node is gone through.
const FEW: usize = 4;

/// Cells looked at between two looks at the limits.
const BREATH: usize = 1 << 16;

/// For each cell the number of solutions in which it is filled.
#[derive(Clone, Debug)]
pub struct CellCounts {
    width: usize,
    count: Count,
    filled: Vec<Count>,
}

impl CellCounts {
    /// Number of all solutions.
    pub fn count(&self) -> &Count {
        &self.count
    }

    /// Number of solutions in which this cell is filled.
    ///
    /// # Panics
    ///
    /// When the cell is outside.
    pub fn filled(&self, cell: Cell) -> &Count {
        assert!(
            usize::from(cell.column) < self.width,
            "{cell:?} is outside the puzzle"
        );
        &self.filled[usize::from(cell.row) * self.width + usize::from(cell.column)]
    }

    /// The share of solutions in which this cell is filled, in millionths, rounded to the nearest one, halves up; 0 when there are
    /// no solutions.
    ///
    /// # Panics
    ///
    /// When the cell is outside.
    pub fn millionths(&self, cell: Cell) -> u32 {
        if self.count.is_zero() {
            return 0;
        }
        let twice = |number: &Count| {
            let mut twice = number.clone();
            twice += number;
            twice
        };
        let mut parts = twice(self.filled(cell));
        parts *= &Count::from(1_000_000);
        parts += &self.count;
        let (parts, _) = parts.div_rem(&twice(&self.count));
        // No more than a million.
        parts.to_u64().unwrap_or_default() as u32
    }
}

impl SolutionGraph {
    /// In how many solutions each cell is filled, exactly.
    pub fn cells(&self) -> CellCounts {
        let cells = self.cells_within(&Limits::default());
        cells.expect("without limits nothing stops it")
    }

    /// The same within limits, as it takes time to go through a large graph, and memory beside it: those on time, memory and the
    /// interrupt are looked at. The memory is that for the graph and everything else together.
    ///
    /// # Errors
    ///
    /// What stopped it.
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
                reached: FxHashMap::default(),
                marginals: FxHashMap::default(),
                uses: Vec::new(),
                bytes,
                memory,
                looked: 0,
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

/// One way in which a node is reached: where its cells lie, as indices of cells of the puzzle, and in how many solutions.
#[derive(Debug)]
struct Reached {
    cells: Box<[u32]>,
    often: Count,
}

/// For each cell of a node the number of its solutions in which the cell is filled.
#[derive(Debug)]
enum Marginal {
    /// Where a machine word holds the number of all of its solutions.
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

/// The pass over the graph.
#[derive(Debug)]
struct Pass<'a> {
    graph: &'a SolutionGraph,
    control: &'a Control,
    filled: &'a mut [Count],
    /// How nodes are reached that are still to be gone through, and have no marginal.
    reached: FxHashMap<u32, Vec<Reached>>,
    marginals: FxHashMap<u32, Marginal>,
    /// For each node the edges that lead to it and have not been gone along yet; 0 where it cannot be reached at all.
    uses: Vec<u32>,
    /// Bytes held, and how many they may be.
    bytes: u64,
    memory: u64,
    /// Cells looked at since limits were.
    looked: usize,
}

impl Pass<'_> {
    fn run(&mut self) -> Result<(), Stop> {
        let graph = self.graph;
        self.control.poll();
        self.hold(graph.nodes() as u64 * 4)?;
        self.count_uses()?;
        let (width, line) = (graph.width(), Grid::stride(graph.width()) * 64);
        let cell = |&place: &u32| (place as usize / line * width + place as usize % line) as u32;
        for root in graph.roots() {
            let cells = root.places.iter().map(cell).collect();
            self.reach(root.node, cells, Count::ONE)?;
        }
        for node in (0..graph.nodes() as u32).rev() {
            // All edges that lead here have been gone along.
            if let Some(marginal) = self.marginals.remove(&node) {
                self.bytes -= marginal.bytes();
            }
            if let Some(ways) = self.reached.remove(&node) {
                self.go_through(node, &ways)?;
            }
        }
        self.times_other_roots()?;
        Ok(())
    }

    fn hold(&mut self, bytes: u64) -> Result<(), Stop> {
        self.bytes += bytes;
        match self.bytes > self.memory {
            true => Err(Stop::Memory),
            false => Ok(()),
        }
    }

    /// Notes that `cells` more cells have been visited, and polls the control from time to time.
    fn look(&mut self, cells: usize) -> Result<(), Stop> {
        self.looked += cells + 8;
        if self.looked >= BREATH {
            self.looked = 0;
            self.control.poll();
        }
        match self.control.stopped() {
            true => Err(self.control.reason().unwrap_or(Stop::Interrupt)),
            false => Ok(()),
        }
    }

    fn count_uses(&mut self) -> Result<(), Stop> {
        let graph = self.graph;
        self.uses = vec![0; graph.nodes()];
        for root in graph.roots() {
            self.uses[root.node as usize] += 1;
        }
        for node in (0..graph.nodes() as u32).rev() {
            if self.uses[node as usize] == 0 {
                continue;
            }
            for edge in graph.edges_of(node) {
                edge.rest
                    .iter()
                    .for_each(|&below| self.uses[below as usize] += 1);
                self.look(0)?;
            }
        }
        Ok(())
    }

    /// Notes that a node lies on these cells in `often` more solutions.
    fn reach(&mut self, node: u32, cells: Box<[u32]>, often: Count) -> Result<(), Stop> {
        if let Some(marginal) = self.marginals.get(&node) {
            lay(self.filled, marginal, &cells, &often);
            return Ok(());
        }
        let bytes = bytes_of_way(&cells);
        let ways = match self.reached.entry(node) {
            Entry::Occupied(ways) => ways.into_mut(),
            Entry::Vacant(none) => none.insert(Vec::new()),
        };
        if let Some(way) = ways.iter_mut().find(|way| way.cells == cells) {
            way.often += &often;
            return Ok(());
        }
        ways.push(Reached { cells, often });
        let many = ways.len() > FEW;
        self.hold(bytes)?;
        match many {
            true => self.work_out(node),
            false => Ok(()),
        }
    }

    /// Goes through a node that is reached in these ways, and no others.
    fn go_through(&mut self, node: u32, ways: &[Reached]) -> Result<(), Stop> {
        let graph = self.graph;
        let mut others = Vec::new();
        let mut below: Vec<Vec<u32>> = Vec::new();
        for edge in graph.edges_of(node) {
            graph.products_of_others(edge.rest, &mut others);
            let all = graph.product(edge.rest);
            for way in ways {
                self.look(way.cells.len())?;
                let mut often = way.often.clone();
                often *= &all;
                let size = |&node: &u32| Vec::with_capacity(graph.size(node) as usize);
                below.clear();
                below.extend(edge.rest.iter().map(size));
                edge.each(&way.cells, |becomes, here| match becomes {
                    EMPTY => {}
                    FILLED => {
                        for &cell in here {
                            self.filled[cell as usize] += &often;
                        }
                    }
                    left => below[(left - LEFT) as usize].extend_from_slice(here),
                });
                for ((&node, cells), others) in edge.rest.iter().zip(below.drain(..)).zip(&others) {
                    let mut often = way.often.clone();
                    often *= others;
                    self.reach(node, cells.into(), often)?;
                }
            }
            edge.rest.iter().for_each(|&node| self.used(node));
        }
        for way in ways {
            self.bytes -= bytes_of_way(&way.cells);
        }
        Ok(())
    }

    /// An edge that leads to this node has been gone along.
    fn used(&mut self, node: u32) {
        let uses = &mut self.uses[node as usize];
        *uses -= 1;
        if *uses == 0
            && let Some(marginal) = self.marginals.remove(&node)
        {
            self.bytes -= marginal.bytes();
        }
    }

    /// Works the marginals out of a node and of all below it, as far as there are none.
    fn work_out(&mut self, node: u32) -> Result<(), Stop> {
        let graph = self.graph;
        let mut wanted = vec![node];
        let mut seen: FxHashMap<u32, ()> = FxHashMap::default();
        let mut next = 0;
        while let Some(&node) = wanted.get(next) {
            next += 1;
            for edge in graph.edges_of(node) {
                self.look(0)?;
                for &below in edge.rest {
                    if !self.marginals.contains_key(&below) && seen.insert(below, ()).is_none() {
                        wanted.push(below);
                    }
                }
            }
        }
        wanted.sort_unstable();
        for node in wanted {
            let marginal = self.marginal(node)?;
            self.hold(marginal.bytes())?;
            for edge in graph.edges_of(node) {
                edge.rest.iter().for_each(|&below| self.used(below));
            }
            for way in self.reached.remove(&node).unwrap_or_default() {
                lay(self.filled, &marginal, &way.cells, &way.often);
                self.bytes -= bytes_of_way(&way.cells);
            }
            self.marginals.insert(node, marginal);
        }
        Ok(())
    }

    /// The marginal of a node of which those below have theirs.
    fn marginal(&mut self, node: u32) -> Result<Marginal, Stop> {
        let (graph, size) = (self.graph, self.graph.size(node) as usize);
        if graph.tallies().small(node as usize).is_some() {
            let mut cells = vec![0u64; size];
            for edge in graph.edges_of(node) {
                self.look(size)?;
                let all = graph.small_product(edge.rest);
                // Of each node below, the solutions of the others, and how many of its cells have been seen.
                let below = edge.rest.iter().map(|&node| {
                    let others = all / graph.tallies().small(node as usize).unwrap_or(1);
                    (others, 0, self.marginals.get(&node))
                });
                let mut rest: Vec<_> = below.collect();
                let mut at = 0;
                for (becomes, length) in edge.runs() {
                    let here = &mut cells[at..at + length as usize];
                    at += length as usize;
                    match becomes {
                        EMPTY => {}
                        FILLED => here.iter_mut().for_each(|cell| *cell += all),
                        left => {
                            let (others, from, below) = &mut rest[(left - LEFT) as usize];
                            if let Some(Marginal::Small(below)) = below {
                                let below = &below[*from..*from + here.len()];
                                for (cell, below) in here.iter_mut().zip(below) {
                                    *cell += *others * below;
                                }
                            }
                            *from += here.len();
                        }
                    }
                }
            }
            return Ok(Marginal::Small(cells.into()));
        }
        let mut cells = vec![Count::ZERO; size];
        let (mut others, mut ends) = (Vec::new(), Vec::new());
        for edge in graph.edges_of(node) {
            self.look(8 * size)?;
            let all = graph.product(edge.rest);
            graph.products_of_others(edge.rest, &mut others);
            ends.clear();
            ends.resize(edge.rest.len(), 0);
            let mut at = 0;
            for (becomes, length) in edge.runs() {
                let here = &mut cells[at..at + length as usize];
                at += length as usize;
                match becomes {
                    EMPTY => {}
                    FILLED => here.iter_mut().for_each(|cell| *cell += &all),
                    left => {
                        let i = (left - LEFT) as usize;
                        let below = self.marginals.get(&edge.rest[i]);
                        for cell in here {
                            if let Some(below) = below {
                                let mut more = below.get(ends[i]);
                                more *= &others[i];
                                *cell += &more;
                            }
                            ends[i] += 1;
                        }
                    }
                }
            }
        }
        Ok(Marginal::Large(cells.into()))
    }

    /// Makes numbers of solutions of one root numbers of solutions of all.
    fn times_other_roots(&mut self) -> Result<(), Stop> {
        let graph = self.graph;
        let (width, line) = (graph.width(), Grid::stride(graph.width()) * 64);
        let nodes: Vec<u32> = graph.roots().iter().map(|root| root.node).collect();
        let mut others = Vec::new();
        graph.products_of_others(&nodes, &mut others);
        for (root, others) in graph.roots().iter().zip(&others) {
            // Such a product takes as long as some additions.
            self.look(8 * root.places.len())?;
            for &place in &root.places {
                let (row, column) = (place as usize / line, place as usize % line);
                self.filled[row * width + column] *= others;
            }
        }
        Ok(())
    }
}

/// Adds a node with this marginal, which lies on these cells in `often` solutions, to the numbers of all cells.
fn lay(filled: &mut [Count], marginal: &Marginal, cells: &[u32], often: &Count) {
    for (i, &cell) in cells.iter().enumerate() {
        let mut more = marginal.get(i);
        if !more.is_zero() {
            more *= often;
            filled[cell as usize] += &more;
        }
    }
}

fn bytes_of_way(cells: &[u32]) -> u64 {
    (size_of_val(cells) + 2 * size_of::<Reached>()) as u64
}

impl SolutionGraph {
    /// For each of these nodes the product of all but it.
    fn products_of_others(&self, nodes: &[u32], products: &mut Vec<Count>) {
        products.clear();
        let mut product = Count::ONE;
        for &node in nodes {
            products.push(product.clone());
            product *= &self.tallies().get(node as usize);
        }
        product = Count::ONE;
        for (&node, others) in nodes.iter().zip(products).rev() {
            *others *= &product;
            product *= &self.tallies().get(node as usize);
        }
    }
}
