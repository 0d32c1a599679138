//! For each cell, the number of solutions in which it is filled.
//!
//! A *placement* of a node is a list of cells of the puzzle on which it is reached from a root. The *weight* of the placement is the number
//! of solutions of the root that reach the node there, with one fixed solution of the node.
//!
//! A node with few placements is expanded top-down at each of them. The weight of a child is the sum, over the edges that lead to it, of
//! the weight of the parent times the counts of the child's siblings. A cell that an edge fills is filled in as many solutions as the
//! weight times the counts of all children of the edge. For a node with many placements its *marginal* is computed bottom-up: for each of
//! its cells, the number of its own solutions in which the cell is filled. It is computed once the node has more than
//! [`MAX_PLACEMENTS`], after those of its descendants. A marginal is freed after the last edge that needs it. Each placement of such a node
//! adds its marginal, times the weight, to the cells.
//!
//! O(edges) per expanded placement, and O(cells) for all edges together that have the same runs at the same cells (see [`super::places`]);
//! for the marginals, O(edges and cells of their nodes). As children precede their parents, one pass over the graph is enough.

use rustc_hash::{FxHashMap, FxHashSet};

use super::places::Places;
use super::runs::{EMPTY, FILLED, FIRST_CHILD};
use super::solution_graph::{EdgeView, SolutionGraph};
use crate::puzzle::Cell;
use crate::run::{Control, Limits};
use crate::solutions::{Count, Stop};

/// Maximum number of placements of a node that is expanded top-down.
const MAX_PLACEMENTS: usize = 4;

/// Bytes of a placement in a list, which may have twice as much room as it needs; and of a large weight.
const PLACEMENT_BYTES: u64 = 2 * size_of::<Placement>() as u64;
const LARGE_WEIGHT_BYTES: u64 = 2 * size_of::<Count>() as u64;

