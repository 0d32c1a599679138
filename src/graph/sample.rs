//! Solutions drawn at random, each with the same chance.
//!
//! From a node down, an edge is chosen with exactly the chance that its solutions have among all of the node; what it leads to is
//! drawn independently. So a picture takes one choice for each node on its way, whatever the number of solutions.
//!
//! The randomness is xoshiro256++ (Blackman and Vigna), its state filled by SplitMix64 from the seed. A number below `n` takes as many
//! 64-bit words as `n` has, the lowest first, cut to as many bits as `n - 1` has, and drawn again until it is below `n`. A node with
//! one edge takes nothing. All of that is the same on every machine: the same seed and the same graph give the same pictures.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::picture::Canvas;
use super::runs::{EMPTY, FILLED, LEFT};
use super::solution_graph::EdgeView;
use super::solution_graph::SolutionGraph;
use crate::puzzle::Grid;
use crate::solutions::Count;

/// An endless iterator over solutions drawn at random; over nothing when there are none.
#[derive(Clone, Debug)]
pub struct Samples<'a> {
    graph: &'a SolutionGraph,
    random: Xoshiro256PlusPlus,
    canvas: Canvas,
    /// The nodes that are open, and where their cells lie, one node after the other.
    open: Vec<u32>,
    places: Vec<u32>,
    /// Scratch: where the cells of one node lie, and where those of each node that it leads to are to be put.
    here: Vec<u32>,
    ends: Vec<usize>,
}

impl SolutionGraph {
    /// Solutions drawn at random, independently, each with the same chance. They follow from the seed and the graph.
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
            canvas: Canvas::new(self.known()),
            open: Vec::new(),
            places: Vec::new(),
            here: Vec::new(),
            ends: Vec::new(),
        }
    }
}

impl<'a> Samples<'a> {
    /// The next one, packed as in [`Grid`].
    pub fn next_words(&mut self) -> Option<&[u64]> {
        let graph = self.graph;
        if graph.count().is_zero() {
            return None;
        }
        self.canvas.reset(graph.known());
        for root in graph.roots() {
            self.open.push(root.node);
            self.places.extend_from_slice(&root.places);
        }
        while let Some(node) = self.open.pop() {
            let edge = self.draw(node);
            self.take(edge, graph.size(node));
        }
        Some(self.canvas.words())
    }

    /// Draws an edge of a node.
    fn draw(&mut self, node: u32) -> EdgeView<'a> {
        let graph = self.graph;
        let edge = match graph.tallies().small(node as usize) {
            Some(count) => {
                let mut left = below(&mut self.random, count);
                graph.edges_of(node).find(|edge| {
                    let count = graph.small_product(edge.rest);
                    let found = left < count;
                    left = left.saturating_sub(count);
                    found
                })
            }
            None => {
                let count = graph.tallies().get(node as usize);
                let mut left = below_count(&mut self.random, &count);
                graph.edges_of(node).find(|edge| {
                    let count = graph.product(edge.rest);
                    let found = left < count;
                    if !found {
                        left -= &count;
                    }
                    found
                })
            }
        };
        // The edges of a node have all of its solutions.
        edge.expect("some edge is chosen")
    }

    /// Goes along an edge of the node that was the last one open and has `size` cells.
    fn take(&mut self, edge: EdgeView<'_>, size: u32) {
        let from = self.places.len() - size as usize;
        self.open.extend(edge.rest);
        if edge.rest.len() < 2 {
            // The cells of the one node that it leads to come to lie where those of this node lay.
            let (mut here, mut end) = (from, from);
            for (becomes, length) in edge.runs() {
                let run = here..here + length as usize;
                here = run.end;
                match becomes {
                    EMPTY => {}
                    FILLED => self.canvas.fill(&self.places[run]),
                    _ => {
                        let length = run.len();
                        self.places.copy_within(run, end);
                        end += length;
                    }
                }
            }
            return self.places.truncate(end);
        }
        self.here.clear();
        self.here.extend_from_slice(&self.places[from..]);
        self.places.truncate(from);
        self.ends.clear();
        let mut end = from;
        for &node in edge.rest {
            self.ends.push(end);
            end += self.graph.size(node) as usize;
        }
        self.places.resize(end, 0);
        let Samples {
            canvas,
            places,
            ends,
            ..
        } = self;
        edge.each(&self.here, |becomes, here| match becomes {
            EMPTY => {}
            FILLED => canvas.fill(here),
            left => {
                let end = &mut ends[(left - LEFT) as usize];
                places[*end..][..here.len()].copy_from_slice(here);
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

/// A number below `n`, which is not zero.
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

/// A number below `n`, which is not zero.
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
    use super::*;

    #[test]
    fn numbers_below_a_bound_are_all_drawn_alike() {
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
    fn large_and_small_bounds_take_the_same_words() {
        let (mut a, mut b) = (
            Xoshiro256PlusPlus::seed_from_u64(1),
            Xoshiro256PlusPlus::seed_from_u64(1),
        );
        for n in [1, 2, 1000, u64::MAX / 3, 1 << 63, u64::MAX] {
            let small = below(&mut a, n);
            assert_eq!(below_count(&mut b, &Count::from(n)), Count::from(small));
        }
        // The published first words of the generator and of its seeding would change all pictures.
        assert_eq!(
            Xoshiro256PlusPlus::seed_from_u64(0).next_u64(),
            0x53175d61490b23df
        );
        let beyond: Count = "1000000000000000000000000000000000000000000000"
            .parse()
            .unwrap();
        assert!((0..1000).all(|_| below_count(&mut a, &beyond) < beyond));
    }
}
