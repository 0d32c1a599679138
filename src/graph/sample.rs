//! Uniform random sampling of solutions.
//!
//! At each node, an edge is chosen with probability exactly its share of the solutions of the node; its children are sampled independently.
//! So a sample takes one choice per visited node, whatever the number of solutions.
//!
//! The generator is xoshiro256++ (Blackman and Vigna), seeded by SplitMix64. A number below `n` takes as many 64-bit words as `n - 1`
//! needs, the lowest first, masked to the bits of `n - 1`, and is rejected until it is below `n`. A node with one edge takes no word. All
//! of this is platform-independent: the same seed and the same graph give the same samples.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::runs::{EMPTY, FILLED, FIRST_CHILD};
use super::solution_graph::{EdgeView, SolutionGraph, fill};
use crate::puzzle::Grid;
use crate::solutions::Count;

/// An endless iterator over uniform random solutions; empty if there are no solutions.
#[derive(Clone, Debug)]
pub struct Samples<'a> {
    graph: &'a SolutionGraph,
    random: Xoshiro256PlusPlus,
    /// The filled cells of the sample, packed as in [`Grid`].
    words: Vec<u64>,
    /// The nodes still to be sampled, and the positions of their cells, one node after the other.
    open: Vec<u32>,
    positions: Vec<u32>,
    /// Scratch: the positions of the cells of one node, and for each of its children the end of its positions so far.
    here: Vec<u32>,
    ends: Vec<usize>,
}

impl SolutionGraph {
    /// Independent uniform random solutions, determined by the seed and the graph.
    ///
    /// ```
    /// use omnogram::count::Counter;
    /// use omnogram::puzzle::{Clue, Puzzle, verify};
    ///
    /// let ones = vec![Clue::new([1])?; 6];
    /// let puzzle = Puzzle::new(ones.clone(), ones)?;
    /// let graph = Counter::new(&puzzle).graph().0.unwrap();
    /// let sample = graph.samples(1).next().unwrap();
    /// assert!(verify(&puzzle, &sample).is_ok());
    /// # Ok::<(), omnogram::error::Error>(())
    /// ```
    pub fn samples(&self, seed: u64) -> Samples<'_> {
        Samples {
            graph: self,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            words: self.known.words().to_vec(),
            open: Vec::new(),
            positions: Vec::new(),
            here: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<'a> Samples<'a> {
    /// The next sample, packed as in [`Grid`].
    pub fn next_words(&mut self) -> Option<&[u64]> {
        let graph = self.graph;
        if graph.count().is_zero() {
            return None;
        }
        self.words.copy_from_slice(graph.known.words());
        for root in &graph.roots {
            self.open.push(root.node);
            self.positions.extend_from_slice(&root.positions);
        }
        while let Some(node) = self.open.pop() {
            let edge = self.draw(node);
            self.follow(edge, graph.cell_count(node));
        }
        Some(&self.words)
    }

    /// Draws an edge of a node, weighted by its solutions.
    fn draw(&mut self, node: u32) -> EdgeView<'a> {
        let graph = self.graph;
        let edge = match graph.nodes.counts.small(node as usize) {
            Some(count) => {
                let mut remaining = below(&mut self.random, count);
                graph.edges_of(node).find(|edge| {
                    let count = graph.small_product(edge.children);
                    let chosen = remaining < count;
                    remaining = remaining.saturating_sub(count);
                    chosen
                })
            }
            None => {
                let count = graph.nodes.counts.get(node as usize);
                let mut remaining = below_count(&mut self.random, &count);
                graph.edges_of(node).find(|edge| {
                    let count = graph.product(edge.children);
                    let chosen = remaining < count;
                    if !chosen {
                        remaining -= &count;
                    }
                    chosen
                })
            }
        };
        edge.expect("the counts of the edges add up to the count of the node")
    }

    /// Follows an edge of the last open node, which has `size` cells.
    fn follow(&mut self, edge: EdgeView<'_>, size: u32) {
        let from = self.positions.len() - size as usize;
        self.open.extend(edge.children);
        if edge.children.len() < 2 {
            // The positions of a single child replace those of the node in place.
            let (mut here, mut end) = (from, from);
            for (code, length) in edge.runs() {
                let run = here..here + length as usize;
                here = run.end;
                match code {
                    EMPTY => {}
                    FILLED => fill(&mut self.words, &self.positions[run]),
                    _ => {
                        let length = run.len();
                        self.positions.copy_within(run, end);
                        end += length;
                    }
                }
            }
            return self.positions.truncate(end);
        }
        self.here.clear();
        self.here.extend_from_slice(&self.positions[from..]);
        self.positions.truncate(from);
        self.ends.clear();
        let mut end = from;
        for &node in edge.children {
            self.ends.push(end);
            end += self.graph.cell_count(node) as usize;
        }
        self.positions.resize(end, 0);
        let (words, positions) = (&mut self.words, &mut self.positions);
        edge.for_each_run(&self.here, |code, here| match code {
            EMPTY => {}
            FILLED => fill(words, here),
            left => {
                let end = &mut self.ends[(left - FIRST_CHILD) as usize];
                positions[*end..][..here.len()].copy_from_slice(here);
                *end += here.len();
            }
        });
    }
}

impl Iterator for Samples<'_> {
    type Item = Grid;

