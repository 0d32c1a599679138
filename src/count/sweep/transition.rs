//! The transition of the frontier past one line: the successors of each combination of states.
//!
//! In a combination, the state of each line across tells whether its cell on the passed line may be empty and whether it may be filled, and
//! which states follow. Under these constraints the fillings of the passed line are enumerated without dead ends (see
//! [`line_fillings`](super::line_fillings)). Each filling gives a successor, or several if a state has several next states.

use std::ops::BitXor;

use super::key::{Field, Key, Packing};
use super::line_fillings::{FillingsCursor, LineFillings};
use super::lines::AlongLine;

/// What passing a line does to a line across: for each of its states, the possible next states after an empty and after a filled cell. If the
/// passed line does not cross it, those after an empty cell are all.
pub(crate) type Move = Vec<[Vec<u32>; 2]>;

/// The next states of one state, packed into their field.
#[derive(Clone, Copy, Debug)]
struct Next<K> {
    /// The first next state after an empty cell, and its difference (by exclusive or) to the first next state after a filled cell. If the
    /// cell can have only one of the two values: the first next state after that value, and 0.
    first: K,
    change: K,
    /// [`CAN_EMPTY`], [`CAN_FILL`] and [`HAS_CHOICE`].
    flags: u8,
}

/// Flags of [`Next::flags`]: the cell may be empty; it may be filled; for one of these there are several next states. Without a flag there is
/// no next state.
const CAN_EMPTY: u8 = 1;
const CAN_FILL: u8 = 2;
const HAS_CHOICE: u8 = 4;

/// The ranges in [`Transition::alternatives`] of the next states besides the first, after an empty cell and after a filled one.
type Alternatives = [(u32, u32); 2];

/// The transitions of a line across: its field in a combination, and for each state the next ones.
#[derive(Debug)]
struct LineTransition<K> {
    field: Field,
    next: Vec<Next<K>>,
    alternatives: Vec<Alternatives>,
}

/// The transition past one line.
#[derive(Debug)]
pub(crate) struct Transition<'l, K> {
    line_fillings: &'l LineFillings,
    /// For each cell of the passed line, the transitions of the line across.
    crossed: Vec<LineTransition<K>>,
    /// The lines across that are not crossed; their next states are stored as those after an empty cell.
    uncrossed: Vec<LineTransition<K>>,
    /// Differences (by exclusive or) of further next states to the first one.
    alternatives: Vec<K>,
    /// The indices in `crossed` of the lines that have a state without a next one. Only a class of fillings has such lines: those of its cells.
    blocking: Vec<usize>,
}

impl<'l, K: Key> Transition<'l, K> {
    /// The transition past a line, with these moves of the lines across.
    pub(super) fn new(
        line: &'l AlongLine,
        moves: &[Move],
        before: &Packing,
        after: &Packing,
    ) -> Self {
        let mut alternatives = Vec::new();
        let mut next = |[empty, filled]: &[Vec<u32>; 2], field: Field| {
            let mut key = |states: &[u32]| {
                let from = alternatives.len() as u32;
                let mut keys = states.iter().map(|&state| field.key::<K>(state));
                let first = keys.next();
                alternatives.extend(keys.map(|key| key ^ first.unwrap_or(K::ZERO)));
                (first, (from, alternatives.len() as u32))
            };
            let ((by_empty, more_empty), (by_filled, more_filled)) = (key(empty), key(filled));
            let first = by_empty.or(by_filled).unwrap_or(K::ZERO);
            let flag = |flag: u8, holds: bool| if holds { flag } else { 0 };
            let has_choice = more_empty.0 < more_empty.1 || more_filled.0 < more_filled.1;
            let next = Next {
                first,
                change: first ^ by_filled.unwrap_or(first),
                flags: flag(CAN_EMPTY, by_empty.is_some())
                    | flag(CAN_FILL, by_filled.is_some())
                    | flag(HAS_CHOICE, has_choice),
            };
            (next, [more_empty, more_filled])
        };
        let mut transition = |before: Field, moved: &Move, after: Field| {
            let (next, alternatives) = moved.iter().map(|states| next(states, after)).unzip();
            LineTransition {
                field: before,
                next,
                alternatives,
            }
        };
        // A known cell has a single transition, which changes no state.
        let known = [vec![[vec![0], vec![]]], vec![[vec![], vec![0]]]];
        let line_fillings = &line.line_fillings;
        let mut crossings = line.crossings.iter();
        let crossed = line_fillings.cells.iter().map(|cell| match cell {
            Some(fill) => transition(Field::NONE, &known[usize::from(*fill)], Field::NONE),
            None => {
                let i = *crossings.next().expect("each unknown cell is a crossing");
                transition(before.fields[i], &moves[i], after.fields[i])
            }
        });
        let crossed: Vec<LineTransition<K>> = crossed.collect();
        let uncrossed = (0..moves.len()).filter(|i| !line.crossings.contains(i));
        let uncrossed = uncrossed.map(|i| transition(before.fields[i], &moves[i], after.fields[i]));
        let uncrossed = uncrossed.collect();
        let blocks = |i: &usize| crossed[*i].next.iter().any(|next| next.flags == 0);
        let blocking = (0..crossed.len()).filter(blocks).collect();
        Transition {
            line_fillings,
            blocking,
            crossed,
            uncrossed,
            alternatives,
        }
    }