/// When the places take more bytes than this and than the states of all nodes, unused ones are dropped; earlier in small memory.
const MIN_PLACE_BYTES: u64 = 1 << 20;

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
        let (row, column) = cell.place();
        assert!(column < self.width, "{cell:?} is outside the puzzle");
        &self.filled[row * self.width + column]
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
        let mut twice_the_millionths = self.filled(cell).clone();
        twice_the_millionths *= &Count::from(2_000_000);
        twice_the_millionths += &self.count;
        let mut twice_the_count = self.count.clone();
        twice_the_count += &self.count;
        let (millionths, _) = twice_the_millionths.div_rem(&twice_the_count);
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
            let mut pass = Pass::new(self, &control, &mut filled, bytes, memory);
            pass.run()?;
            for (i, cell) in filled.iter_mut().enumerate() {
                if self.known.get(i / width, i % width) {
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

/// A placement of a node: its place, and its weight.
#[derive(Debug)]
struct Placement {
    place: u32,
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

/// What the pass knows of a node that it has not expanded. Nearly all nodes have one placement, so the first one is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NodeState {
    /// The place of the first placement; [`NO_PLACE`] without one.
    place: u32,
    /// The weight of the first placement, or, from [`LARGE`] on, its index in [`Pass::large_weights`].
    weight: u64,
}

const NO_PLACE: u32 = u32::MAX;

const UNVISITED: NodeState = NodeState {
    place: NO_PLACE,
    weight: 0,
};

/// Flag of a weight that does not fit into the other bits.
const LARGE: u64 = 1 << 63;

/// State of the pass over the graph.
#[derive(Debug)]
struct Pass<'a> {
    graph: &'a SolutionGraph,
    control: &'a Control,
    filled: &'a mut [Count],
    /// The states of the nodes.
    nodes: Vec<NodeState>,
    /// The weights that do not fit into a state, and those of them that are free.
    large_weights: Vec<Count>,
    free_weights: Vec<u64>,
    /// The placements of nodes besides the first one.
    more_placements: FxHashMap<u32, Vec<Placement>>,
    places: Places<'a>,
    /// When the places take more bytes than this, they are settled.
    max_place_bytes: u64,
    marginals: FxHashMap<u32, Marginal>,
    /// From the first marginal on: for each node the number of references to it, from roots and from edges that are not processed yet. It
    /// may be too large, by roots and by edges of the node being expanded; then the marginal is freed when the pass reaches its node.
    unprocessed: Vec<u32>,
    /// The node that is being expanded; at first the last one.
    current: u32,
    /// The children's places of an edge, and the products of the counts of their siblings.
    child_places: Vec<u32>,
    others: Vec<Count>,
    /// Bytes held, without those of the places, and the limit of both.
    bytes: u64,
    memory: u64,
    /// Work since the last poll.
    work_since_poll: usize,
}

impl<'a> Pass<'a> {
    /// A pass that adds to `filled`. `bytes` are held already.
    fn new(
        graph: &'a SolutionGraph,
        control: &'a Control,
        filled: &'a mut [Count],
        bytes: u64,
        memory: u64,
    ) -> Self {
        Pass {
            graph,
            control,
            filled,
            nodes: Vec::new(),
            large_weights: Vec::new(),
            free_weights: Vec::new(),
            more_placements: FxHashMap::default(),
            places: Places::default(),
            max_place_bytes: 0,
            marginals: FxHashMap::default(),
            unprocessed: Vec::new(),
            current: (graph.nodes() as u32).saturating_sub(1),
            child_places: Vec::new(),
            others: Vec::new(),
            bytes,
            memory,
            work_since_poll: 0,
        }
    }

    fn run(&mut self) -> Result<(), Stop> {
        let graph = self.graph;
        self.control.poll();
        let bytes = (graph.nodes() * size_of::<NodeState>()) as u64;
        self.charge(bytes)?;
        let room = self.memory.saturating_sub(self.bytes);
        let min_place_bytes = MIN_PLACE_BYTES.max(bytes).min(room / 4);
        self.max_place_bytes = min_place_bytes;
        self.nodes = vec![UNVISITED; graph.nodes()];
        for root in &graph.roots {
            let positions = root.positions.iter();
            let cells: Vec<u32> = positions.map(|&at| graph.cell_number(at)).collect();
            let place = self.places.number(&cells);
            self.add_placement(root.node, place, Count::ONE)?;
        }
        let mut placements = Vec::new();
        for node in (0..graph.nodes() as u32).rev() {
            // All incoming edges have been processed.
            if let Some(marginal) = self.marginals.remove(&node) {
                self.bytes -= marginal.bytes();
            }
            self.current = node;
            self.take_placements(node, &mut placements);
            if !placements.is_empty() {
                self.expand(node, &placements)?;
            }
            if self.places.bytes() > self.max_place_bytes {
                self.settle_places();
                self.max_place_bytes = min_place_bytes.max(2 * self.places.bytes());
            }
        }
        self.settle_places();
        self.multiply_by_other_roots()
    }

    fn charge(&mut self, bytes: u64) -> Result<(), Stop> {
        self.bytes += bytes;
        if self.bytes + self.places.bytes() > self.memory {
            return Err(Stop::Memory);
        }
        Ok(())
    }

    /// Counts visited cells, and polls the control at intervals; an error if the run is stopped.
    fn poll(&mut self, cells: usize) -> Result<(), Stop> {
        self.work_since_poll += cells + 8;
        if self.work_since_poll >= WORK_PER_POLL {
            self.work_since_poll = 0;
            self.control.poll();
        }
        self.control.check()
    }

    /// Counts the references to each node that are not processed yet.
    fn count_unprocessed(&mut self) -> Result<(), Stop> {
        let graph = self.graph;
        self.charge(4 * graph.nodes() as u64)?;
        self.unprocessed = vec![0; graph.nodes()];
        for root in &graph.roots {
            self.unprocessed[root.node as usize] += 1;
        }
        for node in 0..=self.current {
            for edge in graph.edges_of(node) {
                for &child in edge.children {
                    self.unprocessed[child as usize] += 1;
                }
                self.poll(0)?;
            }
        }
        Ok(())
    }

    /// Adds a placement of a node, or its contribution if the node has a marginal.
    fn add_placement(&mut self, node: u32, place: u32, weight: Count) -> Result<(), Stop> {
        if let Some(marginal) = self.marginals.get(&node) {
            add_marginal(self.filled, marginal, self.places.cells(place), &weight);
            return Ok(());
        }
        let first = self.nodes[node as usize].place;
        if first == NO_PLACE || first == place {
            self.nodes[node as usize].place = place;
            return self.add_weight(node, weight);
        }
        let more = self.more_placements.entry(node).or_default();
        if let Some(placement) = more.iter_mut().find(|there| there.place == place) {
            placement.weight += &weight;
            return Ok(());
        }
        more.push(Placement { place, weight });
        let needs_marginal = 1 + more.len() > MAX_PLACEMENTS;
        self.charge(PLACEMENT_BYTES)?;
        if needs_marginal {
            self.compute_marginals(node)?;
        }
        Ok(())
    }

    /// Adds to the weight of the first placement of a node.
    fn add_weight(&mut self, node: u32, weight: Count) -> Result<(), Stop> {
        let sum = &mut self.nodes[node as usize].weight;
        if let Some(index) = sum.checked_sub(LARGE) {
            self.large_weights[index as usize] += &weight;
            return Ok(());
        }
        let small = weight.to_u64().and_then(|more| sum.checked_add(more));
        if let Some(small) = small.filter(|&small| small < LARGE) {
            *sum = small;
            return Ok(());
        }
        let mut large = weight;
        large += &Count::from(*sum);
        if let Some(index) = self.free_weights.pop() {
            *sum = LARGE + index;
            self.large_weights[index as usize] = large;
            return Ok(());
        }
        *sum = LARGE + self.large_weights.len() as u64;
        self.large_weights.push(large);
        self.charge(LARGE_WEIGHT_BYTES)
    }

    /// Moves the placements of a node to this list.
    fn take_placements(&mut self, node: u32, placements: &mut Vec<Placement>) {
        placements.clear();
        let state = &mut self.nodes[node as usize];
        let place = std::mem::replace(&mut state.place, NO_PLACE);
        if place == NO_PLACE {
            return;
        }
        let stored = std::mem::take(&mut state.weight);
        let weight = match stored.checked_sub(LARGE) {
            None => Count::from(stored),
            Some(index) => {
                self.free_weights.push(index);
                std::mem::replace(&mut self.large_weights[index as usize], Count::ZERO)
            }
        };
        placements.push(Placement { place, weight });
        if !self.more_placements.is_empty()
            && let Some(more) = self.more_placements.remove(&node)
        {
            self.bytes -= PLACEMENT_BYTES * more.len() as u64;
            placements.extend(more);
        }
    }

    /// Expands a node at all of its placements.
    fn expand(&mut self, node: u32, placements: &[Placement]) -> Result<(), Stop> {
        let graph = self.graph;
        let mut others = std::mem::take(&mut self.others);
        let mut child_places = std::mem::take(&mut self.child_places);
        for edge in graph.edges_of(node) {
            graph.products_of_siblings(edge.children, &mut others);
            let all = graph.product(edge.children);
            for placement in placements {
                self.poll(edge.children.len())?;
                let mut weight = placement.weight.clone();
                weight *= &all;
                let places = self.places.pass(placement.place, &edge, &weight);
                child_places.clear();
                child_places.extend_from_slice(places);
                for ((&node, &place), others) in
                    edge.children.iter().zip(&child_places).zip(&others)
                {
                    let mut weight = placement.weight.clone();
                    weight *= others;
                    self.add_placement(node, place, weight)?;
                }
            }
            self.finish_edge(&edge);
        }
        (self.others, self.child_places) = (others, child_places);
        self.charge(0)
    }

    /// Adds the weights of the edges so far to the cells, and drops the places that no node has.
    fn settle_places(&mut self) {
        let mut used: FxHashSet<u32> = self.nodes.iter().map(|node| node.place).collect();
        let more = self.more_placements.values().flatten();
        used.extend(more.map(|placement| placement.place));
        (self.places).settle(self.filled, |place| used.contains(&place));
    }

    /// Records that an edge is processed; frees the marginals of the children to which it was the last one.
    fn finish_edge(&mut self, edge: &EdgeView<'_>) {
        for child in edge.children {
            // Before the first marginal they are not counted.
            let Some(unprocessed) = self.unprocessed.get_mut(*child as usize) else {
                return;
            };
            *unprocessed -= 1;
            if *unprocessed == 0
                && let Some(marginal) = self.marginals.remove(child)
            {
                self.bytes -= marginal.bytes();
            }
        }
    }

    /// Computes the marginals of a node and of all its descendants that have none.
    fn compute_marginals(&mut self, node: u32) -> Result<(), Stop> {
        let graph = self.graph;
        if self.unprocessed.is_empty() {
            self.count_unprocessed()?;
        }
        let mut wanted = vec![node];
        let mut seen: FxHashSet<u32> = FxHashSet::default();
        let mut next = 0;
        while let Some(&node) = wanted.get(next) {
            next += 1;
            for edge in graph.edges_of(node) {
                self.poll(0)?;
                for &child in edge.children {
                    if !self.marginals.contains_key(&child) && seen.insert(child) {
                        wanted.push(child);
                    }
                }
            }
        }
        wanted.sort_unstable();
        let mut placements = Vec::new();
        for node in wanted {
            let marginal = self.marginal(node)?;
            self.charge(marginal.bytes())?;
            for edge in graph.edges_of(node) {
                self.finish_edge(&edge);
            }
            self.take_placements(node, &mut placements);
            for placement in &placements {
                let cells = self.places.cells(placement.place);
                add_marginal(self.filled, &marginal, cells, &placement.weight);
            }
            self.marginals.insert(node, marginal);
        }
        Ok(())
    }

    /// The marginal of a node whose children have theirs.
    fn marginal(&mut self, node: u32) -> Result<Marginal, Stop> {
        let (graph, size) = (self.graph, self.graph.cell_count(node) as usize);
        if graph.nodes.counts.small(node as usize).is_some() {
            let mut cells = vec![0u64; size];
            for edge in graph.edges_of(node) {
                self.poll(size)?;
                let all = graph.small_product(edge.children);
                // For each child: the product of the counts of its siblings, the number of its cells seen so far, and its marginal.
                let children = edge.children.iter().map(|&node| {
                    let others = all / graph.nodes.counts.small(node as usize).unwrap_or(1);
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
        let nodes: Vec<u32> = graph.roots.iter().map(|root| root.node).collect();
        let mut others = Vec::new();
        graph.products_of_siblings(&nodes, &mut others);
        for (root, others) in graph.roots.iter().zip(&others) {
            // One multiplication costs about as much as eight additions.
            self.poll(8 * root.positions.len())?;
            for &position in &root.positions {
                self.filled[graph.cell_number(position) as usize] *= others;
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

impl SolutionGraph {
    /// For each of these nodes, the product of the counts of all other nodes.
    fn products_of_siblings(&self, nodes: &[u32], products: &mut Vec<Count>) {
        products.clear();
        if let [_] = nodes {
            products.push(Count::ONE);
            return;
        }
        let mut product = Count::ONE;
        for &node in nodes {
            products.push(product.clone());
            product *= &self.nodes.counts.get(node as usize);
        }
        product = Count::ONE;
        for (&node, others) in nodes.iter().zip(products).rev() {
            *others *= &product;
            product *= &self.nodes.counts.get(node as usize);
        }
    }
}

#[cfg(test)]
mod tests;
