//! The steps of a frontier: past a line, and across the line at which the frontiers meet, for all of its fillings or for a class of them.

use super::key::{Key, Packing};
use super::lines::{AlongLine, End, Lines};
use super::transition::{Move, Transition};
use crate::count::components::NONE;

/// The transition of a frontier from this end that has passed this number of lines, past the next line.
pub(super) fn step<K: Key>(lines: &Lines, end: End, passed: usize) -> Transition<'_, K> {
    let line = lines.after(end, passed);
    let moves = (0..lines.across.len()).map(|i| {
        let (automaton, depth) = (lines.automaton(end, i), lines.depth(end, passed, i));
        if !line.crossings.contains(&i) {
            return identity(automaton.states(depth));
        }
        let layer = automaton.layers[depth].iter();
        let single = |state: u32| Vec::from_iter((state != NONE).then_some(state));
        layer.map(|next| next.map(single)).collect()
    });
    let moves: Vec<Move> = moves.collect();
    let [before, behind] = [passed, passed + 1].map(|passed| lines.packing(end, passed));
    Transition::new(line, &moves, &before, &behind)
}

/// The steps of both frontiers across the last line between them, to the same combinations.
///
/// A backward state may be compatible with several forward states, and vice versa. So these combinations also tell how the line is filled: for
/// each line across that it crosses, a backward state together with the value of the cell on the line that leads to it. The far frontier
/// moves to these directly. The near one moves, for each filling of the line, to those with compatible backward states.
#[derive(Debug)]
pub(super) struct MeetingStep<'l> {
    pub(super) line: &'l AlongLine,
    /// For the near and the far frontier: the moves, and the packing before the line.
    moves: [Vec<Move>; 2],
    before: [Packing; 2],
    behind: Packing,
}

impl<'l> MeetingStep<'l> {
    /// The steps across the line with this index.
    pub(super) fn new(lines: &'l Lines, at: usize) -> Self {
        let (line, far_passed) = (&lines.along[at], lines.along.len() - 1 - at);
        let moves = lines.across.iter().enumerate().map(|(i, across)| {
            let compatible = across.compatible_states(lines.depth(End::Near, at, i));
            let depth = lines.depth(End::Far, far_passed, i);
            if !line.crossings.contains(&i) {
                let stays = compatible.into_iter().map(|next| [next, Vec::new()]);
                return (stays.collect(), identity(across.backward.states(depth)));
            }
            let labelled = across.states_with_cell(depth);
            let index_of = |state: u32, fill: usize| {
                let index = labelled.binary_search(&(state, fill));
                index.ok().map(|index| index as u32)
            };
            let near = compatible.iter().map(|compatible| {
                [0, 1].map(|fill| {
                    let indices = compatible.iter().map(|&state| index_of(state, fill));
                    indices.flatten().collect()
                })
            });
            let far = across.backward.layers[depth].iter();
            let far = far.map(|next| [0, 1].map(|fill| Vec::from_iter(index_of(next[fill], fill))));
            (near.collect(), far.collect())
        });
        let (near_moves, far_moves) = moves.unzip();
        MeetingStep {
            line,
            moves: [near_moves, far_moves],
            before: [
                lines.packing(End::Near, at),
                lines.packing(End::Far, far_passed),
            ],
            behind: lines.packing_of_meeting(at),
        }
    }

    /// The transition of the frontier from this end, to this class of fillings of the line.
    pub(super) fn transition<K: Key>(&self, end: End, class: &FillingClass) -> Transition<'l, K> {
        let i = end as usize;
        let moves = class.restricted(&self.moves[i]);
        Transition::new(self.line, &moves, &self.before[i], &self.behind)
    }
}

/// The transitions of a line of `states` states that is not crossed: each state stays the same.
fn identity(states: usize) -> Move {
    let states = 0..states as u32;
    states.map(|state| [vec![state], Vec::new()]).collect()
}