    /// Whether the state of a line across rules out that this combination has successors. This takes a small part of the time of
    /// [`Successors::begin`].
    #[inline]
    pub(crate) fn blocks(&self, key: K) -> bool {
        self.blocking.iter().any(|&i| {
            let line = &self.crossed[i];
            line.next[line.field.state(key)].flags == 0
        })
    }

    /// A generator of the successors of one combination after the other. If `is_traced`, it can also tell by which filling a combination
    /// leads to a successor, see [`Successors::for_each_traced`].
    pub(crate) fn successors(&self, is_traced: bool) -> Successors<K> {
        let cells = self.crossed.len();
        Successors {
            is_traced,
            changes: vec![K::ZERO; cells + 1],
            fillings: self.line_fillings.cursor(K::ZERO),
            choices: Vec::new(),
            traced_changes: vec![Traced(K::ZERO, 0); cells + 1],
            traced: self.line_fillings.cursor(Traced(K::ZERO, 0)),
            digits: Vec::new(),
            cells: 0,
        }
    }
}

/// A line across with several next states: the cell and its value for which there are several (`None` for an uncrossed line), and the range
/// of the alternatives to the first.
type Choice = (Option<(usize, bool)>, (u32, u32));

/// Generates the successors of one combination after the other, always by the same transition.
#[derive(Debug)]
pub(crate) struct Successors<K> {
    /// Whether the filled cells are told in any case.
    is_traced: bool,
    /// What filled cells change: prefix sums (by exclusive or), from the first cell on.
    changes: Vec<K>,
    fillings: FillingsCursor<K>,
    /// The lines with several next states in the current combination.
    choices: Vec<Choice>,
    /// Used instead of `changes` and `fillings` when there are choices; they also tell the filled cells.
    traced_changes: Vec<Traced<K>>,
    traced: FillingsCursor<Traced<K>>,
    /// The choices of the current filling whose successors are being generated; and its filled cells.
    digits: Vec<Digit<K>>,
    cells: u64,
}

impl<K: Key> Successors<K> {
    /// Begins to generate the successors of this combination.
    #[inline]
    pub(crate) fn begin(&mut self, transition: &Transition<'_, K>, key: K) {
        self.choices.clear();
        self.digits.clear();
        let (mut base, mut sum) = (K::ZERO, K::ZERO);
        let mut can = [0; 2];
        for (i, line) in transition.crossed.iter().enumerate() {
            let state = line.field.state(key);
            let next = &line.next[state];
            can[0] |= u64::from(next.flags & CAN_EMPTY) << i;
            can[1] |= u64::from(next.flags & CAN_FILL) << i;
            base = base ^ next.first;
            sum = sum ^ next.change;
            self.changes[i + 1] = sum;
            if next.flags & HAS_CHOICE != 0 {
                for (range, fill) in line.alternatives[state].into_iter().zip([false, true]) {
                    if range.0 < range.1 {
                        self.choices.push((Some((i, fill)), range));
                    }
                }
            }
        }
        // CAN_FILL is the second bit.
        can[1] >>= 1;
        for line in &transition.uncrossed {
            let state = line.field.state(key);
            let next = &line.next[state];
            base = base ^ next.first;
            if next.flags & HAS_CHOICE != 0 {
                self.choices.push((None, line.alternatives[state][0]));
            }
        }
        if self.choices.is_empty() && !self.is_traced {
            transition
                .line_fillings
                .begin(&mut self.fillings, can, base);
            return;
        }
        // Rare in counts: the choices depend on the filled cells, so these must be known too.
        let traced = |(i, &change): (usize, &K)| Traced(change, !(u64::MAX << i));
        self.traced_changes.clear();
        self.traced_changes
            .extend(self.changes.iter().enumerate().map(traced));
        transition
            .line_fillings
            .begin(&mut self.traced, can, Traced(base, 0));
    }

