//! What a line can still be, as a number: equal numbers mean equal choices.
//!
//! The arrangements of a line that fit what is known are a set of words over its unknown cells, each word as long as there are such
//! cells. A layered automaton that reads them, with equal states merged, is the same for two lines exactly when the sets are the
//! same; its states, each known by its two successors, are numbered once and for all (as in a binary decision diagram: Bryant,
//! "Graph-based algorithms for Boolean function manipulation", 1986, but without skipping a cell). So lines with other clues and other
//! known cells between the unknown ones get the same number when nothing tells them apart any more.
//!
//! Where all states of a layer are one, the line falls apart: its *pieces* lie between such layers, and each has a number of its own.

use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;
use std::sync::atomic::{AtomicU32, Ordering};

use dashmap::DashMap;
use rustc_hash::{FxHashMap, FxHasher};

use crate::line::{Known, Word};
use crate::run::Pace;

/// No such word, or no number given.
pub(crate) const NONE: u32 = u32::MAX;

/// The state in which a word is complete.
pub(crate) const END: u32 = 0;

/// Bytes that a state takes in the table of all.
const BYTES_OF_STATE: u64 = 32;

/// The numbers of all states, shared by all workers.
#[derive(Debug)]
pub(crate) struct UniqueTable {
    states: DashMap<[u32; 2], u32, BuildHasherDefault<FxHasher>>,
    /// The next number. Relaxed: the map makes it known.
    next: AtomicU32,
    most: u32,
}

impl UniqueTable {
    /// Numbers that take about `bytes` bytes; when those are full, no more are given.
    pub(crate) fn new(bytes: u64) -> Self {
        UniqueTable {
            states: DashMap::default(),
            next: AtomicU32::new(END + 1),
            most: (bytes / BYTES_OF_STATE).clamp(2, u64::from(NONE - 1)) as u32,
        }
    }

    /// Calls `see` with all states that have a number: their successors and the number.
    pub(crate) fn each(&self, mut see: impl FnMut([u32; 2], u32)) {
        self.states
            .iter()
            .for_each(|state| see(*state.key(), *state.value()));
    }

    /// The number of the state with these successors.
    pub(crate) fn of(&self, successors: [u32; 2]) -> Option<u32> {
        if let Some(known) = self.states.get(&successors) {
            return Some(*known);
        }
        if self.next.load(Ordering::Relaxed) >= self.most {
            return None;
        }
        let number = || self.next.fetch_add(1, Ordering::Relaxed);
        Some(*self.states.entry(successors).or_insert_with(number))
    }
}

/// A stretch of a line that is independent of the rest of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Piece<W> {
    /// Its unknown cells.
    pub(crate) cells: W,
    /// The number of what they can be; [`NONE`] when there are no numbers left.
    pub(crate) number: u32,
}

/// What it takes to number a state, in states looked at.
const NUMBERING: u64 = 8;

/// Most pieces that a worker remembers before it forgets all.
const REMEMBERED: usize = 1 << 20;

/// The pieces of one line, by what is known of it.
type OfLine<W> = FxHashMap<Known<W>, Box<[Piece<W>]>>;

/// The pieces of lines, remembered by each worker for itself.
#[derive(Debug)]
pub(crate) struct LineAutomata<W> {
    /// For each line.
    known: Vec<OfLine<W>>,
    remembered: usize,
    most: usize,
    states: States,
}

/// Scratch memory for building automata.
#[derive(Debug, Default)]
pub(crate) struct States {
    /// Is a state filled, for each place in the clue written out as cells?
    filled: Vec<bool>,
    /// For each cell, the states that the cells before it allow.
    reached: Vec<bool>,
    /// Numbers of the states before the present cell, and behind it.
    here: Vec<u32>,
    next: Vec<u32>,
}

impl<W: Word> LineAutomata<W> {
    /// For this number of lines, in about `bytes` bytes.
    pub(crate) fn new(lines: usize, bytes: u64) -> Self {
        let bytes_of_line = (4 * size_of::<W>() + 64) as u64;
        LineAutomata {
            known: (0..lines).map(|_| FxHashMap::default()).collect(),
            remembered: 0,
            most: (bytes / bytes_of_line).clamp(256, REMEMBERED as u64) as usize,
            states: States::default(),
        }
    }

