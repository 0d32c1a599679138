//! The places of nodes: lists of cells of the puzzle on which nodes are reached.
//!
//! Many nodes are reached on the same cells, and many of their edges have the same runs. So a list of cells is stored once, and has a
//! number. The places of the children are computed once for all edges with the same runs at the same place. The weights of these edges are
//! added up, and the sum is added to the cells that the edges fill.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::runs::{EMPTY, FILLED, FIRST_CHILD};
use super::solution_graph::EdgeView;
use crate::solutions::Count;

/// What the edges with the same runs do at one place.
#[derive(Debug)]
struct Passage<'g> {
    /// One of these edges.
    edge: EdgeView<'g>,
    /// The sum of the weights of these edges that is not added to the cells yet.
    weight: Count,
    /// The place of each child.
    children: Box<[u32]>,
}

/// A place, the number of children, and the words of the runs.
type PassageKey<'g> = (u32, u32, &'g [u32]);

/// The places that are in use, and the edges that lead on from them.
#[derive(Debug, Default)]
pub(super) struct Places<'g> {
    /// The cells of each place, in reading order; `None` for a number that is free.
    cells: Vec<Option<Arc<[u32]>>>,
    free: Vec<u32>,
    numbers: FxHashMap<Arc<[u32]>, u32>,
    passages: FxHashMap<PassageKey<'g>, Passage<'g>>,
    /// Bytes held.
    bytes: u64,
}

impl<'g> Places<'g> {
    /// The number of the place with these cells.
    pub(super) fn number(&mut self, cells: &[u32]) -> u32 {
        if let Some(&number) = self.numbers.get(cells) {
            return number;
        }
        let cells: Arc<[u32]> = cells.into();
        self.bytes += place_bytes(&cells);
        let number = self.free.pop().unwrap_or_else(|| {
            self.cells.push(None);
            self.cells.len() as u32 - 1
        });
        self.cells[number as usize] = Some(Arc::clone(&cells));
        self.numbers.insert(cells, number);
        number
    }

    /// The cells of a place.
    pub(super) fn cells(&self, place: u32) -> &[u32] {
        self.cells[place as usize].as_deref().unwrap_or_default()
    }

    /// Adds a weight to the cells that this edge fills if its node is reached at this place. Returns the places of its children.
    #[inline]
    pub(super) fn pass(&mut self, place: u32, edge: &EdgeView<'g>, weight: &Count) -> &[u32] {
        let key = (place, edge.children.len() as u32, edge.packed_runs);
        if !self.passages.contains_key(&key) {
            let children = self.children(place, edge);
            self.bytes += passage_bytes(children.len());
            let passage = Passage {
                edge: *edge,
                weight: Count::ZERO,
                children,
            };
            self.passages.insert(key, passage);
        }
        let passage = self.passages.get_mut(&key).expect("it has been inserted");
        passage.weight += weight;
        &passage.children
    }

    fn children(&mut self, place: u32, edge: &EdgeView<'_>) -> Box<[u32]> {
        let mut children = vec![Vec::new(); edge.children.len()];
        edge.for_each_run(self.cells(place), |code, here| match code {
            EMPTY | FILLED => {}
            child => children[(child - FIRST_CHILD) as usize].extend_from_slice(here),
        });
        children.iter().map(|cells| self.number(cells)).collect()
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds the weights of all edges to the cells that these fill, and drops all places but those in use.
    pub(super) fn settle(&mut self, filled: &mut [Count], is_used: impl Fn(u32) -> bool) {
        for ((place, ..), passage) in std::mem::take(&mut self.passages) {
            self.bytes -= passage_bytes(passage.children.len());
            passage.edge.for_each_run(self.cells(place), |code, here| {
                if code == FILLED {
                    for &cell in here {
                        filled[cell as usize] += &passage.weight;
                    }
                }
            });
        }
        for (number, place) in (0..).zip(&mut self.cells) {
            if let Some(cells) = place.take_if(|_| !is_used(number)) {
                self.bytes -= place_bytes(&cells);
                self.numbers.remove(&cells);
                self.free.push(number);
            }
        }
    }
}

/// Bytes of a place: its cells, their two counters, and its entries in the lists.
pub(super) fn place_bytes(cells: &[u32]) -> u64 {
    (size_of_val(cells) + 4 * size_of::<Arc<[u32]>>() + 2 * size_of::<u64>()) as u64
}

/// Bytes of a passage with this number of children. The table has at most twice as many places as entries.
pub(super) fn passage_bytes(children: usize) -> u64 {
    (2 * size_of::<(PassageKey<'_>, Passage<'_>)>() + 4 * children) as u64
}