    /// Calls `emit` with each further successor. As soon as `emit` returns false this does too, and the next call continues from there.
    #[inline]
    pub(crate) fn resume(
        &mut self,
        transition: &Transition<'_, K>,
        mut emit: impl FnMut(K) -> bool,
    ) -> bool {
        if self.choices.is_empty() && !self.is_traced {
            return transition
                .line_fillings
                .resume(&mut self.fillings, &self.changes, emit);
        }
        self.resume_traced(transition, |key, _| emit(key))
    }

    /// Calls `visit` with each successor of this combination, and with the filled cells of the filling that leads to it: bits, by the index
    /// of the cell in [`LineFillings::cells`]. The generator must be a traced one.
    pub(crate) fn for_each_traced(
        &mut self,
        transition: &Transition<'_, K>,
        key: K,
        mut visit: impl FnMut(K, u64),
    ) {
        debug_assert!(self.is_traced, "it is a traced generator");
        self.begin(transition, key);
        self.resume_traced(transition, |key, cells| {
            visit(key, cells);
            true
        });
    }

    fn resume_traced(
        &mut self,
        transition: &Transition<'_, K>,
        mut emit: impl FnMut(K, u64) -> bool,
    ) -> bool {
        if self.choices.is_empty() {
            return transition.line_fillings.resume(
                &mut self.traced,
                &self.traced_changes,
                |Traced(key, cells)| emit(key, cells),
            );
        }
        let (choices, digits, current) = (&self.choices, &mut self.digits, &mut self.cells);
        let mut emit_all = |digits: &mut [Digit<K>], cells: u64| {
            while let Some(key) = next_key(digits, &transition.alternatives) {
                if !emit(key, cells) {
                    return false;
                }
            }
            true
        };
        emit_all(digits, *current)
            && (transition.line_fillings).resume(
                &mut self.traced,
                &self.traced_changes,
                |Traced(base, cells)| {
                    *current = cells;
                    digits.clear();
                    let first = Digit {
                        base,
                        alternatives: (0, 0),
                        at: None,
                    };
                    digits.push(first);
                    digits.extend(choices.iter().filter_map(|&(by, alternatives)| {
                        let here = by.is_none_or(|(i, fill)| (cells >> i & 1 != 0) == fill);
                        here.then_some(Digit {
                            base,
                            alternatives,
                            // At its end: it is reset when the first digit advances.
                            at: Some(alternatives.1),
                        })
                    }));
                    emit_all(digits, cells)
                },
            )
    }
}

/// A digit of a mixed-radix counter over the choices of one filling. The first digit has no alternatives: it stands for the filling itself.
#[derive(Clone, Copy, Debug)]
struct Digit<K> {
    /// The combination with the choices of the digits before.
    base: K,
    /// The range of the alternatives.
    alternatives: (u32, u32),
    /// The next alternative; `None` before the base itself, which only the first digit emits.
    at: Option<u32>,
}

/// Advances the last digit that can, resets those behind it, and returns the combination; `None` at the end.
fn next_key<K: Key>(digits: &mut [Digit<K>], alternatives: &[K]) -> Option<K> {
    let has_next = |digit: &Digit<K>| digit.at.is_none_or(|at| at < digit.alternatives.1);
    let place = digits.iter().rposition(has_next)?;
    let digit = &mut digits[place];
    let key = match digit.at {
        None => digit.base,
        Some(at) => digit.base ^ alternatives[at as usize],
    };
    digit.at = Some(digit.at.map_or(0, |at| at + 1));
    for later in &mut digits[place + 1..] {
        later.base = key;
        later.at = Some(later.alternatives.0);
    }
    Some(key)
}

