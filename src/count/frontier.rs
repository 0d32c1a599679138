//! Counting along a frontier: cell by cell through a part, with nothing in memory but the states that its open lines can be in.
//!
//! The cells are passed row by row (or column by column). What was filled in so far matters only through the state of each line that
//! the frontier crosses, and there the states are the minimised ones of [`diagram`](super::diagram); how many ways lead to each
//! combination of states is all that is kept. On narrow parts and on those where lines want little of each other there are few
//! combinations, and nothing is ever tried in vain; on wide, tight ones there are too many, and the sweep gives up.

use num_bigint::BigUint;
use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::diagram::{END, NONE, Piece, States};
use super::part::Part;
use crate::board::Board;
use crate::line::Word;
use crate::search::Control;
use crate::solutions::Count;

/// Which way the frontier goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Row by row.
    Down,
    /// Column by column.
    Right,
}

/// What a sweep may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Allowance {
    /// Combinations of states that may be held at once.
    pub(super) states: usize,
    /// Combinations that may be passed in all.
    pub(super) passed: u64,
}

/// Bytes that a combination takes, those of the next cell and of both on their way included.
pub(super) const BYTES_OF_STATE: u64 = 160;

/// Combinations of states, packed, each with the number of ways that lead to it.
type Layer = Vec<(u128, u128)>;

/// Layers below this size are not worth the other threads.
const SMALL: usize = 1 << 13;

/// Pieces of a layer that threads work on by themselves.
const SHARDS: usize = 64;

/// The states of a piece, layer by layer: for each state, its number within the next layer behind an empty and behind a filled cell.
#[derive(Debug)]
struct Automaton<W> {
    cells: W,
    layers: Vec<Vec<[u32; 2]>>,
}

impl<W: Word> Automaton<W> {
    fn new(piece: &Piece<W>, successors: &[[u32; 2]]) -> Self {
        let mut layers = Vec::new();
        let mut here = vec![piece.number];
        for _ in piece.cells.cells() {
            let (mut numbers, mut next) = (FxHashMap::default(), Vec::new());
            let mut local = |state: u32| match state {
                NONE => NONE,
                _ => *numbers.entry(state).or_insert_with(|| {
                    next.push(state);
                    next.len() as u32 - 1
                }),
            };
            // The number of a state is one more than its place.
            let of = |state: u32| successors[state as usize - 1];
            let layer = here.iter().map(|&state| of(state).map(&mut local));
            layers.push(layer.collect());
            here = next;
        }
        debug_assert_eq!(here, [END]);
        let cells = piece.cells;
        Automaton { cells, layers }
    }

    /// Bits that tell its states apart.
    fn bits(&self) -> u32 {
        let most = self.layers.iter().map(Vec::len).max().unwrap_or(1);
        usize::BITS - (most - 1).leading_zeros()
    }
}

/// Counts the fillings of a part of a board at a fixpoint; `None` when that would take more than is allowed, or when the run stops.
pub(super) fn sweep<W: Word>(
    board: &Board<'_, W>,
    part: &Part<W>,
    way: Way,
    allowance: Allowance,
    control: &Control,
) -> Option<Count> {
    let clues = board.clues();
    let (width, height) = (clues.width(), clues.height());
    let rows: Vec<(usize, W)> = part
        .rows
        .iter()
        .map(|&(r, cells)| (usize::from(r), cells))
        .collect();
    let mut columns = vec![W::ZERO; width];
    for &(row, cells) in &rows {
        cells
            .cells()
            .for_each(|column| columns[column] |= W::bit(row));
    }
    let columns: Vec<(usize, W)> = columns.into_iter().enumerate().collect();
    let (mut states, mut successors) = (States::default(), Vec::new());
    let mut known = FxHashMap::default();
    let mut automata = |line: usize, length: usize, cells: W| -> Vec<Automaton<W>> {
        let what = match line < height {
            true => board.rows()[line],
            false => board.column(line - height),
        };
        let mut number = |next: [u32; 2]| {
            Some(*known.entry(next).or_insert_with(|| {
                successors.push(next);
                successors.len() as u32
            }))
        };
        let pieces = states.build(clues.line(line), length, what, &mut number);
        let ours = pieces
            .iter()
            .filter(|piece| !(piece.cells & cells).is_zero());
        ours.map(|piece| Automaton::new(piece, &successors))
            .collect()
    };
    let mut by_row: Vec<_> = rows
        .iter()
        .map(|&(row, cells)| (row, automata(row, width, cells)))
        .collect();
    let mut by_column: Vec<_> = columns
        .iter()
        .filter(|(_, cells)| !cells.is_zero())
        .map(|&(column, cells)| (column, automata(height + column, height, cells)))
        .collect();
    if way == Way::Right {
        std::mem::swap(&mut by_row, &mut by_column);
    }
    Sweep::new(&by_row, &by_column)?.run(&by_row, &by_column, allowance, control)
}

