//! What several tests of sweeps need: puzzles with their components, and transitions.

use std::sync::Arc;

use super::key::{Key, Packing};
use super::line_fillings::LineFillings;
use super::lines::AlongLine;
use super::transition::{Move, Transition};
use crate::board::{Board, Clues};
use crate::count::components::{Component, ComponentTable};
use crate::count::root;
use crate::line::Known;
use crate::puzzle::Puzzle;
use crate::run::{Control, Limits};

pub(super) const MIB: u64 = 1 << 20;

/// A puzzle whose solutions are the permutations. A frontier has C(side, k) combinations behind k lines, and generates side - k for each.
pub(super) fn permutations(side: usize) -> Puzzle {
    let ones = vec![[1]; side];
    Puzzle::from_clues(&ones, &ones).unwrap()
}

/// Calls `test` with the board of a puzzle after propagation, its components, and a table for these.
pub(super) fn with_components<R>(
    puzzle: &Puzzle,
    test: impl FnOnce(&Board<'_, u64>, &[Component<u64>], Arc<ComponentTable>) -> R,
) -> R {
    let clues = Clues::new(puzzle);
    let mut board = Board::<u64>::new(&clues);
    assert!(board.propagate());
    let control = Control::new(&Limits::default(), false);
    let table = Arc::new(ComponentTable::new(64 * MIB));
    let components = root::components(&board, &table.state_numbers, &control).unwrap();
    test(&board, &components, table)
}

/// The moves of a line across with two states, in which a cell can be filled once.
pub(super) fn fills_once() -> Move {
    vec![[vec![0], vec![1]], [vec![1], vec![]]]
}

/// The moves of such a line whose cell must be filled.
pub(super) fn must_fill() -> Move {
    vec![[vec![], vec![1]], [vec![], vec![]]]
}

/// Calls `test` with the transition past a line with these blocks, whose cells are all unknown, and cross lines across of two states with
/// these moves.
pub(super) fn with_transition<K: Key, R>(
    blocks: &[u16],
    moves: &[Move],
    test: impl FnOnce(&Transition<'_, K>) -> R,
) -> R {
    let length = moves.len();
    let cells = !(u64::MAX << length);
    let line = AlongLine {
        line_fillings: LineFillings::new(blocks, length, Known::NOTHING, cells).unwrap(),
        crossings: (0..length).collect(),
    };
    let packing = Packing::new(std::iter::repeat_n(2, length));
    test(&Transition::new(&line, moves, &packing, &packing))
}
