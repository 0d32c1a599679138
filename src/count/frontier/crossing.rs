//! The lines of a part as layered automata, read from either end.
//!
//! From one end the states are those of `components/diagram.rs`: what the cells so far leave possible. From the other end
//! a state is the set of those that the cells behind it suit, found by following the automaton backwards, subset by subset, which
//! gives the smallest automaton of the reversed words (Brzozowski 1962). So it is known which states from both ends go together.

use rustc_hash::FxHashMap;

use super::memory::Memory;
use crate::count::components::{END, NONE, Piece, States};
use crate::line::{Known, Word};

/// What it takes to find a state in a set, in states looked at.
const SEARCHING: u64 = 8;

/// Bytes of a state by its successors; and of a set of states twice, but for the states themselves.
const BYTES_OF_STATE: u64 = 8;
const BYTES_OF_SET: u64 = 96;

/// A line of a part: for each of its cells in the part, the states that it can be in before that cell, each by its successors behind
/// an empty and behind a filled cell, numbered within their layer. There is one state before the first cell, and one behind the last.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineStates {
    /// The lines that cross it, cell by cell.
    pub(crate) crossings: Vec<usize>,
    pub(crate) layers: Vec<Vec<[u32; 2]>>,
}

impl LineStates {
    /// The line with these blocks and known cells, as far as it lies in `cells`, which are whole pieces of it. `crossing` numbers the
    /// lines across. `None` when `stop`, told of the work as it is done, says so.
    pub(crate) fn new<W: Word>(
        states: &mut States,
        blocks: &[u16],
        length: usize,
        known: Known<W>,
        cells: W,
        crossing: impl Fn(usize) -> usize,
        stop: &mut dyn FnMut(u64) -> bool,
    ) -> Option<Self> {
        let (mut numbers, mut successors) = (FxHashMap::default(), Vec::new());
        let mut number = |next: [u32; 2]| {
            Some(*numbers.entry(next).or_insert_with(|| {
                successors.push(next);
                successors.len() as u32
            }))
        };
        let pieces = states.build(blocks, length, known, &mut number, stop)?;
        let mut track = LineStates::default();
        for piece in pieces
            .iter()
            .filter(|piece| !(piece.cells & cells).is_zero())
        {
            track.extend(piece, &successors, &crossing);
        }
        Some(track)
    }

    /// Behind one piece comes the next.
    fn extend<W: Word>(
        &mut self,
        piece: &Piece<W>,
        successors: &[[u32; 2]],
        crossing: impl Fn(usize) -> usize,
    ) {
        let mut here = vec![piece.number];
        for cell in piece.cells.cells() {
            let (mut places, mut next) = (FxHashMap::default(), Vec::new());
            let mut place = |state: u32| match state {
                NONE => NONE,
                _ => *places.entry(state).or_insert_with(|| {
                    next.push(state);
                    next.len() as u32 - 1
                }),
            };
            // The number of a state is one more than its place.
            let layer = here
                .iter()
                .map(|&state| successors[state as usize - 1].map(&mut place));
            self.layers.push(layer.collect());
            self.crossings.push(crossing(cell));
            here = next;
        }
        debug_assert_eq!(here, [END]);
    }

    /// How many states there are before this cell, or behind the last.
    pub(crate) fn states(&self, depth: usize) -> usize {
        self.layers.get(depth).map_or(1, Vec::len)
    }
}

/// A line across the frontier, from both ends.
#[derive(Debug)]
pub(crate) struct Crossing {
    pub(crate) forth: LineStates,
    /// The same from the far end.
    pub(crate) back: LineStates,
    /// For every number of cells before the frontier and every state from the far end, the states from the near end that it goes with.
    suits: Vec<Vec<Vec<u32>>>,
}

impl Crossing {
    /// `None` when that takes more than is left of `effort`, in states looked at, or of the memory, or when `stop`, told of the work as it is done, says
    /// so.
    pub(crate) fn new(
        forth: LineStates,
        effort: &mut usize,
        memory: &Memory,
        stop: &mut dyn FnMut(u64) -> bool,
    ) -> Option<Self> {
        let length = forth.layers.len();
        let mut back = LineStates {
            crossings: forth.crossings.iter().rev().copied().collect(),
            layers: Vec::with_capacity(length),
        };
        let mut suits = vec![vec![vec![0]]];
        for layer in forth.layers.iter().rev() {
            let behind = suits.last().expect("the end has a state");
            let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
            let mut before = Vec::new();
            let mut states = Vec::with_capacity(behind.len());
            *effort = effort.checked_sub(behind.len() * layer.len())?;
            for set in behind {
                if stop(SEARCHING * layer.len() as u64) || !memory.take(BYTES_OF_STATE) {
                    return None;
                }
                let mut charged = true;
                states.push([0, 1].map(|fill| {
                    // Sets are in order, as they are made here.
                    let leads = |&state: &usize| set.binary_search(&layer[state][fill]).is_ok();
                    let found: Vec<u32> = (0..layer.len())
                        .filter(leads)
                        .map(|state| state as u32)
                        .collect();
                    if found.is_empty() {
                        return NONE;
                    }
                    *numbers.entry(found).or_insert_with_key(|found| {
                        charged &= memory.take(BYTES_OF_SET + 8 * found.len() as u64);
                        before.push(found.clone());
                        before.len() as u32 - 1
                    })
                }));
                if !charged {
                    return None;
                }
            }
            back.layers.push(states);
            suits.push(before);
        }
        suits.reverse();
        Some(Crossing { forth, back, suits })
    }

    /// The states from the far end that go with each state from the near end, with `depth` cells before the frontier.
    pub(crate) fn partners(&self, depth: usize) -> Vec<Vec<u32>> {
        let mut partners = vec![Vec::new(); self.forth.states(depth)];
        for (state, suits) in self.suits[depth].iter().enumerate() {
            for &suited in suits {
                partners[suited as usize].push(state as u32);
            }
        }
        partners
    }

    /// The states `depth + 1` cells from the far end, each with the value of the cell that leads to it.
    pub(crate) fn beginnings(&self, depth: usize) -> Vec<(u32, usize)> {
        let layer = self.back.layers[depth].iter();
        let both = layer.flat_map(|next| [(next[0], 0), (next[1], 1)]);
        let mut found: Vec<_> = both.filter(|&(state, _)| state != NONE).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}
