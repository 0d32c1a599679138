//! The steps of a frontier: past a line, and across the line at which the frontiers meet.

use super::filling_class::FillingClass;
use super::key::Key;
use super::lines::{AlongLine, End, Lines};
use super::packing::Packing;
use super::transition::{Move, Transition};
use crate::count::components::NONE;

/// The step of a frontier past a line: the transition, and the depths and the packing behind the line.
#[derive(Debug)]
pub(super) struct Step<'l, K> {
    pub(super) transition: Transition<'l, K>,
    pub(super) depths: Vec<usize>,
    pub(super) packing: Packing,
}

impl<'l, K: Key> Step<'l, K> {
    /// The step of a frontier from this end that has passed this number of lines, at these depths.
    pub(super) fn new(lines: &'l Lines, end: End, passed: usize, depths: &[usize]) -> Self {
        let line = lines.after(end, passed);
        let moves = (0..lines.across.len()).map(|i| {
            let (automaton, depth) = (lines.automaton(end, i), depths[i]);
            if !line.crossings.contains(&i) {
                return identity(automaton.states(depth));
            }
            let layer = automaton.layers[depth].iter();
            let single = |state: u32| Vec::from_iter((state != NONE).then_some(state));
            Move::Crossed(layer.map(|next| next.map(single)).collect())
        });
        let moves: Vec<Move> = moves.collect();
        let before = lines.packing(end, depths);
        let mut depths = depths.to_vec();
        line.crossings.iter().for_each(|&i| depths[i] += 1);
        let packing = lines.packing(end, &depths);
        Step {
            transition: Transition::new(line, &moves, &before, &packing),
            depths,
            packing,
        }
    }
}

/// The steps of both frontiers across the last line between them, to the same combinations.
///
/// A backward state may be compatible with several forward states, and vice versa. So these combinations also tell how the line is filled: for
/// each line across that it crosses, a backward state together with the value of the cell on the line that leads to it. The far frontier
/// moves to these directly. The near one moves, for each filling of the line, to those with compatible backward states.
#[derive(Debug)]
pub(super) struct MeetingStep<'l> {
    line: &'l AlongLine,
    near_moves: Vec<Move>,
    far_moves: Vec<Move>,
    before_near: Packing,
    before_far: Packing,
    behind: Packing,
}

impl<'l> MeetingStep<'l> {
    /// The steps of the near frontier, which has passed this number of lines, and of the far one, at these depths.
    pub(super) fn new(
        lines: &'l Lines,
        near_passed: usize,
        near_depths: &[usize],
        far_depths: &[usize],
    ) -> Self {
        let line = lines.after(End::Near, near_passed);
        let mut states = vec![0; lines.across.len()];
        let mut far_moves = Vec::with_capacity(lines.across.len());
        let mut near_moves = Vec::with_capacity(lines.across.len());
        for (i, across) in lines.across.iter().enumerate() {
            let compatible = across.compatible_states(near_depths[i]);
            let depth = far_depths[i];
            if !line.crossings.contains(&i) {
                states[i] = across.backward.states(depth);
                far_moves.push(identity(states[i]));
                near_moves.push(Move::Uncrossed(compatible));
                continue;
            }
            let labelled = across.states_with_cell(depth);
            states[i] = labelled.len();
            let index_of = |state: u32, fill: usize| {
                let index = labelled.binary_search(&(state, fill));
                index.ok().map(|index| index as u32)
            };
            let layer = across.backward.layers[depth].iter();
            let next_labelled =
                |next: &[u32; 2]| [0, 1].map(|fill| Vec::from_iter(index_of(next[fill], fill)));
            far_moves.push(Move::Crossed(layer.map(next_labelled).collect()));
            let compatible_labelled = |compatible: &Vec<u32>| {
                [0, 1].map(|fill| {
                    compatible
                        .iter()
                        .filter_map(|&state| index_of(state, fill))
                        .collect()
                })
            };
            near_moves.push(Move::Crossed(
                compatible.iter().map(compatible_labelled).collect(),
            ));
        }
        MeetingStep {
            line,
            near_moves,
            far_moves,
            before_near: lines.packing(End::Near, near_depths),
            before_far: lines.packing(End::Far, far_depths),
            behind: Packing::new(states.into_iter()),
        }
    }

    /// The transition of the frontier from this end, to this class of fillings of the line.
    pub(super) fn transition<K: Key>(&self, end: End, class: &FillingClass) -> Transition<'l, K> {
        let (moves, before) = match end {
            End::Near => (&self.near_moves, &self.before_near),
            End::Far => (&self.far_moves, &self.before_far),
        };
        Transition::new(self.line, &class.restricted(moves), before, &self.behind)
    }
}

/// The transitions of a line of `states` states that is not crossed: each state stays the same.
fn identity(states: usize) -> Move {
    Move::Uncrossed((0..states as u32).map(|state| vec![state]).collect())
}
