//! A graph that all threads extend concurrently, each in an arena of its own, so that locks are practically uncontended.
//!
//! The threads share only the counter that numbers the nodes, and the byte total. A node gets its number after all nodes below it have
//! theirs, so its number is greater, whichever threads added them. Finally the arenas are concatenated, and nodes are found by number.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crossbeam::utils::CachePadded;

use super::arena::{Arena, MAX_WORDS};
use super::builder::Builder;
use super::counts::{CountList, reserve};
use super::edge::{EdgeRef, NodeId};
use crate::run::lock;
use crate::solutions::Count;

/// A graph that all threads of a pool extend.
#[derive(Debug)]
pub(crate) struct Arenas {
    /// One arena per thread. A thread of another pool may share one of them, hence the locks.
    arenas: Box<[CachePadded<Mutex<NumberedArena>>]>,
    /// Number of nodes so far. Relaxed: a thread that uses a node as a child has received its number from the thread that added it, and
    /// this happens before its own increment, so the parent gets a greater number.
    nodes: CachePadded<AtomicU32>,
    /// Bytes allocated. Relaxed: only a sum, which a thread increases when its arena grows.
    bytes: CachePadded<AtomicU64>,
}

/// Nodes of one thread, with their numbers in the whole graph.
#[derive(Debug, Default)]
struct NumberedArena {
    nodes: Arena,
    numbers: Vec<u32>,
}

