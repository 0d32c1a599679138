//! The steps of a frontier: past a line, and across the line at which the frontiers meet.

use super::key::Key;
use super::lines::{AlongLine, End, Lines};
use super::transition::{Move, Packing, Transition};
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
    pub(super) fn of(lines: &'l Lines, end: End, passed: usize, depths: &[usize]) -> Self {
        let (line, packing) = (lines.after(end, passed), lines.packing(end, depths));
        Step::new(lines, end, line, depths, &packing)
    }

    /// The step past a line of a frontier from this end, at these depths.
    pub(super) fn new(
        lines: &'l Lines,
        end: End,
        line: &'l AlongLine,
        depths: &[usize],
        packing: &Packing,
    ) -> Self {
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
        let mut depths = depths.to_vec();
        line.crossings.iter().for_each(|&i| depths[i] += 1);
        let after = lines.packing(end, &depths);
        Step {
            transition: Transition::new(
                &line.line_fillings,
                &line.crossings,
                &moves,
                packing,
                &after,
            ),
            depths,
            packing: after,
        }
    }
}

/// The moves of the near and of the far frontier across the last line, and the packing of the combinations behind it.
pub(super) fn meeting_moves(
    lines: &Lines,
    line: &AlongLine,
    near_depths: &[usize],
    far_depths: &[usize],
) -> (Vec<Move>, Vec<Move>, Packing) {
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
    (near_moves, far_moves, Packing::new(states.into_iter()))
}

/// The transitions of a line of `states` states that is not crossed: each state stays the same.
fn identity(states: usize) -> Move {
    Move::Uncrossed((0..states as u32).map(|state| vec![state]).collect())
}
