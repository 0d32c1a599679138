//! The lines of a component as layered automata, read from either end.
//!
//! Read forward, the states are those of `components/line_automaton.rs`: the sets of completions that the cells so far still allow. Read
//! backward, a state is a set of forward states: those from which the cells read so far lead to the end. The subset construction on the
//! reversed automaton gives the minimal automaton of the reversed words (Brzozowski 1962). So a forward state and a backward state are
//! *compatible*, that is, both halves together are a filling of the line, exactly when the first is an element of the second.

use rustc_hash::FxHashMap;

use super::resources::Resources;
use crate::count::components::{AutomatonBuilder, END, NONE, Piece};
use crate::line::{Known, Word};

/// Cost of finding a state in a set, relative to visiting one.
const SEARCH_COST: u64 = 8;

/// Bytes of a state, which is its two successors; and of two copies of a set of states, without the elements.
const BYTES_PER_STATE: u64 = 8;
const BYTES_PER_SET: u64 = 96;

/// The automaton of a line, restricted to the cells of the component. For each of these cells there is a layer: the states before the cell,
/// each with the indices of its successors (after an empty and after a filled cell) in the next layer, or [`NONE`]. There is one state
/// before the first cell and one after the last.
#[derive(Clone, Debug)]
pub(crate) struct LineStates {
    pub(crate) layers: Vec<Vec<[u32; 2]>>,
}

impl LineStates {
    /// The line with these blocks and known cells, restricted to `cells`, which are whole pieces of it. `stop` is called with the work since
    /// its last call; `None` when it returns true.
    pub(crate) fn new<W: Word>(
        builder: &mut AutomatonBuilder,
        blocks: &[u16],
        length: usize,
        known: Known<W>,
        cells: W,
        stop: &mut dyn FnMut(u64) -> bool,
    ) -> Option<Self> {
        let (mut numbers, mut successors) = (FxHashMap::default(), Vec::new());
        let mut number = |next: [u32; 2]| {
            Some(*numbers.entry(next).or_insert_with(|| {
                successors.push(next);
                successors.len() as u32
            }))
        };
        let pieces = builder.build(blocks, length, known, &mut number, stop)?;
        let mut layers = Vec::new();
        let inside = |piece: &&Piece<W>| !(piece.cells & cells).is_zero();
        for piece in pieces.iter().filter(inside) {
            let mut here = vec![piece.number];
            for _ in piece.cells.cells() {
                let (mut indices, mut next) = (FxHashMap::default(), Vec::new());
                let mut index = |state: u32| match state {
                    NONE => NONE,
                    _ => *indices.entry(state).or_insert_with(|| {
                        next.push(state);
                        next.len() as u32 - 1
                    }),
                };
                // The number of a state is one more than its index in `successors`.
                let here_next = here.iter().map(|&state| successors[state as usize - 1]);
                layers.push(here_next.map(|next| next.map(&mut index)).collect());
                here = next;
            }
            debug_assert_eq!(here, [END]);
        }
        Some(LineStates { layers })
    }

    /// The number of states after `depth` cells.
    pub(crate) fn states(&self, depth: usize) -> usize {
        self.layers.get(depth).map_or(1, Vec::len)
    }
}

/// A line across the frontier, read from both ends.
#[derive(Debug)]
pub(crate) struct AcrossLine {
    /// Read from the near end.
    pub(crate) forward: LineStates,
    /// Read from the far end.
    pub(crate) backward: LineStates,
    /// For every number of cells before the frontier, and every backward state there: its compatible forward states.
    compatible: Vec<Vec<Vec<u32>>>,
}

impl AcrossLine {
    /// `visits_left` is the number of states that may still be visited, and is reduced by those visited. `stop` is called with the work
    /// since its last call. `None` when the visits or the memory do not suffice, or when `stop` returns true.
    pub(crate) fn new(
        forward: LineStates,
        visits_left: &mut usize,
        resources: &Resources<'_>,
        stop: &mut dyn FnMut(u64) -> bool,
    ) -> Option<Self> {
        let length = forward.layers.len();
        let mut backward = LineStates {
            layers: Vec::with_capacity(length),
        };
        // From the far end; the forward state after the last cell has index 0.
        let mut compatible = vec![vec![vec![0]]];
        for layer in forward.layers.iter().rev() {
            let behind = compatible.last().expect("it begins with one element");
            let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
            let mut before = Vec::new();
            let mut states = Vec::with_capacity(behind.len());
            *visits_left = visits_left.checked_sub(behind.len() * layer.len())?;
            for set in behind {
                if stop(SEARCH_COST * layer.len() as u64)
                    || resources.charge(BYTES_PER_STATE).is_err()
                {
                    return None;
                }
                let mut charged = true;
                states.push([0, 1].map(|fill| {
                    // Sets are sorted, as they are made in ascending order here.
                    let leads = |&state: &usize| set.binary_search(&layer[state][fill]).is_ok();
                    let found: Vec<u32> = (0..layer.len())
                        .filter(leads)
                        .map(|state| state as u32)
                        .collect();
                    if found.is_empty() {
                        return NONE;
                    }
                    *numbers.entry(found).or_insert_with_key(|found| {
                        let bytes = BYTES_PER_SET + 8 * found.len() as u64;
                        charged &= resources.charge(bytes).is_ok();
                        before.push(found.clone());
                        before.len() as u32 - 1
                    })
                }));
                if !charged {
                    return None;
                }
            }
            backward.layers.push(states);
            compatible.push(before);
        }
        compatible.reverse();
        Some(AcrossLine {
            forward,
            backward,
            compatible,
        })
    }

    /// For each forward state after `depth` cells, its compatible backward states.
    pub(crate) fn compatible_states(&self, depth: usize) -> Vec<Vec<u32>> {
        let mut compatible = vec![Vec::new(); self.forward.states(depth)];
        for (state, set) in self.compatible[depth].iter().enumerate() {
            for &forward in set {
                compatible[forward as usize].push(state as u32);
            }
        }
        compatible
    }

    /// For each backward state after `far` cells from the far end: the forward states after `near` cells that fillings of the cells between
    /// lead to it; sorted.
    pub(crate) fn compatible_between(&self, near: usize, far: usize) -> Vec<Vec<u32>> {
        let behind = self.forward.layers.len() - far;
        let mut compatible = self.compatible[behind].clone();
        for layer in self.forward.layers[near..behind].iter().rev() {
            for states in &mut compatible {
                let leads = |next: &[u32; 2]| {
                    let leads = |next: &u32| states.binary_search(next).is_ok();
                    next.iter().any(leads)
                };
                let before = layer.iter().enumerate();
                let before = before.filter(|(_, next)| leads(next));
                *states = before.map(|(state, _)| state as u32).collect();
            }
        }
        compatible
    }

    /// The backward states after `depth + 1` cells from the far end, each with each value of the last of these cells that leads to it;
    /// sorted.
    pub(crate) fn states_with_cell(&self, depth: usize) -> Vec<(u32, usize)> {
        let layer = self.backward.layers[depth].iter();
        let both = layer.flat_map(|next| [(next[0], 0), (next[1], 1)]);
        let mut found: Vec<_> = both.filter(|&(state, _)| state != NONE).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}