/// A combination, and the filled cells of the passed line.
#[derive(Clone, Copy, Debug)]
struct Traced<K>(K, u64);

impl<K: Key> BitXor for Traced<K> {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        Traced(self.0 ^ other.0, self.1 ^ other.1)
    }
}

#[cfg(test)]
mod tests {
    use super::super::key::Pair;
    use super::*;
    use crate::line::Known;

    #[test]
    fn each_combination_of_choices_is_generated_once() {
        // Two lines with three and with two next states, and one without a choice.
        let alternatives = [1u64, 2, 4];
        let digit = |alternatives: (u32, u32), at| Digit {
            base: 64,
            alternatives,
            at,
        };
        let mut digits = [
            digit((0, 0), None),
            digit((0, 2), Some(2)),
            digit((2, 2), Some(2)),
            digit((2, 3), Some(3)),
        ];
        let mut found = Vec::new();
        while let Some(key) = next_key(&mut digits, &alternatives) {
            found.push(key);
        }
        found.sort_unstable();
        assert_eq!(found, [64, 65, 66, 68, 69, 70]);
    }

    /// Compares the successors of every combination with all fillings of a line of five cells with the clue 1 1, and with all choices of next
    /// states. The first two lines across have this number of states, of which only the first occurs; they are not crossed. Nor is the
    /// last one.
    fn check_all_successors<K: Key>(states_of_first: usize) {
        let line = AlongLine {
            line_fillings: LineFillings::new(&[1, 1], 5, Known::NOTHING, 0x1fu64).unwrap(),
            crossings: vec![2, 3, 4, 5, 6],
        };
        let stays = || vec![[vec![0], vec![]]];
        let mut moves = vec![stays(), stays()];
        moves.extend((0..5).map(|i| match i % 2 {
            0 => vec![[vec![0], vec![1]], [vec![1], vec![]]],
            _ => vec![[vec![0, 1], vec![2]], [vec![1], vec![0, 1, 2]]],
        }));
        moves.push(vec![[vec![0, 2], vec![]], [vec![1], vec![]]]);
        let packing = |states| Packing::new([states_of_first; 2].into_iter().chain([states; 6]));
        let (before, after) = (packing(2), packing(3));
        let transition = Transition::<K>::new(&line, &moves, &before, &after);
        let mut successors = transition.successors(false);
        for states in 0..1u32 << 6 {
            let state = |i: usize| (states >> i & 1) as usize;
            let key = (0..6).map(|i| before.fields[i + 2].key::<K>(state(i) as u32));
            let key = key.fold(K::ZERO, |a, b| a ^ b);
            let mut wanted = Vec::new();
            for filling in
                (0..32usize).filter(|word| word.count_ones() == 2 && word & word >> 1 == 0)
            {
                let mut keys = vec![K::ZERO];
                for (i, moved) in moves[2..].iter().enumerate() {
                    // The last line is not crossed.
                    let next = &moved[state(i)][filling >> i & 1];
                    let field = after.fields[i + 2];
                    let with = |key: K| next.iter().map(move |&state| key ^ field.key(state));
                    keys = keys.into_iter().flat_map(with).collect();
                }
                wanted.extend(keys);
            }
            wanted.sort_unstable();
            // The generation is interrupted after every third successor.
            let mut found = Vec::new();
            successors.begin(&transition, key);
            loop {
                let before = found.len();
                let is_done = successors.resume(&transition, |key| {
                    found.push(key);
                    found.len() % 3 != 0
                });
                assert!(found.len() <= before - before % 3 + 3);
                if is_done {
                    break;
                }
            }
            found.sort_unstable();
            assert_eq!(found, wanted, "{states:b}");
        }
    }

    #[test]
    fn successors_are_all_next_states_of_all_fillings() {
        check_all_successors::<u64>(1);
        check_all_successors::<Pair>(1);
        // The last three lines across have their states beyond the 64th bit.
        check_all_successors::<Pair>(1 << 28);
    }
}