impl NumberedArena {
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
            nodes: CachePadded::default(),
            bytes: CachePadded::default(),
        }
    }

    /// Adds a node with these edges; `count` is the number of its solutions. Its children must have been added before.
    ///
    /// # Panics
    ///
    /// As [`Builder::add_node`], except that the children are not checked: other threads may have added them.
    pub(crate) fn add_node<'e>(
        &self,
        edges: impl Iterator<Item = EdgeRef<'e>> + Clone,
        count: Count,
    ) -> NodeId {
        let thread = rayon::current_thread_index().unwrap_or(0);
        let mut arena = lock(&self.arenas[thread % self.arenas.len()]);
        let before = arena.bytes();
        arena.nodes.push(edges, count);
        let number = self.nodes.fetch_add(1, Ordering::Relaxed);
        reserve(&mut arena.numbers, 1);
        arena.numbers.push(number);
        let growth = arena.bytes() - before;
        if growth > 0 {
            self.bytes.fetch_add(growth, Ordering::Relaxed);
        }
        NodeId(number)
    }

    /// Number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.nodes.load(Ordering::Relaxed) as usize
    }

    /// Bytes allocated; [`u64::MAX`] if the graph is full.
    pub(crate) fn bytes(&self) -> u64 {
        match self.bytes.load(Ordering::Relaxed) {
            // The words of all arenas together must fit into one arena.
            bytes if bytes >= 4 * MAX_WORDS as u64 => u64::MAX,
            bytes => bytes,
        }
    }

    /// Concatenates the arenas into one graph.
    pub(crate) fn join(self) -> Builder {
        let arenas = self.arenas.into_iter().map(|arena| {
            let arena = arena.into_inner().into_inner();
            arena.unwrap_or_else(PoisonError::into_inner)
        });
        let mut arenas: Vec<NumberedArena> =
            arenas.filter(|arena| !arena.numbers.is_empty()).collect();
        if let [_] = &arenas[..] {
            let nodes = arenas.remove(0).nodes;
            return Builder { nodes };
        }
        let words = arenas.iter().map(|arena| arena.nodes.words.len()).sum();
        let nodes = self.nodes.into_inner().into_inner() as usize;
        let mut all = Arena {
            offsets: vec![0; nodes],
            counts: CountList::with_length(nodes),
            words: Vec::with_capacity(words),
        };
        // Each arena is freed before the next one is appended.
        for NumberedArena { nodes, numbers } in arenas {
            let base = u32::try_from(all.words.len()).expect("offsets of nodes fit in 32 bits");
            for (&number, offset) in numbers.iter().zip(nodes.offsets) {
                let offset = base.checked_add(offset);
                all.offsets[number as usize] = offset.expect("offsets of nodes fit in 32 bits");
            }
            all.counts.scatter(&numbers, nodes.counts);
            all.words.extend(nodes.words);
        }
        Builder { nodes: all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{CellFate, Edge};
    use crate::puzzle::{Cell, Grid};
    use rayon::prelude::*;

    const COLUMNS: u32 = 6;

    /// A chain of `rows` nodes: each row fills one of its cells and leads to the row below; the last row has no child.
    fn chain(rows: u32, add: impl Fn(Vec<Edge>, Count) -> NodeId) -> NodeId {
        let mut children = Vec::new();
        for row in 0..rows {
            let edge = |which| {
                let here = (0..COLUMNS).map(move |column| CellFate::from(column == which));
                let below = vec![CellFate::Child(0); (COLUMNS * row) as usize];
                Edge::new(here.chain(below), children.clone())
            };
            let mut count = Count::ONE;
            (0..=row).for_each(|_| count *= &Count::from(u64::from(COLUMNS)));
            children = vec![add((0..COLUMNS).map(edge).collect(), count)];
        }
        children[0]
    }

    /// Some counts exceed 64 bits, and an arena may stay empty.
    #[test]
    fn the_joined_graph_does_not_depend_on_the_threads() {
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let pool = pool.build().unwrap();
            let (graph, roots) = pool.install(|| {
                let graph = Arenas::new(threads);
                let chains = (0..40u32).into_par_iter().map(|i| {
                    let add = |edges: Vec<Edge>, count| {
                        graph.add_node(edges.iter().map(Edge::as_ref), count)
                    };
                    chain(1 + i % 30, add)
                });
                let roots: Vec<NodeId> = chains.collect();
                (graph, roots)
            });
            assert_eq!(
                graph.node_count(),
                (0..40).map(|i| 1 + i % 30).sum::<usize>()
            );
            let mut bytes = 0;
            for arena in &graph.arenas {
                let arena = lock(arena);
                let numbers = 4 * arena.numbers.len() as u64;
                assert!(arena.bytes() >= arena.nodes.bytes() + numbers);
                bytes += arena.bytes();
            }
            assert_eq!(graph.bytes(), bytes);
            let builder = graph.join();
            for (i, &root) in (0..40).zip(&roots) {
                let mut alone = Builder::new();
                let rows = 1 + i % 30;
                let nodes = std::cell::RefCell::new(&mut alone);
                let other = chain(rows, |edges, _| nodes.borrow_mut().add_node(edges));
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
    /// Threads of a larger pool than that of the arenas share them evenly.
    #[test]
    fn a_thread_of_any_number_has_an_arena() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(5);
        let pool = pool.build().unwrap();
        for (threads, wanted) in [(1, vec![5]), (2, vec![3, 2]), (5, vec![1; 5])] {
            let graph = Arenas::new(threads);
            let edge = Edge::from_text("#", &[]);
            pool.broadcast(|_| graph.add_node(std::iter::once(edge.as_ref()), Count::ONE));
            let arenas = graph.arenas.iter();
            let nodes: Vec<_> = arenas
                .map(|arena| lock(arena).nodes.offsets.len())
                .collect();
            assert_eq!(nodes, wanted);
        }
    }

    /// The offsets of the joined graph have 32 bits: from a certain size on, no memory limit permits it.
    #[test]
    fn arenas_of_too_many_words_report_that_they_are_full() {
        let graph = Arenas::new(1);
        let full = 4 * MAX_WORDS as u64;
        for (bytes, reported) in [(full - 1, full - 1), (full, u64::MAX), (full + 1, u64::MAX)] {
            graph.bytes.store(bytes, Ordering::Relaxed);
            assert_eq!(graph.bytes(), reported);
        }
    }
}