    fn next(&mut self) -> Option<Grid> {
        let (width, height) = (self.graph.width(), self.graph.height());
        let words = self.next_words()?.into();
        Some(Grid::from_words(width, height, words))
    }
}

/// A uniform number below `n`, which must not be zero.
fn below(random: &mut impl Rng, n: u64) -> u64 {
    let Some(mask) = u64::MAX.checked_shr((n - 1).leading_zeros()) else {
        return 0;
    };
    loop {
        let number = random.next_u64() & mask;
        if number < n {
            return number;
        }
    }
}

/// A uniform number below `n`, which must not be zero.
fn below_count(random: &mut impl Rng, n: &Count) -> Count {
    let mut greatest = n.clone();
    greatest -= &Count::ONE;
    let bits = greatest.bits();
    loop {
        let mut words: Vec<u64> = (0..bits.div_ceil(64)).map(|_| random.next_u64()).collect();
        if let Some(last) = words.last_mut() {
            *last &= u64::MAX >> ((64 - bits % 64) % 64);
        }
        let number = Count::from_words(&words);
        if number < *n {
            return number;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::builder::Builder;
    use super::super::edge::{Edge, NodeId};
    use super::*;

    #[test]
    fn numbers_below_a_bound_are_uniform() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        for n in [1u64, 2, 3, 5, 8, 11] {
            let mut times = vec![0u32; n as usize];
            for _ in 0..1000 * n {
                times[below(&mut random, n) as usize] += 1;
                let big = below_count(&mut random, &Count::from(n));
                times[big.to_u64().unwrap() as usize] += 1;
            }
            assert!(
                times.iter().all(|times| (1800..2200).contains(times)),
                "{times:?}"
            );
        }
    }

    #[test]
    fn both_samplers_take_the_same_words() {
        let (mut a, mut b) = (
            Xoshiro256PlusPlus::seed_from_u64(1),
            Xoshiro256PlusPlus::seed_from_u64(1),
        );
        for n in [1, 2, 1000, u64::MAX / 3, 1 << 63, u64::MAX] {
            let small = below(&mut a, n);
            assert_eq!(below_count(&mut b, &Count::from(n)), Count::from(small));
        }
        // A change of the generator or of its seeding would change all samples.
        assert_eq!(
            Xoshiro256PlusPlus::seed_from_u64(0).next_u64(),
            0x53175d61490b23df
        );
        let beyond: Count = "1000000000000000000000000000000000000000000000"
            .parse()
            .unwrap();
        assert!((0..1000).all(|_| below_count(&mut a, &beyond) < beyond));
    }

    /// An edge of `n` solutions is drawn by the numbers below `n` that are left by the edges before it.
    #[test]
    fn an_edge_is_drawn_by_the_numbers_below_its_count() {
        let first = Xoshiro256PlusPlus::seed_from_u64(0).next_u64();
        for (count, drawn) in [(first, 1), (first + 1, 0)] {
            let mut builder = Builder::new();
            // 2^64 solutions in all, so that a number takes one word.
            let mut rest = Count::from_words(&[0, 1]);
            rest -= &Count::from(count);
            let below = [Edge::from_text("#", &[])];
            builder
                .nodes
                .push(below.iter().map(Edge::as_ref), Count::from(count));
            builder.nodes.push(below.iter().map(Edge::as_ref), rest);
            let edges = [0, 1].map(|child| Edge::from_text("0", &[NodeId(child)]));
            builder
                .nodes
                .push(edges.iter().map(Edge::as_ref), Count::from_words(&[0, 1]));
            let graph = builder.finish(&Grid::new(1, 1), Vec::new());
            assert_eq!(graph.samples(0).draw(2).children, [drawn]);
        }
    }
}