/// Where in a packed combination each line across the frontier has its state; the line along it has the lowest bits.
#[derive(Debug)]
struct Sweep {
    along: u32,
    /// For each line across, its index by its number: first bit and bits.
    across: FxHashMap<usize, (u32, u32)>,
}

type Lines<W> = [(usize, Vec<Automaton<W>>)];

impl Sweep {
    /// `None` when the states do not fit.
    fn new<W: Word>(along: &Lines<W>, across: &Lines<W>) -> Option<Self> {
        let bits =
            |automata: &[Automaton<W>]| automata.iter().map(Automaton::bits).max().unwrap_or(0);
        let low = along.iter().map(|(_, automata)| bits(automata)).max()?;
        let mut next = low;
        let mut places = FxHashMap::default();
        for (line, automata) in across {
            let bits = bits(automata);
            places.insert(*line, (next, bits));
            next += bits;
        }
        (next < u128::BITS).then_some(Sweep {
            along: low,
            across: places,
        })
    }

    fn run<W: Word>(
        &self,
        along: &Lines<W>,
        across: &Lines<W>,
        allowance: Allowance,
        control: &Control,
    ) -> Option<Count> {
        let across: FxHashMap<usize, &Vec<Automaton<W>>> = across
            .iter()
            .map(|(line, automata)| (*line, automata))
            .collect();
        let mut shards: Vec<Layer> = vec![vec![(0, 1)]];
        let mut passed = 0;
        for (line, automata) in along {
            for automaton in automata {
                for (step, cell) in automaton.cells.cells().enumerate() {
                    let crossing = across[&cell].iter().find(|a| a.cells.has(*line))?;
                    let depth = (crossing.cells & W::low(*line)).count();
                    let (first, bits) = self.across[&cell];
                    let move_on = Move {
                        along: &automaton.layers[step],
                        mask: (1 << self.along) - 1,
                        across: &crossing.layers[depth],
                        first,
                        across_mask: ((1 << bits) - 1) << first,
                    };
                    shards = move_on.all(&shards)?;
                    let held: usize = shards.iter().map(Vec::len).sum();
                    passed += held as u64;
                    control.look();
                    if held > allowance.states || passed > allowance.passed || control.stopped() {
                        return None;
                    }
                }
            }
        }
        let mut total = Count::ZERO;
        for (_, ways) in shards.into_iter().flatten() {
            total += &Count::from(BigUint::from(ways));
        }
        Some(total)
    }
}

/// One cell: both lines through it move on.
#[derive(Debug)]
struct Move<'a> {
    along: &'a [[u32; 2]],
    mask: u128,
    across: &'a [[u32; 2]],
    first: u32,
    across_mask: u128,
}

impl Move<'_> {
    /// Moves every combination on; `None` when a number of ways grows too large.
    fn all(&self, shards: &[Layer]) -> Option<Vec<Layer>> {
        let held: usize = shards.iter().map(Vec::len).sum();
        if held < SMALL {
            let mut next = FxHashMap::with_capacity_and_hasher(2 * held, Default::default());
            for shard in shards {
                self.each(shard, |state, ways| add(&mut next, state, ways))?;
            }
            return Some(vec![next.into_iter().collect()]);
        }
        let spread: Vec<Vec<Layer>> = shards
            .par_iter()
            .map(|shard| {
                let mut out = vec![Layer::new(); SHARDS];
                let _ = self.each(shard, |state, ways| {
                    out[home(state)].push((state, ways));
                    Some(())
                });
                out
            })
            .collect();
        (0..SHARDS)
            .into_par_iter()
            .map(|i| {
                let size = spread.iter().map(|out| out[i].len()).sum();
                let mut next = FxHashMap::with_capacity_and_hasher(size, Default::default());
                for out in &spread {
                    for &(state, ways) in &out[i] {
                        add(&mut next, state, ways)?;
                    }
                }
                Some(next.into_iter().collect())
            })
            .collect()
    }

    fn each(&self, shard: &Layer, mut see: impl FnMut(u128, u128) -> Option<()>) -> Option<()> {
        for &(state, ways) in shard {
            let along = self.along[(state & self.mask) as usize];
            let across = self.across[((state & self.across_mask) >> self.first) as usize];
            let rest = state & !self.mask & !self.across_mask;
            for fill in 0..2 {
                if along[fill] != NONE && across[fill] != NONE {
                    let across = u128::from(across[fill]) << self.first;
                    see(rest | u128::from(along[fill]) | across, ways)?;
                }
            }
        }
        Some(())
    }
}

fn add(layer: &mut FxHashMap<u128, u128>, state: u128, ways: u128) -> Option<()> {
    let sum = layer.entry(state).or_insert(0);
    *sum = sum.checked_add(ways)?;
    Some(())
}

/// The shard of a combination.
fn home(state: u128) -> usize {
    let folded = (state as u64 ^ (state >> 64) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (folded >> 58) as usize % SHARDS
}