/// Maximum number of cells that a class gives values to. Each class takes a pass of its own over both layers, so far more classes would take
/// longer than to branch.
const MAX_CELLS: usize = 8;

/// A class of the fillings of the line at which the frontiers meet: those in which these cells have these values. The cells are given by the
/// lines across.
#[derive(Clone, Debug, Default)]
pub(super) struct FillingClass(Vec<(usize, bool)>);

impl FillingClass {
    /// At least this number of classes that together hold all fillings, as far as [`halves`](Self::halves) allows.
    pub(super) fn classes(crossings: &[usize], number: f64) -> Vec<FillingClass> {
        let mut classes = vec![FillingClass::default()];
        while (classes.len() as f64) < number {
            let halves = classes.iter().map(|class| class.halves(crossings));
            match halves.collect::<Option<Vec<_>>>() {
                Some(halves) => classes = halves.into_iter().flatten().collect(),
                None => break,
            }
        }
        classes
    }

    /// Divides the class by the value of one more cell; `None` if there is none left, or if it gives [`MAX_CELLS`] values. Cells close
    /// together depend on each other, so the cells are chosen far apart: by the bits of their number in reverse order (van der Corput 1935).
    pub(super) fn halves(&self, crossings: &[usize]) -> Option<[FillingClass; 2]> {
        if self.0.len() == MAX_CELLS {
            return None;
        }
        let bits = usize::BITS - crossings.len().leading_zeros();
        let indices =
            (1..=1u32 << bits).map(|number| (number.reverse_bits() >> (u32::BITS - bits)) as usize);
        let mut crossings = indices.filter_map(|index| crossings.get(index)).copied();
        let cell = crossings.nth(self.0.len())?;
        Some([false, true].map(|fill| {
            let mut class = self.clone();
            class.0.push((cell, fill));
            class
        }))
    }

    /// Its share of all fillings, if each cell is filled in half of them.
    pub(super) fn share(&self) -> f64 {
        0.5f64.powi(self.0.len() as i32)
    }

    /// The moves to the fillings of this class.
    pub(super) fn restricted(&self, moves: &[Move]) -> Vec<Move> {
        let mut moves = moves.to_vec();
        for &(i, fill) in &self.0 {
            for next in &mut moves[i] {
                next[usize::from(!fill)].clear();
            }
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_filling_is_in_exactly_one_class() {
        let crossings = [1, 2, 4, 5, 7];
        for number in [1.0, 2.0, 5.0, 32.0, 1e9] {
            let classes = FillingClass::classes(&crossings, number);
            assert_eq!(classes.len() as f64, number.min(32.0).log2().ceil().exp2());
            assert_eq!(classes.iter().map(FillingClass::share).sum::<f64>(), 1.0);
            assert!(
                classes
                    .iter()
                    .all(|class| class.share() == classes[0].share())
            );
            for filling in 0..1u32 << 8 {
                let agrees = |&(cell, fill): &(usize, bool)| (filling >> cell & 1 == 1) == fill;
                let holds = |class: &&FillingClass| class.0.iter().all(agrees);
                assert_eq!(classes.iter().filter(holds).count(), 1);
            }
        }
    }

    #[test]
    fn classes_are_bounded_also_without_memory() {
        let crossings: Vec<usize> = (0..1000).collect();
        let classes = FillingClass::classes(&crossings, f64::INFINITY);
        assert_eq!(classes.len(), 1 << MAX_CELLS);
        assert!(
            classes
                .iter()
                .all(|class| class.halves(&crossings).is_none())
        );
    }

    #[test]
    fn a_class_has_the_moves_to_its_fillings_only() {
        let moves = [0, 1].map(|_| vec![[vec![3], vec![4, 5]]]);
        let class = FillingClass(vec![(1, true)]);
        let restricted = class.restricted(&moves);
        assert_eq!(restricted[0], [[vec![3], vec![4, 5]]]);
        assert_eq!(restricted[1], [[vec![], vec![4, 5]]]);
    }
}
