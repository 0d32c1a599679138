//! A graph to which all threads add nodes at once, each thread in an arena of its own, with no lock that several of them take.
//!
//! What the threads share is the counter that numbers the nodes, and two sums. A node is numbered when everything that it leads to has its
//! number, so that it comes after that, whichever threads they are of. In the end the arenas are put one behind the other, and
//! each node is found by its number.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crossbeam::utils::CachePadded;

use super::arena::{Arena, FULL};
use super::builder::Builder;
use super::edge::{Edge, NodeId};
use super::room::room;
use super::tally::Tallies;
use crate::run::lock;
use crate::solutions::Count;

/// A graph that all threads of a pool add to.
#[derive(Debug)]
pub(crate) struct Arenas {
    /// One for each thread. A thread of another pool may share that of the first one, hence the locks.
    arenas: Box<[CachePadded<Mutex<Numbered>>]>,
    /// Nodes so far. Relaxed: whoever leads to a node has learned of it from the thread that added it, and so takes a greater number.
    nodes: CachePadded<AtomicU32>,
    /// Bytes held. Relaxed: a sum, which the threads add to when their arenas grow.
    bytes: CachePadded<AtomicU64>,
}

/// Nodes with their numbers in the whole graph.
#[derive(Debug, Default)]
struct Numbered {
    nodes: Arena,
    numbers: Vec<u32>,
}

impl Numbered {
    fn bytes(&self) -> u64 {
        self.nodes.bytes() + self.numbers.capacity() as u64 * 4
    }
}

impl Arenas {
    /// Empty arenas for this number of threads.
    pub(crate) fn new(threads: usize) -> Self {
        Arenas {
            arenas: (0..threads.max(1))
                .map(|_| CachePadded::default())
                .collect(),
            nodes: CachePadded::new(AtomicU32::new(0)),
            bytes: CachePadded::new(AtomicU64::new(0)),
        }
    }

    /// Adds a node with these edges, which have `count` solutions together. What they lead to has been added before.
    ///
    /// # Panics
    ///
    /// As [`Builder::node`] does, but for what concerns the nodes that the edges lead to: other threads may have added them.
    pub(crate) fn node(&self, edges: &[Edge], count: Count) -> NodeId {
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut arena = lock(&self.arenas[thread % self.arenas.len()]);
        let before = arena.bytes();
        arena.nodes.push(edges, count);
        let number = self.nodes.fetch_add(1, Ordering::Relaxed);
        let Numbered { numbers, .. } = &mut *arena;
        room(numbers, 1);
        numbers.push(number);
        let more = arena.bytes() - before;
        if more > 0 {
            self.bytes.fetch_add(more, Ordering::Relaxed);
        }
        NodeId(number)
    }

    /// Number of nodes.
    pub(crate) fn nodes(&self) -> usize {
        self.nodes.load(Ordering::Relaxed) as usize
    }

    /// Bytes held; the greatest number when there is no more room at all.
    pub(crate) fn bytes(&self) -> u64 {
        match self.bytes.load(Ordering::Relaxed) {
            // What the arenas hold together must have room in one.
            bytes if bytes >= 4 * FULL as u64 => u64::MAX,
            bytes => bytes,
        }
    }

    /// The whole graph, in one list.
    pub(crate) fn join(self) -> Builder {
        let arenas = self.arenas.into_iter().map(|arena| {
            let arena = arena.into_inner().into_inner();
            arena.unwrap_or_else(PoisonError::into_inner)
        });
        let mut arenas: Vec<Numbered> = arenas.filter(|of| of.nodes.nodes() > 0).collect();
        if let [_] = &arenas[..] {
            let nodes = arenas.remove(0).nodes;
            return Builder { nodes };
        }
        let words = arenas.iter().map(|of| of.nodes.words.len()).sum();
        let nodes = self.nodes.into_inner().into_inner() as usize;
        let mut all = Arena {
            starts: vec![0; nodes],
            tallies: Tallies::with_places(nodes),
            words: Vec::with_capacity(words),
        };
        // Each arena is freed before the next one is added.
        for Numbered { nodes, numbers } in arenas {
            let first = u32::try_from(all.words.len()).expect("a graph has room for its nodes");
            for (&number, start) in numbers.iter().zip(nodes.starts) {
                let start = first.checked_add(start);
                all.starts[number as usize] = start.expect("a graph has room for its nodes");
            }
            all.tallies.put(&numbers, nodes.tallies);
            all.words.extend(nodes.words);
        }
        Builder { nodes: all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Cell;
    use crate::graph::Becomes;
    use crate::puzzle::Grid;
    use rayon::prelude::*;

    const COLUMNS: u32 = 6;

    /// A chain of `rows` nodes: each row chooses one of its cells and leads to the row below, the last one to nothing.
    fn chain(rows: u32, add: impl Fn(Vec<Edge>, Count) -> NodeId) -> NodeId {
        let mut rest = Vec::new();
        for row in 0..rows {
            let way = |which| {
                let here = (0..COLUMNS).map(move |column| Becomes::from(column == which));
                let below = vec![Becomes::Left(0); (COLUMNS * row) as usize];
                Edge::new(here.chain(below), rest.clone())
            };
            let mut count = Count::ONE;
            (0..=row).for_each(|_| count *= &Count::from(u64::from(COLUMNS)));
            rest = vec![add((0..COLUMNS).map(way).collect(), count)];
        }
        rest[0]
    }

    /// Numbers beyond 64 bits are among them, and one arena may stay empty.
    #[test]
    fn a_graph_is_the_same_whoever_adds_its_nodes() {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().unwrap();
            let (graph, roots) = pool.install(|| {
                let graph = Arenas::new(threads);
                let chains = (0..40u32).into_par_iter().map(|i| {
                    let add = |edges: Vec<Edge>, count| graph.node(&edges, count);
                    chain(1 + i % 30, add)
                });
                let roots: Vec<NodeId> = chains.collect();
                (graph, roots)
            });
            assert_eq!(graph.nodes(), (0..40).map(|i| 1 + i % 30).sum::<usize>());
            assert!(graph.bytes() > 0);
            let builder = graph.join();
            for (i, &root) in (0..40).zip(&roots) {
                let mut alone = Builder::new();
                let rows = 1 + i % 30;
                let nodes = std::cell::RefCell::new(&mut alone);
                let other = chain(rows, |edges, _| nodes.borrow_mut().node(edges));
                assert_eq!(builder.count(root), alone.count(other));
                let graph = |builder: Builder, root| {
                    let cell = |at| Cell::new((at / COLUMNS) as usize, (at % COLUMNS) as usize);
                    let cells = (0..rows * COLUMNS).map(cell).collect();
                    let known = Grid::new(COLUMNS as usize, rows as usize);
                    builder.finish(&known, vec![(root, cells)])
                };
                let (graph, other) = (graph(builder.clone(), root), graph(alone, other));
                assert_eq!(graph.count(), other.count());
                let skip = Count::from(5 * u64::from(rows));
                assert!(
                    graph
                        .lexicographic(&skip)
                        .take(20)
                        .eq(other.lexicographic(&skip).take(20))
                );
                assert!(graph.samples(1).take(5).eq(other.samples(1).take(5)));
            }
        }
    }
}