    /// The pieces of a line with these blocks, of which this is known, a fixpoint; those without unknown cells are left out. `None`
    /// when the run has been stopped meanwhile.
    pub(crate) fn pieces(
        &mut self,
        line: usize,
        blocks: &[u16],
        length: usize,
        known: Known<W>,
        numbers: &UniqueTable,
        pace: &mut Pace<'_>,
    ) -> Option<&[Piece<W>]> {
        if self.remembered >= self.most {
            self.known.iter_mut().for_each(FxHashMap::clear);
            self.remembered = 0;
        }
        // Looking a line up reads all of its words.
        if pace.spend(W::BITS as u64 / 8) {
            return None;
        }
        match self.known[line].entry(known) {
            Entry::Occupied(pieces) => Some(pieces.into_mut()),
            Entry::Vacant(place) => {
                let mut number = |next| numbers.of(next);
                let mut stop = |work| pace.spend(work);
                let pieces = self
                    .states
                    .build(blocks, length, known, &mut number, &mut stop)?;
                self.remembered += 1 + pieces.len();
                Some(place.insert(pieces.into()))
            }
        }
    }
}

impl States {
    /// A state is how much of the clue is laid: the clue is written out as an empty cell, its blocks with an empty cell behind each,
    /// and the state is the place of the latest cell in it. Empty cells may repeat.
    ///
    /// `number` gives every state its number, by its successors: the state behind an empty cell, and behind a filled one. `stop` is
    /// told of the work as it is done, in states looked at, and `None` is returned as soon as it says `true`.
    ///
    /// O(length * cells of the clue written out) states.
    pub(crate) fn build<W: Word>(
        &mut self,
        blocks: &[u16],
        length: usize,
        known: Known<W>,
        number: &mut dyn FnMut([u32; 2]) -> Option<u32>,
        stop: &mut dyn FnMut(u64) -> bool,
    ) -> Option<Vec<Piece<W>>> {
        self.filled.clear();
        self.filled.push(false);
        for &block in blocks {
            self.filled
                .extend(std::iter::repeat_n(true, usize::from(block)));
            self.filled.push(false);
        }
        let (filled, count) = (&self.filled[..], self.filled.len());
        let step = |state: usize, fill: bool| match (fill, filled[state]) {
            (false, false) => Some(state),
            _ => (state + 1 < count && filled[state + 1] == fill).then_some(state + 1),
        };
        let can = |cell: usize, fill: bool| match fill {
            true => !known.empty.has(cell),
            false => !known.filled.has(cell),
        };
        // After `i` cells no state beyond `i` is reached, and the end must still be within reach.
        let window = |i: usize| {
            let low = (count + i).saturating_sub(length + 2);
            low..(i + 1).min(count)
        };
        self.reached.clear();
        self.reached.resize((length + 1) * count, false);
        self.reached[0] = true;
        for i in 0..length {
            let (before, after) = self.reached.split_at_mut((i + 1) * count);
            let before = &before[i * count..];
            if stop(window(i).len() as u64) {
                return None;
            }
            for state in window(i) {
                if before[state] {
                    for fill in [false, true] {
                        if can(i, fill)
                            && let Some(next) = step(state, fill)
                        {
                            after[next] = true;
                        }
                    }
                }
            }
        }
        self.next.clear();
        self.next.resize(count, NONE);
        self.here.clear();
        self.here.resize(count, NONE);
        for last in window(length) {
            let complete = last + 1 == count || last + 2 == count && filled[last];
            if complete && self.reached[length * count + last] {
                self.next[last] = END;
            }
        }
        let mut pieces = Vec::new();
        let mut cells = W::ZERO;
        for i in (0..length).rev() {
            let unknown = !known.cells().has(i);
            if unknown {
                cells |= W::bit(i);
            }
            let (mut first, mut alone, mut numbered) = (None, true, true);
            self.here.fill(NONE);
            if stop(NUMBERING * window(i).len() as u64) {
                return None;
            }
            for state in window(i) {
                if !self.reached[i * count + state] {
                    continue;
                }
                let successor = |fill: bool| match step(state, fill) {
                    Some(next) if can(i, fill) => self.next[next],
                    _ => NONE,
                };
                let successors = [successor(false), successor(true)];
                let number = match successors {
                    [NONE, NONE] => continue,
                    _ if unknown => number(successors).unwrap_or_else(|| {
                        numbered = false;
                        END
                    }),
                    [empty, filled] => empty.min(filled),
                };
                self.here[state] = number;
                alone &= *first.get_or_insert(number) == number;
            }
            if !numbered {
                // Out of numbers: all unknown cells are one piece without a number.
                let cells = W::low(length) & !known.cells();
                return Some(vec![Piece {
                    cells,
                    number: NONE,
                }]);
            }
            if alone {
                if !cells.is_zero() {
                    let number = first.unwrap_or(NONE);
                    pieces.push(Piece { cells, number });
                    cells = W::ZERO;
                }
                for number in &mut self.here {
                    if *number != NONE {
                        *number = END;
                    }
                }
            }
            std::mem::swap(&mut self.here, &mut self.next);
        }
        pieces.reverse();
        Some(pieces)
    }
}
